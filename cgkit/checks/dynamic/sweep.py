"""Task 8 of notebook 02a: go backward through what was recorded, however deep it is.

    backward(graph, values, order, seed, rules, unbroadcast)  ──►  {"z": seed, "s": ..., "x": ...}

Invariants: two operands of one addition are told the same array, so that adding in place shows;
whoever changes an array that others hold is told so, whatever it gives back.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.checks.arrays import arrays
from cgkit.checks.counter import TooManyCallsError
from cgkit.checks.depth import deep_fault, in_blocks, shallow
from cgkit.checks.dynamic.programs import RULES, Program, programs, right_backward
from cgkit.checks.dynamic.programs import unbroadcast as right_unbroadcast
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import same, show
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

IN_PLACE = "in-place += on a shared array"
_SHARED = (
    "An addition tells both operands the same array. `+=` writes into it, and the other operand's "
    "gradient changes, too. Make a new array: `a + b`."
)
_TRIES = 80
#: deeper than recursion; each operator is three calls out of the sandbox and back
_DEPTH = 3_000


def _replaced(
    graph: Any, values: Any, order: Any, seed: Any, rules: Any, unbroadcast: Any
) -> dict[str, Any]:
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind != "leaf":
            shares = rules[kind](gradients[name], *(values[one] for one in operands))
            for operand, share in zip(operands, shares, strict=True):
                gradients[operand] = unbroadcast(share, values[operand].shape)
    return gradients


def _in_place(
    graph: Any, values: Any, order: Any, seed: Any, rules: Any, unbroadcast: Any
) -> dict[str, Any]:
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind != "leaf":
            shares = rules[kind](gradients[name], *(values[one] for one in operands))
            for operand, share in zip(operands, shares, strict=True):
                fitted = unbroadcast(share, values[operand].shape)
                if operand in gradients:
                    gradients[operand] += fitted
                else:
                    gradients[operand] = fitted
    return gradients


def _not_unbroadcast(
    graph: Any, values: Any, order: Any, seed: Any, rules: Any, unbroadcast: Any
) -> dict[str, Any]:
    return right_backward(graph, values, order, seed, rules, lambda share, shape: share)


def _ones(
    graph: Any, values: Any, order: Any, seed: Any, rules: Any, unbroadcast: Any
) -> dict[str, Any]:
    return right_backward(graph, values, order, np.ones_like(seed), rules, unbroadcast)


def _upstream_ignored(
    graph: Any, values: Any, order: Any, seed: Any, rules: Any, unbroadcast: Any
) -> dict[str, Any]:
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind != "leaf":
            blind = np.ones_like(values[name])
            shares = rules[kind](blind, *(values[one] for one in operands))
            for operand, share in zip(operands, shares, strict=True):
                fitted = unbroadcast(share, values[operand].shape)
                gradients[operand] = gradients.get(operand, 0) + fitted
    return gradients


def _leaves_only(
    graph: Any, values: Any, order: Any, seed: Any, rules: Any, unbroadcast: Any
) -> dict[str, Any]:
    found = right_backward(graph, values, order, seed, rules, unbroadcast)
    return {name: found[name] for name in order if graph[name][0] == "leaf"}


def _dict_order(
    graph: Any, values: Any, order: Any, seed: Any, rules: Any, unbroadcast: Any
) -> dict[str, Any]:
    turned = [name for name in reversed(graph) if name in order]
    gradients = dict.fromkeys(order, 0) | {order[0]: seed}
    for name in turned:
        kind, *operands = graph[name]
        if kind != "leaf":
            shares = rules[kind](gradients[name], *(values[one] for one in operands))
            for operand, share in zip(operands, shares, strict=True):
                fitted = unbroadcast(np.asarray(share), values[operand].shape)
                gradients[operand] = gradients[operand] + fitted
    return gradients


BACKWARD = Task(
    "02_static_dynamic",
    "backward",
    7,
    (
        "Which gradient do you know before the first step?",
        "A node speaks when its turn comes. What does it hand to its rule, and to whom do the "
        "shares go that come back?",
        "A share arrives at an operand that has one already. And one that has another shape?",
    ),
    (
        Mistake(
            "missing accumulation",
            _replaced,
            "A value with two readers was told twice, and only one was kept: its gradient was "
            "replaced, not added to.",
        ),
        Mistake(IN_PLACE, _in_place, _SHARED),
        Mistake(
            "missing un-broadcast",
            _not_unbroadcast,
            "A share has the shape of the result. A stretched operand needs it un-broadcast.",
        ),
        Mistake(
            "a seed of ones only",
            _ones,
            "The gradient at the output is the seed that was given, and it need not be 1.",
        ),
        Mistake(
            "upstream gradient ignored",
            _upstream_ignored,
            "A rule is told the gradient of its own result; that is gradients[name], not 1.",
        ),
        Mistake(
            "leaves only",
            _leaves_only,
            "The gradient of every node in order is asked for, not that of leaves alone.",
        ),
        Mistake(
            "the order of the dict",
            _dict_order,
            "The dict stands in any order. Walk along `order`: there each node comes after all "
            "its readers.",
        ),
    ),
)

DEEP = Task(
    "02_static_dynamic",
    "backward_deep",
    1,
    (
        "`order` says who comes next. Does your function still ask the graph, or call itself?",
        "A node has two readers. How often does it ask its rule, and how often would do?",
        "Do you look through all of `order` to find the readers of one node?",
    ),
    calls="backward",
)
TASKS = (BACKWARD, DEEP)


def backward(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `backward(graph, values, order, seed, rules, unbroadcast)`.

    Parameters
    ----------
    candidate
        Gives a dict with the gradient of every node in `order`.
    seed
        Decides the hidden programs.

    Raises
    ------
    CheckFailed
        With the smallest program found on which it is wrong.
    """
    exam = Exam(BACKWARD, candidate, seed)

    def probe(case: Program) -> Fault | None:
        order = case.order
        arguments = (
            case.graph, case.values, order, case.seed, dict(RULES), right_unbroadcast,
        )  # fmt: skip
        right = right_backward(case.graph, case.values, order, case.seed, RULES, right_unbroadcast)
        called = f"backward(graph, values, order, seed={show(case.seed, 80)}, rules, unbroadcast)"
        fault = exam.inspect(
            arguments,
            lambda found: _wrong_gradient(case, right, found),
            "a dict: every node in order to its gradient",
            called=called,
            read=arrays,
        )
        if fault is None or fault.drawing:
            return fault and _shared_written(fault)
        return _shared_written(replace(fault, drawing=_drawing(case, right, ())))

    exam.search(programs(), probe, tries=_TRIES)
    return BACKWARD.passed(
        f"right on {_TRIES} programs: values read several times, stretched, of no axes, empty; "
        "for seeds that are not 1; and no array of others was changed"
    )


