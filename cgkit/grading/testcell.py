"""Run one test cell outside, and say how it ended in words for a student.

    run_test(cell, names) ──► the value of its last expression
    Ended.of(error)       ──► name, words, whether a person must look

Invariants: no line of a test is shown; a check's own message is shown as it is. What a library has
to say of a hidden line is not: `numpy.testing` would print the expected values.
"""

from __future__ import annotations

import ast
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from cgkit.checks import CheckFailed
from cgkit.grading.codec import Refused
from cgkit.grading.outcomes import Died, StudentError, TimedOut, TooLong

_LONGEST = 8_000
_WRONG = "what your code gave is not what was asked for"
_CHECKS = str(Path(__file__).resolve().parents[1] / "checks")


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


def ended(error: BaseException, source: str = "", released: str | None = None) -> Ended:
    """Put an error into words.

    Parameters
    ----------
    error
        What the cell ended with.
    source
        The cell, if it is a test.
    released
        What students received of it.

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
        told = released is None or _may_tell(error.__traceback__, source, released)
        return Ended(name, (str(error)[:_LONGEST] if told else "") or _WRONG)
    return _other(error, name)


def _may_tell(trace: TracebackType | None, source: str, released: str) -> bool:
    """Tell whether words are an author's own, or those of a library about a line in sight."""
    frames = traceback.extract_tb(trace)
    if not frames or frames[-1].filename.startswith(("<", _CHECKS)):
        return True
    lines, seen = source.split("\n"), {line.strip() for line in released.split("\n")}
    places = [one.lineno or 0 for one in frames if one.filename.startswith("<test ")]
    return all(line.strip() in seen for at in places for line in lines[at - 1 : at])


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
