"""Arithmetic of single numbers follows NumPy at every corner, for floats and whole numbers."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgkit import scalars

ONE = {
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "nearest": np.rint,
    "trunc": np.trunc,
}
# arrays as exponents: for a lone exponent of 0.5 NumPy takes the square root, which keeps -0
TWO = {
    "divide": np.divide,
    "power": lambda a, b: np.power([a, a], [b, b])[0],
    "maximum": np.maximum,
    "minimum": np.minimum,
    "floor_div": np.floor_divide,
    "mod": np.mod,
    "fmod": np.fmod,
}
WHOLE = {
    "floor_div": np.floor_divide,
    "mod": np.mod,
    "fmod": np.fmod,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
}


@pytest.mark.parametrize("name", ONE)
@given(x=st.floats(width=64) | st.floats(-5, 5))
def test_functions_of_one_number(name, check, x):
    with np.errstate(all="ignore"):
        check(getattr(scalars, name)(x), ONE[name](np.float64(x)), x)


@pytest.mark.parametrize("name", ONE)
def test_every_corner(name, check, corners):
    for x in corners:
        with np.errstate(all="ignore"):
            check(getattr(scalars, name)(x), ONE[name](np.float64(x)), x)


@pytest.mark.parametrize("name", ["floor", "ceil", "nearest", "trunc"])
def test_whole_numbers_stay_whole(name):
    large = 2**62 + 1
    assert getattr(scalars, name)(large) == large
    assert type(getattr(scalars, name)(-3)) is int


def zeros_of_either_sign(name, a, b):
    return a == b == 0 and name in ("maximum", "minimum")


@pytest.mark.parametrize("name", TWO)
@given(a=st.floats(width=64), b=st.floats(width=64))
@example(a=-3e205, b=1.5)
def test_functions_of_two_numbers(name, check, a, b):
    with np.errstate(all="ignore"):
        expected = TWO[name](np.float64(a), np.float64(b))
    if zeros_of_either_sign(name, a, b):
        assert getattr(scalars, name)(a, b) == abs(expected)
        return
    check(getattr(scalars, name)(a, b), expected, a, b)


@pytest.mark.parametrize("name", TWO)
def test_every_pair_of_corners(name, check, corners):
    for a in corners:
        for b in corners:
            with np.errstate(all="ignore"):
                expected = TWO[name](np.float64(a), np.float64(b))
            if not zeros_of_either_sign(name, a, b):
                check(getattr(scalars, name)(a, b), expected, a, b)


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name):
    numbers = (0, 1, -1, 2, 3, -7, 40, 63, 64, 100, 2**40, -(2**63), 2**63 - 1)
    for a in numbers:
        for b in numbers:
            with np.errstate(all="ignore"):
                expected = WHOLE[name](np.int64(a), np.int64(b))
            got = getattr(scalars, name)(a, b)
            assert type(got) is int
            assert (got - int(expected)) % 2**64 == 0, (a, b, got, expected)


@pytest.mark.parametrize(
    ("a", "b", "tie", "expected"),
    [
        (2.0, 1.0, 0.5, 3.0),
        (1.0, 1.0, 0.5, 1.5),
        (1.0, 1.0, 1.0, 3.0),
        (1.0, 2.0, 1.0, 0.0),
        (math.nan, 2.0, 0.5, math.nan),
        (2.0, math.nan, 0.5, math.nan),
    ],
)
def test_share(check, a, b, tie, expected):
    check(scalars.share(3.0, a, b, tie), expected, a, b)
