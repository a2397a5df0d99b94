"""Activations in ONNX: their settings are said, and what has no operator is made of others."""

import numpy as np
import pytest
from onnx import helper

from cgkit import ops
from cgkit.errors import OnnxError

X = np.array([-3.0, -0.5, 0.0, 0.5, 3.0])


def attributes(found):
    (node,) = [n for n in found.model.graph.node if n.op_type != "Constant"]
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def test_settings_are_attributes(written):
    found = written(lambda x: ops.leaky_relu(x, alpha=0.25), X)
    assert (found.kinds, attributes(found)) == (["LeakyRelu"], {"alpha": 0.25})
    found = written(lambda x: ops.selu(x, alpha=1.5, scale=2.0), X)
    assert (found.kinds, attributes(found)) == (["Selu"], {"alpha": 1.5, "gamma": 2.0})
    np.testing.assert_allclose(found.result, 2 * np.where(X > 0, X, 1.5 * np.expm1(X)), rtol=1e-6)
    found = written(lambda x: ops.gelu(x, approximate="tanh"), X)
    assert attributes(found) == {"approximate": b"tanh"}


def test_slopes_that_stretch_and_slopes_that_do_not(written):
    slopes = np.array([0.5])
    assert written(ops.prelu, X, slopes).kinds == ["PRelu"]
    found = written(ops.prelu, np.array([-2.0]), X)  # here x would have to stretch
    assert "PRelu" not in found.kinds
    assert found.result.tolist() == [6.0, 1.0, 0.0, -1.0, -6.0]


def test_celu_of_float64(written):
    expected = np.where(X > 0, X, 0.5 * np.expm1(X / 0.5))
    new = written(lambda x: ops.celu(x, alpha=0.5), X)
    old = written(lambda x: ops.celu(x, alpha=0.5), X, opset=27)
    assert new.kinds == ["Celu"]
    assert "Celu" not in old.kinds  # it takes float32 only, before
    np.testing.assert_allclose(new.result, expected, rtol=1e-6)
    np.testing.assert_allclose(old.result, expected)


def test_silu_needs_no_new_operator(written):
    found = written(ops.silu, X)
    assert found.kinds == ["Sigmoid", "Mul"]
    np.testing.assert_allclose(found.result, X / (1 + np.exp(-X)))


def test_the_gradient_of_leaky_relu(written):
    g, a = np.full(4, 2.0), np.array([1.0, -1.0, 0.0, np.nan])
    found = written(lambda g, a, b: ops.leak(g, a, b), g, a, np.full(4, 0.25))
    np.testing.assert_array_equal(found.result, [2.0, 0.5, 0.5, np.nan])


def test_whole_numbers_become_floats(written):
    found = written(ops.elu, np.array([-1, 2]))
    np.testing.assert_allclose(found.result, [np.expm1(-1), 2.0])


def test_an_operator_that_begins_later(written):
    with pytest.raises(OnnxError, match=r"(?s)BitCast begins with operator set 26.*opset=26.*at "):
        written(lambda x: ops.bitcast(x, dtype="int64"), X, opset=25)
