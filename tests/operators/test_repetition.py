"""Tile and repeat against NumPy, for every pairing of ranks."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, ops, run
from cgkit.testing.cases import samples_of


@pytest.mark.parametrize("name", ["tile", "repeat"])
def test_values_are_numpys(name):
    for sample in samples_of(ops.ALL[name]):
        (x,) = sample.operands
        expected = getattr(np, name)(x, *sample.params.values())
        np.testing.assert_array_equal(ops.ALL[name](x, **sample.params), expected)


@pytest.mark.parametrize("shape", [(), (2,), (0, 2), (2, 1, 3)], ids=str)
@pytest.mark.parametrize("repeats", [(), (2,), (1, 2), (2, 0), (3, 1, 2), 2], ids=str)
def test_every_pairing_of_ranks(shape, repeats):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    point = Tensor(x, requires_grad=True)
    found = ops.tile(point, repeats=repeats)
    np.testing.assert_array_equal(found.data, np.tile(x, repeats))
    found.sum().backward()
    copies = found.size // x.size if x.size else 0
    assert (point.grad.data == copies).all()
    assert point.grad.shape == shape


def test_each_copy_passes_its_own_gradient():
    x = Tensor([1.0, 2.0], requires_grad=True)
    (ops.repeat(x, repeats=3) * np.arange(6.0)).sum().backward()
    assert x.grad.data.tolist() == [0 + 1 + 2, 3 + 4 + 5]
    x = Tensor([1.0, 2.0], requires_grad=True)
    (ops.tile(x, repeats=3) * np.arange(6.0)).sum().backward()
    assert x.grad.data.tolist() == [0 + 2 + 4, 1 + 3 + 5]


def test_each_place_may_have_its_own_number():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    along = ops.repeat(x, repeats=[3, 0], axis=-1)
    assert along.data.tolist() == [[1, 1, 1], [3, 3, 3]]
    flat = ops.repeat(x, repeats=(0, 1, 0, 2))
    assert flat.data.tolist() == [2, 4, 4]
    (along.sum() + (flat * np.array([5.0, 6.0, 7.0])).sum()).backward()
    assert x.grad.data.tolist() == [[3, 5], [3, 13]]


def test_places_of_an_open_axis_are_counted_when_it_is_known():
    builder = GraphBuilder()
    graph = builder.graph([ops.repeat(builder.placeholder((None, 2)), repeats=(2, 1), axis=0)])
    assert graph.outputs[0].shape == (3, 2)
    assert run(graph, np.array([[1.0, 2.0], [3.0, 4.0]]))[0].tolist() == [[1, 2], [1, 2], [3, 4]]
    with pytest.raises(ShapeError, match="2"):
        run(graph, np.ones((3, 2)))


@pytest.mark.parametrize("repeats", [-1, 0.5, (1, -2), True, "ab", (1, None)])
@pytest.mark.parametrize("world", ["eager", "static"])
def test_only_whole_numbers_repeat(repeats, world):
    x = Tensor([1.0, 2.0]) if world == "eager" else GraphBuilder().placeholder((2,))
    with pytest.raises(ShapeError, match="a whole number, or one for each place"):
        ops.repeat(x, repeats=repeats)
    with pytest.raises(ShapeError, match="repeat has 3 numbers for 2 places"):
        ops.repeat(x, repeats=(1, 2, 3))


def test_shapes_that_cannot_be():
    for x, repeats in itertools.product([Tensor([1.0])], [(-1,), (0.5,), ("a",)]):
        with pytest.raises(ShapeError, match="is no size"):
            ops.tile(x, repeats=repeats)
    with pytest.raises(ShapeError, match="axis 1 does not exist"):
        ops.repeat(Tensor([1.0]), repeats=2, axis=1)
