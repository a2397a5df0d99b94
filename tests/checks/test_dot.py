"""The DOT reader, feature by feature of the grammar, and against Graphviz itself."""

import json
import subprocess
import sys

import graphviz
import pytest

from cgkit.checks.dot import label_text, read_dot
from cgkit.checks.dot_words import DotError


def pairs(text):
    return [(edge.tail, edge.head) for edge in read_dot(text).edges]


def test_kinds_of_graphs():
    assert read_dot("digraph {}").directed
    assert not read_dot("Graph g {}").directed
    strict = read_dot('STRICT digraph "my graph" { a -> b; a -> b [label=x] }')
    assert strict.strict
    assert strict.name == "my graph"
    assert len(strict.edges) == 1
    assert strict.edges[0].attributes == {"label": "x"}


def test_twin_edges_are_kept():
    assert pairs("digraph { a -> b; a -> b }") == [("a", "b"), ("a", "b")]


def test_chains_and_groups():
    assert pairs("digraph { a -> {b c} -> d }") == [
        *(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))
    ]
    assert pairs("digraph { subgraph s { a; b } -> c }") == [("a", "c"), ("b", "c")]


def test_defaults_reach_what_comes_after():
    graph = read_dot("digraph { a; node [shape=box]; b; { node [shape=oval] c } d }")
    shapes = {name: attributes.get("shape") for name, attributes in graph.nodes.items()}
    assert shapes == {"a": None, "b": "box", "c": "oval", "d": "box"}


def test_edge_defaults_and_own_attributes():
    (edge,) = read_dot('digraph { edge [label="()" color=red] a -> b [color=blue] }').edges
    assert edge.attributes == {"label": "()", "color": "blue"}


def test_attribute_lists():
    graph = read_dot("digraph { a [x=1, y=2; z=3] [w=4] ; b [bold] }")
    assert graph.nodes["a"] == {"x": "1", "y": "2", "z": "3", "w": "4"}
    assert graph.nodes["b"] == {"bold": "true"}


def test_ports_are_no_part_of_the_name():
    assert pairs('digraph { a:f0:n -> "b c":s }') == [("a", "b c")]


def test_names_of_any_kind():
    text = 'digraph { "a b" -> "say \\"hi\\"" -> größe -> -1.5 -> "node" -> _x1 }'
    assert list(read_dot(text).nodes) == ["a b", 'say "hi"', "größe", "-1.5", "node", "_x1"]


def test_joined_texts():
    assert list(read_dot('digraph { "a" + "b" + "c" }').nodes) == ["abc"]


def test_clusters():
    graph = read_dot("digraph { subgraph cluster_0 { label=one; a; b } subgraph s { c } }")
    (cluster,) = graph.clusters
    assert (cluster.name, cluster.attributes, cluster.members) == (
        *("cluster_0", {"label": "one"}, ["a", "b"]),
    )


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        (r"\N", "n"),
        (r"\N = 2\lleft", "n = 2\nleft"),
        ("<<table><tr><td>a</td></tr><tr><td>b</td></tr></table>>", "a\nb"),
        ("<x<sup>2</sup> &amp; y>", "x2 & y"),
        (r"a \"b\"", 'a "b"'),
        ("", ""),
    ],
)
def test_labels(label, shown):
    assert label_text(label, "n") == shown


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("", "line 1, column 1", "begins with digraph"),
        ("digraph {\n a -> \n}", "line 3, column 1", "a node must follow"),
        ("digraph { a", "line 1, column 12", "closing brace"),
        ("digraph { a -- b }", "line 1, column 13", "edges of a digraph"),
        ("graph { a -> b }", "line 1, column 11", "edges of a graph"),
        ("digraph { a [label=] }", "line 1, column 20", "a value was expected"),
        ("digraph { a [label x }", "line 1, column 22", "closing ]"),
        ("digraph { node -> a }", "line 1, column 16", "a node or edge"),
        ("digraph a b {}", "line 1, column 11", "{ was expected"),
        ("digraph { " + "{" * 60 + "}" * 61, "line 1", "deep"),
    ],
)
def test_errors_name_the_place(text, place, what):
    with pytest.raises(DotError) as caught:
        read_dot(text)
    assert str(caught.value).startswith(place)
    assert what in str(caught.value)


def test_what_the_graphviz_package_writes():
    drawing = graphviz.Digraph("my name", strict=True, graph_attr={"rankdir": "LR"})
    drawing.node("a b", label='say "hi"', shape="box")
    drawing.edge("a b", "graph", label="(2, 3)")
    with drawing.subgraph(name="cluster_1") as box:
        box.attr(label="group")
        box.node("graph")
    read = read_dot(drawing.source)
    assert read.label("a b") == 'say "hi"'
    assert [(edge.tail, edge.head) for edge in read.edges] == [("a b", "graph")]
    assert read.clusters[0].members == ["graph"]


GRAPHVIZ = """
import json, sys, pygraphviz
graph = pygraphviz.AGraph(string=sys.stdin.read())
labels = {str(node): node.attr["label"] or "" for node in graph.nodes()}
print(json.dumps([sorted(map(str, graph.nodes())), sorted(map(list, graph.edges())), labels]))
"""
HARD = [
    'digraph { a -> b -> {c d} -> e [label=x]; node [label="n"] f; f:p -> g }',
    "strict graph g { a -- b; a -- b; { c -- {d e} } }",
    'digraph "x y" { edge [label=<<b>k</b>>]; 1 -> 2.5 -> -.5; "a\\"b" -> "c\\\nd" // end\n }',
]


@pytest.mark.parametrize("text", HARD)
def test_agrees_with_graphviz(text):
    command = [sys.executable, "-I", "-c", GRAPHVIZ]
    ran = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    nodes, edges, _ = json.loads(ran.stdout)
    read = read_dot(text)
    ours = [[edge.tail, edge.head] for edge in read.edges]
    if not read.directed:
        ours, edges = [sorted(pair) for pair in ours], [sorted(pair) for pair in edges]
    assert sorted(read.nodes) == nodes
    assert sorted(ours) == sorted(edges)


def test_a_large_text_takes_no_time_squared():
    text = "strict digraph {" + "\n".join(f"n{i} -> n{i + 1}" for i in range(20_000)) + "}"
    assert len(read_dot(text).edges) == 20_000
