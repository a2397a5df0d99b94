"""A graph in one sentence, for those who do not see its picture.

    Computational graph: inputs x, y; 2 operators: add, multiply; 1 output from multiply.

It names what a reader would look for first and counts the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from cgkit.graph import Graph, graphs_inside, names
from cgkit.node import Node
from cgkit.render.layers import family, mark, places, shape_words, short, title
from cgkit.words import counted


def sentence(graph: Graph, marked: Mapping[Any, str] | None = None) -> str:
    """Describe a graph, and what a picture of it points at.

    Parameters
    ----------
    graph
        The graph.
    marked
        Words for nodes and edges, as `cgkit.render.layers.mark` takes them.

    Examples
    --------
    >>> sentence(Graph((), (), ()))
    'Computational graph without nodes.'
    """
    if not graph.nodes:
        return "Computational graph without nodes."
    parts = []
    for kind in ("input", "variable", "constant"):
        named = [_source(node) for node in graph.nodes if family(node) == kind]
        if named:
            parts.append(f"{kind}{'s' * (len(named) != 1)} {_list(named)}")
    counts = Counter(node.operator.name for node in graph.nodes if node.operator.family != "source")
    if counts:
        shown = [word if times == 1 else f"{times} {word}" for word, times in counts.items()]
        parts.append(f"{counted(sum(counts.values()), 'operator')}: {_list(shown)}")
    inside = [
        f"{name} of {node.name or node.operator.name}, {counted(len(inner.operators), 'operator')}"
        for node in graph.nodes for name, inner in graphs_inside(node)
    ]  # fmt: skip
    if inside:
        parts.append(f"graph{'s' * (len(inside) != 1)} inside: {_list(inside)}")
    origin = [_origin(edge.node) for edge in graph.outputs]
    if origin:
        parts.append(f"{counted(len(origin), 'output')} from {_list(origin)}")
    notes = _marks(graph, marked or {})
    if notes:
        parts.append(f"marked: {_list(notes)}")
    return "Computational graph: " + "; ".join(parts) + "."


def _marks(graph: Graph, marked: Mapping[Any, str]) -> list[str]:
    """Say which nodes and edges are pointed at, and with which words."""
    found = mark(marked)(graph)
    called = names(graph)
    notes = [(called[node], words) for node, words in found.nodes.items()]
    for place, edge in places(graph):
        if place in found.edges:
            reader = "output" if place[0] is None else called[place[0]]
            start = "outside" if edge.node is None else called[edge.node]
            notes.append((f"{start} to {reader}", found.edges[place]))
    return [short(" ".join(f"{what} ({words['note']})".split()), 60) for what, words in notes]


def _source(node: Node) -> str:
    """Name an input, variable or constant, or say how large it is."""
    words = title(node)
    return f"of shape {shape_words(node.edges[0])}" if words == node.operator.name else words


def _origin(node: Node | None) -> str:
    return "outside" if node is None else short(node.name or node.operator.name)


def _list(words: list[str]) -> str:
    shown = words[:8]
    if len(words) > 8:
        shown.append(f"and {len(words) - 8:,} more")
    return ", ".join(shown)
