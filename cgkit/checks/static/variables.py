"""Task 6 of notebook 02b: a step that reads variables, and gives their next values.

    step(graph, fetches, feeds, variables, operators)  ──►  (results, the variables afterwards)

Invariants: a read sees the value from before the step; only assigns that the fetches need are
written; what is given is never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cgkit.checks import cases as plain_cases
from cgkit.checks.cases import OPERATORS
from cgkit.checks.listing import list_graph
from cgkit.checks.plain_graphs import needed_by, values_of
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.static.cases import StaticGraph, placeholders
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_ALL = {**OPERATORS, "assign": lambda old, new: new}
Variables = dict[str, int]


@dataclass(frozen=True)
class StepCase:
    """One graph with variables, what is fed, and what is fetched."""

    graph: StaticGraph
    fetches: list[str]
    feeds: dict[str, int]
    variables: Variables

    def drawing(self) -> str:
        """Draw the graph, with what each source holds."""
        held = {**self.variables, **self.feeds}
        notes = {name: f"holds {value}" for name, value in held.items()}
        notes.update({name: "fetched" for name in self.fetches if name not in held})
        return list_graph(self.graph, [n for n in self.graph if n.startswith("set_")], notes)


def right_step(
    graph: Any, fetches: list[str], feeds: Any, variables: Any, operators: Any
) -> tuple[list[Any], Variables]:
    """Run one step; the checks' own answer, independent of cgkit.

    Examples
    --------
    >>> graph = {"n": ("variable",), "twice": ("add", "n", "n"), "set_n": ("assign", "n", "twice")}
    >>> right_step(graph, ["set_n", "n"], {}, {"n": 3}, OPERATORS)
    ([6, 3], {'n': 6})
    """
    values, written = _run(graph, fetches, feeds, variables)
    after = {graph[name][1]: values[name] for name in written}
    return [values[name] for name in fetches], {**variables, **after}


def _run(graph: Any, fetches: Any, feeds: Any, variables: Any) -> tuple[Any, list[str]]:
    known = {**variables, **feeds}
    needed = needed_by(graph, fetches, known)
    values = values_of(graph, fetches, known, _ALL)
    return values, [name for name in graph if name in needed and graph[name][0] == "assign"]


def _all_assigns(graph: Any, fetches: Any, feeds: Any, variables: Any, operators: Any) -> Any:
    names = [name for name, (kind, *_) in graph.items() if kind == "assign"]
    _, after = right_step(graph, [*fetches, *names], feeds, variables, operators)
    return right_step(graph, fetches, feeds, variables, operators)[0], after


def _fetched_assigns(graph: Any, fetches: Any, feeds: Any, variables: Any, operators: Any) -> Any:
    values, _ = _run(graph, fetches, feeds, variables)
    after = {graph[n][1]: values[n] for n in fetches if graph[n][0] == "assign"}
    return [values[name] for name in fetches], {**variables, **after}


def _at_once(graph: Any, fetches: Any, feeds: Any, variables: Any, operators: Any) -> Any:
    held, known = dict(variables), dict(feeds)

    def value(name: str) -> Any:
        kind, *operands = graph[name]
        if kind == "variable" and name not in feeds:
            return held[name]
        if name not in known and kind == "constant":
            known[name] = operands[0]
        elif name not in known:
            known[name] = _ALL[kind](*map(value, operands))
            if kind == "assign":
                held[operands[0]] = known[name]
        return known[name]

    return [value(name) for name in fetches], held


def _nothing_kept(graph: Any, fetches: Any, feeds: Any, variables: Any, operators: Any) -> Any:
    return right_step(graph, fetches, feeds, variables, operators)[0], dict(variables)


def _only_written(graph: Any, fetches: Any, feeds: Any, variables: Any, operators: Any) -> Any:
    values, written = _run(graph, fetches, feeds, variables)
    after = {graph[name][1]: values[name] for name in written}
    return [values[name] for name in fetches], after


def _old_value(graph: Any, fetches: Any, feeds: Any, variables: Any, operators: Any) -> Any:
    known = {**variables, **feeds}
    values = values_of(graph, fetches, known, {**_ALL, "assign": lambda old, new: old})
    after = right_step(graph, fetches, feeds, variables, operators)[1]
    return [values[name] for name in fetches], after


STEP = Task(
    "02_static_dynamic",
    "step",
    5,
    (
        "A variable has a value when the step begins. What is it like, of all that you know?",
        "An assign runs, and afterwards another node reads the variable. Which value must it see?",
        "Which assigns are needed by the fetches? You have a function that can tell.",
    ),
    (
        Mistake(
            "writes at once",
            _at_once,
            "A read sees the value from before the step. Keep new values aside until the end.",
        ),
        Mistake(
            "runs every assign",
            _all_assigns,
            "An assign is a node like any other: it runs only if a fetch depends on it.",
        ),
        Mistake(
            "writes only what is fetched",
            _fetched_assigns,
            "An assign that a fetch depends on has run as well, so it is written.",
        ),
        Mistake(
            "nothing is kept",
            _nothing_kept,
            "The new values are lost: the second result is the variables after the step.",
        ),
        Mistake(
            "gives only what was written",
            _only_written,
            "A variable that is not assigned keeps its value, and is still there.",
        ),
        Mistake(
            "an assign gives the old value",
            _old_value,
            "The value of an assign is the new one, for whoever reads the assign itself.",
        ),
    ),
)
TASKS = (STEP,)


def step_cases() -> Any:
    """Give a strategy for `StepCase`: some inputs are variables, and some have an assign."""
    from hypothesis import strategies as st

    drawn, flag, place = plain_cases.graphs(most=5), st.booleans(), st.integers(0, 99)

    @st.composite
    def build(draw: Any) -> StepCase:
        case = draw(drawn)
        graph, feeds, variables = placeholders(case.graph), dict(case.feeds), {}
        names, fetches = list(graph), [case.output]
        for name in case.feeds:
            if name == next(iter(case.feeds)) or draw(flag):
                graph[name] = ("variable",)
                variables[name] = feeds.pop(name)
        for name in variables:
            graph[f"set_{name}"] = ("assign", name, names[draw(place) % len(names)])
            if draw(flag):
                fetches.insert(draw(place) % 2, f"set_{name}")
            elif draw(flag):
                graph[f"after_{name}"] = ("add", f"set_{name}", name)
                fetches.append(f"after_{name}")
        return StepCase(graph, fetches, feeds, variables)

    return build()


def step(candidate: object, *, seed: int = SEED) -> Score:
    """Check one step after another of graphs with variables.

    Parameters
    ----------
    candidate
        `step(graph, fetches, feeds, variables, operators)`; gives results and variables.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found on which it is wrong.
    """
    exam = Exam(STEP, candidate, seed)
    count: StaticGraph = {
        "count": ("variable",),
        "one": ("constant", 1),
        "next": ("add", "count", "one"),
        "set_count": ("assign", "count", "next"),
    }
    exam.require(_probe(exam, StepCase(count, ["count"], {}, {"count": 3})))
    exam.search(step_cases(), lambda case: _probe(exam, case), tries=200)
    exam.require(_three_steps(exam, StepCase(count, ["set_count", "count"], {}, {"count": 3})))
    return STEP.passed(
        "right on 200 graphs with variables: reads see the value from before, only assigns that "
        "are needed are written, and nothing that was given is changed"
    )


def _probe(exam: Exam, case: StepCase) -> Fault | None:
    right = right_step(case.graph, case.fetches, case.feeds, case.variables, OPERATORS)
    return exam.examine(
        (case.graph, case.fetches, case.feeds, case.variables, dict(OPERATORS)),
        right,
        called=f"step(graph, {case.fetches}, {case.feeds}, {case.variables}, operators)",
        why="Go through the graph by hand: first all values, then what is written.",
        drawing=case.drawing(),
    )


def _three_steps(exam: Exam, case: StepCase) -> Fault | None:
    """Run three steps, each on what the one before left."""
    for number in range(3):
        fault = _probe(exam, replace(case, variables={"count": 3 + number}))
        if fault is not None:
            return fault
    return None
