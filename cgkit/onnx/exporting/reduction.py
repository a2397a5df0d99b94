"""Reductions, softmax and its kin, spread and length, as ONNX says them.

    sum(x, axis=1)          ReduceSum with axes [1]; without axes nothing is folded
    any(x)                  ReduceMax of truth values; over what may be empty, a count above 0
    logsumexp, var, std     in simpler operators: ONNX's ReduceLogSumExp may overflow on the way

A mean over nothing is nan, which ONNX leaves undefined: it is written as 0 / 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.reduction import cast_count, folded
from cgkit.operators.settings import normal_axes
from cgkit.types import Dim, Shape

Axis = Any


def _axes(a: Term, axis: Axis) -> tuple[int, ...]:
    return normal_axes(axis, len(a.shape or ()))


def _is_empty(a: Term, axis: Axis, *, surely: bool) -> bool:
    """Whether nothing is folded: surely, or perhaps, if an open size turns out to be 0."""
    size = folded(a.shape or (), axis)
    return not surely if isinstance(size, Dim) else size == 0


def _folding(operator: str) -> Rule:
    def rule(draft: Draft, a: Term, axis: Axis = None, keepdims: bool = False) -> Term:
        return draft.fold(operator, a, _axes(a, axis), keepdims, draft.dtype)

    return rule


def _mean(draft: Draft, a: Term, axis: Axis = None, keepdims: bool = False) -> Term:
    if not _is_empty(a, axis, surely=True):
        return draft.fold("ReduceMean", a, _axes(a, axis), keepdims, draft.dtype)
    total = draft.fold("ReduceSum", a, _axes(a, axis), keepdims, draft.dtype)
    return draft.add("Div", total, 0.0)


def _any(draft: Draft, a: Term, axis: Axis = None, keepdims: bool = False) -> Term:
    holds = draft.cast(a, bool)
    if not _is_empty(a, axis, surely=False):
        return draft.fold("ReduceMax", holds, _axes(a, axis), keepdims, bool)
    total = draft.fold("ReduceSum", holds, _axes(a, axis), keepdims, np.int64)
    return draft.cast(total, bool)


def _all(draft: Draft, a: Term, axis: Axis = None, keepdims: bool = False) -> Term:
    holds = draft.cast(a, bool)
    if not _is_empty(a, axis, surely=False):
        return draft.fold("ReduceMin", holds, _axes(a, axis), keepdims, bool)
    fails = draft.add("Not", holds)
    total = draft.fold("ReduceSum", fails, _axes(a, axis), keepdims, np.int64)
    return draft.add("Not", draft.cast(total, bool))


def _norm(
    draft: Draft, a: Term, order: float = 2, axis: Axis = None, keepdims: bool = False
) -> Term:
    axes, p = _axes(a, axis), float(order)
    sizes = draft.add("Abs", draft.cast(a, draft.dtype))
    if p in (1, 2) and axes:
        return draft.fold(f"ReduceL{int(p)}", a, axes, keepdims, draft.dtype)
    if p in (1, 2) or not axes:
        return sizes
    if p == math.inf:
        most = draft.fold("ReduceMax", sizes, axes, keepdims, draft.dtype)
        return draft.add("Max", most, 0.0)
    total = draft.fold("ReduceSum", draft.add("Pow", sizes, p), axes, keepdims, draft.dtype)
    return draft.add("Pow", total, 1 / p)


def _soft(operator: str, formula: Rule) -> Rule:
    def rule(draft: Draft, a: Term, axis: int | tuple[int, ...] = -1) -> Any:
        axes = normal_axes(axis, len(draft.shape))
        if len(axes) == 1:
            return draft.add(operator, draft.cast(a, draft.dtype), axis=axes[0])
        return draft.express(formula, a, axis=axes, dtype=draft.dtype.name)

    return rule


def _softmax(a: Any, axis: tuple[int, ...], dtype: str) -> Any:
    return ops.exp(_log_softmax(a, axis, dtype))


def _log_softmax(a: Any, axis: tuple[int, ...], dtype: str) -> Any:
    a = ops.cast(a, dtype=dtype)
    if _nothing(a.shape, axis):
        return a
    a = a - ops.max(a, axis=axis, keepdims=True)
    return a - ops.log(ops.sum(ops.exp(a), axis=axis, keepdims=True))


def _nothing(shape: Shape, axis: Axis) -> bool:
    size = folded(shape, axis)
    return isinstance(size, int) and size == 0


def floats(a: Any) -> Any:
    """Give numbers as floats; unsigned ones, for one, know no difference below 0."""
    return a if a.dtype.kind == "f" else ops.cast(a, dtype="float64")


def _logsumexp(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    a = floats(a)
    if _nothing(a.shape, axis):
        return ops.log(ops.sum(ops.exp(a), axis=axis, keepdims=keepdims))
    top = ops.max(a, axis=axis, keepdims=True)
    top = ops.where(ops.isfinite(top), top, 0.0)
    logs = ops.log(ops.sum(ops.exp(a - top), axis=axis, keepdims=True)) + top
    return logs if keepdims else ops.squeeze(logs, axis=normal_axes(axis, a.ndim))


def _var(a: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
    a = floats(a)
    apart = a - ops.mean(a, axis=axis, keepdims=True)
    total = ops.sum(apart * apart, axis=axis, keepdims=keepdims)
    size = folded(a.shape, axis)
    if isinstance(size, int):
        return ops.div(total, float(max(size - correction, 0)))
    count = cast_count(size, total) - float(correction)
    return ops.div(total, ops.maximum(count, 0.0))


RULES: Mapping[str, Rule] = MappingProxyType({
    "sum": _folding("ReduceSum"), "prod": _folding("ReduceProd"), "max": _folding("ReduceMax"),
    "min": _folding("ReduceMin"), "mean": _mean, "any": _any, "all": _all, "norm": _norm,
    "softmax": _soft("Softmax", _softmax), "log_softmax": _soft("LogSoftmax", _log_softmax),
})  # fmt: skip
FORMULAS: Mapping[str, Rule] = MappingProxyType({
    "logsumexp": _logsumexp, "var": _var,
    "std": lambda a, **params: ops.sqrt(_var(a, **params)),
})  # fmt: skip
