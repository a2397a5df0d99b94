"""Branches and bodies drawn beside the nodes that run them."""

import numpy as np
import pytest

from cgkit import GraphBuilder, cond, draw, ops, scan, switch, while_loop
from cgkit.node import Node
from cgkit.render.inside import with_graphs_inside
from cgkit.render.layers import STANDARD
from cgkit.render.picture import DEEPEST, Picture, assemble


@pytest.fixture
def branching():
    builder = GraphBuilder()
    x, i = builder.placeholder((), name="x"), builder.placeholder((), "int64", name="i")
    with builder.scope("layer"):
        y = cond(x > 0.0, lambda: ops.log(x), lambda: x * 2.0)
    steps, _ = scan(lambda n, _: (n + i, None), i, length=5)
    return builder.graph([y, steps])


def pictured(graph):
    return assemble(graph, STANDARD)


def clusters(source):
    return [line.partition("label=<")[2].partition(">")[0] for line in source.splitlines()
            if "rounded" in line and line.strip().startswith("color")]  # fmt: skip


def test_each_graph_is_a_box_beside_its_node(branching):
    whole = with_graphs_inside(pictured(branching), branching, pictured, 100)
    scopes = {box.key: box.scope for box in whole.boxes}
    node = next(n for n, x in enumerate(branching.nodes) if x.operator.name == "cond")
    assert scopes[f"n{node}"] == f"layer/n{node}"
    assert scopes[f"n{node}g0n0"] == f"layer/n{node}/then"
    assert scopes[f"n{node}g1out0"] == f"layer/n{node}/otherwise"
    assert len(scopes) == len(whole.boxes)
    assert [a.head for a in whole.arrows if a.attributes.get("style") == "dashed"] == [
        f"n{node}g0n0", f"n{node}g1n0", "n5g0n0"
    ]  # fmt: skip


def test_what_is_written_on_them(branching):
    source = draw(branching).source
    assert clusters(source) == ["layer", "then", "otherwise", "body, 5 times (int64)"]
    assert source.count("a tensor, ") == 1
    assert "runs a graph inside" in source
    assert "then: 1 operator, otherwise: 1 operator" in source
    assert "runs a graph inside" not in draw(GraphBuilder().placeholder(()) * 2.0).source


def test_a_dashed_arrow_ends_at_the_rim_of_what_it_leads_to(branching):
    source = draw(branching).source
    assert source.count("lhead=") == 3
    for title in ("then", "otherwise", "body, 5 times (int64)"):
        called = source.rpartition(f"label=<{title}>")[0].rpartition("subgraph ")[2].split()[0]
        assert f"lhead={called} " in source or f"lhead={called}]" in source
    assert "compound=true" in source
    assert "compound" not in draw(GraphBuilder().placeholder(()) * 2.0).source


def test_boxes_within_each_other_differ_in_shade():
    builder = GraphBuilder()
    p, x = builder.placeholder((), "bool"), builder.placeholder((), name="x")
    y = cond(p, lambda: cond(p, lambda: ops.exp(x), lambda: x), lambda: x)
    source = draw(builder.graph([y])).source
    shades = [part.partition('fillcolor="')[2][:7] for part in source.split("label=<then")[1:]
              if "rounded" in part.partition("\n")[0]]  # fmt: skip
    assert shades == ["#FAFAFA", "#F1F1F1"]


def test_many_graphs_of_a_node_are_counted():
    builder = GraphBuilder()
    i, x = builder.placeholder((), "int64"), builder.placeholder((), name="x")
    y = switch(i, [ops.exp, ops.log, lambda x: x * x + 1.0], x)
    assert "3 graphs: 4 operators" in draw(builder.graph([y])).source


def test_large_ones_stay_folded():
    builder = GraphBuilder()
    y = x = builder.placeholder((), name="x")
    for _ in range(4):
        y = while_loop(lambda c: c < 9.0, lambda c: ops.exp(ops.exp(ops.exp(c * x + 1.0))), y)
    graph = builder.graph([y])
    flat = pictured(graph)
    assert with_graphs_inside(flat, graph, pictured, 30) is flat
    assert len(with_graphs_inside(flat, graph, pictured, 100).boxes) > 50
    assert "cluster" not in draw(graph, most=30).source
    assert "cluster" in draw(graph).source


def test_as_deep_as_there_is_room():
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")

    def body(c):
        return cond(c < 5.0, lambda: c + 1.0, lambda: ops.exp(ops.exp(ops.exp(c + x))))

    graph = builder.graph([while_loop(lambda c: c < 9.0, body, x)])
    depths = [
        max(box.scope.count("/") for box in picture.boxes)
        for picture in (
            with_graphs_inside(pictured(graph), graph, pictured, most) for most in (99, 20, 9)
        )
    ]
    assert depths == [3, 1, 0]


def test_they_nest_to_a_depth():
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")

    def nested(x, depth):
        if not depth:
            return x * 2.0
        return while_loop(lambda c: c < 9.0, lambda c: nested(c, depth - 1), x)

    graph = builder.graph([nested(x, DEEPEST + 3)])
    whole = with_graphs_inside(pictured(graph), graph, pictured, 1000)
    assert max(box.scope.count("/") for box in whole.boxes) == 2 * DEEPEST - 1
    assert draw(graph).source


def test_data_can_be_shown_inside_too(branching):
    source = draw(branching, show_data=True).source
    assert "g0n0t0" in source


def test_odd_names_and_empty_graphs():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="a/b")
    y, kept = scan(lambda c, r: (c, r), x, np.zeros((3, 0)))
    graph = builder.graph([y.named("c/d"), kept])
    assert isinstance(with_graphs_inside(pictured(graph), graph, pictured, 99), Picture)
    assert all(isinstance(node, Node) for node in graph.nodes)
    assert "body, 3 times" in draw(graph).source
