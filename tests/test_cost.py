"""Costs before a run, counted against what a run does."""

import numpy as np
import pytest
from hypothesis import given, settings

from cgkit import (
    Cost,
    Dim,
    GraphBuilder,
    cond,
    cost,
    flops,
    ops,
    run,
    scan,
    while_loop,
)  # fmt: skip
from cgkit.testing import programs

N = Dim("N")


def network(batch):
    """Build the 784-256-10 network that the course counts."""
    builder = GraphBuilder()
    x = builder.placeholder((batch, 784), "float32")
    sizes = ((784, 256), (256,), (256, 10), (10,))
    w1, b1, w2, b2 = (builder.variable(np.zeros(size, "f4")) for size in sizes)
    products = [x @ w1]
    h = ops.relu(products[0] + b1)
    products.append(h @ w2)
    return builder.graph([products[1] + b2]), products


def test_the_network_of_the_course():
    graph, products = network(32)
    assert sum(flops(product.node) for product in products) == 13_008_896
    total = cost(graph)
    assert total.parameters == 203_530
    assert total.flops == 13_008_896 + 2 * 32 * 256 + 32 * 10
    assert total.written == 4 * (3 * 32 * 256 + 2 * 32 * 10)


def test_open_sizes_stay_open_until_they_are_known():
    open_cost = cost(network(N)[0])
    assert open_cost.parameters == 203_530
    assert str(open_cost.flops) == f"{2 * 203_264 + 2 * 256 + 10}*N"
    assert open_cost.at({"N": 32}) == cost(network(32)[0])


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda x: x + 1.0, 6),
        (lambda x: ops.tanh(x), 6),
        (lambda x: x[:, :1] + x, 6),
        (lambda x: x.sum(), 6),
        (lambda x: x.max(axis=0), 6),
        (lambda x: x.mean(axis=1), 6 + 2),
        (lambda x: x @ x.T, 2 * 2 * 2 * 3),
        (lambda x: x.reshape(3, 2).T[1:], 0),
        (lambda x: ops.concat(x, x), 0),
        (lambda x: ops.broadcast_to(x, shape=(4, 2, 3)), 0),
        (lambda x: ops.sum_to(x, shape=(3,)), 6),
        (lambda x: ops.cast(x, dtype="float32"), 0),
        (lambda x: x[[0, 0]], 0),
    ],
)
def test_operations_of_a_two_by_three(make, count):
    builder = GraphBuilder()
    assert cost(builder.graph([make(builder.placeholder((2, 3)))])).flops == count


def test_sources_cost_nothing():
    builder = GraphBuilder()
    w = builder.variable(np.ones((2, 2)))
    assert cost(builder.graph([w])) == Cost(4, 0, 0, 0)
    assert flops(w.node) == 0


@settings(max_examples=60)
@given(programs())
def test_bytes_are_those_that_a_run_moves(program):
    graph = program.graph()
    written, values = 0, {}

    def watch(node, results):
        nonlocal written
        values.update({(node, i): value for i, value in enumerate(results)})
        if node in graph.operators:
            written += sum(value.nbytes for value in results)

    with np.errstate(all="ignore"):
        run(graph, *program.draw(np.random.default_rng(0)), observe=watch)
    read = sum(values[edge.key].nbytes for node in graph.operators for edge in node.inputs)
    counted = cost(graph)
    assert (counted.read, counted.written) == (read, written)
    assert counted.flops >= 0


def test_graphs_inside_count_as_often_as_they_run():
    builder = GraphBuilder()
    h, xs = builder.placeholder((4,), "float32"), builder.placeholder((None, 4), "float32")
    end, _ = scan(lambda h, x: (ops.tanh(h * x + h), None), h, xs)
    found = cost(builder.graph([end], [h, xs]))
    n = Dim("N")
    assert found.flops == n * 12
    assert found.read == n * 4 * 4 * 5 + 16 + n * 16  # its own operands are read, too
    assert found.written == n * 4 * 4 * 3 + 16


def test_of_branches_the_dearest_counts_and_of_loops_one_step():
    builder = GraphBuilder()
    x = builder.placeholder((5,))
    p = x.sum() > 0.0
    y = cond(p, lambda: x + 1.0, lambda: ops.exp(x * x - x))
    assert cost(builder.graph([y])).flops == 5 + 1 + 15
    z = while_loop(lambda c: c.sum() < 9.0, lambda c: c * c + 1.0, x)
    assert cost(builder.graph([z])).flops == 5 + 1 + 10
