"""Costs counted by hand beside costs counted by the library."""

import numpy as np
import pytest

from cgkit import GraphBuilder, cost, flops, ops
from cgkit.cost import Cost
from cgkit.types import Dim


def network(batch):
    builder = GraphBuilder()
    x = builder.placeholder((batch, 784), "float32", name="x")
    for inputs, outputs in ((784, 256), (256, 10)):
        w = builder.variable(np.zeros((inputs, outputs), "float32"))
        b = builder.variable(np.zeros(outputs, "float32"))
        x = x @ w + b
        x = ops.relu(x) if outputs == 256 else x
    return builder.graph([x])


def test_the_network_of_chapter_1():
    graph = network(32)
    assert cost(graph).parameters == 203_530
    products = [flops(node) for node in graph.operators if node.operator.name == "matmul"]
    assert sum(products) == 13_008_896
    assert cost(graph).flops == 13_008_896 + 2 * 32 * 256 + 32 * 10


def test_an_open_batch_stays_open_and_closes_to_the_same_number():
    whole = cost(network(None))
    assert isinstance(whole.flops, Dim)
    assert whole.at({"N": 32}) == cost(network(32))
    assert whole.parameters == 203_530


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda x: x + x, 12), (lambda x: ops.exp(x), 12), (lambda x: x.sum(), 12),
        (lambda x: x.mean(axis=0), 12 + 4), (lambda x: x.reshape(-1), 0), (lambda x: x.T, 0),
        (lambda x: x[1:], 0), (lambda x: x @ x.T, 2 * 3 * 3 * 4), (lambda x: x.max(), 12),
    ],
)  # fmt: skip
def test_one_operator(build, expected):
    builder = GraphBuilder()
    assert cost(builder.graph([build(builder.placeholder((3, 4)))])).flops == expected


def test_convolution_counts_a_product_and_a_sum_for_each_weight():
    builder = GraphBuilder()
    x, w = builder.placeholder((2, 3, 8, 8)), builder.placeholder((5, 3, 3, 3))
    graph = builder.graph([ops.conv2d(x, w, padding=1)])
    assert cost(graph).flops == 2 * (2 * 5 * 8 * 8) * (3 * 3 * 3)


def test_an_operand_read_twice_counts_twice_in_bytes():
    builder = GraphBuilder()
    x = builder.placeholder((4,), "float32")
    whole = cost(builder.graph([x * x]))
    assert (whole.read, whole.written) == (32, 16)


def test_sources_cost_nothing_but_parameters():
    builder = GraphBuilder()
    w = builder.variable(np.zeros((2, 3)))
    assert cost(builder.graph([w])) == Cost(6, 0, 0, 0)
