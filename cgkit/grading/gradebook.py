"""Marks in nbgrader's gradebook, written in a few milliseconds by plain SQL.

    with open_gradebook(url, "cgkit") as book:
        desk = book.desk("01_graphs")          ids of the assignment and its cells, read once
        desk.record(marks)  ──►  (Change("test_mean", 3.0, 4.0),)

- One writer at a time. What one submission needs is one transaction: it is there whole or not.
- Automatic marks are set afresh, all of them: nothing survives from an earlier run.
- Marks given by hand are never touched. Where the work behind them is another now, they are put up
  for another look.
- Writing the same again changes nothing.

The tables are named here with the columns that are used; nbgrader made them. Importing nbgrader
itself takes two seconds, which is longer than writing a hundred submissions.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sql
from sqlalchemy import Connection, Row, TableClause, column, table

from cgkit.errors import EnvironmentFault

WAIT = 60
"""Seconds to wait for another program that is writing."""

_ASSIGNMENT = table(
    "assignment", column("id"), column("name"), column("course_id"), column("duedate", sql.DateTime)
)
_NOTEBOOK = table("notebook", column("id"), column("name"), column("assignment_id"))
_CELL = table("base_cell", column("id"), column("name"), column("type"), column("notebook_id"))
_GRADE_CELL = table("grade_cells", column("id"), column("max_score"), column("cell_type"))
_TASK_CELL = table("task_cells", column("id"), column("max_score"), column("cell_type"))
_STUDENT = table("student", *map(column, ("id", "first_name", "last_name", "email", "lms_user_id")))
_SUBMISSION = table(
    "submitted_assignment",
    *map(column, ("id", "assignment_id", "student_id")),
    column("timestamp", sql.DateTime),
)
_SHEET = table(
    "submitted_notebook",
    *map(column, ("id", "assignment_id", "notebook_id", "late_submission_penalty")),
    column("flagged", sql.Boolean),
)
_GRADE = table(
    "grade",
    *map(column, ("id", "cell_id", "notebook_id", "auto_score", "manual_score", "extra_credit")),
    column("needs_manual_grade", sql.Boolean),
)
_COMMENT = table("comment", *map(column, ("id", "cell_id", "notebook_id", "auto_comment")))


@dataclass(frozen=True)
class Mark:
    """What grading says about one cell that gives points."""

    points: float | None
    """Points; None for what only a person can mark."""
    look: bool = False
    """Whether a person must look."""


@dataclass(frozen=True)
class Marks:
    """What grading says about one submission."""

    student: str
    cells: Mapping[str, Mark]
    """By id of the cell; a cell not named has no mark and waits for a person."""
    unanswered: frozenset[str] = frozenset()
    """Ids of cells that students write and that were left as handed out."""
    flagged: bool = False
    """Whether there is something for a teacher to judge."""
    when: datetime.datetime | None = None
    """When it was handed in, in UTC; None leaves what is there."""
    same: bool = False
    """Whether the work is the one that was marked last: marks given by hand then stand."""


@dataclass(frozen=True)
class Change:
    """One mark that is another than before."""

    cell: str
    old: float | None
    new: float | None

    def __str__(self) -> str:
        """Write it as a line for a teacher.

        Examples
        --------
        >>> str(Change("test_mean", 3.0, 4.0))
        'test_mean: 3, now 4'
        """
        old, new = ("no mark" if one is None else f"{one:g}" for one in (self.old, self.new))
        return f"{self.cell}: {old}, now {new}"


@dataclass(frozen=True)
class Recorded:
    """What writing one submission did."""

    new: bool
    """Whether it was not in the gradebook before."""
    changes: tuple[Change, ...] = ()
    """Automatic marks that are others now."""
    looks: int = 0
    """Marks given by hand that were put up for another look."""
    points: float = 0.0
    """Points that count now, those by hand among them."""
    out_of: float = 0.0
    """Points that there are, those that only a person can give among them."""


@dataclass(frozen=True)
class Name:
    """Which notebook of which assignment."""

    assignment: str
    sheet: str = ""
    """The notebook, where there are several."""

    @property
    def notebook(self) -> str:
        """The name of the notebook."""
        return self.sheet or self.assignment

    def __str__(self) -> str:
        """Give the name of the assignment, and that of the notebook where there are several."""
        return f"{self.assignment}/{self.sheet}" if self.sheet else self.assignment


@dataclass(frozen=True)
class GradeCell:
    """One cell that gives points, as the gradebook knows it."""

    id: str
    name: str
    points: float
    kind: str
    """``"code"`` or ``"markdown"``."""


class Gradebook(AbstractContextManager["Gradebook"]):
    """A gradebook that is open.

    Parameters
    ----------
    url
        Its address, such as ``sqlite:////home/me/classes/gradebook.db``.

    Raises
    ------
    EnvironmentFault
        It cannot be opened, or is no gradebook.
    """

    def __init__(self, url: str) -> None:
        self.engine = engine_of(url)
        try:
            self.tables = frozenset(sql.inspect(self.engine).get_table_names())
        except sql.exc.SQLAlchemyError as error:
            self.engine.dispose()
            raise unusable(url, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.engine.dispose()

    @property
    def made(self) -> bool:
        """Whether nbgrader's tables are there."""
        return {"assignment", "grade", "alembic_version"} <= self.tables

    def desk(self, assignment: str, sheet: str = "") -> Desk | None:
        """Get ready to write marks of a notebook; None when the gradebook has none of it."""
        if not self.made:
            return None
        with self.engine.connect() as connection:
            notebook = sheet or assignment
            wanted = (_ASSIGNMENT.c.name == assignment) & (_NOTEBOOK.c.name == notebook)
            joined = _NOTEBOOK.join(_ASSIGNMENT, _NOTEBOOK.c.assignment_id == _ASSIGNMENT.c.id)
            query = sql.select(_ASSIGNMENT.c.id, _NOTEBOOK.c.id).select_from(joined).where(wanted)
            found = connection.execute(query).first()
            if found is None:
                return None
            return Desk(self.engine, found[0], found[1], *_cells(connection, found[1]))


