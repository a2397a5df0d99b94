"""Rounding, what a division leaves over, and limits.

    -3.5 ─ floor ─> -4   ceil ─> -3   trunc ─> -3   round ─> -4 (halves go to the even one)

                        floor_div(-7, 3) = -3   mod(-7, 3) = 2      -7 = 3 * -3 + 2, as in Python
                        trunc(-7 / 3)    = -2   fmod(-7, 3) = -1    -7 = 3 * -2 - 1, as in C

Rounding is flat, so its gradient is 0, and a step has none. Limits pass the gradient on inside and
on the edge, nothing outside: `clip` is a limit from below and one from above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cgkit import scalars
from cgkit.node import Operator
from cgkit.operators.elementwise import elementwise, gate, neg, quiet, share
from cgkit.operators.samples import pairs, reals


def _rounding(
    name: str, compute: Callable[..., Any], scalar: Any, doc: str, *, onnx: str = ""
) -> Operator:
    """Define a rounding; whole numbers and booleans stay what they are."""
    return elementwise(
        name, np.floor, compute=quiet(compute), scalar=scalar, samples=reals, doc=doc,
        gradient=(lambda g, y, a: gate(g, -1.0),), onnx=onnx,
    )  # fmt: skip


def _nearest(a: Any) -> Any:
    # np.rint would turn whole numbers into floats
    return np.rint(a) if np.asarray(a).dtype.kind == "f" else np.trunc(a)


floor: Operator = _rounding(
    "floor", np.floor, scalars.floor, "the largest whole number up to a", onnx="Floor"
)
ceil: Operator = _rounding(
    "ceil", np.ceil, scalars.ceil, "the smallest whole number from a on", onnx="Ceil"
)
trunc: Operator = _rounding("trunc", np.trunc, scalars.trunc, "a without its fraction")
round_: Operator = _rounding(
    "round", _nearest, scalars.nearest, "the whole number nearest to a; of two, the even one",
    onnx="Round",
)  # fmt: skip

floor_div: Operator = elementwise(
    "floor_div", np.floor_divide, compute=quiet(np.floor_divide), label="//",
    scalar=scalars.floor_div, samples=pairs, doc="a / b rounded down; whole numbers over 0 give 0",
    gradient=(lambda g, y, a, b: gate(g, -1.0), lambda g, y, a, b: gate(g, -1.0)),
)  # fmt: skip
mod: Operator = elementwise(
    "mod", np.mod, compute=quiet(np.mod), label="%", scalar=scalars.mod, samples=pairs,
    doc="what floor_div leaves over, of b's sign, as Python's %",
    gradient=(lambda g, y, a, b: g, lambda g, y, a, b: neg(g * floor_div(a, b))),
    saves=("", "ab"),
)  # fmt: skip
fmod: Operator = elementwise(
    "fmod", np.fmod, compute=quiet(np.fmod), scalar=scalars.fmod, samples=pairs,
    doc="what a division rounded toward 0 leaves over, of a's sign, as C's fmod",
    gradient=(lambda g, y, a, b: g, lambda g, y, a, b: neg(g * trunc(a / b))),
    saves=("", "ab"),
)  # fmt: skip

at_least: Operator = elementwise(
    "at_least", np.maximum, label="max", scalar=scalars.maximum, samples=pairs,
    doc="a, but at least b: maximum, except that at equals a keeps the whole gradient",
    gradient=(
        lambda g, y, a, b: share(g, a, b, tie=1.0),
        lambda g, y, a, b: share(g, b, a, tie=0.0),
    ),
    saves=("ab", "ab"),
)  # fmt: skip
at_most: Operator = elementwise(
    "at_most", np.minimum, label="min", scalar=scalars.minimum, samples=pairs,
    doc="a, but at most b: minimum, except that at equals a keeps the whole gradient",
    gradient=(
        lambda g, y, a, b: share(g, b, a, tie=1.0),
        lambda g, y, a, b: share(g, a, b, tie=0.0),
    ),
    saves=("ab", "ab"),
)  # fmt: skip


def clip(a: Any, low: Any = None, high: Any = None) -> Any:
    """Keep elements between limits; where the limits cross, the upper one holds.

    Parameters
    ----------
    a
        Of any shape.
    low, high
        Numbers, or tensors that broadcast with a; None for no limit on that side.

    Returns
    -------
    tensor
        Its gradient is that of a inside and on the limits, 0 outside, where the limit gets it.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> clip(Tensor([-2.0, 0.5, 3.0]), -1.0, 1.0)
    Tensor([-1. ,  0.5,  1. ])
    >>> clip(Tensor([-2.0, 0.5, 3.0]), high=1.0)
    Tensor([-2. ,  0.5,  1. ])
    """
    if low is not None:
        a = at_least(a, low)
    if high is not None:
        a = at_most(a, high)
    return a


COMPOSED = (clip,)
