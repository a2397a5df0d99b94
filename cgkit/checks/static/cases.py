"""Hidden cases of notebook 02b: static graphs as dicts, with what is fed and what is fetched.

    cases()  ──►  Case({"x": ("placeholder",), "a": ("add", "x", "x")}, {"x": 1}, ["a"])

Invariants: any tensor may be fed; each placeholder that the fetches need is fed; nodes stand in any
order; values are whole numbers, so that every right answer is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cgkit.checks import cases as plain_cases
from cgkit.checks.cases import OPERATORS
from cgkit.checks.listing import list_graph

SOURCES = ("placeholder", "variable", "constant")
StaticGraph = dict[str, tuple[object, ...]]


@dataclass(frozen=True)
class Case:
    """One graph with what is fed to it and the names that are fetched."""

    graph: StaticGraph
    feeds: dict[str, int]
    fetches: list[str]

    def needed(self) -> set[str]:
        """Name the operators that must be computed."""
        return needed_by(self.graph, self.fetches, self.feeds)

    def values(self) -> dict[str, Any]:
        """Compute what the fetches need."""
        return values_of(self.graph, self.fetches, self.feeds, OPERATORS)

    def drawing(self, marked: Sequence[str] = ()) -> str:
        """Draw the graph, with what is fed and what is fetched."""
        notes = dict.fromkeys(self.fetches, "fetched")
        for name, value in self.feeds.items():
            notes[name] = ", ".join([f"fed {value}", *(["fetched"] * (name in notes))])
        return list_graph(self.graph, marked, notes)


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


def values_of(
    graph: Mapping[str, tuple[Any, ...]],
    fetches: Sequence[str],
    feeds: Mapping[str, Any],
    operators: Mapping[str, Callable[..., Any]],
) -> dict[str, Any]:
    """Compute what some fetches need; the checks' own answer, independent of cgkit.

    Examples
    --------
    >>> graph = {"x": ("placeholder",), "a": ("negate", "x"), "b": ("negate", "a")}
    >>> values_of(graph, ["b"], {"a": 5}, OPERATORS)
    {'a': 5, 'b': -5}
    """
    values = dict(feeds)
    stack = list(fetches)
    while stack:
        name = stack[-1]
        kind, *operands = graph[name]
        if name not in values and kind == "constant":
            values[name] = operands[0]
        elif name not in values:
            waiting = [operand for operand in operands if operand not in values]
            if waiting:
                stack.extend(waiting)
                continue
            values[name] = operators[kind](*(values[operand] for operand in operands))
        stack.pop()
    return values


def cases(*, most_fetches: int = 3, feed_all: bool = False) -> Any:
    """Give a strategy for `Case`.

    Parameters
    ----------
    most_fetches
        How many names are fetched at most.
    feed_all
        Whether placeholders are fed that nobody needs, too.
    """
    from hypothesis import strategies as st

    drawn, flag = plain_cases.graphs(), st.booleans()
    place, small = st.integers(0, 99), st.integers(-3, 3)

    @st.composite
    def build(draw: Any) -> Case:
        first = draw(drawn)
        graph = placeholders(first.graph)
        inner = [name for name, (kind, *_) in graph.items() if kind not in SOURCES]
        fetches = [first.output]
        while len(fetches) < most_fetches and draw(flag):
            fetches.append(list(graph)[draw(place) % len(graph)])
        feeds = {}
        if inner and draw(flag):
            feeds[inner[draw(place) % len(inner)]] = draw(small)
        reached = {*fetches, *operands_of(graph, needed_by(graph, fetches, feeds))}
        for name, value in first.feeds.items():
            if feed_all or name in reached or draw(flag):
                feeds[name] = value
        return Case(graph, feeds, fetches)

    return build()


def placeholders(graph: Mapping[str, tuple[object, ...]]) -> StaticGraph:
    """Call the inputs of a graph placeholders."""
    return {name: ("placeholder",) if node == ("input",) else node for name, node in graph.items()}


def operands_of(graph: Mapping[str, tuple[Any, ...]], names: Collection[str]) -> set[str]:
    """Name all that some operators read."""
    return {operand for name in names for operand in graph[name][1:]}


def chain(length: int) -> StaticGraph:
    """Give a chain of additions, its nodes from the last to the first.

    Examples
    --------
    >>> chain(2)
    {'n1': ('add', 'n0', 'x'), 'n0': ('add', 'x', 'x'), 'x': ('placeholder',)}
    """
    graph: StaticGraph = {"x": ("placeholder",), "n0": ("add", "x", "x")}
    for number in range(1, length):
        graph[f"n{number}"] = ("add", f"n{number - 1}", "x")
    return dict(reversed(graph.items()))
