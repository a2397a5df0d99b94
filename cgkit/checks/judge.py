"""Judge one outcome, stage by stage; the first stage that does not hold is the answer.

    outcome ──► raised?  ──► type ──► shape ──► values ──► invariants (inputs unchanged) ──► None

Invariants: judging never calls anything of the student's; every sentence is plain words and names
the student's own line when there is one.
"""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

import numpy as np

from cgkit.checks.plain import NotPlainError, kind_of, plain, same, show
from cgkit.checks.task import Fault
from cgkit.words import counted

_HERE = str(Path(__file__).resolve().parent.parent)
_PYTHON = str(Path(linecache.__file__).resolve().parent)
_NAMES = {
    "number": "a number",
    "int": "an int",
    "str": "a text",
    "array": "an array",
    "None": "None",
}


@dataclass(frozen=True)
class Returned:
    """What a student's function returned, made plain."""

    value: object
    #: what it is, when it is no plain data
    odd: str = ""
    #: which argument the function changed, or ""
    changed: str = ""


@dataclass(frozen=True)
class Raises:
    """What is expected when the right answer is to refuse: an exception of this kind."""

    kind: type[Exception]
    because: str = ""


@dataclass(frozen=True)
class Words:
    """What is expected, in words: several answers are right."""

    text: str


def judge(outcome: object, expected: object, function: str, tolerance: float) -> Fault | None:
    """Compare one outcome with what is expected.

    Parameters
    ----------
    outcome
        `Returned`, or the exception that the student's function raised.
    expected
        Plain data, or `Raises`.
    function
        The name of the student's function.
    tolerance
        Relative and absolute, for numbers.

    Returns
    -------
    Fault or None
        The first thing that is wrong.

    Examples
    --------
    >>> judge(Returned(4), 4, "f", 0) is None
    True
    >>> judge(Returned(None), 4, "f", 0).why
    'f gave nothing back. Is there a return at its end?'
    """
    if isinstance(expected, Raises) and isinstance(outcome, expected.kind):
        return None
    return judge_by(
        outcome, lambda value: _wrong(value, expected, function, tolerance), function, expected
    )


def judge_by(
    outcome: object, verdict: Callable[[object], Fault | None], function: str, expected: object
) -> Fault | None:
    """Judge one outcome by a function, where several answers are right.

    Parameters
    ----------
    outcome
        `Returned`, or the exception that the student's function raised.
    verdict
        Gives what is wrong with a plain value, or None.
    function
        The name of the student's function.
    expected
        What is asked for: plain data, `Raises`, or `Words`.

    Examples
    --------
    >>> judge_by(Returned([2, 1]), lambda value: None, "f", Words("a list")) is None
    True
    """
    wanted = _wanted(expected)
    if isinstance(outcome, BaseException):
        fault = _refusal(outcome, expected, function) or exception_fault(outcome, function)
        return replace(fault, expected=wanted)
    if not isinstance(outcome, Returned):
        raise TypeError(f"no outcome: {outcome!r}")
    if outcome.odd:
        why = f"A check reads plain data only: {function} must not return {outcome.odd}."
        return Fault("type", "", outcome.odd, wanted, why)
    if outcome.value is None and not isinstance(expected, Raises) and expected is not None:
        why = f"{function} gave nothing back. Is there a return at its end?"
        return Fault("type", "", "None", wanted, why)
    found = verdict(outcome.value)
    if found is None and outcome.changed:
        why = f"{function} changed what it was given; whoever called it still needs that."
        got = f"{show(outcome.value)}, and {outcome.changed} was changed"
        return Fault("invariants", "", got, wanted, why)
    return found


def changed(given: Sequence[object], arguments: Sequence[object]) -> str:
    """Say which argument a student's function changed, or ''.

    Parameters
    ----------
    given
        The arguments as the function left them.
    arguments
        As they were.

    Examples
    --------
    >>> changed(([1], {}), ([1], {"x": 2}))
    'argument 2'
    """
    for position, (after, before) in enumerate(zip(given, arguments, strict=True)):
        if (
            after is not before
            and isinstance(before, list | dict | set | np.ndarray)
            and not _still(after, before)
        ):
            return f"argument {position + 1}"
    return ""


