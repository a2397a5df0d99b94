"""Reduce a drawing to the nodes that count: inputs, constants and operations.

    x ──► "+" ──► s ──► "*" ──► z        s and z only name what the operations give: left out
                                         a legend, colors and boxes: left out

Invariants: the parts come in an order in which each stands after what it reads; nothing is ever
executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cgkit.checks.dot import DotGraph
from cgkit.checks.labels import Meaning, read_label
from cgkit.checks.plain import NotPlainError, describe
from cgkit.errors import CgkitError

PlainGraph = Mapping[str, tuple[object, ...]]
SYMMETRIC = frozenset({"add", "multiply", "maximum", "minimum"})


class DrawingError(CgkitError):
    """A drawing that does not show the graph; `marked` names the nodes to look at."""

    def __init__(self, what: str, marked: Sequence[str] = (), misconception: str = "") -> None:
        super().__init__(what)
        self.marked = tuple(marked)
        self.misconception = misconception


@dataclass(frozen=True)
class Part:
    """One node of a drawing that counts: its id, what it means, what it reads."""

    node: str
    label: str
    meaning: Meaning
    reads: tuple[str, ...]


def source_of(drawing: object) -> str:
    """Give the DOT text of a student's drawing.

    Parameters
    ----------
    drawing
        A `graphviz.Digraph`, `graphviz.Graph`, `graphviz.Source`, or DOT text.

    Raises
    ------
    NotPlainError
        It is something else.

    Examples
    --------
    >>> source_of("digraph {}")
    'digraph {}'
    """
    if type(drawing) is str:
        return drawing
    import graphviz

    if type(drawing) in (graphviz.Digraph, graphviz.Graph, graphviz.Source):
        text = drawing.source  # type: ignore[attr-defined]
        if type(text) is str:
            return text
    raise NotPlainError(describe(drawing))


@dataclass(frozen=True)
class Reduced:
    """A drawing reduced to the nodes that count; what only names a value points at its part."""

    parts: dict[str, Part]
    values: dict[str, str]


def reduce_drawing(read: DotGraph, edges: Sequence[tuple[str, str]]) -> Reduced:
    """Find the nodes that count, in an order in which each comes after what it reads.

    Nodes that only name a value on the way are left out, and so is a legend.

    Raises
    ------
    DrawingError
        There is a cycle, or a node that reads several values and names no operation.
    """
    legend = {
        member
        for cluster in read.clusters
        if "legend" in (cluster.name + cluster.attributes.get("label", "")).lower()
        for member in cluster.members
    }
    nodes = [node for node in read.nodes if node not in legend]
    reads: dict[str, list[str]] = {node: [] for node in nodes}
    for tail, head in edges:
        if tail in reads and head in reads:
            reads[head].append(tail)
    order = _ordered(reads, read)
    meanings = {node: read_label(read.label(node)) for node in nodes}
    stands_for: dict[str, str] = {}
    parts: dict[str, Part] = {}
    for node in order:
        operands = tuple(stands_for[operand] for operand in reads[node])
        before = parts[operands[0]] if len(operands) == 1 else None
        if before is not None and _is_value(meanings[node], before.meaning):
            stands_for[node] = before.node
            continue
        stands_for[node] = node
        parts[node] = _part(node, read, meanings[node], operands)
    values = {node: part for node, part in stands_for.items() if node != part}
    return Reduced(parts, values)


def _is_value(meaning: Meaning, before: Meaning) -> bool:
    """Tell whether a node with one arrow in only names the value that it receives."""
    if meaning.kind != "operation":
        return True
    same = meaning.text == before.text
    squared = meaning.text == "square" and before.text in ("multiply", "power")
    return meaning.full and not before.full and (same or squared)


def _part(node: str, read: DotGraph, meaning: Meaning, operands: tuple[str, ...]) -> Part:
    label = " ".join(read.label(node).split()) or node
    if len(operands) > 1 and meaning.text.lower() == "sum":
        meaning = Meaning("operation", "add")  # with one arrow in, it is the name of a value
    if operands and meaning.kind != "operation":
        arrows = "1 arrow ends" if len(operands) == 1 else f"{len(operands)} arrows end"
        what = f"{arrows} in {quoted(label)}, and its label names no operator that I know"
        raise DrawingError(what, [node])
    if read.strict and len(operands) == 1 and meaning.text in SYMMETRIC:
        operands = operands * 2  # a strict drawing cannot hold two equal arrows
    return Part(node, label, meaning, operands)


def _ordered(reads: Mapping[str, list[str]], read: DotGraph) -> list[str]:
    waiting = {node: len(operands) for node, operands in reads.items()}
    readers: dict[str, list[str]] = {node: [] for node in reads}
    for node, operands in reads.items():
        for operand in operands:
            readers[operand].append(node)
    ready = [node for node, count in waiting.items() if not count]
    order: list[str] = []
    while ready:
        node = ready.pop(0)
        order.append(node)
        for reader in readers[node]:
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    if len(order) < len(reads):
        rest = [node for node, count in waiting.items() if count]
        names = ", ".join(quoted(read.label(node)) for node in rest[:4])
        raise DrawingError(f"there is a cycle through {names}: no order could compute it", rest)
    return order


def quoted(label: str) -> str:
    """Write a label in quotes, on one line.

    Examples
    --------
    >>> quoted("x  y")
    '"x y"'
    """
    return '"' + " ".join(label.split()) + '"'
