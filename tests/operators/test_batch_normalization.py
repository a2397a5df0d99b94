"""Batch normalization against its formula, with statistics given and of the batch."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, flops, grad, ops
from cgkit.errors import OperandError


def drawn(shape, axis=1):
    rng = np.random.default_rng(0)
    channels = shape[axis]
    return rng.normal(size=shape), rng.normal(size=channels), rng.normal(size=channels)


@pytest.mark.parametrize(("shape", "axis"), [((4, 3), 1), ((2, 3, 4), 1), ((2, 4, 3), -1)])
def test_training_brings_each_channel_to_its_scale_and_shift(shape, axis):
    x, scale, shift = drawn(shape, axis)
    y, mean, var = ops.batch_norm_train(x, scale, shift, epsilon=1e-12, axis=axis)
    others = tuple(i for i in range(len(shape)) if i != axis % len(shape))
    np.testing.assert_allclose(mean, x.mean(axis=others))
    np.testing.assert_allclose(var, x.var(axis=others))
    np.testing.assert_allclose(y.mean(axis=others), shift)
    np.testing.assert_allclose(y.std(axis=others), abs(scale))
    # with the statistics of the batch itself both are one function
    given = ops.batch_norm(x, scale, shift, mean, var, epsilon=1e-12, axis=axis)
    np.testing.assert_allclose(given, y)


def test_a_batch_of_equal_numbers_is_its_shift():
    y, _, var = ops.batch_norm_train(np.full((3, 2), 5.0), np.ones(2), np.array([1.0, 2.0]))
    assert y.tolist() == [[1.0, 2.0]] * 3
    assert var.tolist() == [0.0, 0.0]


def test_halves_and_integers():
    x, scale, shift = (a.astype("e") for a in drawn((8, 2)))
    y, mean, var = ops.batch_norm_train(x * np.float16(300), scale, shift)
    assert {a.dtype.name for a in (y, mean, var)} == {"float16"}
    assert np.isfinite(y).all()
    whole = np.arange(6).reshape(3, 2)
    assert ops.batch_norm_train(whole, np.ones(2, "f"), np.zeros(2, "f"))[0].dtype == np.float64


def test_a_gradient_of_the_statistics_alone():
    x = Tensor(np.arange(6.0).reshape(3, 2), requires_grad=True)
    _, mean, var = ops.batch_norm_train(x, np.ones(2), np.zeros(2))
    (slope,) = grad(mean.sum(), x, retain_graph=True)
    np.testing.assert_allclose(slope.data, np.full((3, 2), 1 / 3))
    (slope,) = grad(var.sum(), x)
    np.testing.assert_allclose(slope.data, [[-4 / 3] * 2, [0.0] * 2, [4 / 3] * 2])


def test_a_shift_of_all_numbers_changes_nothing():
    x = Tensor(drawn((4, 3))[0], requires_grad=True)
    y, _, _ = ops.batch_norm_train(x, np.ones(3), np.zeros(3))
    (slope,) = grad(y, x, np.random.default_rng(1).normal(size=(4, 3)))
    np.testing.assert_allclose(slope.data.sum(axis=0), 0.0, atol=1e-12)


def test_counts_of_work():
    builder = GraphBuilder()
    x, *vectors = (builder.placeholder(s) for s in ((4, 3, 5), (3,), (3,), (3,), (3,)))
    assert flops(ops.batch_norm(x, *vectors).node) == 60 * 3 + 3 * 4
    assert flops(ops.batch_norm_train(x, *vectors[:2])[0].node) == 60 * 6 + 3 * 5


def test_what_does_not_fit():
    x, scale, shift = drawn((2, 3))
    with pytest.raises(ShapeError, match=r"needs a scale of shape \(3,\).* got \(2,\)"):
        ops.batch_norm_train(x, np.ones(2), shift)
    with pytest.raises(ShapeError, match=r"batch_norm needs a var of shape \(3,\)"):
        ops.batch_norm(x, scale, shift, shift, np.ones((3, 1)))
    with pytest.raises(OperandError, match="epsilon of batch_norm_train is a number"):
        ops.batch_norm_train(x, scale, shift, epsilon=-1)
    with pytest.raises(DtypeError, match="batch_norm_train cannot take complex128"):
        ops.batch_norm_train(x, scale, shift.astype(complex))
    with pytest.raises(ShapeError, match="the channels lie along one axis, not along None"):
        ops.batch_norm_train(x, scale, shift, axis=None)
    with pytest.raises(ShapeError, match="axis 2 does not exist"):
        ops.batch_norm_train(x, scale, shift, axis=2)


def test_open_batches():
    builder = GraphBuilder()
    x, a = builder.placeholder((None, 3, None)), builder.placeholder((3,))
    y, mean, _ = ops.batch_norm_train(x, a, a)
    assert str(y.shape) == "(N, 3, N2)"
    assert mean.shape == (3,)
