"""Tasks 10 to 12 of assignment 01: forward and backward by hand, and the rules behind them.

    x = 4 ─┬──► s = x + y ──┐
           ├──► p = x * y ──┴──► m = s * p ──┐
           └──► l = log(x) ──────────────────┴──► z = m + l        y = 2 goes to s and p

Invariants: numbers are answers in a dict, one for each node, and each counts; rules are functions
(upstream, *operands) and are called with upstream gradients that are not 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cgkit.checks.answers import read_dict
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import describe, same, show
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

GRAPH: Mapping[str, tuple[object, ...]] = {
    "x": ("input",),
    "y": ("input",),
    "s": ("add", "x", "y"),
    "p": ("multiply", "x", "y"),
    "m": ("multiply", "s", "p"),
    "l": ("log", "x"),
    "z": ("add", "m", "l"),
}
_FORWARD = {"s": 6.0, "p": 8.0, "m": 48.0, "l": math.log(4), "z": 48 + math.log(4)}
_BACKWARD = {"z": 1.0, "m": 1.0, "l": 1.0, "s": 8.0, "p": 6.0, "x": 20.25, "y": 32.0}
_ROUNDED = 0.006
_READS = {
    "s": "s = x + y",
    "p": "p = x * y",
    "m": "m = s * p",
    "l": "l = log(x), the natural logarithm",
    "z": "z = m + l",
}
_ASKS = {
    "z": "z changes as much as z does: the gradient at the end is 1.",
    "m": "z = m + l, and an addition passes the gradient on unchanged.",
    "l": "z = m + l, and an addition passes the gradient on unchanged.",
    "s": "m = s * p, so m changes p times as fast as s.",
    "p": "m = s * p, so m changes s times as fast as p.",
    "x": "x is read by s, p and l; what comes back from all three is added.",
    "y": "y is read by s and p; what comes back from both is added.",
}
_ONE_PATH = {"x": (8.0, 12.0, 0.25), "y": (8.0, 24.0)}

FORWARD = Task(
    "01_graphs",
    "forward",
    2,
    (
        "Which node can be computed first, and which of them must wait for others?",
        "Which two values does m read, and have you written both down?",
    ),
    calls="forward_values",
)
BACKWARD = Task(
    "01_graphs",
    "backward",
    5,
    (
        "Begin at z. By how much does z change if z changes by 1?",
        "m = s * p. If s grows by a little, how many times as much does m grow?",
        "Three nodes read x. z feels a change of x in three ways. What do you do with the three?",
    ),
    calls="gradients",
)


def forward(answers: object, *, seed: int = SEED) -> Score:
    """Check the values entered for a forward pass.

    Parameters
    ----------
    answers
        A dict with a number for each of s, p, m, l, z.
    seed
        Not used: the numbers are fixed.

    Raises
    ------
    CheckFailed
        No answer is right, or it is no dict.
    """
    return _numbers(FORWARD, answers, _FORWARD, _READS, "")


def backward(answers: object, *, seed: int = SEED) -> Score:
    """Check the gradients entered for a backward pass.

    Parameters
    ----------
    answers
        A dict with a number for each of z, m, l, s, p, x, y.
    seed
        Not used: the numbers are fixed.

    Raises
    ------
    CheckFailed
        No answer is right, or it is no dict.
    """
    return _numbers(BACKWARD, answers, _BACKWARD, _ASKS, "dz/d")


def _numbers(
    task: Task,
    answers: object,
    right: Mapping[str, float],
    reasons: Mapping[str, str],
    prefix: str,
) -> Score:
    why = f"{task.function} is a dict with a number for each of {', '.join(right)}."
    given = read_dict(task, answers, "a dict of numbers", why)
    wrong = [name for name, value in right.items() if not _near(given.get(name), value)]
    if not wrong:
        return task.passed(f"all {len(right)} numbers are right")
    first = wrong[0]
    value = given.get(first)
    fault = Fault(
        "values",
        f"{task.function}[{first!r}]",
        "nothing yet" if value is None else show(value),
        f"{'a' if value is None else 'another'} number for {prefix}{first}",
        _odd_number(value, right[first]) or reasons[first],
        misconception=_looks_like(task, first, given),
        drawing=list_graph(GRAPH, [first]),
    )
    found = len(right) - len(wrong)
    verb = "is" if found == 1 else "are"
    return task.partly(found, len(right), f"{found} of {len(right)} numbers {verb} right", fault)


def _near(value: object, right: float) -> bool:
    """Compare an answer with the right number; two digits behind the point are enough."""
    return _within(value, right, _ROUNDED)


def _within(value: object, right: float, most: float) -> bool:
    """Tell whether a number is near another; whole numbers larger than any float are far."""
    return type(value) in (int, float) and right - most <= value <= right + most  # type: ignore[operator]


def _odd_number(value: object, right: float) -> str:
    """Say what is odd about an answer that would be right, or that is no number."""
    if type(value) is str:
        return "This is a text: take the quotes away, and Python computes it."
    if value is not None and type(value) not in (int, float):
        return f"This is {describe(value)}, and a number is asked for."
    if _within(value, right, 0.06):
        return "This is rounded too much: give two digits behind the point, or an expression."
    return ""


def _looks_like(task: Task, name: str, given: Mapping[object, object]) -> str:
    """Name the mistake behind a wrong gradient, if it is a known one."""
    value = given.get(name)
    if task is not BACKWARD:
        return ""
    if name in _ONE_PATH and any(same(value, path, 1e-3) for path in _ONE_PATH[name]):
        return "missing accumulation"
    if name in ("s", "p") and same(value, _FORWARD[name], 1e-3):
        return "the operand itself instead of the other one"
    return ""


# the rules


def _multiply(upstream: float, a: float, b: float) -> tuple[float, ...]:
    return upstream * b, upstream * a


def _divide(upstream: float, a: float, b: float) -> tuple[float, ...]:
    return upstream / b, -upstream * a / (b * b)


def _log(upstream: float, a: float) -> tuple[float, ...]:
    return (upstream / a,)


def _maximum(upstream: float, a: float, b: float) -> tuple[float, ...]:
    if a == b:
        return upstream / 2, upstream / 2
    return (upstream, 0.0) if a > b else (0.0, upstream)


RULES: Mapping[str, Callable[..., tuple[float, ...]]] = {
    "multiply_rule": _multiply,
    "divide_rule": _divide,
    "log_rule": _log,
    "maximum_rule": _maximum,
}
_WHY = {
    "multiply_rule": "If a grows by a little, a * b grows b times as much; the upstream gradient "
    "multiplies that.",
    "divide_rule": "a / b falls when b grows: its slope is -a / b².",
    "log_rule": "The slope of log(a) is 1 / a.",
    "maximum_rule": "Only the larger operand is felt; when both are equal, each gets half.",
}


def _ignoring_upstream(rule: Callable[..., tuple[float, ...]]) -> Callable[..., object]:
    return lambda upstream, *operands: rule(1.0, *operands)


def _turned(upstream: float, a: float, b: float) -> object:
    return upstream * a, upstream * b


def _slope_not_negative(upstream: float, a: float, b: float) -> object:
    return upstream / b, upstream * a / (b * b)


def _times_for_over(upstream: float, a: float, *rest: float) -> object:
    return (upstream * a,)


def _first_wins(upstream: float, a: float, b: float) -> object:
    return (upstream, 0.0) if a >= b else (0.0, upstream)


def _both_at_tie(upstream: float, a: float, b: float) -> object:
    return (upstream, upstream) if a == b else _maximum(upstream, a, b)


_UPSTREAM = "The rule must multiply by the upstream gradient, which is not always 1."
_MISTAKES: dict[str, tuple[Mistake, ...]] = {
    name: (Mistake("upstream gradient ignored", _ignoring_upstream(rule), _UPSTREAM),)
    for name, rule in RULES.items()
}
_MISTAKES["multiply_rule"] += (
    Mistake(
        "the operand itself instead of the other one",
        _turned,
        "The gradient of a in a * b is b: each operand is scaled by the other.",
    ),
)
_MISTAKES["divide_rule"] += (
    Mistake(
        "minus sign missing", _slope_not_negative, "a / b falls when b grows, so a minus stands."
    ),
)
_MISTAKES["log_rule"] += (
    Mistake("* for / in a gradient", _times_for_over, "The slope of log(a) is 1 / a, not a."),
)
_MISTAKES["maximum_rule"] += (
    Mistake("the first wins a tie", _first_wins, "At a tie each operand gets half, by convention."),
    Mistake("both get all at a tie", _both_at_tie, "At a tie the gradient is shared, not doubled."),
)
RULES_TASK = Task(
    "01_graphs",
    "rules",
    5,
    (
        "Hold b still and move a by a tiny step. How much does the result move, per step?",
        "The result is felt `upstream` times by the end of the graph. What do you do with that?",
        "What does max(a, b) feel of its smaller operand?",
    ),
)
TASKS = (FORWARD, BACKWARD, RULES_TASK)


def rules(
    multiply_rule: object,
    divide_rule: object,
    log_rule: object,
    maximum_rule: object,
    *,
    seed: int = SEED,
) -> Score:
    """Check the gradient rules of four operators; each counts.

    Parameters
    ----------
    multiply_rule, divide_rule, log_rule, maximum_rule
        Each takes (upstream, *operands) and gives a tuple with one gradient for each operand.
    seed
        Decides the hidden numbers.

    Raises
    ------
    CheckFailed
        None of them is right.
    """
    given = {
        "multiply_rule": multiply_rule,
        "divide_rule": divide_rule,
        "log_rule": log_rule,
        "maximum_rule": maximum_rule,
    }
    faults = {name: _rule_fault(name, rule, seed) for name, rule in given.items()}
    wrong = [fault for fault in faults.values() if fault is not None]
    if not wrong:
        return RULES_TASK.passed("four rules right, each on 100 triples, upstream not always 1")
    right = len(faults) - len(wrong)
    verb = "is" if right == 1 else "are"
    begun = [fault for fault in wrong if not fault.unanswered] or wrong
    first = begun[0] if right == 0 else replace(begun[0], unanswered=False)
    return RULES_TASK.partly(right, len(faults), f"{right} of 4 rules {verb} right", first)


def _rule_fault(name: str, rule: object, seed: int) -> Fault | None:
    from hypothesis import strategies as st

    if not callable(rule):
        why = f"The name {name} does not hold a function."
        return Fault("type", name, describe(rule), "a function", why, unanswered=rule is None)
    task = replace(RULES_TASK, calls=name, mistakes=_MISTAKES[name])
    exam = Exam(task, rule, seed)
    count = 1 if name == "log_rule" else 2
    number: Any = st.sampled_from((1.0, 2.0, 4.0, 0.5, 3.0))
    upstream: Any = st.sampled_from((1.0, 2.0, -3.0, 0.5))

    def probe(case: tuple[float, ...]) -> Fault | None:
        return exam.examine(case, RULES[name](*case), why=_WHY[name])

    fault = exam.smallest(st.tuples(upstream, *[number] * count), probe, tries=100)
    return fault and exam.named(fault)
