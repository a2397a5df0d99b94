"""RMSProp and Adam, against the formulas written out for single numbers."""

import math

import numpy as np
import pytest

from cgkit.errors import OperandError
from cgkit.optimizers import Adam, AdamW, RMSProp
from cgkit.optimizers.adaptive import running

GRADIENTS = [4.0, -1.0, 0.0, 2.5, 2.5]


def stepped(settings, w):
    param = np.array(w)
    state = settings.initial(param)
    for gradient in GRADIENTS:
        param, state = settings.update(param, np.full(param.shape, gradient), state)
    return param


def rmsprop_by_hand(w, *, rate, decay, epsilon, momentum=0.0, centered=False, weight_decay=0.0):
    square = mean = velocity = 0.0
    for gradient in GRADIENTS:
        g = gradient + weight_decay * w
        square = decay * square + (1 - decay) * g**2
        mean = decay * mean + (1 - decay) * g
        spread = math.sqrt(square - mean**2 if centered else square) + epsilon
        velocity = momentum * velocity + g / spread
        w -= rate * velocity
    return w


@pytest.mark.parametrize(
    "more",
    [{}, {"momentum": 0.5}, {"centered": True}, {"centered": True, "momentum": 0.9},
     {"weight_decay": 0.3}],
)  # fmt: skip
def test_rmsprop(more):
    found = stepped(RMSProp(0.1, decay=0.8, epsilon=0.01, **more), [1.0, -2.0])
    expected = [rmsprop_by_hand(w, rate=0.1, decay=0.8, epsilon=0.01, **more) for w in (1.0, -2.0)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def adam_by_hand(w, *, rate, betas, epsilon, weight_decay=0.0, amsgrad=False, apart=False):
    mean = square = largest = 0.0
    for step, gradient in enumerate(GRADIENTS, 1):
        g = gradient + (0.0 if apart else weight_decay * w)
        w *= 1 - rate * weight_decay if apart else 1
        mean = betas[0] * mean + (1 - betas[0]) * g
        square = betas[1] * square + (1 - betas[1]) * g**2
        largest = max(largest, square)
        usual = math.sqrt((largest if amsgrad else square) / (1 - betas[1] ** step))
        w -= rate * (mean / (1 - betas[0] ** step)) / (usual + epsilon)
    return w


@pytest.mark.parametrize("kind", [Adam, AdamW])
@pytest.mark.parametrize("more", [{}, {"weight_decay": 0.3}, {"amsgrad": True}])
def test_adam(kind, more):
    more = {"weight_decay": 0.0, **more}
    known = {"betas": (0.5, 0.75), "epsilon": 0.01, **more}
    found = stepped(kind(0.1, **known), [1.0, -2.0])
    expected = [adam_by_hand(w, rate=0.1, apart=kind is AdamW, **known) for w in (1.0, -2.0)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_defaults_are_the_published_ones():
    assert Adam() == Adam(0.001, betas=(0.9, 0.999), epsilon=1e-8, weight_decay=0.0)
    assert AdamW() == AdamW(0.001, betas=(0.9, 0.999), epsilon=1e-8, weight_decay=0.01)
    assert RMSProp() == RMSProp(0.01, decay=0.99, epsilon=1e-8)
    assert Adam(0.1) != AdamW(0.1, weight_decay=0.0)


def test_what_is_kept():
    assert Adam().memory == ("mean", "square")
    assert Adam(amsgrad=True).memory == ("mean", "square", "largest")
    assert RMSProp(centered=True, momentum=0.1).memory == ("square", "mean", "velocity")


def test_the_first_step_has_the_size_of_the_learning_rate():
    # whatever the gradient's size: mean and square are both made up for beginning at 0
    found, _ = Adam(0.1).update(
        np.zeros(3), np.array([1e-3, 1.0, -1e5]), Adam().initial(np.ones(3))
    )
    np.testing.assert_allclose(found, [-0.1, -0.1, 0.1], rtol=1e-4)


def test_a_variance_that_rounds_below_zero_is_no_nan():
    # equal gradients: the variance is 0, and float32 makes it a little less at times
    settings = RMSProp(0.01, centered=True, decay=0.9)
    param, state = np.ones(64, "float32"), None
    gradient = np.linspace(0.1, 3.0, 64, dtype="float32")
    state = settings.initial(param)
    for _ in range(400):
        param, state = settings.update(param, gradient, state)
        assert np.isfinite(param).all()


def test_decay_at_the_weights_does_not_reach_the_mean():
    w = np.array([1.0])
    for settings, mean in [
        (AdamW(0.1, weight_decay=0.5), 0.0),
        (Adam(0.1, weight_decay=0.5), 0.05),
    ]:
        _, state = settings.update(w, np.zeros(1), settings.initial(w))
        assert state["mean"].item() == pytest.approx(mean)


def test_a_running_mean():
    assert running(0.0, 4.0, 0.5) == 2.0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Adam(betas=(1.0, 0.9)), "the first of betas is below 1, not 1"),
        (lambda: Adam(betas=(0.9, -0.1)), "the second of betas is a number from 0 to 1"),
        (lambda: Adam(betas=0.9), "betas are two numbers"),
        (lambda: Adam(betas=(0.9, 0.9, 0.9)), "betas are two numbers"),
        (lambda: Adam(epsilon=-1e-8), "the epsilon is a number of at least 0"),
        (lambda: AdamW(amsgrad=1), "amsgrad is True or False"),
        (lambda: RMSProp(decay=1.5), "the decay is a number from 0 to 1"),
        (lambda: RMSProp(momentum=-1), "the momentum is a number of at least 0"),
    ],
)
def test_settings_out_of_bounds_are_refused(make, said):
    with pytest.raises(OperandError, match=said):
        make()
