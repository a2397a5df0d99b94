"""Movement and broadcasting: elements change places or are repeated; none is computed.

    (2, 3) ─ reshape ─> (6,)      (2, 3) ─ transpose ─> (3, 2)      (3,) ─ broadcast_to ─> (2, 3)

`sum_to` is the way back of `broadcast_to`, and with it of every operator that broadcasts: what was
repeated is summed. Each of the two is the gradient of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cgkit.errors import OperandError, ShapeError
from cgkit.node import Edge, Kind, Operator
from cgkit.operators.elementwise import cast, no_flops
from cgkit.operators.indexing import slice_
from cgkit.operators.indices import Span
from cgkit.operators.samples import with_params
from cgkit.operators.settings import as_shape, normal_axes, normal_axis
from cgkit.types import (
    Shape,
    Size,
    TensorType,
    count,
    meet,
    show_shape,
    show_size,
    value_of,
)


def _infer_reshape(a: TensorType, shape: Shape) -> TensorType:
    return TensorType(resolve_shape(a.shape, as_shape(shape, -1)), a.dtype)


def _reshape(a: Any, shape: Any) -> Any:
    return np.reshape(a, as_shape(shape, -1))


def resolve_shape(old: Shape, new: Shape) -> Shape:
    """Put a size in the place of a -1, and check that the number of elements stays.

    Examples
    --------
    >>> resolve_shape((2, 3), (-1,))
    (6,)

    Raises
    ------
    ShapeError
        There are two -1, or the numbers of elements differ.
    """
    total = count(old)
    open_axes = [i for i, size in enumerate(new) if isinstance(size, int) and size == -1]
    rest = count(size for i, size in enumerate(new) if i not in open_axes)
    refusal = ShapeError(
        f"cannot reshape {show_shape(old)} to {show_shape(new)}",
        why=f"that is {show_size(total)} elements, this {show_size(rest)}"
        + (" times an unknown" * len(open_axes[:1])),
    )
    if len(open_axes) > 1:
        raise ShapeError(f"the shape {show_shape(new)} leaves {len(open_axes)} sizes open, not one")
    if open_axes:
        if isinstance(rest, int) and (rest == 0 or (value_of(total) or 0) % rest):
            raise refusal
        size: Size = total // rest
        return tuple(size if i in open_axes else old_size for i, old_size in enumerate(new))
    try:
        meet(total, rest)
    except ShapeError:
        raise refusal from None
    return new


reshape: Operator = Operator(
    "reshape", _reshape, _infer_reshape, operands=1, kind=Kind.MOVEMENT, family="shape",
    flops=no_flops, doc="the elements of a, in order, in another shape",
    gradient=(lambda g, y, a, shape: reshape(g, shape=a.shape),),
    samples=with_params(
        ((2, 3), {"shape": (3, 2)}), ((2, 3), {"shape": (-1,)}), ((), {"shape": (1, 1)}),
        ((0, 3), {"shape": (3, 0)}), ((1,), {"shape": ()}),
    ),
)  # fmt: skip


def _infer_transpose(a: TensorType, axes: Sequence[int] | None = None) -> TensorType:
    order = tuple(reversed(range(a.ndim))) if axes is None else normal_axes(axes, a.ndim)
    if len(order) != a.ndim:
        raise ShapeError(f"transpose of {show_shape(a.shape)} needs {a.ndim} axes, got {order}")
    return TensorType((a.shape[axis] for axis in order), a.dtype)


def _transpose_back(g: Any, y: Any, a: Any, axes: Sequence[int] | None = None) -> Any:
    if axes is None:
        return transpose(g)
    order = normal_axes(axes, len(axes))
    return transpose(g, axes=tuple(order.index(axis) for axis in range(len(order))))


transpose: Operator = Operator(
    "transpose", lambda a, axes=None: np.transpose(a, axes), _infer_transpose, operands=1,
    kind=Kind.MOVEMENT, family="shape", flops=no_flops,
    doc="a with its axes in another order, reversed by default",
    gradient=(_transpose_back,),
    samples=with_params(
        ((2, 3), {}), ((2, 3, 4), {"axes": (1, 2, 0)}), ((2, 3, 4), {"axes": (-1, 0, 1)}),
        ((), {}), ((0, 3), {}),
    ),
)  # fmt: skip


def swap_last(x: Any) -> Any:
    """Transpose the last two axes, as matrices in a batch are transposed."""
    n = x.ndim
    return transpose(x, axes=(*range(n - 2), n - 1, n - 2))


def _broadcast_to(a: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = np.asarray(a)
    result = np.empty(shape, array.dtype)
    if result.ndim < array.ndim:
        raise ShapeError(f"cannot broadcast {array.shape} to {result.shape}")
    result[...] = array
    return result


def _infer_broadcast_to(a: TensorType, shape: Shape) -> TensorType:
    new = as_shape(shape)
    if len(new) < a.ndim:
        raise ShapeError(f"cannot broadcast {show_shape(a.shape)} to {show_shape(new)}")
    try:
        for old, size in zip(a.shape, new[len(new) - a.ndim :], strict=True):
            if not (isinstance(old, int) and old == 1):
                meet(old, size)
    except ShapeError as error:
        raise ShapeError(
            f"cannot broadcast {show_shape(a.shape)} to {show_shape(new)}", why=error.what
        ) from None
    return TensorType(new, a.dtype)


broadcast_to: Operator = Operator(
    "broadcast_to", _broadcast_to, _infer_broadcast_to, operands=1, kind=Kind.BROADCAST,
    family="shape",
    flops=no_flops, doc="a repeated along new axes and axes of size 1",
    into=lambda out, a, shape: np.copyto(out, a),
    gradient=(lambda g, y, a, shape: sum_to(g, shape=a.shape),),
    samples=with_params(
        ((3,), {"shape": (2, 3)}), ((), {"shape": (2,)}), ((2, 1), {"shape": (2, 4)}),
        ((1,), {"shape": (0,)}), ((3,), {"shape": (0, 3)}), ((2,), {"shape": (2,)}),
        ((0, 1), {"shape": (2, 0, 3)}),
    ),
)  # fmt: skip


def _sum_to(a: Any, shape: tuple[int, ...]) -> Any:
    array = np.asarray(a)
    lead = array.ndim - len(shape)
    stretched = [i for i, size in enumerate(shape) if size == 1 and array.shape[lead + i] != 1]
    axes = (*range(lead), *(lead + i for i in stretched))
    if not axes:
        if array.shape != shape:
            _infer_sum_to(TensorType(array.shape, array.dtype), shape)
        return array.copy()
    total = np.add.reduce(array, axes, dtype=array.dtype, keepdims=True)
    return total.reshape(shape)


def _sum_to_into(out: np.ndarray, a: Any, shape: tuple[int, ...]) -> None:
    lead = a.ndim - len(shape)
    stretched = [i for i, size in enumerate(shape) if size == 1 and a.shape[lead + i] != 1]
    axes = (*range(lead), *(lead + i for i in stretched))
    if not axes:
        np.copyto(out, a)
        return
    kept = out.reshape((1,) * lead + out.shape)
    np.add.reduce(a, axes, dtype=a.dtype, keepdims=True, out=kept)


def _infer_sum_to(a: TensorType, shape: Shape) -> TensorType:
    result = TensorType(as_shape(shape), a.dtype)
    _infer_broadcast_to(result, a.shape)
    return result


sum_to: Operator = Operator(
    "sum_to", _sum_to, _infer_sum_to, operands=1, kind=Kind.REDUCTION, family="reduction",
    into=_sum_to_into,
    flops=lambda result, a, shape: a.size,
    doc="a summed over the axes along which this shape would be repeated to give a's",
    gradient=(lambda g, y, a, shape: broadcast_to(g, shape=a.shape),),
    samples=with_params(
        ((2, 3), {"shape": (3,)}), ((2,), {"shape": ()}), ((2, 4), {"shape": (2, 1)}),
        ((0, 3), {"shape": (3,)}), ((2,), {"shape": (2,)}), ((5, 4), {"shape": (1,)}),
        ((), {"shape": ()}),
    ),
)  # fmt: skip


def unbroadcast(gradient: Any, edge: Edge) -> Any:
    """Bring a gradient to the shape and dtype of the edge it belongs to.

    Examples
    --------
    >>> unbroadcast(np.ones((2, 3)), Edge(None, 0, (3,), np.dtype("float32")))
    array([2., 2., 2.], dtype=float32)
    """
    if gradient.shape != edge.shape:
        gradient = sum_to(gradient, shape=edge.shape)
    if gradient.dtype != edge.dtype:
        gradient = cast(gradient, dtype=edge.dtype.name)
    return gradient


def _infer_concat(*parts: TensorType, axis: int = 0) -> TensorType:
    if not parts:
        raise ShapeError("concat needs at least one tensor")
    first = parts[0]
    at = normal_axis(axis, first.ndim)
    shape: list[Size] = list(first.shape)
    for part in parts[1:]:
        if part.ndim != first.ndim:
            raise ShapeError(
                f"concat cannot join {show_shape(first.shape)} and {show_shape(part.shape)}: "
                f"{first.ndim} and {part.ndim} axes"
            )
        for i, size in enumerate(part.shape):
            shape[i] = shape[i] + size if i == at else _meet_in_concat(first, part, i)
    return TensorType(shape, np.result_type(*(part.dtype for part in parts)))


def _meet_in_concat(first: TensorType, part: TensorType, axis: int) -> Size:
    try:
        return meet(first.shape[axis], part.shape[axis])
    except ShapeError as error:
        raise ShapeError(
            f"concat cannot join {show_shape(first.shape)} and {show_shape(part.shape)}",
            why=f"on axis {axis} {error.what}",
        ) from None


def _concat(*parts: Any, axis: int = 0) -> Any:
    if len(parts) == 1 and isinstance(parts[0], list | tuple):
        raise OperandError("concat takes tensors, not a list of them", attempt="concat(a, b)")
    return np.concatenate(parts, normal_axis(axis, np.ndim(parts[0])) if parts else 0)


def _concat_into(out: np.ndarray, *parts: Any, axis: int = 0) -> None:
    np.concatenate(parts, normal_axis(axis, out.ndim), out=out)


def _concat_part(g: Any, i: int, sizes: tuple[Size, ...], axis: int) -> Any:
    low = sum(sizes[:i], 0)
    part = Span(low, low + sizes[i])
    return slice_(g, index=tuple(part if a == axis else Span() for a in range(g.ndim)))


def _concat_back(g: Any, y: Any, *parts: Any, axis: int = 0) -> tuple[Any, ...]:
    at = normal_axis(axis, g.ndim)
    sizes = tuple(part.shape[at] for part in parts)
    return tuple(_concat_part(g, i, sizes, at) for i in range(len(parts)))


concat: Operator = Operator(
    "concat", _concat, _infer_concat,
    kind=Kind.OPAQUE, family="shape", flops=no_flops, doc="tensors joined along an axis",
    gradient=_concat_back, into=_concat_into,
    samples=with_params(
        ((2, 3), (1, 3), {"axis": 0}), ((2, 3), (2, 2), (2, 0), {"axis": -1}), ((2,), {}),
    ),
)  # fmt: skip
