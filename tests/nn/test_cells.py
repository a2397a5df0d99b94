"""Recurrent cells against their formulas."""

import numpy as np
import pytest

from cgkit import Generator, ShapeError, Tensor
from cgkit.errors import OperandError
from cgkit.nn import GRUCell, LSTMCell, RNNCell


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def maps(cell, x, h):
    s = cell.state()
    return (
        x @ s["input.weight"] + s.get("input.bias", 0),
        h @ s["hidden.weight"] + s.get("hidden.bias", 0),
    )


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 3)])
def test_one_step(shape, bias):
    x, h, c = drawn(*shape), drawn(*shape[:-1], 4, seed=1), drawn(*shape[:-1], 4, seed=2)
    cell = RNNCell(3, 4, Generator(0), bias=bias, dtype="float64")
    a, b = maps(cell, x, h)
    np.testing.assert_allclose(cell(x, h).data, np.tanh(a + b))

    cell = GRUCell(3, 4, Generator(0), bias=bias, dtype="float64")
    (ar, az, an), (br, bz, bn) = (np.split(each, 3, axis=-1) for each in maps(cell, x, h))
    z = sigmoid(az + bz)
    expected = (1 - z) * np.tanh(an + sigmoid(ar + br) * bn) + z * h
    np.testing.assert_allclose(cell(x, h).data, expected)

    cell = LSTMCell(3, 4, Generator(0), bias=bias, dtype="float64")
    i, f, g, o = np.split(sum(maps(cell, x, h)), 4, axis=-1)
    memory = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    found = cell(x, (h, c))
    np.testing.assert_allclose(found[0].data, sigmoid(o) * np.tanh(memory))
    np.testing.assert_allclose(found[1].data, memory)


@pytest.mark.parametrize("kind", [RNNCell, GRUCell, LSTMCell])
def test_it_begins_with_zeros(kind):
    cell, x = kind(3, 4, Generator(0), dtype="float64"), Tensor(drawn(2, 3), requires_grad=True)
    zeros = np.zeros((2, 4))
    state = (zeros, zeros) if kind is LSTMCell else zeros
    a, b = cell(x), cell(x, state)
    for y, z in zip(*((s if isinstance(s, tuple) else (s,)) for s in (a, b)), strict=True):
        np.testing.assert_array_equal(y.data, z.data)
    cell.output(a).sum().backward()
    assert x.grad.shape == (2, 3)


def test_infinities_do_not_reach_the_first_state():
    x = np.array([[np.inf, 0.0, 0.0]])
    assert np.isfinite(RNNCell(3, 4, Generator(0))(x).data).all()


def test_first_values_go_by_the_size_of_the_state():
    cell = GRUCell(3, 400, Generator(0))
    assert {name: a.shape for name, a in cell.state().items()} == {
        "input.weight": (3, 1200), "input.bias": (1200,),
        "hidden.weight": (400, 1200), "hidden.bias": (1200,),
    }  # fmt: skip
    for a in cell.state().values():
        assert 0.98 / 20 < abs(a).max() <= 1 / 20


def test_refusals():
    with pytest.raises(ShapeError) as caught:
        GRUCell(3, 4, Generator(0))(drawn(2, 5))
    assert "in layer input = Linear(3, 12)" in caught.value.with_place()
    with pytest.raises(ShapeError) as caught:
        GRUCell(3, 4, Generator(0))(drawn(2, 3), drawn(2, 5))
    assert "in layer hidden = Linear(4, 12)" in caught.value.with_place()
    with pytest.raises(OperandError, match="the size of RNNCell is a whole number of at least 1"):
        RNNCell(3, 0, Generator(0))
    with pytest.raises(OperandError, match=r"a state of LSTMCell\(3, 4\) is the pair \(h, c\)"):
        LSTMCell(3, 4, Generator(0))(drawn(2, 3), drawn(2, 4))
