"""Order: where the largest stands, in which order numbers go, the first few of them.

    a = 3 1 2      argmax 0      argsort 1 2 0      sort 1 2 3      topk(2) 3 2 , 0 2
    a = 3 1 3      argunique 1 0 (the first 1, the first 3), 1 0 1, 1 2      unique 1 3

Places are ints and have no gradient. Sorted numbers are gathered by their places, so each passes
its gradient to the element it was. nan counts as larger than all; of equals the first comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, MultiOperator, Operator, Sample
from cgkit.operators.elementwise import no_flops
from cgkit.operators.gathering import gather_elements, take
from cgkit.operators.movement import reshape
from cgkit.operators.operands import as_operand
from cgkit.operators.reduction import nothing_to_reduce, reduced_shape
from cgkit.operators.samples import with_params
from cgkit.operators.settings import is_whole, normal_axis
from cgkit.types import OPEN, Dim, Size, TensorType, value_of

PLACES = np.dtype("int64")


def _place_of(name: str, find: Callable[..., Any], word: str) -> Operator:
    def check(shape: Any, axis: int | None) -> None:
        folded = shape if axis is None else (shape[normal_axis(axis, len(shape))],)
        if any(isinstance(size, int) and size == 0 for size in folded):
            raise nothing_to_reduce(name, shape, axis)

    def compute(a: Any, axis: int | None = None, keepdims: bool = False) -> np.ndarray:
        array = np.asarray(a)
        check(array.shape, axis)
        return np.asarray(find(array, axis, keepdims=keepdims), PLACES)

    def infer(a: TensorType, axis: int | None = None, keepdims: bool = False) -> TensorType:
        check(a.shape, axis)
        return TensorType(reduced_shape(a.shape, axis, keepdims), PLACES)

    return Operator(
        name, compute, infer, operands=1, kind=Kind.REDUCTION, family="reduction",
        flops=lambda result, a, **params: a.size,
        doc=f"the place of the {word} element along an axis, the first of equals; of all laid flat",
        samples=with_params(
            ((2, 4), {}), ((), {}), ((2, 3), {"axis": 0}), ((2, 3), {"axis": -1, "keepdims": True}),
            ((0, 3), {"axis": 1}), ((2, 3), {"keepdims": True}),
        ),
    )  # fmt: skip


argmax: Operator = _place_of("argmax", np.argmax, "largest")
argmin: Operator = _place_of("argmin", np.argmin, "smallest")


def _infer_argsort(a: TensorType, axis: int = -1, descending: bool = False) -> TensorType:
    normal_axis(axis, a.ndim)
    return TensorType(a.shape, PLACES)


def _argsort(a: Any, axis: int = -1, descending: bool = False) -> np.ndarray:
    array = np.asarray(a)
    at = normal_axis(axis, array.ndim)
    if not descending:
        return np.argsort(array, at, kind="stable").astype(PLACES)
    turned = np.argsort(np.flip(array, at), at, kind="stable")  # equals must keep their order
    return np.ascontiguousarray(np.flip(array.shape[at] - 1 - turned, at), PLACES)


argsort: Operator = Operator(
    "argsort", _argsort, _infer_argsort, operands=1, kind=Kind.OPAQUE, family="indexing",
    flops=no_flops, doc="the places of a's elements along an axis in rising order, or falling",
    samples=with_params(
        ((2, 3), {}), ((2, 3), {"axis": 0, "descending": True}), ((0, 3), {}), ((3, 0), {}),
        ((4,), {"descending": True}),
    ),
)  # fmt: skip


def _check_many(k: Any, size: Size) -> Size:
    many: Any = k.value if isinstance(k, Dim) else k
    if isinstance(k, Dim) and many is None:
        return k
    if not is_whole(many) or many < 0:
        raise ShapeError(f"{k!r} is no number of elements to take")
    known = value_of(size)
    if known is not None and many > known:
        raise ShapeError(f"there are no {k} elements on an axis of size {size}")
    return k if isinstance(k, Dim) else int(k)


def _infer_argtopk(a: TensorType, k: Size, axis: int = -1, largest: bool = True) -> TensorType:
    at = normal_axis(axis, a.ndim)
    return TensorType((*a.shape[:at], _check_many(k, a.shape[at]), *a.shape[at + 1 :]), PLACES)


def _argtopk(a: Any, k: int, axis: int = -1, largest: bool = True) -> np.ndarray:
    array = np.asarray(a)
    at = normal_axis(axis, array.ndim)
    many = int(_check_many(k, array.shape[at]))
    order = np.moveaxis(_argsort(array, at, descending=largest), at, -1)[..., :many]
    return np.ascontiguousarray(np.moveaxis(order, -1, at))


argtopk: Operator = Operator(
    "argtopk", _argtopk, _infer_argtopk, operands=1, kind=Kind.OPAQUE, family="indexing",
    flops=no_flops, doc="the places of the k largest elements along an axis, or of the k smallest",
    samples=with_params(
        ((2, 4), {"k": 2}), ((4, 2), {"k": 3, "axis": 0, "largest": False}), ((3,), {"k": 0}),
        ((0, 3), {"k": 1}), ((2, 3), {"k": 3}),
    ),
)  # fmt: skip


def _running_place(name: str, ufunc: np.ufunc, word: str) -> Operator:
    def compute(a: Any, axis: int) -> np.ndarray:
        array = np.asarray(a)
        at = normal_axis(axis, array.ndim)
        line = np.moveaxis(array, at, -1)
        reached = (line == ufunc.accumulate(line, -1)) | (line != line)
        places = np.where(reached, np.arange(line.shape[-1]), 0)
        return np.ascontiguousarray(np.moveaxis(np.maximum.accumulate(places, -1), -1, at), PLACES)

    return Operator(
        name, compute, lambda a, axis: _infer_argsort(a, axis), operands=1, kind=Kind.OPAQUE,
        family="indexing", flops=lambda result, a, axis: a.size,
        doc=f"the place of the {word} element up to each one along an axis, the last of equals",
        samples=with_params(
            ((2, 4), {"axis": 1}), ((4, 2), {"axis": 0}), ((3, 0), {"axis": -1}),
            ((0, 3), {"axis": 1}),
        ),
    )  # fmt: skip


argcummax: Operator = _running_place("argcummax", np.maximum, "largest")
argcummin: Operator = _running_place("argcummin", np.minimum, "smallest")


def _infer_argunique(
    a: TensorType, axis: int, ordered: bool = True, number: Size = OPEN
) -> tuple[TensorType, ...]:
    at = normal_axis(axis, a.ndim)
    return tuple(TensorType((size,), PLACES) for size in (number, a.shape[at], number))


def _argunique(
    a: Any, axis: int, ordered: bool = True, number: Size = OPEN
) -> tuple[np.ndarray, ...]:
    array = np.asarray(a)
    at = normal_axis(axis, array.ndim)
    _, first, place, many = np.unique(
        array, return_index=True, return_inverse=True, return_counts=True, axis=at
    )
    place = place.reshape(-1)
    if not ordered:
        order = np.argsort(first)
        first, many, place = first[order], many[order], np.argsort(order)[place]
    return first.astype(PLACES), place.astype(PLACES), many.astype(PLACES)


def _argunique_samples(rng: np.random.Generator) -> Iterator[Sample]:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    for dtype in ("float64", "float32", "int32", "int64"):
        yield Sample((rows.astype(dtype),), {"axis": 0, "number": 2})
        yield Sample((rows[0].astype(dtype),), {"axis": -1, "ordered": False, "number": 2})
        yield Sample((np.zeros((0, 2), dtype),), {"axis": 0, "number": 0})
    yield Sample((rows[::-1, ::-1],), {"axis": 1, "ordered": False, "number": 2})
    yield Sample((np.array([np.inf, np.nan, -np.inf, np.inf]),), {"axis": 0, "number": 3})


argunique: Operator = MultiOperator(
    "argunique", _argunique, _infer_argunique, operands=1, kind=Kind.OPAQUE, family="indexing",
    flops=no_flops, samples=_argunique_samples, tells=("number",),
    doc="for the parts of a along an axis: where each comes first, in rising order or as they "
    "come; for each part, which of these it is; how often each comes",
)  # fmt: skip


def sort(a: Any, axis: int = -1, descending: bool = False) -> Any:
    """Sort the elements along an axis.

    Examples
    --------
    >>> sort(np.array([3.0, 1.0, 2.0]), descending=True)
    array([3., 2., 1.])
    """
    return gather_elements(a, argsort(a, axis=axis, descending=descending), axis=axis)


def topk(a: Any, k: int, axis: int = -1, largest: bool = True) -> tuple[Any, Any]:
    """Give the k largest elements along an axis in falling order, and their places.

    Parameters
    ----------
    a
        A tensor.
    k
        How many.
    axis
        Along which axis.
    largest
        Whether the largest, or else the smallest in rising order.

    Examples
    --------
    >>> topk(np.array([3.0, 1.0, 2.0]), 2)
    (array([3., 2.]), array([0, 2]))
    """
    places = argtopk(a, k=k, axis=axis, largest=largest)
    return gather_elements(a, places, axis=axis), places


def unique(a: Any, axis: int | None = None, ordered: bool = True) -> tuple[Any, Any, Any, Any]:
    """Give each element once, or each part along an axis, and where and how often it comes.

    Parameters
    ----------
    a
        A tensor.
    axis
        Along which axis its parts lie; by default its elements, laid flat.
    ordered
        Whether in rising order, or else in that of where each comes first.

    Returns
    -------
    tuple of tensors
        What there is; where each comes first; which of these each part of a is; how often each
        comes.

    Examples
    --------
    >>> for found in unique(np.array([2, 1, 1, 3])):
    ...     print(found)
    [1 2 3]
    [1 0 3]
    [1 0 0 2]
    [2 1 1]
    """
    a = as_operand(a)
    if axis is None:
        a, axis = reshape(a, shape=(-1,)), 0
    first, place, many = argunique(a, axis=axis, ordered=ordered)
    return take(a, first, axis=axis), first, place, many


def cummax(a: Any, axis: int) -> Any:
    """Give the largest element up to each one along an axis.

    Examples
    --------
    >>> cummax(np.array([1.0, 3.0, 2.0]), 0)
    array([1., 3., 3.])
    """
    return gather_elements(a, argcummax(a, axis=axis), axis=axis)


def cummin(a: Any, axis: int) -> Any:
    """Give the smallest element up to each one along an axis.

    Examples
    --------
    >>> cummin(np.array([2.0, 3.0, 1.0]), 0)
    array([2., 2., 1.])
    """
    return gather_elements(a, argcummin(a, axis=axis), axis=axis)


COMPOSED = (sort, topk, unique, cummax, cummin)
