"""Descent, against the formulas written out for single numbers."""

import numpy as np
import pytest

from cgkit.errors import OperandError
from cgkit.optimizers import SGD

GRADIENTS = [4.0, -1.0, 0.0, 2.5, 2.5]


def by_hand(w, *, rate, momentum=0.0, dampening=0.0, nesterov=False, weight_decay=0.0):
    velocity = None
    for gradient in GRADIENTS:
        g = gradient + weight_decay * w
        velocity = g if velocity is None else momentum * velocity + (1 - dampening) * g
        step = g if momentum == 0 else g + momentum * velocity if nesterov else velocity
        w -= rate * step
    return w


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.3},
        {"momentum": 0.9, "dampening": 2.0},
        {"momentum": 1.5, "nesterov": True},
        {"momentum": 0.9, "weight_decay": 0.2, "nesterov": True},
        {"dampening": 0.5},
    ],
)
def test_five_steps(more):
    settings = SGD(0.125, **more)
    param = np.array([1.0, -2.0])
    state = settings.initial(param)
    for gradient in GRADIENTS:
        param, state = settings.update(param, np.full(2, gradient), state)
    expected = [by_hand(w, rate=0.125, **more) for w in (1.0, -2.0)]
    np.testing.assert_allclose(param, expected, rtol=1e-14)


def test_going_up_is_going_down_the_other_way():
    down, up = SGD(0.1, momentum=0.5), SGD(0.1, momentum=0.5, maximize=True)
    w = np.array([1.0])
    first, _ = down.update(w, -w, down.initial(w))
    second, _ = up.update(w, w, up.initial(w))
    np.testing.assert_array_equal(first, second)


def test_without_momentum_nothing_is_kept():
    assert SGD(0.1).memory == ()
    assert SGD(0.1, momentum=0.1).memory == ("velocity",)


@pytest.mark.parametrize(
    "more", [{}, {"momentum": 0.0}, {"momentum": 0.9, "dampening": 0.1}, {"dampening": 0.1}]
)
def test_nesterov_needs_momentum_and_no_dampening(more):
    with pytest.raises(OperandError, match="Nesterov's form needs momentum above 0"):
        SGD(0.1, nesterov=True, **more)


@pytest.mark.parametrize("more", [{"momentum": -0.1}, {"momentum": "much"}, {"nesterov": 1}])
def test_settings_out_of_bounds_are_refused(more):
    with pytest.raises(OperandError, match=next(iter(more))):
        SGD(0.1, **more)
