"""Windows: settings, places and views, against their meaning written out."""

import itertools

import numpy as np
import pytest

from cgkit import Dim, ShapeError
from cgkit.operators.windows import (
    each_axis,
    inner,
    padded,
    pads_of,
    parts,
    place_count,
    tap,
    under,
    windows,
)
from cgkit.types import size_at

SETTINGS = [
    (size, kernel, dilation, pads)
    for size, kernel, dilation, pads in itertools.product(
        [3, 5, 6], [1, 2, 3], [1, 2], [(0, 0), (1, 0), (1, 2)]
    )
    if (kernel - 1) * dilation < size + sum(pads)
]


@pytest.mark.parametrize(("size", "kernel", "dilation", "pads"), SETTINGS)
def test_what_lies_under_a_window(size, kernel, dilation, pads):
    place = windows((size,), (kernel,), 2, (pads,), dilation)
    line = padded(np.arange(1.0, size + 1), place.pads)
    assert line.tolist() == [0] * pads[0] + list(range(1, size + 1)) + [0] * pads[1]
    found = under(line, place)
    for at, k in itertools.product(range(place.places[0]), range(kernel)):
        assert found[k, at] == line[at * 2 + k * dilation]
        assert line[tap(place, (k,))][at] == found[k, at]
    assert line[inner((size,), place.pads)].tolist() == list(range(1, size + 1))


def test_a_view_of_a_turned_image_reads_the_turned_image():
    x = np.arange(12).reshape(3, 4)[::-1, ::-1]
    place = windows((3, 4), (2, 2))
    np.testing.assert_array_equal(under(x, place), under(x.copy(), place))
    with pytest.raises(ValueError, match="read-only"):
        under(x, place)[...] = 0


@pytest.mark.parametrize(
    ("size", "kernel", "stride"), list(itertools.product(range(1, 8), [1, 2, 3, 4], [1, 2, 3]))
)
def test_same_gives_a_place_for_each_stride(size, kernel, stride):
    place = windows((size,), (kernel,), stride, "same")
    ((before, after),) = place.pads
    assert place.places == (-(-size // stride),)
    assert before >= 0
    assert after - before in (0, 1)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "pad"),
    list(itertools.product(range(3, 9), [2, 3], [1, 2, 3], [0, 1])),
)
def test_rounding_up_counts_windows_that_begin_inside(size, kernel, stride, pad):
    full = place_count(size, kernel, stride, (pad, pad))
    begins = range(0, size + pad, stride)  # a window must not begin in the padding behind
    reach = [i for i in begins if i - stride + kernel < size + 2 * pad or i == 0]
    assert place_count(size, kernel, stride, (pad, pad), round_up=True) == len(reach) >= full


def test_open_sizes_stay_open():
    n = Dim("N")
    assert windows((n, 5), (3, 3), 1, 1).places == (n, 5)
    assert windows((n,), (2,), 1, "same").pads == ((0, 1),)
    assert windows((n * 2,), (2,), 2).places == (n,)
    assert windows((n,), (3,), 2, 1).places == ((n - 1) // 2 + 1,)
    with pytest.raises(ShapeError, match='"same" is not known for an axis of N'):
        windows((n,), (1,), 2, "same")
    with pytest.raises(ShapeError, match="where a window of N hangs over"):
        windows((9,), (n,), 2, round_up=True)


@pytest.mark.parametrize("padding", [0, 1, ((0, 2),), "same"])
@pytest.mark.parametrize("round_up", [False, True])
def test_an_open_axis_has_as_many_places_as_a_known_one(padding, round_up):
    for kernel, stride, dilation in itertools.product((3, 4), (1, 2, 3), (1, 2)):
        how = {"stride": stride, "padding": padding, "dilation": dilation, "round_up": round_up}
        found = windows((Dim("N"),), (kernel,), **how)
        for size in range(8, 20):
            known = windows((size,), (kernel,), **how)
            assert [size_at(n, {"N": size}) for n in found.places] == list(known.places)
            pads = [size_at(n, {"N": size}) for pair in found.pads for n in pair]
            assert pads == [n for pair in known.pads for n in pair]


@pytest.mark.parametrize("wrong", [True, 2.0, (1,), (1, 2, 3), ("1", 2), None])
def test_a_setting_is_whole_numbers(wrong):
    with pytest.raises(ShapeError, match="stride is one or 2 whole numbers"):
        each_axis("stride", wrong, 2, 1)
    assert each_axis("stride", [1, np.int64(2)], 2, 1) == (1, 2)


@pytest.mark.parametrize("wrong", [True, 1.5, (1,), ((1, 1), (1,)), None])
def test_padding_is_numbers_or_pairs(wrong):
    with pytest.raises(ShapeError, match="one for each of 2 axes, or a pair for each"):
        pads_of(wrong, (3, 3), (1, 1), (1, 1))


def test_parts_cover_a_batch_once():
    for items, each in itertools.product([0, 1, 7], [0, 1, 1 << 20, 1 << 30]):
        rows = [i for part in parts(items, each) for i in range(items)[part]]
        assert rows == list(range(items))
