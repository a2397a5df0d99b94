"""The error function against Python's own, one number at a time."""

import math

import numpy as np
import pytest

from cgkit import ops
from cgkit.operators import error_function

PLACES = np.concatenate(
    [np.linspace(-7, 7, 4001), np.linspace(-26, 26, 1001), np.geomspace(1e-320, 1, 300)]
)


@pytest.mark.parametrize(("name", "units"), [("erf", 4), ("erfc", 7)])
def test_within_units_in_the_last_place(name, units):
    found = getattr(error_function, name)(PLACES)
    expected = np.array([getattr(math, name)(x) for x in PLACES])
    assert (np.abs(found - expected) <= units * np.spacing(np.abs(expected))).all()


def test_ends_and_nan():
    x = np.array([-np.inf, np.inf, np.nan, -0.0, 1e300])
    np.testing.assert_array_equal(error_function.erf(x), [-1, 1, np.nan, 0, 1])
    np.testing.assert_array_equal(error_function.erfc(x), [2, 0, np.nan, 1, 0])
    assert np.signbit(error_function.erf(np.array(-0.0)))


@pytest.mark.parametrize("edge", [error_function.NEAR, error_function.FAR])
def test_the_pieces_meet(edge):
    x = (np.nextafter(edge, 0), edge, np.nextafter(edge, 9))
    for name in ("erf", "erfc"):
        expected = [getattr(math, name)(place) for place in x]
        np.testing.assert_allclose(getattr(error_function, name)(x), expected, rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int64", "bool"])
def test_dtypes_are_those_of_exp(dtype):
    x = np.array([0, 1]).astype(dtype)
    assert error_function.erf(x).dtype == np.exp(x).dtype == ops.erf(x).dtype


def test_nothing_and_a_single_number():
    assert error_function.erf(np.zeros((0, 3))).shape == (0, 3)
    assert error_function.erfc(0.0) == 1
