"""Exponentials, logarithms, trigonometric and hyperbolic functions of single numbers.

Each is within a unit or two in the last place everywhere, and total: outside its domain it gives
nan, beyond the largest number inf, where Python's own functions would stop with an error.
"""

from __future__ import annotations

import math


def exp(x: float) -> float:
    """Give e to the x; inf where that is too large."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def exp2(x: float) -> float:
    """Give 2 to the x; inf where that is too large."""
    return math.exp2(x) if x < 1024 or x != x else math.inf


def expm1(x: float) -> float:
    """Give e to the x, less 1, exactly near 0 too."""
    return math.expm1(x) if x < 40 or x != x else exp(x)


def log(x: float) -> float:
    """Give the natural logarithm: -inf at 0, nan below."""
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else math.log(x)


def log2(x: float) -> float:
    """Give the logarithm to base 2."""
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else math.log2(x)


def log10(x: float) -> float:
    """Give the logarithm to base 10."""
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else math.log10(x)


def log1p(x: float) -> float:
    """Give the natural logarithm of 1 + x, exactly near 0 too."""
    if x == -1:
        return -math.inf
    return math.nan if x < -1 else math.log1p(x)


def logaddexp(a: float, b: float) -> float:
    """Give the logarithm of e to the a plus e to the b, without overflow."""
    if a == b:
        return a + math.log(2)
    return max(a, b) + math.log1p(exp(-abs(a - b))) if a == a and b == b else a + b


def sqrt(x: float) -> float:
    """Give the square root; nan below 0."""
    return math.nan if x < 0 else math.sqrt(x)


def cbrt(x: float) -> float:
    """Give the cube root, of negative numbers too."""
    return math.cbrt(x)


def rsqrt(x: float) -> float:
    """Give 1 over the square root: inf at 0, nan below."""
    if x == 0:
        return math.copysign(math.inf, x)
    return math.nan if x < 0 else 1 / math.sqrt(x)


def hypot(a: float, b: float) -> float:
    """Give the length of the side opposite a right angle, without overflow on the way."""
    return math.hypot(a, b)


def sin(x: float) -> float:
    """Give the sine; nan at infinities."""
    return math.nan if math.isinf(x) else math.sin(x)


def cos(x: float) -> float:
    """Give the cosine; nan at infinities."""
    return math.nan if math.isinf(x) else math.cos(x)


def tan(x: float) -> float:
    """Give the tangent; nan at infinities."""
    return math.nan if math.isinf(x) else math.tan(x)


def asin(x: float) -> float:
    """Give the angle whose sine is x; nan outside -1 to 1."""
    return math.nan if abs(x) > 1 else math.asin(x)


def acos(x: float) -> float:
    """Give the angle whose cosine is x; nan outside -1 to 1."""
    return math.nan if abs(x) > 1 else math.acos(x)


def atan(x: float) -> float:
    """Give the angle whose tangent is x."""
    return math.atan(x)


def atan2(a: float, b: float) -> float:
    """Give the angle of the point b to the right and a up."""
    return math.atan2(a, b)


def sinh(x: float) -> float:
    """Give the hyperbolic sine."""
    if abs(x) < 700 or x != x:
        return math.sinh(x)
    half = exp(abs(x) / 2)
    return math.copysign(half / 2 * half, x)


def cosh(x: float) -> float:
    """Give the hyperbolic cosine."""
    if abs(x) < 700 or x != x:
        return math.cosh(x)
    half = exp(abs(x) / 2)
    return half / 2 * half


def tanh(x: float) -> float:
    """Give the hyperbolic tangent."""
    return math.tanh(x)


def asinh(x: float) -> float:
    """Give the number whose hyperbolic sine is x."""
    return math.asinh(x)


def acosh(x: float) -> float:
    """Give the positive number whose hyperbolic cosine is x; nan below 1."""
    return math.nan if x < 1 else math.acosh(x)


def atanh(x: float) -> float:
    """Give the number whose hyperbolic tangent is x: inf at 1, nan beyond."""
    if abs(x) == 1:
        return math.copysign(math.inf, x)
    return math.nan if abs(x) > 1 else math.atanh(x)


def erf(x: float) -> float:
    """Give the error function: how much of a bell curve lies within x * sqrt(2) deviations."""
    return math.erf(x)


def erfc(x: float) -> float:
    """Give 1 - erf(x), exactly where that is tiny too."""
    return math.erfc(x)
