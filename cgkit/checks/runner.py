"""Call a student's function, judge what comes back, and search for the smallest case that fails.

    exam = Exam(TASKS["evaluate"], candidate, seed)
    exam.search(strategy, lambda case: exam.examine(arguments, expected))     ──► first failure only
    return exam.task.passed("right on 200 graphs")

Invariants: expected values never reach the student's function; results are made plain before they
are compared; the same seed gives the same cases; hypothesis keeps no database and no clock.
"""

from __future__ import annotations

import contextlib
import copy
import io
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cgkit.checks import search
from cgkit.checks.judge import Returned, Words, changed, judge, judge_by, place
from cgkit.checks.plain import NotPlainError, describe, plain, same, show
from cgkit.checks.task import Fault, Mistake, Task

#: the seed of a check in a student's notebook; the hidden tests use another
SEED = 20
_REMEMBERED = 400
#: what shrinking may cost: a call costs 1, one that ran into the recursion limit costs more
_SHRINKING = 400
_DEEP_CALL = 20


class _Sink(io.TextIOBase):
    """Swallows what a student's function prints: two hundred calls would print it 200 times."""

    def write(self, text: str) -> int:
        return len(text)


@dataclass(frozen=True)
class _Seen:
    """One call and what came of it, by which a mistake is recognized."""

    arguments: tuple[object, ...]
    outcome: Returned | type[BaseException]
    tolerance: float
    read: Callable[[object], object] = plain


