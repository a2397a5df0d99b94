"""Gradients clipped: by all of their length, and each element alone."""

import math

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, run
from cgkit.errors import OperandError
from cgkit.optimizers import clip_by_norm, clip_by_value

RNG = np.random.default_rng(5)


def nested():
    return {"w": RNG.normal(size=(3, 4)), "b": [RNG.normal(size=4), None, np.zeros((0, 2))]}


@pytest.mark.parametrize("limit", [0.5, 100.0])
def test_by_norm(limit):
    gradients = nested()
    clipped, norm = clip_by_norm(gradients, limit)
    flat = np.concatenate([gradients["w"].ravel(), gradients["b"][0]])
    length = math.sqrt(sum(x * x for x in flat))
    assert float(norm) == pytest.approx(length, rel=1e-14)
    factor = min(1.0, limit / length)
    np.testing.assert_allclose(clipped["w"], gradients["w"] * factor, rtol=1e-5)
    assert clipped["b"][1] is None
    assert clipped["b"][2].shape == (0, 2)
    again = np.concatenate([clipped["w"].ravel(), clipped["b"][0]])
    assert np.linalg.norm(again) == pytest.approx(min(limit, length), rel=1e-5)


def test_short_gradients_stay_to_the_bit():
    gradients = nested()
    clipped, _ = clip_by_norm(gradients, 1e9)
    np.testing.assert_array_equal(clipped["w"], gradients["w"])


def test_each_keeps_its_dtype():
    gradients = [np.full(2, 3.0, "float32"), np.full(2, 4.0), np.full(2, 5.0, "float16")]
    clipped, norm = clip_by_norm(gradients, 1.0)
    assert [x.dtype.name for x in clipped] == ["float32", "float64", "float16"]
    assert float(norm) == pytest.approx(10.0)


def test_of_nothing():
    assert clip_by_norm([], 1.0) == ([], 0.0)
    assert clip_by_norm({"a": None}, 1.0)[0] == {"a": None}
    assert clip_by_value([], 1.0) == []
    zero, norm = clip_by_norm([np.zeros(3)], 1.0)
    assert (zero[0].tolist(), float(norm)) == ([0, 0, 0], 0)


def test_nan_is_not_hidden():
    clipped, norm = clip_by_norm([np.array([np.nan, 1.0])], 1.0)
    assert np.isnan(norm)
    assert np.isnan(clipped[0]).all()


def test_tensors_and_values_give_the_same():
    a, b = RNG.normal(size=(3,)), RNG.normal(size=(2, 2))
    (first, second), norm = clip_by_norm([a, b], 0.7)
    tensors, length = clip_by_norm([Tensor(a), Tensor(b)], 0.7)
    np.testing.assert_array_equal(tensors[1].data, second)
    assert length.item() == norm
    builder = GraphBuilder()
    x, y = builder.placeholder((3,)), builder.placeholder((2, 2))
    outputs, _ = clip_by_norm([x, y], 0.7)
    found = run(builder.graph([*outputs, *clip_by_value([x], 0.1)], [x, y]), a, b)
    np.testing.assert_array_equal(found[0], first)
    np.testing.assert_array_equal(found[2], clip_by_value([a], 0.1)[0])


def test_by_value():
    clipped = clip_by_value({"a": np.array([-5.0, 0.25, 7.0, np.inf])}, 0.5)
    assert clipped["a"].tolist() == [-0.5, 0.25, 0.5, 0.5]


@pytest.mark.parametrize("act", [clip_by_norm, clip_by_value])
@pytest.mark.parametrize("limit", [-1.0, math.nan, "short", None])
def test_a_wrong_limit_is_refused(act, limit):
    with pytest.raises(OperandError, match="the limit is a number of at least 0"):
        act([np.ones(1)], limit)


@pytest.mark.oracle
@pytest.mark.parametrize("limit", [0.5, 100.0])
def test_as_torch(limit):
    import torch

    gradients = nested()
    leaves = [torch.zeros(3, 4), torch.zeros(4)]
    leaves = [leaf.double().requires_grad_() for leaf in leaves]
    leaves[0].grad, leaves[1].grad = map(torch.tensor, [gradients["w"], gradients["b"][0].copy()])
    theirs = torch.nn.utils.clip_grad_norm_(leaves, limit)
    clipped, norm = clip_by_norm(gradients, limit)
    assert float(norm) == pytest.approx(theirs.item(), rel=1e-14)
    np.testing.assert_allclose(clipped["w"], leaves[0].grad.numpy(), rtol=1e-14)