@dataclass(frozen=True)
class Desk:
    """Where the marks of one notebook of an assignment are written."""

    engine: sql.Engine
    assignment: str
    notebook: str
    graded: tuple[GradeCell, ...]
    """Cells that give points."""
    written: Mapping[str, str]
    """Id in the gradebook, by name, of the cells that students write."""
    _students: set[str] = field(default_factory=set)

    def record(self, marks: Marks) -> Recorded:
        """Write the marks of one submission.

        Raises
        ------
        EnvironmentFault
            The gradebook cannot be written; nothing of this submission was.
        """
        try:
            with self.engine.begin() as connection:
                recorded = self._record(connection, marks)
        except sql.exc.SQLAlchemyError as error:
            raise unusable(str(self.engine.url), error) from error
        self._students.add(marks.student)  # only now is it there for good
        return recorded

    def points(self, student: str) -> dict[str, float | None]:
        """Give the automatic marks of a student, by the name of the cell, as they are written."""
        names = {cell.id: cell.name for cell in self.graded}
        joined = _GRADE.join(_SHEET, _GRADE.c.notebook_id == _SHEET.c.id)
        joined = joined.join(_SUBMISSION, _SHEET.c.assignment_id == _SUBMISSION.c.id)
        query = sql.select(_GRADE.c.cell_id, _GRADE.c.auto_score).select_from(joined)
        query = query.where(_SHEET.c.notebook_id == self.notebook)
        with self.engine.connect() as connection:
            rows = connection.execute(query.where(_SUBMISSION.c.student_id == student))
            return {names[row.cell_id]: row.auto_score for row in rows if row.cell_id in names}

    def _record(self, connection: Connection, marks: Marks) -> Recorded:
        sheet, new = self._sheet(connection, marks)
        query = sql.select(_GRADE).where(_GRADE.c.notebook_id == sheet)
        old = {row.cell_id: row for row in connection.execute(query)}
        changes, looks, total = [], 0, 0.0
        for cell in self.graded:
            before, mark = old.get(cell.id), marks.cells.get(cell.name, Mark(None, look=True))
            row = _grade_row(mark, before, marks.same)
            if before is None:
                _insert(connection, _GRADE, cell_id=cell.id, notebook_id=sheet, **row)
            elif any(getattr(before, name) != value for name, value in row.items()):
                connection.execute(sql.update(_GRADE).where(_GRADE.c.id == before.id), row)
            automatic, by_hand, extra = _columns(before)
            if automatic is not None and automatic != mark.points:
                changes.append(Change(cell.name, automatic, mark.points))
            looks += by_hand is not None and row["needs_manual_grade"]
            total += (by_hand if by_hand is not None else mark.points or 0.0) + (extra or 0.0)
        self._comment(connection, sheet, marks)
        out_of = sum(cell.points for cell in self.graded)
        return Recorded(new, tuple(changes), looks, total, out_of)

    def _sheet(self, connection: Connection, marks: Marks) -> tuple[str, bool]:
        """Find or make the rows of a submission; give its id and whether it is new."""
        if marks.student not in self._students:
            query = sql.select(_STUDENT.c.id).where(_STUDENT.c.id == marks.student)
            if connection.execute(query).first() is None:
                connection.execute(sql.insert(_STUDENT), {"id": marks.student})
        owner = {"assignment_id": self.assignment, "student_id": marks.student}
        submission, _ = _found_or_made(connection, _SUBMISSION, owner)
        if marks.when is not None:
            now = sql.update(_SUBMISSION).where(_SUBMISSION.c.id == submission)
            connection.execute(now, {"timestamp": marks.when})
        place = {"assignment_id": submission, "notebook_id": self.notebook}
        sheet, new = _found_or_made(connection, _SHEET, place, flagged=False)
        if marks.flagged and not marks.same:
            now = sql.update(_SHEET).where(_SHEET.c.id == sheet)
            connection.execute(now, {"flagged": True})
        return sheet, new

    def _comment(self, connection: Connection, sheet: str, marks: Marks) -> None:
        """Say where there is no answer; what a teacher wrote is in another column."""
        query = sql.select(_COMMENT).where(_COMMENT.c.notebook_id == sheet)
        old = {row.cell_id: row for row in connection.execute(query)}
        for name, cell in self.written.items():
            text = "No response." if name in marks.unanswered else None
            if cell not in old:
                _insert(connection, _COMMENT, cell_id=cell, notebook_id=sheet, auto_comment=text)
            elif old[cell].auto_comment != text:
                now = sql.update(_COMMENT).where(_COMMENT.c.id == old[cell].id)
                connection.execute(now, {"auto_comment": text})


