"""Windows that slide along axes: how many places they have, and what lies under each.

    axis of 5, padding 1      . 0 1 2 3 4 .
    kernel 3, stride 2       [. 0 1]            place 0
                                 [1 2 3]        place 1
                                     [3 4 .]    place 2

Convolution and pooling share this. A window of kernel k and dilation d spans d * (k - 1) + 1
elements. Sizes may be open, and then the number of places is: (N - 3)//2 + 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from cgkit.errors import OpenSize, ShapeError
from cgkit.operators.settings import as_whole, is_whole
from cgkit.types import Dim, Shape, Size, show_shape, value_of

Setting = int | tuple[int, ...]
"""A number for all axes, or one for each."""
Padding = int | str | tuple[int | tuple[int, int], ...]
"""A number for all axes, one for each, a (before, after) for each, "same" or "valid"."""
Pads = tuple[tuple[Size, Size], ...]


class Windows(NamedTuple):
    """Where windows stand: one entry for each axis they slide along."""

    kernel: tuple[Size, ...]
    """How many elements lie under a window."""
    stride: tuple[int, ...]
    """How far it is from place to place."""
    dilation: tuple[int, ...]
    """How far it is from element to element under a window."""
    pads: Pads
    """How much is put before and after the axis."""
    places: tuple[Size, ...]
    """How many places there are."""

    @property
    def spans(self) -> tuple[Size, ...]:
        """How long each window is, from its first to its last element."""
        return tuple(span(k, d) for k, d in zip(self.kernel, self.dilation, strict=True))


def span(kernel: Size, dilation: int) -> Size:
    """Give the length of a window whose elements lie `dilation` apart.

    Examples
    --------
    >>> span(3, 1), span(3, 2)
    (3, 5)
    """
    return (kernel - 1) * dilation + 1


def each_axis(what: str, setting: Any, axes: int, least: int) -> tuple[int, ...]:
    """Give a setting for each axis: one number stands for all.

    Examples
    --------
    >>> each_axis("stride", 2, 3, least=1)
    (2, 2, 2)

    Raises
    ------
    ShapeError
        It is no whole number, too small, or not one for each axis.
    """
    listed = tuple(setting) if isinstance(setting, tuple | list) else (setting,) * axes
    if len(listed) != axes or not all(is_whole(one) for one in listed):
        many = f"one or {axes} whole numbers" if axes > 1 else "a whole number"
        raise ShapeError(f"{what} is {many}, not {setting!r}")
    if any(one < least for one in listed):
        raise ShapeError(f"{what} is at least {least}, not {setting!r}")
    return tuple(int(one) for one in listed)


def known_sizes(what: str, sizes: Any, axes: int, least: int = 1) -> Shape:
    """Check that there is a size of at least so much, or an open one, for each axis.

    Examples
    --------
    >>> known_sizes("a window", [2, 3], 2)
    (2, 3)

    Raises
    ------
    ShapeError
        There are more or fewer, or one is no size.
    """
    found = tuple(sizes) if isinstance(sizes, tuple | list) else (sizes,)
    whole = all(isinstance(n, Dim) or (is_whole(n) and n >= least) for n in found)
    if len(found) != axes or not whole:
        size = f"a size of at least {least}" if least else "a size"
        raise ShapeError(f"{what} has {size} for each of {axes} axes, not {show_shape(found)}")
    return tuple(n if isinstance(n, Dim) else int(n) for n in found)


def pads_of(
    padding: Padding,
    sizes: Sequence[Size],
    spans: Sequence[Size],
    stride: Sequence[int],
) -> Pads:
    """Give what is put before and after each axis.

    Parameters
    ----------
    padding
        A number, one for each axis, or a pair for each; "valid" for none; "same" for as much as
        makes ceil(size / stride) places, the odd one at the end.
    sizes, spans, stride
        Of the axes, of the windows, and from place to place.

    Examples
    --------
    >>> pads_of(1, (5, 5), (3, 3), (1, 1)), pads_of(((0, 1),), (5,), (3,), (1,))
    (((1, 1), (1, 1)), ((0, 1),))
    >>> pads_of("same", (5, 6), (2, 3), (1, 2))
    ((0, 1), (0, 1))

    Raises
    ------
    ShapeError
        It is nothing of that, or negative.
    """
    axes = len(sizes)
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ShapeError(f'padding is "same", "valid" or whole numbers, not {padding!r}')
        if padding == "valid":
            return ((0, 0),) * axes
        totals = map(same, sizes, spans, stride)
        return tuple((total // 2, total - total // 2) for total in totals)
    listed = tuple(padding) if isinstance(padding, tuple | list) else (padding,) * axes
    pairs = tuple(tuple(p) if isinstance(p, tuple | list) else (p, p) for p in listed)
    whole = all(is_whole(x) or isinstance(x, Dim) for pair in pairs for x in pair)
    if len(pairs) != axes or not whole or any(len(pair) != 2 for pair in pairs):
        raise ShapeError(
            f"padding is a whole number, one for each of {axes} axes, or a pair for each, "
            f"not {padding!r}"
        )
    if any(isinstance(x, int) and x < 0 for pair in pairs for x in pair):
        raise ShapeError(f"there is no negative padding, got {padding!r}", attempt="x[1:-1]")
    return tuple((pair[0], pair[1]) for pair in pairs)


def same(size: Size, length: Size, stride: int) -> Size:
    """Give how much padding makes ceil(size / stride) places.

    Examples
    --------
    >>> same(6, 3, 2), same(5, 3, 2), same(5, 1, 2), same(Dim("N"), 3, 1)
    (1, 2, 0, 2)
    >>> same(Dim("N"), 2, 2)
    -N + 2*((N - 1)//2) + 2

    Raises
    ------
    OpenSize
        The size is open, and the window shorter than a stride: then it may take no padding.
    """
    if stride == 1:
        return length - 1
    total = (size - 1) // stride * stride + length - size
    if isinstance(total, int):
        return max(total, 0)
    if isinstance(length, int) and length >= stride:
        return total
    raise OpenSize(
        f'how much padding is the "same" is not known for an axis of {size}, windows of {length} '
        f"and a stride of {stride}",
        total.symbols,
        attempt="padding in numbers, or a fixed size for this axis",
    )


def place_count(
    size: Size, length: Size, stride: int, pads: tuple[Size, Size], *, round_up: bool = False
) -> Size:
    """Count the places of a window along one axis.

    Parameters
    ----------
    size, length, stride, pads
        Of the axis, of the window, from place to place, and before and after the axis.
    round_up
        Whether a last window may reach beyond the padding, if it begins before that.

    Examples
    --------
    >>> place_count(28, 3, 2, (1, 1))
    14
    >>> place_count(5, 2, 2, (0, 0)), place_count(5, 2, 2, (0, 0), round_up=True)
    (2, 3)
    >>> place_count(1, 2, 2, (0, 0), round_up=True)
    1

    Raises
    ------
    ShapeError
        The window is larger than the padded axis, by a stride or more if it may reach beyond.
    """
    room = size + pads[0] + pads[1] - length
    known = value_of(room)
    if known is not None and known < (1 - stride if round_up else 0):
        raise ShapeError(
            f"a window of {length} does not fit an axis of {size} with padding {pads[0]} before "
            f"and {pads[1]} after",
            attempt="a smaller kernel, or more padding",
        )
    if stride == 1 or not round_up:
        return room // stride + 1
    behind = pads[1] - length + stride  # so far behind the axis the last window might begin
    if isinstance(behind, Dim):
        raise OpenSize(
            f"where a window of {length} hangs over, with padding {pads[1]}, is not known",
            behind.symbols,
            attempt="padding and a window of fixed sizes",
        )
    return (size + pads[0] - 1 + min(behind, 0)) // stride + 1


def windows(
    sizes: Sequence[Size],
    kernel: Sequence[Size],
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    *,
    round_up: bool = False,
) -> Windows:
    """Work out where windows stand on axes of these sizes.

    Examples
    --------
    >>> windows((5, 6), (3, 2), stride=2, padding=(1, 0)).places
    (3, 3)

    Raises
    ------
    ShapeError
        A setting is wrong, or a window does not fit.
    """
    axes = len(sizes)
    steps = each_axis("stride", stride, axes, 1)
    apart = each_axis("dilation", dilation, axes, 1)
    known_sizes("a window", kernel, axes)
    spans = [span(k, d) for k, d in zip(kernel, apart, strict=True)]
    pads = pads_of(padding, sizes, spans, steps)
    hangs = round_up and padding != "same"  # which leaves nothing over
    places = tuple(
        place_count(*axis, round_up=hangs) for axis in zip(sizes, spans, steps, pads, strict=True)
    )
    return Windows(tuple(kernel), steps, apart, pads, places)


def groups_of(groups: Any) -> int:
    """Check a number of groups; OperandError where it is none."""
    return as_whole("groups", groups, least=1)


def padded(x: np.ndarray, pads: Any, fill: Any = 0) -> np.ndarray:
    """Put a number before and after the last axes of an array; the array itself without pads."""
    if not any(map(any, pads)):
        return x
    lead = x.ndim - len(pads)
    wide = [size + low + high for size, (low, high) in zip(x.shape[lead:], pads, strict=True)]
    result = np.full((*x.shape[:lead], *wide), fill, x.dtype)
    result[inner(x.shape[lead:], pads)] = x
    return result


def inner(sizes: Sequence[int], pads: Any) -> tuple[Any, ...]:
    """Give the part of padded last axes that holds the unpadded ones."""
    return (..., *(slice(low, low + size) for size, (low, _) in zip(sizes, pads, strict=True)))


def under(x: np.ndarray, w: Windows) -> np.ndarray:
    """View padded axes as (..., *kernel, *places): what lies under the windows at each place.

    Examples
    --------
    >>> under(np.arange(5), windows((5,), (2,), stride=3))
    array([[0, 3],
           [1, 4]])
    """
    axes = len(w.kernel)
    lead, last = x.strides[: x.ndim - axes], x.strides[x.ndim - axes :]
    taps = [step * d for step, d in zip(last, w.dilation, strict=True)]
    moves = [step * s for step, s in zip(last, w.stride, strict=True)]
    shape = (*x.shape[: x.ndim - axes], *w.kernel, *w.places)
    return as_strided(x, shape, (*lead, *taps, *moves), writeable=False)


def tap(w: Windows, at: Sequence[int]) -> tuple[Any, ...]:
    """Give the part of padded last axes that lies under one element of the window, for all places.

    Examples
    --------
    >>> np.arange(5)[tap(windows((5,), (2,), stride=3), (1,))]
    array([1, 4])
    """
    each = zip(at, w.dilation, w.places, w.stride, strict=True)
    return (..., *(slice(t * d, t * d + (int(p) - 1) * s + 1, s) for t, d, p, s in each))


def parts(items: int, bytes_each: int, room: int = 1 << 21) -> list[slice]:
    """Cut a batch into parts whose columns fill about `room` bytes.

    Examples
    --------
    >>> parts(5, 10, room=20)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(room // max(bytes_each, 1), 1)
    return [slice(low, min(low + step, items)) for low in range(0, items, step)]


def volume(sizes: Sequence[Any]) -> int:
    """Multiply known sizes."""
    return math.prod(int(size) for size in sizes)
