"""Graphs inside nodes, drawn: a branch or a body as boxes of its own beside the node that runs it.

    x ──► cond ──► output        ┌ then ──────────────┐  ┌ otherwise ─────────┐
            ┆                    │ x ──► log ──► out  │  │ x ──► mul ──► out  │
            └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄►└────────────────────┘  └────────────────────┘

A dashed arrow leads to what the node runs. Where that would make the picture a large one, the words
on a node alone say what it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cgkit.graph import Graph, graphs_inside
from cgkit.node import Node
from cgkit.render.layers import usual_dtype
from cgkit.render.picture import DEEPEST, Arrow, Box, Picture

RUNS = (("┄►", "runs a graph inside", "#FFFFFF"),)
"""The line of the legend."""


def with_graphs_inside(
    picture: Picture, graph: Graph, make: Callable[[Graph], Picture], most: int
) -> Picture:
    """Draw the graphs inside the nodes of a graph too.

    Parameters
    ----------
    picture
        The graph's, a box n0, n1, ... for each node.
    graph
        What it shows.
    make
        Makes the picture of a graph without those inside its nodes.
    most
        How many boxes there may be in all. Where there would be more, graphs that lie deepest are
        not drawn, and if need be none.
    """
    for depth in range(DEEPEST, 0, -1):
        whole = _with(picture, graph, make, most, depth)
        if whole is not None:
            return whole
    return picture


def _with(
    picture: Picture, graph: Graph, make: Callable[[Graph], Picture], most: int, depth: int
) -> Picture | None:
    """Give a picture with all that is inside, down to a depth; None where that is too much."""
    boxes, arrows = {box.key: box for box in picture.boxes}, list(picture.arrows)
    titles, legend = dict(picture.titles), dict.fromkeys(picture.legend)
    usual = usual_dtype(graph)
    for number, node in enumerate(graph.nodes):
        held, box = graphs_inside(node), boxes[f"n{number}"]
        if not held or depth == 0:
            continue
        legend.update(dict.fromkeys(RUNS))
        around = f"{box.scope}/{box.key}".strip("/")
        titles[around] = ""  # it keeps a node and its graphs together, and is no box itself
        boxes[box.key] = replace(box, scope=around)
        for place, (name, inner) in enumerate(held):
            found = _with(make(inner), inner, make, most - len(boxes), depth - 1)
            if found is None:
                return None
            found = _moved(found, f"{box.key}g{place}", f"{around}/{name}")
            head = _heading(name, node, "" if usual_dtype(inner) == usual else usual_dtype(inner))
            titles.update({f"{around}/{name}": head, **found.titles})
            boxes.update({one.key: one for one in found.boxes})
            runs = {"style": "dashed", "lhead": f"{around}/{name}"}
            arrows += [Arrow(box.key, found.boxes[0].key, runs), *found.arrows]
            legend.update(dict.fromkeys(line for line in found.legend if line[0] != "→"))
    if len(boxes) > most:
        return None
    return Picture(tuple(boxes.values()), tuple(arrows), tuple(legend), titles)


def _moved(picture: Picture, prefix: str, scope: str) -> Picture:
    """Give a picture whose boxes have names of their own, and lie in a scope."""
    boxes = tuple(
        Box(f"{prefix}{box.key}", box.attributes, f"{scope}/{box.scope}".rstrip("/"), box.operator)
        for box in picture.boxes
    )
    arrows = tuple(
        Arrow(
            f"{prefix}{arrow.tail}", f"{prefix}{arrow.head}",
            {key: f"{scope}/{x}" if key == "lhead" else x for key, x in arrow.attributes.items()},
        )
        for arrow in picture.arrows
    )  # fmt: skip
    titles = {f"{scope}/{path}": words for path, words in picture.titles.items()}
    return Picture(boxes, arrows, picture.legend, titles)


def _heading(name: str, node: Node, dtype: str) -> str:
    """Say what a graph is, how often it runs, and what its tensors are unless something is said."""
    length = node.params.get("length")
    often = "" if length is None else f", {length} times"
    return f"{name}{often}{dtype and f' ({dtype})'}"