def _columns(row: Row[Any] | None) -> tuple[float | None, float | None, float | None]:
    """Give the automatic mark, the one by hand, and the extra credit that stand now."""
    return (
        (None, None, None) if row is None else (row.auto_score, row.manual_score, row.extra_credit)
    )


def _grade_row(mark: Mark, before: Row[Any] | None, same: bool) -> dict[str, Any]:
    """Give the columns that grading writes."""
    look = mark.look or mark.points is None
    if before is not None and before.manual_score is not None:
        unchanged = same and before.auto_score == mark.points
        look = bool(before.needs_manual_grade) if unchanged else True
    return {"auto_score": mark.points, "needs_manual_grade": look}


def _insert(connection: Connection, into: TableClause, **values: Any) -> str:
    identity = uuid.uuid4().hex
    connection.execute(sql.insert(into), {"id": identity, **values})
    return identity


def _found_or_made(
    connection: Connection, where: TableClause, what: Mapping[str, str], **more: Any
) -> tuple[str, bool]:
    """Find a row or make it; give its id and whether it was made."""
    wanted = sql.and_(*(where.c[name] == value for name, value in what.items()))
    found = connection.execute(sql.select(where.c.id).where(wanted)).scalar()
    if found is not None:
        return str(found), False
    return _insert(connection, where, **what, **more), True


def _cells(connection: Connection, notebook: str) -> tuple[tuple[GradeCell, ...], dict[str, str]]:
    """Read the cells of a notebook: those that give points, and those that students write."""
    graded: list[GradeCell] = []
    for kind in (_GRADE_CELL, _TASK_CELL):
        joined = _CELL.join(kind, _CELL.c.id == kind.c.id)
        query = sql.select(_CELL.c.id, _CELL.c.name, kind.c.max_score, kind.c.cell_type)
        rows = connection.execute(query.select_from(joined).where(_CELL.c.notebook_id == notebook))
        graded += [GradeCell(*row) for row in rows]
    query = sql.select(_CELL.c.name, _CELL.c.id).where(
        _CELL.c.notebook_id == notebook, _CELL.c.type.in_(("SolutionCell", "TaskCell"))
    )
    return tuple(graded), {row.name: row.id for row in connection.execute(query)}


_CURES = {
    "psycopg": 'pip install "psycopg[binary]"',
    "locked": "closing whatever else writes to it",
    "lock timeout": "closing whatever else writes to it",
    "connection": "starting its server, or another db_url in nbgrader_config.py",
    "readonly": "letting its file and its folder be written",
    "full": "making room on the disk, then the same command: it goes on from here",
    "not a database": "moving it away: the next run makes a new one, without marks given by hand",
}
"""What to try, by a word of what SQLite, or a driver of PostgreSQL, says."""


def engine_of(url: str) -> sql.Engine:
    """Get ready to talk to a gradebook, in a file or on a server; nothing is opened yet.

    Parameters
    ----------
    url
        Its address.

    Raises
    ------
    EnvironmentFault
        It is no address, or the package that speaks with such a server is missing.
    """
    server = not url.startswith("sqlite")
    waiting: dict[str, Any] = {"timeout": WAIT}
    if server:
        waiting = {}
    if url.startswith("postgres"):
        waiting = {"connect_timeout": 10, "options": f"-c lock_timeout={round(WAIT * 1000)}"}
    try:  # a server may have closed a connection that was idle for long
        return sql.create_engine(url, connect_args=waiting, pool_pre_ping=server)
    except (sql.exc.SQLAlchemyError, ImportError) as error:
        raise unusable(url, error) from error


def unusable(url: str, error: Exception) -> EnvironmentFault:
    """Turn an error of the gradebook into a sentence; no password is in it."""
    shown = str(sql.engine.make_url(url)) if "://" in url else url
    why = str(getattr(error, "orig", None) or error).splitlines()[0]
    attempt = next((cure for word, cure in _CURES.items() if word in why), "")
    return EnvironmentFault(f"the gradebook {shown} cannot be used", why=why, attempt=attempt)
