"""Read a graph that a student made, before it is run: its nodes, its names, and no cycle.

    read_graph(given, kinds)  ──►  the graph, or GraphFault with a sentence and the node to look at

Invariants: nothing is executed; what passes can be computed in finitely many steps.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from cgkit.checks.plain import describe, show
from cgkit.checks.static.cases import StaticGraph
from cgkit.errors import CgkitError
from cgkit.words import counted

_SOURCES = ("placeholder", "variable")


class GraphFault(CgkitError):
    """A graph that cannot be run; `node` is the one to look at, or ''."""

    def __init__(self, why: str, node: str = "", misconception: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.node = node
        self.misconception = misconception


def read_graph(given: object, arities: dict[str, int]) -> StaticGraph:
    """Check a plain value as a graph.

    Parameters
    ----------
    given
        What should be a dict of nodes; already plain.
    arities
        How many operands each operator takes.

    Raises
    ------
    GraphFault
        It is no graph.

    Examples
    --------
    >>> read_graph({"x": ("placeholder",), "a": ("negate", "x")}, {"negate": 1})
    {'x': ('placeholder',), 'a': ('negate', 'x')}
    """
    if not isinstance(given, dict):
        raise GraphFault(f"A graph is a dict of nodes, and this is {describe(given)}.")
    graph: StaticGraph = {}
    for name, node in given.items():
        if not isinstance(name, str):
            raise GraphFault(f"The name of a node is a text, and {show(name, 40)} is none.")
        graph[name] = _node(name, node, given, arities)
    _no_cycle(graph)
    return graph


def _node(
    name: str, node: object, names: Collection[Any], arities: dict[str, int]
) -> tuple[object, ...]:
    """Check one node."""
    if not isinstance(node, tuple) or not node or not isinstance(node[0], str):
        raise GraphFault(
            f"The node {name!r} should be a tuple that begins with what it is, "
            f"and it is {show(node, 60)}.",
            name,
        )
    kind, *operands = node
    if kind in _SOURCES:
        if operands:
            raise GraphFault(f"{name!r} is a {kind}, and a {kind} reads nothing.", name)
        return node
    if kind == "constant":
        if len(operands) != 1 or type(operands[0]) not in (int, float):
            raise GraphFault(f"{name!r} is a constant, and a constant holds one number.", name)
        return node
    if kind not in arities:
        known = ", ".join(("placeholder", "constant", *arities))
        raise GraphFault(f"{name!r} is {show(kind, 40)}; known are {known}.", name)
    _operands(name, kind, operands, names, arities[kind])
    return node


def _operands(
    name: str, kind: str, operands: Sequence[object], names: Collection[Any], wanted: int
) -> None:
    """Check what an operator reads."""
    if len(operands) != wanted:
        held = counted(len(operands), "operand")
        raise GraphFault(f"{kind} takes {wanted}, and {name!r} has {held}.", name)
    for operand in operands:
        if type(operand) in (int, float):
            raise GraphFault(
                f"{name!r} reads the number {operand}. An operand is the name of a node, so a "
                "number needs a constant node of its own.",
                name,
                "a number in the place of a name",
            )
        if not isinstance(operand, str) or operand not in names:
            what = show(operand, 40)
            raise GraphFault(f"{name!r} reads {what}, and no node has that name.", name)


def _no_cycle(graph: StaticGraph) -> None:
    """Refuse a graph in which a node needs itself."""
    readers: dict[str, list[str]] = {name: [] for name in graph}
    waiting = {}
    for name, (kind, *operands) in graph.items():
        names = [] if kind == "constant" else [str(operand) for operand in operands]
        waiting[name] = len(names)
        for operand in names:
            readers[operand].append(name)
    ready = [name for name, number in waiting.items() if not number]
    while ready:
        for reader in readers[ready.pop()]:
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    stuck = [name for name, number in waiting.items() if number]
    if stuck:
        raise GraphFault(f"{stuck[0]!r} needs its own value: there is a cycle.", stuck[0])
