"""Curves of single numbers follow NumPy at every corner, and never stop with an error."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgkit import scalars

ONE = (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
)  # fmt: skip
TWO = {"hypot": np.hypot, "atan2": np.arctan2, "logaddexp": np.logaddexp}


@pytest.mark.parametrize("name", ONE)
@given(x=st.floats(width=64))
@example(x=-745.2)
@example(x=709.9)
@example(x=1e-9)
def test_functions_of_one_number(name, check, x):
    with np.errstate(all="ignore"):
        check(getattr(scalars, name)(x), getattr(np, name)(np.float64(x)), x)


@pytest.mark.parametrize("name", ONE)
def test_every_corner(name, check, corners):
    for x in corners:
        with np.errstate(all="ignore"):
            check(getattr(scalars, name)(x), getattr(np, name)(np.float64(x)), x)


@pytest.mark.parametrize("name", TWO)
@given(a=st.floats(width=64), b=st.floats(width=64))
def test_functions_of_two_numbers(name, check, a, b):
    if name == "logaddexp" and abs(a + b) < 1:
        return  # near 0 two terms cancel, and rounding is all that is left
    with np.errstate(all="ignore"):
        expected = TWO[name](np.float64(a), np.float64(b))
    check(getattr(scalars, name)(a, b), expected, a, b)


@pytest.mark.parametrize("name", TWO)
def test_every_pair_of_corners(name, check, corners):
    for a in corners:
        for b in corners:
            with np.errstate(all="ignore"):
                expected = TWO[name](np.float64(a), np.float64(b))
            check(getattr(scalars, name)(a, b), expected, a, b)


@pytest.mark.parametrize(
    ("x", "expected"),
    [(4.0, 0.5), (0.0, math.inf), (-0.0, -math.inf), (math.inf, 0), (-1.0, math.nan)],
)
def test_rsqrt(check, x, expected):
    check(scalars.rsqrt(x), expected, x)


def test_error_functions():
    assert scalars.erf(math.inf) == 1
    assert scalars.erfc(27.0) == pytest.approx(5.237048923789255e-319, rel=1e-4, abs=0)
    assert math.isnan(scalars.erf(math.nan))
