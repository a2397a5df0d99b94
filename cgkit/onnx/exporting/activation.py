"""Activations with settings, and those that ONNX says in a few operators.

Elu(alpha), Celu(alpha), Selu(alpha, gamma), LeakyRelu(alpha), Gelu(approximate), PRelu
silu is x * sigmoid(x): the operator Swish has no kernel in onnxruntime
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.schemas import takes
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.scalars import SELU_ALPHA, SELU_SCALE


def _prelu(draft: Draft, a: Term, b: Term) -> Any:
    if a.shape == draft.shape:  # ONNX stretches the slopes only
        return draft.directly(a, b, operator="PRelu")
    return draft.express(lambda x, slope: ops.where(ops.greater(x, 0), x, x * slope), a, b)


def _leaky_relu(draft: Draft, a: Term, alpha: float = 0.01) -> Term:
    return draft.add("LeakyRelu", draft.cast(a, draft.dtype), alpha=float(alpha))


def _elu(draft: Draft, a: Term, alpha: float = 1.0) -> Term:
    return draft.add("Elu", draft.cast(a, draft.dtype), alpha=float(alpha))


def _celu(draft: Draft, a: Term, alpha: float = 1.0) -> Any:
    if draft.dtype in takes("Celu", draft.opset):
        return draft.add("Celu", draft.cast(a, draft.dtype), alpha=float(alpha))
    return draft.express(_bent, a, alpha=alpha)  # before operator set 28 it takes float32 only


def _bent(a: Any, alpha: float) -> Any:
    return ops.where(ops.greater(a, 0), a, ops.expm1(ops.div(a, alpha)) * alpha)


def _selu(draft: Draft, a: Term, alpha: float = SELU_ALPHA, scale: float = SELU_SCALE) -> Term:
    a = draft.cast(a, draft.dtype)
    return draft.add("Selu", a, alpha=float(alpha), gamma=float(scale))


def _gelu(draft: Draft, a: Term, approximate: str = "none") -> Term:
    return draft.add("Gelu", draft.cast(a, draft.dtype), approximate=approximate)


def _leak(g: Any, a: Any, b: Any) -> Any:
    sloped = g * b if a.dtype.kind != "f" else ops.where(ops.isnan(a), a, g * b)
    return ops.where(ops.greater(a, 0), g, sloped)


RULES: Mapping[str, Rule] = MappingProxyType({
    "prelu": _prelu, "leaky_relu": _leaky_relu, "elu": _elu, "celu": _celu, "selu": _selu,
    "gelu": _gelu,
})  # fmt: skip
FORMULAS: Mapping[str, Rule] = MappingProxyType({
    "leak": _leak, "silu": lambda a: a * ops.sigmoid(a),
})  # fmt: skip
