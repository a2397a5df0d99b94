"""Run a plan: answers inside, tests outside, one question after the other.

    Judge(plan, sandbox, policy, seeds, limits).run() ──► cell results, in the order of the plan

It runs in a forked process of its own with limits of its own, since what students give back may be
ten to the eighteenth. A hang or a death costs the question in which it happened: a fresh worker
runs again whatever was run before, without the culprit.

- A death that was no hang is tried once more.
- A test cell is run at most once to an end; when it is tried again, given cells are run again
  before it, so that nothing is used up. Its score is 0 unless it came to one.
"""

from __future__ import annotations

import ast
import contextlib
import io
import random
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cgkit.grading.classes import Given
from cgkit.grading.link import Link
from cgkit.grading.names import bound, tree_of
from cgkit.grading.namespace import Namespace
from cgkit.grading.outcomes import Died, StudentError, TimedOut, TooLong
from cgkit.grading.policy import Policy
from cgkit.grading.rebuild import Plan, PlanCell
from cgkit.grading.result import CellResult
from cgkit.grading.sandbox import Sandbox
from cgkit.grading.strict import AuthorError, points_of
from cgkit.grading.testcell import ended, run_test

MOST_PRINTED = 64_000
"""Letters of what one cell printed that are kept."""
MOST_IN_ALL = 400_000
"""Letters of what all cells of a submission printed that are kept."""
_PATIENCE = 10


@dataclass(frozen=True)
class Times:
    """Seconds a submission may take; all of them generous."""

    cell: float = 5.0
    """One cell, unless the reference needed a good part of that."""
    own: float = 2.0
    """One cell of the student's own."""
    total: float = 60.0
    """The whole submission, unless the reference needed a good part of that."""
    slower: float = 8.0
    """How many times as long as the reference a student may need."""


@dataclass(frozen=True)
class Seeds:
    """What random numbers begin with; the one inside tells nothing about the one outside."""

    inside: int = 1
    outside: int = 1


