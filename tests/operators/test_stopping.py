"""Where gradients end: eager, recorded and static."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, compile, grad, gradients, ops
from cgkit.errors import GradientError


def test_what_is_stopped_counts_as_given():
    x = Tensor(3.0, requires_grad=True)
    y = x * ops.stop_gradient(x * x)
    assert y.item() == 27.0
    (slope,) = grad(y, x, create_graph=True)
    assert slope.item() == 9.0
    assert not slope.requires_grad


@pytest.mark.parametrize("stopped", [
    ops.stop_gradient, lambda x: x.detach(), ops.eye_like, lambda x: ops.measure(x, size=4)
])  # fmt: skip
def test_no_gradient_is_wanted_of_what_none_goes_through(stopped):
    x = Tensor(np.ones((2, 2)), requires_grad=True)
    for y in (stopped(x), compile(stopped)(x)):
        assert (y.requires_grad, y.is_leaf, y.grad_fn) == (False, True, None)
    with pytest.raises(GradientError, match="no operand of this tensor requires grad"):
        ops.sum(stopped(x)).backward()


def test_a_static_graph_stops_too():
    builder = GraphBuilder()
    x = builder.placeholder(())
    assert gradients(ops.stop_gradient(x), [x]) == [None]


def test_the_result_is_memory_of_its_own():
    x = np.arange(3.0)
    y = ops.stop_gradient(x)
    y[0] = 7.0
    assert x[0] == pytest.approx(0.0)
