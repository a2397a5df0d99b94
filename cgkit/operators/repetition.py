"""Repetition: a tensor laid side by side with itself, or each element several times.

    a b ─ tile(2) ─> a b a b      a b ─ repeat(2) ─> a a b b      a b ─ repeat((3, 0)) ─> a a a

Going backward the copies of an element are laid along an axis of their own and summed; where there
are not as many of each, they are added at the place they came from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import no_flops
from cgkit.operators.indexing import scatter
from cgkit.operators.indices import ARRAY, Span
from cgkit.operators.movement import reshape, sum_to
from cgkit.operators.samples import with_params
from cgkit.operators.settings import as_shape, is_whole, normal_axes, normal_axis
from cgkit.types import Shape, Size, TensorType, meet


def _aligned(shape: Shape, repeats: Any) -> tuple[Shape, Shape]:
    """Give shape and repeats of equal length: the shorter has 1 in front."""
    times = as_shape(repeats)
    rank = max(len(shape), len(times))
    return (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(times)) + times


def _infer_tile(a: TensorType, repeats: Any) -> TensorType:
    sizes, times = _aligned(a.shape, repeats)
    return TensorType((size * n for size, n in zip(sizes, times, strict=True)), a.dtype)


def _tile(a: Any, repeats: Any) -> np.ndarray:
    return np.tile(a, [int(n) for n in as_shape(repeats)])


def _tile_back(g: Any, y: Any, a: Any, repeats: Any) -> Any:
    sizes, times = _aligned(a.shape, repeats)
    pairs = list(zip(times, sizes, strict=True))
    apart = reshape(g, shape=tuple(n for pair in pairs for n in pair))
    return reshape(sum_to(apart, shape=tuple(n for _, s in pairs for n in (1, s))), shape=a.shape)


tile: Operator = Operator(
    "tile", _tile, _infer_tile, operands=1,
    kind=Kind.OPAQUE, family="shape", flops=no_flops, gradient=(_tile_back,),
    doc="a repeated as a whole along each axis; repeats count from the last axis",
    samples=with_params(
        ((2, 3), {"repeats": (2, 1)}), ((3,), {"repeats": 2}), ((2,), {"repeats": (3, 2)}),
        ((2, 3), {"repeats": (2,)}), ((), {"repeats": (2,)}), ((0, 2), {"repeats": (2, 2)}),
        ((2,), {"repeats": (0,)}), ((1,), {"repeats": ()}),
    ),
)  # fmt: skip


Repeats = int | tuple[int, ...]
"""How often each element stands: one number for all, or one for each place along the axis."""


def _times(repeats: Any) -> Repeats:
    each = repeats if isinstance(repeats, tuple) else (repeats,)
    if not all(is_whole(many) and many >= 0 for many in each):
        raise ShapeError(
            f"repeat takes a whole number, or one for each place, not {repeats!r:.60}",
            attempt="repeats=2, or repeats=(2, 0, 1)",
        )
    return tuple(map(int, each)) if isinstance(repeats, tuple) else int(repeats)


def _repeated(size: Size, repeats: Any) -> Size:
    """Give how long an axis is once its elements are repeated."""
    times = _times(repeats)
    if isinstance(times, int):
        return size * times
    try:
        meet(size, len(times))
    except ShapeError:
        raise ShapeError(
            f"repeat has {len(times)} numbers for {size} places", attempt="one number for all"
        ) from None
    return sum(times)


def _infer_repeat(a: TensorType, repeats: Repeats, axis: int | None = None) -> TensorType:
    if axis is None:
        return TensorType((_repeated(a.size, repeats),), a.dtype)
    at = normal_axis(axis, a.ndim)
    sizes = (_repeated(size, repeats) if i == at else size for i, size in enumerate(a.shape))
    return TensorType(sizes, a.dtype)


def _repeat(a: Any, repeats: Repeats, axis: int | None = None) -> np.ndarray:
    array = np.asarray(a)
    at = None if axis is None else normal_axis(axis, array.ndim)
    _repeated(array.size if at is None else array.shape[at], repeats)
    return np.repeat(array, _times(repeats), at)


def _repeat_back(g: Any, y: Any, a: Any, repeats: Repeats, axis: int | None = None) -> Any:
    if axis is None:
        shape, at = (TensorType(a.shape, a.dtype).size,), 0
    else:
        shape, (at,) = a.shape, normal_axes(axis, a.ndim)
    times = _times(repeats)
    if isinstance(times, tuple):
        places = np.repeat(np.arange(len(times)), times)
        back = scatter(g, places, shape=shape, index=((Span(),) * at + (ARRAY,)))
        return reshape(back, shape=a.shape)
    front, rest = shape[: at + 1], shape[at + 1 :]
    apart = reshape(g, shape=(*front, times, *rest))
    return reshape(sum_to(apart, shape=(*front, 1, *rest)), shape=a.shape)


repeat: Operator = Operator(
    "repeat", _repeat, _infer_repeat, operands=1, kind=Kind.OPAQUE, family="shape", flops=no_flops,
    doc="each element several times in a row along an axis, as often as it says of all or of each "
    "place; of all elements, laid flat, by default",
    gradient=(_repeat_back,),
    samples=with_params(
        ((2, 3), {"repeats": 2}), ((2, 3), {"repeats": 3, "axis": 0}), ((), {"repeats": 2}),
        ((2, 3), {"repeats": 2, "axis": -1}), ((2,), {"repeats": 0, "axis": 0}),
        ((0, 2), {"repeats": 2, "axis": 1}), ((1, 2), {"repeats": 1, "axis": 0}),
        ((2, 2), {"repeats": (3, 0, 1, 2)}), ((2, 3), {"repeats": (0, 2, 1), "axis": 1}),
        ((2, 0), {"repeats": (), "axis": -1}),
    ),
)  # fmt: skip
