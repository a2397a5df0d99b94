"""Reductions in ONNX: their axes, what nothing gives, and formulas that stay in bounds."""

import numpy as np
import pytest

from cgkit import ops

X = np.array([[1.0, -2.0, 3.0], [0.0, 5.0, -6.0]])


def test_axes_are_named_unless_all_are_meant(written):
    def axes(fn):
        node = next(n for n in written(fn, X).model.graph.node if n.op_type == "ReduceSum")
        return len(node.input) - 1

    assert axes(lambda x: ops.sum(x)) == 0
    assert axes(lambda x: ops.sum(x, axis=(0, 1))) == 0
    assert axes(lambda x: ops.sum(x, axis=0)) == 1


def test_no_axis_folds_nothing(written):
    # to ONNX no axes mean all axes
    found = written(lambda x: ops.sum(x, axis=()), X)
    np.testing.assert_array_equal(found.result, X)
    np.testing.assert_array_equal(written(lambda x: ops.norm(x, axis=()), X).result, np.abs(X))


def test_small_whole_numbers(written):
    found = written(ops.sum, np.array([100, 100], np.int8)).result
    assert (found.tolist(), found.dtype) == (200, np.int64)
    found = written(lambda x: ops.max(x, axis=0), np.array([[3], [-7]], np.int16)).result
    assert (found.tolist(), found.dtype) == ([3], np.int16)


@pytest.mark.parametrize("shapes", [None, [("N", 0)]])
def test_over_nothing(written, shapes):
    empty = np.zeros((2, 0))
    found = written(
        lambda x: (ops.sum(x, axis=1), ops.mean(x, axis=1), ops.any(x, axis=1), ops.all(x, axis=1),
                   ops.prod(x, axis=1), ops.logsumexp(x, axis=1)),
        empty, shapes=shapes,
    )  # fmt: skip
    expected = [[0, 0], [np.nan] * 2, [False] * 2, [True] * 2, [1, 1], [-np.inf] * 2]
    for got, want in zip(found.results, expected, strict=True):
        np.testing.assert_array_equal(got, want)


def test_any_of_what_may_turn_out_empty(written):
    def fn(x):
        return ops.any(x, axis=1), ops.all(x, axis=1)

    for x in (np.zeros((2, 0)), np.array([[0.0, 1.0], [0.0, 0.0]])):
        found = written(fn, x, shapes=[(2, "N")])
        np.testing.assert_array_equal(found.results[0], x.any(axis=1))
        np.testing.assert_array_equal(found.results[1], x.all(axis=1))


def test_logarithms_of_sums_do_not_overflow(written):
    x = np.array([[1000.0, 1001.0], [-np.inf, -np.inf], [np.inf, 1.0], [np.nan, 1.0]])
    found = written(lambda x: ops.logsumexp(x, axis=1), x).result
    np.testing.assert_allclose(found, [1001.3132616875182, -np.inf, np.inf, np.nan])
    assert "ReduceLogSumExp" not in written(lambda x: ops.logsumexp(x, axis=1), x).kinds


def test_softmax_over_one_axis_and_over_several(written):
    assert written(ops.softmax, X).kinds == ["Softmax"]
    found = written(lambda x: ops.softmax(x, axis=(0, 1)), X).result
    np.testing.assert_allclose(found, np.exp(X) / np.exp(X).sum())


def test_spread(written):
    found = written(lambda x: ops.var(x, axis=1, correction=1), X).result
    np.testing.assert_allclose(found, X.var(axis=1, ddof=1))
    opened = written(lambda x: ops.std(x, axis=0), X, shapes=[("N", "M")])
    np.testing.assert_allclose(opened.result, X.std(axis=0))
    whole = written(ops.var, np.array([1, 2, 4])).result
    np.testing.assert_allclose(whole, np.var([1, 2, 4]))


@pytest.mark.parametrize(("order", "kind"), [(1, "ReduceL1"), (2, "ReduceL2"), (np.inf, "Max")])
def test_lengths(written, order, kind):
    found = written(lambda x: ops.norm(x, order=order, axis=1), X)
    assert kind in found.kinds
    np.testing.assert_allclose(found.result, np.linalg.norm(X, order, axis=1))


def test_a_length_of_another_order(written):
    found = written(lambda x: ops.norm(x, order=3, axis=0, keepdims=True), X).result
    np.testing.assert_allclose(found, (np.abs(X) ** 3).sum(axis=0, keepdims=True) ** (1 / 3))
