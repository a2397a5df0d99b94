"""Tasks 15 to 17 of assignment 01: find the fault in code and in a drawing; write a test.

    mended_backward(graph, values, output, rules, seed)  ──►  gradients, all paths added
    lost_biases        ──►  what a drawn network without biases lacks
    broadcast_test     ──►  must accept right functions and reject 24 wrong ones

Invariants: the student's test is run on functions by name of their behavior, never on their code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cgkit.checks.answers import read_dict
from cgkit.checks.cases import Case, evaluate_plainly, graphs, needed
from cgkit.checks.graphs import shape_mistakes, shape_traps
from cgkit.checks.graphs.shapes import right_broadcast
from cgkit.checks.judge import Raises
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import same, show
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.checks.verdicts import Subject, try_test
from cgkit.score import Score
from cgkit.words import counted

Shape = tuple[int, ...]
Function = Callable[[Shape, Shape], Shape]

_RULES: Mapping[str, Callable[..., tuple[int, ...]]] = {
    "add": lambda upstream, a, b: (upstream, upstream),
    "subtract": lambda upstream, a, b: (upstream, -upstream),
    "multiply": lambda upstream, a, b: (upstream * b, upstream * a),
    "negate": lambda upstream, a: (-upstream,),
}


def right_backward(
    graph: Mapping[str, tuple[Any, ...]], values: Any, output: str, rules: Any, seed: Any
) -> dict[str, Any]:
    """Go backward through a graph whose nodes stand in topological order.

    Examples
    --------
    >>> graph = {"x": ("input",), "z": ("add", "x", "x")}
    >>> right_backward(graph, {"x": 3, "z": 6}, "z", _RULES, 1)
    {'z': 1, 'x': 2}
    """
    gradients = {output: seed}
    for name in reversed(list(graph)):
        kind, *operands = graph[name]
        if kind not in ("input", "constant"):
            shares = rules[kind](gradients[name], *(values[operand] for operand in operands))
            for operand, share in zip(operands, shares, strict=True):
                gradients[operand] = gradients.get(operand, 0) + share
    return gradients


def _replaced(graph: Any, values: Any, output: str, rules: Any, seed: Any) -> dict[str, Any]:
    gradients = {output: seed}
    for name in reversed(list(graph)):
        kind, *operands = graph[name]
        if kind not in ("input", "constant"):
            shares = rules[kind](gradients[name], *(values[operand] for operand in operands))
            gradients.update(zip(operands, shares, strict=True))
    return gradients


def _seed_ignored(graph: Any, values: Any, output: str, rules: Any, seed: Any) -> dict[str, Any]:
    return right_backward(graph, values, output, rules, 1)


def _seed_last(graph: Any, values: Any, output: str, rules: Any, seed: Any) -> dict[str, Any]:
    gradients = right_backward(graph, values, output, rules, 1)
    return {**gradients, output: seed}


def _upstream_ignored(
    graph: Any, values: Any, output: str, rules: Any, seed: Any
) -> dict[str, Any]:
    blind = {name: _with_upstream_1(rule) for name, rule in rules.items()}
    return right_backward(graph, values, output, blind, seed)


def _with_upstream_1(rule: Callable[..., Any]) -> Callable[..., Any]:
    return lambda upstream, *operands: rule(1, *operands)


def _forward(graph: Any, values: Any, output: str, rules: Any, seed: Any) -> dict[str, Any]:
    return right_backward(dict(reversed(graph.items())), values, output, rules, seed)


def _forward_from_0(graph: Any, values: Any, output: str, rules: Any, seed: Any) -> dict[str, Any]:
    gradients = dict.fromkeys(graph, 0) | {output: seed}
    for name, (kind, *operands) in graph.items():
        if kind in rules:
            shares = rules[kind](gradients[name], *(values[operand] for operand in operands))
            for operand, share in zip(operands, shares, strict=True):
                gradients[operand] += share
    return gradients


_WALK = (
    "A node's gradient is whole only after all its readers, and they stand behind it: walk from "
    "the last node to the first."
)

MENDED = Task(
    "01_graphs",
    "mended_backward",
    5,
    (
        "Take z = x + x. Which lines of the code write into gradients['x'], and how often?",
        "The second time a share arrives at x: what has become of the first?",
    ),
    (
        Mistake(
            "missing accumulation",
            _replaced,
            "A value with two readers was told twice, and only the last was kept: "
            "its gradient was replaced, not added to.",
        ),
        Mistake(
            "the seed is ignored",
            _seed_ignored,
            "The gradient at the output is seed, and it need not be 1.",
        ),
        Mistake(
            "the seed is used at the output only",
            _seed_last,
            "The seed must be there before the walk begins, so that it scales every gradient.",
        ),
        Mistake(
            "upstream gradient ignored",
            _upstream_ignored,
            "A rule is told the gradient of its own result; that is gradients[name], not 1.",
        ),
        Mistake("walks forward", _forward, _WALK),
        Mistake("walks forward", _forward_from_0, _WALK),
    ),
)
LOST = Task(
    "01_graphs",
    "lost_biases",
    2,
    (
        "A layer is x @ W + b. Which of its three names do you find in the drawing?",
        "A layer gives 256 numbers. How many biases does it add to them?",
    ),
)
PROPERTY = Task(
    "01_graphs",
    "broadcast_test",
    8,
    (
        "Which shapes come out the same whichever operand stands first? Can a test say that?",
        "Your test looks at shapes that fit. What must happen with shapes that do not?",
        "Which pairs tell the right end from the left end? Which have a 0, or no size at all?",
    ),
)
TASKS = (MENDED, LOST, PROPERTY)


def mended_backward(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's mended backward walk.

    Parameters
    ----------
    candidate
        `mended_backward(graph, values, output, rules, seed)`; gives a dict of gradients.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found on which it is wrong.
    """
    from hypothesis import strategies as st

    exam = Exam(MENDED, candidate, seed)

    def probe(drawn: tuple[Case, int]) -> Fault | None:
        case, upstream = needed(drawn[0]), drawn[1]
        values = evaluate_plainly(case)
        right = right_backward(case.graph, values, case.output, _RULES, upstream)
        notes = {name: f"gradient {value}" for name, value in right.items()}
        return exam.examine(
            (case.graph, values, case.output, dict(_RULES), upstream),
            right,
            called=f"mended_backward(graph, values, {case.output!r}, rules, seed={upstream})",
            why="A gradient is another one; go backward through the graph by hand.",
            drawing=list_graph(case.graph, _shared(case), notes),
        )

    strategy = st.tuples(graphs(tuple(_RULES), ordered=True), st.sampled_from((1, 2, -3)))
    exam.search(strategy, probe, tries=150)
    return MENDED.passed("right on 150 graphs with shared values, and for seeds that are not 1")