class _Stopped(BaseException):
    """The student's function was interrupted; nothing may call it again, hypothesis included."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.why)
        self.fault = fault


class Exam:
    """One student's answer to one task.

    Parameters
    ----------
    task
        What is asked.
    candidate
        The student's function, or a stand-in that calls it elsewhere.
    seed
        Decides the hidden cases.
    """

    def __init__(self, task: Task, candidate: object, seed: int) -> None:
        self.task = task
        self.seed = seed
        self._seen: deque[_Seen] = deque(maxlen=_REMEMBERED)
        self._searching = False
        if not callable(candidate):
            raise task.failed(_not_a_function(task, candidate))
        self._candidate: Callable[..., object] = candidate
        # a stand-in may have a way to be called that also shows what it did to its arguments
        self._watched: Callable[..., object] = getattr(candidate, "watched", candidate)

    def call(
        self,
        arguments: Sequence[object],
        read: Callable[[object], object] = plain,
        *,
        called: str = "",
        copies: bool = True,
    ) -> Returned | Exception | SystemExit:
        """Call the student's function on copies; give its result, made plain, or its exception.

        Parameters
        ----------
        arguments
            Plain data and functions.
        read
            Makes the result plain, or raises `NotPlainError`.
        called
            How the call is written in a message; from the arguments otherwise.
        copies
            Whether the student gets copies, and changing them is a fault.
        """
        given = tuple(arguments)
        if copies and not all(map(_fixed, given)):
            given = copy.deepcopy(given)
        try:
            with contextlib.redirect_stdout(_Sink()):
                value = (self._watched if copies else self._candidate)(*given)
        except (Exception, SystemExit) as error:
            return error
        except KeyboardInterrupt as stop:
            called = called or write_call(self.task.function, arguments)
            fault = _endless(self.task, called, stop)
        else:
            return _returned(value, read, given, arguments)
        if self._searching:
            raise _Stopped(fault)
        raise self.task.failed(fault)

    def examine(
        self,
        arguments: Sequence[object],
        expected: object,
        *,
        called: str = "",
        why: str = "",
        insist: bool = False,
        drawing: str = "",
        tolerance: float = 1e-9,
        copies: bool = True,
        read: Callable[[object], object] = plain,
    ) -> Fault | None:
        """Judge one call; give what is wrong, or None.

        Parameters
        ----------
        arguments
            Plain data and functions; copies go to the student.
        expected
            The right answer as plain data, or `Raises`.
        called
            How the call is written in the message; from the arguments otherwise.
        why
            The reason to give when the value is wrong.
        insist
            Give that reason even when there is no value.
        drawing
            Shown with the message.
        tolerance
            Relative and absolute, for numbers.
        copies
            Whether the student gets copies; large arguments that nobody needs again may go as
            they are.
        read
            Makes the result plain, or raises `NotPlainError`.
        """
        outcome = self._outcome(arguments, read, called, copies, tolerance)
        fault = judge(outcome, expected, self.task.function, tolerance)
        if fault is None:
            return None
        better = why if why and (insist or fault.stage in ("shape", "values")) else fault.why
        return self._placed(replace(fault, why=better), arguments, called, drawing)

    def inspect(
        self,
        arguments: Sequence[object],
        verdict: Callable[[object], Fault | None],
        wanted: str,
        *,
        called: str = "",
        drawing: str = "",
        copies: bool = True,
        read: Callable[[object], object] = plain,
    ) -> Fault | None:
        """Judge one call of which several answers are right; give what is wrong, or None.

        Parameters
        ----------
        arguments, called, copies, read
            As `examine` takes them.
        verdict
            Gives what is wrong with a plain value, or None.
        wanted
            What is asked for, in words.
        drawing
            Shown with the message, unless the fault brings its own.
        """
        outcome = self._outcome(arguments, read, called, copies)
        fault = judge_by(outcome, verdict, self.task.function, Words(wanted))
        if fault is None:
            return None
        return self._placed(fault, arguments, called, fault.drawing or drawing)

    def _outcome(
        self,
        arguments: Sequence[object],
        read: Callable[[object], object],
        called: str,
        copies: bool,
        tolerance: float = 1e-9,
    ) -> Returned | Exception | SystemExit:
        """Call the student's function, and remember what came of it."""
        outcome = self.call(arguments, read, called=called, copies=copies)
        kept = outcome if isinstance(outcome, Returned) else type(outcome)
        self._seen.append(_Seen(tuple(arguments), kept, tolerance, read))
        return outcome

    def _placed(
        self, fault: Fault, arguments: Sequence[object], called: str, drawing: str
    ) -> Fault:
        """Say of a fault in which call it was found; what is of the wrong kind needs no drawing."""
        plain_kind = fault.stage == "type" and fault.error is None
        text = called or write_call(self.task.function, arguments)
        return replace(fault, called=text, drawing="" if plain_kind else drawing)

    def require(self, fault: Fault | None) -> None:
        """Fail with `fault`, if there is one.

        Raises
        ------
        CheckFailed
            There is one.
        """
        if fault is not None:
            raise self.task.failed(self.named(fault))

    def search(self, strategy: Any, probe: Callable[[Any], Fault | None], tries: int = 200) -> None:
        """Look for a case that fails, make it small, and fail with it.

        Parameters
        ----------
        strategy
            A hypothesis strategy for cases.
        probe
            Gives the fault of a case, or None.
        tries
            How many cases to look at.

        Raises
        ------
        CheckFailed
            With the smallest case found.
        """
        self.require(self.smallest(strategy, probe, tries))

    def smallest(
        self, strategy: Any, probe: Callable[[Any], Fault | None], tries: int = 200
    ) -> Fault | None:
        """Give the fault of the smallest failing case, or None."""
        self._searching = True
        try:
            return self._smallest(strategy, probe, tries)
        except _Stopped as stopped:
            return stopped.fault
        finally:
            self._searching = False

    def _smallest(
        self, strategy: Any, probe: Callable[[Any], Fault | None], tries: int
    ) -> Fault | None:
        name = (self.task, probe.__qualname__, repr(strategy), self.seed, tries)
        if self._holds_again(name, probe):
            return None
        last: Fault | None = None
        left = _SHRINKING
        cases: list[Any] = []

        def fails(case: Any) -> bool:
            nonlocal left, last
            cases.append(case)
            fault = probe(case) if left > 0 else None
            if fault is not None and fault.unanswered:
                raise _Stopped(fault)  # nothing is written yet: no case says more than another
            if last or fault:
                deep = fault is not None and isinstance(fault.error, RecursionError)
                left -= _DEEP_CALL if deep else 1
            last = fault or last
            return fault is not None

        found = search.smallest(strategy, fails, self.seed, tries)
        if last is None:
            search.remember(name, cases)
            return None
        if self.task.mistakes:
            # more cases, right ones too: a mistake is named only if it agrees with all of them
            search.smallest(strategy, lambda case: bool(probe(case)) and False, self.seed + 1, 60)
        return (found and probe(found[0])) or last

    def _holds_again(self, name: object, probe: Callable[[Any], Fault | None]) -> bool:
        """Look at the cases of the same search when it found nothing before; True if none fails."""
        cases = search.remembered(name)
        seen = self._seen
        if cases is not None and not any(map(probe, cases)):
            return True
        self._seen = seen  # the search that follows begins as if this had not been
        return False

    def named(self, fault: Fault) -> Fault:
        """Name the mistake whose algorithm gives the student's answer on every case seen."""
        if fault.misconception or fault.unanswered or fault.stage == "invariants":
            return fault
        for mistake in self.task.mistakes:
            if self._seen and all(_agrees(mistake, seen) for seen in self._seen):
                return replace(fault, misconception=mistake.name, why=mistake.why)
        return fault


