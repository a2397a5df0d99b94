"""Grade a class: take in, grade several at once, write one by one.

    classes/submitted/*/01_graphs ──intake──► known already? ──yes──┐
                                                   │ no             ▼
                                                 workers ──► gradebook, marked notebook

- Every student gets a row, whatever was handed in; nobody's file changes another's mark.
- What is written stays written: stopped at any moment, a second run goes on from there.
- One process writes, one submission at a time: first what was found, then the gradebook, then the
  marked notebook, which thereby says that all of it is there.
- Grading the same again changes nothing.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

from cgkit.errors import EnvironmentFault, NotebookError, UsageFault
from cgkit.files import write_whole
from cgkit.grading.evidence import flags_of_files
from cgkit.grading.gradebook import Desk, Marks, Name, Recorded
from cgkit.grading.grades import write_grades
from cgkit.grading.intake import HandedIn, take_in
from cgkit.grading.kept import Kept, digest, environment, modules_of
from cgkit.grading.marked import (
    flag_line,
    key_of,
    marked_notebook,
    marks_of,
    unanswered,
    unread,
    write_notebook,
)
from cgkit.grading.master import Master, read_master
from cgkit.grading.places import Places, safe_id
from cgkit.grading.register import desk_for
from cgkit.grading.result import CellResult, Result
from cgkit.grading.sandbox import Situation
from cgkit.grading.workers import Crew, Order

Tell: TypeAlias = Callable[["Graded", int, int], None]
"""Told of each submission that is written, how many are, and how many there are."""


@dataclass(frozen=True)
class Graded:
    """One submission that was graded and written."""

    student: str
    assignment: str
    result: Result
    recorded: Recorded
    known: bool
    """Whether the result was kept from an earlier run."""
    renewed: bool
    """Whether the marked notebook is another than before."""
    waiting: tuple[str, ...]
    """Cells that a person must look at."""

    @property
    def changed(self) -> bool:
        """Whether anything is different from before."""
        return self.recorded.new or bool(self.recorded.changes) or self.renewed

    def remarks(self) -> list[str]:
        """Say what is special, a line each."""
        lines = [f"not graded: {self.result.failed}"] if self.result.failed else []
        lines += [f"was {change}" for change in self.recorded.changes]
        lines += [f"note: {note}" for note in self.result.notes]
        lines += [f"look: {flag_line(flag)}" for flag in self.result.flags]
        if self.recorded.looks:
            lines.append("look: this work is another than the one marked by hand; those marks stay")
        return lines


@dataclass(frozen=True)
class Lesson:
    """One notebook of an assignment of a class, ready to be graded."""

    places: Places
    name: str
    """The assignment."""
    situation: Situation
    sheet: str = ""
    """Which notebook, where the assignment has several."""

    @property
    def title(self) -> str:
        """What to call it: the assignment, and the notebook where there are several."""
        return f"{self.name}/{self.sheet}" if self.sheet not in ("", self.name) else self.name

    @property
    def source(self) -> Path:
        """The place of the notebook with answers and hidden tests."""
        return self.places.source(self.name, self.sheet)

    @cached_property
    def raw(self) -> bytes:
        """The notebook with answers and hidden tests."""
        try:
            return self.source.read_bytes()
        except FileNotFoundError:
            known = ", ".join(self.places.assignments()) or "none"
            raise UsageFault(
                f"there is no assignment {self.name!r}", why=f"assignments here: {known}"
            ) from None

    @cached_property
    def notebook(self) -> dict[str, Any]:
        """The same, read."""
        try:
            found: dict[str, Any] = json.loads(self.raw)
        except ValueError as error:
            raise NotebookError(f"{self.source} is no notebook") from error
        return found

    @cached_property
    def master(self) -> Master:
        """The same, as cells with roles."""
        return read_master(self.notebook)

    @cached_property
    def kept(self) -> Kept:
        """What need not be found again."""
        return Kept(self.places.kept)

    @cached_property
    def fixed(self) -> str:
        """Sum up everything but the submission that decides a result."""
        situation = f"{self.situation.which} {self.situation.label}"
        world = environment(modules_of(self.master))
        return digest(self.title, self.raw, world, situation, self.places.secret())

    def key(self, student: str, raw: bytes) -> str:
        """Sum up all that decides the result of a submission."""
        return digest(self.fixed, student, raw)

    def order(self) -> Order:
        """Give what workers must know."""
        learned = self.kept.learned(self.title, self.fixed)
        return Order(self.title, self.source, self.situation, self.places.secret(), learned)

    def keep_learned(self, crew: Crew) -> None:
        """Store what a crew learned from the reference."""
        if crew.learned is not None:
            with writing(self.places.home):
                self.kept.put_learned(self.title, self.fixed, crew.learned)

    def desk(self) -> tuple[Desk, bool]:
        """Get ready to write into the gradebook; tell whether the assignment was new to it."""
        places, name = self.places, Name(self.name, self.sheet)
        return desk_for(places.gradebook, places.course, name, self.master, self.notebook)

    def take_in(self, student: str) -> HandedIn:
        """Look at what a student handed in."""
        folder = self.places.handed_in(student, self.name)
        return take_in(folder, student, self.sheet or self.name, self.names, self.siblings)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the cells."""
        return tuple(cell.cell for cell in self.master.cells)

    @cached_property
    def siblings(self) -> dict[str, tuple[str, ...]]:
        """The other notebooks of the assignment, each with the names of its cells."""
        found = lessons_of(self.places, self.name, self.situation) if self.sheet else ()
        return {one.sheet: one.names for one in found if one.sheet != self.sheet}

    def without_notebook(self, handed: HandedIn) -> Result:
        """Give the result of what holds no notebook: no points, and everybody can see why."""
        why = "there was no notebook to grade"
        cells = tuple(
            CellResult(cell.cell, "test", out_of=cell.points, message=why)
            for cell in self.master.cells
            if cell.role == "test"
        )
        return Result(handed.student, cells, label=self.situation.label)

    def write(self, desk: Desk, handed: HandedIn, result: Result, known: bool = False) -> Graded:
        """Write one submission: gradebook first, then the marked notebook.

        Parameters
        ----------
        desk
            From `desk`.
        handed
            What was handed in.
        result
            How it came out.
        known
            Whether the result was kept from an earlier run.
        """
        result = with_intake(handed, result)
        read = handed.raw is not None and not unread(result)
        marks = marks_of(self.master, result, read=read)
        path = self.places.marked(handed.student, self.name, self.sheet)
        work = digest(handed.raw or b"")
        recorded = desk.record(
            Marks(
                student=safe_id(handed.student),
                cells=marks,
                unanswered=unanswered(self.master, result),
                flagged=bool(result.flags),
                when=handed.when,
                same=key_of(path) == work,
            )
        )
        with writing(self.places.home):
            _carry(path.parent, handed)
            renewed = write_notebook(
                path, marked_notebook(self.notebook, self.master, result, work)
            )
        waiting = tuple(name for name, mark in marks.items() if mark.look)
        return Graded(handed.student, self.title, result, recorded, known, renewed, waiting)


