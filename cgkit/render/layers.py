"""What a picture says about a graph, one layer at a time.

    graph ──► families ──► labels ──► shapes ──► scopes ──► (your own) ──► one picture
              color        what it    on each    boxes
              and shape    does       edge       around

A layer is a function that takes a Graph and gives a `Decoration`: attributes of Graphviz for some
nodes and edges. `draw(graph, layers=[*STANDARD, mine])` lays them over each other, later over
earlier. An edge is named by who reads it and as which operand, since two edges may join the same
nodes; the reader of a graph's output is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypeAlias

import numpy as np

from cgkit.graph import Graph, graphs_inside, names, plain_params, show_param
from cgkit.node import CONSTANT, INPUT, VARIABLE, Edge, Node
from cgkit.render.palette import MARK, look
from cgkit.words import counted

Attributes: TypeAlias = Mapping[str, str]
Place: TypeAlias = tuple[Node | None, int]
"""An edge of a picture: its reader, and which operand; (None, i) is output i of the graph."""


@dataclass(frozen=True)
class Decoration:
    """What one layer adds to a picture.

    Parameters
    ----------
    nodes
        Attributes of Graphviz for some nodes; "note" stands for words below the label.
    edges
        The same for some edges, each named by its reader and operand number.
    scopes
        For some nodes, the boxes around them, outermost first: "encoder/attention".
    titles
        For some scopes, what is written instead of their own names: a heading, an empty line, and
        what stands under it on a box that is folded. Without a heading there is no box around.
    legend
        Lines of the legend: (sign, words, color behind them).
    """

    nodes: Mapping[Node, Attributes] = field(default_factory=dict)
    edges: Mapping[Place, Attributes] = field(default_factory=dict)
    scopes: Mapping[Node, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    legend: tuple[tuple[str, str, str], ...] = ()


LOWER = '<font point-size="12"> </font>'
"""Makes the line under a title higher, where an underscore would touch its letters."""
SYMMETRIC = frozenset({"add", "mul", "maximum", "minimum", "equal", "not_equal"})
"""Operators whose operands may be exchanged."""

Layer: TypeAlias = Callable[[Graph], Decoration]


def places(graph: Graph) -> Iterator[tuple[Place, Edge]]:
    """List every edge of a picture: each operand of each node, then the graph's outputs."""
    for node in graph.nodes:
        for number, edge in enumerate(node.inputs):
            yield (node, number), edge
    for number, edge in enumerate(graph.outputs):
        yield (None, number), edge


def family(node: Node) -> str:
    """Name what a node looks like: its family, or which kind of source it is."""
    for source, name in ((VARIABLE, "variable"), (CONSTANT, "constant"), (INPUT, "input")):
        if node.operator is source:
            return name
    return "input" if node.operator.family == "source" else node.operator.family


def families(graph: Graph) -> Decoration:
    """Give each family its color and shape, and a legend of those that occur."""
    found = {node: family(node) for node in graph.nodes}
    looks = {name: look(name) for name in found.values()}
    return Decoration(
        nodes={node: looks[name].attributes() for node, name in found.items()},
        legend=tuple((kind.sign, name, kind.fill) for name, kind in looks.items()),
    )


def labels(graph: Graph) -> Decoration:
    """Say what each node does, its name if it has one, and its params."""
    return Decoration(nodes={node: {"label": _label(node)} for node in graph.nodes})


def shapes(graph: Graph) -> Decoration:
    """Write the shape of each tensor on its edge, and the dtype where it is not the usual one."""
    usual = usual_dtype(graph)
    return Decoration(
        edges={place: {"label": shape_words(edge, usual)} for place, edge in places(graph)},
        legend=(("→", f"a tensor, {usual}", "#FFFFFF"),) if usual else (),
    )


def scopes(graph: Graph) -> Decoration:
    """Draw a box around the nodes of each scope."""
    return Decoration(scopes={node: node.scope for node in graph.nodes if node.scope})


def operands(graph: Graph) -> Decoration:
    """Let operands come in from left to right, where exchanging them would mean something else."""
    return Decoration(
        nodes={
            node: {"ordering": "in"}
            for node in graph.nodes
            if len(node.inputs) > 1 and node.operator.name not in SYMMETRIC
        }
    )


STANDARD: tuple[Layer, ...] = (families, labels, shapes, scopes, operands)
"""What a picture shows unless it is told otherwise."""


