"""Rules of ONNX operators that write new elements over those at places, or join them with those.

ScatterElements   x = 0 0 0, places 2 0, new 5 6               6 0 5
ScatterND         places [[1, 0]], new [7]                     x[1, 0] is 7
TensorScatter     cache of 4, new 2, from place 3, circular    new[1] . . new[0]
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.onnx.step import Rule, Step
from cgkit.operators.indices import ARRAY, Span
from cgkit.operators.reduction import cast_count
from cgkit.operators.settings import normal_axis


def _reduction(step: Step) -> str:
    """Say how elements are joined; each version of the operator knows what it knows."""
    found = step.setting("reduction", "none")
    known = ["none", *["add", "mul"] * (step.opset >= 16), *["max", "min"] * (step.opset >= 18)]
    if found not in known:
        raise step.refuse(f"knows the reductions {', '.join(known)}, not {found!r:.60}")
    return str(found)


def _scatter_elements(step: Step, x: Any, places: Any, new: Any) -> Any:
    axis, reduction = step.setting("axis", 0), _reduction(step)
    return ops.scatter_elements(x, places, new, axis=axis, reduction=reduction)


def _scatter_nd(step: Step, x: Any, places: Any, new: Any) -> Any:
    return ops.scatter_nd(x, places, new, reduction=_reduction(step))


def _tensor_scatter(step: Step, cache: Any, new: Any, starts: Any = None) -> Any:
    mode = step.setting("mode", "linear")
    axis = normal_axis(step.setting("axis", -2), len(cache.shape))
    if mode not in ("linear", "circular") or axis == 0:
        raise step.refuse(f"cannot write along axis {axis} in mode {mode!r:.60}")
    places = ops.unsqueeze(ops.positions(new, axis=axis), axis=0)
    if starts is not None:
        places = places + ops.unsqueeze(starts, axis=1)
    if mode == "circular":
        places = ops.mod(places, cast_count(cache.shape[axis], places))
    lanes = ops.unsqueeze(ops.positions(cache, axis=0), axis=1)
    index = (ARRAY, ARRAY, *(Span(),) * (len(cache.shape) - 2))
    written = ops.put(
        ops.moveaxis(cache, axis, 1), ops.moveaxis(new, axis, 1), lanes, places, index=index
    )
    return ops.moveaxis(written, 1, axis)


RULES: Mapping[str, Rule] = MappingProxyType({
    "Scatter": _scatter_elements, "ScatterElements": _scatter_elements, "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
})  # fmt: skip
"""The rule of each operator, by its ONNX name."""