def lessons_of(places: Places, name: str, situation: Situation) -> tuple[Lesson, ...]:
    """Give all notebooks of an assignment, each to be graded by itself."""
    found = places.notebooks(name)
    sheets = () if found == (name,) else found
    return tuple(Lesson(places, name, situation, sheet) for sheet in sheets or ("",))


@contextlib.contextmanager
def writing(home: Path) -> Iterator[None]:
    """Say in a sentence why a class cannot be written.

    Raises
    ------
    EnvironmentFault
        The disk is full, or something there may not be written.
    """
    try:
        yield
    except OSError as error:
        attempt = "letting this folder be written"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            attempt = "making room on the disk, then the same command: it goes on from here"
        why = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
        raise EnvironmentFault(f"{home} cannot be written", why=why, attempt=attempt) from error


def _carry(folder: Path, handed: HandedIn) -> None:
    """Lay beside a marked notebook what nbgrader reads there: when it came, and from whom.

    Without them `nbgrader autograde` would see no newer work, and `release_feedback` would stop.
    """
    when = f"{handed.when:%Y-%m-%d %H:%M:%S.%f} UTC" if handed.when else ""
    for name, text in (("timestamp.txt", when), ("submission_secret.txt", handed.secret)):
        path = folder / name
        if not text:
            path.unlink(missing_ok=True)
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_whole(path, text)


