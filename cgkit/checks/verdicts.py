"""Try a student's own test: on right functions, which it must accept, and on wrong ones.

    try_test(task, candidate, seed, rights, wrong)
      ──►  Score: a share of the points for the wrong ones that it rejects
      ──►  CheckFailed: it rejects a right one, or nothing at all

Invariants: the order of the functions depends on the seed and tells nothing; nor may a name, which
the caller takes away. A test says no by an AssertionError, or by not catching a ValueError.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cgkit.checks.judge import Returned, exception_fault, is_stub, place
from cgkit.checks.runner import Exam
from cgkit.checks.task import Fault, Task
from cgkit.score import Score


@dataclass(frozen=True)
class Subject:
    """What a student's test is run on: one function, or several that belong together."""

    arguments: tuple[Callable[..., object], ...]
    #: how a wrong one is called, and one sentence that says what is wrong; "" for a right one
    name: str = ""
    why: str = ""


def try_test(
    task: Task,
    candidate: object,
    seed: int,
    rights: Sequence[Subject],
    wrong: Sequence[Subject],
) -> Score:
    """Run a student's test on right and on wrong functions.

    Parameters
    ----------
    task
        What is asked; as many wrong functions as it has points, or a multiple of them.
    candidate
        The test.
    seed
        Decides in which order it is asked.
    rights, wrong
        What it must accept, and what it should reject.

    Raises
    ------
    CheckFailed
        It rejects a right function, or accepts nearly every wrong one.
    """
    refused, faults = _verdicts(Exam(task, candidate, seed), rights, wrong, seed)
    if refused is not None:
        raise task.failed(refused)
    found = faults.count(None)
    if found == len(wrong):
        words = f"accepts {len(rights)} right functions and rejects all {found} wrong ones"
        return task.passed(words)
    first = next(fault for fault in faults if fault is not None)
    sentence = f"accepts the right functions and rejects {found} of {len(wrong)} wrong ones"
    each = len(wrong) // int(task.points)
    return task.partly(found // each, len(wrong) // each, sentence, first)


def _verdicts(
    exam: Exam, rights: Sequence[Subject], wrong: Sequence[Subject], seed: int
) -> tuple[Fault | None, list[Fault | None]]:
    """Ask about right and wrong functions in an order that tells nothing.

    Returns
    -------
    tuple
        What is wrong with its word on the right ones, and on each of the wrong ones.
    """
    refused: list[Fault | None] = []
    faults: list[Fault | None] = [None] * len(wrong)
    asked: list[Subject | int] = [*rights, *range(len(wrong))]
    random.Random(seed).shuffle(asked)
    for one in asked:
        if isinstance(one, int):
            faults[one] = missed(exam, wrong[one])
        else:
            refused.append(rejected(exam, one))
    return next(filter(None, refused), None), faults


def rejected(exam: Exam, right: Subject) -> Fault | None:
    """Run the test on what is right; give None if it accepts it."""
    function = exam.task.function
    called = f"{function}(a right function)"
    outcome = exam.call(right.arguments, called=called)
    if isinstance(outcome, Returned) and outcome.value is not False:
        return None
    if isinstance(outcome, BaseException) and is_stub(outcome):
        return exception_fault(outcome, function)
    if isinstance(outcome, BaseException):
        where = place(outcome)
        got = type(outcome).__name__ + (f" at {where}" if where else "")
    else:
        got = "False"
    why = "Your test says no to a function that is right. What does it ask that is not true?"
    return Fault("values", called, got, "no error", why, misconception="rejects a right function")


def missed(exam: Exam, wrong: Subject) -> Fault | None:
    """Run the test on what is wrong; give None if it says no as a test does.

    A ValueError counts: it is what a function raises that refuses what it should take.
    """
    called = f"{exam.task.function}(a wrong function: {wrong.name})"
    outcome = exam.call(wrong.arguments, called=called)
    if isinstance(outcome, AssertionError | ValueError):
        return None
    got = "no AssertionError"
    why = f"Your test accepts a function with this mistake. {wrong.why}"
    if isinstance(outcome, BaseException):
        where = place(outcome)
        got = type(outcome).__name__ + (f" at {where}" if where else "")
        why = "Your test stopped with an error of its own. A test says no by an AssertionError."
    elif outcome.value is False:
        got = "False"
        why = "A test raises AssertionError when something is wrong, and returns nothing."
    return Fault("values", called, got, "AssertionError", why)
