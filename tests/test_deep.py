"""Chains of a hundred thousand nodes, and of a million: nothing recurses, freeing included.

x ─> + ─> + ─> ... ─> +        build, go back, print, check, run, rewrite, let go
"""

import gc
import weakref

import numpy as np
import pytest

from cgkit import (
    GraphBuilder,
    Tensor,
    cost,
    find_cycle,
    grad,
    gradients,
    ops,
    recorded,
    rewrite,
    run,
    topological_order,
    verify,
)

DEEP = 100_000
MILLION = [DEEP, pytest.param(1_000_000, marks=pytest.mark.slow)]


def eager_chain(x, n, step):
    for _ in range(n):
        x = step(x)
    return x


@pytest.mark.parametrize("n", MILLION)
def test_eager(n):
    x = Tensor(np.ones(2), requires_grad=True)
    y = eager_chain(x, n, lambda y: y + 1.0)
    y.sum().backward()
    assert x.grad.data.tolist() == [1, 1]
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


@pytest.mark.parametrize("n", MILLION)
def test_eager_where_each_node_keeps_an_array(n):
    x = Tensor(np.ones(2), requires_grad=True)
    y = eager_chain(x, n, ops.tanh)
    node = weakref.ref(y.grad_fn)
    del y  # never gone through: all saved arrays are let go at once
    assert node() is None


@pytest.mark.parametrize("n", MILLION)
def test_written_to_again_and_again(n):
    y = Tensor(np.ones(2), requires_grad=True) * 1.0
    for _ in range(n):
        y.add_(1.0)
    assert y.version[0] == n
    y.sum().backward()
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_views_of_views():
    x = Tensor(np.ones(2), requires_grad=True)
    y = eager_chain(x, 20_000, lambda y: y[::-1])
    assert len(x.version) < 20_010
    y.sum().backward()
    assert x.grad.data.tolist() == [1, 1]


def test_recorded_gradients():
    x = Tensor(np.full(2, 0.5), requires_grad=True)
    y = eager_chain(x, DEEP // 4, lambda y: y * 1.0)
    (first,) = grad((y * y).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    assert second.data.tolist() == [2, 2]
    node = weakref.ref(first.grad_fn)
    del first, y
    gc.collect()
    assert node() is None


def test_a_recorded_graph_prints():
    x = Tensor(np.ones(2), requires_grad=True)
    y = eager_chain(x, DEEP // 2, lambda y: y + 1.0)
    graph = recorded([y.edge], topological_order(y.edge.node))
    assert len(str(graph).splitlines()) == DEEP // 2 + 2
    assert len(graph.operators) == DEEP // 2


@pytest.fixture(scope="module")
def static_chain():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="x")
    y = eager_chain(x, DEEP, ops.neg)
    return builder, x, y, builder.graph([y])


class TestStatic:
    def test_printing(self, static_chain):
        lines = str(static_chain[-1]).splitlines()
        assert len(lines) == DEEP + 2
        assert lines[-1] == f"  return n{DEEP - 1}"

    def test_checking(self, static_chain):
        verify(static_chain[-1])
        nodes = static_chain[-1].nodes
        assert find_cycle({node: list(node.producers) for node in nodes}) == []

    def test_running(self, static_chain):
        assert run(static_chain[-1], np.array([1.0, 2.0]))[0].tolist() == [1, 2]

    def test_counting(self, static_chain):
        assert cost(static_chain[-1]).flops == 2 * DEEP

    def test_rewriting(self, static_chain):
        kept = {}

        def shorten(node, inputs):
            # neg of neg is the same: what remains of an even chain is its input
            inner = inputs[0].node
            if node.operator is ops.neg and inner is not None and inner.operator is ops.neg:
                return inner.inputs[0].node
            return kept.setdefault(node, None)

        short = rewrite(static_chain[-1], shorten)
        assert len(short.nodes) == 1

    def test_differentiating_and_letting_go(self, static_chain):
        builder, x, y, _ = static_chain
        (slope,) = gradients(y, [x])
        graph = builder.graph([slope], [x])
        assert run(graph, np.ones(2))[0].tolist() == [1, 1]
        node = weakref.ref(slope.node)
        del slope, graph
        assert node() is None


def test_open_sizes():
    builder = GraphBuilder()
    x = builder.placeholder((None,))
    y = eager_chain(x, DEEP // 10, lambda y: y + 1.0)
    assert run(builder.graph([y]), np.zeros(3))[0].tolist() == [DEEP // 10] * 3
