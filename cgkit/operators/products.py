"""Running sums and products, and the product of all: right at zeros, to every order.

    x        2  3  0  5
    cumsum   2  5  5 10        cumprod  2  6  0  0        reverse=True runs from the end;
    exclusive 0 2  5  5                 1  2  6  0        exclusive=True leaves out the own element

The slope of a product by one factor is the product of the others, so nothing is ever divided by a
factor, which may be 0. What a running product passes back is a running sum with factors,
`recurrence`: y[k] = b[k] + a[k] * y[k - 1], whose own gradient is of the same sort.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

import numpy as np

from cgkit.errors import DtypeError
from cgkit.node import Kind, Operator, Rule
from cgkit.operators.elementwise import equal, exp, quiet, where
from cgkit.operators.logic import isinf, logical_and
from cgkit.operators.movement import reshape, transpose
from cgkit.operators.padding import pad
from cgkit.operators.reduction import (
    AXES,
    Axis,
    as_wide,
    float_dtype,
    infer_reduction,
    spread,
)
from cgkit.operators.samples import with_params
from cgkit.operators.settings import normal_axes, normal_axis
from cgkit.types import TensorType, count, meet_shapes

_fold: Callable[..., Any] = np.multiply.reduce


def _running_dtype(name: str, ufunc: np.ufunc) -> Callable[[np.dtype], np.dtype]:
    def dtype(given: np.dtype) -> np.dtype:
        if given.kind not in "fiub":
            raise DtypeError(f"{name} cannot take {given}")
        return np.asarray(ufunc.reduce(np.empty((0,), given))).dtype

    return dtype


def _running(name: str, ufunc: np.ufunc) -> tuple[Callable[..., Any], Rule]:
    """Give compute and infer of what runs along an axis."""
    dtype_of = _running_dtype(name, ufunc)

    def compute(a: Any, axis: int, exclusive: bool = False, reverse: bool = False) -> np.ndarray:
        array = np.asarray(a)
        at = normal_axis(axis, array.ndim)
        line = np.moveaxis(array, at, -1)[..., :: -1 if reverse else 1]
        result = np.empty(line.shape, dtype_of(array.dtype))
        if exclusive and line.shape[-1]:
            result[..., 0] = ufunc.identity
            ufunc.accumulate(line[..., :-1], -1, result.dtype, result[..., 1:])
        else:
            ufunc.accumulate(line, -1, result.dtype, result)
        return np.ascontiguousarray(np.moveaxis(result[..., :: -1 if reverse else 1], -1, at))

    def infer(
        a: TensorType, axis: int, exclusive: bool = False, reverse: bool = False
    ) -> TensorType:
        normal_axis(axis, a.ndim)
        return TensorType(a.shape, dtype_of(a.dtype))

    return compute, infer


def _cumsum_back(
    g: Any, y: Any, a: Any, axis: int, exclusive: bool = False, reverse: bool = False
) -> Any:
    return cumsum(g, axis=axis, exclusive=exclusive, reverse=not reverse)


def _cumprod_back(
    g: Any, y: Any, a: Any, axis: int, exclusive: bool = False, reverse: bool = False
) -> Any:
    before = cumprod(a, axis=axis, exclusive=True, reverse=reverse)
    after = _shifted(a, axis, not reverse)
    seen = _shifted(g, axis, not reverse) if exclusive else g
    return before * recurrence(after, seen, axis=axis, reverse=not reverse)


def _shifted(x: Any, axis: int, reverse: bool) -> Any:
    """Move elements on by one place along an axis, in the direction of running; 0 comes in."""
    at = normal_axis(axis, x.ndim)
    way = (-1, 1) if reverse else (1, -1)
    return pad(x, pads=tuple(way if i == at else (0, 0) for i in range(x.ndim)))


LINES: tuple[tuple[Any, ...], ...] = (
    ((2, 3), {"axis": 1}), ((4, 2), {"axis": 0, "exclusive": True}),
    ((2, 3), {"axis": -1, "reverse": True}),
    ((4,), {"axis": 0, "exclusive": True, "reverse": True}), ((3, 0), {"axis": 1}),
    ((0, 3), {"axis": 1, "exclusive": True}), ((3, 0), {"axis": 1, "exclusive": True}),
    ((2, 1), {"axis": 1, "exclusive": True}),
)  # fmt: skip
_compute, _infer = _running("cumsum", np.add)
cumsum: Operator = Operator(
    "cumsum", quiet(_compute), _infer, operands=1, kind=Kind.OPAQUE, family="reduction",
    flops=lambda result, a, **params: a.size, gradient=(_cumsum_back,), samples=with_params(*LINES),
    doc="the sum of the elements up to each one along an axis",
)  # fmt: skip
_compute, _infer = _running("cumprod", np.multiply)
cumprod: Operator = Operator(
    "cumprod", quiet(_compute), _infer, operands=1, kind=Kind.OPAQUE, family="reduction",
    flops=lambda result, a, **params: a.size, gradient=(_cumprod_back,), saves=("a",),
    samples=with_params(*LINES), doc="the product of the elements up to each one along an axis",
)  # fmt: skip


def _infer_recurrence(a: TensorType, b: TensorType, axis: int, reverse: bool = False) -> TensorType:
    shape = meet_shapes(a.shape, b.shape, "that of what is added")
    normal_axis(axis, a.ndim)
    if a.dtype.kind not in "fiu" or b.dtype.kind not in "fiu":
        raise DtypeError(f"recurrence cannot take {a.dtype} and {b.dtype}")
    return TensorType(shape, np.result_type(a.dtype, b.dtype))


def _recurrence(a: Any, b: Any, axis: int, reverse: bool = False) -> np.ndarray:
    factors, added = np.asarray(a), np.asarray(b)
    known = _infer_recurrence(
        TensorType(factors.shape, factors.dtype), TensorType(added.shape, added.dtype), axis
    )
    step = -1 if reverse else 1
    result = np.array(added, known.dtype)
    line, by = (np.moveaxis(x, axis, 0)[::step] for x in (result, factors))
    if 0 < line.size < FEW * len(line) and known.dtype == factors.dtype == np.float64:
        for lane in np.ndindex(line.shape[1:]):
            line[:, *lane] = _run(by[:, *lane].tolist(), line[:, *lane].tolist())
        return result
    for k in range(1, len(line)):
        line[k] += by[k] * line[k - 1]
    return result


FEW = 3
"""Lanes from which on NumPy is quicker than Python's own numbers, which round as its float64."""


