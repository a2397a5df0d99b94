"""Rules of ONNX operators that multiply matrices.

Gemm     alpha * A' @ B' + beta * C, where A' is A, or turned with transA=1
Einsum   equation "bij,bjk->bik"
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.errors import ShapeError
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.step import Rule, Step
from cgkit.types import broadcast_shapes, meet_shapes, show_shape


def _scaled(x: Any, factor: float) -> Any:
    if factor == 1:
        return x
    if x.dtype.kind in "iu" and float(factor).is_integer():
        return ops.mul(x, int(factor))
    return in_dtype_of(x, ops.mul(x, factor))


def _gemm(step: Step, a: Any, b: Any, c: Any = None) -> Any:
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise step.refuse(
            f"multiplies two matrices, not {show_shape(a.shape)} and {show_shape(b.shape)}",
            attempt="MatMul, which takes any number of axes",
        )
    a = ops.transpose(a) if step.setting("transA", 0) else a
    b = ops.transpose(b) if step.setting("transB", 0) else b
    product = _scaled(ops.matmul(a, b), step.setting("alpha", 1.0))
    if c is None:
        return product
    _check_fits(step, tuple(c.shape), tuple(product.shape))
    return product + _scaled(c, step.setting("beta", 1.0))


def _check_fits(step: Step, added: Any, product: Any) -> None:
    """Demand that what is added stretches to the product, and not the other way round."""
    try:
        if step.opset < 7 and not step.setting("broadcast", 0):
            meet_shapes(added, product, "that of the product")
        meet_shapes(broadcast_shapes(added, product), product, "that of the product")
    except ShapeError as error:
        raise step.refuse(f"cannot add {show_shape(added)}: {error.what}") from None


def _einsum(step: Step, *operands: Any) -> Any:
    return ops.einsum(*operands, equation=step.setting("equation"))


RULES: Mapping[str, Rule] = MappingProxyType({"Gemm": _gemm, "Einsum": _einsum})
"""The rule of each operator, by its ONNX name."""
