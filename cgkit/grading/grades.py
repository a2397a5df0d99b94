"""The table of grades: what `nbgrader export` writes, with every text quoted where it must be.

    write_grades(url, path)  ──►  assignment,duedate,timestamp,student_id,last_name,...
                                  01_graphs,,2030-01-05 10:00:00,ada,,,,85.0,0.0,85.0,100.0

A name such as =HYPERLINK(...) is text and stays text: a spreadsheet runs nothing of it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import sqlalchemy as sql

from cgkit.files import write_whole
from cgkit.grading.gradebook import engine_of, unusable

Grades: TypeAlias = tuple[Any, ...]

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip

# with these a formula begins, in one spreadsheet or another; the last four are wide ones
_FORMULA = ("=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_POINTS = """
select a.id, coalesce(sum(coalesce(g.max_score, t.max_score)), 0)
from assignment a
join notebook n on n.assignment_id = a.id
join base_cell c on c.notebook_id = n.id
left join grade_cells g on g.id = c.id
left join task_cells t on t.id = c.id
group by a.id
"""
_SCORES = """
select s.assignment_id, s.student_id, coalesce(sum(
    case when g.manual_score is null and g.auto_score is null then 0
         else coalesce(g.manual_score, g.auto_score) + coalesce(g.extra_credit, 0) end), 0)
from submitted_assignment s
join submitted_notebook n on n.assignment_id = s.id
join grade g on g.notebook_id = n.id
group by s.assignment_id, s.student_id
"""
_PENALTIES = """
select s.assignment_id, s.student_id, coalesce(sum(n.late_submission_penalty), 0)
from submitted_assignment s
join submitted_notebook n on n.assignment_id = s.id
group by s.assignment_id, s.student_id
"""


def grades(
    engine: sql.Engine, students: Iterable[str] = (), assignments: Iterable[str] = ()
) -> Iterator[Grades]:
    """Give the rows of the table, one for each assignment and student, handed in or not.

    Parameters
    ----------
    engine
        An open gradebook.
    students, assignments
        Only these; all when left out.
    """
    wanted, chosen = set(students), set(assignments)
    with engine.connect() as connection:

        def rows(text: str) -> Sequence[Any]:
            return connection.execute(sql.text(text)).all()

        points = {row[0]: row[1] for row in rows(_POINTS)}
        scores = {(row[0], row[1]): row[2] for row in rows(_SCORES)}
        penalties = {(row[0], row[1]): row[2] for row in rows(_PENALTIES)}
        times = {
            (row[0], row[1]): row[2]
            for row in rows("select assignment_id, student_id, timestamp from submitted_assignment")
        }
        people = rows("select id, last_name, first_name, email from student")
        lessons = rows("select id, name, duedate from assignment order by name")
    people = sorted(
        people, key=lambda row: ((row[1] or "").lower(), (row[2] or "").lower(), row[0])
    )
    for lesson, name, due in lessons:
        for student, last, first, email in people:
            if (chosen and name not in chosen) or (wanted and student not in wanted):
                continue
            one = (lesson, student)
            score, penalty = float(scores.get(one, 0)), float(penalties.get(one, 0))
            yield (
                name, due, times.get(one), student, last, first, email,
                score, penalty, max(0.0, score - penalty), float(points.get(lesson, 0)),
            )  # fmt: skip


def table(rows: Iterable[Grades]) -> str:
    """Write rows as CSV.

    Examples
    --------
    >>> print(table([("01", None, None, "=1+1", "O'Neil, A", "", "", 3.0, 0.0, 3.0, 5.0)]))
    ... # doctest: +ELLIPSIS
    assignment,duedate,...
    01,,,'=1+1,"O'Neil, A",,,3.0,0.0,3.0,5.0
    <BLANKLINE>
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([plain(value) for value in row])
    return text.getvalue()


def plain(value: object) -> str:
    """Give a value as a spreadsheet may read it: a formula becomes text.

    Examples
    --------
    >>> plain("=HYPERLINK(...)"), plain("-x"), plain(-1.5), plain(None)
    ("'=HYPERLINK(...)", "'-x", '-1.5', '')
    """
    if value is None:
        return ""
    text = str(value).removesuffix(".000000")  # a time, as SQLite stores it
    if not isinstance(value, str):
        return text
    text = " ".join(text.split())
    return f"'{text}" if text[:1] in _FORMULA else text


def write_grades(url: str, path: Path) -> None:
    """Write the table of all grades, whole or not at all.

    Raises
    ------
    EnvironmentFault
        The gradebook cannot be read.
    """
    engine = engine_of(url)
    try:
        text = table(grades(engine))
    except sql.exc.SQLAlchemyError as error:
        raise unusable(url, error) from error
    finally:
        engine.dispose()
    write_whole(path, text)
