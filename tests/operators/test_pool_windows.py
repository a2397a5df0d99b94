"""Windows of pooling: where they stand, and folding axis by axis against folding at once."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cgkit import Dim, DtypeError, ShapeError, TensorType, ops
from cgkit.operators.pool_windows import (
    Pooling,
    folded_windows,
    infer_pool,
    last_sizes,
    pool_windows,
    reach,
    seen,
    spread_windows,
)
from cgkit.operators.windows import padded, under

SETTINGS = [
    Pooling(kernel, stride, padding, dilation, ceil_mode)
    for kernel, stride, padding, dilation, ceil_mode in itertools.product(
        [(2, 2), (3, 2)], [None, 1, (2, 3)], [0, 1, "same"], [1], [False, True]
    )
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_folding_axis_by_axis_folds_the_window(settings):
    x = np.random.default_rng(0).normal(size=(2, 5, 7))
    place = pool_windows("p", (5, 7), settings)
    wide = padded(x, reach((5, 7), place))
    expected = under(wide, place).reshape(2, -1, *place.places)
    np.testing.assert_allclose(folded_windows(wide, place, np.add), expected.sum(axis=1))
    np.testing.assert_array_equal(folded_windows(wide, place, np.maximum), expected.max(axis=1))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_spreading_is_the_transpose_of_folding(settings):
    rng = np.random.default_rng(0)
    place = pool_windows("p", (5, 7), settings)
    wide = padded(rng.normal(size=(2, 5, 7)), reach((5, 7), place))
    g = rng.normal(size=(2, *place.places))
    back = spread_windows(g, place, list(wide.shape[1:]))
    assert (back * wide).sum() == pytest.approx((g * folded_windows(wide, place, np.add)).sum())


def test_windows_that_hang_over_the_end():
    place = pool_windows("p", (5,), Pooling((2,), ceil_mode=True))
    assert place.places == (3,)
    assert place.pads == ((0, 0),)
    assert reach((5,), place) == ((0, 1),)


def test_a_number_stands_for_all_axes_after_the_channels():
    x = TensorType((2, 3, 8, 6), "float32")
    assert infer_pool("p", x, Pooling(2))[0] == (2, 3, 4, 3)
    assert infer_pool("p", x, Pooling((2,)))[0] == (2, 3, 8, 3)
    assert infer_pool("p", x, Pooling((1, 3, 1, 1)))[0] == (2, 1, 8, 6)
    assert last_sizes(x, 2) == last_sizes(x, (1, 1)) == (8, 6)
    assert (seen(x, 2), seen(x, (3, 2))) == (4, 6)


@pytest.mark.parametrize(
    ("shape", "settings", "said"),
    [
        ((2, 3), Pooling(2), r"p cannot slide a window 2 over \(2, 3\)"),
        ((4,), Pooling((2, 2)), r"cannot slide a window \(2, 2\) over \(4,\)"),
        ((4,), Pooling((2,), padding=2), r"at most half a window of 2, not \(2, 2\)"),
        ((4,), Pooling((1.5,), 1), r"a window has a size of at least 1 .* not \(1.5,\)"),
        ((4,), Pooling((5,)), "a window of 5 does not fit an axis of 4"),
        ((0,), Pooling((2,), padding=1), r"at least one element along an axis, got \(0,\)"),
        ((1,), Pooling((2,), padding=1, dilation=2), "a window over nothing but padding"),
        ((4,), Pooling((2,), stride=0), "stride is at least 1"),
    ],
)
def test_what_does_not_fit(shape, settings, said):
    with pytest.raises(ShapeError, match=said):
        infer_pool("p", TensorType(shape, "float64"), settings)


def test_booleans_are_not_pooled():
    with pytest.raises(DtypeError, match="p cannot take bool"):
        infer_pool("p", TensorType((4,), "bool"), Pooling((2,)))


def test_open_sizes_stay_open():
    n = Dim("N")
    assert infer_pool("p", TensorType((n, 1, n), "float64"), Pooling(3, 1, 1))[0] == (n, 1, n)
    assert infer_pool("p", TensorType((1, 1, n * 2), "float64"), Pooling(2))[0] == (1, 1, n)


def test_a_last_window_may_reach_beyond_an_axis_that_is_shorter():
    x = np.arange(5.0).reshape(1, 1, 5, 1)
    assert ops.max_pool(x, kernel=2, ceil_mode=True).ravel().tolist() == [1, 3, 4]
    assert ops.avg_pool(x, kernel=2, ceil_mode=True).ravel().tolist() == [0.5, 2.5, 4]
    assert ops.max_pool_places(x, kernel=2, ceil_mode=True).ravel().tolist() == [1, 3, 4]
    with pytest.raises(ShapeError, match="a window of 3 does not fit an axis of 1"):
        ops.max_pool(x, kernel=3, stride=2, ceil_mode=True)


@given(
    size=st.integers(1, 12), kernel=st.integers(1, 5), stride=st.integers(1, 6),
    dilation=st.integers(2, 6), low=st.integers(0, 12),
)  # fmt: skip
def test_every_window_sees_an_element_or_none_is_taken(size, kernel, stride, dilation, low):
    span = (kernel - 1) * dilation + 1
    settings = Pooling((kernel,), stride, ((low, low),), dilation)
    assume(span <= size + 2 * low and 2 * low <= span)
    starts = range(-low, size + low - span + 1, stride)
    taps = [{start + i * dilation for i in range(kernel)} for start in starts]
    if all(tap & set(range(size)) for tap in taps):
        assert pool_windows("p", (size,), settings).places == (len(starts),)
    else:
        with pytest.raises(ShapeError, match="nothing but padding"):
            pool_windows("p", (size,), settings)


def test_the_length_of_an_axis_costs_nothing():
    assert pool_windows("p", (2**60,), Pooling((3,), 2, 1, 2)).places == (2**59 - 1,)
