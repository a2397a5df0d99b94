"""Tensors joined along a new axis and taken apart again.

    (3,) (3,) ─ stack ─> (2, 3) ─ split ─> (1, 3) (1, 3)        (2, 3) ─ unbind ─> (3,) (3,)

Going backward, what was joined is taken apart and the other way round. (`concat`, which joins along
an axis that is there, stands with movement.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import OperandError, ShapeError
from cgkit.node import Kind, MultiOperator, Operator
from cgkit.operators.axes import squeeze
from cgkit.operators.elementwise import no_flops
from cgkit.operators.indexing import place, slice_
from cgkit.operators.indices import Span
from cgkit.operators.movement import concat
from cgkit.operators.operands import as_operand
from cgkit.operators.samples import with_params
from cgkit.operators.settings import is_whole, normal_axis
from cgkit.types import Size, TensorType, meet, show_shape, value_of


def _infer_stack(*parts: TensorType, axis: int = 0) -> TensorType:
    if not parts:
        raise ShapeError("stack needs at least one tensor")
    first = parts[0]
    shape: list[Size] = list(first.shape)
    for part in parts[1:]:
        try:
            shape = [meet(a, b) for a, b in zip(shape, part.shape, strict=True)]
        except (ShapeError, ValueError) as error:
            raise ShapeError(
                f"stack needs equal shapes, got {show_shape(first.shape)} and "
                f"{show_shape(part.shape)}",
                why=error.what if isinstance(error, ShapeError) else "",
                attempt="concat, which joins along an axis that is there",
            ) from None
    at = normal_axis(axis, first.ndim + 1)
    return TensorType(
        (*shape[:at], len(parts), *shape[at:]), np.result_type(*(part.dtype for part in parts))
    )


def _stack(*parts: Any, axis: int = 0) -> Any:
    if len(parts) == 1 and isinstance(parts[0], list | tuple):
        raise OperandError("stack takes tensors, not a list of them", attempt="stack(a, b)")
    arrays = [np.asarray(part) for part in parts]  # NumPy dies of a list of its matrices
    return np.stack(arrays, normal_axis(axis, arrays[0].ndim + 1) if arrays else 0)


def _stack_back(g: Any, y: Any, *parts: Any, axis: int = 0) -> tuple[Any, ...]:
    at = normal_axis(axis, g.ndim)
    before = (Span(),) * at
    after = (Span(),) * (g.ndim - at - 1)
    return tuple(slice_(g, index=(*before, i, *after)) for i in range(len(parts)))


stack: Operator = Operator(
    "stack", _stack, _infer_stack, kind=Kind.OPAQUE, family="shape", flops=no_flops,
    doc="tensors of one shape joined along a new axis", gradient=_stack_back,
    samples=with_params(
        ((2, 3), (2, 3), {}), ((), (), {}), ((3,), (3,), (3,), {"axis": -1}), ((2, 0), {"axis": 1}),
    ),
)  # fmt: skip


def split_sizes(
    size: Size, sections: int | None, sizes: tuple[Size, ...] | None
) -> tuple[Size, ...]:
    """Give the sizes of the parts of an axis.

    Parameters
    ----------
    size
        The size of the axis.
    sections
        How many equal parts.
    sizes
        Instead, the size of each.

    Raises
    ------
    ShapeError
        Both are given or none; the parts are not equal, or do not add up to the axis.

    Examples
    --------
    >>> split_sizes(6, 3, None), split_sizes(6, None, (1, 5))
    ((2, 2, 2), (1, 5))
    """
    if (sections is None) == (sizes is None):
        raise ShapeError("split takes either a number of equal sections, or sizes")
    if sizes is not None:
        return _given_sizes(size, sizes if isinstance(sizes, tuple) else (sizes,))
    if sections is None or not is_whole(sections) or sections < 1:
        raise ShapeError(f"{sections!r} is no number of sections")
    known = value_of(size)
    if known is not None and known % sections:
        raise ShapeError(
            f"an axis of size {size} has no {sections} equal parts",
            attempt="sizes=(...), one for each part",
        )
    return (size // int(sections),) * int(sections)


def _given_sizes(size: Size, sizes: tuple[Size, ...]) -> tuple[Size, ...]:
    for part in sizes:
        known = value_of(part)
        if known is not None and (not isinstance(known, int | np.integer) or known < 0):
            raise ShapeError(f"{part!r} is no size of a part")
    total: Size = sum(sizes, 0)
    try:
        meet(total, size)
    except ShapeError as error:
        raise ShapeError(
            f"parts of sizes {show_shape(sizes)} make {total}, the axis has {size}", why=error.what
        ) from None
    return sizes


def _infer_split(
    a: TensorType, sections: int | None = None, sizes: Any = None, axis: int = 0
) -> tuple[TensorType, ...]:
    at = normal_axis(axis, a.ndim)
    return tuple(
        TensorType((*a.shape[:at], size, *a.shape[at + 1 :]), a.dtype)
        for size in split_sizes(a.shape[at], sections, sizes)
    )


def _parts(shape: Any, sections: int | None, sizes: Any, axis: int) -> list[tuple[Span, ...]]:
    at = normal_axis(axis, len(shape))
    found: list[tuple[Span, ...]] = []
    low: Size = 0
    for size in split_sizes(shape[at], sections, sizes):
        part = Span(low, low + size)
        found.append(tuple(part if i == at else Span() for i in range(len(shape))))
        low = low + size
    return found


def _split(a: Any, sections: int | None = None, sizes: Any = None, axis: int = 0) -> Any:
    array = np.asarray(a)
    parts = _parts(array.shape, sections, sizes, axis)
    return tuple(array[tuple(slice(*span) for span in part)] for part in parts)


def _split_back(
    g: Any, y: Any, a: Any, sections: int | None = None, sizes: Any = None, axis: int = 0
) -> Any:
    parts = _parts(a.shape, sections, sizes, axis)
    if len(g) == len(parts):
        return concat(*(g[i] for i in range(len(parts))), axis=axis)
    placed = [place(g[i], shape=a.shape, index=parts[i]) for i in sorted(g)]
    return sum(placed[1:], placed[0])


split: Operator = MultiOperator(
    "split", _split, _infer_split, operands=1, kind=Kind.MOVEMENT, family="shape", flops=no_flops,
    doc="a cut along an axis into equal sections, or into parts of given sizes",
    gradient=(_split_back,),
    samples=with_params(
        ((4, 3), {"sections": 2}), ((2, 5), {"sizes": (1, 4), "axis": -1}), ((3,), {"sections": 1}),
        ((3,), {"sizes": (0, 3, 0)}), ((0, 2), {"sections": 2, "axis": 1}), ((0,), {"sections": 3}),
    ),
)  # fmt: skip


def unbind(a: Any, axis: int = 0) -> tuple[Any, ...]:
    """Take a tensor apart along an axis, which is dropped: the way back of `stack`.

    Raises
    ------
    ShapeError
        The axis does not exist, or its size is open: how many tensors would there be?

    Examples
    --------
    >>> unbind(np.array([[1, 2], [3, 4]]), axis=1)
    (array([1, 3]), array([2, 4]))
    """
    a = as_operand(a)
    shape = tuple(a.shape)
    at = normal_axis(axis, len(shape))
    size = shape[at]
    if not isinstance(size, int):
        raise ShapeError(f"unbind of an axis of size {size}: how many parts is not known")
    if size == 0:
        return ()
    return tuple(squeeze(part, axis=at) for part in split(a, sections=size, axis=at))


COMPOSED = (unbind,)