def backward_deep(candidate: object, *, seed: int = SEED) -> Score:
    """Check that depth does not matter, on 3,000 operators, most of them read twice.

    Parameters
    ----------
    candidate
        `backward(graph, values, order, seed, rules, unbroadcast)`.
    seed
        Decides the order of the dict.

    Raises
    ------
    CheckFailed
        It broke, asked rules again and again, or a gradient is wrong.
    """
    exam, (case, right) = Exam(DEEP, candidate, seed), _deep(seed)
    told = [0]

    def rule(upstream: Any, a: Any, b: Any) -> Any:
        told[0] += 1
        if told[0] > 3 * _DEPTH:  # once for each operand would be wasteful, and no more than that
            raise TooManyCallsError(f"more than {3 * _DEPTH:,} calls of rules")
        return RULES["subtract"](upstream, a, b)

    called = f"backward(graph, values, order, seed, rules, unbroadcast)   {_DEPTH:,} operators"
    first = {name: case.graph[name] for name in ("x", "n0", "n1", "n2")}
    drawing = list_graph(first) + f"\n  ... and so on, {_DEPTH:,} times, in another order"
    arguments = (dict(case.graph), dict(case.values), case.order, case.seed, {"subtract": rule})
    with shallow() as raised:
        fault = exam.inspect(
            (*arguments, right_unbroadcast),
            lambda found: _wrong_gradient(case, right, found),
            "a dict: every node in order to its gradient",
            called=called,
            copies=False,
            read=arrays,
        )
        fault = deep_fault(fault, called, drawing, raised=raised())
    if fault is not None and told[0] > 3 * _DEPTH:
        why = "A node asks its rule once, when all its readers have spoken; here it asked for each."
        fault = replace(fault, why=why, stage="cost", misconception="once for each path")
    exam.require(fault)
    return DEEP.passed(f"right on {_DEPTH:,} operators in a row, without recursion")


