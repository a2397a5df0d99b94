"""Rules of ONNX operators that work element by element: arithmetic, comparison, logic, casts.

    Add-7   (2, 3) + (3,)                          broadcast as NumPy does: the operator itself
    Add-6   (2, 3) + (2,), broadcast=1, axis=0     the second operand is laid along an axis: (2, 1)
    Div     7 / -2 of whole numbers                -3, rounded toward 0

A result has the dtype of the first operand, where NumPy would widen it. nan is treated as the text
of the specification says: ThresholdedRelu and Shrink give 0 for it, Max and Clip give nan.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.errors import ShapeError
from cgkit.node import Operator
from cgkit.onnx.step import Rule, Step
from cgkit.types import broadcast_shapes, meet_shapes, show_shape

LARGEST = 3.4028234663852886e38
"""The limits of Clip-6 where none is given: the largest float32, whatever the dtype."""


def in_dtype_of(x: Any, result: Any) -> Any:
    """Give a result in the dtype of an operand, where NumPy has widened it.

    Examples
    --------
    >>> in_dtype_of(np.float32([1]), np.float64([2])).dtype
    dtype('float32')
    """
    return result if result.dtype == x.dtype else ops.cast(result, dtype=x.dtype.name)


def _aligned(step: Step, a: Any, b: Any) -> Any:
    """Give the second operand as operator sets before 7 broadcast it: only if asked, at an axis."""
    if step.opset >= 7:
        return b
    if not step.setting("broadcast", 0):
        try:
            meet_shapes(tuple(a.shape), tuple(b.shape), "that of the second operand")
        except ShapeError as error:
            raise step.refuse(error.what, attempt="the attribute broadcast=1") from None
        return b
    axis = step.setting("axis", None)
    if axis is None:
        return b
    behind = len(a.shape) - axis - len(b.shape)
    if axis < 0 or behind < 0:
        raise step.refuse(
            f"cannot lay {show_shape(b.shape)} along {show_shape(a.shape)} from axis {axis} on"
        )
    return ops.reshape(b, shape=(*b.shape, *(1,) * behind))


def _binary(operator: Operator) -> Rule:
    def rule(step: Step, a: Any, b: Any) -> Any:
        return operator(a, _aligned(step, a, b))

    return rule


def _div(step: Step, a: Any, b: Any) -> Any:
    b = _aligned(step, a, b)
    if a.dtype.kind == "f":
        return ops.div(a, b)
    if a.dtype.kind == "u":  # none is negative
        return ops.floor_div(a, b)
    return ops.floor_div(a - ops.fmod(a, b), b)


def _mod(step: Step, a: Any, b: Any) -> Any:
    if step.setting("fmod", 0):
        return ops.fmod(a, b)
    if a.dtype.kind == "f" and step.opset < 28:
        raise step.refuse(f"takes whole numbers, not {a.dtype}", attempt="the attribute fmod=1")
    return ops.mod(a, b)


def _pow(step: Step, a: Any, b: Any) -> Any:
    b = _aligned(step, a, b)
    if a.dtype.kind != "i" or b.dtype.kind != "i":
        return in_dtype_of(a, ops.pow(a, b))
    if isinstance(b, np.ndarray | np.generic) and not np.any(np.less(b, 0)):
        return in_dtype_of(a, ops.pow(a, b))
    # 1 over a whole number is a fraction, of which whole numbers keep what stands before the point
    small = ops.pow(ops.cast(a, dtype="float64"), b)
    large = ops.pow(a, ops.maximum(b, 0))
    return in_dtype_of(a, ops.where(ops.less(b, 0), ops.cast(small, dtype=large.dtype.name), large))


def _variadic(operator: Operator) -> Rule:
    def rule(step: Step, *operands: Any) -> Any:
        return reduce(operator, operands)

    return rule


def _mean(step: Step, *operands: Any) -> Any:
    return ops.div(reduce(ops.add, operands), float(len(operands)))


def _prelu(step: Step, x: Any, slope: Any) -> Any:
    if step.opset < 7 and len(slope.shape) == 1 and len(x.shape) > 1:  # one for each channel
        slope = ops.reshape(slope, shape=(*slope.shape, *(1,) * (len(x.shape) - 2)))
    try:
        wide = broadcast_shapes(tuple(x.shape), tuple(slope.shape))
        meet_shapes(wide, tuple(x.shape), "that of the first operand")
    except ShapeError as error:
        raise step.refuse(
            f"cannot stretch slopes {show_shape(slope.shape)} to {show_shape(x.shape)}",
            attempt=error.attempt,
        ) from None
    return ops.prelu(x, slope)


def _clip(step: Step, x: Any, low: Any = None, high: Any = None) -> Any:
    if step.opset < 11:
        most = LARGEST if step.opset >= 6 else None
        low, high = step.setting("min", most and -most), step.setting("max", most)
        with np.errstate(over="ignore"):  # float16 has no such limits: they become inf
            low, high = (y if y is None else np.asarray(y).astype(x.dtype) for y in (low, high))
    return ops.clip(x, low, high)


def _cast(step: Step, x: Any) -> Any:
    to = step.setting("to")
    if isinstance(to, str):  # in operator sets before 6
        from onnx import TensorProto

        named = dict(TensorProto.DataType.items())
        if to not in named:
            raise step.refuse(f"there is no element type {to!r:.60}")
        to = named[to]
    return ops.cast(x, dtype=step.dtype(to).name)


def _bit_cast(step: Step, x: Any) -> Any:
    return ops.bitcast(x, dtype=step.dtype(step.setting("to")).name)


def _cast_like(step: Step, x: Any, like: Any) -> Any:
    return ops.cast_like(x, like)


def _bit_shift(step: Step, a: Any, b: Any) -> Any:
    direction = step.setting("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise step.refuse(f"shifts LEFT or RIGHT, not {direction!r:.60}")
    return ops.left_shift(a, b) if direction == "LEFT" else ops.right_shift(a, b)


def _is_inf(step: Step, x: Any) -> Any:
    below, above = step.setting("detect_negative", 1), step.setting("detect_positive", 1)
    if below and above:
        return ops.isinf(x)
    if not below and not above:
        return ops.less(x, x)
    return ops.equal(x, np.inf if above else -np.inf)


def _erf(step: Step, x: Any) -> Any:
    return in_dtype_of(x, ops.erf(x))


def _shrink(step: Step, x: Any) -> Any:
    limit, bias = step.setting("lambd", 0.5), step.setting("bias", 0.0)
    beyond = ops.where(ops.greater(x, limit), x - bias, 0.0)
    return in_dtype_of(x, ops.where(ops.less(x, -limit), x + bias, beyond))


RULES: Mapping[str, Rule] = MappingProxyType({
    "Add": _binary(ops.add), "Sub": _binary(ops.sub), "Mul": _binary(ops.mul), "Div": _div,
    "Mod": _mod, "Pow": _pow,
    "And": _binary(ops.logical_and), "Or": _binary(ops.logical_or),
    "Xor": _binary(ops.logical_xor), "BitShift": _bit_shift,
    "Equal": _binary(ops.equal), "Less": _binary(ops.less), "Greater": _binary(ops.greater),
    "Max": _variadic(ops.maximum), "Min": _variadic(ops.minimum), "Sum": _variadic(ops.add),
    "Mean": _mean, "Clip": _clip, "Cast": _cast, "CastLike": _cast_like, "BitCast": _bit_cast,
    "IsInf": _is_inf, "Erf": _erf, "Shrink": _shrink, "PRelu": _prelu,
})  # fmt: skip
"""The rule of each operator, by its ONNX name."""
