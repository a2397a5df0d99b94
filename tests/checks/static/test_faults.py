import numpy as np
import pytest

from cgkit.checks.static import faults


def test_the_loss_by_hand():
    # two logits, a and b, and the first is right: log(1 + exp(b - a))
    logits = np.array([[1.0, 3.0], [0.0, 0.0]])
    labels = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = faults.softmax_cross_entropy(logits, labels)
    assert np.allclose(found, [np.log(1 + np.exp(2.0)), np.log(2.0)])
    assert np.isfinite(faults.softmax_cross_entropy(logits * 1e4, labels)).all()


def test_any_way_to_write_it_is_right(answers_02b):
    assert faults.mended_training(answers_02b.mended_training, seed=4).points == 3


def test_both_faults_left_give_nothing(wrong_training, failure):
    failed = failure(faults.mended_training, wrong_training)
    assert failed.misconception == "logits and labels swapped"
    assert "▶ loss" in failed.drawing


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"loss": ("mean",)}, "mean takes 1"),
        ({"loss": ("mean", "loss")}, "there is a cycle"),
        ({"loss": ("median", "logits")}, "known are"),
        ({"W": ("placeholder",)}, "'W' that is a variable"),
        ({"extra": ("placeholder",)}, "Nobody feeds 'extra'"),
        ({"loss": ("matmul", "labels", "images")}, "cannot be run"),
        ({"loss": ("mean", "logits")}, "another number than the mean loss"),
    ],
)
def test_other_graphs_have_a_sentence_each(wrong_training, failure, change, words):
    failed = failure(faults.mended_training, wrong_training | change)
    assert words in failed.why


def test_no_graph(failure):
    assert failure(faults.mended_training, 3).stage == "type"
    assert "A graph is a dict" in failure(faults.mended_training, ["loss"]).why


def test_a_graph_without_a_loss(wrong_training, failure):
    lost = {name: node for name, node in wrong_training.items() if name != "loss"}
    assert "a node 'loss'" in failure(faults.mended_training, lost).why
