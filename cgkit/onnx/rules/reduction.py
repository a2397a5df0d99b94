"""Rules of ONNX operators that fold axes, run along one, or say where something stands.

    ReduceSum-11   axes=[1], an attribute         ReduceSum-13   axes, an input
    no axes: all of them, or none of them with noop_with_empty_axes=1

Results have the dtype of the operand, where NumPy would widen it: int32 sums to int32. Over no
elements a maximum is the least number of the dtype, a minimum the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.rules.shape import known_axes, known_number
from cgkit.onnx.step import Rule, Step
from cgkit.operators.reduction import cast_count
from cgkit.operators.settings import normal_axes, normal_axis
from cgkit.types import Dim, value_of

Axes = tuple[int, ...] | None
AXES_ARE_INPUTS = 18
"""The operator set from which on axes are an input; of ReduceSum they are one from 13 on."""


def _folding(act: Callable[..., Any], *, inputs: int = AXES_ARE_INPUTS) -> Rule:
    """Make the rule of a reduction: `act(x, axis=..., keepdims=...)`."""

    def rule(step: Step, x: Any, axes: Any = None) -> Any:
        given = known_axes(step, axes, inputs)
        if not given:
            given = () if step.setting("noop_with_empty_axes", 0) else None
        return in_dtype_of(x, act(x, axis=given, keepdims=bool(step.setting("keepdims", 1))))

    return rule


def _sum_of(act: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda x, **params: ops.sum(act(x), **params)


def _log_sum(x: Any, **params: Any) -> Any:
    return ops.log(ops.sum(x, **params))


def _extreme(operator: Any, of_truths: Any, end: str) -> Callable[..., Any]:
    """Give the largest or the smallest; over no elements the end of the dtype."""

    def act(x: Any, axis: Axes, keepdims: bool) -> Any:
        if x.dtype.kind == "b":
            return of_truths(x, axis=axis, keepdims=keepdims)
        axes = normal_axes(axis, len(x.shape))
        beyond = -np.inf if end == "min" else np.inf
        last = beyond if x.dtype.kind == "f" else getattr(np.iinfo(x.dtype), end)
        if all(value_of(x.shape[at]) != 0 for at in axes):
            room = [int(at in axes and isinstance(n, Dim)) for at, n in enumerate(x.shape)]
            if any(room):  # a run may find nothing there: then the end is the largest
                x = ops.pad(x, pads=tuple((0, one) for one in room), value=last)
            return operator(x, axis=axis, keepdims=keepdims)
        zeros = in_dtype_of(x, ops.sum(x, axis=axis, keepdims=keepdims))
        return zeros + np.asarray(last, x.dtype)

    return act


def _place_of(operator: Any) -> Rule:
    def rule(step: Step, x: Any) -> Any:
        axis = normal_axis(step.setting("axis", 0), len(x.shape))
        keepdims = bool(step.setting("keepdims", 1))
        if not step.setting("select_last_index", 0):
            return operator(x, axis=axis, keepdims=keepdims)
        turned = operator(ops.flip(x, axis=axis), axis=axis, keepdims=keepdims)
        return ops.sub(cast_count(x.shape[axis] - 1, turned), turned)

    return rule


def _running(operator: Any) -> Rule:
    def rule(step: Step, x: Any, axis: Any) -> Any:
        found = operator(
            x, axis=known_number(step, axis, "axis"), exclusive=bool(step.setting("exclusive", 0)),
            reverse=bool(step.setting("reverse", 0)),
        )  # fmt: skip
        return in_dtype_of(x, found)

    return rule


def _top_k(step: Step, x: Any, many: Any = None) -> tuple[Any, Any]:
    sizes = (step.setting("k"),) if step.opset < 10 else step.sizes(many, "K")
    if len(sizes) != 1:
        raise step.refuse(f"needs one number as K, got {len(sizes)}")
    axis, largest = step.setting("axis", -1), bool(step.setting("largest", 1))
    found: tuple[Any, Any] = ops.topk(x, sizes[0], axis=axis, largest=largest)
    return found


RULES: Mapping[str, Rule] = MappingProxyType({
    "ReduceSum": _folding(ops.sum, inputs=13),
    "ReduceProd": _folding(ops.prod),
    "ReduceMean": _folding(ops.mean),
    "ReduceMax": _folding(_extreme(ops.max, ops.any, "min")),
    "ReduceMin": _folding(_extreme(ops.min, ops.all, "max")),
    "ReduceL1": _folding(_sum_of(ops.abs)),
    "ReduceL2": _folding(ops.norm),
    "ReduceSumSquare": _folding(_sum_of(ops.square)),
    "ReduceLogSum": _folding(_log_sum),
    "ReduceLogSumExp": _folding(ops.logsumexp),
    "ArgMax": _place_of(ops.argmax), "ArgMin": _place_of(ops.argmin),
    "CumSum": _running(ops.cumsum), "CumProd": _running(ops.cumprod),
    "TopK": _top_k,
})  # fmt: skip
"""The rule of each operator, by its ONNX name."""
