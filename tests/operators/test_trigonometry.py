"""Trigonometric and hyperbolic functions against NumPy, and slopes where they are special."""

import numpy as np
import pytest

from cgkit import Tensor, grad, ops
from cgkit.testing.cases import samples_of

ONE = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh")


@pytest.mark.parametrize("name", [*ONE, "atan2"])
def test_values_are_numpys(name):
    for sample in samples_of(ops.ALL[name]):
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(*sample.operands)
        found = ops.ALL[name](*sample.operands)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def slope(fn, x):
    point = Tensor(x, dtype="float64", requires_grad=True)
    with np.errstate(all="ignore"):
        return grad(fn(point).sum(), point)[0].data.tolist()


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("sin", [0.0, np.pi / 3], [1, 0.5]),
        ("cos", [0.0, np.pi / 6], [0, -0.5]),
        ("tan", [0.0, np.pi / 4], [1, 2]),
        ("asin", [0.0, 1.0, -1.0, 2.0], [1, np.inf, np.inf, np.nan]),
        ("acos", [0.0, 1.0, 2.0], [-1, -np.inf, np.nan]),
        ("asin", [1 - 2.0**-50], [1 / np.sqrt(2.0**-49 - 2.0**-100)]),  # 1 - x*x loses digits
        ("atan", [0.0, 1.0, 1e200, np.inf], [1, 0.5, 0, 0]),
        ("sinh", [0.0], [1]),
        ("cosh", [0.0], [0]),
        ("asinh", [0.0, 1e200, -1e200], [1, 1e-200, 1e-200]),
        ("acosh", [1.0, 1e200, 0.5], [np.inf, 1e-200, np.nan]),
        ("atanh", [0.0, 1.0, 0.5], [1, np.inf, 4 / 3]),
    ],
)
def test_slopes(name, x, expected):
    np.testing.assert_allclose(slope(ops.ALL[name], x), expected, rtol=1e-15, atol=0)


def test_the_angle_of_a_point():
    up, right = np.array([1.0, 1.0, -1.0, 0.0, -0.0]), np.array([0.0, -1.0, -1.0, -1.0, -1.0])
    expected = np.array([0.5, 0.75, -0.75, 1, -1]) * np.pi
    np.testing.assert_allclose(ops.atan2(up, right), expected)
    assert slope(lambda a: ops.atan2(a, 4.0), 3.0) == pytest.approx(4 / 25)
    assert slope(lambda b: ops.atan2(3.0, b), 4.0) == pytest.approx(-3 / 25)
    assert slope(lambda a: ops.atan2(a, 0.0), 0.0) == 0  # no direction is any better
    far = slope(lambda a: ops.atan2(a, 4e200), 3e200)  # the squares would overflow
    assert far == pytest.approx(4 / 25 * 1e-200)


@pytest.mark.parametrize("name", ["asin", "acos", "atanh", "acosh"])
def test_second_slopes_at_the_edge_are_infinite(name):
    point = Tensor(1.0, requires_grad=True)
    with np.errstate(all="ignore"):
        (first,) = grad(ops.ALL[name](point), point, create_graph=True)
        assert np.isinf(grad(first, point)[0].item())


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_infinity_has_no_angle(name):
    assert np.isnan(ops.ALL[name](np.array([np.inf, -np.inf]))).all()
