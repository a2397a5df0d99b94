"""Take the sample class from release to grades, and compare the marks.

    solutions/ ──nbgrader──► hand in ──the engine of `cgkit grade`──► gradebook, grades.csv
                                                 └──► marked notebooks ──nbgrader──► feedback

Everything happens in build/demo/, with a gradebook of its own; a run begins by removing the last
one, whole or interrupted. Where there is no sandbox, submissions that would do harm are skipped,
and every mark is labelled.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cgkit.cells import Cell, read
from cgkit.errors import NotebookError
from cgkit.grading.batch import Graded, Lesson, grade_class
from cgkit.grading.gradebook import Desk
from cgkit.grading.places import Places
from cgkit.grading.sandbox import Situation
from cgkit.notebooks.build import Tell, is_current, untold
from cgkit.notebooks.classroom import CLASS_FILE, Student, put_down, read_class
from cgkit.notebooks.clerk import Answer, Clerk
from cgkit.notebooks.compose import load
from cgkit.notebooks.fence import best
from cgkit.notebooks.project import Project, Text

HOUR = 3600
SKIPPED = "skipped: there is no sandbox here, and this would run with your rights"


@dataclass(frozen=True)
class Lecture:
    """One assignment with the class that works on it."""

    text: Text
    cells: tuple[Cell, ...]
    students: tuple[Student, ...]


@dataclass(frozen=True)
class Mark:
    """What one student was expected to get and got."""

    student: Student
    expected: Mapping[str, float]
    """Points by id of the test cell."""
    given: Mapping[str, float] | None
    """The same from the gradebook; None when there is no mark."""
    why: str = ""
    """Why there is no mark."""
    notes: tuple[str, ...] = ()
    """What was odd about the file, in sentences."""
    flags: tuple[str, ...] = ()
    """What a teacher should look at."""
    messages: Mapping[str, str] = field(default_factory=dict)
    """What each check said, by id of the test cell."""
    label: str = ""
    """What is said where a fence is missing."""

    @property
    def skipped(self) -> bool:
        """Whether it was left out on purpose."""
        return self.why == SKIPPED

    @property
    def faults(self) -> list[str]:
        """What is not as expected."""
        if self.given is None:
            return [] if self.skipped else [f"no mark: {self.why}"]
        wrong = [f"not graded: {self.why}"] if self.why else []
        wrong += [
            f"{name}: expected {points:g}, given {self.given.get(name, 0):g}"
            for name, points in self.expected.items()
            if points != self.given.get(name, 0)
        ]
        wrong += [
            f"{name}: does not say {words!r}"
            for name, words in self.student.says.items()
            if _squeezed(words) not in _squeezed(self.messages.get(name, ""))
        ]
        for what, wanted, found in (
            ("note", self.student.notes, self.notes),
            ("flag", self.student.flags, self.flags),
        ):
            missing = [words for words in wanted if not any(words in one for one in found)]
            wrong += [f"no {what} says {words!r}" for words in missing]
            if found and not wanted:
                wrong.append(f"a {what} that nobody expects: {found[0]}")
        return wrong


@dataclass(frozen=True)
class Outcome:
    """How the class did."""

    marks: tuple[Mark, ...]
    """One for each student and assignment, in order."""
    home: Path
    """The folder of the class, with its feedback and gradebook."""
    grades: Path
    """The table of grades."""
    situation: Situation
    """What stood between the students' code and this machine."""


def demo(project: Project, *, tell: Tell = untold, situation: Situation | None = None) -> Outcome:
    """Grade the sample class.

    Parameters
    ----------
    project
        The course.
    tell
        Told what happens now.
    situation
        The fence; the best one there is when left out, and none where there is none.

    Returns
    -------
    Outcome
        All marks, expected and given.

    Raises
    ------
    NotebookError
        There is no sample class, a solution is out of date, nbgrader fails altogether, or another
        demo runs.
    """
    lectures = _lectures(project)
    home = project.build / "demo"
    with _alone(home.with_name("demo.lock")):
        return _graded(project, lectures, home, tell, situation)


def _graded(
    project: Project, lectures: list[Lecture], home: Path, tell: Tell, situation: Situation | None
) -> Outcome:
    """Grade all lectures in a folder made anew."""
    tell("sweep")
    _remove(home)
    situation = situation or best()
    with Clerk(project.root, home) as clerk:
        lessons = tuple(dict.fromkeys(lecture.text.assignment for lecture in lectures))
        for name in lessons:
            tell(f"release {name}")
            _must(clerk.do("release", assignment=name))
        names = {student.name for lecture in lectures for student in lecture.students}
        _must(clerk.do("enroll", students=" ".join(sorted(names))))
        marks = [
            mark
            for lecture in lectures
            for mark in mark_all(lecture, places_of(project, home), situation, tell)
        ]
        tell("feedback")
        _feedback(project, home, clerk, lessons)
    return Outcome(tuple(marks), home, places_of(project, home).grades, situation)


def steps(project: Project) -> int:
    """Count how often `demo` tells what happens now."""
    lectures = _lectures(project)
    lessons = {lecture.text.assignment for lecture in lectures}
    return 2 + len(lessons) + sum(len(lecture.students) for lecture in lectures)


def places_of(project: Project, home: Path) -> Places:
    """Give the places of a class that lies in a folder of its own."""
    return Places(
        root=project.root,
        solutions=project.solutions,
        submitted=home / "submitted",
        autograded=home / "autograded",
        gradebook=f"sqlite:///{home / 'gradebook.db'}",
    )


