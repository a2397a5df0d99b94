"""Task 11 of notebook 02a: find the fault in "a leaf is what requires a gradient".

    graph = {"W": ("leaf",), "x": ("leaf",), "d": ("add", "x", "x"), "h": ("multiply", "W", "x")}
    mended_leaves(graph, {"W"})  ──►  {"W", "x", "d"}      d was computed, and nothing recorded

Invariants: nodes stand in the order in which the program made them; only leaves are marked.
"""

from __future__ import annotations

from typing import Any

from cgkit.checks import cases
from cgkit.checks.dynamic.programs import as_eager
from cgkit.checks.listing import list_graph
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_TRIES = 100


def needing(graph: Any, marked: Any) -> set[str]:
    """Name the values that require a gradient: the marked ones, and all computed from them.

    Examples
    --------
    >>> graph = {"x": ("leaf",), "W": ("leaf",), "h": ("multiply", "W", "x")}
    >>> sorted(needing(graph, {"W"}))
    ['W', 'h']
    """
    needs = set(marked)
    for name, (_, *operands) in graph.items():
        if needs.intersection(operands):
            needs.add(name)
    return needs


def right_leaves(graph: Any, marked: Any) -> set[str]:
    """Name the values behind which nothing was recorded."""
    needs = needing(graph, marked)
    return {name for name, (_, *operands) in graph.items() if not needs.intersection(operands)}


def _marked(graph: Any, marked: Any) -> set[str]:
    return set(marked)


def _made_by_hand(graph: Any, marked: Any) -> set[str]:
    return {name for name, (kind, *_) in graph.items() if kind == "leaf"}


def _needs_none(graph: Any, marked: Any) -> set[str]:
    return set(graph) - needing(graph, marked)


def _one_step(graph: Any, marked: Any) -> set[str]:
    return {name for name, (_, *operands) in graph.items() if not set(operands) & set(marked)}


def _all_operands(graph: Any, marked: Any) -> set[str]:
    needs = needing(graph, marked)
    return {name for name, (_, *operands) in graph.items() if not operands or set(operands) - needs}


LEAVES = Task(
    "02_static_dynamic",
    "mended_leaves",
    3,
    (
        "Is data that requires no gradient the result of a recorded operator? What is it then?",
        "W requires a gradient and x does not. Which of x + x and W * x does a framework record?",
    ),
    (
        Mistake(
            "leaf means requires_grad",
            needing,
            "Whether a value requires a gradient, and whether it is a leaf, are two questions. "
            "W * x requires one and is no leaf; data requires none and is one.",
        ),
        Mistake(
            "only what is marked is a leaf",
            _marked,
            "Data that nobody marked were recorded by no operator either: they are leaves, too.",
        ),
        Mistake(
            "only what was made by hand is a leaf",
            _made_by_hand,
            "What is computed from unmarked values alone is not recorded, so it is a leaf.",
        ),
        Mistake(
            "leaves are what requires no gradient",
            _needs_none,
            "The marked values are leaves as well: no operator made them.",
        ),
        Mistake(
            "only the next reader looked at",
            _one_step,
            "What is computed from a recorded value is recorded, too, however far from W it is.",
        ),
        Mistake(
            "one operand without gradient is enough",
            _all_operands,
            "An operator is recorded as soon as one of its operands requires a gradient.",
        ),
    ),
)
TASKS = (LEAVES,)


def mended_leaves(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's mended `leaves(graph, marked)`.

    Parameters
    ----------
    candidate
        Gives a set of names.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found on which it is wrong.
    """
    exam = Exam(LEAVES, candidate, seed)

    def probe(case: tuple[dict[str, tuple[str, ...]], set[str]]) -> Fault | None:
        graph, marked = case
        needs = needing(graph, marked)
        notes = dict.fromkeys(needs, "requires a gradient")
        return exam.examine(
            (graph, marked),
            right_leaves(graph, marked),
            called=f"mended_leaves(graph, marked={sorted(marked) or 'nothing'})",
            why="A leaf is a value behind which no operator was recorded.",
            drawing=list_graph(graph, sorted(marked), notes),
        )

    exam.search(_marked_graphs(), probe, tries=_TRIES)
    return LEAVES.passed(f"right on {_TRIES} graphs, some leaves marked, all, or none")


def _marked_graphs() -> Any:
    from hypothesis import strategies as st

    drawn, flags = cases.graphs(ordered=True), st.lists(st.booleans(), min_size=5, max_size=5)

    @st.composite
    def build(draw: Any) -> tuple[dict[str, tuple[str, ...]], set[str]]:
        graph = as_eager(draw(drawn).graph)
        leaves = [name for name, node in graph.items() if node == ("leaf",)]
        marks = draw(flags)
        return graph, {name for name, mark in zip(leaves, marks, strict=False) if mark}

    return build()
