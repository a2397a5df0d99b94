"""A student's exception as data: its kind, its words, and their own lines on the way to it.

    ValueError("no") at line 3 of cell mean
      ──► {"type": "ValueError", "bases": [...], "text": "no", "where": [{"cell": "mean", ...}]}

Invariant: making it never raises, whatever the exception does when it is looked at.
"""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from cgkit.grading.inside.handles import Handles, builtin_bases, kinds

_CELLS = ("<cell ", "<given ")
_LONGEST = 2_000
_PLACES = 3
_ATTRIBUTES = 20


def complaint(
    error: BaseException, handles: Handles, write: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """Describe an exception.

    Parameters
    ----------
    error
        Of any kind.
    handles
        Numbers the student's own classes of exceptions, so that a test can ask for them.
    write
        Gives the mark of what an exception holds, or raises.
    """
    kind = type(error)
    return {
        "type": str(kind.__name__)[:100],
        "bases": builtin_bases(kind),
        "text": _text(error),
        "kinds": kinds(kind),
        "has": _held(error, write) if write else {},
        "kind": handles.mark(kind) if kind.__module__ == "__main__" else None,
        "where": _where(error),
    }


def _held(error: BaseException, write: Callable[[Any], Any]) -> dict[str, Any]:
    """Give the attributes of an exception that are data; those that are not are left out."""
    found: dict[str, Any] = {}
    for name, value in list(getattr(error, "__dict__", {}).items())[:_ATTRIBUTES]:
        try:
            if str(name)[:2] != "__":
                found[str(name)] = write(value)
        except Exception:  # no data, or a student's own attribute fails
            continue
    return found


def _text(error: BaseException) -> str:
    try:
        return str(error)[:_LONGEST]
    except BaseException:  # a student's own exception may fail to print itself
        return "(its message cannot be shown)"


def _where(error: BaseException) -> list[dict[str, Any]]:
    try:
        return list(_places(error))[-_PLACES:]
    except BaseException:  # of the same kind
        return []


def _places(error: BaseException) -> Iterator[dict[str, Any]]:
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if file.startswith(_CELLS):
            yield _place(file, line, linecache.getline(file, line), frame.f_code.co_name)
    if isinstance(error, SyntaxError) and str(error.filename).startswith(_CELLS):
        yield _place(str(error.filename), error.lineno or 0, error.text or "", "<module>")


def _place(file: str, line: int, code: str, function: str) -> dict[str, Any]:
    return {
        "cell": file.partition(" ")[2][:-1],
        "line": line,
        "code": str(code).strip()[:200],
        "function": str(function)[:100],
    }
