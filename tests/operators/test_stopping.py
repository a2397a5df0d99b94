"""Where gradients end: eager, recorded and static."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, grad, gradients, ops


def test_what_is_stopped_counts_as_given():
    x = Tensor(3.0, requires_grad=True)
    y = x * ops.stop_gradient(x * x)
    assert y.item() == 27.0
    (slope,) = grad(y, x, create_graph=True)
    assert slope.item() == 9.0
    assert grad(slope, x, materialize_grads=True)[0].item() == 0.0


def test_a_static_graph_stops_too():
    builder = GraphBuilder()
    x = builder.placeholder(())
    assert gradients(ops.stop_gradient(x), [x]) == [None]


def test_the_result_is_memory_of_its_own():
    x = np.arange(3.0)
    y = ops.stop_gradient(x)
    y[0] = 7.0
    assert x[0] == pytest.approx(0.0)
