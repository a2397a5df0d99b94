"""Arithmetic and bits in ONNX, by numbers worked out by hand or by NumPy."""

import numpy as np
import pytest

from cgkit import ops


def same(found, expected):
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("opset", [21, 28])
def test_whole_numbers_are_divided_as_pythons(written, opset):
    a = np.array([7, -7, 7, -7, 5, -(2**31), -(2**31), 0], np.int32)
    b = np.array([2, 2, -2, -2, 0, -1, 3, -5], np.int32)
    down = [3, -4, -4, 3, 0, -(2**31), -715827883, 0]
    left = [1, 1, -1, -1, 0, 0, 1, 0]
    same(written(ops.floor_div, a, b, opset=opset).result, np.array(down, np.int32))
    same(written(ops.mod, a, b, opset=opset).result, np.array(left, np.int32))


def test_no_runtime_is_asked_to_divide_by_zero(written):
    # the divisor is chosen before: a machine stops at x / 0 of whole numbers
    found = written(ops.mod, np.array([5]), np.array([0]))
    assert found.kinds.index("Where") < found.kinds.index("Mod")


def test_unsigned_numbers(written):
    a, b = np.array([7, 0, 255], np.uint8), np.array([2, 3, 0], np.uint8)
    same(written(ops.floor_div, a, b).result, np.array([3, 0, 0], np.uint8))
    same(written(ops.fmod, a, b).result, np.array([1, 0, 0], np.uint8))
    same(written(ops.neg, a).result, np.array([249, 0, 1], np.uint8))


@pytest.mark.parametrize("opset", [21, 28])
def test_remainders_of_floats(written, opset):
    a = np.array([5.0, -5, 5, -5, -1, 1, 1, np.inf])
    b = np.array([3.0, 3, -3, -3, np.inf, -np.inf, 0, 2])
    with np.errstate(all="ignore"):
        floored, cut = np.mod(a, b), np.fmod(a, b)
    same(written(ops.mod, a, b, opset=opset).result, floored)
    same(written(ops.fmod, a, b, opset=opset).result, cut)


def test_a_quotient_that_rounding_would_make_too_large(written):
    # 1.0 / 0.1 is 10.000000000000000555, of which 0.1 fits 9 times only
    same(written(ops.floor_div, np.array([1.0]), np.array([0.1])).result, np.array([9.0]))


@pytest.mark.parametrize("opset", [21, 28])
@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64"])
def test_shifts_beyond_the_bits(written, opset, dtype):
    a = np.array([1, -1, -8, 100, 3, 7], "int64").astype(dtype)
    b = np.array([3, 1, 2, 64, -1, 31], "int64").astype(dtype)
    same(written(ops.left_shift, a, b, opset=opset).result, np.left_shift(a, b))
    same(written(ops.right_shift, a, b, opset=opset).result, np.right_shift(a, b))


def test_truth_values_have_no_arithmetic_in_onnx(written):
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    for operator, kind in ((ops.add, "Or"), (ops.mul, "And"), (ops.maximum, "Or")):
        found = written(operator, a, b)
        assert found.kinds == [kind]
        same(found.result, operator.compute(a, b))
    same(written(ops.bitwise_not, a).result, ~a)
    same(written(ops.where, a, b, ~b).result, np.where(a, b, ~b))


def test_operands_of_two_dtypes_meet_in_that_of_the_result(written):
    found = written(ops.add, np.float32([1]), np.array([2]))
    assert found.kinds == ["Cast", "Cast", "Add"]
    same(found.result, np.array([3.0]))
    found = written(ops.less, np.float32([1]), np.float64([2]))
    assert found.kinds == ["Cast", "Less"]
    same(found.result, np.array([True]))


def test_rounding_leaves_whole_numbers_alone(written):
    assert written(ops.floor, np.array([3])).kinds == ["Identity"]
    x = np.array([-3.5, -0.5, 2.5, np.nan, -np.inf])
    same(written(ops.trunc, x).result, np.trunc(x))
    same(written(ops.round, x).result, np.rint(x))


def test_questions_of_whole_numbers(written):
    for operator in (ops.isnan, ops.isinf, ops.isfinite):
        same(written(operator, np.array([2**62])).result, operator.compute(np.array([2**62])))


def test_gradients_that_are_gates(written):
    y = np.array([2.0, -1.0, 0.0, np.nan])
    same(written(ops.gate, np.full(4, 5.0), y).result, np.array([5, 0, 0, np.nan]))
    a, b = np.array([2.0, 1.0, 1.0, np.nan]), np.array([1.0, 1.0, 2.0, 1.0])
    found = written(lambda g, a, b: ops.share(g, a, b, tie=0.25), np.full(4, 8.0), a, b)
    same(found.result, np.array([8, 2, 0, np.nan]))


def test_a_relu_of_whole_numbers(written):
    # onnxruntime has no Relu of int64
    found = written(ops.relu, np.array([-2, 3]))
    assert found.kinds == ["Max"]
    same(found.result, np.array([0, 3]))


def test_bits_are_read_as_another_dtype(written):
    same(written(lambda x: ops.bitcast(x, dtype="uint32"), np.float32([1])).result,
         np.array([0x3F800000], np.uint32))  # fmt: skip


def test_powers_of_large_whole_numbers_wrap(written):
    same(written(ops.pow, np.array([3], np.int8), np.array([5], np.int8)).result,
         np.array([243 - 256], np.int8))  # fmt: skip
    same(written(ops.pow, np.array([2], np.uint64), np.array([63], np.uint64)).result,
         np.array([2**63], np.uint64))  # fmt: skip
