"""Functions that ONNX lacks, against NumPy, where a plain formula loses digits or overflows."""

import math

import numpy as np
import pytest

from cgkit import ops

WIDE = np.concatenate([
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 1e300, -1e300, 1e-20, -1e-20, 1e-9, -1e-9],
    np.linspace(-40, 40, 161), np.geomspace(1e-8, 1e8, 40), -np.geomspace(1e-8, 0.999, 30),
])  # fmt: skip


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (ops.log1p, np.log1p), (ops.expm1, np.expm1), (ops.cbrt, np.cbrt), (ops.exp2, np.exp2),
        (ops.log2, np.log2), (ops.log10, np.log10), (ops.square, np.square),
    ],
)  # fmt: skip
def test_all_digits_stay(written, operator, expected):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(written(operator, WIDE).result, expected(WIDE), rtol=1e-12)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [(ops.hypot, np.hypot), (ops.atan2, np.arctan2), (ops.logaddexp, np.logaddexp)],
)
def test_of_two_operands(written, operator, expected):
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 1e300, -1e300, 1, -1, 0.3])
    a, b = np.meshgrid(special, special)
    with np.errstate(all="ignore"):
        wanted = expected(a, b)
    np.testing.assert_allclose(written(operator, a, b).result, wanted, rtol=1e-12, atol=1e-300)


def test_the_sides_of_the_half_circle(written):
    # -0 lies below: a point a little under the negative half axis has the angle -pi
    found = written(ops.atan2, np.array([0.0, -0.0, 0.0, -0.0]), np.array([-1.0, -1.0, 1.0, 1.0]))
    assert found.result.tolist() == [math.pi, -math.pi, 0.0, -0.0]
    assert np.signbit(found.result).tolist() == [False, True, False, True]


def test_the_tail_of_erfc_is_lost(written):
    # said in the module: ONNX has erf only, and 1 - erf(7) is 0
    found = written(ops.erfc, np.array([0.0, 1.0, 7.0])).result
    np.testing.assert_allclose(found, [1.0, math.erfc(1.0), 0.0], rtol=1e-6)


def test_whole_numbers_become_floats(written):
    np.testing.assert_allclose(written(ops.rsqrt, np.array([4, 16])).result, [0.5, 0.25])
    found = written(ops.square, np.array([3, -4], np.int32)).result
    assert found.tolist() == [9, 16]
    assert found.dtype == np.int32


def test_unsigned_numbers_know_no_difference_below_zero(written):
    found = written(ops.logaddexp, np.array([1, 3], np.uint8), np.array([3, 1], np.uint8)).result
    np.testing.assert_allclose(found, np.logaddexp([1, 3], [3, 1]), rtol=1e-3)
    assert found.dtype == np.float16  # as NumPy has it for 8 bits
