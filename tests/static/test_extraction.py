"""Parts of a graph: ancestors only, cut at feeds, without wiring."""

import numpy as np
import pytest

from cgkit import CycleError, GraphBuilder, GraphError, ops, run, verify
from cgkit.node import SOURCES
from cgkit.static import extract


@pytest.fixture
def builder():
    return GraphBuilder()


def names(graph):
    return [node.operator.name for node in graph.nodes if node.operator not in SOURCES]


def test_only_what_the_fetches_need(builder):
    x = builder.placeholder((), name="x")
    y = ops.exp(x)
    z = y * 2.0
    ops.log(x)
    part = extract([z.edge], [x.edge])
    verify(part.graph)
    assert names(part.graph) == ["exp", "mul"]
    assert names(extract([z.edge], [y.edge]).graph) == ["mul"]
    assert run(extract([z.edge], [y.edge]).graph, np.array(7.0)) == (14,)
    assert extract([x.edge], [x.edge]).graph.operators == ()


def test_what_is_fed_and_not_needed_stays_an_input(builder):
    x, y = builder.placeholder((), name="x"), builder.placeholder((), name="y")
    part = extract([(x * 2.0).edge], [y.edge, x.edge])
    assert [edge.node.name for edge in part.graph.inputs] == ["y", "x"]


def test_one_of_several_results_is_fed(builder):
    x = builder.placeholder((4,), name="x")
    a, b = ops.split(x, sections=2)
    part = extract([(a + b).edge], [x.edge, b.edge])
    found = run(part.graph, np.arange(4.0), np.array([100.0, 200.0]))
    assert found[0].tolist() == [100, 201]


def test_placeholders_that_are_not_fed_are_named(builder):
    x, y = builder.placeholder((), name="x"), builder.placeholder((2,), "float32", name="y")
    with pytest.raises(GraphError, match=r"placeholders x: float64\[\], y: float32\[2\] are not"):
        extract([(x + y).edge], [])


def test_wiring_is_gone_and_state_is_listed(builder):
    w = builder.variable(1.0, name="w")
    step = builder.assign(w, w + 1.0)
    with builder.control_dependencies([step]):
        y = w * 3.0
    part = extract([y.edge], [])
    assert (part.reads, part.writes) == ((w.node,), (w.node,))
    assert names(part.graph) == ["add", "mul"]
    assert run(part.graph, np.array(1.0)) == (6, 2)


def test_two_assigns_need_an_order(builder):
    w = builder.variable(1.0, name="w")
    first, other = builder.assign(w, w + 1.0), builder.assign(w, w * 2.0)
    with pytest.raises(GraphError, match="two assigns of w have no order"):
        extract([first.edge, other.edge], [])
    with builder.control_dependencies([first]):
        second = builder.assign(w, w * 5.0)
    part = extract([first.edge, second.edge], [])
    assert run(part.graph, np.array(1.0)) == (2, 10, 10)


def test_a_cycle_is_named(builder):
    x = builder.placeholder((), name="x")
    a = (x + 1.0).named("a")
    b = (a * 2.0).named("b")
    a.node.inputs = (b.edge, a.node.inputs[1])
    with pytest.raises(CycleError) as caught:
        extract([b.edge], [x.edge])
    assert "a" in str(caught.value)
    assert "b" in str(caught.value)


def test_a_deep_graph(builder):
    x = y = builder.placeholder((), name="x")
    for _ in range(20_000):
        y = y + 1.0
    assert run(extract([y.edge], [x.edge]).graph, np.array(0.0)) == (20_000,)
