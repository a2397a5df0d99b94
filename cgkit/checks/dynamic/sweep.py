"""Tasks 8 and 9 of notebook 02a: go backward once, and add up over several times.

    backward(graph, values, order, seed, rules, unbroadcast)  ──►  {"z": seed, "s": ..., "x": ...}
    accumulate(kept, fresh)                                   ──►  {"W": kept + fresh, ...}

Invariants: two operands of one addition are told the same array, so that adding in place shows;
whoever changes an array that others hold is told so, whatever it gives back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.checks.arrays import arrays
from cgkit.checks.dynamic.programs import RULES, Program, fill, programs, right_backward
from cgkit.checks.dynamic.programs import unbroadcast as right_unbroadcast
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import same, show
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_IN_PLACE = "in-place += on a shared array"
_SHARED = (
    "An addition tells both operands the same array. `+=` writes into it, and the other operand's "
    "gradient changes, too. Make a new array: `a + b`."
)
_TRIES = 80


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
    8,
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
        Mistake(_IN_PLACE, _in_place, _SHARED),
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


def _shared_written(fault: Fault) -> Fault:
    """Call it by its name when an array was changed that others hold."""
    if fault.stage != "invariants":
        return fault
    return replace(fault, misconception=_IN_PLACE, why=_SHARED)


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


# adding up over several times


def _fresh_only(kept: Any, fresh: Any) -> Any:
    return {name: fresh.get(name, kept[name]) for name in kept}


def _fresh_or_nothing(kept: Any, fresh: Any) -> Any:
    return {name: fresh.get(name) for name in kept}


def _all_kept(kept: Any, fresh: Any) -> Any:
    result = dict(kept)
    for name, gradient in fresh.items():
        before = result.get(name)
        result[name] = gradient if before is None else before + gradient
    return result


def _forgets_unreached(kept: Any, fresh: Any) -> Any:
    right = _right_sum(kept, fresh)
    return {name: right[name] if name in fresh else None for name in kept}


def _none_as_zero(kept: Any, fresh: Any) -> Any:
    right = _right_sum(kept, fresh)
    return {name: np.asarray(0.0) if value is None else value for name, value in right.items()}


def _right_sum(kept: Any, fresh: Any) -> dict[str, Any]:
    result = {}
    for name, before in kept.items():
        gradient = fresh.get(name)
        both = before is not None and gradient is not None
        one = gradient if before is None else before
        result[name] = np.asarray(before + gradient) if both else one
    return result


ACCUMULATE = Task(
    "02_static_dynamic",
    "accumulate",
    3,
    (
        "Two batches go backward, one after the other, before the parameters are changed. Which "
        "gradient should then be there?",
        "A parameter is not there in `fresh`. Did it lose what it had?",
    ),
    (
        Mistake(
            "replaced instead of added",
            _fresh_only,
            "The gradient of an earlier time is lost: the fresh one must be added to it.",
        ),
        Mistake(
            "replaced instead of added",
            _fresh_or_nothing,
            "What was kept is lost, also where nothing fresh has come.",
        ),
        Mistake(
            "every node kept",
            _all_kept,
            "Only the names in kept are parameters; other nodes keep no gradient.",
        ),
        Mistake(
            "what was not reached is forgotten",
            _forgets_unreached,
            "A parameter that this backward did not reach keeps what it has.",
        ),
        Mistake(
            "nothing counted as 0",
            _none_as_zero,
            "None says that no gradient ever came. That is another thing than a gradient of 0.",
        ),
    ),
)
TASKS = (BACKWARD, ACCUMULATE)


def _stores() -> Any:
    from hypothesis import strategies as st

    shape = st.sampled_from(((2,), (), (2, 2), (0,)))
    start, held = st.integers(0, 6), st.sampled_from(("both", "kept", "fresh", "none"))
    more = st.booleans()

    @st.composite
    def build(draw: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        kept: dict[str, Any] = {}
        fresh: dict[str, np.ndarray] = {}
        for name in ("W", "b", "c"):
            own, where = draw(shape), draw(held)
            kept[name] = fill(own, draw(start)) if where in ("both", "kept") else None
            if where in ("both", "fresh"):
                fresh[name] = fill(own, draw(start) + 2)
        if draw(more):
            fresh["z"] = fill((2,), 1)
        return kept, fresh

    return build()


def accumulate(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `accumulate(kept, fresh)`.

    Parameters
    ----------
    candidate
        Gives a dict with the names of `kept`.
    seed
        Decides the hidden gradients.

    Raises
    ------
    CheckFailed
        With the smallest case found on which it is wrong.
    """
    exam = Exam(ACCUMULATE, candidate, seed)

    def probe(case: tuple[dict[str, Any], dict[str, np.ndarray]]) -> Fault | None:
        why = "Each parameter keeps the sum of all gradients that have come for it."
        fault = exam.examine(case, _right_sum(*case), read=arrays, why=why)
        if fault is not None and fault.stage == "invariants":
            what = "An array that was handed in is another now. Whoever else holds it relies on it."
            return replace(fault, misconception=_IN_PLACE, why=f"{what} Make a new one: `a + b`.")
        return fault

    exam.search(_stores(), probe, tries=_TRIES)
    return ACCUMULATE.passed(
        f"right on {_TRIES} cases: first gradients, later ones, none at all, and no array changed"
    )