def lecture_of(project: Project, text: Text, part: str = "") -> Lecture:
    """Read an assignment and its class.

    Parameters
    ----------
    project
        The course.
    text
        The assignment.
    part
        A folder inside the one of the class, for a list of its own such as ``"cheats"``.

    Raises
    ------
    NotebookError
        The class cannot be read, or the solution is out of date.
    """
    if not is_current(text):
        reason = f"{project.relative(text.built)} is older than {text.source}"
        raise NotebookError(reason, attempt=f"cgkit build {text.source}")
    cells = read(text.path, text.source)
    folder = project.classroom / text.name / part
    return Lecture(text, cells, read_class(folder, cells, text.name))


def _lectures(project: Project) -> list[Lecture]:
    """Read every assignment that has a sample class."""
    lectures = [
        lecture_of(project, text)
        for text in project.texts
        if text.kind == "assignment" and (project.classroom / text.name / CLASS_FILE).is_file()
    ]
    if not lectures:
        place = f"{project.relative(project.classroom)}/ASSIGNMENT/{CLASS_FILE}"
        raise NotebookError("no sample class", why=f"one would be written down in {place}")
    return lectures


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Keep other demos out of the folder, by a lock that holds the number of our process."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    if _left_behind(lock):
        lock.unlink(missing_ok=True)
    try:
        with lock.open("x", encoding="utf-8") as file:
            file.write(str(os.getpid()))
    except FileExistsError as error:
        raise NotebookError(
            "a demo is already running",
            why="both would write the same folder",
            attempt=f"waiting for it; if none runs, remove {lock}",
        ) from error
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _left_behind(lock: Path) -> bool:
    """Say whether who wrote a lock is gone: after an hour, or when no such process runs."""
    try:
        text, age = lock.read_text(encoding="utf-8"), time.time() - lock.stat().st_mtime
        if os.name != "nt" and text.isdigit():  # Windows would end the process one asks about
            os.kill(int(text), 0)
    except ProcessLookupError:
        return True
    except FileNotFoundError:
        return False
    except PermissionError:
        return age > HOUR
    return age > (HOUR if text else 10)


def _remove(folder: Path) -> None:
    """Remove a folder; one whose removal was interrupted is aside and goes too."""
    aside = folder.with_name(folder.name + ".old")
    for place in (aside, folder):
        if place.exists():
            moved = place if place == aside else place.rename(aside)
            shutil.rmtree(moved)


def _must(answer: Answer) -> None:
    if not answer["ok"]:
        raise NotebookError("the class cannot be graded", why=answer["why"])


def mark_all(
    lecture: Lecture, places: Places, situation: Situation, tell: Tell = untold
) -> list[Mark]:
    """Hand in for everyone and grade it, several at once.

    Parameters
    ----------
    lecture
        The assignment and its class.
    places
        Where the class lies; its released notebook is read from ``release/`` there, or from
        assignments/ where there is none.
    situation
        The fence; without one, students that would do harm do not hand in.
    tell
        Told of each student.

    Returns
    -------
    list of Mark
        One for each student, in the order of the class.
    """
    name, sheet = lecture.text.assignment, lecture.text.name
    released = load(_released(lecture, places))
    there = [one for one in lecture.students if situation.which != "none" or not one.hostile]
    for student in there:
        put_down(student, lecture.cells, released, places.handed_in(student.name, name))

    def told(graded: Graded, *_: int) -> None:
        tell(f"{sheet}: {graded.student}")

    lesson = Lesson(places, name, situation, sheet if sheet != name else "")
    done = grade_class(
        lesson,
        students=[one.name for one in there],
        workers=os.cpu_count() or 1,
        tell=told,
    )
    desk, _ = lesson.desk()
    graded = {one.student: one for one in done}
    return [_mark(lecture, student, graded.get(student.name), desk) for student in lecture.students]


def _released(lecture: Lecture, places: Places) -> Path:
    text = lecture.text
    fresh = places.home / "release" / text.assignment / f"{text.name}.ipynb"
    return fresh if fresh.exists() or lecture.text.released is None else lecture.text.released


def _mark(lecture: Lecture, student: Student, graded: Graded | None, desk: Desk) -> Mark:
    """Compare what one student was expected to get with what the gradebook says."""
    expected = student.expected(lecture.cells)
    if graded is None:
        return Mark(student, expected, None, SKIPPED)
    result, points = graded.result, desk.points(student.name)
    return Mark(
        student,
        expected,
        {name: points.get(name) or 0.0 for name in expected},
        result.failed,
        notes=result.notes,
        flags=tuple(f"{flag.what}: {flag.evidence}" for flag in result.flags),
        messages={cell.cell: cell.message for cell in result.cells},
        label=result.label,
    )


def _feedback(project: Project, home: Path, first: Clerk, names: Sequence[str]) -> None:
    """Let nbgrader make the feedback of all assignments, each by a process of its own."""
    with ExitStack() as stack:
        clerks = [first]
        clerks += [stack.enter_context(Clerk(project.root, home)) for _ in names[1:]]
        pool = stack.enter_context(ThreadPoolExecutor(len(clerks)))
        orders = [
            pool.submit(partial(clerk.do, "feedback", assignment=name))
            for clerk, name in zip(clerks, names, strict=True)
        ]
        try:
            for order in orders:
                _must(order.result())
        except BaseException:
            for clerk in clerks:
                clerk.stop()
            raise


def _squeezed(text: str) -> str:
    return " ".join(text.split())
