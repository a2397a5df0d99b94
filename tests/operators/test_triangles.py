"""Triangles and diagonals against NumPy, for matrices wide, tall and empty."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, ops
from cgkit.types import Dim

SHAPES = [(3, 3), (2, 4), (4, 2), (1, 3), (0, 3), (3, 0), (2, 3, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_are_numpys(shape):
    x = np.random.default_rng(0).normal(size=shape)
    for k in range(-4, 5):
        np.testing.assert_array_equal(ops.tril(x, k=k), np.tril(x, k))
        np.testing.assert_array_equal(ops.triu(x, k=k), np.triu(x, k))
        if x.ndim == 2:
            np.testing.assert_array_equal(ops.eye_like(x, k=k), np.eye(*shape, k=k))
        for a, b in itertools.permutations(range(x.ndim), 2):
            where = {"offset": k, "axis1": a, "axis2": b}
            try:
                expected = np.diagonal(x, **where)
            except ValueError:
                continue
            found = ops.diagonal(x, **where)
            np.testing.assert_array_equal(found, expected)
            spread = ops.on_diagonal(found, shape=shape, **where)
            assert np.count_nonzero(spread) == found.size
            np.testing.assert_array_equal(ops.diagonal(spread, **where), found)


def test_nan_outside_the_triangle_is_gone():
    x = np.full((2, 2), np.nan)
    assert ops.tril(x)[0, 1] == 0
    point = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (ops.tril(point) * Tensor(x)).sum().backward()
    assert point.grad.data[0, 1] == 0


def test_the_trace_by_its_diagonal():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = ops.diagonal(x).sum()
    y.backward()
    assert y.item() == 5
    assert x.grad.data.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda x: ops.tril(x[0]), r"tril needs matrices, got \(3,\)"),
        (lambda x: ops.triu(x[0]), "triu needs matrices"),
        (lambda x: ops.diagonal(x[0]), "diagonal needs matrices"),
        (lambda x: ops.diagonal(x, axis2=2), "axis 2 does not exist"),
        (lambda x: ops.diagonal(x, axis1=1, axis2=-1), "one axis twice"),
        (lambda x: ops.on_diagonal(x[0], shape=(2, 2)), r"\(3,\) is not that of diagonal 0 of"),
        (lambda x: ops.eye_like(x[0]), "one matrix"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(act, said, world):
    x = Tensor(np.ones((2, 3))) if world == "eager" else GraphBuilder().placeholder((2, 3))
    with pytest.raises(ShapeError, match=said):
        act(x)


def test_open_sizes():
    builder = GraphBuilder()
    n = Dim("N")
    assert ops.diagonal(builder.placeholder((n, 3, n)), axis2=2).shape == (3, n)
    with pytest.raises(ShapeError, match="not known before the graph runs"):
        ops.diagonal(builder.placeholder((n, 3)))
