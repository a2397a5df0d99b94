"""Compare a drawing of a named graph: every node by its name, every arrow with its shape.

    graph + shapes ──► what the drawing must hold:   x ──(2, 3)──► add

Invariants: names may be any text, quotes and spaces included; nodes that only name a value on an
arrow are left out; one difference is reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from cgkit.checks.dot import DotGraph, label_text
from cgkit.checks.labels import read_label
from cgkit.checks.parts import DrawingError, PlainGraph, quoted

Shape = tuple[int, ...]
Arrow = tuple[str, str, str]


def compare_labelled(read: DotGraph, graph: PlainGraph, shapes: Mapping[str, Shape]) -> None:
    """Check that a drawing holds each node of a graph, and each arrow with its shape.

    Parameters
    ----------
    read
        The drawing.
    graph
        Name to ("input",), ("constant", value) or (operation, *operand names).
    shapes
        The shape of each node's value.

    Raises
    ------
    DrawingError
        Something is missing, too many, or labeled otherwise.

    Examples
    --------
    >>> from cgkit.checks.dot import read_dot
    >>> graph = {"x": ("input",), "a": ("negate", "x")}
    >>> read = read_dot('digraph { a [label=negate]; x -> a [label="(3,)"] }')
    >>> compare_labelled(read, graph, {"x": (2,), "a": (2,)})
    Traceback (most recent call last):
        ...
    cgkit.checks.parts.DrawingError: the arrow x ──► a says "(3,)"; it carries x, of shape (2,)
    """
    if not read.directed:
        raise DrawingError("these edges have no direction: begin with digraph, and draw x -> add")
    arrows = _arrows(read, graph)
    _compare_nodes(read, graph)
    _compare_arrows(arrows, graph)
    for tail, head, label in arrows:
        _compare_shape(tail, head, label, shapes)


def _arrows(read: DotGraph, graph: PlainGraph) -> list[Arrow]:
    """Give the arrows between named nodes, values on the way contracted."""
    arrows = [(e.tail, e.head, label_text(e.attributes.get("label", ""), "")) for e in read.edges]
    for node in [node for node in read.nodes if node not in graph]:
        into = [arrow for arrow in arrows if arrow[1] == node]
        if len(into) != 1:
            continue
        tail, _, label = into[0]
        rest = [arrow for arrow in arrows if node not in arrow[:2]]
        out = [arrow for arrow in arrows if arrow[0] == node]
        arrows = [*rest, *((tail, head, own or label) for _, head, own in out)]
    return arrows


def _compare_nodes(read: DotGraph, graph: PlainGraph) -> None:
    entered = {edge.head for edge in read.edges}
    for name in graph:
        if name not in read.nodes:
            what = f"the node {quoted(name)} is missing"
            simple = re.fullmatch(r"[A-Za-z_]\w*", name)
            quotes = "" if simple else "; a name like this needs quotes in DOT"
            raise DrawingError(what + quotes, [name])
    for node in read.nodes:
        if node not in graph and node not in entered:
            raise DrawingError(f"{quoted(node)} is not a node of the graph: a node too many")
    for name, (kind, *rest) in graph.items():
        _compare_label(name, str(kind), rest, read.label(name))


def _compare_label(name: str, kind: str, rest: list[object], label: str) -> None:
    if kind == "input":
        right = name in label
        wanted = "its name"
    elif kind == "constant":
        figures = re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", label)
        right = any(float(figure) == rest[0] for figure in figures)
        wanted = f"its value {rest[0]}"
    else:
        right = kind in label.lower() or read_label(label).text == kind
        wanted = f"its operator {kind}"
    if not right:
        what = f"the node {name} is labeled {quoted(label)}; it should show {wanted}"
        raise DrawingError(what, [name])


def _compare_arrows(arrows: list[Arrow], graph: PlainGraph) -> None:
    wanted = Counter(
        (str(operand), name)
        for name, (kind, *rest) in graph.items()
        if kind not in ("input", "constant")
        for operand in rest
    )
    drawn = Counter((tail, head) for tail, head, _ in arrows)
    turned = Counter((head, tail) for tail, head, _ in arrows)
    if drawn != wanted and turned == wanted:
        what = "every arrow points the wrong way: data flow from the inputs to the result"
        raise DrawingError(what, misconception="arrows reversed")
    for (tail, head), count in (wanted - drawn).items():
        if drawn[tail, head]:
            times = count + drawn[tail, head]
            what = f"the node {head} reads {tail} {times} times: draw as many arrows"
            raise DrawingError(what, [head], "twin arrows lost")
        raise DrawingError(f"an arrow is missing: {tail} ──► {head}", [head])
    for tail, head in drawn - wanted:
        raise DrawingError(f"an arrow too many: {tail} ──► {head}", [head])


def _compare_shape(tail: str, head: str, label: str, shapes: Mapping[str, Shape]) -> None:
    if _shape_in(label) == shapes[tail]:
        return
    says = f"says {quoted(label)}" if label else "says nothing"
    what = f"the arrow {tail} ──► {head} {says}; it carries {tail}, of shape {shapes[tail]}"
    other = "shape of the reader" if label and _shape_in(label) == shapes[head] else ""
    raise DrawingError(what, [tail], other)


def _shape_in(label: str) -> Shape:
    """Read a shape in any of its usual forms: (2, 3), [2, 3], 2x3, float32[2, 3]."""
    groups = re.findall(r"[\[(]([^\])]*)[\])]", label)
    return tuple(int(figure) for figure in re.findall(r"\d+", groups[-1] if groups else label))
