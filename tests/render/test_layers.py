"""What a picture says."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ops
from cgkit.render import STANDARD, draw, label_edges, layers


@pytest.fixture
def mixed():
    """x[3] ─► sub ◄─ constant[2, 3];  i: int64 ─► add;  5 numbers."""
    builder = GraphBuilder()
    x = builder.placeholder((3,), "float32", name="x")
    i = builder.placeholder((), "int64", name="i<b>")
    y = x - np.zeros((2, 3), "float32")
    return builder.graph([y.sum(axis=0), i + i])


def said(decoration):
    """List the labels of a decoration's nodes."""
    return [attributes["label"] for attributes in decoration.nodes.values()]


def test_labels_name_sources_and_show_params(mixed):
    labels = said(layers.labels(mixed))
    assert "<<b>x</b>>" in labels
    assert "<<b>i&lt;b&gt;</b>>" in labels
    assert any("sum" in label and "axis=0" in label for label in labels)


def test_a_line_below_an_underscore_stands_lower():
    x = GraphBuilder().placeholder((2,), name="x")
    graph = x.builder.graph([ops.exp(x).named("y"), ops.log_softmax(x).named("z")])
    assert said(layers.labels(graph))[1:] == [
        '<<b>exp</b><br/><font point-size="9">y</font>>',
        f'<<b>log_softmax</b><br/>{layers.LOWER}<font point-size="9">z</font>>',
    ]


@pytest.mark.parametrize(
    ("value", "label"),
    [(2.0, "2.0"), (7, "7"), ([[1.5]], "1.5"), ([1.0, 2.0], "[1., 2.]"), (np.ones(5), "constant")],
)
def test_small_constants_are_shown(value, label):
    builder = GraphBuilder()
    graph = builder.graph([builder.constant(np.asarray(value)) + builder.placeholder((), name="x")])
    assert f"<<b>{label}</b>>" in said(layers.labels(graph))


def test_shapes_stand_on_every_edge_and_unusual_dtypes_with_them(mixed):
    shapes = [attributes["label"] for attributes in layers.shapes(mixed).edges.values()]
    assert sorted(shapes) == sorted(
        ["[3]", "[2, 3]", "[2, 3]", "[3]", "int64 scalar", "int64 scalar", "int64 scalar"]
    )
    assert len(shapes) == len(list(layers.places(mixed)))


def test_the_legend_lists_what_occurs(mixed):
    words = [words for _, words, _ in layers.families(mixed).legend]
    assert words == list(dict.fromkeys(layers.family(node) for node in mixed.nodes))
    assert "matrix" not in words


def test_scopes(network):
    scopes = set(layers.scopes(network).scopes.values())
    assert scopes == {"hidden", "readout"}


def test_order_matters_for_some_operands_only():
    builder = GraphBuilder()
    x, y = builder.placeholder((), name="x"), builder.placeholder((), name="y")
    graph = builder.graph([(x + y) / (x * y), ops.exp(x)])
    ordered = [node.operator.name for node in layers.operands(graph).nodes]
    assert ordered == ["div"]


def test_symmetric_operators_are_symmetric():
    """The names in SYMMETRIC are those of operators, and mean what they say."""
    one, two = np.array([1.0, 5.0]), np.array([3.0, 2.0])
    for name in layers.SYMMETRIC:
        operator = getattr(ops, name)
        assert np.array_equal(operator(one, two), operator(two, one))


def test_marks_find_nodes_and_edges_by_every_name(diamond):
    x, b, c = diamond.nodes
    marked = {b: "node", "x": "name", (c, 1): "edge", ("x", "s"): "both", "nobody": "-"}
    made = layers.mark(marked, color="#00FF00")(diamond)
    assert {node: a["note"] for node, a in made.nodes.items()} == {x: "name", b: "node"}
    assert {place: a["note"] for place, a in made.edges.items()} == {
        (b, 0): "both",
        (b, 1): "both",
        (c, 1): "edge",
    }
    assert made.nodes[b]["color"] == "#00FF00"


def test_the_edge_to_the_output_can_be_marked(diamond):
    made = layers.mark({("s1", "output"): "here"})(diamond)
    assert list(made.edges) == [(None, 0)]


def test_words_are_escaped():
    assert layers.html('a<b>&"\x07\n') == 'a&lt;b&gt;&amp;"?<br/>'
    assert layers.html("") == " "
    assert layers.short("a\n b\0" + "c" * 40, 6) == "a b?c…"


def test_words_on_edges_take_the_place_of_shapes():
    x = GraphBuilder().placeholder((2, 3), "float32", name="x")
    y = -x
    source = draw(y, layers=[*STANDARD, label_edges({x.node: "seen & kept"})]).source
    assert "seen &amp; kept" in source or "seen & kept" in source
    assert source.count("[2, 3]") == 1
