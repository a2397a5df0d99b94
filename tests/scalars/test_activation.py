"""Activations of single numbers: exact far out, where the plain formula loses all its digits."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit import scalars

D = Decimal


def exactly(formula, x):
    """Compute with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return float(formula(D(x)))


def sigmoid(x):
    return 1 / (1 + (-x).exp())


PLAIN = {
    "relu": lambda x: max(x, D(0)),
    "leaky_relu": lambda x: x if x > 0 else D(0.01) * x,
    "elu": lambda x: x if x > 0 else x.exp() - 1,
    "celu": lambda x: x if x > 0 else x.exp() - 1,
    "selu": lambda x: (
        D(scalars.SELU_SCALE) * (x if x > 0 else D(scalars.SELU_ALPHA) * (x.exp() - 1))
    ),
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "softplus": lambda x: (1 + x.exp()).ln(),
    "mish": lambda x: x * (1 - 2 / ((1 + x.exp()) ** 2 + 1)),
    "softsign": lambda x: x / (1 + abs(x)),
}


@pytest.mark.parametrize("name", PLAIN)
@given(x=st.floats(-40, 40, allow_subnormal=False))
def test_within_a_few_units(name, check, x):
    expected = exactly(PLAIN[name], x)
    if expected != 0 and abs(x) > 1e-12:
        check(getattr(scalars, name)(x), expected, x)


FAR = {
    "relu": (math.inf, 0.0),
    "leaky_relu": (math.inf, -math.inf),
    "elu": (math.inf, -1.0),
    "celu": (math.inf, -1.0),
    "selu": (math.inf, -scalars.SELU_ALPHA * scalars.SELU_SCALE),
    "sigmoid": (1.0, 0.0),
    "silu": (math.inf, math.nan),
    "softplus": (math.inf, 0.0),
    "mish": (math.inf, math.nan),
    "softsign": (math.nan, math.nan),
    "gelu": (math.inf, math.nan),
}


@pytest.mark.parametrize("name", FAR)
def test_infinities_and_nan(name, check):
    right, left = FAR[name]
    check(getattr(scalars, name)(math.inf), right, name)
    check(getattr(scalars, name)(-math.inf), left, name)
    check(getattr(scalars, name)(math.nan), math.nan, name)


@pytest.mark.parametrize("name", [*FAR, "prelu", "leak"])
def test_large_and_tiny_numbers_stop_nothing(name, corners):
    more = {"prelu": (0.5,), "leak": (0.5, 2.0)}.get(name, ())
    for x in corners:
        float(getattr(scalars, name)(x, *more))


def test_params():
    assert scalars.elu(-1.0, 2.0) == pytest.approx(2 * math.expm1(-1))
    assert scalars.celu(-1.0, 2.0) == pytest.approx(2 * math.expm1(-0.5))
    assert scalars.selu(-1.0, 2.0, 3.0) == pytest.approx(6 * math.expm1(-1))
    assert scalars.leaky_relu(-1.0, 0.5) == scalars.prelu(-1.0, 0.5) == -0.5
    assert scalars.leak(3.0, -1.0, 0.5) == 1.5
    assert scalars.leak(3.0, 1.0, 0.5) == 3.0
    assert math.isnan(scalars.leak(3.0, math.nan, 0.5))


def test_gelu_keeps_its_digits_where_the_tail_is_thin():
    # x/2 * (1 + erf(x/sqrt 2)) would give -0 from -8.3 on
    assert scalars.gelu(-10.0) == pytest.approx(-7.619853024160527e-23, rel=1e-13)
    assert scalars.gelu(1.0) == pytest.approx(0.8413447460685429, rel=1e-15)
    assert scalars.gelu(1.0, "tanh") == pytest.approx(0.8411919906082768, rel=1e-15)
    assert scalars.gelu(-10.0, "tanh") == pytest.approx(-2.3e-37, rel=0.5)
