"""What runs along an axis: ONNX's CumSum and CumProd, and a Scan for what has no operator."""

import numpy as np
import pytest

from cgkit import ops
from cgkit.errors import OnnxError

X = np.array([[2.0, 3.0, 5.0], [1.0, 0.0, -1.0]])


def test_sums_and_products(written):
    found = written(lambda x: ops.cumsum(x, axis=-1, reverse=True), X)
    assert found.kinds == ["CumSum"]
    np.testing.assert_array_equal(found.result, [[10, 8, 5], [0, -1, -1]])
    found = written(lambda x: ops.cumprod(x, axis=1, exclusive=True), X)
    np.testing.assert_array_equal(found.result, [[1, 2, 6], [1, 1, 0]])


def test_a_running_product_begins_with_operator_set_26(written):
    with pytest.raises(OnnxError, match=r"(?s)CumProd begins with operator set 26.*cumprod\("):
        written(lambda x: ops.cumprod(x, axis=0), X, opset=21)


def plainly(a, b):
    y = np.array(b)
    for k in range(1, b.shape[-1]):
        y[..., k] += a[..., k] * y[..., k - 1]
    return y


@pytest.mark.parametrize("opened", [False, True])
def test_a_recurrence(written, opened):
    a, b = np.array([[np.inf, 2.0, 3.0]]), np.array([[1.0, 1.0, 1.0]])
    shapes = [("M", "N"), ("M", "N")] if opened else None
    found = written(lambda a, b: ops.recurrence(a, b, axis=1), a, b, shapes=shapes)
    assert "Scan" in found.kinds
    # the first factor, inf, is not read
    np.testing.assert_array_equal(found.result, [[1.0, 3.0, 10.0]])
    np.testing.assert_array_equal(found.result, plainly(a, b))
    back = written(lambda a, b: ops.recurrence(a, b, axis=1, reverse=True), a, b, shapes=shapes)
    np.testing.assert_array_equal(back.result[..., -2:], [[3.0, 1.0]])


def test_a_recurrence_over_nothing(written):
    nothing = np.zeros((2, 0))
    for shapes in (None, [(2, "N"), (2, "N")]):
        found = written(lambda a, b: ops.recurrence(a, b, axis=1), nothing, nothing, shapes=shapes)
        assert found.result.shape == (2, 0)


def test_logarithms_of_running_sums(written):
    x = np.array([-1000.0, 0.0, 1.0, -np.inf])
    found = written(lambda x: ops.logcumsumexp(x, axis=0), x).result
    # the first is not lost below the others
    np.testing.assert_allclose(found, [-1000.0, 0.0, np.log(1 + np.e), np.log(1 + np.e)])


def test_places_of_running_extremes(written):
    x = np.array([[1, 3, 3, 2, 9], [5, 4, 5, 1, 1]])
    found = written(lambda x: ops.argcummax(x, axis=1), x).result
    np.testing.assert_array_equal(found, [[0, 1, 2, 2, 4], [0, 0, 2, 2, 2]])
    found = written(lambda x: ops.argcummin(x, axis=1), x).result
    np.testing.assert_array_equal(found, [[0, 0, 0, 0, 0], [0, 1, 1, 3, 4]])


def test_the_smallest_number_may_come_first(written):
    x = np.array([-np.inf, -np.inf, np.nan, np.inf])
    found = written(lambda x: ops.argcummax(x, axis=0), x).result
    np.testing.assert_array_equal(found, [0, 1, 2, 2])


def test_names_within_the_body_are_nobody_elses(written):
    model = written(lambda x: ops.logcumsumexp(x, axis=0), np.ones(3)).model
    (scan,) = [node for node in model.graph.node if node.op_type == "Scan"]
    body = next(a.g for a in scan.attribute if a.name == "body")
    inner = [name for node in body.node for name in node.output]
    outer = [name for node in model.graph.node for name in node.output]
    assert len({*inner, *outer}) == len(inner) + len(outer)
