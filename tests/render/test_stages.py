"""Stages of graphs that have no scopes: networks fall apart as one would draw them by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import Graph, GraphBuilder, ops
from cgkit.render import draw
from cgkit.render.engine import render
from cgkit.render.stages import cut, data_nodes, find_stages, repeats, stages, worth


def weight(builder, *shape):
    return builder.variable(np.zeros(shape, "float32"))


def residual(builder, x, channels, stride):
    r"""A block of a residual network.

    x ─► conv ─► norm ─► relu ─► conv ─► norm ─► add ─► relu
     └─► conv (only where the size changes) ──────┘
    """
    h = x
    for step in (stride, 1):
        if h is not x:
            h = ops.relu(h)
        h = ops.conv2d(h, weight(builder, channels, h.shape[1], 3, 3), stride=step, padding=1)
        h = ops.batch_norm(h, *(weight(builder, channels) for _ in range(4)))
    if x.shape != h.shape:
        x = ops.conv2d(x, weight(builder, channels, x.shape[1], 1, 1), stride=stride)
    return ops.relu(h + x)


def resnet(*depths):
    """A residual network of so many blocks in each stage."""
    builder = GraphBuilder()
    x = builder.placeholder((1, 3, 64, 64), "float32", name="x")
    h = ops.relu(ops.conv2d(x, weight(builder, 8, 3, 3, 3), padding=1))
    h = ops.max_pool(h, kernel=2)
    for number, depth in enumerate(depths):
        for block in range(depth):
            h = residual(builder, h, 8 << number, 2 if number and not block else 1)
    h = h.mean(axis=(2, 3))
    return builder.graph([ops.softmax(h @ weight(builder, h.shape[1], 10))])


def shown(graph):
    """Give the parts of each stage as (times, operators of one block)."""
    return [
        [(len(part.blocks), len(part.blocks[0])) for part in stage] for stage in find_stages(graph)
    ]


def test_a_residual_network_has_the_stages_of_the_paper():
    graph = resnet(3, 4, 6)
    assert shown(graph) == [
        [(1, 2)],
        [(1, 1), (3, 7)],
        [(1, 8), (3, 7)],
        [(1, 8), (5, 7)],
        [(1, 3)],
    ]
    assert worth(find_stages(graph))


def test_each_node_is_in_one_place_and_weights_with_their_readers():
    graph = resnet(2, 2)
    scopes = stages(graph).scopes
    assert set(graph.nodes) - set(scopes) == {graph.inputs[0].node}
    for node in graph.operators:
        for edge in node.inputs:
            if edge.node.operator.name == "variable":
                assert scopes[edge.node] == scopes[node]


def dense(layers):
    """A dense block: each layer joins what it makes to all it was given."""
    builder = GraphBuilder()
    h = builder.placeholder((1, 8, 16, 16), "float32", name="x")
    h = ops.max_pool(h, kernel=2)
    for _ in range(layers):
        more = ops.relu(ops.conv2d(h, weight(builder, 4, h.shape[1], 3, 3), padding=1))
        h = ops.concat(h, more, axis=1)
    h = ops.avg_pool(h, kernel=2)
    return builder.graph([h.sum(axis=(2, 3))])


def test_a_dense_block_repeats_though_its_tensors_grow():
    assert shown(dense(12)) == [[(1, 1), (12, 3)], [(1, 1)], [(1, 1)]]


def transformer(layers, masked):
    """Attention and a small network in turn, each beside a bridge; a mask that all layers read."""
    builder = GraphBuilder()
    x = builder.placeholder((1, 16, 8), "float32", name="x")
    given_mask = builder.placeholder((16, 16), "float32", name="mask")
    mask = ops.exp(given_mask) if masked else given_mask
    h = x
    for _ in range(layers):
        q, k, v = (h @ weight(builder, 8, 8) for _ in range(3))
        h = h + ops.softmax(q @ k.transpose(0, 2, 1) + mask) @ v
        h = h + ops.gelu(h @ weight(builder, 8, 32)) @ weight(builder, 32, 8)
    return builder.graph([h.mean(axis=1)], [x, given_mask])


@pytest.mark.parametrize("masked", [False, True])
def test_layers_of_a_transformer_are_found_beside_a_mask_that_all_read(masked):
    layers = [(1, 10), (11, 13), (1, 4)] if masked else [(12, 13)]  # the first makes the mask
    assert shown(transformer(12, masked)) == [layers, [(1, 1)]]


def unet(depth, width):
    r"""Down and up again, with a bridge at each size.

    a ─► pool ─► b ─► pool ─► c ─► up ─► + ─► d ─► up ─► + ─► e
    └────────────└─────────────────────┘               │
     ──────────────────────────────────────────────────┘
    """
    builder = GraphBuilder()
    h = builder.placeholder((1, 4, 64, 64), "float32", name="x")

    def convolved(h):
        for _ in range(width):
            h = ops.relu(ops.conv2d(h, weight(builder, 4, 4, 3, 3), padding=1))
        return h

    bridges = []
    for _ in range(depth):
        bridges.append(h := convolved(h))
        h = ops.max_pool(h, kernel=2)
    h = convolved(h)
    for bridge in reversed(bridges):
        h = ops.conv2d_transpose(h, weight(builder, 4, 4, 2, 2), stride=2) + bridge
        h = convolved(h)
    return builder.graph([h])


def test_bridges_between_distant_stages_do_not_hide_them():
    sizes = [stage[-1].nodes[-1].results[0].shape[2] for stage in find_stages(unet(3, 40))]
    assert sizes == [64, 32, 16, 8, 16, 32, 64]


def test_what_has_no_stages_is_left_to_levels(wide):
    assert stages(wide(600)).scopes == {}
    assert stages(Graph((), (), ())).scopes == {}
    x = GraphBuilder().placeholder((), name="x")
    assert stages(x.builder.graph([x])).scopes == {}
    assert stages(x.builder.graph([-x])).scopes == {}


def test_a_graph_of_constants_alone_has_stages_too():
    builder = GraphBuilder()
    h = -builder.constant(np.zeros((4, 4)))
    for _ in range(50):
        h = ops.exp(h) + 1.0
    graph = builder.graph([h])
    assert set(data_nodes(graph)) == set(graph.operators)
    assert shown(graph) == [[(1, 1), (50, 2)]]


@given(st.text("abc", max_size=40))
def test_repeats_cover_all_in_order(word):
    found = repeats(word)
    assert "".join(word[start : start + period] * times for start, period, times in found) == word
    assert [start for start, _, _ in found] == [
        sum(p * t for _, p, t in found[:number]) for number in range(len(found))
    ]


def test_cuts_lie_where_one_tensor_connects():
    r"""x ─► a ─┬─► b ─► c ─┬─► e ─► f: cut after a, e and f.

    └─► d ──────┘
    """
    x = GraphBuilder().placeholder((), name="x")
    a = ops.exp(x)
    e = ops.exp(ops.sin(a)) * ops.cos(a)
    graph = x.builder.graph([-e])
    segments = cut(graph.operators, graph.nodes)
    assert [[node.operator.name for node in segment] for segment in segments] == [
        ["exp"], ["sin", "exp", "cos", "mul"], ["neg"],
    ]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_graph_is_drawn_at_any_depth(any_graph, data):
    graph = data.draw(any_graph)
    depth = data.draw(st.integers(0, 5))
    first = draw(graph, depth=depth).source
    assert draw(graph, depth=depth).source == first
    assert draw(graph, depth=0).source == draw(graph).source


def test_deeper_pictures_show_more():
    graph = resnet(3, 4, 6)
    boxes = [draw(graph, depth=depth).source.count("label=<") for depth in (1, 2, 3, 0)]
    assert boxes == sorted(boxes)
    assert len(set(boxes)) == 4
    assert "28 x 28" not in draw(graph).source
    assert "32 x 32" in draw(graph, depth=1).source
    assert draw(graph, most=100).source == draw(graph, depth=2).source
    assert "5 x (2 conv2d, 2 batch_norm, 2 relu," in draw(graph, depth=2).source


def test_two_thousand_nodes_are_drawn_as_few_boxes():
    graph = resnet(30, 40, 60, 30)
    assert len(graph.nodes) > 1700
    svg = render(draw(graph).source, engine="bundled")
    assert svg.count(b'class="node"') < 40


def test_a_long_chain_is_cut_without_recursion():
    x = GraphBuilder().placeholder((), name="x")
    h = x
    for number in range(5_000):
        h = ops.exp(h) if number % 3 else -h
    parts = [part for stage in find_stages(x.builder.graph([h])) for part in stage]
    assert len(parts[0].blocks) == 1666
