"""Single numbers follow NumPy at every corner: infinities, nan, zeros of both signs, overflow."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgkit import scalars

CORNERS = [
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -3.0, 1e308, -1e308, 1e-310, math.inf, -math.inf, math.nan,
]  # fmt: skip
numbers = st.floats(width=64) | st.sampled_from(CORNERS)

ONE = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sign": np.sign,
    "relu": lambda x: np.maximum(x, 0.0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
# arrays as exponents: for a lone exponent of 0.5 NumPy takes the square root, which keeps -0
TWO = {
    "divide": np.divide,
    "power": lambda a, b: np.power([a, a], [b, b])[0],
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def check(got, expected, *x):
    got, expected = float(got), float(expected)
    if expected != expected or math.isinf(expected) or expected == 0:
        same = math.copysign(1, got) == math.copysign(1, expected)
        assert (got != got and expected != expected) or (got == expected and same), (x, got)
    else:
        assert abs(got - expected) <= 8 * math.ulp(expected), (x, got, expected)


@pytest.mark.parametrize("name", ONE)
@given(x=numbers)
@example(x=-0.0)
@example(x=math.nan)
@example(x=-745.2)
@example(x=709.9)
def test_functions_of_one_number(name, x):
    with np.errstate(all="ignore"):
        expected = ONE[name](np.float64(x))
    if name == "relu" and x == 0:
        expected = 0.0
    if name == "sigmoid" and x < -700:
        expected = np.exp(np.float64(x))  # the plain formula loses it, the scalar does not
    check(getattr(scalars, name)(x), expected, x)


@pytest.mark.parametrize("name", TWO)
@given(a=numbers, b=numbers)
@example(a=-3e205, b=1.5)
def test_functions_of_two_numbers(name, a, b):
    with np.errstate(all="ignore"):
        expected = TWO[name](np.float64(a), np.float64(b))
    if a == b == 0 and name in ("maximum", "minimum"):
        expected = abs(expected)
        assert getattr(scalars, name)(a, b) == expected
        return
    check(getattr(scalars, name)(a, b), expected, a, b)


@pytest.mark.parametrize("name", TWO)
def test_every_pair_of_corners(name):
    for a in CORNERS:
        for b in CORNERS:
            with np.errstate(all="ignore"):
                expected = TWO[name](np.float64(a), np.float64(b))
            if not (a == b == 0 and name != "power" and name != "divide"):
                check(getattr(scalars, name)(a, b), expected, a, b)
