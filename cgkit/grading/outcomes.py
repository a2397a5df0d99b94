"""How a call into the sandbox can end, other than with a value.

    StudentError   the student's code raised; its class is also the built-in one it stems from
    NotData        it gave something that is no data, where the reference gives data
    TimedOut       it did not come to an end: to a check, what an interrupted kernel is
    Died           the process that ran it is gone

The last two are no `Exception`: a test cell's own `except Exception` must not swallow them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any

_LONGEST = 2_000
_ENDS_A_WALK = (StopIteration, StopAsyncIteration)
"""Raised within `map` or `zip` of a test, they would end its cases in silence."""


class StudentError(Exception):
    """An exception of the student's code; `where` holds their own lines on the way to it."""

    where: tuple[Mapping[str, Any], ...] = ()

    def place(self) -> str:
        """Name the student's line at which it arose, or ""."""
        if not self.where:
            return ""
        last = self.where[-1]
        return f"line {last.get('line')} of {last.get('cell')}: {last.get('code')}"


class NotData(StudentError):
    """Something of the student's where only data can be read.

    It is no TypeError and no ValueError: a test that waits for one would take it for a refusal.
    """


class TimedOut(KeyboardInterrupt):
    """The student's code did not come to an end in time."""

    where: tuple[Mapping[str, Any], ...] = ()


class Died(BaseException):
    """The process that ran the student's code ended."""


class TooLong(BaseException):
    """The test cell itself did not come to an end, on a value that the student's code gave."""


def builtin_base(names: object) -> type[BaseException] | None:
    """Find the nearest built-in class of exceptions among some names.

    Examples
    --------
    >>> builtin_base(["Mine", "ZeroDivisionError", "Exception"])
    <class 'ZeroDivisionError'>
    """
    for name in names if isinstance(names, list) else ():
        found = getattr(builtins, name, None) if isinstance(name, str) else None
        if isinstance(found, type) and issubclass(found, Exception | SystemExit):
            return found
    return None


def base_of(
    body: Mapping[str, Any], given: Mapping[str, type[Exception]]
) -> type[BaseException] | None:
    """Find the nearest class that is known on both sides: of given cells, or built in."""
    kinds = body.get("kinds")
    for name in kinds if isinstance(kinds, list) else ():
        if isinstance(name, str) and name in given:
            return given[name]
    return builtin_base(body.get("bases"))


def error_class(name: str, base: type[BaseException] | None) -> type[StudentError]:
    """Make the class that stands for a student's class of exceptions.

    Examples
    --------
    >>> made = error_class("Mine", ValueError)
    >>> made.__name__, issubclass(made, ValueError), issubclass(made, StudentError)
    ('Mine', True, True)
    """
    if base is None or issubclass(base, _ENDS_A_WALK):
        base = Exception
    bases = (StudentError,) if base is Exception else (StudentError, base)
    name = "".join(letter for letter in name[:80] if letter.isprintable()) or "Error"
    try:
        return type(name, bases, {})
    except TypeError:  # a built-in class whose objects are laid out in another way
        return type(name, (StudentError,), {})


def error_of(
    body: Mapping[str, Any],
    kind: type[StudentError] | None,
    given: Mapping[str, type[Exception]] | None = None,
    decode: Callable[[Any], Any] | None = None,
) -> StudentError:
    """Make the exception that stands for one raised inside.

    Parameters
    ----------
    body
        As `cgkit.grading.inside.complaint` gives it; nothing in it is trusted.
    kind
        The class that stands for the student's own one, if it is one.
    given
        Classes of exceptions that given cells define, by name; none of their code is run.
    decode
        Reads what such an exception holds.
    """
    name, text = str(body.get("type", "Error")), str(body.get("text", ""))[:_LONGEST]
    made = kind or error_class(name, base_of(body, given or {}))
    try:
        if given and issubclass(made, tuple(given.values())):
            error = made.__new__(made, text)
            held = body.get("has")
            if decode is not None and isinstance(held, dict):
                known = vars(StudentError).keys() | {"args"}
                vars(error).update((n, decode(mark)) for n, mark in held.items() if n not in known)
        else:
            error = made(text)
    except TypeError:  # UnicodeDecodeError and its kin want more than a text
        error = StudentError(f"{name}: {text}")
    where = body.get("where")
    if isinstance(where, list):
        error.where = tuple(place for place in where if isinstance(place, dict))[:3]
    return error
