"""Maxima under windows against slices written out; where gradients go, ties included."""

import itertools

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, flops, grad, ops

CASES = list(itertools.product([(2, 2), (3, 2)], [(1, 1), (2, 3)], [0, 1], [1, 2]))


@pytest.mark.parametrize(("kernel", "stride", "padding", "dilation"), CASES)
def test_maxima_and_their_places(kernel, stride, padding, dilation):
    x = np.random.default_rng(0).integers(-3, 4, size=(6, 7)).astype(float)  # many ties
    settings = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    found = ops.max_pool(x, **settings)
    places = ops.max_pool_places(x, **settings)
    for i, j in np.ndindex(found.shape):
        corner = i * stride[0] - padding, j * stride[1] - padding
        seen = [
            (corner[0] + a * dilation, corner[1] + b * dilation) for a, b in np.ndindex(*kernel)
        ]
        there = [at for at in seen if 0 <= at[0] < 6 and 0 <= at[1] < 7]
        best = max(x[at] for at in there)
        first = next(at for at in there if x[at] == best)
        assert found[i, j] == best
        assert places[i, j] == first[0] * 7 + first[1]


def test_a_tie_goes_to_the_first():
    x = Tensor(np.ones((1, 1, 2, 2)), requires_grad=True)
    (slope,) = grad(ops.max_pool(x, kernel=2).sum(), x)
    assert slope.data.tolist() == [[[[1.0, 0.0], [0.0, 0.0]]]]


def test_a_place_that_wins_twice_has_both_gradients():
    x = Tensor(np.array([0.0, 5.0, 1.0]), requires_grad=True)
    y = ops.max_pool(x, kernel=(2,), stride=1)
    (slope,) = grad(y, x, np.array([10.0, 1.0]))
    assert slope.data.tolist() == [0.0, 11.0, 0.0]


@pytest.mark.parametrize("special", [np.nan, -np.inf])
def test_nan_wins_and_padding_never_does(special):
    x = np.full((1, 1, 3), special)
    settings = {"kernel": 3, "padding": 1, "stride": 1}
    np.testing.assert_array_equal(ops.max_pool(x, **settings), x)
    assert ops.max_pool_places(x, **settings).tolist() == [[[0, 0, 1]]]
    x[0, 0, 2] = 7.0
    expected = [special, special if np.isnan(special) else 7, special if np.isnan(special) else 7]
    np.testing.assert_array_equal(ops.max_pool(x, **settings)[0, 0], expected)


def test_the_least_integer_wins_over_padding():
    x = np.full((1, 1, 2), np.iinfo(np.int8).min, np.int8)
    settings = {"kernel": 2, "padding": 1, "stride": 1}
    assert ops.max_pool(x, **settings).dtype == np.int8
    assert ops.max_pool_places(x, **settings).tolist() == [[[0, 0, 1]]]


def test_unpooling_puts_maxima_back():
    x = np.array([[1.0, 5.0, 2.0, 2.0], [0.0, 3.0, 9.0, 4.0]])
    places = ops.max_pool_places(x, kernel=(2, 2))
    assert places.tolist() == [[1, 6]]
    maxima = ops.max_pool(x, kernel=(2, 2))
    back = ops.max_unpool(maxima, places, size=(2, 4))
    assert back.tolist() == [[0, 5, 0, 0], [0, 0, 9, 0]]
    assert ops.max_pool_taken(x, places, axes=2).tolist() == maxima.tolist()


def test_what_does_not_fit():
    ones = np.ones((1, 2))
    with pytest.raises(ShapeError, match="the place 4 lies outside 4 elements"):
        ops.max_unpool(ones, np.array([[0, 4]]), size=(4,))
    with pytest.raises(ShapeError, match="the place -1 lies outside 2 elements"):
        ops.max_pool_taken(ones, np.array([[-1]]), axes=1)
    with pytest.raises(DtypeError, match="places that are whole numbers, got float64"):
        ops.max_unpool(ones, ones, size=(4,))
    with pytest.raises(ShapeError, match=r"cannot use places \(2,\) for \(1, 2\)"):
        ops.max_unpool(ones, np.array([0, 1]), size=(4,))
    with pytest.raises(ShapeError, match="differ"):
        ops.max_unpool(ones, np.array([[0, 1, 2]]), size=(4,))


def test_counts_of_work():
    x = GraphBuilder().placeholder((1, 2, 6, 6))
    assert flops(ops.max_pool(x, kernel=(3, 2)).node) == 2 * 2 * 3 * 6


def test_ties_over_whole_channels_share():
    x = Tensor(np.ones((1, 1, 2, 2)), requires_grad=True)
    (slope,) = grad(ops.global_max_pool(x).sum(), x)
    assert slope.data.tolist() == [[[[0.25, 0.25], [0.25, 0.25]]]]


@pytest.mark.parametrize("dtype", ["uint8", "int32", "uint64"])
def test_places_of_any_whole_dtype(dtype):
    places = np.array([[0, 2], [1, 1]], dtype)
    x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert ops.max_pool_taken(x, places, axes=1).tolist() == [[1, 3], [5, 5]]
    assert ops.max_unpool(x[:, :2], places, size=(3,)).tolist() == [[1, 0, 2], [0, 9, 0]]
