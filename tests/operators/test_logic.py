"""Logic and bits against NumPy, and what they refuse."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, Tensor, gradients, ops

IN_NUMPY = {
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "logical_not": np.logical_not, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "bitwise_not": np.invert, "left_shift": np.left_shift,
    "right_shift": np.right_shift, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
}  # fmt: skip


@pytest.mark.parametrize("name", IN_NUMPY)
def test_values_are_numpys(name, follows):
    follows(name, IN_NUMPY[name])


def test_nan_is_true_and_zero_is_false():
    x = np.array([np.nan, 0.0, -0.0, 2.0])
    assert ops.logical_not(x).tolist() == [False, True, True, False]
    assert ops.logical_and(x, 1).tolist() == [True, False, False, True]


def test_truth_values_have_one_bit():
    truth = np.array([True, False])
    assert ops.bitwise_not(truth).tolist() == [False, True]
    assert ops.bitwise_and(truth, True).dtype == bool
    assert ops.left_shift(truth, truth).dtype == "int8"


def test_bits_that_are_moved_out_are_gone():
    x = np.array([1, -8, 5], "int32")
    assert ops.left_shift(x, 31).tolist() == [-(2**31), 0, -(2**31)]
    assert ops.left_shift(x, 32).tolist() == [0, 0, 0]
    assert ops.right_shift(x, 40).tolist() == [0, -1, 0]
    assert ops.right_shift(np.array([2**64 - 1], "uint64"), np.uint64(64)).tolist() == [0]


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift"])
def test_floats_have_no_bits(name):
    builder = GraphBuilder()
    for x in (Tensor([1.0]), builder.placeholder((1,)), np.ones(1)):
        with pytest.raises(DtypeError, match=f"{name} cannot take float64"):
            ops.ALL[name](x, x)


@pytest.mark.parametrize("name", ["isnan", "logical_not"])
def test_no_slope_goes_through_an_answer(name):
    x = Tensor([1.0], requires_grad=True)
    assert not ops.ALL[name](x).requires_grad
    value = GraphBuilder().placeholder((1,))
    assert gradients(ops.cast(ops.ALL[name](value), dtype="float64"), [value]) == [None]


def test_bits_are_read_as_another_dtype():
    x = np.array([1.0, -0.0, np.inf], "float32")
    bits = ops.bitcast(x, dtype="uint32")
    assert [hex(int(word)) for word in bits] == ["0x3f800000", "0x80000000", "0x7f800000"]
    np.testing.assert_array_equal(ops.bitcast(bits, dtype="float32"), x)
    assert ops.bitcast(np.array(-1, "int8"), dtype="uint8") == 255
    turned = np.arange(6.0).reshape(2, 3).T[::-1]
    np.testing.assert_array_equal(
        ops.bitcast(ops.bitcast(turned, dtype="int64"), dtype="f8"), turned
    )


def test_bits_are_not_made_up():
    for x in (np.ones(2), GraphBuilder().placeholder((2,))):
        with pytest.raises(DtypeError, match="one has 64 bits, the other 32"):
            ops.bitcast(x, dtype="float32")


def test_bits_of_a_copy():
    x = np.ones(2)
    ops.bitcast(x, dtype="int64")[0] = 0
    assert x[0] == 1
