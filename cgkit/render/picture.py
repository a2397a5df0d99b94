"""A picture as data: boxes, arrows, and which box lies in which.

    Graph ──► layers ──► Picture(boxes, arrows, legend) ──► fold ──► DOT
                         one box a node                     large graphs only

Names of boxes are n0, n1, ... in the order of the graph, so the same graph gives the same DOT, and
no name of a student's can break it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from cgkit.errors import RenderError
from cgkit.graph import Graph
from cgkit.node import Node
from cgkit.render.layers import (
    Attributes,
    Decoration,
    Layer,
    Place,
    places,
    shape_words,
    usual_dtype,
)
from cgkit.render.palette import look

DEEPEST = 8
"""How many boxes are drawn within each other."""


@dataclass(frozen=True)
class Box:
    """One box of a picture.

    Parameters
    ----------
    key
        Its name in DOT.
    attributes
        Attributes of Graphviz, and "note".
    scope
        The boxes around it, outermost first, joined by "/".
    operator
        What the node does, for the words on a box that stands for several.
    """

    key: str
    attributes: Attributes
    scope: str = ""
    operator: str = ""


@dataclass(frozen=True)
class Arrow:
    """One arrow of a picture, between the boxes `tail` and `head`."""

    tail: str
    head: str
    attributes: Attributes


@dataclass(frozen=True)
class Picture:
    """Everything that will be drawn."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    legend: tuple[tuple[str, str, str], ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    """What is written on the boxes of some scopes, instead of the scopes' own names."""


@dataclass
class _Merged:
    """All layers laid over each other."""

    nodes: dict[Node, dict[str, str]] = field(default_factory=dict)
    edges: dict[Place, dict[str, str]] = field(default_factory=dict)
    scopes: dict[Node, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    legend: dict[tuple[str, str, str], None] = field(default_factory=dict)

    def add(self, decoration: Decoration) -> None:
        for node, attributes in decoration.nodes.items():
            self.nodes.setdefault(node, {}).update(attributes)
        for place, attributes in decoration.edges.items():
            self.edges.setdefault(place, {}).update(attributes)
        self.scopes.update(decoration.scopes)
        self.titles.update(decoration.titles)
        self.legend.update(dict.fromkeys(decoration.legend))


def assemble(graph: Graph, layers: Iterable[Layer]) -> Picture:
    """Lay the layers over each other: one box for each node, one for each output.

    Parameters
    ----------
    graph
        What is drawn.
    layers
        Functions from the graph to a Decoration, later over earlier.
    """
    merged = _Merged()
    for layer in layers:
        merged.add(layer(graph))
    keys = {node: f"n{number}" for number, node in enumerate(graph.nodes)}
    boxes = [
        Box(
            keys[node],
            merged.nodes.get(node, {}),
            _path(merged.scopes.get(node)),
            node.operator.name,
        )
        for node in graph.nodes
    ]
    arrows = []
    for place, edge in places(graph):
        reader, number = place
        if edge.node not in keys or edge.node is None:
            raise RenderError(
                f"the graph reads {edge!r}, whose node it does not list",
                attempt="cgkit.order.verify(graph), which names every such place",
            )
        if reader is None:
            boxes.append(_output(number, len(graph.outputs)))
        head = f"out{number}" if reader is None else keys[reader]
        attributes = dict(merged.edges.get(place, {}))
        several = len(edge.node.results or ()) > 1
        if several and "label" in attributes:
            attributes["label"] = f"{edge.index}: {attributes['label']}"
        arrows.append(Arrow(keys[edge.node], head, attributes))
    return Picture(tuple(boxes), tuple(arrows), tuple(merged.legend), merged.titles)


def in_scopes(picture: Picture, graph: Graph, found: Decoration) -> Picture:
    """Put the boxes of nodes into scopes, and those of tensors with the node that makes them."""
    inside = {f"n{number}": found.scopes.get(node) for number, node in enumerate(graph.nodes)}
    boxes = [
        replace(box, scope=_path(inside.get(box.key.partition("t")[0]))) for box in picture.boxes
    ]
    return replace(picture, boxes=tuple(boxes), titles={**picture.titles, **found.titles})


def with_tensors(picture: Picture, graph: Graph) -> Picture:
    """Draw each tensor as a box of its own, between the node that makes it and its readers."""
    boxes = list(picture.boxes)
    arrows: dict[tuple[str, str], Arrow] = {}
    after: list[Arrow] = []
    usual = usual_dtype(graph)
    for (_, edge), arrow in zip(places(graph), picture.arrows, strict=True):
        key = f"{arrow.tail}t{edge.index}"
        if (arrow.tail, key) not in arrows:
            arrows[arrow.tail, key] = Arrow(arrow.tail, key, {})
            words = {**look("tensor").attributes(), "label": shape_words(edge, usual)}
            boxes.append(Box(key, words, _scope(picture, arrow.tail), "tensor"))
        kept = {name: value for name, value in arrow.attributes.items() if name != "label"}
        after.append(Arrow(key, arrow.head, kept))
    legend = tuple(line for line in picture.legend if line[0] != "→")
    return Picture(
        tuple(boxes),
        (*arrows.values(), *after),
        (*legend, (look("tensor").sign, f"a tensor, {usual}", look("tensor").fill)),
        picture.titles,
    )


def _path(scope: str | None) -> str:
    """Leave out empty parts of a scope, and those that nest too deep to be drawn."""
    return "/".join([part for part in (scope or "").split("/") if part][:DEEPEST])


def _scope(picture: Picture, key: str) -> str:
    return next(box.scope for box in picture.boxes if box.key == key)


def _output(number: int, among: int) -> Box:
    """Make the box that an output's arrow points at."""
    label = "output" if among == 1 else f"output {number}"
    attributes = {**look("output").attributes(), "label": label}
    return Box(f"out{number}", attributes, "", "output")
