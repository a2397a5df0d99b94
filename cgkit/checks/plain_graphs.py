"""Compute graphs that are plain dicts: the checks' own answers, independent of cgkit.

    {"x": ("input",), "k": ("constant", 2), "a": ("add", "x", "k")}
      needed_by ──► {"a"}        values_of ──► {"x": 1, "k": 2, "a": 3}

Invariants: nodes stand in any order; what is fed is never computed, in the middle of a graph
neither; no recursion, so that a graph may be as deep as one likes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

SOURCES = ("input", "placeholder", "variable", "constant")


def needed_by(
    graph: Mapping[str, tuple[Any, ...]], fetches: Sequence[str], fed: Collection[str]
) -> set[str]:
    """Name the operators that must be computed for some fetches.

    Examples
    --------
    >>> graph = {"x": ("placeholder",), "a": ("negate", "x"), "b": ("negate", "a")}
    >>> sorted(needed_by(graph, ["b"], {"x": 1})), sorted(needed_by(graph, ["b"], {"a": 1}))
    (['a', 'b'], ['b'])
    """
    found: set[str] = set()
    stack = list(fetches)
    while stack:
        name = stack.pop()
        kind, *operands = graph[name]
        if name not in fed and kind not in SOURCES and name not in found:
            found.add(name)
            stack.extend(operands)
    return found


def operands_of(graph: Mapping[str, tuple[Any, ...]], names: Collection[str]) -> set[str]:
    """Name all that some operators read.

    Examples
    --------
    >>> sorted(operands_of({"a": ("add", "x", "y"), "b": ("negate", "a")}, ["a"]))
    ['x', 'y']
    """
    return {operand for name in names for operand in graph[name][1:]}


def values_of(
    graph: Mapping[str, tuple[Any, ...]],
    fetches: Sequence[str],
    feeds: Mapping[str, Any],
    operators: Mapping[str, Callable[..., Any]],
) -> dict[str, Any]:
    """Compute what some fetches need.

    Examples
    --------
    >>> graph = {"x": ("placeholder",), "a": ("negate", "x"), "b": ("negate", "a")}
    >>> values_of(graph, ["b"], {"x": 1, "a": 5}, {"negate": lambda value: -value})
    {'a': 5, 'b': -5}
    """
    values: dict[str, Any] = {}
    stack = list(fetches)
    while stack:
        name = stack[-1]
        kind, *operands = graph[name]
        if name in feeds:
            values[name] = feeds[name]
        elif kind == "constant":
            values[name] = operands[0]
        elif name not in values:
            waiting = [operand for operand in operands if operand not in values]
            if waiting:
                stack.extend(waiting)
                continue
            values[name] = operators[kind](*(values[operand] for operand in operands))
        stack.pop()
    return values


def renamed(
    graph: Mapping[str, tuple[Any, ...]], prefix: str
) -> tuple[dict[str, tuple[Any, ...]], dict[str, str]]:
    """Put something before each name; give the graph, and the new name of each old one.

    Examples
    --------
    >>> renamed({"k": ("constant", 2), "a": ("negate", "k")}, "new_")[0]
    {'new_k': ('constant', 2), 'new_a': ('negate', 'new_k')}
    """
    new = {name: f"{prefix}{name}" for name in graph}
    nodes = {
        new[name]: (kind, *rest) if kind == "constant" else (kind, *(new[one] for one in rest))
        for name, (kind, *rest) in graph.items()
    }
    return nodes, new
