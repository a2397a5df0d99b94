"""Checks must fail for wrong gradients, of first and of second order."""

import numpy as np
import pytest

from cgkit import ops
from cgkit.conformance.hips.checking import (
    check_equivalent,
    check_grads,
    combo_check,
    quick_grad_check,
)
from cgkit.conformance.hips.primitives import defvjp, primitive


def wrong(factor):
    double = primitive(lambda x: x * 2.0)
    defvjp(double, lambda ans, x: lambda g: g * factor)
    return double


def wrong_again():
    """Make a gradient that is right, and whose own gradient is not."""
    same = primitive(lambda x: x * 1.0)
    defvjp(same, lambda ans, x: lambda g: g * 1.001)
    outer = primitive(lambda x: x * 2.0)
    defvjp(outer, lambda ans, x: lambda g: same(g) * 2.0)
    return outer


@pytest.mark.parametrize("modes", [["fwd"], ["rev"], ["fwd", "rev"]])
def test_first_order(modes):
    check_grads(wrong(2.0), modes=modes)(1.5)
    with pytest.raises(AssertionError):
        check_grads(wrong(2.001), modes=modes)(1.5)


def test_second_order():
    check_grads(wrong_again(), modes=["rev"], order=1)(1.5)
    with pytest.raises(AssertionError, match=r"\(VJP\) check of vjp_"):
        check_grads(wrong_again(), modes=["rev"])(1.5)


def test_several_arguments_and_nested_ones():
    check_grads(lambda x, y: x["a"] * y + x["b"][0], (0, 1))({"a": 2.0, "b": [1.0]}, np.ones(2))
    quick_grad_check(lambda x, y: x**2 + y, 1.0, (2.0,))
    with pytest.raises(AssertionError):
        quick_grad_check(wrong(3.0), 1.0)


def test_all_combinations_are_tried():
    seen = []

    def function(x, axis):
        seen.append((np.shape(x), axis))
        return ops.sum(x, axis=axis) if hasattr(x, "requires_grad") else x.sum(axis=axis)

    combo_check(function, (0,), order=1)([np.ones((2, 3)), np.ones((1, 2))], axis=[0, None])
    assert set(seen) == {(shape, axis) for shape in ((2, 3), (1, 2)) for axis in (0, None)}


def test_equivalent_values():
    check_equivalent([1.0, np.ones(2)], [1.0 + 1e-9, np.ones(2)])
    for other in ([1.0, np.ones(3)], [1.1, np.ones(2)]):
        with pytest.raises(AssertionError):
            check_equivalent([1.0, np.ones(2)], other)
