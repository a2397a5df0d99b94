"""Axes put in and taken out, turned round and moved: the elements stay as they are.

    (2, 1, 3) ─ squeeze ─> (2, 3) ─ unsqueeze ─> (2, 3, 1)     a b c ─ flip ─> c b a ─ roll ─> a c b

Each undoes another or itself, so each is the gradient of the one that undoes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import no_flops
from cgkit.operators.movement import reshape, transpose
from cgkit.operators.operands import as_operand
from cgkit.operators.samples import with_params
from cgkit.operators.settings import is_whole, normal_axes, normal_axis
from cgkit.types import Shape, Size, TensorType, count, meet, show_shape

Axis = int | tuple[int, ...] | None


def _squeezed(shape: Shape, axis: Axis) -> tuple[int, ...]:
    """Give the axes to take out; each must have size 1."""
    if axis is not None:
        axes = normal_axes(axis, len(shape))
        for at in axes:
            _check_one(shape, at)
        return axes
    if not all(isinstance(size, int) for size in shape):
        raise ShapeError(
            f"squeeze of {show_shape(shape)}: which sizes are 1 is not known before the graph runs",
            attempt="squeeze(x, axis=...)",
        )
    return tuple(at for at, size in enumerate(shape) if size == 1)


def _check_one(shape: Shape, at: int) -> None:
    try:
        meet(shape[at], 1)
    except ShapeError as error:
        raise ShapeError(
            f"squeeze cannot take axis {at} out of {show_shape(shape)}: its size is not 1",
            why=error.what if not isinstance(shape[at], int) else "",
            attempt="squeeze(x), which takes out the axes of size 1",
        ) from None


def _infer_squeeze(a: TensorType, axis: Axis = None) -> TensorType:
    out = _squeezed(a.shape, axis)
    return TensorType((size for at, size in enumerate(a.shape) if at not in out), a.dtype)


def _squeeze(a: Any, axis: Axis = None) -> np.ndarray:
    array = np.asarray(a)
    shape = _infer_squeeze(TensorType(array.shape, array.dtype), axis).shape
    return array.reshape([int(size) for size in shape])


squeeze: Operator = Operator(
    "squeeze", _squeeze, _infer_squeeze, operands=1, kind=Kind.MOVEMENT, family="shape",
    flops=no_flops, doc="a without axes of size 1, without all of them by default",
    gradient=(lambda g, y, a, axis=None: reshape(g, shape=a.shape),),
    samples=with_params(
        ((2, 1, 3), {"axis": 1}), ((2, 1, 1), {}), ((1, 2, 1), {"axis": (0, -1)}), ((), {}),
        ((1, 0), {"axis": 0}), ((2, 3), {"axis": ()}),
    ),
)  # fmt: skip


def _infer_unsqueeze(a: TensorType, axis: int | tuple[int, ...]) -> TensorType:
    many = len(axis) if isinstance(axis, tuple) else 1
    new = normal_axes(axis, a.ndim + many)
    rest = iter(a.shape)
    return TensorType((1 if at in new else next(rest) for at in range(a.ndim + many)), a.dtype)


def _unsqueeze(a: Any, axis: int | tuple[int, ...]) -> np.ndarray:
    array = np.asarray(a)
    shape = _infer_unsqueeze(TensorType(array.shape, array.dtype), axis).shape
    return array.reshape([int(size) for size in shape])


unsqueeze: Operator = Operator(
    "unsqueeze", _unsqueeze, _infer_unsqueeze, operands=1, kind=Kind.MOVEMENT, family="shape",
    flops=no_flops, doc="a with new axes of size 1, at places counted in the result",
    gradient=(lambda g, y, a, axis: reshape(g, shape=a.shape),),
    samples=with_params(
        ((2, 3), {"axis": 0}), ((2, 3), {"axis": (1, -1)}), ((), {"axis": -1}), ((0,), {"axis": 1}),
        ((2,), {"axis": ()}),
    ),
)  # fmt: skip


def _infer_flip(a: TensorType, axis: Axis = None) -> TensorType:
    normal_axes(axis, a.ndim)
    return a


def _flip(a: Any, axis: Axis = None) -> np.ndarray:
    array = np.asarray(a)
    # a copy, so that x.add_(x.flip(0)) is no write to a tensor with views
    return np.flip(array, normal_axes(axis, array.ndim)).copy()


flip: Operator = Operator(
    "flip", _flip, _infer_flip, operands=1, kind=Kind.MOVEMENT, family="shape", flops=no_flops,
    doc="a with the order of its elements reversed along axes, along all by default",
    gradient=(lambda g, y, a, axis=None: flip(g, axis=axis),),
    samples=with_params(
        ((2, 3), {}), ((2, 3), {"axis": 0}), ((2, 3, 2), {"axis": (0, -1)}), ((), {}),
        ((0, 3), {"axis": 1}), ((1, 2), {"axis": ()}),
    ),
)  # fmt: skip


def _shifts(ndim: int, shift: int | tuple[int, ...], axis: int | tuple[int, ...]) -> dict[int, int]:
    """Give how far to go along each axis; an axis that stands twice goes both ways."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    each = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if len(each) != len(axes):
        raise ShapeError(f"roll needs a shift for each axis: shift {shift}, axis {axis}")
    found: dict[int, int] = {}
    for at, far in zip(axes, each, strict=True):
        place = normal_axis(at, ndim)
        found[place] = found.get(place, 0) + _whole(far)
    return found


