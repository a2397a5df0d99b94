"""Recurrent networks against their cells, step by step."""

import numpy as np
import pytest

from cgkit import Generator, GraphBuilder, ShapeError, Tensor, nn, ops
from cgkit.errors import OperandError
from cgkit.nn import GRU, LSTM, RNN


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def stepped(cell, steps):
    """Take the steps one by one; give what each gave, and the last state."""
    state, found = None, []
    for x in steps:
        state = cell(x, state)
        found.append(cell.output(state).data)
    return found, state


def last(state):
    return [part.data for part in (state if isinstance(state, tuple) else (state,))]


@pytest.mark.parametrize("kind", [RNN, GRU, LSTM])
def test_a_sequence_is_its_steps(kind):
    network, x = kind(3, 4, Generator(0), dtype="float64"), drawn(2, 5, 3)
    y, (state,) = network(x)
    found, end = stepped(network.cells[0], x.transpose(1, 0, 2))
    np.testing.assert_allclose(y.data, np.stack(found, axis=1))
    np.testing.assert_allclose(last(state), last(end))
    alone, _ = network(x[0])
    np.testing.assert_allclose(alone.data, y.data[0])


@pytest.mark.parametrize("kind", [RNN, GRU, LSTM])
def test_layers_and_both_ways(kind):
    network = kind(3, 4, Generator(0), layers=2, both_ways=True, dtype="float64")
    x = drawn(2, 5, 3)
    steps, ends = x.transpose(1, 0, 2), []
    for layer in range(2):
        forward, end = stepped(network.cells[2 * layer], steps)
        backward, other = stepped(network.cells[2 * layer + 1], steps[::-1])
        steps = np.concatenate([np.stack(forward), np.stack(backward[::-1])], axis=-1)
        ends += [end, other]
    y, states = network(x)
    np.testing.assert_allclose(y.data, steps.transpose(1, 0, 2))
    for state, end in zip(states, ends, strict=True):
        np.testing.assert_allclose(last(state), last(end))


@pytest.mark.parametrize("kind", [RNN, GRU, LSTM])
def test_a_sequence_in_two_parts_is_one(kind):
    network, x = kind(3, 4, Generator(0), layers=2, dtype="float64"), drawn(2, 6, 3)
    whole, _ = network(x)
    first, state = network(x[:, :2])
    second, _ = network(x[:, 2:], state)
    np.testing.assert_allclose(np.concatenate([first.data, second.data], axis=1), whole.data)


@pytest.mark.parametrize("kind", [RNN, GRU, LSTM])
def test_no_steps(kind):
    network = kind(3, 4, Generator(0), both_ways=True)
    y, states = network(Tensor(np.zeros((2, 0, 3), "float32")))
    assert (y.shape, y.dtype) == ((2, 0, 8), np.float32)
    assert all(not part.any() and part.shape == (2, 4) for state in states for part in last(state))


def test_a_long_sequence_costs_no_recursion():
    network = RNN(1, 2, Generator(0))
    x = Tensor(np.ones((1, 3000, 1), "float32"), requires_grad=True)
    y, _ = network(x)
    y.sum().backward()
    assert np.isfinite(x.grad.data).all()


def test_layers_are_dropped_between():
    network, x = LSTM(3, 4, Generator(0), layers=2, rate=0.5), drawn(2, 5, 3)
    a, b = network(x, key=ops.key(0))[0].data, network(x, key=ops.key(1))[0].data
    assert (a != b).any()
    with pytest.raises(OperandError, match="Dropout"):
        network(x)
    still = LSTM(3, 4, Generator(0), layers=2)
    still.load_state(network.state())
    np.testing.assert_array_equal(network.eval()(x)[0].data, still(x)[0].data)
    assert LSTM(3, 4, Generator(0), rate=0.5)(x)[0].shape == (2, 5, 4)  # nothing lies between


def test_each_gap_between_layers_has_a_key_of_its_own():
    class Noting(nn.Module):
        def forward(self, x, *, key=None):
            keys.append(key)
            return x

    keys, network = [], RNN(3, 4, Generator(0), layers=4)
    network.drop = Noting()
    network(drawn(2, 5, 3), key=ops.key(0))
    assert len(keys) == len(set(keys)) == 3


def test_refusals():
    network = GRU(3, 4, Generator(0), layers=2)
    with pytest.raises(ShapeError, match=r"takes \(N, T, 3\), got \(3,\)"):
        network(drawn(3))
    with pytest.raises(ShapeError) as caught:
        network(drawn(2, 5, 4))
    assert "in layer cells.0.input = Linear(3, 12)" in caught.value.with_place()
    for state, found in ((drawn(2, 4), "ndarray"), ((drawn(2, 4),), "1")):
        with pytest.raises(OperandError, match=f"has 2 cells, and a state for each, got {found}"):
            network(drawn(2, 5, 3), state)
    x = GraphBuilder().placeholder((2, "T", 3))
    with pytest.raises(ShapeError, match=r"an open number of steps: \(2, T, 3\)"):
        nn.functional(network, network.state(), x)
    with pytest.raises(OperandError, match="the layers of RNN is a whole number of at least 1"):
        RNN(3, 4, Generator(0), layers=0)


def test_a_batch_of_an_open_size():
    network, builder = LSTM(3, 4, Generator(0)), GraphBuilder()
    state = {name: builder.variable(a) for name, a in network.state().items()}
    (y, _), _ = nn.functional(network, state, builder.placeholder((None, 2, 3), "float32"))
    assert str(y.type) == "float32[N, 2, 4]"
