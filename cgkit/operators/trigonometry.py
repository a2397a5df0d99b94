"""Trigonometric and hyperbolic functions and their inverses; tanh is in `elementwise`.

    sin cos tan      asin acos atan atan2(up, right)        angles in radians
    sinh cosh        asinh acosh atanh

Outside its domain a function gives nan. The slopes of inverses are written so that neither 1 - a²
loses digits near 1 nor 1 + a² overflows far out, and second slopes at the edges are inf, not nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit import scalars
from cgkit.node import Operator
from cgkit.operators.elementwise import as_floats, div, elementwise, equal, neg, quiet, sqrt, where
from cgkit.operators.powers import hypot
from cgkit.operators.samples import apart_pairs, beyonds, insides, values


def _below_one(a: Any) -> Any:
    x = as_floats(a)
    return (1 - x) * (1 + x)


below_one: Operator = elementwise(
    "below_one", np.exp, compute=quiet(_below_one), label="1 - a²",
    scalar=lambda a: (1 - a) * (1 + a), samples=values,
    doc="1 - a², with all its digits near 1: in the slopes of asin, acos and atanh",
    gradient=(lambda g, y, a: neg(g * (a + a)),), saves=("a",),
)  # fmt: skip
sin: Operator = elementwise(
    "sin", np.sin, compute=quiet(np.sin), scalar=scalars.sin, samples=values,
    doc="the sine of a", gradient=(lambda g, y, a: g * cos(a),), saves=("a",), onnx="Sin",
)  # fmt: skip
cos: Operator = elementwise(
    "cos", np.cos, compute=quiet(np.cos), scalar=scalars.cos, samples=values,
    doc="the cosine of a", gradient=(lambda g, y, a: neg(g * sin(a)),), saves=("a",), onnx="Cos",
)  # fmt: skip
tan: Operator = elementwise(
    "tan", np.tan, compute=quiet(np.tan), scalar=scalars.tan, samples=insides,
    doc="the tangent of a", gradient=(lambda g, y, a: g * (y * y + 1.0),), saves=("y",), onnx="Tan",
)  # fmt: skip
asin: Operator = elementwise(
    "asin", np.asin, compute=quiet(np.asin), scalar=scalars.asin, samples=insides,
    doc="the angle whose sine is a", saves=("a",),
    gradient=(lambda g, y, a: div(g, sqrt(below_one(a))),), onnx="Asin",
)  # fmt: skip
acos: Operator = elementwise(
    "acos", np.acos, compute=quiet(np.acos), scalar=scalars.acos, samples=insides,
    doc="the angle whose cosine is a", saves=("a",),
    gradient=(lambda g, y, a: neg(div(g, sqrt(below_one(a)))),), onnx="Acos",
)  # fmt: skip
atan: Operator = elementwise(
    "atan", np.atan, compute=quiet(np.atan), scalar=scalars.atan, samples=values,
    doc="the angle whose tangent is a", saves=("a",),
    gradient=(lambda g, y, a: div(g, a * a + 1.0),), onnx="Atan",
)  # fmt: skip


def _over_square(g: Any, side: Any, a: Any, b: Any) -> Any:
    """Give g times a side over the square of the length, which may overflow; 0 for no length."""
    length = hypot(a, b)
    length = where(equal(length, 0), 1.0, length)
    return g * div(div(side, length), length)


atan2: Operator = elementwise(
    "atan2", np.atan2, compute=quiet(np.atan2), scalar=scalars.atan2, samples=apart_pairs,
    doc="the angle of the point that lies a up and b to the right; its derivative at 0, 0 is 0",
    gradient=(
        lambda g, y, a, b: _over_square(g, b, a, b),
        lambda g, y, a, b: neg(_over_square(g, a, a, b)),
    ),
    saves=("ab", "ab"),
)  # fmt: skip

sinh: Operator = elementwise(
    "sinh", np.sinh, compute=quiet(np.sinh), scalar=scalars.sinh, samples=values,
    doc="the hyperbolic sine of a", gradient=(lambda g, y, a: g * cosh(a),), saves=("a",),
    onnx="Sinh",
)  # fmt: skip
cosh: Operator = elementwise(
    "cosh", np.cosh, compute=quiet(np.cosh), scalar=scalars.cosh, samples=values,
    doc="the hyperbolic cosine of a", gradient=(lambda g, y, a: g * sinh(a),), saves=("a",),
    onnx="Cosh",
)  # fmt: skip
asinh: Operator = elementwise(
    "asinh", np.asinh, compute=quiet(np.asinh), scalar=scalars.asinh, samples=values,
    doc="the number whose hyperbolic sine is a", saves=("a",),
    gradient=(lambda g, y, a: div(g, hypot(a, 1.0)),), onnx="Asinh",
)  # fmt: skip
acosh: Operator = elementwise(
    "acosh", np.acosh, compute=quiet(np.acosh), scalar=scalars.acosh, samples=beyonds,
    doc="the positive number whose hyperbolic cosine is a", saves=("a",),
    gradient=(lambda g, y, a: div(div(g, sqrt(a - 1.0)), sqrt(a + 1.0)),), onnx="Acosh",
)  # fmt: skip
atanh: Operator = elementwise(
    "atanh", np.atanh, compute=quiet(np.atanh), scalar=scalars.atanh, samples=insides,
    doc="the number whose hyperbolic tangent is a", saves=("a",),
    gradient=(lambda g, y, a: div(g, below_one(a)),), onnx="Atanh",
)  # fmt: skip
