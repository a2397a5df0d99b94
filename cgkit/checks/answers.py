"""Read a dict that a student filled in by hand.

    lengths = {"a": 3, "b": None}   ──►  {"a": 3, "b": None}
    lengths = {"a": None}           ──►  NotAnswered
    lengths = [3]                   ──►  CheckFailed: it is a dict

Invariant: what comes out is plain data, with at least one answer in it.
"""

from __future__ import annotations

from cgkit.checks.plain import NotPlainError, describe, plain, show
from cgkit.checks.task import Fault, Task


def plainly(answer: object) -> object:
    """Give an answer as plain data, or what it is, in words.

    Examples
    --------
    >>> plainly([1, 2]), plainly(len)
    ([1, 2], 'a function')
    """
    try:
        return plain(answer)
    except NotPlainError:
        return describe(answer)


def read_dict(task: Task, answers: object, expected: str, why: str) -> dict[object, object]:
    """Read the answers of one task.

    Parameters
    ----------
    task
        Its function is the name that holds the dict.
    answers
        What that name holds.
    expected, why
        What to say where it is no dict.

    Raises
    ------
    CheckFailed
        It is no dict.
    NotAnswered
        Nothing is in it yet.

    Examples
    --------
    >>> read_dict(Task("01_graphs", "count", 1, ()), {"nodes": 3}, "a dict", "count is a dict.")
    {'nodes': 3}
    """
    given = plainly(answers)
    if isinstance(given, dict) and any(value is not None for value in given.values()):
        return given
    nothing = answers is None or isinstance(given, dict)
    raise task.failed(Fault("type", task.function, show(given), expected, why, unanswered=nothing))
