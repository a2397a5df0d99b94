"""Hidden cases: random graphs and shapes, as hypothesis strategies that shrink to small ones.

    graphs()   ──►  Case({"x": ("input",), "a": ("add", "x", "x")}, {"x": 1}, "a")
    shapes()   ──►  (3, 1, 2)

Invariants: graphs are plain dicts, their values whole numbers, so that every right answer is exact;
nodes may stand in any order, and a node may be read many times or never.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cgkit.checks.plain_graphs import SOURCES, needed_by, operands_of, renamed, values_of

OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "maximum": max,
    "minimum": min,
    "negate": operator.neg,
}
_UNARY = frozenset({"negate", "square", "relu", "log"})
_NAMES = "abcdefghijklmn"


@dataclass(frozen=True)
class Case:
    """One graph with what is fed to it and what is asked of it."""

    graph: dict[str, tuple[object, ...]]
    feeds: dict[str, int]
    output: str

    def count(self) -> int:
        """Count the operators.

        Examples
        --------
        >>> doubling(3).count()
        3
        """
        return sum(kind not in SOURCES for kind, *_ in self.graph.values())

    def renamed(self) -> Case:
        """Give every node a name that no case has by itself.

        Examples
        --------
        >>> doubling(1).renamed().graph
        {'fresh_x': ('input',), 'fresh_d1': ('add', 'fresh_x', 'fresh_x')}
        """
        graph, new = renamed(self.graph, "fresh_")
        feeds = {new[name]: value for name, value in self.feeds.items()}
        return Case(graph, feeds, new[self.output])


def graphs(
    operators: tuple[str, ...] = tuple(OPERATORS), *, ordered: bool = False, most: int = 7
) -> Any:
    """Give a strategy for `Case`.

    Parameters
    ----------
    operators
        The operators to use.
    ordered
        Whether each node stands after what it reads; otherwise in any order.
    most
        How many operators at most.
    """
    from hypothesis import strategies as st

    small, few, count = st.integers(-3, 3), st.integers(0, 2), st.integers(0, most)
    kinds = st.sampled_from(operators)
    any_place = st.integers(0, 99)  # made once: building strategies is what takes the time

    @st.composite
    def build(draw: Any) -> Case:
        graph: dict[str, tuple[object, ...]] = {}
        feeds: dict[str, int] = {}
        for name in ("x", "y", "w")[: draw(few) + 1]:
            graph[name] = ("input",)
            feeds[name] = draw(small)
        for name in ("k", "m")[: draw(few)]:
            graph[name] = ("constant", draw(small))
        for letter in _NAMES[: draw(count)]:
            kind, names = draw(kinds), list(graph)
            places = [draw(any_place) for _ in range(1 if kind in _UNARY else 2)]
            name = letter if letter not in graph else letter * 2
            graph[name] = (kind, *(names[place % len(names)] for place in places))
        output = list(graph)[-1 - draw(any_place) % len(graph)]
        if not ordered and draw(few):
            names = draw(st.permutations(list(graph)))
            graph = {name: graph[name] for name in names}
        return Case(graph, feeds, output)

    return build()


def needed(case: Case) -> Case:
    """Keep only what the output depends on.

    Examples
    --------
    >>> graph = {"x": ("input",), "y": ("input",), "a": ("negate", "x")}
    >>> needed(Case(graph, {"x": 1, "y": 2}, "a")).graph
    {'x': ('input',), 'a': ('negate', 'x')}
    """
    operators = needed_by(case.graph, [case.output], case.feeds)
    keep = {case.output, *operands_of(case.graph, operators), *operators}
    graph = {name: node for name, node in case.graph.items() if name in keep}
    return Case(graph, {name: v for name, v in case.feeds.items() if name in keep}, case.output)


def doubling(count: int) -> Case:
    """Give the chain in which each value is added to itself: the graph that punishes recursion.

    Examples
    --------
    >>> doubling(2).graph
    {'x': ('input',), 'd1': ('add', 'x', 'x'), 'd2': ('add', 'd1', 'd1')}
    """
    graph: dict[str, tuple[object, ...]] = {"x": ("input",)}
    before = "x"
    for number in range(1, count + 1):
        graph[f"d{number}"] = ("add", before, before)
        before = f"d{number}"
    return Case(graph, {"x": 1}, before)


def sizes() -> Any:
    """Give a strategy for one size: 2 is the simplest, 1 and 0 are the odd ones."""
    from hypothesis import strategies as st

    return st.sampled_from((2, 3, 1, 5, 0))


def shapes(most: int = 3) -> Any:
    """Give a strategy for shapes of up to `most` sizes, 0-d and empty ones included."""
    from hypothesis import strategies as st

    return st.lists(sizes(), max_size=most).map(tuple)


def evaluate_plainly(case: Case) -> dict[str, int]:
    """Compute every value that the output needs; the right answer.

    Examples
    --------
    >>> evaluate_plainly(doubling(3))
    {'x': 1, 'd1': 2, 'd2': 4, 'd3': 8}
    """
    return values_of(case.graph, [case.output], case.feeds, OPERATORS)
