"""Operators that tests define: their rules are what cgkit goes backward with."""

import numpy as np
import pytest

from cgkit import Tensor
from cgkit.conformance.hips.functions import grad
from cgkit.conformance.hips.primitives import defvjp, primitive


def product():
    return primitive(lambda x, y, factor=1.0: x * y * factor)


def test_arrays_are_only_computed():
    assert product()(2.0, 3.0, factor=2.0) == 12.0
    assert isinstance(product()(Tensor(2.0), 3.0), Tensor)


def test_rules_by_place():
    times = product()
    defvjp(times, lambda ans, x, y, factor=1.0: lambda g: g * y * factor, argnums=[0])
    assert grad(lambda x: times(x, 3.0, factor=2.0))(5.0) == 6.0
    with pytest.raises(NotImplementedError, match="wrt argnum 1 not defined"):
        grad(times, 1)(5.0, 3.0)
    defvjp(times, None, lambda ans, x, y: lambda g: g * x)
    assert grad(times, [0, 1])(5.0, 3.0) == (0.0, 5.0)


def test_rules_see_the_result_and_can_be_differentiated():
    exponential = primitive(lambda x: np.exp(x))
    defvjp(exponential, lambda ans, x: lambda g: g * ans)
    assert grad(grad(exponential))(0.0) == 1.0


def test_words_of_old():
    times = product()
    times.defgrad(lambda ans, x, y: lambda g: g * y)
    times.defvjp(lambda g, ans, vs, gvs, x, y: x * g, argnum=1)
    assert grad(times, [0, 1])(5.0, 3.0) == (3.0, 5.0)
    times.defvjp_is_zero([0, 1])
    assert grad(times, [0, 1])(5.0, 3.0) == (0.0, 0.0)
