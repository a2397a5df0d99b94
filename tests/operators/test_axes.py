"""Axes put in, taken out, flipped, rolled and moved: NumPy's results, and what is refused."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, ops, run
from cgkit.operators.axes import flatten, moveaxis, swapaxes
from cgkit.testing import check_gradient

X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("name", ["squeeze", "flip", "roll"])
def test_values_are_numpys(name, follows):
    follows(name, getattr(np, name))


@pytest.mark.parametrize("axis", [0, -1, 2, (0, 2), (-1, 0), (0, 1, 2)])
def test_unsqueeze_is_numpys_expand_dims(axis):
    assert Tensor(X).unsqueeze(axis).shape == np.expand_dims(X, axis).shape
    assert Tensor(X).unsqueeze(axis).squeeze(axis).data.tolist() == X.tolist()


def test_what_has_no_axis_of_size_1_stays():
    assert ops.squeeze(X).shape == X.shape
    assert ops.squeeze(X[:, :1, :1]).shape == (2,)


def test_axes_are_moved_as_numpys():
    places = range(-3, 3)
    for a, b in itertools.product(places, places):
        assert swapaxes(X, a, b).shape == np.swapaxes(X, a, b).shape
        assert moveaxis(X, a, b).tolist() == np.moveaxis(X, a, b).tolist()
    assert moveaxis(X, (0, 1), (2, 0)).tolist() == np.moveaxis(X, (0, 1), (2, 0)).tolist()
    check_gradient(lambda x: moveaxis(x, 0, 1) * 2.0, X[:, :, 0])


@pytest.mark.parametrize(
    ("start", "end", "shape"), [(0, -1, (24,)), (1, -1, (2, 12)), (0, 1, (6, 4)), (1, 1, (2, 3, 4))]
)
def test_flatten(start, end, shape):
    assert flatten(Tensor(X), start, end).shape == shape
    builder = GraphBuilder()
    (found,) = run(builder.graph([flatten(builder.placeholder((None, 3, 4)), start, end)]), X)
    assert found.shape == shape
    assert flatten(X, start, end).tolist() == X.reshape(shape).tolist()


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda x: ops.squeeze(x, axis=1), r"axis 1 out of \(2, 3, 4\): its size is not 1"),
        (lambda x: ops.squeeze(x, axis=3), "axis 3 does not exist"),
        (lambda x: ops.unsqueeze(x, axis=4), "axis 4 does not exist"),
        (lambda x: ops.unsqueeze(x, axis=(0, 0)), "one axis twice"),
        (lambda x: ops.flip(x, axis=-4), "axis -4 does not exist"),
        (lambda x: ops.roll(x, shift=(1, 2), axis=0), "a shift for each axis"),
        (lambda x: ops.roll(x, shift=0.5), "whole numbers, not 0.5"),
        (lambda x: ops.roll(x, shift=1, axis=5), "axis 5 does not exist"),
        (lambda x: moveaxis(x, (0, 1), 0), "a place for each axis"),
        (lambda x: flatten(x, 2, 1), "cannot begin at axis 2 and end before it"),
        (lambda x: swapaxes(x, 0, 3), "axis 3 does not exist"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(act, said, world):
    with pytest.raises(ShapeError, match=said):
        act(Tensor(X) if world == "eager" else GraphBuilder().placeholder(X.shape))


def test_open_sizes():
    builder = GraphBuilder()
    x = builder.placeholder((None, 1, 2))
    with pytest.raises(ShapeError, match="which sizes are 1 is not known"):
        ops.squeeze(x)
    graph = builder.graph([ops.squeeze(x, axis=1), ops.squeeze(x, axis=0)])
    assert [found.shape for found in run(graph, X[:1, :1, :2])] == [(1, 2), (1, 2)]
    with pytest.raises(ShapeError, match="its size is not 1"):
        run(graph, X[:, :1, :2])


def test_nothing_is_moved_along_no_axes():
    for x in (np.array(3.0), np.arange(3.0)):
        assert ops.roll(x, shift=(), axis=()).tolist() == x.tolist()