def _still(after: object, before: object) -> bool:
    try:
        return same(plain(after), plain(before))
    except NotPlainError:
        return not _all_plain(before)


def _all_plain(value: object) -> bool:
    try:
        plain(value)
    except NotPlainError:
        return False
    return True


def _refusal(error: BaseException, expected: object, function: str) -> Fault | None:
    """Say what is wrong with a refusal: of arguments that fit, or with another error than asked."""
    fault = exception_fault(error, function)
    if fault.unanswered or isinstance(error, SystemExit | RecursionError):
        return None
    on_purpose = re.search(r"\braise\b", fault.got.partition("\nat ")[2])
    name = type(error).__name__
    if isinstance(expected, Raises):
        asked = expected.kind.__name__
        words = "It refused, but with" if on_purpose else "It should refuse, and it stopped with"
        return replace(fault, why=f"{words} {name}; the task asks for {asked}.")
    if isinstance(error, ValueError) and on_purpose:
        return replace(fault, why=f"{function} refused, and these arguments are fine.")
    return None


def _wrong(value: object, expected: object, function: str, tolerance: float) -> Fault | None:
    if isinstance(expected, Raises):
        because = expected.because or "These arguments do not fit together."
        return Fault("values", "", f"{show(value)}, and no error", _wanted(expected), because)
    return compare(value, expected, function, tolerance)


def compare(got: object, expected: object, function: str, tolerance: float) -> Fault | None:
    """Compare two plain values: kind, then size, then values.

    Examples
    --------
    >>> compare([1], (1,), "f", 0).why
    'f should give a tuple, and it gave a list.'
    """
    if same(got, expected, tolerance):
        return None
    parts = ("", show(got), show(expected))
    exact = tolerance == 0
    found, wanted = kind_of(got, exact=exact), kind_of(expected, exact=exact)
    if found != wanted:
        why = f"{function} should give {_named(wanted)}, and it gave {_named(found)}."
        return Fault("type", *parts, why)
    if isinstance(got, np.ndarray) and isinstance(expected, np.ndarray):
        return _compare_arrays(got, expected, parts)
    if isinstance(got, dict) and isinstance(expected, dict) and set(got) != set(expected):
        return Fault("shape", *parts, _keys(got, expected))
    if isinstance(got, tuple | list) and isinstance(expected, tuple | list):
        word = "Size" if function.endswith("_shape") else "Item"
        return _compare_items(got, expected, tolerance, parts, word)
    return Fault("values", *parts, f"{function} gave another value.")


def _compare_arrays(got: np.ndarray, expected: np.ndarray, parts: tuple[str, str, str]) -> Fault:
    if got.shape != expected.shape:
        why = f"The array has shape {got.shape}; it should have {expected.shape}."
        return Fault("shape", *parts, why)
    if got.dtype.kind != expected.dtype.kind:
        why = f"The array holds numbers of type {got.dtype}; they should be {expected.dtype}."
        return Fault("type", *parts, why)
    return Fault("values", *parts, "The shape is right; the numbers in it are not.")


def _compare_items(
    got: tuple[object, ...] | list[object],
    expected: tuple[object, ...] | list[object],
    tolerance: float,
    parts: tuple[str, str, str],
    word: str,
) -> Fault:
    """Name the first item that differs by its place; `word` says what the items are."""
    if len(got) != len(expected):
        verb = "is" if len(got) == 1 else "are"
        held = counted(len(got), word.lower())
        why = f"There {verb} {held} in it; there should be {len(expected)}."
        return Fault("shape", *parts, why)
    exact = tolerance == 0
    pairs = [*enumerate(zip(got, expected, strict=True), start=1)]
    for place, (one, other) in pairs:
        found, wanted = kind_of(one, exact=exact), kind_of(other, exact=exact)
        if found != wanted:
            why = f"{word} {place} should be {_named(wanted)}, and it is {_named(found)}."
            return Fault("type", *parts, why)
    place, (one, other) = next(pair for pair in pairs if not same(*pair[1], tolerance))
    why = f"{word} {place} is {show(one, 60)}; it should be {show(other, 60)}."
    return Fault("values", *parts, why)


