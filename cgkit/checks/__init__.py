"""What students call: `from cgkit.checks import graphs as check`, then `check.evaluate(evaluate)`.

    student's function ──► stages: type ► shape ► values ► invariants ► cost ──► Score
                             └ the first that fails: its smallest counterexample ──► CheckFailed

One module per notebook of an assignment (`start`, `graphs`, ...), one function per task. What they
share lies in `failure` (the message), `plain` and `arrays` (student values as plain data), `judge`
and `runner` (calling, comparing, searching), `verdicts` (a student's own test, tried), `task`
(names, points, hints), `dot` and `drawing` (pictures as graphs).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType

from cgkit.checks.failure import CheckFailed, NotAnswered
from cgkit.checks.task import Task
from cgkit.errors import UsageFault

NOTEBOOKS: Mapping[str, str] = MappingProxyType(
    {
        "00_start": "00_start",
        "01_graphs": "01_graphs",
        "02a_dynamic": "02_static_dynamic",
        "02b_static": "02_static_dynamic",
    }
)
"""The assignment of each notebook; the module of its checks is called like its topic."""
ASSIGNMENTS = tuple(dict.fromkeys(NOTEBOOKS.values()))

__all__ = ["ASSIGNMENTS", "NOTEBOOKS", "CheckFailed", "NotAnswered", "hints", "tasks"]


def _names(name: str) -> tuple[str, ...]:
    """Give all that one may type for an assignment or a notebook.

    Examples
    --------
    >>> _names("01_graphs")
    ('01_graphs', '01', '1', 'graphs')
    """
    number, topic = name.split("_", 1)
    return name, number, number.lstrip("0") or "0", topic


def _modules(wanted: str) -> list[str]:
    """Find the modules of an assignment, or of one notebook of it."""
    found = [
        notebook.split("_", 1)[1]
        for notebook, assignment in NOTEBOOKS.items()
        if wanted in (*_names(notebook), *_names(assignment))
    ]
    if not found:
        known = ", ".join(ASSIGNMENTS)
        raise UsageFault(f"there is no assignment {wanted!r}", attempt=f"one of {known}")
    return found


def tasks(assignment: str) -> tuple[Task, ...]:
    """Give the tasks of an assignment, or of one notebook of it, in their order.

    Parameters
    ----------
    assignment
        Such as "01_graphs", "01" or "graphs"; of two notebooks, "02" means both, "02a" the first.

    Raises
    ------
    UsageFault
        There is no such assignment.

    Examples
    --------
    >>> [task.name for task in tasks("01")][:3]
    ['evaluate', 'evaluate_once', 'evaluate_deep']
    """
    modules = [importlib.import_module(f"cgkit.checks.{name}") for name in _modules(assignment)]
    return tuple(task for one in modules for task in one.TASKS if isinstance(task, Task))


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
