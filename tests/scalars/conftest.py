"""Single numbers at every corner: infinities, nan, zeros of both signs, overflow, denormals."""

import math

import pytest

CORNERS = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, 2.5, 3.0, -3.0, 20.0, 711.0, -711.0, 1e308, -1e308,
    1e-310, -5e-324, math.inf, -math.inf, math.nan,
)  # fmt: skip


@pytest.fixture(scope="session")
def corners():
    return CORNERS


@pytest.fixture(scope="session")
def check():
    """Demand the same number: the same nan, infinity or signed zero, or one within 8 units."""

    def must_be(got, expected, *x):
        got, expected = float(got), float(expected)
        if expected != expected or math.isinf(expected) or expected == 0:
            same = math.copysign(1, got) == math.copysign(1, expected)
            assert (got != got and expected != expected) or (got == expected and same), (x, got)
        else:
            assert abs(got - expected) <= 8 * math.ulp(expected), (x, got, expected)

    return must_be
