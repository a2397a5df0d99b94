"""Hidden cases of notebook 02b: static graphs as dicts, with what is fed and what is fetched.

    cases()     ──►  Case({"x": ("placeholder",), "a": ("add", "x", "x")}, {"x": 1}, ["a"])
    deep(seed)  ──►  the same, 20,000 operators deep

Invariants: any tensor may be fed; each placeholder that the fetches need is fed; nodes stand in any
order; values are whole numbers, so that every right answer is exact.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cgkit.checks import cases as plain_cases
from cgkit.checks.cases import OPERATORS
from cgkit.checks.depth import in_blocks
from cgkit.checks.listing import list_graph
from cgkit.checks.plain_graphs import needed_by, operands_of, renamed, values_of

StaticGraph = dict[str, tuple[object, ...]]
DEEP = 20_000
"""Operators of a graph far deeper than recursion, and no trouble even where each costs more."""


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

    def renamed(self) -> Case:
        """Give every node a name that no case has by itself."""
        graph, new = renamed(self.graph, "fresh_")
        feeds = {new[name]: value for name, value in self.feeds.items()}
        return Case(graph, feeds, [new[name] for name in self.fetches])


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
        inner = [name for name, (kind, *_) in graph.items() if kind != "placeholder"]
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


@functools.lru_cache(maxsize=4)
def deep(seed: int) -> Case:
    """Give a graph of `DEEP` operators, most of them read twice; three in four are needed.

    It is drawn once for all who are asked; nobody may change it.

    Examples
    --------
    >>> case = deep(0)
    >>> len(case.graph), len(case.needed()), case.graph["n7"]
    (20001, 15000, ('subtract', 'n6', 'n5'))
    """
    graph: StaticGraph = {"x": ("placeholder",), "n0": ("add", "x", "x")}
    before = "x"
    for number in range(1, DEEP):
        last = f"n{number - 1}"
        graph[f"n{number}"] = ("subtract", last, before)  # which keeps the numbers small
        before = last
    return Case(in_blocks(random.Random(seed), graph), {"x": 1}, [f"n{DEEP * 3 // 4 - 1}"])


def start_of(graph: StaticGraph) -> str:
    """Draw the first nodes of the deep graph."""
    first = {name: graph[name] for name in ("x", "n0", "n1", "n2")}
    return list_graph(first) + f"\n  ... and so on, {DEEP:,} times, in another order"
