"""The sample class: what each student hands in, and the marks expected.

    tests/classroom/01_graphs/class.toml ──► Student("ada", base="solution", marks={...})
    tests/classroom/01_graphs/ada.txt    ──► her answers, put over the base

tests/classroom/README.md describes both files for those who write them.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgkit.cells import REGION, WRITTEN, Cell, by_id, read
from cgkit.errors import NotebookError
from cgkit.notebooks.compose import compose
from cgkit.notebooks.oddities import ODDITIES, Parcel

if TYPE_CHECKING:
    from nbformat import NotebookNode

CLASS_FILE = "class.toml"
BASES = ("solution", "release")
RESTS = ("full", "zero")
KEYS = {
    "about": str, "base": str, "file": str, "rest": str, "marks": dict, "says": dict,
    "odd": list, "notes": list, "flags": list, "hostile": bool,
}  # fmt: skip


@dataclass(frozen=True)
class Student:
    """One student of the sample class and what is expected of one assignment."""

    name: str
    """Id in the gradebook."""
    assignment: str
    """Name of the assignment, as in ``"01_graphs"``."""
    file: str
    """Name under which the notebook is handed in."""
    about: str = ""
    """What is special about it, in a few words."""
    base: str = "solution"
    """What stands where there is no answer: the ``"solution"`` or the ``"release"``."""
    rest: str = "full"
    """Marks of the tasks not named: ``"full"`` or ``"zero"``."""
    marks: Mapping[str, float] = field(default_factory=dict)
    """Points expected, by id of the test cell."""
    says: Mapping[str, str] = field(default_factory=dict)
    """Words that the failing check must show, by id of the test cell."""
    notes: tuple[str, ...] = ()
    """Words that notes on the file must contain; without any, there must be no note."""
    flags: tuple[str, ...] = ()
    """Words that flags for the teacher must contain; without any, there must be no flag."""
    odd: tuple[str, ...] = ()
    """What is odd about the file; names of `cgkit.notebooks.oddities`."""
    hostile: bool = False
    """Whether it would do harm where there is no sandbox."""
    answers: tuple[Cell, ...] = ()
    """Cells that take the place of those of the base, and extra ones without id."""

    def expected(self, cells: Iterable[Cell]) -> dict[str, float]:
        """Give the points expected for each test cell of a text."""
        full = self.rest == "full"
        return {
            cell.grade_id: self.marks.get(cell.grade_id, cell.points if full else 0)
            for cell in cells
            if cell.role == "test"
        }


def read_class(folder: Path, cells: Iterable[Cell], assignment: str = "") -> tuple[Student, ...]:
    """Read the sample class of one assignment.

    Parameters
    ----------
    folder
        A folder of tests/classroom, named like the assignment.
    cells
        The cells of the assignment's text; what the class names must be among them.
    assignment
        Name of the assignment; that of the folder when left out.

    Returns
    -------
    tuple of Student
        The students, in the order of the file.

    Raises
    ------
    NotebookError
        The class cannot be read, or names what is not there.
    """
    path = folder / CLASS_FILE
    where = f"{folder.name}/{CLASS_FILE}"
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise NotebookError(f"cannot read {where}", why=str(error)) from error
    known = by_id(cells)
    lesson = assignment or folder.name
    students = tuple(_student(folder, lesson, name, table) for name, table in tables.items())
    for student in students:
        _check_names(where, student, known)
    strangers = {path.stem for path in folder.glob("*.txt")} - set(tables)
    if strangers:
        raise NotebookError(f"{where} does not name {', '.join(sorted(strangers))}")
    return students


def hand_in(student: Student, cells: Iterable[Cell], released: NotebookNode) -> NotebookNode:
    """Make the notebook that a student hands in.

    Parameters
    ----------
    student
        Who.
    cells
        The cells of the assignment's text.
    released
        The notebook the student received; it is not changed.

    Returns
    -------
    NotebookNode
        The release with the student's answers in it.
    """
    answers = by_id(student.answers)
    solution = by_id(cells) if student.base == "solution" else {}
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in answers:
            cell.source = answers[name].text
        elif name in solution and solution[name].role in WRITTEN:
            cell.source = _without_markers(solution[name].text)
    _add_extras(notebook, student.answers)
    return notebook


def put_down(student: Student, cells: Iterable[Cell], released: NotebookNode, folder: Path) -> None:
    """Hand in: write what a student hands in into a folder, with all that is odd about it.

    Parameters
    ----------
    student
        Who.
    cells
        The cells of the assignment's text.
    released
        The notebook the student received.
    folder
        Made, and filled.
    """
    parcel = Parcel(hand_in(student, cells, released), student.file)
    for name in student.odd:
        ODDITIES[name](parcel)
    parcel.put_down(folder)


def _student(folder: Path, assignment: str, name: str, table: Any) -> Student:
    """Read the table of one student."""
    where = f"{folder.name}/{CLASS_FILE}, [{name}]"
    if not isinstance(table, dict):
        raise NotebookError(f"{where} is not a table")
    for key, value in table.items():
        if key not in KEYS or not isinstance(value, KEYS[key]):
            raise NotebookError(f"{where} cannot have {key} = {value!r}")
    base = table.get("base", "solution")
    rest = table.get("rest", "full" if base == "solution" else "zero")
    if base not in BASES or rest not in RESTS:
        raise NotebookError(f"{where}: base is one of {BASES}, rest is one of {RESTS}")
    for what in table.get("odd", ()):
        if what not in ODDITIES:
            known = ", ".join(ODDITIES)
            raise NotebookError(f"{where}: there is no oddity {what!r}", why=f"known: {known}")
    answers = folder / f"{name}.txt"
    source = f"{folder.name}/{answers.name}"
    return Student(
        name=name,
        assignment=assignment,
        file=table.get("file", f"{assignment}.ipynb"),
        about=table.get("about", ""),
        base=base,
        rest=rest,
        marks=table.get("marks", {}),
        says=table.get("says", {}),
        notes=tuple(table.get("notes", ())),
        flags=tuple(table.get("flags", ())),
        odd=tuple(table.get("odd", ())),
        hostile=table.get("hostile", False),
        answers=read(answers, source) if answers.is_file() else (),
    )


def _check_names(where: str, student: Student, known: Mapping[str, Cell]) -> None:
    """Check that marks and words belong to test cells, and answers to cells of the text."""
    for name in (*student.marks, *student.says):
        if name not in known or known[name].role != "test":
            raise NotebookError(f"{where}, [{student.name}]: there is no test cell {name!r}")
    for cell in student.answers:
        if cell.grade_id and cell.grade_id not in known:
            place = f"{student.assignment}/{student.name}.txt, line {cell.line}"
            raise NotebookError(f"{place}: the assignment has no cell {cell.grade_id!r}")


def _without_markers(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not REGION.fullmatch(line))


def _add_extras(notebook: NotebookNode, answers: Iterable[Cell]) -> None:
    """Put each cell without id after the answer above it, as a student would insert it."""
    place = 0
    for number, answer in enumerate(answers):
        if answer.grade_id:
            names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
            place = names.index(answer.grade_id) + 1
            continue
        (extra,) = compose([answer], source="", fingerprint="").cells
        extra.id = f"extra{number}"
        notebook.cells.insert(place, extra)
        place += 1