def _agrees(mistake: Mistake, seen: _Seen) -> bool:
    """Compare a student's outcome with what the mistaken algorithm gives on the same case."""
    try:
        with contextlib.redirect_stdout(_Sink()):
            theirs = seen.read(mistake.algorithm(*copy.deepcopy(seen.arguments)))
    except Exception as error:
        raised = seen.outcome
        return isinstance(raised, type) and issubclass(raised, type(error))
    outcome = seen.outcome
    if not isinstance(outcome, Returned) or outcome.odd:
        return False
    return same(outcome.value, theirs, seen.tolerance)


def _fixed(value: object) -> bool:
    """Tell whether nobody can change a value: numbers, texts and tuples of them."""
    if type(value) is tuple:
        return all(map(_fixed, value))
    return value is None or type(value) in (int, float, bool, str)


def _returned(
    value: object,
    read: Callable[[object], object],
    given: tuple[object, ...],
    arguments: Sequence[object],
) -> Returned:
    try:
        return Returned(read(value), changed=changed(given, arguments))
    except NotPlainError as odd:
        return Returned(None, odd=str(odd))


def _endless(task: Task, called: str, stop: KeyboardInterrupt) -> Fault:
    where = place(stop)
    got = "no answer: it was stopped" + (f" at {where}" if where else "")
    why = f"{task.function} did not come to an end. Which loop never becomes false?"
    return Fault("cost", called, got, "an answer in time", why, misconception="endless loop")


def _not_a_function(task: Task, candidate: object) -> Fault:
    return Fault(
        "type",
        called=task.function,
        got=describe(candidate),
        expected="a function",
        why=f"The name {task.function} does not hold a function.",
        unanswered=candidate is None,
    )


def write_call(function: str, arguments: Sequence[object]) -> str:
    """Write a call as one would type it.

    Examples
    --------
    >>> write_call("matmul_shape", [(2, 3), (3, 4)])
    'matmul_shape((2, 3), (3, 4))'
    """
    return f"{function}({', '.join(map(_argument, arguments))})"


def _argument(value: object) -> str:
    """Write one argument; of a function, its name: its address says nothing to anybody."""
    if callable(value):
        return str(getattr(value, "__name__", "function"))
    if type(value) is dict and any(map(callable, value.values())):
        return "{" + ", ".join(f"{key!r}: {_argument(item)}" for key, item in value.items()) + "}"
    return show(value, 120)
