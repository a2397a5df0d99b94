"""Rules of ONNX operators that bend numbers: relu and its kin, softmax and its kin.

    LeakyRelu  alpha=0.01          leaky_relu(x, alpha=0.01)
    Softmax-13 axis=-1             softmax along one axis
    Softmax-11 axis=1              softmax along all axes from this one on, as if laid end to end

Defaults are those of the operator sets, which are float32 numbers: 0.009999999776482582.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.onnx.step import Rule, Step
from cgkit.operators.settings import normal_axis
from cgkit.types import count, value_of

TENTH_OF_TENTH, FIFTH = 0.009999999776482582, 0.20000000298023224


def _with(act: Callable[..., Any], **settings: tuple[str, float | str]) -> Rule:
    """Make a rule of a function: for each of its settings the attribute, and what holds without."""

    def rule(step: Step, x: Any) -> Any:
        given = {name: step.setting(*attribute) for name, attribute in settings.items()}
        return act(x, **given)

    return rule


def _gelu(step: Step, x: Any) -> Any:
    return ops.gelu(x, approximate=step.setting("approximate", "none"))


def _hard_swish(step: Step, x: Any) -> Any:
    return ops.hard_swish(x)


def _selu(step: Step, x: Any) -> Any:
    old = step.opset < 6
    alpha = step.setting("alpha", 1.673200011253357 if old else 1.6732631921768188)
    gamma = step.setting("gamma", 1.0506999492645264 if old else 1.0507010221481323)
    return ops.selu(x, alpha=alpha, scale=gamma)


def _thresholded_relu(step: Step, x: Any) -> Any:
    return ops.where(ops.greater(x, step.setting("alpha", 1.0)), x, 0.0)


def _line(step: Step, x: Any) -> int | tuple[int, ...]:
    """Give the axes along which scores compete."""
    rank = len(x.shape)
    if step.opset >= 13:
        return normal_axis(step.setting("axis", -1), rank)
    return tuple(range(_from(step, rank), rank))


def _from(step: Step, rank: int) -> int:
    """Give the axis from which on the axes are as one, in operator sets before 13."""
    axis = int(step.setting("axis", 1))
    if not -rank <= axis <= rank:
        raise step.refuse(f"has no axis {axis} in a tensor of {rank} axes")
    return axis + rank if axis < 0 else axis


def _softmax(step: Step, x: Any) -> Any:
    return ops.softmax(x, axis=_line(step, x))


def _log_softmax(step: Step, x: Any) -> Any:
    return ops.log_softmax(x, axis=_line(step, x))


def _hardmax(step: Step, x: Any) -> Any:
    if any(value_of(size) == 0 for size in x.shape):
        return x
    if step.opset >= 13:
        return _first_largest(x, normal_axis(step.setting("axis", -1), len(x.shape)))
    at = _from(step, len(x.shape))
    lines = ops.reshape(x, shape=(count(x.shape[:at]), count(x.shape[at:])))
    return ops.reshape(_first_largest(lines, 1), shape=tuple(x.shape))


def _first_largest(x: Any, axis: int) -> Any:
    places = ops.argmax(x, axis=axis)
    return ops.one_hot(places, size=x.shape[axis], axis=axis, dtype=x.dtype.name)


RULES: Mapping[str, Rule] = MappingProxyType({
    "Elu": _with(ops.elu, alpha=("alpha", 1.0)),
    "Celu": _with(ops.celu, alpha=("alpha", 1.0)),
    "Selu": _selu,
    "LeakyRelu": _with(ops.leaky_relu, alpha=("alpha", TENTH_OF_TENTH)),
    "HardSigmoid": _with(ops.hard_sigmoid, alpha=("alpha", FIFTH), beta=("beta", 0.5)),
    "HardSwish": _hard_swish,
    "Swish": _with(ops.swish, beta=("alpha", 1.0)),
    "Gelu": _gelu,
    "ThresholdedRelu": _thresholded_relu,
    "Softmax": _softmax, "LogSoftmax": _log_softmax, "Hardmax": _hardmax,
})  # fmt: skip
"""The rule of each operator, by its ONNX name."""