def _run(factors: list[float], added: list[float]) -> Iterable[float]:
    pairs = zip(factors[1:], added[1:], strict=True)
    return list(accumulate(pairs, lambda y, pair: pair[1] + pair[0] * y, initial=added[0]))


recurrence: Operator = Operator(
    "recurrence", quiet(_recurrence), _infer_recurrence, operands=2, kind=Kind.OPAQUE,
    family="reduction", flops=lambda result, a, b, **params: result.size * 2,
    doc="y[k] = b[k] + a[k] * y[k - 1] along an axis, from 0; the first factor is not read",
    gradient=(
        lambda g, y, a, b, axis, reverse=False: (
            _shifted(y, axis, reverse) * _added_back(g, a, axis, reverse)
        ),
        lambda g, y, a, b, axis, reverse=False: _added_back(g, a, axis, reverse),
    ),
    saves=("ay", "a"),
    samples=with_params(
        ((2, 4), (2, 4), {"axis": 1}), ((3, 2), (3, 2), {"axis": 0, "reverse": True}),
        ((1,), (1,), {"axis": 0}), ((0, 2), (0, 2), {"axis": 1}), ((2, 0), (2, 0), {"axis": -1}),
    ),
)  # fmt: skip


def _added_back(g: Any, a: Any, axis: int, reverse: bool) -> Any:
    return recurrence(_shifted(a, axis, not reverse), g, axis=axis, reverse=not reverse)


def _logcumsumexp(a: Any, axis: int) -> np.ndarray:
    array, dtype = as_wide("logcumsumexp", a)
    at = normal_axis(axis, array.ndim)
    return np.logaddexp.accumulate(array, at).astype(dtype, copy=False)


def _infer_logcumsumexp(a: TensorType, axis: int) -> TensorType:
    normal_axis(axis, a.ndim)
    return TensorType(a.shape, float_dtype("logcumsumexp", a.dtype))


def _logcumsumexp_back(g: Any, y: Any, a: Any, axis: int) -> Any:
    """Pass back a running sum with factors exp(y[k] - y[k + 1]), which are at most 1.

    Only an element that is as infinite as its sum has the slope nan, and it keeps that to itself:
    differences of equal infinities are not formed, so no other slope hears of them.
    """
    at = normal_axis(axis, a.ndim)
    pads = tuple((-1, 1) if i == at else (0, 0) for i in range(a.ndim))
    later = pad(y, pads=pads, mode="edge") if a.shape[at] != 0 else y
    passed = recurrence(exp(_apart(y, later)), g, axis=axis, reverse=True)
    same = _alike(a, y)
    unknown = where(same, g, 0.0) * where(same, math.nan, 0.0)
    return unknown + exp(_apart(a, y)) * passed


def _alike(x: Any, y: Any) -> Any:
    """Whether two are the same infinity."""
    return logical_and(isinf(x), equal(x, y))


def _apart(x: Any, y: Any) -> Any:
    """Give x - y, and 0 for two of the same infinity."""
    same = _alike(x, y)
    return where(same, 0.0, x) - where(same, 0.0, y)


logcumsumexp: Operator = Operator(
    "logcumsumexp", quiet(_logcumsumexp), _infer_logcumsumexp, operands=1, kind=Kind.OPAQUE,
    family="reduction", flops=lambda result, a, **params: a.size * 3,
    doc="the logarithm of the sum of e to the elements up to each one along an axis",
    gradient=(_logcumsumexp_back,), saves=("ay",),
    samples=with_params(
        ((2, 4), {"axis": 1}), ((3, 2), {"axis": 0}), ((3, 0), {"axis": -1}), ((0, 3), {"axis": 1}),
        ((2, 1), {"axis": 1}),
    ),
)  # fmt: skip


def _prod(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    axes = None if axis is None else normal_axes(axis, np.ndim(a))
    return _fold(a, axes, keepdims=keepdims)


def _prod_back(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Multiply by the product of all other factors: those before and those after."""
    axes = normal_axes(axis, a.ndim)
    kept = tuple(i for i in range(a.ndim) if i not in axes)
    order = (*kept, *axes)
    turned = transpose(a, axes=order)
    line = (*turned.shape[: len(kept)], count(turned.shape[len(kept) :]))
    flat = reshape(turned, shape=line)
    before = cumprod(flat, axis=-1, exclusive=True)
    others = reshape(
        before * cumprod(flat, axis=-1, exclusive=True, reverse=True), shape=turned.shape
    )
    back = transpose(others, axes=tuple(order.index(i) for i in range(a.ndim)))
    return spread(g, a, axis) * back


prod: Operator = Operator(
    "prod", quiet(_prod),
    infer_reduction("prod", _running_dtype("prod", np.multiply)),
    operands=1, kind=Kind.REDUCTION, family="reduction", flops=lambda result, a, **params: a.size,
    gradient=(_prod_back,), saves=("a",), samples=with_params(*AXES, ((0,), {})),
    doc="the product of the elements along axes, of all by default; 1 over none",
)  # fmt: skip
