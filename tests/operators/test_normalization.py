"""Normalization of each example: means, variances, lengths, and gradients to second order."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, ops, run
from cgkit.errors import OperandError
from cgkit.testing import check_gradient

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("axis", [-1, 1, 0])
def test_layers_have_mean_0_and_variance_1(axis):
    x = RNG.normal(size=(2, 3, 4)) * 3 + 1
    axes = tuple(range(axis % 3, 3))
    y = ops.layer_norm(x, axis=axis, epsilon=0.0)
    np.testing.assert_allclose(y.mean(axis=axes), 0.0, atol=1e-12)
    np.testing.assert_allclose(y.var(axis=axes), 1.0)
    z = ops.rms_norm(x, axis=axis, epsilon=0.0)
    np.testing.assert_allclose((z * z).mean(axis=axes), 1.0)


def test_groups_from_one_to_each_channel_alone():
    x = RNG.normal(size=(2, 4, 3))
    whole = ops.group_norm(x, 1)
    np.testing.assert_allclose(whole, ops.layer_norm(x, axis=1))
    np.testing.assert_allclose(ops.group_norm(x, 4), ops.instance_norm(x))
    halves = np.concatenate([ops.layer_norm(x[:, :2], axis=1), ops.layer_norm(x[:, 2:], axis=1)], 1)
    np.testing.assert_allclose(ops.group_norm(x, 2), halves)


def test_scale_and_shift_stand_along_their_axes():
    x, scale, shift = RNG.normal(size=(2, 3, 4)), RNG.normal(size=3), RNG.normal(size=3)
    for plain, full in (
        (ops.instance_norm(x), ops.instance_norm(x, scale, shift)),
        (ops.group_norm(x, 3), ops.group_norm(x, 3, scale, shift)),
    ):
        np.testing.assert_allclose(full, plain * scale[:, None] + shift[:, None])
    rows = RNG.normal(size=(2, 4))
    np.testing.assert_allclose(ops.layer_norm(x, rows[0]), ops.layer_norm(x) * rows[0])
    both = ops.layer_norm(x, rows[0], rows[1])
    np.testing.assert_allclose(both, ops.layer_norm(x) * rows[0] + rows[1])


def test_a_negative_epsilon_of_layer_norm_is_taken_at_its_word():
    x = np.array([[0.0, 2.0], [0.0, 4.0]])  # variances 1 and 4
    with np.errstate(invalid="ignore"):
        found = ops.layer_norm(x, epsilon=-3.0)
    np.testing.assert_allclose(found, [[np.nan, np.nan], [-2.0, 2.0]])


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_neighbors_among_channels(size):
    x = RNG.normal(size=(2, 5, 3))
    found = ops.local_response_norm(x, size, alpha=0.3, beta=0.7, bias=1.2)
    for c in range(5):
        near = x[:, max(c - (size - 1) // 2, 0) : c + size // 2 + 1]
        total = (near * near).sum(axis=1) / size
        np.testing.assert_allclose(found[:, c], x[:, c] / (1.2 + 0.3 * total) ** 0.7)


@pytest.mark.parametrize(
    "fn",
    [
        ops.layer_norm, ops.rms_norm, ops.instance_norm, lambda x: ops.group_norm(x, 2),
        lambda x: ops.local_response_norm(x, 3, alpha=0.5),
    ],
)  # fmt: skip
def test_gradients(fn):
    check_gradient(fn, RNG.normal(size=(1, 4, 3)))


def test_equal_numbers_are_no_trouble():
    x = np.full((2, 3), 7.0)
    assert ops.layer_norm(x).tolist() == np.zeros((2, 3)).tolist()
    assert ops.rms_norm(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_small_floats_stay_and_do_not_overflow(dtype):
    x = (RNG.normal(size=(2, 8)) * 1000).astype(dtype)
    for y in (ops.layer_norm(x), ops.rms_norm(x), ops.group_norm(x, 2)):
        assert y.dtype == dtype
        assert np.isfinite(y).all()
        np.testing.assert_allclose(abs(y).max(axis=1), abs(y).max(axis=1).clip(1, 3))


def test_integers_become_floats():
    assert ops.layer_norm([1, 3]).round(3).tolist() == [-1.0, 1.0]
    assert ops.group_norm(np.array([[1, 3, 5, 5]]), 2).dtype == np.float64


def test_open_sizes():
    builder = GraphBuilder()
    x = builder.placeholder((None, 4, None))
    outputs = [
        ops.layer_norm(x, axis=1), ops.rms_norm(x), ops.group_norm(x, 2), ops.instance_norm(x),
        ops.local_response_norm(x, 3),
    ]  # fmt: skip
    assert {str(y.shape) for y in outputs} == {"(N, 4, N2)"}
    array = RNG.normal(size=(2, 4, 5))
    expected = [
        ops.layer_norm(array, axis=1), ops.rms_norm(array), ops.group_norm(array, 2),
        ops.instance_norm(array), ops.local_response_norm(array, 3),
    ]  # fmt: skip
    for found, wanted in zip(run(builder.graph(outputs), array), expected, strict=True):
        np.testing.assert_allclose(found, wanted)


def test_what_does_not_fit():
    x = np.ones((2, 3, 4))
    with pytest.raises(ShapeError, match=r"layer_norm needs a scale for \(2, 3, 4\), got one of"):
        ops.layer_norm(x, np.ones(3))
    with pytest.raises(ShapeError, match="layer_norm needs a shift for"):
        ops.layer_norm(x, np.ones(4), np.ones((5, 2, 3, 4)))
    with pytest.raises(ShapeError, match="axis of layer_norm is the first that is normalized"):
        ops.layer_norm(x, axis=(1, 2))
    with pytest.raises(ShapeError, match="cannot split 3 channels into 2 groups"):
        ops.group_norm(x, 2)
    with pytest.raises(OperandError, match="number of groups of group_norm is a whole number"):
        ops.group_norm(x, 0)
    with pytest.raises(ShapeError, match=r"group_norm needs a scale of shape \(3,\), one for each"):
        ops.group_norm(x, 3, np.ones(4))
    with pytest.raises(ShapeError, match=r"instance_norm takes images \(N, C, L, ...\), got"):
        ops.instance_norm(np.ones((2, 3)))
    with pytest.raises(
        OperandError, match="size of local_response_norm is a whole number of at least 1, not 0"
    ):
        ops.local_response_norm(x, 0)
