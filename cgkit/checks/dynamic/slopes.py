"""Task 12 of notebook 02a: the student's own test, which holds rules against slopes.

    gradient_test(function, rule)      must accept right pairs and reject 24 wrong rules

    function(a, b) ──► array            rule(upstream, a, b) ──► gradients of a and of b

Invariant: function and rule come under plain names; their own would tell which are right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cgkit.checks.dynamic import slope_traps
from cgkit.checks.runner import SEED
from cgkit.checks.task import Task
from cgkit.checks.verdicts import Subject, try_test
from cgkit.score import Score

GRADIENT_TEST = Task(
    "02_static_dynamic",
    "gradient_test",
    6,
    (
        "Move a by a tiny step times some array v. By how much does sum(upstream * function(a, b)) "
        "move, per step? And what does the rule say about it?",
        "Which shapes has your test tried? Did a and b ever have different ones?",
        "Is your upstream ever negative, or different from place to place? Are a and b?",
        "How close must the two numbers be? A rule that is one hundredth off is wrong.",
    ),
)
TASKS = (GRADIENT_TEST,)


def gradient_test(candidate: object, *, seed: int = SEED) -> Score:
    """Run a student's test on right and on wrong rules.

    Parameters
    ----------
    candidate
        `gradient_test(function, rule)`; raises AssertionError when the rule is wrong.
    seed
        Decides in which order it is asked.

    Raises
    ------
    CheckFailed
        It rejects a right rule, or accepts nearly every wrong one.
    """
    rights = [Subject(_nameless(*pair)) for pair in slope_traps.RIGHT]
    wrong = [
        Subject(_nameless(trap.function, trap.rule), trap.name, trap.why)
        for trap in slope_traps.WRONG
    ]
    return try_test(GRADIENT_TEST, candidate, seed, rights, wrong)


def _nameless(
    operator: Callable[..., Any], rule_: Callable[..., Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def function(a: Any, b: Any) -> Any:
        return operator(a, b)

    def rule(upstream: Any, a: Any, b: Any) -> Any:
        return rule_(upstream, a, b)

    return function, rule
