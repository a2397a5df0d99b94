"""Losses of numbers: their formulas, reductions, kinks and refusals."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops
from cgkit.errors import OperandError
from cgkit.operators.regression_losses import reduced
from cgkit.testing import check_gradient

X, T = np.array([0.2, -3.0, 1.5]), np.array([0.0, 1.0, 1.0])
EXPECTED = {
    "mse_loss": [0.04, 16.0, 0.25],
    "l1_loss": [0.2, 4.0, 0.5],
    "huber_loss": [0.02, 3.5, 0.125],
    "smooth_l1_loss": [0.02, 3.5, 0.125],
    "hinge_loss": [1.0, 4.0, 0.0],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_losses_and_their_reductions(name):
    loss = ops.COMPOSED[name]
    each = loss(X, T, reduction="none")
    np.testing.assert_allclose(each, EXPECTED[name])
    assert loss(X, T, reduction="sum") == pytest.approx(sum(EXPECTED[name]))
    assert loss(X, T) == pytest.approx(sum(EXPECTED[name]) / 3)


@pytest.mark.parametrize("name", EXPECTED)
def test_gradients(name):
    check_gradient(lambda x, t: ops.COMPOSED[name](x, t), X, T)


def test_where_the_line_begins():
    far = ops.huber_loss(np.array([3.0]), np.zeros(1), delta=2.0)
    assert far == pytest.approx(2.0 * (3.0 - 1.0))
    assert ops.smooth_l1_loss(np.array([3.0]), np.zeros(1), beta=2.0) == pytest.approx(2.0)
    assert ops.smooth_l1_loss(np.array([3.0]), np.zeros(1), beta=0) == pytest.approx(3.0)


@pytest.mark.parametrize("name", ["l1_loss", "huber_loss", "smooth_l1_loss"])
def test_no_error_has_no_slope(name):
    x = Tensor([1.0], requires_grad=True)
    assert grad(ops.COMPOSED[name](x, np.array([1.0])), x)[0].item() == 0.0


class TestCosine:
    def test_angles(self):
        a = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
        b = np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])
        np.testing.assert_allclose(ops.cosine_similarity(a, b), [1.0, 0.0, -1.0])
        losses = ops.cosine_loss(a, b, np.array([1, 1, -1]), reduction="none")
        np.testing.assert_allclose(losses, [0.0, 1.0, 0.0])
        losses = ops.cosine_loss(a, b, np.array([-1, -1, -1]), margin=0.25, reduction="none")
        np.testing.assert_allclose(losses, [0.75, 0.0, 0.0])

    def test_a_vector_of_no_length(self):
        a = Tensor(np.zeros(2), requires_grad=True)
        cosine = ops.cosine_similarity(a, np.ones(2))
        assert cosine.item() == 0.0
        assert np.isfinite(grad(cosine, a)[0].data).all()

    def test_gradients(self):
        rng = np.random.default_rng(0)
        check_gradient(ops.cosine_similarity, *rng.normal(size=(2, 3, 2)))


class TestDivergence:
    def test_nothing_between_equals_and_more_than_nothing_else(self):
        p = np.array([[0.2, 0.8], [0.0, 1.0]])
        log = np.log([[0.2, 0.8], [0.5, 0.5]])
        each = ops.kl_divergence(log, p, reduction="none")
        np.testing.assert_allclose(each, [[0, 0], [0, np.log(2)]], atol=1e-15)
        assert ops.kl_divergence(log, p, reduction="batchmean") == pytest.approx(np.log(2) / 2)
        from_logs = ops.kl_divergence(log, np.log(p[:1].repeat(2, 0)), log_target=True)
        assert from_logs == pytest.approx(ops.kl_divergence(log, p[:1].repeat(2, 0)))

    def test_a_target_of_0_has_a_finite_gradient(self):
        p = Tensor([0.0, 1.0], requires_grad=True)
        (slope,) = grad(ops.kl_divergence(np.log([0.5, 0.5]), p, reduction="sum"), p)
        np.testing.assert_allclose(slope.data, [0.0, 1 + np.log(2)])

    def test_gradients(self):
        rng = np.random.default_rng(0)
        check_gradient(ops.kl_divergence, rng.normal(size=3), rng.uniform(0.2, 1, size=3))

    def test_open_batches(self):
        builder = GraphBuilder()
        x = builder.placeholder((None, 2))
        assert ops.kl_divergence(x, x, reduction="batchmean").shape == ()


def test_a_mean_over_nothing_is_nan():
    assert np.isnan(ops.mse_loss(np.ones((0, 2)), np.ones((0, 2))))
    assert ops.mse_loss(np.ones((0, 2)), np.ones((0, 2)), reduction="sum") == 0.0


@pytest.mark.parametrize("name", [*EXPECTED, "kl_divergence"])
def test_a_target_never_stretches_a_prediction(name):
    with pytest.raises(
        ShapeError, match=rf"{name} cannot compare \(3,\) with a target of \(3, 1\)"
    ):
        ops.COMPOSED[name](X, T.reshape(3, 1))
    with pytest.raises(ShapeError, match="cannot compare"):
        ops.COMPOSED[name](X, T[:2])


@pytest.mark.parametrize("name", [*EXPECTED, "kl_divergence"])
def test_there_is_no_other_reduction(name):
    with pytest.raises(OperandError, match=f"{name} has no reduction 'average'"):
        ops.COMPOSED[name](X, T, reduction="average")


def test_bends_are_positive():
    with pytest.raises(OperandError, match="delta of huber_loss is more than 0"):
        ops.huber_loss(X, T, delta=0)
    with pytest.raises(OperandError, match="beta of smooth_l1_loss is a number of at least 0"):
        ops.smooth_l1_loss(X, T, beta=-1)


def test_reduced_keeps_the_dtype():
    assert reduced("x", np.ones(3, "f"), "mean").dtype == np.float32


@pytest.mark.parametrize("name", ["huber_loss", "smooth_l1_loss"])
def test_an_infinite_error_has_the_slope_of_the_line(name):
    x = Tensor([1.0, np.inf, -np.inf, 0.25], requires_grad=True)
    losses = ops.COMPOSED[name](x, Tensor([-np.inf, 0.0, 0.0, 0.0]), reduction="none")
    assert losses.data.tolist() == [np.inf, np.inf, np.inf, 0.03125]
    assert grad(losses.sum(), x)[0].data.tolist() == [1, 1, -1, 0.25]


NAN = np.array([np.nan, 0.5, 0.5])


@pytest.mark.parametrize("name", [*EXPECTED, "kl_divergence", "hinge_loss"])
def test_a_loss_of_nan_is_nan(name):
    loss = ops.COMPOSED[name]
    for x, target in ((NAN, np.ones(3)), (np.ones(3), NAN)):
        assert np.isnan(loss(x, target, reduction="none")).tolist() == [True, False, False]
        assert np.isnan(loss(x, target))


def test_a_cosine_of_nan_costs_nan_whether_or_not_a_pair_belongs_together():
    a = np.array([[np.nan, 1.0], [np.nan, 1.0], [1.0, 0.0]])
    losses = ops.cosine_loss(a, np.ones((3, 2)), np.array([1, -1, 1]), reduction="none")
    assert np.isnan(losses).tolist() == [True, True, False]


def test_what_is_no_probability_costs_nan():
    losses = ops.kl_divergence(np.zeros(3), np.array([-0.5, 0.0, 1.0]), reduction="none")
    np.testing.assert_array_equal(losses, [np.nan, 0, 0])


@pytest.mark.parametrize("make", [np.array, Tensor], ids=["array", "Tensor"])
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss"])
def test_truth_values_have_no_difference_and_that_is_said(name, make):
    with pytest.raises(DtypeError, match="sub cannot take bool, bool"):
        ops.COMPOSED[name](make([True, False]), make([True, True]))
