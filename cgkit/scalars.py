"""Plain functions of single numbers: what each elementwise operator means for one element.

    elementwise.tanh.scalar = scalars.tanh        the reference; generated kernels use faster twins

Each follows NumPy at infinities and nan, so that a kernel made of them gives what arrays give.
"""

from __future__ import annotations

import math


def exp(x: float) -> float:
    """Give e to the x; inf where that is too large."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log(x: float) -> float:
    """Give the natural logarithm: -inf at 0, nan below."""
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else math.log(x)


def sqrt(x: float) -> float:
    """Give the square root; nan below 0."""
    return math.nan if x < 0 else math.sqrt(x)


def tanh(x: float) -> float:
    """Give the hyperbolic tangent."""
    return math.tanh(x)


def sigmoid(x: float) -> float:
    """Give 1 / (1 + e to the -x), without overflow."""
    if x >= 0:
        return 1 / (1 + exp(-x))
    power = exp(x)
    return power / (1 + power)


def relu(x: float) -> float:
    """Give x where it is positive, else 0; nan stays nan."""
    return x if x > 0 or x != x else 0.0


def divide(a: float, b: float) -> float:
    """Divide as arrays do: a signed infinity or nan over 0."""
    if b != 0:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def power(a: float, b: float) -> float:
    """Raise a to the b; nan where that is no real number."""
    if a < 0 and math.isfinite(a) and math.isfinite(b) and b != int(b):
        return math.nan
    try:
        result: float = a**b
    except ZeroDivisionError:
        odd = b == int(b) and int(b) % 2 == 1
        return math.copysign(math.inf, a) if odd else math.inf
    except OverflowError:
        odd = b == int(b) and int(b) % 2 == 1
        return -math.inf if a < 0 and odd else math.inf
    return result


def maximum(a: float, b: float) -> float:
    """Give the larger; nan if either is."""
    return a if a > b or a != a else b


def minimum(a: float, b: float) -> float:
    """Give the smaller; nan if either is."""
    return a if a < b or a != a else b


def sign(x: float) -> float:
    """Give 1, 0 or -1; nan stays nan."""
    return (x > 0) - (x < 0) if x == x else x


