"""Sums, quotients, choices and bits of single numbers, as arrays have them at every corner."""

from __future__ import annotations

import math


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


def share(g: float, a: float, b: float, tie: float = 0.5) -> float:
    """Give g where a > b, a part of it where they are equal, else 0; nan if either is."""
    if a > b:
        return g
    if a == b:
        return g * tie
    return 0.0 if a < b else a + b


def floor(x: float) -> float:
    """Round down."""
    return math.copysign(math.floor(x), x) if math.isfinite(x) and x % 1 != 0 else x


def ceil(x: float) -> float:
    """Round up."""
    return math.copysign(math.ceil(x), x) if math.isfinite(x) and x % 1 != 0 else x


def nearest(x: float) -> float:
    """Round to the nearest whole number, from halfway to the even one."""
    return math.copysign(round(x), x) if math.isfinite(x) and x % 1 != 0 else x


def trunc(x: float) -> float:
    """Round toward 0."""
    return math.copysign(math.trunc(x), x) if math.isfinite(x) and x % 1 != 0 else x


def floor_div(a: float, b: float) -> float:
    """Divide and round down; whole numbers over 0 give 0."""
    if b != 0:
        return a // b
    return 0 if isinstance(a, int) and isinstance(b, int) else divide(a, b)


def mod(a: float, b: float) -> float:
    """Give what floor_div leaves, of b's sign; of whole numbers by 0 it leaves 0."""
    if b != 0:
        return a % b
    return 0 if isinstance(a, int) and isinstance(b, int) else math.nan


def fmod(a: float, b: float) -> float:
    """Give what a division rounded toward 0 leaves, of a's sign."""
    if b == 0:
        return mod(a, b)
    rest = abs(a) % abs(b)
    return rest if a > 0 else -rest if a < 0 else a - rest


def flip(a: int) -> int:
    """Turn every bit over; a truth value is one bit."""
    return not a if isinstance(a, bool) else ~a


def shift_left(a: int, b: int) -> int:
    """Move bits to the left; all fall out where that is more than there are, or less than 0."""
    return a << b if 0 <= b < 64 else 0


def shift_right(a: int, b: int) -> int:
    """Move bits to the right; the sign comes in from the left."""
    return a >> b if 0 <= b < 64 else -(a < 0)
