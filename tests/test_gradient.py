"""One `grad` for Tensors and for values of a graph."""

import numpy as np
import pytest

from cgkit import GradientError, GraphBuilder, ShapeError, Tensor, TensorType, grad, run, trace
from cgkit.errors import CaptureError

VECTOR = TensorType((3,), "float64")


def test_a_step_of_training_is_one_graph():
    def step(w, x):
        (slope,) = grad((w * x).sum(), w)
        return w - slope * 0.5

    graph = trace(step, VECTOR, VECTOR).graph
    assert run(graph, np.ones(3), np.arange(3.0))[0].tolist() == [1, 0.5, 0]


def test_tensors_go_the_old_way():
    x = Tensor(3.0, requires_grad=True)
    (first,) = grad(x**3.0, x, create_graph=True)
    assert (first.item(), grad(first, [x])[0].item()) == (27, 18)


def test_captured_tensors_count_as_inputs():
    w = Tensor(np.ones(3), requires_grad=True)
    traced = trace(lambda x: grad((x * w).sum(), w)[0], VECTOR)
    assert traced.captured == (w,)
    assert run(traced.graph, np.arange(3.0), w.data)[0].tolist() == [0, 1, 2]


def test_several_outputs_and_seeds():
    graph = trace(lambda x: grad([x * 2.0, x * x], x, [np.ones(3), x])[0], VECTOR).graph
    assert run(graph, np.array([1.0, 2.0, 3.0]))[0].tolist() == [4, 10, 20]


def test_unused_inputs():
    builder = GraphBuilder()
    x, y = builder.placeholder((2,)), builder.placeholder((2,))
    with pytest.raises(GradientError, match="input 0, of shape"):
        grad(x.sum(), y)
    assert grad(x.sum(), y, allow_unused=True) == (None,)
    (zeros,) = grad(x.sum(), y, materialize_grads=True)
    assert run(builder.graph([zeros]))[0].tolist() == [0, 0]


def test_errors():
    builder = GraphBuilder()
    x = builder.placeholder((2,))
    with pytest.raises(GradientError, match="implicitly created only for scalar outputs"):
        grad(x * 2.0, x)
    with pytest.raises(ShapeError, match="seeds never broadcast"):
        grad(x * 2.0, x, 1.0)
    with pytest.raises(CaptureError, match="another graph"):
        grad(x.sum(), GraphBuilder().placeholder(()))


def test_a_tensor_beside_values_depends_on_none_of_them():
    x = GraphBuilder().placeholder((2,))
    (slope,) = grad(Tensor(3.0), x, materialize_grads=True)
    assert run(x.builder.graph([slope], [x]), np.ones(2))[0].tolist() == [0, 0]
    with pytest.raises(GradientError, match="was not used"):
        grad(Tensor(3.0), x)
