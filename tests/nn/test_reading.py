"""The same layers with other numbers: eagerly, traced and in a graph, equal to the last bit."""

import numpy as np
import pytest

from cgkit import Generator, GraphBuilder, Tensor, grad, gradients, ops, run, trace
from cgkit.errors import CaptureError, OperandError, StateError
from cgkit.nn import Dropout, Linear, Module, Sequential, Tanh, functional


class Counting(Module):
    """Keeps how often it was called, and the sum of what it saw."""

    def __init__(self):
        self.calls = Tensor(0.0)
        self.seen = Tensor([0.0, 0.0])
        self.scale = Tensor(2.0, requires_grad=True)

    def forward(self, x):
        self.calls = self.calls + 1.0
        self.seen = self.seen + ops.stop_gradient(ops.sum(x, axis=0))
        return x * self.scale


def network(seed=0):
    g = Generator(seed)
    return Sequential(Linear(3, 4, g), Tanh(), Dropout(0.3), Linear(4, 2, g))


X = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")
KEY = ops.key(1)


def test_with_its_own_numbers_it_gives_what_a_call_gives():
    model = network()
    expected = model(X, key=KEY)
    for state in (model.state(), model.named_tensors()):
        y, buffers = functional(model, state, X, key=KEY)
        np.testing.assert_array_equal(np.asarray(getattr(y, "data", y)), expected.data)
        assert buffers == {}


def test_other_numbers_and_their_gradients():
    model, other = network(0), network(1)
    state = {name: Tensor(x, requires_grad=True) for name, x in other.state().items()}
    y, _ = functional(model, state, X, key=KEY)
    slopes = grad(y.sum(), list(state.values()))
    other(X, key=KEY).sum().backward()
    for slope, x in zip(slopes, other.parameters(), strict=True):
        np.testing.assert_array_equal(slope.data, x.grad.data)
    assert all(x.grad is None for x in model.parameters())


def test_a_graph_with_variables_trains_the_same_network():
    model, builder = network(), GraphBuilder()
    x = builder.placeholder((None, 3), "float32", name="x")
    key = builder.placeholder((), "uint64", name="key")
    state = {name: builder.variable(a, name=name) for name, a in model.state().items()}
    y, _ = functional(model, state, x, key=key)
    slopes = gradients(ops.sum(y), list(state.values()))
    found = run(builder.graph([y, *slopes], [x, key]), X, KEY)
    expected = model(X, key=KEY)
    expected.sum().backward()
    np.testing.assert_array_equal(found[0], expected.data)
    for slope, parameter in zip(found[1:], model.parameters(), strict=True):
        np.testing.assert_array_equal(slope, parameter.grad.data)


def test_new_buffers_are_given_and_the_module_does_not_notice():
    module = Counting()
    x = np.arange(6.0).reshape(3, 2)
    y, buffers = functional(module, module.named_tensors(), x)
    assert list(buffers) == ["calls", "seen"]
    assert buffers["calls"].item() == 1.0
    assert buffers["seen"].data.tolist() == [6.0, 9.0]
    assert module.calls.item() == 0.0
    np.testing.assert_array_equal(y.data, x * 2)
    module(x)
    assert module.seen.data.tolist() == [6.0, 9.0]
    # a second reading goes on from the first
    again = {**module.named_parameters(), **buffers}
    assert functional(module, again, x)[1]["calls"].item() == 2.0


def test_traced_with_buffers_as_outputs():
    module, x = Counting(), np.arange(6.0).reshape(3, 2)
    traced = trace(lambda x: functional(module, module.named_tensors(), x), x)
    y, calls, seen = run(traced.graph, x, *(tensor.data for tensor in traced.captured))
    assert (calls.item(), seen.tolist()) == (1.0, [6.0, 9.0])
    np.testing.assert_array_equal(y, x * 2)
    assert module.calls.item() == 0.0


def test_a_graph_cannot_change_a_module_behind_its_back():
    module = Counting()
    with pytest.raises(TypeError, match=r"Counting\.calls cannot keep Value"):
        trace(module, np.ones((2, 2)))
    assert module.calls.item() == 0.0
    assert module.seen.data.tolist() == [0.0, 0.0]


def test_what_is_learned_does_not_become_a_constant_unnoticed():
    layer, x = Linear(3, 2, Generator(0)), GraphBuilder().placeholder((None, 3), "float32")
    with pytest.raises(CaptureError, match=r"Linear\(3, 2\) learns, and its numbers would be"):
        layer(x)
    for parameter in layer.parameters():
        parameter.requires_grad_(False)
    assert str(layer(x).type) == "float32[N, 2]"


def test_only_modules_are_read():
    with pytest.raises(OperandError, match="functional reads a Module, not <function"):
        functional(lambda x: x, {}, X)


def test_a_state_must_be_whole():
    model = network()
    state = model.state()
    del state["0.bias"]
    state["9"] = np.zeros(1)
    with pytest.raises(StateError, match=r"missing     0\.bias.*\n  unexpected  9"):
        functional(model, state, X)


def test_a_shared_layer_is_one_variable():
    layer = Linear(2, 2, Generator(0))
    model = Sequential(layer, Tanh(), layer)
    assert list(model.state()) == ["0.weight", "0.bias"]
    x = np.ones((1, 2), "float32")
    state = {name: Tensor(a, requires_grad=True) for name, a in model.state().items()}
    y, _ = functional(model, state, x)
    np.testing.assert_array_equal(y.data, model(x).data)
