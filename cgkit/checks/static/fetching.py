"""Tasks 4 and 5 of notebook 02b: fetches as the asker nests them, and refusals in words.

    run(graph, {"loss": "l", "both": ["a", "b"]}, ...)  ──►  {"loss": 2, "both": [1, 3]}
    run(graph, "l", {}, ...)                            ──►  ValueError: 'images' is not fed

Invariants: all fetches of a run share their work; a run that is refused has computed nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cgkit.checks.counter import Counter
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import show
from cgkit.checks.plain_graphs import values_of
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.static.cases import Case, StaticGraph, cases
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score
from cgkit.words import counted

Nest = Any


_FORMS: Mapping[int, Callable[[list[Any]], Any]] = {
    3: list,
    4: tuple,
    5: lambda parts: dict(zip(("loss", "both", "x"), parts, strict=False)),
}


def rebuilt(nest: Nest, values: Any) -> Any:
    """Put values in the place of names, in lists, tuples and dicts however deep.

    Examples
    --------
    >>> rebuilt({"k": ["a", ("b",)]}, {"a": 1, "b": 2})
    {'k': [1, (2,)]}
    """
    if isinstance(nest, dict):
        return {key: rebuilt(item, values) for key, item in nest.items()}
    if isinstance(nest, list | tuple):
        return type(nest)(rebuilt(item, values) for item in nest)
    return values[nest]


def leaves(nest: Nest) -> list[str]:
    """List the names in a nest of fetches.

    Examples
    --------
    >>> leaves({"k": ["a", ("b",)]})
    ['a', 'b']
    """
    if isinstance(nest, dict):
        return [name for item in nest.values() for name in leaves(item)]
    if isinstance(nest, list | tuple):
        return [name for item in nest for name in leaves(item)]
    return [nest]


def _values(graph: Any, nest: Nest, feeds: Any, operators: Any) -> Any:
    return values_of(graph, leaves(nest), feeds, operators)


def _flat(graph: Any, nest: Nest, feeds: Any, operators: Any) -> Any:
    values = _values(graph, nest, feeds, operators)
    return values[nest] if isinstance(nest, str) else [values[name] for name in leaves(nest)]


def _by_name(graph: Any, nest: Nest, feeds: Any, operators: Any) -> Any:
    values = _values(graph, nest, feeds, operators)
    return values[nest] if isinstance(nest, str) else {name: values[name] for name in leaves(nest)}


def _lists(graph: Any, nest: Nest, feeds: Any, operators: Any) -> Any:
    def listed(part: Nest) -> Any:
        if isinstance(part, dict):
            return {key: listed(item) for key, item in part.items()}
        return [*map(listed, part)] if isinstance(part, list | tuple) else part

    return rebuilt(listed(nest), _values(graph, nest, feeds, operators))


def _one_level(graph: Any, nest: Nest, feeds: Any, operators: Any) -> Any:
    values = _values(graph, nest, feeds, operators)
    if isinstance(nest, dict):
        return {key: values[item] for key, item in nest.items()}
    return values[nest] if isinstance(nest, str) else type(nest)(values[item] for item in nest)


NESTED = Task(
    "02_static_dynamic",
    "run_nested",
    4,
    (
        "Which names are in the nest, when you forget how it is nested?",
        "You have a value for each name. How do you build {'k': [a, b]} again, whatever is in it?",
        "Three fetches read the same value. How often is it computed?",
    ),
    (
        Mistake(
            "flat fetches",
            _flat,
            "The values come back in one list. They should be nested as the names were.",
        ),
        Mistake(
            "fetches by name",
            _by_name,
            "The values come back by the names of nodes. They should stand where the names stood.",
        ),
        Mistake("a tuple becomes a list", _lists, "A tuple of names becomes a tuple of values."),
        Mistake(
            "one level only",
            _one_level,
            "A nest may hold nests, however deep.",
        ),
    ),
    calls="run",
)
REFUSES = Task(
    "02_static_dynamic",
    "run_refuses",
    3,
    (
        "Who calls run with a missing feed, and which word would help them most?",
        "When do you know that a feed is missing: before the first operator, or in the middle?",
        "What can be wrong with a name that is fed, and with a name that is fetched?",
    ),
    calls="run",
)
TASKS = (NESTED, REFUSES)


def nests() -> Any:
    """Give a strategy for a `Case` with a nest of its fetches."""
    from hypothesis import strategies as st

    drawn, place = cases(most_fetches=3, feed_all=True), st.integers(0, 99)
    form, size = st.integers(0, 5), st.integers(0, 3)

    def nest(draw: Any, names: Sequence[str], depth: int) -> Nest:
        kind = draw(form) if depth < 3 else 0  # 0 is the simplest: a name
        if kind not in _FORMS:
            return names[draw(place) % len(names)]
        parts = [nest(draw, names, depth + 1) for _ in range(draw(size))]
        return _FORMS[kind](parts)

    @st.composite
    def build(draw: Any) -> tuple[Case, Nest]:
        case = draw(drawn)
        return case, nest(draw, case.fetches, 0)

    return build()


def run_nested(candidate: object, *, seed: int = SEED) -> Score:
    """Check nested fetches; that they share their work gives the last point.

    Parameters
    ----------
    candidate
        `run(graph, fetches, feeds, operators)`.
    seed
        Decides the hidden graphs and nests.

    Raises
    ------
    CheckFailed
        With the smallest nest found that comes back wrong.
    """
    exam = Exam(NESTED, candidate, seed)
    strategy = nests()
    exam.search(strategy, lambda drawn: _probe_nest(exam, *drawn), tries=150)
    words = "nested as asked for, on 150 nests: lists, tuples, dicts, empty ones, names that repeat"
    fault = exam.smallest(strategy, lambda drawn: _probe_shared(exam, *drawn), tries=80)
    if fault is not None:
        return NESTED.partly(3, 4, f"{words}; but work is done twice", fault)
    return NESTED.passed(f"{words}; and what several fetches need is computed once")


def _probe_nest(exam: Exam, case: Case, nest: Nest) -> Fault | None:
    counter = Counter(limit=5_000)
    return exam.examine(
        (case.graph, nest, case.feeds, counter.operators),
        rebuilt(nest, case.values()),
        called=f"run(graph, {show(nest, 120)}, {case.feeds}, operators)",
        why="Each name should be replaced by its value, and the nest should stay as it is.",
        drawing=case.drawing(leaves(nest)),
    )


def _probe_shared(exam: Exam, case: Case, nest: Nest) -> Fault | None:
    counter = Counter(limit=5_000)
    asked = replace(case, fetches=leaves(nest))
    most = len(asked.needed())
    called = f"run(graph, {show(nest, 120)}, {case.feeds}, operators)"
    right = rebuilt(nest, case.values())
    fault = exam.examine((case.graph, nest, case.feeds, counter.operators), right, called=called)
    if counter.calls <= most:
        return fault
    return Fault(
        "cost",
        called,
        f"{counted(counter.calls, 'call')} of operators",
        f"at most {most:,}",
        "What two fetches need is computed for each of them. All fetches share one run.",
        misconception="a run for each fetch",
        drawing=asked.drawing(sorted(asked.needed())),
    )


# refusals

_NAMES = ("images", "labels", "pressure", "weights", "signal", "velocity", "mass", "rate")


@dataclass(frozen=True)
class _Refusal:
    """One call that must be refused, and the name that the sentence must hold."""

    graph: StaticGraph
    fetches: Nest
    feeds: dict[str, int]
    name: str
    why: str


def _refusals(draw: random.Random, *, far: bool) -> list[_Refusal]:
    """Draw one refusal of each of three kinds; what is not fed stands far from p, or near."""
    one, two, spare, unknown, strange = draw.sample(_NAMES, 5)
    graph: StaticGraph = {
        one: ("placeholder",),
        two: ("placeholder",),
        spare: ("placeholder",),
        "s": ("negate", one),
        "p": ("multiply", "s", two),
    }
    feeds = {one: draw.randint(1, 9), two: draw.randint(1, 9)}
    forms: list[Nest] = ["p", {"loss": ("p",)}, ["s", "p"]]
    fetches = draw.choice(forms[:2] if far else forms)
    missing = one if far else two
    return [
        _Refusal(
            graph,
            fetches,
            {name: value for name, value in feeds.items() if name != missing},
            missing,
            f"The placeholder {missing} is needed, and it is not fed.",
        ),
        _Refusal(
            graph,
            draw.choice([unknown, ["s", unknown]]),
            feeds,
            unknown,
            f"The graph has no node {unknown}, and it is fetched.",
        ),
        _Refusal(
            graph,
            fetches,
            {**feeds, strange: 1},
            strange,
            f"The graph has no node {strange}, and it is fed.",
        ),
    ]


def run_refuses(candidate: object, *, seed: int = SEED) -> Score:
    """Check that a run refuses, in words and before it computes; each kind gives a point.

    Parameters
    ----------
    candidate
        `run(graph, fetches, feeds, operators)`.
    seed
        Decides the names.

    Raises
    ------
    CheckFailed
        It refuses nothing as asked.
    """
    exam = Exam(REFUSES, candidate, seed)
    draw = random.Random(seed)
    rounds = [_refusals(draw, far=bool(number % 2)) for number in range(6)]
    faults = [
        next(filter(None, (_probe_refusal(exam, one) for one in kind)), None)
        for kind in zip(*rounds, strict=True)
    ]
    first = next(filter(None, faults), None)
    if first is None:
        return REFUSES.passed(
            "refuses a missing feed, an unknown fetch and an unknown feed by name, before it runs"
        )
    found = faults.count(None)
    words = f"{found} of 3 kinds of wrong calls are refused in words"
    return REFUSES.partly(found, 3, words, first)


def _probe_refusal(exam: Exam, case: _Refusal) -> Fault | None:
    counter = Counter(limit=100)
    called = f"run(graph, {case.fetches!r}, {case.feeds}, operators)"
    arguments = (case.graph, case.fetches, case.feeds, counter.operators)
    wanted = f"raise ValueError with {case.name!r} in its message"
    drawing = list_graph(case.graph, [case.name] if case.name in case.graph else ())

    def accepted(value: object) -> Fault:
        return Fault("values", "", f"{show(value)}, and no error", wanted, case.why)

    outcome = exam.call(arguments, called=called)
    if not isinstance(outcome, ValueError):
        if isinstance(outcome, KeyError | IndexError | TypeError):
            why = f"{case.why} A {type(outcome).__name__} says that only to you."
            got = f"{type(outcome).__name__}: {_words_of(outcome)}"
            name = "a KeyError in the place of a sentence"
            return Fault("type", called, got, wanted, why, misconception=name, drawing=drawing)
        return exam.inspect(arguments, accepted, wanted, called=called, drawing=drawing)
    if case.name not in _words_of(outcome):
        got, why = f"ValueError: {_words_of(outcome)}", "The message does not say which name it is."
        return Fault("values", called, got, wanted, why, drawing=drawing)
    if counter.calls:
        got = f"the refusal, after {counted(counter.calls, 'call')} of operators"
        why = "Look at all names first. A run may take hours, and this one could not succeed."
        name = "computes before it refuses"
        return Fault("cost", called, got, "no call", why, misconception=name, drawing=drawing)
    return None


def _words_of(error: BaseException) -> str:
    try:
        return str(error)[:200]
    except Exception:  # a student's own exception may fail to print itself
        return ""
