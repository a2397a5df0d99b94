"""Powers, roots, logarithms and angles that ONNX has no operator for, made of those it has.

    log1p(a)      log(u) * a / (u - 1) with u = 1 + a: what u has lost, both lose
    expm1(a)      near 0 by 2 t / (1 - t) with t = tanh(a / 2), which loses nothing there
    atan2(a, b)   the angle within an eighth of the circle, then turned to where (b, a) lies

Digits are lost where ONNX has no words for them: erfc is 1 - erf, so its tail is 0 from 6 on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.exporting.reduction import floats
from cgkit.onnx.exporting.writer import Rule


def _hypot(a: Any, b: Any) -> Any:
    """Take the longer side out of the root, so that no square overflows."""
    a, b = ops.abs(a), ops.abs(b)
    longer, shorter = ops.maximum(a, b), ops.minimum(a, b)
    ratio = ops.div(shorter, ops.where(ops.equal(longer, 0), 1.0, longer))
    length = longer * ops.sqrt(ratio * ratio + 1.0)
    return ops.where(ops.logical_or(ops.isinf(a), ops.isinf(b)), np.inf, length)


def _expm1(a: Any) -> Any:
    half = ops.tanh(a * 0.5)
    near = ops.div(half + half, 1.0 - half)
    return ops.where(ops.less(ops.abs(a), 1.0), near, ops.exp(a) - 1.0)


def _log1p(a: Any) -> Any:
    above = a + 1.0
    less = above - 1.0
    plain = ops.logical_or(ops.equal(less, 0), ops.isinf(above))
    kept = ops.where(plain, 1.0, less)
    bent = ops.log(above)
    return ops.where(ops.equal(less, 0), a, bent * ops.div(ops.where(plain, 1.0, a), kept))


def _logaddexp(a: Any, b: Any) -> Any:
    a, b = floats(a), floats(b)
    apart = ops.maximum(a, b) + ops.log1p(ops.exp(ops.neg(ops.abs(a - b))))
    return ops.where(ops.equal(a, b), a + math.log(2), apart)


def _cbrt(a: Any) -> Any:
    a = floats(a)
    return ops.sign(a) * ops.pow(ops.abs(a), 1 / 3)


def _below(x: Any) -> Any:
    """Whether a number is negative, -0 included."""
    return ops.logical_or(ops.less(x, 0), ops.less(ops.reciprocal(x), 0))


def _atan2(a: Any, b: Any) -> Any:
    up, right = ops.abs(a), ops.abs(b)
    longer, shorter = ops.maximum(up, right), ops.minimum(up, right)
    ratio = ops.div(shorter, ops.where(ops.equal(longer, 0), 1.0, longer))
    ratio = ops.where(ops.logical_and(ops.isinf(up), ops.isinf(right)), 1.0, ratio)
    angle = ops.atan(ratio)
    angle = ops.where(ops.greater(up, right), math.pi / 2 - angle, angle)
    angle = ops.where(_below(b), math.pi - angle, angle)
    return ops.where(_below(a), ops.neg(angle), angle)


FORMULAS: Mapping[str, Rule] = MappingProxyType({
    "square": lambda a: a * a,
    "rsqrt": lambda a: ops.reciprocal(ops.sqrt(a)),
    "cbrt": _cbrt, "hypot": _hypot, "expm1": _expm1, "log1p": _log1p, "logaddexp": _logaddexp,
    "exp2": lambda a: ops.pow(2.0, a),
    "log2": lambda a: ops.log(a) * (1 / math.log(2)),
    "log10": lambda a: ops.log(a) * (1 / math.log(10)),
    "erfc": lambda a: 1.0 - ops.erf(a),
    "below_one": lambda a: (1.0 - a) * (a + 1.0),
    "atan2": _atan2,
})  # fmt: skip
