"""Reductions against NumPy, ties shared evenly, and reductions over nothing."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, gradients, ops, run
from cgkit.operators.reduction import folded, kept_shape, reduced_shape
from cgkit.testing.cases import samples_of
from cgkit.types import Dim

NAMES = ("sum", "mean", "max", "min")


@pytest.mark.parametrize("name", NAMES)
def test_values_are_numpys(name):
    for sample in samples_of(ops.ALL[name]):
        (x,) = sample.operands
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(x, **sample.params)
            found = ops.ALL[name](x, **sample.params)
        assert np.asarray(found).dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "float16", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_dtypes_are_numpys(name, dtype):
    x = np.ones((3,), dtype)
    assert Tensor(x)._reduce(name, None, False).dtype == getattr(np, name)(x).dtype


def test_a_mean_of_many_small_floats_does_not_overflow():
    assert Tensor(np.ones(100_000, "f2")).mean().item() == 1


def test_reductions_over_nothing():
    empty = Tensor(np.zeros((0, 3)))
    assert empty.sum().item() == 0
    assert empty.sum(axis=0).data.tolist() == [0, 0, 0]
    assert empty.sum(axis=1).shape == (0,)
    assert np.isnan(empty.mean().item())
    assert empty.max(axis=1).shape == (0,)
    for act in (lambda: empty.max(), lambda: empty.min(axis=0)):
        with pytest.raises(ShapeError, match="over no elements"):
            act()
    with pytest.raises(ShapeError, match="over no elements"):
        GraphBuilder().placeholder((0, 3)).max()


def test_an_open_size_may_turn_out_to_be_nothing():
    builder = GraphBuilder()
    x = builder.placeholder((None, 3))
    graph = builder.graph([x.sum(), x.mean(axis=0)])
    total, means = run(graph, np.zeros((0, 3)))
    assert total == 0
    assert np.isnan(means).all()
    with pytest.raises(ShapeError) as caught:
        run(builder.graph([x.max()]), np.zeros((0, 3)))
    assert "while running  max(input)" in caught.value.with_place()


@pytest.mark.parametrize(
    ("x", "axis", "expected"),
    [
        ([1.0, 3.0, 3.0], None, [0, 0.5, 0.5]),
        ([[2.0, 2.0], [1.0, 2.0]], None, [[1 / 3, 1 / 3], [0, 1 / 3]]),
        ([[2.0, 2.0], [1.0, 2.0]], 1, [[0.5, 0.5], [0, 1]]),
        ([[2.0, 2.0], [1.0, 2.0]], 0, [[1, 0.5], [0, 0.5]]),
        ([[2.0, 2.0], [1.0, 2.0]], (0, 1), [[1 / 3, 1 / 3], [0, 1 / 3]]),
        (5.0, None, 1),
    ],
)
def test_ties_share_evenly(x, axis, expected):
    for keepdims in (False, True):
        point = Tensor(x, requires_grad=True)
        point.max(axis, keepdims).sum().backward()
        np.testing.assert_allclose(point.grad.data, expected)
        point = Tensor(x, requires_grad=True)
        (-(-point).min(axis, keepdims)).sum().backward()
        np.testing.assert_allclose(point.grad.data, expected)


def test_the_mean_of_an_open_size():
    builder = GraphBuilder()
    x = builder.placeholder((None, 2), "float32")
    (slope,) = gradients(x.mean(), [x])
    array = np.ones((3, 2), "f4")
    (found,) = run(builder.graph([slope], [x]), array)
    point = Tensor(array, requires_grad=True)
    np.testing.assert_array_equal(found, grad(point.mean(), point)[0].data)
    assert found.dtype == np.float32


def test_gradients_of_empty_tensors_are_empty():
    for act in (lambda x: x.sum(), lambda x: x.mean(), lambda x: x.max(axis=1).sum()):
        x = Tensor(np.zeros((0, 3)), requires_grad=True)
        act(x).backward()
        assert x.grad.shape == (0, 3)


@pytest.mark.parametrize("name", ["any", "all"])
def test_any_and_all_are_numpys(name):
    for sample in samples_of(ops.ALL[name]):
        (x,) = sample.operands
        for array in (x, np.zeros_like(x), np.ones_like(x), x > 0):
            found = ops.ALL[name](array, **sample.params)
            assert np.asarray(found).dtype == np.bool_
            np.testing.assert_array_equal(found, getattr(np, name)(array, **sample.params))


def test_strings_and_such_have_no_mean():
    with pytest.raises(DtypeError, match="mean cannot take"):
        ops.mean.infer(GraphBuilder().placeholder((2,)).type.__class__((2,), "U3"))


def test_shapes_of_reductions():
    n = Dim("N")
    assert reduced_shape((n, 3, 4), (0, -1), False) == (3,)
    assert reduced_shape((n, 3), None, True) == (1, 1)
    assert kept_shape((n, 3), 1) == (n, 1)
    assert folded((n, 3), 0) == n
    assert folded((2, 3), ()) == 1
    for axis in (2, -3, (0, 0), (0, -2)):
        with pytest.raises(ShapeError, match="axis"):
            reduced_shape((2, 3), axis, False)
