"""Activations of single numbers, without overflow or cancellation on the way.

Where a formula is x times something that vanishes, -inf gives nan, as it does in arrays.
"""

from __future__ import annotations

import math

from cgkit.scalars.curves import erfc, exp, expm1


def relu(x: float) -> float:
    """Give x where it is positive, else 0; nan stays nan."""
    return x if x > 0 or x != x else 0.0


def leak(g: float, a: float, b: float) -> float:
    """Give g where a is positive, else g times b; nan where a is."""
    if a > 0:
        return g
    return g * b if a == a else a


def leaky_relu(x: float, alpha: float = 0.01) -> float:
    """Give x where it is positive, else alpha times x."""
    return x if x > 0 else alpha * x


def prelu(a: float, b: float) -> float:
    """Give a where it is positive, else a times b."""
    return a if a > 0 else a * b


def elu(x: float, alpha: float = 1.0) -> float:
    """Give x where it is positive, else a curve that levels off at -alpha."""
    return x if x > 0 else alpha * expm1(x)


def celu(x: float, alpha: float = 1.0) -> float:
    """Give elu with a bend that has no edge at 0, whatever alpha."""
    return x if x > 0 else alpha * expm1(x / alpha)


SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


def selu(x: float, alpha: float = SELU_ALPHA, scale: float = SELU_SCALE) -> float:
    """Give elu, scaled so that layers keep mean 0 and variance 1."""
    return scale * elu(x, alpha)


def sigmoid(x: float) -> float:
    """Give 1 / (1 + e to the -x), without overflow."""
    if x >= 0:
        return 1 / (1 + exp(-x))
    power = exp(x)
    return power / (1 + power)


def silu(x: float) -> float:
    """Give x times sigmoid(x)."""
    return x * sigmoid(x)


def softplus(x: float) -> float:
    """Give log(1 + e to the x): relu with a round corner."""
    return max(x, 0.0) + math.log1p(exp(-abs(x))) if x == x else x


def mish(x: float) -> float:
    """Give x times tanh(softplus(x))."""
    power = exp(-abs(x))
    if x >= 0:
        return x * (1 + 2 * power) / (1 + 2 * power * (1 + power))
    rest = power * (power + 2)
    return x * rest / (rest + 2)


def softsign(x: float) -> float:
    """Give x / (1 + abs(x))."""
    return x / (1 + abs(x))


def gelu(x: float, approximate: str = "none") -> float:
    """Give x times the part of a bell curve that lies below x, exactly or by a tanh."""
    if approximate == "tanh":
        return x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    return x * (0.5 * erfc(-x * math.sqrt(0.5)))
