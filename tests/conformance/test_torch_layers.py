"""Layers in torch's words: settings of one number, images without a batch, statistics kept."""

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.conformance import torch_layers as layers

RNG = np.random.default_rng(0)
X = Tensor(RNG.normal(size=(1, 2, 5, 5)))
W = Tensor(RNG.normal(size=(3, 2, 2, 2)))


def test_an_image_without_a_batch():
    whole = layers.conv2d(X, W, Tensor([1.0, 2.0, 3.0]), stride=2, padding=(1,), dilation=(1, 2))
    single = layers.conv2d(X[0], W, Tensor([1.0, 2.0, 3.0]), 2, 1, (1, 2))
    np.testing.assert_array_equal(whole.data[0], single.data)
    plain = ops.conv2d(X, W, stride=(2, 2), padding=(1, 1), dilation=(1, 2))
    np.testing.assert_allclose(whole.data[:, 2], plain.data[:, 2] + 3.0)


@pytest.mark.parametrize("stride", [None, (), 2])
def test_pools_step_by_their_kernel(stride):
    largest, places = layers.max_pool2d(X, 2, stride, return_indices=True)
    assert largest.shape == places.shape == (1, 2, 2, 2)
    assert largest.data[0, 0, 0, 0] == X.data[0, 0, :2, :2].max()
    mean = layers.avg_pool2d(X, (2,), stride, divisor_override=1)
    np.testing.assert_allclose(mean.data[0, 1, 1, 0], X.data[0, 1, 2:4, :2].sum())


def test_statistics_of_the_batch_or_kept():
    x = Tensor(RNG.normal(size=(4, 2)))
    fresh = layers.batch_norm(x, None, None, training=True)
    np.testing.assert_allclose(fresh.data.mean(0), 0, atol=1e-12)
    kept = layers.batch_norm(x, np.zeros(2), np.ones(2), np.full(2, 3.0), np.ones(2), eps=0.0)
    np.testing.assert_allclose(kept.data, 3 * x.data + 1)
    assert layers.batch_norm(Tensor(np.ones(0)), np.ones(0), np.ones(0)).shape == (0,)


def test_layers_and_losses():
    np.testing.assert_allclose(layers.layer_norm(X, (5, 5)).data.mean((2, 3)), 0, atol=1e-12)
    scores = Tensor([[0.0, 0.0]])
    np.testing.assert_allclose(layers.cross_entropy(scores, np.array([1])).data, np.log(2))


def test_attention_keeps_the_given_shares():
    q = Tensor(np.zeros((1, 2)))
    found = layers.attention(
        q, Tensor(np.zeros((2, 2))), Tensor([[1.0], [5.0]]), dropout_p=0.5,
        kept=np.array([[True, False]]),
    )  # fmt: skip
    assert found.data.tolist() == [[1.0]]  # a half of 1, doubled; 5 is dropped