def with_intake(handed: HandedIn, result: Result) -> Result:
    """Add to a result what was seen before the notebook was opened."""
    flags = flags_of_files(handed.files)
    return replace(result, notes=handed.notes + result.notes, flags=result.flags + flags)


def grade_class(
    lesson: Lesson,
    *,
    students: Sequence[str] = (),
    workers: int = 1,
    again: bool = False,
    tell: Tell,
) -> list[Graded]:
    """Grade an assignment of a class.

    Parameters
    ----------
    lesson
        The assignment.
    students
        Whose; everybody's when it is empty. Who is named twice is graded once.
    workers
        How many to grade at once.
    again
        Grade what is known already once more.
    tell
        Told of each submission as soon as it is written.

    Returns
    -------
    list of Graded
        By student.

    Raises
    ------
    UsageFault
        There is nothing to grade, or a student did not hand anything in.
    EnvironmentFault
        The gradebook or the sandbox cannot be used, or another run is at work.
    """
    wanted = _wanted(lesson, students)
    with _alone(lesson.places.kept):
        desk, _ = lesson.desk()
        graded: list[Graded] = []

        def note(one: Graded) -> None:
            graded.append(one)
            tell(one, len(graded), len(wanted))

        later = []
        for student in wanted:
            done = None if again else _from_known(lesson, desk, student)
            if done is None:
                later.append(student)
            else:
                note(done)
        for done in _from_workers(lesson, desk, later, workers):
            note(done)
        with writing(lesson.places.home):
            write_grades(lesson.places.gradebook, lesson.places.grades)
    return sorted(graded, key=lambda one: one.student)


def _wanted(lesson: Lesson, students: Sequence[str]) -> Sequence[str]:
    """Name those whose work is graded."""
    assert lesson.master is not None  # an unknown assignment is said first
    there = lesson.places.students(lesson.name)
    missing = sorted(set(students) - set(there))
    place = lesson.places.submitted
    if missing:
        known = ", ".join(there[:20]) or "nobody"
        what = f"{', '.join(missing)} did not hand in {lesson.name}"
        raise UsageFault(what, why=f"in {place}: {known}")
    if not there:
        what = f"nobody has handed in {lesson.name} yet"
        raise UsageFault(what, attempt=f"put what comes back into {place}/STUDENT/{lesson.name}/")
    return tuple(dict.fromkeys(students)) or there


def _from_known(lesson: Lesson, desk: Desk, student: str) -> Graded | None:
    """Write what needs no grading: a result that is known, or no notebook at all."""
    handed = lesson.take_in(student)
    if handed.raw is None:
        return lesson.write(desk, handed, lesson.without_notebook(handed))
    result = lesson.kept.get(student, lesson.title, lesson.key(student, handed.raw))
    return lesson.write(desk, handed, result, known=True) if result else None


def _from_workers(
    lesson: Lesson, desk: Desk, students: Sequence[str], count: int
) -> Iterator[Graded]:
    """Let workers grade some submissions, and write each."""
    taken: dict[str, HandedIn] = {}

    def load(student: str) -> bytes:
        taken[student] = lesson.take_in(student)
        return taken[student].raw or b""

    if not students:
        return
    with Crew(lesson.order(), min(count, len(students))) as crew:
        lesson.keep_learned(crew)
        for student, result in crew.grade([(one, partial(load, one)) for one in students]):
            handed = taken.pop(student)
            if not result.failed:
                key = lesson.key(student, handed.raw or b"")
                with writing(lesson.places.home):
                    lesson.kept.put(student, lesson.title, key, result)
            yield lesson.write(desk, handed, result)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold off a second run; the hold ends with this process, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # where there is none, nothing can be graded either
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        what = "this class is being graded already"
        raise EnvironmentFault(what, attempt="waiting until the other run has ended") from error
