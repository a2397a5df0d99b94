"""Tasks 1 to 3 of notebook 02b: what a run needs, its value, and nothing computed in vain.

    needed(graph, fetches, feeds)          ──►  the names of the operators to compute
    run(graph, fetches, feeds, operators)  ──►  the value of what is fetched

Invariants: operators come in as an argument, so calls are counted and nothing is timed; any tensor
may be fed, in the middle of the graph too.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.checks.arrays import arrays
from cgkit.checks.cases import OPERATORS, doubling
from cgkit.checks.counter import Counter
from cgkit.checks.depth import deep_fault, in_blocks, shallow
from cgkit.checks.leftover import search_for_leftovers
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import count
from cgkit.checks.plain_graphs import SOURCES, operands_of
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.static import run_mistakes
from cgkit.checks.static.cases import Case, StaticGraph, cases, chain, placeholders
from cgkit.checks.task import Fault, Task
from cgkit.score import Score

_DEEP = 20_000
"""Nodes of a chain: far deeper than recursion, and no trouble even where each node costs more."""

NEEDED = Task(
    "02_static_dynamic",
    "needed",
    4,
    (
        "You want one value. Which values must be known just before it?",
        "A value on your way is fed. Does anybody still need what it would have been made from?",
        "Which names wait on your list, and when is one of them finished?",
        "It takes long? Do you ask a list of 20,000 names, or a set, whether a name is in it?",
    ),
    run_mistakes.NEEDED,
)
RUN = Task(
    "02_static_dynamic",
    "run",
    5,
    (
        "Which values are known before anything is computed?",
        "A node in the middle is fed. Where does your code look first: into feeds, or at its kind?",
        "An operand is not known yet. What do you compute next, and how do you find your way back?",
    ),
    run_mistakes.RUN,
)
PART = Task(
    "02_static_dynamic",
    "run_part",
    4,
    (
        "Fetch a value in the middle of a graph. Which operators does your code call, and why?",
        "Two fetches read the same value. How often is it computed?",
        "How many calls of your function are open at once on a chain of 20,000 nodes?",
        "It takes long? Do you ask a list of 20,000 names, or a set, whether a name is in it?",
    ),
    calls="run",
)
TASKS = (NEEDED, RUN, PART)


def needed(candidate: object, *, seed: int = SEED) -> Score:
    """Check which operators a student's `needed` names; a deep chain gives the last point.

    Parameters
    ----------
    candidate
        `needed(graph, fetches, feeds)`; gives a set of names.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found on which it is wrong.
    """
    exam = Exam(NEEDED, candidate, seed)
    exam.search(cases(), lambda case: _probe_needed(exam, case), tries=150)
    graph, last = _deep(seed)
    called = f"needed(a chain of {_DEEP:,} operators, [{last!r}], {{'x': 1}})"
    arguments = (dict(graph), [last], {"x": 1})
    right = {*graph} - {"x"}
    with shallow() as raised:
        fault = exam.inspect(
            arguments,
            lambda given: None if given == right else _other_names(given, right, {}, ""),
            f"the names of all {_DEEP:,} operators",
            called=called,
            copies=False,
        )
        fault = deep_fault(fault, called, _start_of(graph), raised=raised())
    words = "right on 150 random graphs: several fetches, fed values in the middle, unused nodes"
    if fault is not None:
        return NEEDED.partly(3, 4, f"{words}; not on a deep one", fault)
    return NEEDED.passed(f"{words}; and on a chain of {_DEEP:,}")


def _probe_needed(exam: Exam, case: Case) -> Fault | None:
    right = case.needed()
    return exam.inspect(
        (case.graph, case.fetches, case.feeds),
        lambda given: None if given == right else _other_names(given, right, case.graph, case),
        _set(right),
        called=f"needed(graph, {case.fetches}, {case.feeds})",
        drawing=case.drawing(),
    )


def _set(names: set[str]) -> str:
    return f"{{{', '.join(map(repr, sorted(names)))}}}" if names else "set(), an empty set"


def _other_names(given: object, right: set[str], graph: Any, case: Any) -> Fault:
    """Say what is wrong with a set of names."""
    if not isinstance(given, set):
        kind = type(given).__name__
        why = f"needed should give a set of names, and it gave {'an' if kind == 'int' else 'a'}"
        return Fault("type", "", repr(given)[:200], _shown(right), f"{why} {kind}.")
    extra, missing = given - right, right - given
    marked = sorted(map(str, extra or missing))
    if extra and marked[0] in getattr(case, "feeds", ()):
        why = f"{marked[0]} is fed: its value is there, and nothing has to be computed for it."
    elif extra and graph.get(marked[0], ("",))[0] in ("placeholder", "constant"):
        why = f"{marked[0]} is no operator: nothing is computed for it."
    elif extra:
        why = f"{marked[0]} is in it, and no fetch depends on it in this run."
    else:
        why = f"{marked[0]} is missing, and a fetch depends on it."
    drawing = case.drawing(marked) if isinstance(case, Case) else ""
    return Fault("values", "", _shown(given), _shown(right), why, drawing=drawing)


def _shown(names: set[str]) -> str:
    return _set(names) if len(names) < 20 else f"a set of {len(names):,} names"


def run(candidate: object, *, seed: int = SEED) -> Score:
    """Check the values that a student's `run` gives for one fetch.

    Parameters
    ----------
    candidate
        `run(graph, fetches, feeds, operators)`.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found on which it is wrong.
    """
    exam = Exam(RUN, candidate, seed)
    exam.require(_probe_run(exam, Case({"x": ("placeholder",)}, {"x": 3}, ["x"])))
    # whoever computes all that can be computed is right here: that it is too much is task 3
    strategy = cases(most_fetches=1, feed_all=True)
    search_for_leftovers(exam, strategy, lambda case: _probe_run(exam, case), tries=150, call="run")
    exam.require(_probe_arrays(exam))
    return RUN.passed(
        "right on 150 random graphs in any order, some with a fed value in the middle; on arrays, "
        "0-d and empty ones too"
    )


def _probe_run(exam: Exam, case: Case) -> Fault | None:
    counter = Counter(limit=5_000)
    (fetch,) = case.fetches
    values = case.values()
    why = "The value is another one; go through the graph by hand, node by node."
    if any(name in case.feeds for name in case.graph if case.graph[name][0] in OPERATORS):
        why = "A fed node has the value that is fed, whatever it would have been computed from."
    return exam.examine(
        (case.graph, fetch, case.feeds, counter.operators),
        values[fetch],
        called=f"run(graph, {fetch!r}, {case.feeds}, operators)",
        why=why,
        drawing=case.drawing([fetch]),
    )


def _probe_arrays(exam: Exam) -> Fault | None:
    """Feed arrays: `if value:` and `==` do not work on them."""
    graph: StaticGraph = {
        "x": ("placeholder",),
        "y": ("placeholder",),
        "s": ("add", "x", "y"),
        "z": ("multiply", "s", "x"),
    }
    operators = {"add": np.add, "multiply": np.multiply}
    for x, y in (
        (np.array([1.0, -2.0]), np.array([[3.0], [0.0]])),
        (np.array(2.0), np.array(-1.0)),
        (np.zeros((0, 2)), np.zeros((1, 2))),
    ):
        fault = exam.examine(
            (graph, "z", {"x": x, "y": y}, operators),
            np.asarray((x + y) * x),
            called=f"run(graph, 'z', feeds, operators)   feeds: arrays {x.shape} and {y.shape}",
            why="On arrays it gives another value than on numbers.",
            drawing=list_graph(graph),
            read=arrays,
        )
        if fault is not None:
            return fault
    return None


def run_part(candidate: object, *, seed: int = SEED) -> Score:
    """Check that a run computes what it needs, once, however deep; each half gives two points.

    Parameters
    ----------
    candidate
        `run(graph, fetches, feeds, operators)`.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found in which too much is computed.
    """
    exam = Exam(PART, candidate, seed)
    exam.search(cases(most_fetches=1), lambda case: _probe_count(exam, case), tries=120)
    doubled = doubling(60)
    exam.require(
        _probe_count(exam, Case(placeholders(doubled.graph), doubled.feeds, [doubled.output]))
    )
    words = "only what a fetch needs is computed, and once, on 120 random graphs and 60 doublings"
    fault = _probe_deep(exam, seed)
    if fault is not None:
        return PART.partly(1, 2, f"{words}; not on a deep one", fault)
    return PART.passed(f"{words}; and a chain of {_DEEP:,} is no trouble")


def _probe_count(exam: Exam, case: Case) -> Fault | None:
    counter = Counter(limit=1_000)
    (fetch,) = case.fetches
    right, most = case.values()[fetch], len(case.needed())
    # a placeholder that this run does not need is not fed: nobody may ask for it
    reached = {*case.fetches, *operands_of(case.graph, case.needed())}
    feeds = {name: value for name, value in case.feeds.items() if name in reached}
    called = f"run(graph, {fetch!r}, {feeds}, operators)"
    fault = exam.examine((case.graph, fetch, feeds, counter.operators), right, called=called)
    if counter.calls <= most:
        return fault and _with_unfed(replace(fault, drawing=case.drawing([fetch])), case, feeds)
    paths = _paths(case, fetch)
    naive = paths > most and counter.calls == min(paths, counter.limit + 1)
    why = "It computes more than the fetch depends on: what is fed, or what nobody asked for."
    if naive:
        why = "A value with several readers is computed again for each of them."
    return Fault(
        "cost",
        called,
        "over " * (counter.calls > counter.limit)
        + f"{count(min(counter.calls, counter.limit), 'call')} of operators",
        f"at most {most:,}, one for each operator that {fetch!r} needs",
        why,
        misconception="naive recursion" if naive else "runs more than the ancestors",
        drawing=case.drawing(sorted(case.needed())),
    )


def _with_unfed(fault: Fault, case: Case, feeds: Mapping[str, int]) -> Fault:
    """Say that a placeholder was asked for which this run does not need."""
    unfed = [n for n, (kind, *_) in case.graph.items() if kind == "placeholder" and n not in feeds]
    words = set(re.findall(r"\w+", str(fault.error)))
    asked = [name for name in unfed if words & {name, "placeholder"}]
    if not asked or not isinstance(fault.error, KeyError | ValueError):
        return fault
    why = f"This run does not need {asked[0]}, so nobody has fed it, and nobody may ask for it."
    return replace(fault, why=why, misconception="asks for what is not needed")


def _paths(case: Case, fetch: str) -> int:
    """Count the operators that a function computes that remembers nothing."""
    counts: dict[str, int] = {}
    stack = [fetch]
    while stack:
        name = stack[-1]
        kind, *rest = case.graph[name]
        operands = [] if kind in SOURCES or name in case.feeds else [str(one) for one in rest]
        waiting = [one for one in operands if one not in counts]
        if waiting:
            stack.extend(waiting)
            continue
        counts[name] = sum(counts[one] for one in operands) + bool(operands)
        stack.pop()
    return counts[fetch]


def _probe_deep(exam: Exam, seed: int) -> Fault | None:
    graph, last = _deep(seed)
    called = f"run(a chain of {_DEEP:,} operators, {last!r}, {{'x': 1}}, operators)"
    arguments = (dict(graph), last, {"x": 1}, dict(OPERATORS))
    right = _DEEP + 1  # x + x, and x once more for each node behind the first
    with shallow() as raised:
        fault = exam.examine(arguments, right, called=called, copies=False)
        return deep_fault(fault, called, _start_of(graph), raised=raised())


def _start_of(graph: StaticGraph) -> str:
    first = {name: graph[name] for name in ("x", "n0", "n1")}
    return list_graph(first) + f"\n  ... and so on, {_DEEP:,} times, in another order"


@functools.lru_cache(maxsize=4)
def _deep(seed: int) -> tuple[StaticGraph, str]:
    """Draw a deep chain, once for all who are asked; nobody may change it."""
    forward = dict(reversed(chain(_DEEP).items()))
    return in_blocks(random.Random(seed), forward), f"n{_DEEP - 1}"
