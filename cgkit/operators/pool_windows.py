"""Windows of pooling: settings they share, where they stand, and folding what lies under them.

    kernel (3, 3)     x x x                 x
                      x x x   ─ rows ─>     x   ─ columns ─>  x        3 + 3 steps, not 9
                      x x x                 x

A window is a box along the last axes, so it is folded axis by axis. Each sees at least one element
that is no padding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.operators.windows import Padding, Pads, Setting, Windows, windows
from cgkit.types import Shape, Size, TensorType, count, show_shape

Kernel = int | tuple[Size, ...]
Fold = Callable[..., Any]


class Pooling(NamedTuple):
    """Settings that all pooling operators share."""

    kernel: Kernel
    stride: Setting | None = None
    """From place to place; the kernel itself by default."""
    padding: Padding = 0
    dilation: Setting = 1
    ceil_mode: bool = False
    """Whether a last window may hang over the end."""


def axes_of(kernel: Kernel, ndim: int) -> int:
    """Count the axes along which a window slides: one for each size, or all after the first two."""
    return len(kernel) if isinstance(kernel, tuple | list) else ndim - 2


def pool_windows(name: str, sizes: Shape, settings: Pooling) -> Windows:
    """Work out where the windows of a pooling stand, each over at least one element.

    Raises
    ------
    ShapeError
        A setting is wrong, a window does not fit, or would see nothing but padding.
    """
    kernel = settings.kernel
    each = tuple(kernel) if isinstance(kernel, tuple | list) else (kernel,) * len(sizes)
    stride = each if settings.stride is None else settings.stride
    place = windows(
        sizes, each, stride, settings.padding, settings.dilation, round_up=settings.ceil_mode
    )
    for size, length, pads in zip(sizes, place.spans, place.pads, strict=True):
        if any(isinstance(x, int) and isinstance(length, int) and 2 * x > length for x in pads):
            raise ShapeError(
                f"{name} pads at most half a window of {length}, not {pads}",
                attempt="pad(x, ...) before it, if that is meant",
            )
        if isinstance(size, int) and size < 1:
            raise ShapeError(f"{name} needs at least one element along an axis, got {sizes}")
    if any(d > 1 for d in place.dilation) and not all(map(_sees, sizes, *place)):
        raise ShapeError(
            f"{name} would have a window over nothing but padding",
            why=f"axes {show_shape(sizes)}, kernel {show_shape(each)}, dilation {place.dilation}",
            attempt="less padding or a smaller dilation",
        )
    return place


def _sees(size: Size, k: Size, s: int, d: int, pads: tuple[Size, Size], places: Size) -> bool:
    if not isinstance(size, int) or not isinstance(k, int) or not isinstance(places, int):
        return True
    low = int(pads[0])
    if (places - 1) * s - low >= size or -(-low // d) >= k:  # the last window, and the first
        return False
    if d <= size:  # of all places that are d apart one is an element
        return True
    before = np.arange(min(places, -(-low // s))) * s - low  # windows that begin in the padding
    return bool((before % d < size).all())


def infer_pool(
    name: str, x: TensorType, settings: Pooling, kinds: str = "fiu"
) -> tuple[Shape, Windows]:
    """Give the shape of a pooling, and where its windows stand.

    Raises
    ------
    ShapeError, DtypeError
        The window has more axes than x, or does not fit; x is of no such dtype.
    """
    if x.dtype.kind not in kinds:
        raise DtypeError(f"{name} cannot take {x.dtype}", attempt="a cast to a number first")
    axes = axes_of(settings.kernel, x.ndim)
    if not 1 <= axes <= x.ndim:
        raise ShapeError(
            f"{name} cannot slide a window {settings.kernel} over {show_shape(x.shape)}",
            why="a number as kernel stands for all axes after batch and channels",
            attempt="a kernel of one size for each of the last axes, such as (2, 2)",
        )
    place = pool_windows(name, x.shape[x.ndim - axes :], settings)
    return (*x.shape[: x.ndim - axes], *place.places), place


def reach(sizes: Shape, place: Windows) -> Pads:
    """Give the padding with what the last windows hang over; of an open axis up to their end."""
    axes = zip(sizes, place.places, place.stride, place.spans, place.pads, strict=True)
    ends = [(n - 1) * s + length - size - low for size, n, s, length, (low, _) in axes]
    return tuple(
        (low, max(high, end) if isinstance(high, int) and isinstance(end, int) else end)
        for (low, high), end in zip(place.pads, ends, strict=True)
    )


def line(x: np.ndarray, axis: int, tap: int, place: Windows) -> np.ndarray:
    """View what lies under one element of all windows along one of the last axes."""
    i = axis - x.ndim
    start = tap * place.dilation[i]
    part = slice(start, start + (int(place.places[i]) - 1) * place.stride[i] + 1, place.stride[i])
    return x[(*(slice(None),) * axis, part)]


def folded_windows(x: np.ndarray, place: Windows, fold: Fold) -> np.ndarray:
    """Fold what lies under each window of padded axes, axis by axis from the last.

    Examples
    --------
    >>> folded_windows(np.array([1, 4, 2, 0]), windows((4,), (2,)), np.maximum)
    array([4, 4, 2])
    """
    for axis in reversed(range(x.ndim - len(place.kernel), x.ndim)):
        result = np.array(line(x, axis, 0, place))
        for tap in range(1, int(place.kernel[axis - x.ndim])):
            fold(result, line(x, axis, tap, place), out=result)
        x = result
    return x


def spread_windows(x: np.ndarray, place: Windows, wide: list[int]) -> np.ndarray:
    """Add each element to all that its window sees: the transpose of folding by addition."""
    axes = len(wide)
    for axis in range(x.ndim - axes, x.ndim):
        shape = (*x.shape[:axis], wide[axis - x.ndim], *x.shape[axis + 1 :])
        result = np.zeros(shape, x.dtype)
        for tap in range(int(place.kernel[axis - x.ndim])):
            line(result, axis, tap, place)[...] += x
        x = result
    return x


def last_sizes(x: Any, kernel: Kernel) -> Shape:
    """Give the sizes of the axes along which a window slides."""
    return tuple(x.shape[len(x.shape) - axes_of(kernel, len(x.shape)) :])


def seen(x: Any, kernel: Kernel) -> Size:
    """Count the elements under a window."""
    return count(kernel) if isinstance(kernel, tuple) else kernel ** axes_of(kernel, x.ndim)
