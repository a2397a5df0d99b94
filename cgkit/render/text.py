"""A graph drawn in letters, for messages and for readers without pictures.

    x ──► b=add ──► c=add            small graphs: one line, with arcs
    └────►┘    └───►┘

    x, W ──► h = matmul   [32, 10]   larger ones: a line for each node
    h    ──► y = relu     [32, 10]

Graphs inside nodes stand below. A drawing is at most 87 letters wide and 40 lines long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cgkit.graph import Graph, graphs_inside, names, show_edge
from cgkit.node import Edge, Node
from cgkit.render.arcs import WIDTH, arcs, wide
from cgkit.render.layers import shape_words, short, title, usual_dtype
from cgkit.render.outline import LINES, fit
from cgkit.words import counted

SMALL = 16
"""Graphs with more nodes are listed, not drawn."""

ARCS = 100
"""The same for edges: a node may read one value a thousand times."""


def draw_text(graph: Graph, *, marked: Mapping[Any, str] | None = None) -> str:
    """Draw a graph in letters.

    Parameters
    ----------
    graph
        What is drawn.
    marked
        Words for nodes to point at: by node, or by the name that a graph prints for it.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((), name="x")
    >>> print(draw_text(builder.graph([x * x])))
    x ──► mul
    └────►┘
    """
    if not graph.nodes:
        return "an empty graph"
    called = names(graph)
    notes = {
        node: words
        for node in graph.nodes
        if (words := (marked or {}).get(node, (marked or {}).get(called[node]))) is not None
    }
    small = _on_one_line(graph, notes) if len(graph.nodes) <= SMALL else None
    lines = _listed(graph, called, notes) if small is None else small.splitlines()
    inside = _inside(graph, called, marked, LINES - len(lines))
    return fit([*lines, *inside]) if inside or small is None else small


def _inside(
    graph: Graph, called: Mapping[Node, str], marked: Mapping[Any, str] | None, most: int
) -> list[str]:
    """Draw the graphs that nodes hold, each below a line that says whose it is."""
    lines: list[str] = []
    for node in graph.nodes:
        for name, inner in graphs_inside(node):
            if len(lines) > most:
                return lines
            lines.append(f"  {name} of {called[node]} = {node.operator.name}")
            lines += [f"    {line}" for line in draw_text(inner, marked=marked).splitlines()]
    return lines


def _on_one_line(graph: Graph, notes: Mapping[Node, str]) -> str | None:
    """Draw a small graph with arcs; None when it does not fit."""
    place = {node: number for number, node in enumerate(graph.nodes)}
    edges = [
        (place[edge.node], place[node])
        for node in graph.nodes
        for edge in node.inputs
        if edge.node is not None
    ]
    if len(edges) > ARCS:
        return None
    words = {place[node]: short(note, 60) for node, note in notes.items()}
    return arcs([_word(node) for node in graph.nodes], edges, words)


def _word(node: Node) -> str:
    """Name a node in one word."""
    name = short(node.name, 16).replace(" ", "_")
    source = node.operator.family == "source"
    what = title(node).replace(" ", "") if source else node.operator.name
    if source or not name:
        return what
    return f"{name}={what}"


def _listed(graph: Graph, called: Mapping[Node, str], notes: Mapping[Node, str]) -> list[str]:
    """Write one line for each node that computes, and one for all sources."""
    usual = usual_dtype(graph)
    rows = []
    shown = _shown(graph, notes)
    for node in (graph.nodes[number] for number in shown):
        operands = ", ".join(show_edge(edge, called) for edge in node.inputs)
        types = ", ".join(shape_words(edge, usual) for edge in node.edges)
        note = f"  ◄── {notes[node]}" if node in notes else ""
        what = node.operator.name
        rows.append((short(operands, 30), f"{short(called[node], 20)} = {what}", types + note))
    left, middle = (max(wide(row[column]) for row in rows) for column in (0, 1))
    lines = []
    for before, number, (operands, what, types) in zip([-1, *shown], shown, rows, strict=False):
        if number > before + 1:
            lines.append(f"… {counted(number - before - 1, 'node')}")
        arrow = "──►" if operands else "   "
        lines.append(f"{_pad(operands, left)} {arrow} {_pad(what, middle)}   {types}")
    outputs = [edge for edge in graph.outputs if isinstance(edge, Edge)]
    lines.append(short("return " + ", ".join(show_edge(edge, called) for edge in outputs), WIDTH))
    return lines


def _shown(graph: Graph, notes: Mapping[Node, str]) -> list[int]:
    """Choose which nodes of a graph are listed: all, or the ends and what is pointed at."""
    total = len(graph.nodes)
    if total < LINES:
        return list(range(total))
    chosen = {*range(16), *range(total - 8, total)}
    places = [number for number, node in enumerate(graph.nodes) if node in notes]
    for number in places[:3]:
        chosen.update(range(max(number - 1, 0), min(number + 2, total)))
    return sorted(chosen)


def _pad(words: str, width: int) -> str:
    return words + " " * (width - wide(words))
