"""Writing as functions: what a tensor is after its elements, or some of them, were set.

    overwrite(a, b)                    b, stretched to a's shape and in a's dtype
    put(a, b, *places, index=...)      a with b at the places of an index

No operator changes an operand. `x.copy_(b)` and `x[index] = b` are these two, and then x moves to
the result. A place that is written twice keeps what came last, and only that has a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator, Sample
from cgkit.operators.elementwise import gate, no_flops, where
from cgkit.operators.indexing import index_, slice_, slice_cases
from cgkit.operators.indices import Item, Span, check_integers, infer_index, outside, to_python
from cgkit.operators.samples import pairs
from cgkit.operators.settings import as_shape
from cgkit.types import Shape, TensorType, meet, show_shape


def _check_fits(name: str, a: TensorType, b: TensorType, part: Shape) -> None:
    """Demand that b may stand in a part of a: its shape stretches to the part's, its dtype fits."""
    lead = len(part) - b.ndim
    try:
        for size, wide in zip(b.shape, part[max(lead, 0) :], strict=lead >= 0):
            if not (isinstance(size, int) and size == 1):
                meet(size, wide)
        fits = lead >= 0
    except ShapeError:
        fits = False
    if not fits:
        raise ShapeError(
            f"{name} cannot put shape {show_shape(b.shape)} into {show_shape(part)}",
            attempt="a shape that stretches to it",
        )
    if not np.can_cast(b.dtype, a.dtype, "same_kind"):
        raise DtypeError(
            f"{name} cannot put {b.dtype} into {a.dtype}",
            why="its numbers would change",
            attempt=f"ops.cast(b, dtype={a.dtype.name!r}), if that is meant",
        )


def _type_of(x: Any) -> TensorType:
    return TensorType(np.shape(x), np.asarray(x).dtype)


def _infer_overwrite(a: TensorType, b: TensorType) -> TensorType:
    _check_fits("overwrite", a, b, a.shape)
    return a


def _overwrite(a: Any, b: Any) -> np.ndarray:
    old = _type_of(a)
    _check_fits("overwrite", old, _weak(b, old), old.shape)
    result = np.empty(old.shape, old.dtype)
    result[...] = b
    return result


def _weak(b: Any, a: TensorType) -> TensorType:
    """Give the type of an operand; a plain number takes on a's dtype if it is of its kind."""
    found = _type_of(b)
    order = "biuf"
    weak = b.__class__ in (bool, int, float) and order.index(found.dtype.kind) <= order.index(
        a.dtype.kind
    )
    return TensorType((), a.dtype) if weak else found


def _overwrite_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for sample in pairs(rng):
        a, b = sample.operands
        shape = np.broadcast_shapes(a.shape, b.shape)
        whole = a if a.shape == shape else np.array(np.broadcast_to(a, shape))
        yield Sample((whole, b), differentiable=sample.differentiable)


overwrite: Operator = Operator(
    "overwrite", _overwrite, _infer_overwrite, operands=2, kind=Kind.ELEMENTWISE, family="indexing",
    flops=no_flops, samples=_overwrite_samples, scalar=lambda a, b: b,
    doc="b in the place of a: in its shape and dtype; nothing of a stays",
    gradient=(lambda g, y, a, b: gate(g, -1.0), lambda g, y, a, b: g),
)  # fmt: skip


def _infer_put(
    a: TensorType, b: TensorType, *arrays: TensorType, index: tuple[Item, ...]
) -> TensorType:
    check_integers(arrays)
    _check_fits("put", a, b, infer_index(a.shape, index, arrays))
    return a


def _put(a: Any, b: Any, *arrays: Any, index: tuple[Item, ...]) -> np.ndarray:
    result = np.array(a)
    check_integers(map(np.asarray, arrays))
    places = to_python(index, arrays)
    try:
        part = result[places].shape
    except IndexError:
        raise outside(result.shape, index, arrays) from None
    old = _type_of(result)
    _check_fits("put", old, _weak(b, old), part)
    result[places] = b
    return result


def _put_back(g: Any, y: Any, a: Any, b: Any, *arrays: Any, index: tuple[Item, ...]) -> Any:
    if not arrays:
        return slice_(g, index=index)
    part = index_(g, *arrays, index=index)
    return where(lasting(*arrays, shape=a.shape, index=index), part, 0.0)


def _put_samples(rng: np.random.Generator) -> Iterator[Sample]:
    assert index_.samples is not None
    for sample in (*slice_cases(rng), *index_.samples(rng)):
        a, *arrays = sample.operands
        part = np.asarray(a)[to_python(sample.params["index"], tuple(arrays))]
        b = rng.permutation(np.ravel(part)).reshape(part.shape)
        yield Sample((a, b, *arrays), sample.params, sample.differentiable)
    yield Sample((rng.normal(size=(4, 3)), rng.normal(size=3)), {"index": (Span(), Span())})


put: Operator = Operator(
    "put", _put, _infer_put, kind=Kind.OPAQUE, family="indexing", flops=no_flops,
    samples=_put_samples, doc="a with b at the places of an index; a place written twice keeps "
    "what came last",
    gradient=(
        lambda g, y, a, b, *arrays, index: put(g, 0.0, *arrays, index=index),
        _put_back,
        None,
    ),
    saves=("cdefghi", "cdefghi", ""),
)  # fmt: skip


def _infer_lasting(*arrays: TensorType, shape: Shape, index: tuple[Item, ...]) -> TensorType:
    check_integers(arrays)
    return TensorType(infer_index(as_shape(shape), index, arrays), np.bool_)


def _lasting(*arrays: Any, shape: tuple[int, ...], index: tuple[Item, ...]) -> Any:
    marks = np.zeros(as_shape(shape), np.intp)
    check_integers(map(np.asarray, arrays))
    places = to_python(index, arrays)
    try:
        part = marks[places]
    except IndexError:
        raise outside(marks.shape, index, arrays) from None
    number = np.arange(1, part.size + 1).reshape(part.shape)
    marks[places] = number
    return np.asarray(marks[places] == number)


def _lasting_samples(rng: np.random.Generator) -> Iterator[Sample]:
    assert index_.samples is not None
    for sample in index_.samples(rng):
        a, *arrays = sample.operands
        yield Sample(tuple(arrays), {"shape": a.shape, **sample.params})


lasting: Operator = Operator(
    "lasting", _lasting,
    _infer_lasting,
    kind=Kind.OPAQUE, family="indexing", flops=no_flops, samples=_lasting_samples,
    doc="whether what is written at each place of an index stays, or is written over by a later "
    "one: for the gradient of put",
)  # fmt: skip