@dataclass
class Judge:
    """One submission being judged.

    Parameters
    ----------
    plan
        What to run.
    sandbox
        Where answers run.
    policy
        What answers may give back; a `Learner` for the reference run.
    prepared
        Names bound by given cells that are the same for everybody, and results of test cells that
        read nothing of a student's.
    """

    plan: Plan
    sandbox: Sandbox
    policy: Policy
    seeds: Seeds = field(default_factory=Seeds)
    times: Times = field(default_factory=Times)
    prepared: Mapping[str, Any] = field(default_factory=dict)
    constant: Mapping[str, CellResult] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.forks = 0
        self.seen: list[tuple[str, str, str]] = []
        self._results: list[CellResult] = []
        self._done: list[PlanCell] = []
        self._bad: set[str] = set()
        self._room = MOST_IN_ALL
        self._link: Link | None = None
        self._names = Namespace(self.plan.exported, self._source, self.prepared)
        self._given = Given()
        for cell in self.plan.cells:
            if cell.kind == "given":
                self._given.learn(self._names, bound(cell.source))
        known = sum(self.policy.seconds.values())
        total = max(self.times.total, self.times.slower * known)
        self._end = time.monotonic() + total * (_PATIENCE if self.policy.learning else 1)

    def run(self) -> tuple[CellResult, ...]:
        """Run everything; give a result for each cell of the plan."""
        signal.signal(signal.SIGALRM, _alarm)
        try:
            for cell in self.plan.cells:
                self._results.append(self._step(cell))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self._link is not None:
                self._link.end()
        return tuple(self._results)

    # one cell

    def _step(self, cell: PlanCell) -> CellResult:
        if cell.cell in self.constant:
            return self.constant[cell.cell]
        before = self._names.kept()
        result = self._attempt(cell)
        if result.error == "Died" and cell.cell not in self._bad:
            if cell.kind == "test":
                self._names.restore(before)
            result = self._attempt(cell, anew=True)  # it may have been the one before
        if result.error in ("Died", "TimedOut") and cell.kind != "test":
            self._bad.add(cell.cell)
        return result

    def _attempt(self, cell: PlanCell, *, anew: bool = False) -> CellResult:
        printed, warned = _Tee(self._room), _Tee(self._room)
        result = CellResult(cell.cell, cell.kind, out_of=cell.points)
        start = time.monotonic()
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(warned):
                result = self._judged(cell, result, anew=anew)
        except BaseException as error:
            result = _failed(result, error, cell)
            if isinstance(error, TooLong) and self._link is not None:
                self._link.end()
        self._note_seen(cell)
        self._room = max(0, self._room - printed.tell() - warned.tell())
        return replace(
            result,
            seconds=round(time.monotonic() - start, 4),
            printed=printed.getvalue(),
            warned=warned.getvalue(),
        )

    def _judged(self, cell: PlanCell, result: CellResult, *, anew: bool) -> CellResult:
        if time.monotonic() >= self._end:
            raise TimedOut("the time for the whole submission is used up")
        link = self._ready()
        self._names.begin()
        with self._timed(cell, link):
            if cell.kind == "test":
                for given in self._done if anew else ():  # a test may use up what these made
                    if given.kind == "given":
                        self._run_outside(given)
                random.seed(self.seeds.outside)
                np.random.seed(self.seeds.outside % 2**32)
                value = run_test(cell.source, f"<test {cell.cell}>", self._names)
                score, words = points_of(value, cell.points)
                return replace(result, score=score, message=words)
            if cell.kind == "given" and cell.live:
                self._run_outside(cell)
            if cell not in self._done:
                self._done.append(cell)
            try:
                self._inside(link, cell)
            except StudentError as error:
                self._broke(cell, error)
                raise
            return result

    def _run_outside(self, cell: PlanCell) -> None:
        """Run a given cell for what it defines; what it shows of a student's work may fail."""
        with contextlib.suppress(StudentError, TimedOut, Died):
            exec(compile(cell.source, f"<cell {cell.cell}>", "exec"), self._names)
        self._given.learn(self._names, bound(cell.source))

    def _broke(self, cell: PlanCell, error: StudentError) -> None:
        where = f" at {error.place()}" if error.place() else ""
        reason = f"its cell stopped{where}: {type(error).__name__}: {error}"
        self._names.broken |= dict.fromkeys(bound(cell.source), reason)

    @contextlib.contextmanager
    def _timed(self, cell: PlanCell, link: Link) -> Iterator[None]:
        """Set the deadline of a cell for what runs inside, and an alarm for what runs outside."""
        limit = cell.limit or (self.times.own if cell.kind == "extra" else self.times.cell)
        limit = max(limit, self.times.slower * self.policy.seconds.get(cell.cell, 0.0))
        limit *= _PATIENCE if self.policy.learning else 1
        link.deadline = min(time.monotonic() + limit, self._end)
        signal.setitimer(signal.ITIMER_REAL, limit + 1, 1.0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    # workers

    def _ready(self) -> Link:
        """Give a living worker that has run all that was run before."""
        while self._link is None or not self._link.alive:
            self._link = Link(self.sandbox, self.policy, self._given)
            self._names.link = self._link
            self.forks += 1
            self._replay(self._link)
        return self._link

    def _replay(self, link: Link) -> None:
        for cell in self._done:
            if cell.cell in self._bad:
                continue
            link.deadline = min(time.monotonic() + self.times.cell, self._end)
            try:
                with contextlib.redirect_stdout(_Tee()), contextlib.redirect_stderr(_Tee()):
                    self._inside(link, cell)
            except (TimedOut, Died):
                self._bad.add(cell.cell)
                return
            except StudentError:
                pass

    def _inside(self, link: Link, cell: PlanCell) -> None:
        link.run(cell.cell, cell.source, self.seeds.inside, given=cell.kind == "given")

    def _note_seen(self, cell: PlanCell) -> None:
        if self._link is not None:
            self.seen += [(cell.cell, what, which) for what, which in self._link.seen]
            self._link.seen.clear()

    def _source(self, name: str) -> str:
        """Give the text of the student's definition of a name; for checks that read code."""
        return definition(self.plan, name)


def definition(plan: Plan, name: str) -> str:
    """Give the text of the last definition of a name among a student's cells, or ""."""
    for cell in reversed(plan.cells):
        if cell.kind in ("solution", "extra") and name in bound(cell.source):
            tree = tree_of(cell.source)
            for node in tree.body if tree else ():
                if getattr(node, "name", None) == name:
                    return ast.get_source_segment(cell.source, node) or cell.source
            return cell.source
    return ""


class _Tee(io.StringIO):
    """Keeps the beginning of what is written."""

    def __init__(self, room: int = 0) -> None:
        super().__init__()
        self._most = min(room, MOST_PRINTED)

    def write(self, text: str) -> int:
        room = self._most - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)


def _failed(result: CellResult, error: BaseException, cell: PlanCell) -> CellResult:
    if isinstance(error, AuthorError):
        words = "this test did not say how many points there are; a teacher will look at it"
        return replace(result, error="AuthorError", message=words, by_hand=error.what)
    how = ended(error, cell.source, cell.released)
    return replace(result, error=how.error, message=how.words, by_hand=how.by_hand)


def _alarm(*_: object) -> None:
    raise TooLong