@functools.lru_cache(maxsize=4)
def _deep(seed: int) -> tuple[Program, Mapping[str, np.ndarray]]:
    """Draw the program and go through it backward, once for all; nobody may change it."""
    graph: dict[str, tuple[str, ...]] = {"x": ("leaf",), "n0": ("subtract", "x", "x")}
    values = {"x": np.asarray(2.0), "n0": np.asarray(0.0)}
    before = "x"
    for number in range(1, _DEPTH):
        name, last = f"n{number}", f"n{number - 1}"
        graph[name] = ("subtract", last, before)  # which keeps values and gradients small
        values[name], before = values[last] - values[before], last
    shuffled = in_blocks(random.Random(seed), graph)
    case = Program(shuffled, values, f"n{_DEPTH - 1}", np.asarray(3.0))
    right = right_backward(case.graph, values, case.order, case.seed, RULES, right_unbroadcast)
    return case, right


def _shared_written(fault: Fault) -> Fault:
    """Call it by its name when an array was changed that others hold."""
    if fault.stage != "invariants":
        return fault
    return replace(fault, misconception=IN_PLACE, why=_SHARED)


def _wrong_gradient(case: Program, right: Mapping[str, np.ndarray], found: object) -> Fault | None:
    """Find the first node, from the output on, whose gradient is wrong."""
    if not isinstance(found, dict):
        why = "backward should give a dict: the name of each node to its gradient."
        return Fault("type", "", show(found, 120), "a dict of arrays", why)
    for name, gradient in right.items():
        if name not in found:
            why = f"{name} is in order, and the dict holds no gradient for it."
            return _fault("shape", found, gradient, name, why, case, right)
        if same(found[name], gradient):
            continue
        given = found[name]
        if isinstance(given, np.ndarray) and given.shape != gradient.shape:
            why = f"A gradient has the shape of its value, and {name} has shape {gradient.shape}."
            return _fault("shape", given, gradient, name, why, case, right)
        why = f"The gradient of {name} is another one. Which readers does it have?"
        return _fault("values", given, gradient, name, why, case, right)
    extra = [str(name) for name in found if name not in right]
    if extra:
        why = f"The dict holds {extra[0]}, which is not in order."
        return _fault("shape", found, right[case.output], case.output, why, case, right)
    return None


def _fault(
    stage: str,
    got: object,
    expected: np.ndarray,
    name: str,
    why: str,
    case: Program,
    right: Mapping[str, np.ndarray],
) -> Fault:
    drawing = _drawing(case, right, (name,))
    return Fault(stage, "", show(got, 200), f"for {name}: {show(expected)}", why, "", drawing)


def _drawing(case: Program, right: Mapping[str, np.ndarray], marked: tuple[str, ...]) -> str:
    notes = {name: f"shape {case.values[name].shape}" for name in right}
    graph = {name: case.graph[name] for name in reversed(case.order)}
    return list_graph(graph, marked, notes)
