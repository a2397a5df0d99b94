"""Places and orders against NumPy: equals, nan, both directions, running extremes."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.operators.ordering import cummax, cummin, sort, topk
from cgkit.testing import check_gradient
from cgkit.testing.cases import samples_of

TIES = np.array([[2.0, 1.0, 2.0, 1.0], [0.0, 0.0, 0.0, 3.0]])


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_are_numpys(name):
    for sample in samples_of(ops.ALL[name]):
        (x,) = sample.operands
        found = ops.ALL[name](x, **sample.params)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, getattr(np, name)(x, **sample.params))
    assert ops.ALL[name](TIES, axis=1).tolist() == getattr(np, name)(TIES, 1).tolist()


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "bool"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sorting(dtype, axis):
    x = TIES.astype(dtype)
    np.testing.assert_array_equal(sort(x, axis), np.sort(x, axis))
    np.testing.assert_array_equal(sort(x, axis, True), np.flip(np.sort(x, axis), axis))
    np.testing.assert_array_equal(ops.argsort(x, axis=axis), np.argsort(x, axis, kind="stable"))


def test_equals_keep_their_order_in_both_directions():
    assert ops.argsort(TIES, descending=True).tolist() == [[0, 2, 1, 3], [3, 0, 1, 2]]
    assert topk(TIES, 3)[1].tolist() == [[0, 2, 1], [3, 0, 1]]
    assert topk(TIES, 3, largest=False)[1].tolist() == [[1, 3, 0], [0, 1, 2]]


def test_nan_counts_as_the_largest():
    x = np.array([1.0, np.nan, 2.0])
    np.testing.assert_array_equal(topk(x, 2)[0], [np.nan, 2])
    np.testing.assert_array_equal(sort(x), [1, 2, np.nan])
    assert ops.argmax(x) == 1


def test_gradients_go_through_the_values():
    x = Tensor([3.0, 1.0, 2.0], requires_grad=True)
    (slope,) = grad((sort(x) * np.array([1.0, 10.0, 100.0])).sum(), x)
    assert slope.data.tolist() == [100, 1, 10]
    values, places = topk(x, 2)
    assert places.requires_grad is False
    (slope,) = grad((values * np.array([1.0, 10.0])).sum(), x)
    assert slope.data.tolist() == [1, 0, 10]
    check_gradient(lambda x: sort(x, 0) * sort(x, 0), np.random.default_rng(0).normal(size=(4, 2)))


@pytest.mark.parametrize("axis", [0, 1])
def test_running_extremes(axis):
    x = np.random.default_rng(0).integers(0, 4, size=(5, 6)).astype(float)
    np.testing.assert_array_equal(cummax(x, axis), np.maximum.accumulate(x, axis))
    np.testing.assert_array_equal(cummin(x, axis), np.minimum.accumulate(x, axis))
    x[2, 3] = np.nan
    np.testing.assert_array_equal(cummax(x, axis), np.maximum.accumulate(x, axis))


def test_of_equal_running_extremes_the_last_has_the_gradient():
    x = Tensor([1.0, 3.0, 3.0, 2.0], requires_grad=True)
    (slope,) = grad(cummax(x, 0).sum(), x)
    assert slope.data.tolist() == [1, 1, 2, 0]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda x: ops.argmax(x, axis=2), "axis 2 does not exist"),
        (lambda x: ops.argmin(x[:0]), "argmin over no elements"),
        (lambda x: ops.argmax(x[:0], axis=0), "argmax over no elements"),
        (lambda x: topk(x, 5), "no 5 elements on an axis of size 4"),
        (lambda x: topk(x, -1), "-1 is no number of elements"),
        (lambda x: topk(x, 0.5), "0.5 is no number"),
        (lambda x: sort(x, 2), "axis 2 does not exist"),
        (lambda x: cummax(x, -3), "axis -3 does not exist"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(act, said, world):
    with pytest.raises(ShapeError, match=said):
        act(Tensor(TIES) if world == "eager" else GraphBuilder().placeholder(TIES.shape))


def test_open_sizes():
    builder = GraphBuilder()
    x = builder.placeholder((None, 4))
    graph = builder.graph([sort(x, 0), topk(x, 2, 0)[0], ops.argmax(x)])
    for got, want in zip(
        run(graph, TIES), (np.sort(TIES, 0), np.sort(TIES, 0)[::-1], 7), strict=True
    ):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(ShapeError, match="no 2 elements"):
        run(graph, TIES[:1])


def test_every_axis_of_an_empty_tensor():
    for name, axis in itertools.product(["argsort", "argcummax", "argcummin"], [0, 1]):
        assert ops.ALL[name](np.zeros((0, 2)), axis=axis).shape == (0, 2)


def test_how_many_may_be_an_open_size():
    builder = GraphBuilder()
    x, y = builder.placeholder((None, 4), "float32"), builder.placeholder(("K",), "float32")
    graph = builder.graph([ops.topk(x, y.shape[0])[0]], [x, y])
    rows = np.array([[1, 4, 2, 3]], "float32")
    np.testing.assert_array_equal(run(graph, rows, rows[0, :2])[0], [[4, 3]])
    with pytest.raises(ShapeError, match="there are no K elements on an axis of size 4"):
        run(graph, rows, np.zeros(5, "float32"))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_what_there_is(ordered, axis, dtype):
    x = np.random.default_rng(3).integers(0, 2, size=(3, 4, 2)).astype(dtype)
    found, first, place, many = ops.unique(x, axis=axis, ordered=ordered)
    parts = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
    kept = found if axis is None else np.moveaxis(found, axis, 0)
    np.testing.assert_array_equal(kept[place], parts)
    np.testing.assert_array_equal(parts[first], kept)
    np.testing.assert_array_equal(many, np.bincount(place))
    assert len(first) == len({part.tobytes() for part in parts})
    for at, there in zip(first, kept, strict=True):
        assert not any((parts[i] == there).all() for i in range(at))
    if ordered:
        flat = [part.ravel().tolist() for part in kept]
        assert flat == sorted(flat)
    else:
        assert first.tolist() == sorted(first)


def test_few_parts_and_parts_of_nothing():
    assert [y.tolist() for y in ops.unique(np.array(7))] == [[7], [0], [0], [1]]
    assert [y.shape for y in ops.unique(np.zeros((0, 3)), axis=0)] == [(0, 3), (0,), (0,), (0,)]
    found, first, place, many = ops.unique(np.zeros((3, 0)), axis=0)
    assert found.shape == (1, 0)
    assert (first.tolist(), place.tolist(), many.tolist()) == ([0], [0, 0, 0], [3])


def test_a_graph_is_told_how_many_there_are():
    builder = GraphBuilder()
    x = builder.placeholder((None,))
    found, first, place, many = ops.unique(x)
    graph = builder.graph([found, first, place, many])
    for numbers in ([2.0, 1.0, 1.0, 3.0], [5.0], []):
        for got, want in zip(
            run(graph, np.array(numbers)), ops.unique(np.array(numbers)), strict=True
        ):
            np.testing.assert_array_equal(got, want)


def test_what_there_is_passes_its_gradient_to_the_first():
    x = Tensor([2.0, 1.0, 1.0], requires_grad=True)
    (ops.unique(x)[0] * Tensor([3.0, 5.0])).sum().backward()
    assert x.grad.numpy().tolist() == [5.0, 3.0, 0.0]
