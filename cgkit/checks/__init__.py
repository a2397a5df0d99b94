"""What students call: `from cgkit.checks import graphs as check`, then `check.evaluate(evaluate)`.

    student's function ──► stages: type ► shape ► values ► invariants ► cost ──► Score
                             └ the first that fails: its smallest counterexample ──► CheckFailed

One module per assignment (`start`, `graphs`, ...), one function per task. What they share lies in
`failure` (the message), `plain` (student values as plain data), `judge` and `runner` (calling,
comparing, searching), `task` (names, points, hints), `dot` and `drawing` (pictures as graphs).
"""

from __future__ import annotations

import importlib

from cgkit.checks.failure import CheckFailed, NotAnswered
from cgkit.checks.task import Task
from cgkit.errors import UsageFault

ASSIGNMENTS = ("00_start", "01_graphs")

__all__ = ["ASSIGNMENTS", "CheckFailed", "NotAnswered", "hints", "tasks"]


def _module(assignment: str) -> str:
    """Find an assignment by its name, its number or its topic."""
    for name in ASSIGNMENTS:
        number, topic = name.split("_", 1)
        if assignment in (name, number, number.lstrip("0") or "0", topic):
            return topic
    known = ", ".join(ASSIGNMENTS)
    raise UsageFault(f"there is no assignment {assignment!r}", attempt=f"one of {known}")


def tasks(assignment: str) -> tuple[Task, ...]:
    """Give the tasks of an assignment in their order.

    Parameters
    ----------
    assignment
        Such as "01_graphs", "01" or "graphs".

    Raises
    ------
    UsageFault
        There is no such assignment.

    Examples
    --------
    >>> [task.name for task in tasks("01")][:3]
    ['evaluate', 'evaluate_once', 'evaluate_deep']
    """
    found = importlib.import_module(f"cgkit.checks.{_module(assignment)}").TASKS
    return tuple(task for task in found if isinstance(task, Task))


def hints(assignment: str, task: str) -> tuple[str, ...]:
    """Give the hints of a task: questions, mildest first.

    Parameters
    ----------
    assignment
        Such as "01_graphs", "01" or "graphs".
    task
        Such as "evaluate".

    Raises
    ------
    UsageFault
        There is no such assignment, or no such task in it.

    Examples
    --------
    >>> hints("01", "evaluate_once")[0]
    'Two nodes read b. How often does your code compute b?'
    """
    known = {found.name: found.hints for found in tasks(assignment)}
    if task not in known:
        names = ", ".join(known)
        raise UsageFault(f"assignment {assignment} has no task {task!r}", attempt=f"one of {names}")
    return known[task]
