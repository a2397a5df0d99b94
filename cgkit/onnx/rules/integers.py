"""Rules of products of small integers: ConvInteger, MatMulInteger.

    (x - zero of x) * (w - zero of w)  ─>  int32

A zero point is one number for a whole tensor, or one for each row of the left or each column of the
right operand (for each kernel, of a convolution).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.onnx.rules.convolution import conv
from cgkit.onnx.step import Rule, Step


def conv_integer(step: Step, x: Any, w: Any, x_zero: Any = None, w_zero: Any = None) -> Any:
    """Slide kernels of small integers over images of such."""
    return conv(step, _from_zero(x, x_zero), _from_zero(w, w_zero, behind=len(w.shape) - 1))


def matmul_integer(step: Step, a: Any, b: Any, a_zero: Any = None, b_zero: Any = None) -> Any:
    """Multiply matrices of small integers."""
    return ops.matmul(_from_zero(a, a_zero, behind=len(a.shape) > 1), _from_zero(b, b_zero))


def _from_zero(x: Any, zero: Any, behind: int = 0) -> Any:
    """Give int32 numbers counted from a zero point; several of them have so many axes behind."""
    wide = ops.cast(x, dtype="int32")
    if zero is None:
        return wide
    zero = ops.cast(zero, dtype="int32")
    if len(zero.shape) == 1:
        alone = isinstance(zero.shape[0], int) and zero.shape[0] == 1
        zero = ops.reshape(zero, shape=() if alone else (*zero.shape, *(1,) * behind))
    return ops.sub(wide, zero)


RULES: Mapping[str, Rule] = MappingProxyType(
    {"ConvInteger": conv_integer, "MatMulInteger": matmul_integer}
)
