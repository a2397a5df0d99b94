"""Powers, roots, exponentials and logarithms beside those of `elementwise`.

    square  reciprocal  rsqrt  cbrt  hypot          log2  log10  log1p       erf
    exp2  expm1  logaddexp                            log(1 + x), exact near 0  erfc

Where a slope is infinite (cbrt and rsqrt at 0, log1p at -1) it is given as inf. hypot is the length
of a vector, and as for every length its slope at 0 is 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cgkit import scalars
from cgkit.node import Operator
from cgkit.operators import error_function
from cgkit.operators.elementwise import (
    div,
    elementwise,
    equal,
    exp,
    infer_like,
    neg,
    quiet,
    sigmoid,
    sub,
    where,
)
from cgkit.operators.samples import apart_pairs, pairs, positives, reals, values

_infer_quotient = infer_like("reciprocal", np.divide)

square: Operator = elementwise(
    "square", np.square, compute=quiet(np.square), label="²", scalar=lambda a: a * a,
    samples=values, doc="a times a", gradient=(lambda g, y, a: g * (a + a),), saves=("a",),
)  # fmt: skip
reciprocal: Operator = elementwise(
    "reciprocal", np.reciprocal, compute=quiet(lambda a: np.divide(1, a)), label="1/",
    infer=lambda a: _infer_quotient(a, a), scalar=lambda a: scalars.divide(1.0, a),
    samples=reals, doc="1 / a", gradient=(lambda g, y, a: neg(g * y * y),), saves=("y",),
    onnx="Reciprocal",
)  # fmt: skip
rsqrt: Operator = elementwise(
    "rsqrt", np.sqrt, compute=quiet(lambda a: np.divide(1, np.sqrt(a))), label="1/sqrt",
    scalar=scalars.rsqrt, samples=positives, doc="1 over the square root of a",
    gradient=(lambda g, y, a: g * y * y * y * -0.5,), saves=("y",),
)  # fmt: skip
cbrt: Operator = elementwise(
    "cbrt", np.cbrt, compute=quiet(np.cbrt), scalar=scalars.cbrt, samples=reals,
    doc="the cube root of a, of negative numbers too; its derivative at 0 is inf",
    gradient=(lambda g, y, a: div(g, y * y * 3.0),), saves=("y",),
)  # fmt: skip
hypot: Operator = elementwise(
    "hypot", np.hypot, compute=quiet(np.hypot), scalar=scalars.hypot, samples=apart_pairs,
    doc="the square root of a² + b², without overflow on the way; its derivative at 0 is 0",
    gradient=(
        lambda g, y, a, b: g * div(a, where(equal(y, 0), 1.0, y)),
        lambda g, y, a, b: g * div(b, where(equal(y, 0), 1.0, y)),
    ),
    saves=("ay", "by"),
)  # fmt: skip

exp2: Operator = elementwise(
    "exp2", np.exp2, compute=quiet(np.exp2), scalar=scalars.exp2, samples=values,
    doc="2 to the a", gradient=(lambda g, y, a: g * y * math.log(2),), saves=("y",),
)  # fmt: skip
expm1: Operator = elementwise(
    "expm1", np.expm1, compute=quiet(np.expm1), scalar=scalars.expm1, samples=values,
    doc="e to the a, less 1, exactly near 0 too",
    gradient=(lambda g, y, a: g * exp(a),), saves=("a",),
)  # fmt: skip
log1p: Operator = elementwise(
    "log1p", np.log1p, compute=quiet(np.log1p), scalar=scalars.log1p, samples=positives,
    doc="the natural logarithm of 1 + a, exactly near 0 too",
    gradient=(lambda g, y, a: div(g, a + 1.0),), saves=("a",),
)  # fmt: skip
log2: Operator = elementwise(
    "log2", np.log2, compute=quiet(np.log2), scalar=scalars.log2, samples=positives,
    doc="the logarithm of a to base 2",
    gradient=(lambda g, y, a: div(g, a * math.log(2)),), saves=("a",),
)  # fmt: skip
log10: Operator = elementwise(
    "log10", np.log10, compute=quiet(np.log10), scalar=scalars.log10, samples=positives,
    doc="the logarithm of a to base 10",
    gradient=(lambda g, y, a: div(g, a * math.log(10)),), saves=("a",),
)  # fmt: skip
logaddexp: Operator = elementwise(
    "logaddexp", np.logaddexp, compute=quiet(np.logaddexp), scalar=scalars.logaddexp,
    samples=pairs, doc="the logarithm of e to the a plus e to the b, without overflow",
    gradient=(
        lambda g, y, a, b: g * sigmoid(sub(a, b)),
        lambda g, y, a, b: g * sigmoid(sub(b, a)),
    ),
    saves=("ab", "ab"),
)  # fmt: skip


def _bell(g: Any, a: Any, height: float) -> Any:
    return g * exp(neg(a * a)) * height


PEAK = 2 / math.sqrt(math.pi)
erf: Operator = elementwise(
    "erf", np.exp, compute=quiet(error_function.erf), scalar=scalars.erf, samples=values,
    doc="the error function: the part of a bell curve within a times sqrt 2 deviations",
    gradient=(lambda g, y, a: _bell(g, a, PEAK),), saves=("a",), onnx="Erf",
)  # fmt: skip
erfc: Operator = elementwise(
    "erfc", np.exp, compute=quiet(error_function.erfc), scalar=scalars.erfc, samples=values,
    doc="1 - erf(a), with all its digits where that is tiny",
    gradient=(lambda g, y, a: _bell(g, a, -PEAK),), saves=("a",),
)  # fmt: skip
