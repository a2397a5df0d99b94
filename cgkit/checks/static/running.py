"""Tasks 2 and 3 of notebook 02b: the value of a fetch, and nothing computed in vain.

    run(graph, "c", {"x": 3}, operators)  ──►  7, and as many calls of operators as c needs

Invariants: operators come in as an argument, so calls are counted and nothing is timed; any tensor
may be fed, in the middle of the graph too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from cgkit.checks.arrays import arrays
from cgkit.checks.cases import doubling
from cgkit.checks.counter import Counter
from cgkit.checks.depth import deep_fault, shallow
from cgkit.checks.leftover import search_for_leftovers
from cgkit.checks.listing import list_graph
from cgkit.checks.plain_graphs import SOURCES, operands_of
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.static import run_mistakes
from cgkit.checks.static.cases import (
    DEEP,
    Case,
    StaticGraph,
    cases,
    deep,
    placeholders,
    start_of,
)
from cgkit.checks.task import Fault, Task
from cgkit.score import Score
from cgkit.words import counted

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
    2,
    (
        "Fetch a value in the middle of a graph. Which operators does your code call, and why?",
        "A node is fed. Who still wants what stands above it?",
        "Two nodes read the same value. How often is it computed?",
    ),
    calls="run",
)
RUN_DEEP = Task(
    "02_static_dynamic",
    "run_deep",
    2,
    (
        "How many calls of your function are open at once, 15,000 nodes from the end?",
        "Do you look through all nodes to find the next one? How many looks are that?",
        "Do you ask a list of thousands of names, or a set, whether a name is in it?",
    ),
    calls="run",
)
TASKS = (RUN, PART, RUN_DEEP)
#: x reaches c twice: past b, which is fed, and above b, where nobody asks
_AROUND = Case(
    {
        "x": ("placeholder",),
        "a": ("negate", "x"),
        "b": ("negate", "a"),
        "c": ("add", "b", "x"),
    },
    {"b": 10, "x": 3},
    ["c"],
)


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
    if any(name in case.feeds and kind != "placeholder" for name, (kind, *_) in case.graph.items()):
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
    """Check that a run computes what it needs, and each value once.

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
    strategy = cases(most_fetches=1)
    search_for_leftovers(
        exam, strategy, lambda case: _probe_count(exam, case), tries=120, call="run"
    )
    doubled = doubling(60)
    for case in (_AROUND, Case(placeholders(doubled.graph), doubled.feeds, [doubled.output])):
        exam.require(_probe_count(exam, case))
    return PART.passed(
        "only what a fetch needs is computed, and once, on 120 random graphs and 60 doublings"
    )


def run_deep(candidate: object, *, seed: int = SEED) -> Score:
    """Check that depth does not matter, on 20,000 operators, most of them read twice.

    Parameters
    ----------
    candidate
        `run(graph, fetches, feeds, operators)`.
    seed
        Decides the order of the graph.

    Raises
    ------
    CheckFailed
        It broke, or the value is wrong.
    """
    exam, case = Exam(RUN_DEEP, candidate, seed), deep(seed)
    (fetch,) = case.fetches
    counter = Counter(limit=2 * DEEP)
    called = f"run(a graph of {DEEP:,} operators, {fetch!r}, {case.feeds}, operators)"
    arguments = (dict(case.graph), fetch, dict(case.feeds), counter.operators)
    with shallow() as raised:
        fault = exam.examine(arguments, case.values()[fetch], called=called, copies=False)
        fault = deep_fault(fault, called, start_of(case.graph), raised=raised())
    exam.require(fault)
    return RUN_DEEP.passed(f"right on {DEEP:,} operators in a row, without recursion")


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
        + f"{counted(min(counter.calls, counter.limit), 'call')} of operators",
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
