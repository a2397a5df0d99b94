"""Run one test cell outside, and say how it ended in words for a student.

    run_test(cell, names) ──► the value of its last expression
    Ended.of(error)       ──► name, words, whether a person must look

Invariants: no line of a test is shown; a check's own message is shown as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cgkit.checks import CheckFailed
from cgkit.grading.codec import Refused
from cgkit.grading.outcomes import Died, StudentError, TimedOut, TooLong

_LONGEST = 8_000


def run_test(source: str, place: str, names: dict[str, Any]) -> Any:
    """Run a test cell; give the value of its last expression, or None.

    Parameters
    ----------
    source
        Python, without marks.
    place
        A name for it in tracebacks.
    names
        Its globals.
    """
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), place, "eval"), names)


@dataclass(frozen=True)
class Ended:
    """How a cell ended, when not by its last line."""

    error: str
    """Name of the error."""
    words: str
    """For the student."""
    by_hand: str = ""
    """Why a person must look, or ""."""


def ended(error: BaseException) -> Ended:
    """Put an error into words.

    Examples
    --------
    >>> ended(AssertionError("3 is not 4"))
    Ended(error='AssertionError', words='3 is not 4', by_hand='')
    >>> ended(ZeroDivisionError("division by zero")).by_hand
    'the test cell failed in a way that may be its own fault: ZeroDivisionError'
    """
    name = type(error).__name__
    if isinstance(error, CheckFailed):
        return Ended(name, str(error)[:_LONGEST])
    if isinstance(error, StudentError):
        place = error.place()
        words = f"{name}: {error}" + (f"\n  at {place}" if place else "")
        return Ended(name, words[:_LONGEST])
    if type(error) in _WORDS:
        return Ended(name, _WORDS[type(error)].format(error=str(error)[:500]))
    if isinstance(error, AssertionError):
        return Ended(name, str(error)[:_LONGEST] or "what your code gave is not what was asked for")
    return _other(error, name)


def _other(error: BaseException, name: str) -> Ended:
    words = f"the test stopped on what your code gave: {name}: {str(error)[:500]}"
    if isinstance(error, TypeError | ValueError | LookupError | AttributeError):
        return Ended(name, words)
    return Ended(name, words, f"the test cell failed in a way that may be its own fault: {name}")


_WORDS: Mapping[type[BaseException], str] = {
    TimedOut: "Your code did not come to an end in time. Which loop never becomes false?",
    Died: "Nothing came back: {error}.",
    TooLong: "The test did not come to an end on what your code gave.",
    MemoryError: "The test ran out of memory on what your code gave.",
    Refused: "What your code gave cannot be looked at: {error}.",
    RecursionError: "What your code gave is nested too deeply to be looked at.",
}
