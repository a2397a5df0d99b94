"""Losses of classes: written out, at extreme scores, with weights, ignored and smoothed labels."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.errors import OperandError
from cgkit.testing import check_gradient

RNG = np.random.default_rng(0)


def plainly(x, labels):
    p = np.exp(x - x.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return np.array([-np.log(p[i, label]) for i, label in enumerate(labels)])


X, LABELS = RNG.normal(size=(5, 3)), np.array([0, 2, 1, 1, 0])
WEIGHTS = np.array([1.0, 2.0, 0.5])


class TestCrossEntropy:
    def test_each_label_by_itself(self):
        each = ops.cross_entropy(X, LABELS, reduction="none")
        np.testing.assert_allclose(each, plainly(X, LABELS))
        assert ops.cross_entropy(X, LABELS) == pytest.approx(each.mean())
        assert ops.cross_entropy(X[1], LABELS[1]) == pytest.approx(each[1])

    def test_pictures_have_classes_second(self):
        x = RNG.normal(size=(2, 3, 4, 5))
        labels = RNG.integers(0, 3, size=(2, 4, 5))
        found = ops.cross_entropy(x, labels, reduction="none")
        rows = x.transpose(0, 2, 3, 1).reshape(-1, 3)
        np.testing.assert_allclose(found.ravel(), plainly(rows, labels.ravel()))

    def test_the_gradient_is_shares_minus_the_label(self):
        x = Tensor(X, requires_grad=True)
        (slope,) = grad(ops.cross_entropy(x, LABELS, reduction="sum"), x)
        np.testing.assert_allclose(slope.data, ops.softmax(X) - np.eye(3)[LABELS])

    def test_large_scores_stay_exact(self):
        x = np.array([[1000.0, 0.0], [-1000.0, 0.0]])
        assert ops.cross_entropy(x, np.array([1, 0]), reduction="none").tolist() == [1000.0, 1000.0]
        assert ops.cross_entropy(x, np.array([0, 1])) == 0.0

    def test_a_class_that_cannot_be(self):
        x = np.array([[-np.inf, 0.0]])
        assert ops.cross_entropy(x, np.array([1])) == 0.0
        assert ops.cross_entropy(x, np.array([0])) == np.inf

    def test_weights_count_in_the_mean_too(self):
        each = plainly(X, LABELS) * WEIGHTS[LABELS]
        found = ops.cross_entropy(X, LABELS, weights=WEIGHTS)
        assert found == pytest.approx(each.sum() / WEIGHTS[LABELS].sum())
        assert ops.cross_entropy(X, LABELS, weights=WEIGHTS, reduction="sum") == pytest.approx(
            each.sum()
        )

    def test_what_is_ignored_counts_nowhere(self):
        labels = np.array([0, -100, 1, -100, 0])
        kept = [0, 2, 4]
        assert ops.cross_entropy(X, labels) == pytest.approx(plainly(X[kept], labels[kept]).mean())
        x = Tensor(X, requires_grad=True)
        (slope,) = grad(ops.cross_entropy(x, labels), x)
        assert not slope.data[[1, 3]].any()
        assert ops.cross_entropy(X, LABELS, ignore_index=1, reduction="none")[2] == 0.0
        assert np.isnan(ops.cross_entropy(X, np.full(5, -100)))

    def test_smoothed_labels_are_probabilities(self):
        soft = np.eye(3)[LABELS] * 0.7 + 0.1
        for reduction in ("mean", "sum", "none"):
            smoothed = ops.cross_entropy(X, LABELS, label_smoothing=0.3, reduction=reduction)
            np.testing.assert_allclose(smoothed, ops.cross_entropy(X, soft, reduction=reduction))
        again = ops.cross_entropy(X, np.eye(3)[LABELS], label_smoothing=0.3)
        assert again == pytest.approx(float(ops.cross_entropy(X, soft)))

    def test_probabilities_with_weights(self):
        p = RNG.uniform(size=(5, 3))
        found = ops.cross_entropy(X, p, weights=WEIGHTS, reduction="none")
        np.testing.assert_allclose(found, -(ops.log_softmax(X) * p * WEIGHTS).sum(axis=1))

    def test_gradients(self):
        check_gradient(lambda x: ops.cross_entropy(x, LABELS, weights=WEIGHTS), X)
        check_gradient(lambda x: ops.cross_entropy(x, LABELS, label_smoothing=0.2), X)
        check_gradient(ops.cross_entropy, X, RNG.uniform(size=(5, 3)))

    def test_open_batches(self):
        builder = GraphBuilder()
        x, labels = builder.placeholder((None, 3)), builder.placeholder(("N",), "int64")
        graph = builder.graph([ops.cross_entropy(x, labels, label_smoothing=0.1)])
        (found,) = run(graph, X, LABELS)
        assert found == pytest.approx(float(ops.cross_entropy(X, LABELS, label_smoothing=0.1)))

    def test_what_does_not_fit(self):
        with pytest.raises(ShapeError, match=r"needs a label of shape \(5,\).*got \(4,\)"):
            ops.cross_entropy(X, LABELS[:4])
        with pytest.raises(DtypeError, match=r"integer dtype, got float64 of shape \(5,\)"):
            ops.cross_entropy(X, LABELS.astype(float))
        with pytest.raises(ShapeError, match=r"cannot compare \(5, 3\) with a target of \(5, 2\)"):
            ops.cross_entropy(X, X[:, :2])
        with pytest.raises(DtypeError, match="labels of an integer dtype, got bool"):
            ops.cross_entropy(X, LABELS > 0)
        with pytest.raises(ShapeError, match="a weight for each of 3 classes"):
            ops.cross_entropy(X, LABELS, weights=np.ones(4))
        with pytest.raises(
            OperandError, match="label_smoothing of cross_entropy is a number from 0 to 1"
        ):
            ops.cross_entropy(X, LABELS, label_smoothing=1.5)
        with pytest.raises(OperandError, match="no reduction 'all'"):
            ops.cross_entropy(X, LABELS, reduction="all")
        with pytest.raises(ShapeError, match="got a single number"):
            ops.cross_entropy(np.array(1.0), np.array(0))

    def test_a_label_that_is_no_class(self):
        for loss in (ops.cross_entropy, ops.nll_loss):
            said = f"{loss.__name__} has a label that is none of 3 classes\n  place 3 lies outside"
            with pytest.raises(ShapeError, match=said):
                loss(X, np.array([0, 1, 2, 3, 0]))


def test_nll_loss_begins_where_log_softmax_ends():
    logs = ops.log_softmax(X)
    found = ops.nll_loss(logs, LABELS, weights=WEIGHTS)
    assert found == pytest.approx(float(ops.cross_entropy(X, LABELS, weights=WEIGHTS)))
    check_gradient(lambda x: ops.nll_loss(x, LABELS, ignore_index=1), X)


class TestBinary:
    def test_both_forms_agree(self):
        x, target = RNG.normal(size=(4, 2)) * 3, RNG.uniform(size=(4, 2))
        weights = RNG.uniform(size=2)
        for settings in ({}, {"weights": weights}, {"reduction": "none"}):
            found = ops.binary_cross_entropy_with_logits(x, target, **settings)
            other = ops.binary_cross_entropy(ops.sigmoid(x), target, **settings)
            np.testing.assert_allclose(found, other)

    def test_large_scores_stay_exact(self):
        x, yes = np.array([800.0, -800.0, 0.0]), np.ones(3)
        found = ops.binary_cross_entropy_with_logits(x, yes, reduction="none")
        np.testing.assert_allclose(found, [0.0, 800.0, np.log(2)])

    def test_the_slope_at_0_is_half(self):
        x = Tensor([0.0], requires_grad=True)
        (slope,) = grad(ops.binary_cross_entropy_with_logits(x, np.zeros(1)), x, create_graph=True)
        assert slope.item() == 0.5
        assert grad(slope, x)[0].item() == 0.25

    def test_a_yes_may_count_more(self):
        x, target = RNG.normal(size=3), np.array([1.0, 0.0, 0.5])
        found = ops.binary_cross_entropy_with_logits(
            x, target, positive_weight=3.0, reduction="none"
        )
        p = 1 / (1 + np.exp(-x))
        expected = -(3 * target * np.log(p) + (1 - target) * np.log(1 - p))
        np.testing.assert_allclose(found, expected)

    def test_probabilities_of_0_and_1(self):
        p = Tensor([0.0, 1.0, 0.0, 1.0], requires_grad=True)
        losses = ops.binary_cross_entropy(p, np.array([0.0, 1.0, 1.0, 0.0]), reduction="none")
        assert losses.data.tolist() == [0.0, 0.0, 100.0, 100.0]
        assert np.isfinite(grad(losses.sum(), p)[0].data).all()

    def test_gradients(self):
        x, target = RNG.uniform(0.2, 0.8, size=(2, 3))
        check_gradient(ops.binary_cross_entropy, x, target)
        check_gradient(ops.binary_cross_entropy_with_logits, x, target)

    def test_a_target_never_stretches_a_prediction(self):
        for loss in (ops.binary_cross_entropy, ops.binary_cross_entropy_with_logits):
            with pytest.raises(
                ShapeError, match=r"cannot compare \(2,\) with a target of \(2, 1\)"
            ):
                loss(np.ones(2), np.ones((2, 1)))
