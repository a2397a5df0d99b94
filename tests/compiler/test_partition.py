"""A graph and its way back as two graphs."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, TensorType, compile, gradients, ops, run, trace, verify
from cgkit.compiler.partition import halves
from cgkit.node import SOURCES
from cgkit.types import Dim

X = np.random.default_rng(0).normal(size=(4, 3))


def network(x, w):
    h = ops.tanh(x @ w)
    return ops.softmax(h, axis=-1) * h, h.sum(), ops.argmax(h, axis=0)


def test_a_constant_that_is_stretched_to_open_sizes():
    ready = compile(
        lambda x: ops.sum(x * ops.broadcast_to(np.zeros(()), shape=x.shape)) + x.sum(), dynamic=True
    )
    for size in (3, 4):
        x = Tensor(np.arange(size * 1.0), requires_grad=True)
        ready(x).backward()
        np.testing.assert_array_equal(x.grad.data, np.ones(size))


@pytest.mark.parametrize("wanted", [(0,), (1,), (0, 1)])
def test_both_halves_give_what_one_graph_gives(wanted):
    w = np.eye(3)
    graph = trace(network, TensorType((4, 3), "float64"), TensorType((3, 3), "float64")).graph
    parts = halves(graph, wanted)
    verify(parts.forward)
    verify(parts.backward)
    assert parts.given == (0, 1)
    found = run(parts.forward, X, w)
    outputs, kept = found[:3], found[3:]
    assert [a.dtype for a in kept] == [t.dtype for t in parts.kept]
    read = [(X, w)[i] for i in parts.read]
    slopes = run(parts.backward, *read, *kept, np.ones((4, 3)), np.array(2.0))

    builder = GraphBuilder()
    xs = [builder.placeholder(a.shape) for a in (X, w)]
    first, second, third = network(*xs)
    whole = builder.graph([first, second, third, *gradients(first.sum() + second * 2.0, xs)], xs)
    expected = run(whole, X, w)
    for ours, theirs in zip(outputs, expected[:3], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for i, slope in zip(wanted, slopes, strict=True):
        np.testing.assert_allclose(slope, expected[3 + i], rtol=1e-12)


def test_nothing_is_computed_twice():
    graph = trace(lambda x: ops.exp(ops.tanh(x)), TensorType((3,), "float64")).graph
    parts = halves(graph, (0,))
    names = [n.operator.name for n in parts.backward.nodes if n.operator not in SOURCES]
    assert "exp" not in names
    assert "tanh" not in names


def test_an_output_that_does_not_depend_on_an_input():
    graph = trace(lambda x, y: x * 2.0, *[TensorType((), "float64")] * 2).graph
    parts = halves(graph, (0, 1))
    assert parts.wanted == (0,)
    assert [float(v) for v in run(parts.backward, np.array(3.0))] == [6]


def test_outputs_that_no_gradient_goes_back_from():
    x, w = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0])
    ready = compile(lambda x, w: (x * w, w * 2.0, x > 1.0, x.detach()))
    assert [y.requires_grad for y in ready(x, w)] == [True, False, False, False]
    assert not compile(lambda x: x.detach() * 2.0)(x).requires_grad


def test_the_way_back_is_told_sizes_that_it_reads_off_nothing():
    many, several = (TensorType((Dim(name), 3), "float64") for name in ("N", "M"))
    graph = trace(lambda x, y: x.sum() + (y * 2.0).mean(), many, several).graph
    parts = halves(graph, [0, 1])
    assert (parts.read, parts.sized) == ((), (0, 1))
    verify(parts.backward)
    for rows in (2, 5):
        found = run(parts.backward, np.array(3.0), np.zeros((rows, 3)), np.zeros((rows + 1, 3)))
        np.testing.assert_allclose(found[0], np.full((rows, 3), 3.0))
        np.testing.assert_allclose(found[1], np.full((rows + 1, 3), 2.0 / (rows + 1)))
    assert halves(trace(lambda x: ops.exp(x), many).graph, [0]).sized == ()
