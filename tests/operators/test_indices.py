"""Indices as params: a place for each tensor, and nothing that NumPy would guess about."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, ops, run
from cgkit.errors import CgkitError, OperandError, ShapeError
from cgkit.operators.indices import ARRAY, Span, check_index, places_in, to_python

ROWS = Span()


@pytest.mark.parametrize(
    ("index", "arrays"),
    [
        ((ARRAY,), 0), ((ARRAY,), 2), ((0,), 1), (0, 0), ("array", 1), ((1.0,), 0), ((True,), 0),
        (((0, 1),), 0), (((0, 1, "x"),), 0), (("other",), 0), ([0], 0), ((np.int64(0),), 0),
    ],
)  # fmt: skip
def test_what_is_no_index(index, arrays):
    with pytest.raises(OperandError, match="does not fit"):
        check_index(index, arrays)


def test_a_place_for_each_tensor():
    x, at = np.arange(3.0), np.array([2, 0])
    assert to_python((ARRAY, ROWS), (at,))[0] is at
    for operands, index in (((x, at), (0,)), ((x,), (ARRAY,)), ((x, at, at), (ARRAY,))):
        with pytest.raises(OperandError, match="does not fit"):
            ops.index(*operands, index=index)
        with pytest.raises(OperandError, match="does not fit"):
            ops.scatter(*operands, shape=(3,), index=index)


@pytest.mark.parametrize("shape", [(1,) * 12, (3, 7, 2), (1,), (), (2, 4)])
@pytest.mark.parametrize("act", [ops.scatter, ops.scatter_mul, ops.scatter_max, ops.scatter_min])
def test_nothing_is_written_elsewhere(act, shape):
    # NumPy's ufunc.at ends the process where what comes has more axes than the places
    for x in (np.ones(shape), Tensor(np.ones(shape)), GraphBuilder().placeholder(shape)):
        with pytest.raises(ShapeError, match="is not that of a part of"):
            act(x, np.array([[0, 1]]), shape=(4, 3), index=(ROWS, ARRAY))


def test_places_inside():
    at = np.array([0, 5])
    with pytest.raises(ShapeError, match="place 5 lies outside axis 0 of size 3"):
        places_in((3,), (at,), (ARRAY,), np.ones(2))
    assert places_in((6,), (at,), (ARRAY,), np.ones(2))[0] is at


@pytest.mark.parametrize(
    ("x", "key", "said"),
    [
        (np.ones((2, 3)), ([0, 1], [0, 1, 2]), "cannot broadcast"),
        (np.ones((2, 3)), 5, "index 5 lies outside axis 0 of size 2"),
        (np.ones((2, 3)), (0, 0, 0), "too long"),
        (np.ones(2), (0, 0), "too long"),
    ],
)
def test_errors_are_ours(x, key, said):
    for handle in (Tensor(x), GraphBuilder().placeholder(x.shape)):
        with pytest.raises(CgkitError, match=said):
            handle[key]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (np.array([True, False, True]), "mask"),
        ((slice(None), np.array([True, False])), "mask"),
        (([0, 1], [0, -4]), "place -4 lies outside axis 1 of size 3"),
        ((None, [0], [7]), "place 7 lies outside axis 1 of size 3"),
    ],
)
def test_values_that_do_not_fit(key, said):
    x = Tensor(np.ones((2, 3)))
    with pytest.raises(ShapeError, match=said):
        x[key]
    with pytest.raises(ShapeError, match=said):
        x[key] = 0.0


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (lambda n: (Span(None, n),), "a slice of 4 has 4 elements, not N = 5"),
        (lambda n: (Span(n, None),), "a slice of 4 has 0 elements, not -N \\+ 4 = -1"),
        (lambda n: (Span(n - 7, 4),), "a slice of 4 has 2 elements, not -N \\+ 11 = 6"),
    ],
)
def test_an_axis_is_long_enough_for_an_open_bound(index, said):
    builder = GraphBuilder()
    x, y = builder.placeholder((4,)), builder.placeholder(("N",))
    graph = builder.graph([ops.slice(x, index=index(y.shape[0]))], [x, y])
    with pytest.raises(ShapeError, match=said):
        run(graph, np.zeros(4), np.zeros(5))
