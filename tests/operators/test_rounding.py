"""Rounding, remainders and limits against NumPy; slopes on their edges."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, Tensor, grad, gradients, ops, run

IN_NUMPY = {
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "floor_div": np.floor_divide,
    "mod": np.mod, "fmod": np.fmod, "at_least": np.maximum, "at_most": np.minimum,
    "round": np.round,
}  # fmt: skip
HALVES = np.array([-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 0.49999999999999994, 2.0**52 + 1])


@pytest.mark.parametrize("name", IN_NUMPY)
def test_values_are_numpys(name, follows):
    follows(name, IN_NUMPY[name])


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round"])
def test_halves_and_numbers_without_fraction(name):
    found = ops.ALL[name](HALVES)
    np.testing.assert_array_equal(found, IN_NUMPY[name](HALVES))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(IN_NUMPY[name](HALVES)))
    large = np.array([2**62 + 1, -3])
    assert ops.ALL[name](large).tolist() == [2**62 + 1, -3]


def test_halves_go_to_the_even_one():
    assert ops.round(HALVES)[:7].tolist() == [-2, -2, 0, 0, 0, 2, 2]


def test_two_remainders():
    a, b = np.array([-7, 7, -7, 7]), np.array([3, -3, -3, 3])
    assert ops.mod(a, b).tolist() == [2, -2, -1, 1]
    assert ops.fmod(a, b).tolist() == [-1, 1, -1, 1]
    assert ops.floor_div(a, b).tolist() == [-3, -3, 2, 2]


@pytest.mark.parametrize(("dtype", "expected"), [("int32", [0, 0, 0]), ("float64", [np.nan] * 3)])
def test_nothing_is_left_by_zero(dtype, expected):
    a, zero = np.array([5, 0, -5], dtype), np.zeros(3, dtype)
    np.testing.assert_array_equal(ops.mod(a, zero), expected)
    np.testing.assert_array_equal(ops.fmod(a, zero), expected)
    quotient = [0, 0, 0] if dtype == "int32" else [np.inf, np.nan, -np.inf]
    np.testing.assert_array_equal(ops.floor_div(a, zero), quotient)


def slopes(fn, *points):
    xs = [Tensor(x, dtype="float64", requires_grad=True) for x in points]
    return [x.data.tolist() for x in grad(fn(*xs).sum(), xs, materialize_grads=True)]


def test_slopes_of_remainders():
    assert slopes(ops.mod, [7.0, -7.0], [3.0, 3.0]) == [[1, 1], [-2, 3]]
    assert slopes(ops.fmod, [7.0, -7.0], [3.0, 3.0]) == [[1, 1], [-2, 2]]
    assert slopes(ops.floor_div, [7.0], [3.0]) == [[0], [0]]
    assert slopes(ops.round, [0.5, 0.7]) == [[0, 0]]


def test_the_slope_of_clip_is_1_on_its_edges():
    x = [-2.0, -1.0, 0.0, 1.0, 2.0]
    assert slopes(lambda a: ops.clip(a, -1.0, 1.0), x) == [[0, 1, 1, 1, 0]]
    assert slopes(lambda a: ops.clip(a, low=-1.0), x) == [[0, 1, 1, 1, 1]]
    assert slopes(lambda a: ops.clip(a, high=1.0), x) == [[1, 1, 1, 1, 0]]


def test_limits_get_the_slope_where_they_hold():
    assert slopes(ops.clip, [-2.0, 0.0, 1.0, 3.0], -1.0, 1.0) == [[0, 1, 1, 0], 1, 1]
    assert slopes(ops.clip, 0.0, 2.0, 1.0) == [0, 0, 1]  # limits that cross


def test_clip_by_tensors_numbers_and_one_side():
    x = np.array([[-3.0, 0.5], [np.nan, 3.0]])
    low, high = np.array([-1.0, 0.0]), np.array([[1.0], [2.0]])
    np.testing.assert_array_equal(ops.clip(x, low, high), np.clip(x, low, high))
    np.testing.assert_array_equal(ops.clip(x, high=1.0), np.clip(x, None, 1.0))
    assert ops.clip(np.array([-3, 7], "int8"), 0, 5).dtype == "int8"
    same = Tensor([1.0])
    assert ops.clip(same) is same
    np.testing.assert_array_equal(ops.clip(np.array(5.0), 3.0, 1.0), 1.0)


def test_clip_in_a_graph():
    builder = GraphBuilder()
    x, low = builder.placeholder(("N",)), builder.placeholder(())
    (slope,) = gradients(ops.clip(x, low, 1.0), [low])
    found = run(builder.graph([ops.clip(x, low, 1.0), slope]), np.array([-4.0, -2.0, 0.0]), -1.0)
    np.testing.assert_array_equal(found[0], [-1, -1, 0])
    assert found[1] == 2


@pytest.mark.parametrize("name", ["at_least", "at_most"])
def test_nan_is_not_hidden_by_a_limit(name):
    assert np.isnan(ops.ALL[name](np.nan, 1.0))
    found = slopes(ops.ALL[name], np.nan, 1.0)
    assert np.isnan(found).all()


def test_what_cannot_be_rounded():
    with pytest.raises(DtypeError, match="floor cannot take"):
        ops.floor(np.array(["a"]))