def _whole(shift: Any) -> int:
    if not is_whole(shift):
        raise ShapeError(f"roll goes on by whole numbers, not {shift!r:.60}")
    return int(shift)


def _infer_roll(a: TensorType, shift: Any, axis: Axis = None) -> TensorType:
    _shifts(a.ndim if axis is not None else 1, shift, 0 if axis is None else axis)
    return a


def _roll(a: Any, shift: Any, axis: Axis = None) -> np.ndarray:
    array = np.asarray(a)
    flat = axis is None
    shifts = _shifts(1 if flat else array.ndim, shift, 0 if axis is None else axis)
    line = array.reshape(-1) if flat else array
    if not shifts:
        return array.copy()
    return np.roll(line, tuple(shifts.values()), tuple(shifts)).reshape(array.shape)


def _roll_back(g: Any, y: Any, a: Any, shift: Any, axis: Axis = None) -> Any:
    back = tuple(-far for far in shift) if isinstance(shift, tuple) else -shift
    return roll(g, shift=back, axis=axis)


roll: Operator = Operator(
    "roll", _roll, _infer_roll, operands=1, kind=Kind.OPAQUE, family="shape", flops=no_flops,
    doc="a with its elements moved on along axes; what leaves at the end comes in at the beginning",
    gradient=(_roll_back,),
    samples=with_params(
        ((2, 3), {"shift": 1}), ((2, 3), {"shift": -4, "axis": 1}),
        ((2, 3), {"shift": (1, 2), "axis": (0, -1)}), ((3,), {"shift": (1, 1), "axis": (0, 0)}),
        ((), {"shift": 2}), ((0, 3), {"shift": 1, "axis": 0}), ((2,), {"shift": (), "axis": ()}),
    ),
)  # fmt: skip


def moveaxis(a: Any, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Any:
    """Move axes to other places; the rest stay in order.

    Examples
    --------
    >>> moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)

    Raises
    ------
    ShapeError
        There are not as many places as axes, or one does not exist.
    """
    a = as_operand(a)
    ndim = len(a.shape)
    sources, places = normal_axes(source, ndim), normal_axes(destination, ndim)
    if len(sources) != len(places):
        raise ShapeError(f"moveaxis needs a place for each axis: {source} to {destination}")
    order = [at for at in range(ndim) if at not in sources]
    for place, at in sorted(zip(places, sources, strict=True)):
        order.insert(place, at)
    return transpose(a, axes=tuple(order))


def swapaxes(a: Any, first: int, second: int) -> Any:
    """Let two axes change places.

    Examples
    --------
    >>> swapaxes(np.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    a = as_operand(a)
    ndim = len(a.shape)
    i, j = normal_axis(first, ndim), normal_axis(second, ndim)
    order = list(range(ndim))
    order[i], order[j] = j, i
    return transpose(a, axes=tuple(order))


def flatten(a: Any, start: int = 0, end: int = -1) -> Any:
    """Lay the axes from `start` to `end` end to end; all of them by default.

    Examples
    --------
    >>> flatten(np.zeros((2, 3, 4)), 1).shape, flatten(np.zeros(())).shape
    ((2, 12), (1,))

    Raises
    ------
    ShapeError
        `start` stands behind `end`, or an axis does not exist.
    """
    a = as_operand(a)
    shape = tuple(a.shape)
    if not shape:
        normal_axis(start, 1)
        return reshape(a, shape=(1,))
    i, j = normal_axis(start, len(shape)), normal_axis(end, len(shape))
    if i > j:
        raise ShapeError(f"flatten cannot begin at axis {i} and end before it, at axis {j}")
    size: Size = count(shape[i : j + 1])
    return reshape(a, shape=(*shape[:i], size, *shape[j + 1 :]))


COMPOSED = (moveaxis, swapaxes, flatten)