def _keys(got: dict[object, object], expected: dict[object, object]) -> str:
    missing = sorted(map(str, set(expected) - set(got)))
    extra = sorted(map(str, set(got) - set(expected)))
    words = [f"missing: {', '.join(missing)}"] * bool(missing)
    words += [f"too many: {', '.join(extra)}"] * bool(extra)
    return f"The names are not the ones asked for ({'; '.join(words)})."


def _named(kind: str) -> str:
    return _NAMES.get(kind, f"a {kind}")


def _wanted(expected: object) -> str:
    if isinstance(expected, Raises):
        return f"raise {expected.kind.__name__}"
    return expected.text if isinstance(expected, Words) else show(expected)


def exception_fault(error: BaseException, function: str) -> Fault:
    """Say what a student's exception means, and at which of their lines it arose.

    Examples
    --------
    >>> exception_fault(NotImplementedError(), "kahn").why
    'kahn is not written yet: its stub still raises NotImplementedError.'
    """
    name = type(error).__name__
    where = place(error)
    if is_stub(error):
        why = f"{function} is not written yet: its stub still raises NotImplementedError."
        return Fault("type", "", "nothing yet", "", why, error=error, unanswered=True)
    got = f"{name}: {_text(error)}" + (f"\nat {where}" if where else "")
    return Fault("type", "", got, "", _meaning(error, function), error=error)


def is_stub(error: BaseException) -> bool:
    """Tell whether an error is that of a stub: NotImplementedError itself, or its stand-in.

    Errors of other names descend from it too, such as the one of a notebook that cannot ask.

    Examples
    --------
    >>> is_stub(NotImplementedError()), is_stub(type("NoInput", (NotImplementedError,), {})())
    (True, False)
    """
    return isinstance(error, NotImplementedError) and type(error).__name__ == "NotImplementedError"


def _meaning(error: BaseException, function: str) -> str:
    if isinstance(error, RecursionError):
        return (
            f"{function} calls itself once per node. Python allows about a thousand calls inside "
            "each other, and a graph can be deeper than that."
        )
    if type(error).__name__ in ("StdinNotImplementedError", "EOFError"):
        return f"{function} asks for input(), and nobody answers. Work with the arguments."
    if isinstance(error, SystemExit):
        return f"{function} ended the program. A function gives its answer back by return."
    if isinstance(error, TypeError) and "positional argument" in _text(error):
        return f"{function} was called with the arguments above, and it does not take them."
    if isinstance(error, KeyError):
        return "A dict was asked for a name that it does not hold at that moment."
    return f"{function} stopped with an error instead of giving an answer."


def _text(error: BaseException) -> str:
    try:
        return str(error)[:300] or "no message"
    except Exception:  # a student's own exception may fail to print itself
        return "no message"


def place(error: BaseException) -> str:
    """Name the deepest line of the student's code on the way to an error, or ''.

    Parameters
    ----------
    error
        An exception raised here, or one carried over from another process, which then lists its
        places in `where`.
    """
    carried = getattr(error, "where", None)
    if isinstance(carried, list | tuple) and carried and isinstance(carried[-1], dict):
        line = carried[-1]
        return f"line {line.get('line')}: {str(line.get('code', '')).strip()}"
    found = _students_line(error.__traceback__)
    return f"line {found[1]} of {found[2]}: {found[0]}" if found else ""


def _students_line(trace: TracebackType | None) -> tuple[str, int, str] | None:
    own: dict[str, bool] = {}
    deepest = None
    for frame, number in traceback.walk_tb(trace):
        file = frame.f_code.co_filename
        if own.setdefault(file, not _is_library(file)):
            deepest = (file, number, frame.f_code.co_qualname)
    if deepest is None:
        return None
    file, number, name = deepest
    return linecache.getline(file, number).strip(), number, _cell(name)


def _cell(name: str) -> str:
    """Name the function around a line; a comprehension belongs to the function it stands in.

    Examples
    --------
    >>> _cell("evaluate.<locals>.<listcomp>"), _cell("<module>"), _cell("<listcomp>")
    ('evaluate', 'your cell', 'your cell')
    """
    named = [part for part in name.split(".") if not part.startswith("<")]
    return named[-1] if named else "your cell"


def _is_library(file: str) -> bool:
    """Tell whether a file belongs to cgkit, to Python or to an installed package."""
    if file.startswith("<frozen") or file == "<string>":
        return True
    return file.startswith((_HERE, _PYTHON)) or "site-packages" in file
