"""Tasks 7 and 8 of notebook 02b: trace a function, and say what a trace keeps.

    trace(program, ["x", "y"])  ──►  (graph, output)      program(apply, x, y) has run once

Invariants: graphs are compared by what they compute and by how many operators they hold, so any
names will do; a program is always called `program`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cgkit.checks.answers import read_dict
from cgkit.checks.cases import OPERATORS
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import describe, same, show
from cgkit.checks.plain_graphs import SOURCES, values_of
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.static.reading import GraphFault, read_graph
from cgkit.checks.task import Fault, Task
from cgkit.score import Score
from cgkit.words import counted

_ARITIES = {name: 1 if name == "negate" else 2 for name in OPERATORS}
_FEEDS = ((2, 3, 5), (-1, 0, 4), (7, -2, -3))
#: a student's own names are likely among these
_INPUTS = ("x", "y", "a", "n0", "n1", "n2", "v0", "v1", "v2", "t1", "t2", "c0", "node1", "0", "1")

TRACE = Task(
    "02_static_dynamic",
    "trace",
    5,
    (
        "Who calls apply, and what do they do with what it gives?",
        "apply('multiply', 'x', 2.0): which nodes does the graph need, and what is each called?",
        "Can a name that you make up be there already?",
    ),
)
FACTS = Task(
    "02_static_dynamic",
    "trace_facts",
    2,
    (
        "Which lines run while tracing, and which of them call apply?",
        "What does the graph hold for scale: a name that is looked up later, or a number?",
    ),
)
TASKS = (TRACE, FACTS)

#: the place of an earlier value, or a number, which stands in a tuple by itself
Operand = int | tuple[int | float]
Step = tuple[str, tuple[Operand, ...]]


@dataclass(frozen=True)
class Program:
    """A straight program: each step applies an operator to earlier values or to numbers."""

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    #: the program may return a number, too
    result: Operand

    def run(self, apply: Callable[..., Any], *given: Any) -> Any:
        """Run it on whatever `apply` understands."""
        values = list(given)

        def read(one: Operand) -> Any:
            return one[0] if isinstance(one, tuple) else values[one]

        for kind, operands in self.steps:
            values.append(apply(kind, *map(read, operands)))
        return read(self.result)

    def text(self) -> str:
        """Write it as Python.

        Examples
        --------
        >>> print(Program(("x",), (("add", (0, (2.0,))),), 1).text())
        def program(apply, x):
            a = apply('add', x, 2.0)
            return a
        """
        names = [name if name.isidentifier() else f"in{name}" for name in self.inputs]
        head = f"def program({', '.join(['apply', *names])}):"
        spare = [letter for letter in "abcdefgh" if letter not in names]
        names += spare[: len(self.steps)]

        def read(one: Operand) -> str:
            return repr(one[0]) if isinstance(one, tuple) else names[one]

        lines = [
            f"    {names[len(self.inputs) + at]} = apply({', '.join([repr(kind), *map(read, of)])})"
            for at, (kind, of) in enumerate(self.steps)
        ]
        return "\n".join([head, *lines, f"    return {read(self.result)}"])


def programs() -> Any:
    """Give a strategy for `Program`."""
    from hypothesis import strategies as st

    kinds, place, length = (
        st.sampled_from(tuple(OPERATORS)),
        st.integers(0, 99),
        st.integers(0, 4),
    )
    number, rare = st.sampled_from((2.0, 1.0, 3, 0.0, -1, -3.5)), st.integers(0, 3)

    @st.composite
    def build(draw: Any) -> Program:
        few = draw(st.integers(1, 3))
        inputs = tuple(draw(st.lists(st.sampled_from(_INPUTS), min_size=few, max_size=few,
                                     unique=True)))  # fmt: skip
        steps: list[Step] = []

        def operand() -> Operand:
            known = len(inputs) + len(steps)
            of: int = known - 1 - draw(place) % known
            return (draw(number),) if draw(rare) == 3 else of

        for _ in range(draw(length)):
            kind = draw(kinds)
            steps.append((kind, tuple(operand() for _ in range(_ARITIES[kind]))))
        return Program(inputs, tuple(steps), operand())

    return build()


def trace(candidate: object, *, seed: int = SEED) -> Score:
    """Check the graphs that a student's `trace` makes of programs.

    Parameters
    ----------
    candidate
        `trace(program, inputs)`; gives a graph and the name of its output.
    seed
        Decides the hidden programs.

    Raises
    ------
    CheckFailed
        With the smallest program found whose graph is wrong.
    """
    exam = Exam(TRACE, candidate, seed)
    exam.search(programs(), lambda program: _probe(exam, program), tries=120)
    return TRACE.passed(
        "right on 120 programs: numbers become constants, shared values stay shared, no name is "
        "taken twice, and each program ran once"
    )


def _probe(exam: Exam, case: Program) -> Fault | None:
    runs, applied = [0], [0]
    strange: list[Fault] = []

    def named(value: Any, who: str) -> Any:
        if type(value) is not str:
            why = f"{who} {describe(value)}. Names stand in the place of values, and are texts."
            strange.append(Fault("type", "", describe(value), "the name of a node", why))
        return value

    def program(apply: Callable[..., Any], *given: Any) -> Any:
        runs[0] += 1

        def noted(kind: str, *operands: Any) -> Any:
            applied[0] += 1
            return named(apply(kind, *operands), "Your apply gave")

        return case.run(noted, *(named(value, "The program was handed") for value in given))

    called = f"trace(program, {list(case.inputs)})"
    fault = exam.inspect(
        (program, list(case.inputs)),
        lambda given: _verdict(given, case, runs[0], applied[0]),
        "a tuple: a graph, and the name of its output",
        called=called,
        drawing=case.text(),
    )
    if strange and not (fault and fault.unanswered):
        return replace(strange[0], called=called, drawing=case.text())
    return fault


def _verdict(given: object, case: Program, runs: int, applied: int) -> Fault | None:
    """Say what is wrong with what a trace gave."""
    if not isinstance(given, tuple) or len(given) != 2:
        why = "trace should give a tuple of two: the graph, and the name of its output."
        return Fault("type", "", show(given), "", why)
    graph, output = given
    taken = [name for name in case.inputs if isinstance(graph, dict) and name in graph]
    replaced = [name for name in taken if graph[name] != ("placeholder",)]
    if replaced:
        why = f"{replaced[0]!r} is an input, and its node was replaced by another one."
        return _shown(why, given, case, "a name that was taken")
    try:
        read = read_graph(graph, _ARITIES)
    except GraphFault as fault:
        return _shown(fault.why, given, case, fault.misconception)
    for name in case.inputs:
        if name not in read:
            return _shown(f"The input {name!r} has no node in the graph.", given, case)
    if not isinstance(output, str) or output not in read:
        why = f"The second part should be the name of a node, and it is {show(output, 60)}."
        number = "a number in the place of a name" if type(output) in (int, float) else ""
        return _shown(why, given, case, number)
    return _values(given, read, case) or _frugal(given, read, case, runs, applied)


def _values(given: Any, read: Any, case: Program) -> Fault | None:
    """Run the graph and the program on some numbers."""
    for numbers in _FEEDS:
        fed = dict(zip(case.inputs, numbers, strict=False))
        right = case.run(lambda kind, *operands: OPERATORS[kind](*operands), *fed.values())
        found = values_of(read, [given[1]], fed, OPERATORS)[given[1]]
        if not same(found, right):
            why = f"For {fed} the program gives {show(right)}, and your graph gives {show(found)}."
            return _shown(why, given, case)
    return None


def _frugal(given: Any, read: Any, case: Program, runs: int, applied: int) -> Fault | None:
    if runs != 1:
        why = f"The program ran {counted(runs, 'time')}. A trace runs it once, on names."
        name = "runs the program again" if runs > 1 else ""
        return _shown(why, given, case, name)
    operators = sum(kind not in SOURCES for kind, *_ in read.values())
    if operators > applied:
        held, calls = counted(operators, "operator"), counted(applied, "call")
        why = f"There were {calls} of apply, and the graph holds {held}. Each call makes one node."
        return _shown(why, given, case, "a value recorded twice")
    return None


def _shown(why: str, given: Any, case: Program, misconception: str = "") -> Fault:
    """Show the program, and what graph came of it."""
    drawing = case.text()
    if isinstance(given[0], dict) and given[0]:
        nodes = {
            str(name): node for name, node in given[0].items() if isinstance(node, tuple) and node
        }
        drawing += "\n\nbecame\n" + list_graph(nodes) if nodes else ""
    return Fault("values", "", show(given, 200), "", why, misconception, drawing)


# what a trace keeps

_RIGHT: Mapping[str, float] = {"python_ran": 1, "operators": 4, "later": 23, "retraced": 53}
_WHY: Mapping[str, str] = {
    "python_ran": "While the graph runs, no line of Python runs. Only tracing calls the function.",
    "operators": "Each call of apply makes one operator. The loop itself leaves nothing behind.",
    "later": "The graph holds the number that scale was while it was traced.",
    "retraced": "A new trace runs Python once more, and Python sees what scale is now.",
}
_SLIPS: Mapping[tuple[str, float], str] = {
    ("python_ran", 100): "Python runs each time",
    ("python_ran", 101): "Python runs each time",
    ("operators", 2): "a loop is recorded once",
    ("later", 53): "a trace looks globals up again",
    ("retraced", 23): "a trace is never made again",
}


def trace_facts(answers: object, *, seed: int = SEED) -> Score:
    """Check what a student says about a traced function; each of four answers gives half a point.

    Parameters
    ----------
    answers
        A dict with the four numbers.
    seed
        Not used: the function is fixed.

    Raises
    ------
    CheckFailed
        Nothing is right.
    """
    why = f"trace_facts is a dict with four numbers: {', '.join(_RIGHT)}."
    given = read_dict(FACTS, answers, "a dict", why)
    wrong = [
        name for name, value in _RIGHT.items() if name not in given or not same(given[name], value)
    ]
    if not wrong:
        return FACTS.passed("a trace keeps operators and numbers, and nothing of Python")
    name = wrong[0]
    value: Any = given.get(name)
    why = _WHY[name] if name in given else f"There is no {name} in it."
    slip = _SLIPS.get((name, value), "") if type(value) in (int, float) else ""
    fault = Fault(
        "values", "trace_facts", f"{name}: {show(value, 40)}", "another number", why, slip
    )
    found = len(_RIGHT) - len(wrong)
    return FACTS.partly(found, len(_RIGHT), f"{found} of 4 are right", fault)
