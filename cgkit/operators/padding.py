"""Padding: numbers put around a tensor, or cut off where a width is negative.

    a b c ─ pad(2, 1) ─>  constant  0 0 a b c 0       edge  a a a b c c
                          reflect   c b a b c b       wrap  b c a b c a

Except for a constant, each new element is a copy of an old one; going backward, `fold` adds the
copies' gradients to the element they were copied from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import no_flops
from cgkit.operators.samples import with_params
from cgkit.operators.settings import as_shape
from cgkit.types import Shape, Size, TensorType, meet_shapes, show_shape, value_of

Widths = tuple[tuple[Size, Size], ...]
MODES = ("constant", "edge", "reflect", "wrap")


def normal_widths(ndim: int, pads: Any) -> Widths:
    """Give a pair (before, after) for each axis.

    Parameters
    ----------
    ndim
        The number of axes.
    pads
        Pairs; or one pair, or one number, for all axes.

    Raises
    ------
    ShapeError
        There are not as many pairs as axes, or a width is no whole number.

    Examples
    --------
    >>> normal_widths(2, 1), normal_widths(2, ((0, 1), (2, -1)))
    (((1, 1), (1, 1)), ((0, 1), (2, -1)))
    """
    if not isinstance(pads, tuple | list):
        pads = (pads, pads)
    if len(pads) == 2 and not any(isinstance(width, tuple | list) for width in pads):
        pads = (tuple(pads),) * ndim
    found = tuple(tuple(pair) if isinstance(pair, tuple | list) else (pair,) for pair in pads)
    if len(found) != ndim or any(len(pair) != 2 for pair in found):
        raise ShapeError(
            f"pads {pads} do not fit a tensor of {ndim} axes",
            attempt="a pair (before, after) for each axis",
        )
    for pair in found:
        for width in pair:
            if isinstance(width, float | str | bool | None):
                raise ShapeError(f"a width of padding is a whole number, not {width!r}")
    return found


def _padded_size(shape: Shape, at: int, pair: tuple[Size, Size], mode: str) -> Size:
    size, (before, after) = shape[at], pair
    result = size + before + after
    known = value_of(result)
    if known is not None and known < 0:
        raise ShapeError(
            f"padding by {pair} cuts off more than axis {at} of {show_shape(shape)} has"
        )
    if mode != "constant" and value_of(size) == 0 and known:
        raise ShapeError(f"pad has nothing to copy on axis {at} of {show_shape(shape)} ({mode})")
    return result


def _check_mode(mode: str) -> None:
    if mode not in MODES:
        raise ShapeError(f"there is no mode {mode!r} of padding", attempt=" or ".join(MODES))


def _infer_pad(a: TensorType, pads: Any, mode: str = "constant", value: float = 0.0) -> TensorType:
    _check_mode(mode)
    widths = normal_widths(a.ndim, pads)
    return TensorType(
        (_padded_size(a.shape, at, pair, mode) for at, pair in enumerate(widths)), a.dtype
    )


def _pad(a: Any, pads: Any, mode: str = "constant", value: float = 0.0) -> np.ndarray:
    array = np.asarray(a)
    shape = _infer_pad(TensorType(array.shape, array.dtype), pads, mode).shape
    widths = normal_widths(array.ndim, pads)
    if mode != "constant":
        part: np.ndarray = array[_sources(array.shape, widths, mode)]
        return part
    result = np.full([int(size) for size in shape], value, array.dtype)
    inside, outside = [], []
    for size, (before, after) in zip(array.shape, widths, strict=True):
        inside.append(slice(max(-int(before), 0), max(size - max(-int(after), 0), 0)))
        outside.append(slice(max(int(before), 0), max(size + int(before) - max(-int(after), 0), 0)))
    result[tuple(outside)] = array[tuple(inside)]
    return result


def _sources(shape: tuple[int, ...], widths: Widths, mode: str) -> tuple[np.ndarray, ...]:
    """Give for each axis the places from which the elements of the result are copied."""
    return np.ix_(
        *(
            _sources_of(size, np.arange(-int(before), size + int(after)), mode)
            for size, (before, after) in zip(shape, widths, strict=True)
        )
    )


def _sources_of(size: int, places: np.ndarray, mode: str) -> np.ndarray:
    last = max(size - 1, 0)
    if mode == "edge":
        found = np.clip(places, 0, last)
    elif mode == "wrap":
        found = places % max(size, 1)
    else:  # there and back without repeating the ends
        found = last - np.abs(last - places % max(2 * last, 1))
    return np.asarray(found)


def _pad_back(g: Any, y: Any, a: Any, pads: Any, mode: str = "constant", value: float = 0.0) -> Any:
    widths = normal_widths(a.ndim, pads)
    if mode == "constant":
        return pad(g, pads=tuple((-before, -after) for before, after in widths))
    return fold(g, shape=a.shape, pads=widths, mode=mode)


class Padding(Operator):
    """An operator whose pads may be lists in a list, which no graph could keep."""

    __slots__ = ()

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """Apply the operator."""
        pads = params.get("pads")
        if isinstance(pads, list | tuple):
            params["pads"] = tuple(tuple(x) if isinstance(x, list) else x for x in pads)
        return super().__call__(*inputs, **params)


pad: Operator = Padding(
    "pad", _pad, _infer_pad, operands=1, kind=Kind.OPAQUE, family="shape", flops=no_flops,
    doc="a with numbers around it: a constant, or copies by mode; negative widths cut off",
    gradient=(_pad_back,),
    samples=with_params(
        ((2, 3), {"pads": ((1, 0), (2, 1))}),
        ((2, 3), {"pads": 1, "value": 2.0}),
        ((4, 3), {"pads": ((-1, 2), (1, -2))}),
        ((2, 3), {"pads": ((1, 3), (0, 4)), "mode": "edge"}),
        ((3, 4), {"pads": ((2, 1), (5, 7)), "mode": "reflect"}),
        ((2, 3), {"pads": ((2, 3), (-1, 4)), "mode": "wrap"}),
        ((1, 3), {"pads": ((1, 1), (-1, -1)), "mode": "reflect"}),
        ((0, 2), {"pads": ((1, 1), (0, 0))}), ((), {"pads": ()}), ((3,), {"pads": ((-2, -1),)}),
        ((0, 2), {"pads": ((0, 0), (1, 1)), "mode": "edge"}),
    ),
)  # fmt: skip


def _infer_fold(g: TensorType, shape: Shape, pads: Any, mode: str) -> TensorType:
    result = TensorType(as_shape(shape), g.dtype)
    expected = _infer_pad(result, pads, mode).shape
    meet_shapes(g.shape, expected, f"what padding {show_shape(shape)} gives")
    return result


def _fold(g: Any, shape: tuple[int, ...], pads: Any, mode: str) -> np.ndarray:
    array = np.asarray(g)
    known = _infer_fold(TensorType(array.shape, array.dtype), shape, pads, mode)
    result = np.zeros([int(size) for size in known.shape], array.dtype)
    if result.ndim:
        widths = normal_widths(result.ndim, pads)
        np.add.at(result, _sources(result.shape, widths, mode), array)
    else:
        result[...] = array
    return result


fold: Operator = Operator(
    "fold", _fold, _infer_fold, operands=1, kind=Kind.OPAQUE, family="shape",
    flops=lambda result, g, **params: g.size,
    doc="a tensor like pad's result, each copy added to where it was copied from: pad's gradient",
    gradient=(lambda g, y, a, shape, pads, mode: pad(g, pads=pads, mode=mode),),
    samples=with_params(
        ((4, 5), {"shape": (2, 3), "pads": ((1, 1), (2, 0)), "mode": "edge"}),
        ((6, 3), {"shape": (3, 4), "pads": ((2, 1), (-1, 0)), "mode": "reflect"}),
        ((5,), {"shape": (2,), "pads": ((1, 2),), "mode": "wrap"}),
        ((0, 4), {"shape": (0, 2), "pads": ((0, 0), (1, 1)), "mode": "edge"}),
        ((), {"shape": (), "pads": (), "mode": "edge"}),
    ),
)  # fmt: skip