def _shared(case: Case) -> list[str]:
    reads = [
        one for kind, *rest in case.graph.values() if kind not in ("constant",) for one in rest
    ]
    return [name for name in case.graph if reads.count(name) > 1]


def lost_biases(answers: object, *, seed: int = SEED) -> Score:
    """Check what a student found missing in a drawing without biases.

    Parameters
    ----------
    answers
        A dict: the name of each missing parameter to its shape.
    seed
        Not used: the drawing is fixed.

    Raises
    ------
    CheckFailed
        Nothing is right.
    """
    right = {"b1": (256,), "b2": (10,)}
    why = "lost_biases is a dict: the name of each missing parameter, and its shape."
    given = read_dict(LOST, answers, "a dict", why)
    wrong = [name for name, shape in right.items() if not same(given.get(name), shape, 0)]
    extra = sorted(str(name) for name in given if name not in right)
    if not wrong and not extra:
        return LOST.passed("both biases found, with their shapes")
    why = _bias_why(wrong[0], given, right) if wrong else _extra_why(extra[0])
    expected = "two parameters of part C, each with its shape"
    fault = Fault("values", "lost_biases", show(given), expected, why)
    found = len(right) - len(wrong)
    verb = "is" if found == 1 else "are"
    spare = max(0, len(extra) - len(wrong))
    more = f", and {spare} too many" if spare else ""
    right_ones = max(0, found - spare)
    return LOST.partly(right_ones, len(right), f"{found} of 2 {verb} right{more}", fault)


def _bias_why(name: str, given: dict[Any, Any], right: Mapping[str, Shape]) -> str:
    """Say what is wrong with one of the two biases."""
    shape = given.get(name)
    if any(str(other).lower() == name and other != name for other in given):
        return f"The names are those of part C, and small and capital letters differ: {name}."
    if name not in given:
        named = [str(other) for other in given if other not in right]
        told = f" {named[0]} is none of those that are missing." if named else ""
        return f"Only the names of part C count, and not all that are missing are here.{told}"
    if same(shape, right[name][0], 0) or same(shape, list(right[name]), 0):
        return f"{name} has the right size, but a shape is a tuple, such as (3,)."
    if not isinstance(shape, tuple):
        return f"The shape of {name} should be a tuple, such as (3,)."
    if len(shape) != 1:
        return f"A bias has one axis. {show(shape)} has {counted(len(shape), 'axis', 'axes')}."
    return f"A bias has one number for each output of its layer; look at {name} again."


def _extra_why(name: str) -> str:
    return f"Both biases are right, and {name} is one too many: is it really missing?"


# the student's own test


def _right_by_padding(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    shape = right_broadcast(a, b)
    if isinstance(shape, Raises):
        raise ValueError(shape.because)
    return shape


def broadcast_test(candidate: object, *, seed: int = SEED) -> Score:
    """Run a student's test on right and on wrong functions.

    Parameters
    ----------
    candidate
        `broadcast_test(broadcast_shape)`; raises AssertionError when the function is wrong.
    seed
        Decides in which order it is asked.

    Raises
    ------
    CheckFailed
        It rejects a right function, or accepts nearly every wrong one.
    """
    rights = [_subject(function) for function in (_right_by_padding, shape_mistakes.broadcast)]
    wrong = [_subject(one.algorithm, one.name, one.why) for one in shape_traps.WRONG]
    return try_test(PROPERTY, candidate, seed, rights, wrong)


def _subject(function: Callable[..., object], name: str = "", why: str = "") -> Subject:
    return Subject((_nameless(function),), name, why)


def _nameless(function: Callable[..., object]) -> Function:
    """Give a function under the name of the task: its own would tell whether it is right."""

    def broadcast_shape(a: Shape, b: Shape) -> Shape:
        return function(a, b)  # type: ignore[return-value]

    return broadcast_shape
