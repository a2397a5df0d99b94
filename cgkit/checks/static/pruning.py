"""Task 1 of notebook 02b: what a run has to compute, and what it can leave out.

    e ◄── c ◄── b (fed) ◄── x        needed(graph, ["e"], {"b": 10})  ──►  {"c", "e"}
          d ◄── b

Invariants: any tensor may be fed, in the middle of the graph too; what a right answer costs on a
deep graph is asked in a cell of its own, so that whoever hangs there loses nothing else.
"""

from __future__ import annotations

from typing import Any

from cgkit.checks.depth import deep_fault, shallow
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.static import run_mistakes
from cgkit.checks.static.cases import DEEP, Case, StaticGraph, cases, deep, start_of
from cgkit.checks.task import Fault, Task
from cgkit.score import Score

NEEDED = Task(
    "02_static_dynamic",
    "needed",
    3,
    (
        "You want one value. Which values must be known just before it?",
        "A value on your way is fed. Does anybody still need what it would have been made from?",
        "Which names wait on your list, and when is one of them finished?",
    ),
    run_mistakes.NEEDED,
)
NEEDED_DEEP = Task(
    "02_static_dynamic",
    "needed_deep",
    1,
    (
        "A value is read twice. How often does your function walk on from it?",
        "How many calls of your function are open at once, 15,000 nodes from the end?",
        "Do you ask a list of thousands of names, or a set, whether a name is in it?",
    ),
    calls="needed",
)
TASKS = (NEEDED, NEEDED_DEEP)
#: the graph of the notebook, with the four runs of its table
_GRAPH: StaticGraph = {
    "x": ("placeholder",),
    "two": ("constant", 2),
    "one": ("constant", 1),
    "b": ("multiply", "x", "two"),
    "c": ("add", "b", "one"),
    "d": ("negate", "b"),
    "e": ("multiply", "c", "d"),
}
_TABLE = (
    Case(_GRAPH, {"x": 3}, ["c"]),
    Case(_GRAPH, {"x": 3}, ["e"]),
    Case(_GRAPH, {"b": 10}, ["c"]),
    Case(_GRAPH, {"c": 0, "x": 3}, ["c", "d"]),
)


def needed(candidate: object, *, seed: int = SEED) -> Score:
    """Check which operators a student's `needed` names.

    Whoever is wrong on a run that the task shows is told of that one: its picture is at hand.

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
    known = next(filter(None, (_probe(exam, case) for case in _TABLE)), None)
    fault = exam.smallest(cases(), lambda case: _probe(exam, case), tries=150)
    exam.require(known or fault)
    return NEEDED.passed(
        "right on 150 random graphs: several fetches, fed values in the middle, unused nodes"
    )


def needed_deep(candidate: object, *, seed: int = SEED) -> Score:
    """Check that depth does not matter, on 20,000 operators, most of them read twice.

    Parameters
    ----------
    candidate
        `needed(graph, fetches, feeds)`.
    seed
        Decides the order of the graph.

    Raises
    ------
    CheckFailed
        It broke, or the names are wrong.
    """
    exam, case = Exam(NEEDED_DEEP, candidate, seed), deep(seed)
    right = case.needed()
    called = f"needed(a graph of {DEEP:,} operators, {case.fetches}, {case.feeds})"
    with shallow() as raised:
        fault = exam.inspect(
            (dict(case.graph), [*case.fetches], dict(case.feeds)),
            lambda given: None if given == right else other_names(given, right, case),
            f"the names of {len(right):,} operators",
            called=called,
            copies=False,
        )
        fault = deep_fault(fault, called, start_of(case.graph), raised=raised())
    exam.require(fault)
    return NEEDED_DEEP.passed(f"right on {DEEP:,} operators in a row, without recursion")


def _probe(exam: Exam, case: Case) -> Fault | None:
    right = case.needed()
    return exam.inspect(
        (case.graph, case.fetches, case.feeds),
        lambda given: None if given == right else other_names(given, right, case),
        _set(right),
        called=f"needed(graph, {case.fetches}, {case.feeds})",
        drawing=case.drawing(),
    )


def other_names(given: object, right: set[str], case: Case) -> Fault:
    """Say what is wrong with a set of names."""
    if not isinstance(given, set):
        kind = type(given).__name__
        why = f"needed should give a set of names, and it gave {'an' if kind == 'int' else 'a'}"
        return Fault("type", "", repr(given)[:200], _shown(right), f"{why} {kind}.")
    extra, missing = given - right, right - given
    marked = sorted(map(str, extra or missing))
    why = _why_extra(marked[0], case) if extra else _why_missing(marked[0], right, case)
    drawing = case.drawing(marked) if len(case.graph) < DEEP else ""
    return Fault("values", "", _shown(given), _shown(right), why, drawing=drawing)


def _why_extra(name: str, case: Case) -> str:
    """Say why nobody needs what stands under a name."""
    if name in case.feeds:
        return f"{name} is fed: its value is there, and nothing has to be computed for it."
    if case.graph.get(name, ("",))[0] in ("placeholder", "constant"):
        return f"{name} is no operator: nothing is computed for it."
    if name not in case.graph:
        return f"{name} is no node of the graph."
    readers = sorted(reader for reader, node in case.graph.items() if name in node[1:])
    fed = [reader for reader in readers if reader in case.feeds]
    if fed:
        return f"{name} is read by {fed[0]}, and {fed[0]} is fed: so nobody asks for {name}."
    if not readers:
        return f"Nobody reads {name}, and it is not fetched: so nobody asks for it."
    return f"{name} is read by {readers[0]}, and no fetch leads there in this run."


def _why_missing(name: str, right: set[str], case: Case) -> str:
    """Say who needs what stands under a name."""
    if name in case.fetches:
        return f"{name} is missing, and it is fetched."
    reader = next(one for one in sorted(right) if name in case.graph[one][1:])
    return f"{name} is missing, and {reader} reads it."


def _set(names: set[Any]) -> str:
    return f"{{{', '.join(map(repr, sorted(names, key=str)))}}}" if names else "set(), an empty set"


def _shown(names: set[Any]) -> str:
    return _set(names) if len(names) < 20 else f"a set of {len(names):,} names"
