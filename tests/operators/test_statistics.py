"""Var, std and norm against NumPy; 0 where a gradient has no direction; corrections."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, grad, gradients, ops, run

X = np.random.default_rng(0).normal(size=(3, 4, 2))
AXES = [None, 0, -1, (0, 2), ()]


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("correction", [0, 1, 0.5])
def test_var_and_std_are_numpys(axis, correction):
    for keepdims in (False, True):
        settings = {"axis": axis, "keepdims": keepdims}
        with np.errstate(all="ignore"):
            expected = np.maximum(np.var(X, **settings), 0) if correction == 0 else None
            size = X.size / max(np.sum(X, axis).size, 1)
            mean = X.mean(axis, keepdims=True)
            total = ((X - mean) ** 2).sum(**settings)
            by_hand = total / max(size - correction, 0)
        found = ops.var(X, correction=correction, **settings)
        np.testing.assert_allclose(found, by_hand, atol=1e-15)
        if expected is not None:
            np.testing.assert_allclose(found, expected, atol=1e-15)
        np.testing.assert_allclose(
            ops.std(X, correction=correction, **settings), np.sqrt(by_hand), atol=1e-15
        )


def test_var_of_too_few():
    with np.errstate(all="ignore"):
        assert np.isnan(ops.var(np.array([5.0]), correction=1))
        assert np.isnan(ops.var(np.zeros((0,))))
    assert ops.var(np.array([5.0])) == 0


def test_var_does_not_lose_small_numbers_beside_a_large_mean():
    assert ops.var(np.array([1e8, 1e8 + 1, 1e8 + 2])) == pytest.approx(2 / 3)


def test_std_of_equal_numbers_has_no_slope():
    x = Tensor([2.0, 2.0], requires_grad=True)
    (slope,) = grad(ops.std(x), x, create_graph=True)
    assert slope.data.tolist() == [0, 0]
    assert grad(slope.sum(), x)[0].data.tolist() == [0, 0]


@pytest.mark.parametrize("order", [1, 2, 3, 0.5, np.inf])
@pytest.mark.parametrize("axis", [0, -1, 1])
def test_norm_is_numpys(order, axis):
    expected = np.linalg.norm(X, order, axis)
    np.testing.assert_allclose(ops.norm(X, order=order, axis=axis), expected)
    np.testing.assert_allclose(
        ops.norm(X, order=order, axis=axis, keepdims=True), np.expand_dims(expected, axis)
    )


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, 0.5, np.inf])
def test_norm_of_zeros_has_no_slope(order):
    x = Tensor([[0.0, 0.0], [3.0, 0.0]], requires_grad=True)
    y = ops.norm(x, order=order, axis=1)
    np.testing.assert_allclose(y.data, [0, 3])
    (slope,) = grad(y.sum(), x, create_graph=True)
    np.testing.assert_allclose(slope.data, [[0, 0], [1, 0]])
    assert np.isfinite(grad((slope * slope).sum(), x)[0].data).all()


def test_the_largest_share_the_gradient():
    x = Tensor([[3.0, -3.0, 1.0], [1.0, 2.0, 2.0]], requires_grad=True)
    for axis in (None, 1):
        (slope,) = grad(ops.norm(x, order=np.inf, axis=axis).sum(), x)
        lower = [0, 0, 0] if axis is None else [0, 0.5, 0.5]
        assert slope.data.tolist() == [[0.5, -0.5, 0], lower]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda x: ops.norm(x, order=0), "a positive number such as 1, 2 or inf, not of 0"),
        (lambda x: ops.norm(x, order="fro"), "not of 'fro'"),
        (lambda x: ops.norm(x, order=float("nan")), "not of nan"),
        (lambda x: ops.norm(x, axis=4), "axis 4 does not exist"),
        (lambda x: ops.var(x, axis=(0, 0)), "one axis twice"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(act, said, world):
    with pytest.raises(ShapeError, match=said):
        act(Tensor(X) if world == "eager" else GraphBuilder().placeholder(X.shape))


def test_open_sizes_and_corrections():
    for correction, size in itertools.product((0, 1, 2.5), (1, 2, 4)):
        builder = GraphBuilder()
        x = builder.placeholder((None, 2))
        y = ops.var(x, axis=0, correction=correction)
        array = X[0, :size]
        (slope,) = gradients(y.sum(), [x])
        with np.errstate(all="ignore"):
            found = run(builder.graph([slope], [x]), array)[0]
            point = Tensor(array, requires_grad=True)
            y = ops.var(point, axis=0, correction=correction)
            np.testing.assert_array_equal(found, grad(y.sum(), point)[0].data)
