"""autograd's functions of functions, against formulas written by hand."""

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.conformance.hips import functions as f
from cgkit.errors import DtypeError

X, V = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])
A = np.arange(6.0).reshape(2, 3)


def total(x):
    return (x * x * x).sum()


def mixed(x):
    return ops.matmul(A, x * x)


def test_gradients():
    assert f.grad(total)(X).tolist() == (3 * X**2).tolist()
    value, slope = f.value_and_grad(total)(X)
    assert (value, slope.tolist()) == (36.0, [3.0, 12.0, 27.0])
    assert f.grad(lambda x, y: x * y * y, 1)(2.0, 3.0) == 12.0
    assert f.grad(lambda x, y, z=1.0: x * y * z, [0, 1])(2.0, 3.0, z=2.0) == (6.0, 4.0)
    slope, more = f.grad_and_aux(lambda x: (x * x, x + 1.0))(3.0)
    assert (slope, more) == (6.0, 4.0)
    assert f.elementwise_grad(lambda x: x * x)(X).tolist() == [2.0, 4.0, 6.0]
    assert f.deriv(lambda x: x * x)(3.0) == 6.0


def test_matrices():
    np.testing.assert_allclose(f.jacobian(mixed)(X), A * (2 * X))
    np.testing.assert_allclose(f.hessian(total)(X), np.diag(6 * X))
    np.testing.assert_allclose(f.jacobian(f.jacobian(mixed))(X)[1], np.diag(2 * A[1]))
    assert f.jacobian(total)(X).shape == (3,)


def test_products():
    np.testing.assert_allclose(f.hessian_tensor_product(total)(X, V), 6 * X * V)
    np.testing.assert_allclose(f.make_hvp(total)(X)[0](V), 6 * X * V)
    np.testing.assert_allclose(f.tensor_jacobian_product(mixed)(X, V[:2]), V[:2] @ (A * 2 * X))
    np.testing.assert_allclose(f.make_jvp(mixed)(X)(V)[1], (A * 2 * X) @ V)
    slopes = A * 2 * X
    np.testing.assert_allclose(f.make_ggnvp(mixed)(X)(V), slopes.T @ (slopes @ V))
    assert f.make_vjp(total)(X)[1] == 36.0


@pytest.mark.parametrize("result", [True, "a", np.ones(2), [1.0], 3])
def test_gradients_are_of_one_real_number(result):
    with pytest.raises(TypeError):
        f.grad(lambda x: result)(1.0)


def test_names():
    assert f.grad(total, 1).__name__ == "grad_of_total_wrt_argnum_1"
    assert f.grad.__name__ == "grad"
    assert f.name_of(3) == "[unknown name]"


def test_vectors_of_nested_values():
    value = {"a": 1.0, "b": [np.array([[2.0], [3.0]])]}
    vector, back = f.flatten(value)
    assert vector.tolist() == [1.0, 2.0, 3.0]
    assert back(vector * 2)["b"][0].tolist() == [[4.0], [6.0]]
    followed, _ = f.flatten([Tensor([1.0]), 2.0])
    assert isinstance(followed, Tensor)
    assert f.flatten([])[0].shape == (0,)


def test_what_the_shim_has_not():
    assert f.checkpoint(total) is total
    with pytest.raises(DtypeError, match="complex"):
        f.holomorphic_grad(total)(1.0)
    with pytest.raises(NotImplementedError, match="const_graph"):
        f.const_graph(total)
