"""Batch normalization: ONNX's own with given statistics, simpler operators with those of the batch.

batch_norm          BatchNormalization, whose channels stand on axis 1: others are brought there
batch_norm_train    mean, variance, and then the same arithmetic; gives y, mean and variance
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.reduction import floats
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.settings import normal_axis


def _batch_norm(
    draft: Draft, x: Term, *vectors: Term, epsilon: float = 1e-5, axis: int = 1
) -> Term:
    rank = len(draft.shape)
    at = normal_axis(axis, rank)
    others = [i for i in range(rank) if i != at]
    order = [*others[:1], at, *others[1:]]
    x = draft.transpose(draft.cast(x, draft.dtype), order)
    if rank == 1:
        x = draft.reshape(x, (1, *draft.shape))
    given = [draft.cast(vector, draft.dtype) for vector in vectors]
    made = draft.add("BatchNormalization", x, *given, epsilon=float(epsilon))
    if rank == 1:
        return draft.reshape(made, draft.shape)
    return draft.transpose(made, [order.index(i) for i in range(rank)])


def _batch_norm_train(
    x: Any, scale: Any, shift: Any, epsilon: float = 1e-5, axis: int = 1
) -> tuple[Any, ...]:
    at = normal_axis(axis, x.ndim)
    axes = tuple(i for i in range(x.ndim) if i != at)
    wide = floats(x)
    center = ops.mean(wide, axis=axes, keepdims=True)
    apart = wide - center
    spread = ops.mean(apart * apart, axis=axes, keepdims=True)
    shape = tuple(x.shape[at] if i == at else 1 for i in range(x.ndim))
    slope = ops.reshape(scale, shape=shape) * ops.rsqrt(spread + float(epsilon))
    y = apart * slope + ops.reshape(shift, shape=shape)
    flat = (x.shape[at],)
    return y, ops.reshape(center, shape=flat), ops.reshape(spread, shape=flat)


RULES: Mapping[str, Rule] = MappingProxyType({"batch_norm": _batch_norm})
FORMULAS: Mapping[str, Rule] = MappingProxyType({"batch_norm_train": _batch_norm_train})
