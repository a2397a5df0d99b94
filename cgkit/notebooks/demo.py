"""Take the sample class through nbgrader, from release to grades, and compare the marks.

    solutions/ ──release──► hand in ──autograde──► feedback, grades.csv ──► marks as expected?

Everything happens in build/demo/, with a gradebook of its own; a run begins by removing the last
one, whole or interrupted. A notebook under another name gets no mark, but is reported.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from cgkit.cells import Cell, read
from cgkit.errors import NotebookError
from cgkit.notebooks.build import Tell, is_current, untold, write
from cgkit.notebooks.classroom import CLASS_FILE, Student, hand_in, read_class
from cgkit.notebooks.clerk import Answer, Clerk
from cgkit.notebooks.compose import dump, load
from cgkit.notebooks.outputs import plain_text
from cgkit.notebooks.project import Project, Text
from cgkit.notebooks.tasks import ANSI

CELL_SECONDS = 10
"""Time limit for one cell of the sample class; its infinite loop costs this much."""
LANES = min(4, os.cpu_count() or 1)
"""How many students are graded at once; each lane is a process with nbgrader in it."""


@dataclass(frozen=True)
class Lesson:
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
    silent: Mapping[str, str] = field(default_factory=dict)
    """Words expected in the message of a check and not found there, by id of the test cell."""

    @property
    def faults(self) -> list[str]:
        """What is not as expected."""
        if self.given is None:
            return [] if not self.student.marked else [f"no mark: {self.why}"]
        if not self.student.marked:
            return ["a mark was given, and none was expected"]
        wrong = [
            f"{name}: expected {points:g}, given {self.given.get(name, 0):g}"
            for name, points in self.expected.items()
            if points != self.given.get(name, 0)
        ]
        return wrong + [f"{name}: does not say {words!r}" for name, words in self.silent.items()]


@dataclass(frozen=True)
class Outcome:
    """How the class did."""

    marks: tuple[Mark, ...]
    """One for each student and assignment, in order."""
    home: Path
    """The folder of the class, with its feedback and gradebook."""
    grades: Path
    """The table that nbgrader exported."""


def demo(project: Project, *, tell: Tell = untold) -> Outcome:
    """Grade the sample class.

    Parameters
    ----------
    project
        The course.
    tell
        Told what happens now.

    Returns
    -------
    Outcome
        All marks, expected and given.

    Raises
    ------
    NotebookError
        There is no sample class, a solution is out of date, or nbgrader fails altogether.
    """
    lessons = _lessons(project)
    home = project.build / "demo"
    tell("sweep")
    _remove(home)
    with Clerk(project.root, home, CELL_SECONDS) as clerk:
        for lesson in lessons:
            tell(f"release {lesson.text.name}")
            _must(clerk.do("release", assignment=lesson.text.name))
            _hand_in_all(lesson, home)
        names = {student.name for lesson in lessons for student in lesson.students}
        _must(clerk.do("enroll", students=" ".join(sorted(names))))
        marks = _mark_all(project, home, clerk, lessons, tell)
        tell("export")
        grades = home / "grades.csv"
        _must(clerk.do("export", path=str(grades)))
    return Outcome(marks, home, grades)


def steps(project: Project) -> int:
    """Count how often `demo` tells what happens now."""
    lessons = _lessons(project)
    return 2 + len(lessons) + sum(len(lesson.students) for lesson in lessons)


def _lessons(project: Project) -> list[Lesson]:
    """Read every assignment that has a sample class."""
    lessons = []
    for text in project.texts:
        folder = project.classroom / text.name
        if text.kind != "assignment" or not (folder / CLASS_FILE).is_file():
            continue
        if not is_current(text):
            reason = f"{project.relative(text.built)} is older than {text.source}"
            raise NotebookError(reason, attempt=f"cgkit build {text.source}")
        cells = read(text.path, text.source)
        lessons.append(Lesson(text, cells, read_class(folder, cells)))
    if not lessons:
        place = f"{project.relative(project.classroom)}/ASSIGNMENT/{CLASS_FILE}"
        raise NotebookError("no sample class", why=f"one would be written down in {place}")
    return lessons


def _remove(folder: Path) -> None:
    """Remove a folder; one whose removal was interrupted is aside and goes too."""
    aside = folder.with_name(folder.name + ".old")
    for place in (aside, folder):
        if place.exists():
            moved = place if place == aside else place.rename(aside)
            shutil.rmtree(moved)


def _hand_in_all(lesson: Lesson, home: Path) -> None:
    name = lesson.text.name
    released = load(home / "release" / name / f"{name}.ipynb")
    for student in lesson.students:
        notebook = hand_in(student, lesson.cells, released)
        write(home / "submitted" / student.name / name / student.file, dump(notebook))


def _must(answer: Answer) -> None:
    if not answer["ok"]:
        raise NotebookError("the class cannot be graded", why=answer["why"])


def _mark_all(
    project: Project, home: Path, first: Clerk, lessons: Iterable[Lesson], tell: Tell
) -> tuple[Mark, ...]:
    """Grade everyone, several at once; the marks come back in the order of the class."""
    work = [(lesson, student) for lesson in lessons for student in lesson.students]
    with ExitStack() as stack:
        clerks = [first]
        for _ in range(1, min(LANES, len(work))):
            clerks.append(stack.enter_context(Clerk(project.root, home, CELL_SECONDS)))
        idle = SimpleQueue[Clerk]()
        for clerk in clerks:
            idle.put(clerk)

        def grade(lesson: Lesson, student: Student) -> Mark:
            clerk = idle.get()
            try:
                return _mark(clerk, home, lesson, student)
            finally:
                idle.put(clerk)

        pool = stack.enter_context(ThreadPoolExecutor(len(clerks)))
        waiting = {pool.submit(grade, *item): item for item in work}
        try:
            for done in as_completed(waiting):
                done.result()
                lesson, student = waiting[done]
                tell(f"{lesson.text.name}: {student.name}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for clerk in clerks:
                clerk.stop()
            raise
        return tuple(done.result() for done in waiting)


def _mark(clerk: Clerk, home: Path, lesson: Lesson, student: Student) -> Mark:
    """Grade one student, and read what the gradebook then says."""
    name = lesson.text.name
    words = {"assignment": name, "student": student.name}
    expected = student.expected(lesson.cells)
    found = sorted(path.name for path in (home / "submitted" / student.name / name).iterdir())
    if f"{name}.ipynb" not in found:
        why = f"handed in as {', '.join(found)}, wanted {name}.ipynb"
        return Mark(student, expected, None, why)
    for order in ("autograde", "feedback", "marks"):
        answer = clerk.do(order, **words)
        if not answer["ok"]:
            return Mark(student, expected, None, f"{order}: {answer['why']}")
    given = {key: answer["points"].get(key) or 0 for key in expected}
    return Mark(student, expected, given, silent=_silent(student, home))


def _silent(student: Student, home: Path) -> dict[str, str]:
    """Find messages that do not say what they should."""
    name = student.assignment
    notebook = load(home / "autograded" / student.name / name / f"{name}.ipynb")
    said = {
        cell.metadata.get("nbgrader", {}).get("grade_id"): "\n".join(
            ANSI.sub("", plain_text(output)) for output in cell.outputs
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    squeezed = {name: " ".join(text.split()) for name, text in said.items()}
    return {
        name: words
        for name, words in student.says.items()
        if " ".join(words.split()) not in squeezed.get(name, "")
    }
