"""Softmax and its logarithm: scores along an axis become shares that sum to 1.

    scores 2 1 0 ─ minus the largest ─> 0 -1 -2 ─ exp ─> 1 .37 .14 ─ over their sum ─> .67 .24 .09

The largest score is taken off first, so that no power of e overflows. All three gradients are
written with the shares: of softmax and log_softmax they come from the result alone.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import exp, quiet
from cgkit.operators.reduction import (
    AXES,
    Axis,
    as_wide,
    float_dtype,
    infer_reduction,
    spread,
    sum_,
)
from cgkit.operators.samples import with_params
from cgkit.operators.settings import normal_axes
from cgkit.types import TensorType


def _infer(a: TensorType, axis: int | tuple[int, ...] = -1) -> TensorType:
    normal_axes(axis, a.ndim)
    return TensorType(a.shape, float_dtype("softmax", a.dtype))


def _shifted(a: Any, axis: int | tuple[int, ...]) -> tuple[np.ndarray, tuple[int, ...], np.dtype]:
    """Give the scores without their largest, the axes, and the dtype of the result."""
    array, dtype = as_wide("softmax", a)
    axes = normal_axes(axis, array.ndim)
    return array - np.maximum.reduce(array, axes, keepdims=True, initial=-np.inf), axes, dtype


def _softmax(a: Any, axis: int | tuple[int, ...] = -1) -> np.ndarray:
    scores, axes, dtype = _shifted(a, axis)
    powers = np.exp(scores)
    shares = powers / np.add.reduce(powers, axes, keepdims=True)
    return np.asarray(shares).astype(dtype, copy=False)


def _softmax_into(out: np.ndarray, a: Any, axis: int | tuple[int, ...] = -1) -> None:
    if np.result_type(a) != out.dtype or out.dtype.itemsize < 4:
        out[...] = _softmax(a, axis)
        return
    axes = normal_axes(axis, out.ndim)
    np.subtract(a, np.maximum.reduce(a, axes, keepdims=True, initial=-np.inf), out=out)
    np.exp(out, out=out)
    np.divide(out, np.add.reduce(out, axes, keepdims=True), out=out)


def _log_softmax_into(out: np.ndarray, a: Any, axis: int | tuple[int, ...] = -1) -> None:
    if np.result_type(a) != out.dtype or out.dtype.itemsize < 4:
        out[...] = _log_softmax(a, axis)
        return
    axes = normal_axes(axis, out.ndim)
    np.subtract(a, np.maximum.reduce(a, axes, keepdims=True, initial=-np.inf), out=out)
    np.subtract(out, np.log(np.add.reduce(np.exp(out), axes, keepdims=True)), out=out)


def _log_softmax(a: Any, axis: int | tuple[int, ...] = -1) -> np.ndarray:
    scores, axes, dtype = _shifted(a, axis)
    logs = scores - np.log(np.add.reduce(np.exp(scores), axes, keepdims=True))
    return np.asarray(logs).astype(dtype, copy=False)


def _logsumexp(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    array, dtype = as_wide("logsumexp", a)
    axes = normal_axes(axis, array.ndim)
    top = np.maximum.reduce(array, axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    logs = np.log(np.add.reduce(np.exp(array - top), axes, keepdims=True)) + top
    return (logs if keepdims else np.squeeze(logs, axes)).astype(dtype, copy=False)


def _softmax_back(g: Any, y: Any, a: Any, axis: int | tuple[int, ...] = -1) -> Any:
    return y * (g - sum_(g * y, axis=axis, keepdims=True))


def _log_softmax_back(g: Any, y: Any, a: Any, axis: int | tuple[int, ...] = -1) -> Any:
    return g - exp(y) * sum_(g, axis=axis, keepdims=True)


def _logsumexp_back(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return spread(g, a, axis) * exp(a - spread(y, a, axis))


ROWS: tuple[tuple[Any, ...], ...] = (
    ((2, 3), {}), ((2, 3), {"axis": 0}), ((2, 3, 4), {"axis": 1}), ((5,), {}),
    ((2, 3, 2), {"axis": (0, -1)}), ((0, 3), {}), ((3, 0), {}), ((2, 1), {}),
)  # fmt: skip
softmax: Operator = Operator(
    "softmax", quiet(_softmax), _infer, operands=1, kind=Kind.OPAQUE, family="activation",
    flops=lambda result, a, **params: result.size * 5,
    doc="e to the a over their sum along an axis: shares that sum to 1",
    gradient=(_softmax_back,), saves=("y",), samples=with_params(*ROWS), into=_softmax_into,
)  # fmt: skip
log_softmax: Operator = Operator(
    "log_softmax", quiet(_log_softmax), _infer, operands=1, kind=Kind.OPAQUE, family="activation",
    flops=lambda result, a, **params: result.size * 5,
    doc="the natural logarithm of softmax, without its underflow",
    gradient=(_log_softmax_back,), saves=("y",), samples=with_params(*ROWS),
    into=_log_softmax_into,
)  # fmt: skip
logsumexp: Operator = Operator(
    "logsumexp", quiet(_logsumexp), infer_reduction("logsumexp", partial(float_dtype, "logsumexp")),
    operands=1, kind=Kind.REDUCTION, family="reduction",
    flops=lambda result, a, **params: a.size * 3 + result.size,
    doc="the logarithm of the sum of e to the a along axes, without overflow; -inf over none",
    gradient=(_logsumexp_back,), saves=("ay",), samples=with_params(*AXES, ((0,), {})),
)  # fmt: skip