def mark(marked: Mapping[Any, str], *, color: str = MARK) -> Layer:
    """Make a layer that points at nodes and edges.

    Parameters
    ----------
    marked
        Words for each thing to point at: a node, the name a graph prints for it, an edge as
        (reader, operand number), or (name, name) for all edges between two nodes. What the graph
        does not hold is skipped.
    color
        Of border, arrow and words.
    """

    def marks(graph: Graph) -> Decoration:
        called = names(graph)
        found: dict[Any, str] = {}
        for node in graph.nodes:
            words = marked.get(node, marked.get(called[node]))
            if words is not None:
                found[node] = words
        for place, edge in places(graph):
            reader, _ = place
            start = "" if edge.node is None else called[edge.node]
            ends = (start, "output" if reader is None else called[reader])
            words = marked.get(place, marked.get(ends))
            if words is not None:
                found[place] = words
        bold = {"color": color, "fontcolor": color, "penwidth": "3"}
        return Decoration(
            nodes={
                node: {**bold, "note": words}
                for node, words in found.items()
                if isinstance(node, Node)
            },
            edges={
                place: {**bold, "note": words}
                for place, words in found.items()
                if not isinstance(place, Node)
            },
        )

    return marks


def label_edges(words: Mapping[Node, str]) -> Layer:
    """Make a layer that writes on the arrows that leave some nodes, in the place of shapes.

    Parameters
    ----------
    words
        What to write, such as the value that a run gave.

    Examples
    --------
    >>> from cgkit import GraphBuilder, draw
    >>> x = GraphBuilder().placeholder((), name="x")
    >>> "is 3" in draw(-x, layers=[*STANDARD, label_edges({x.node: "is 3"})]).source
    True
    """

    def written(graph: Graph) -> Decoration:
        found = {
            place: {"label": words[edge.node]}
            for place, edge in places(graph)
            if edge.node is not None and edge.node in words
        }
        return Decoration(edges=found)

    return written


def usual_dtype(graph: Graph) -> str:
    """Name the dtype that most edges have, or "" when there are no edges."""
    counts = Counter(edge.dtype for _, edge in places(graph))
    return str(np.dtype(max(counts, key=counts.__getitem__))) if counts else ""


def html(words: str) -> str:
    """Escape words for a label; letters that cannot be shown become question marks."""
    clean = "".join(x if x.isprintable() or x == "\n" else "?" for x in words)
    safe = escape(clean, quote=False).replace("\\", r"\\")  # Graphviz replaces \N by a name
    return safe.replace("\n", "<br/>") or " "


def shape_words(edge: Edge, usual: str = "") -> str:
    """Write a shape as it stands on an edge.

    Examples
    --------
    >>> shape_words(Edge(None, 0, (32, 784), np.dtype("f4")), "float32")
    '[32, 784]'
    >>> shape_words(Edge(None, 0, (), np.dtype("i8")), "float32")
    'int64 scalar'
    """
    sizes = ", ".join(map(str, edge.shape))
    dtype = str(np.dtype(edge.dtype))
    return ("" if dtype == usual else f"{dtype} ") + (f"[{sizes}]" if edge.shape else "scalar")


def short(words: str, limit: int = 28) -> str:
    """Put words on one line, and cut what would make a box too wide.

    Examples
    --------
    >>> short("a" * 50, 5)
    'aaaa…'
    """
    words = "".join(x if x.isprintable() else "?" for x in " ".join(words.split()))
    return words if len(words) <= limit else words[: limit - 1] + "…"


def title(node: Node) -> str:
    """Give the main words of a node: what it does, a source's name, or a small constant's value."""
    name = short(node.name)
    if node.operator is CONSTANT and node.value is not None:
        return name or _value(node.value)
    if node.operator.family == "source":
        return name or node.operator.name
    return short(node.operator.label)


def settings(node: Node) -> str:
    """Write a node's params in one short line."""
    params = plain_params(node)
    if graphs_inside(node):  # how operands are dealt out to graphs is seen from these
        params = {key: value for key, value in params.items() if value is True}
    pairs = [f"{key}={show_param(value)}" for key, value in sorted(params.items())]
    return short(", ".join(pairs), 32)


def held(node: Node) -> str:
    """Say which graphs a node holds, and how large they are, in one short line."""
    graphs = graphs_inside(node)
    counts = [f"{name}: {counted(len(g.operators), 'operator')}" for name, g in graphs]
    if len(counts) > 2:
        total = sum(len(g.operators) for _, g in graphs)
        counts = [f"{len(graphs)} graphs: {counted(total, 'operator')}"]
    return short(", ".join(counts), 48)


def _value(value: np.ndarray) -> str:
    """Write a constant: a few numbers, or only what it is."""
    if value.size == 1:
        return short(str(value.reshape(-1)[0].item()), 24)
    if value.size > 4:
        return "constant"
    return short(np.array2string(value, precision=4, separator=", "), 24)


def _label(node: Node) -> str:
    """Write a node's label in the HTML of Graphviz."""
    small = [settings(node), held(node)]
    if node.operator.family != "source":
        small.insert(0, short(node.name))
    rows = [f'<font point-size="9">{html(words)}</font>' for words in small if words]
    if rows and "_" in title(node):
        rows[0] = LOWER + rows[0]
    return "<" + "<br/>".join([f"<b>{html(title(node))}</b>", *rows]) + ">"
