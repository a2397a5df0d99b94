"""Calls of functions made of operators: each can be made, and names a function there is."""

import numpy as np
import pytest

from cgkit import Tensor
from cgkit.conformance.composed import SAMPLES
from cgkit.operators import COMPOSED


def test_every_function_has_a_call():
    assert set(SAMPLES) <= set(COMPOSED)
    assert all(SAMPLES.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_calls_give_floats_that_want_gradients(name):
    for shapes, call in SAMPLES[name]:
        drawn = [np.random.default_rng(0).normal(size=shape) for shape in shapes]
        found = call(COMPOSED[name], *(Tensor(x, requires_grad=True) for x in drawn))
        first = found[0] if isinstance(found, tuple) else found
        assert first.requires_grad
        assert np.isfinite(first.data).all()
