"""The table of grades: figures as nbgrader counts them, and texts that stay texts."""

import csv
import io

import pytest
import sqlalchemy as sql

from cgkit.grading.gradebook import Mark, Marks
from cgkit.grading.grades import grades, plain, table, write_grades


@pytest.mark.parametrize(
    "text",
    ['=HYPERLINK("http://x","y")', "+1", "-1+2", "@SUM(A1)", "\t=1", " =1", "\r=1", "\uff1d1"],
)
def test_no_formula_survives(text):
    (row,) = list(csv.reader(io.StringIO(table([("01", text)]), newline="")))[1:]
    assert row == ["01", f"'{text.strip()}"]


def test_plain_texts_and_figures_stay():
    assert [plain(value) for value in ("O'Neil, A", -1.5, 0.0, "2030-01-01 10:00:00.000000")] == [
        "O'Neil, A",
        "-1.5",
        "0.0",
        "2030-01-01 10:00:00",
    ]


def test_commas_quotes_and_lines_are_quoted():
    rows = list(csv.reader(io.StringIO(table([('a,"b"\r\nc', "x")]), newline="")))
    assert rows[1:] == [['a,"b" c', "x"]]


def test_the_table_counts_as_nbgrader_does(book, tmp_path):
    desk, url = book
    full = {cell.name: Mark(cell.points) for cell in desk.graded}
    desk.record(Marks("ada", full))
    desk.record(Marks("=bob", {"test_mean": Mark(3.0)}))
    engine = sql.create_engine(url)
    with engine.begin() as connection:
        connection.execute(
            sql.text("update grade set manual_score = 1, extra_credit = 0.5 where auto_score = 3")
        )
        connection.execute(sql.text("insert into student (id) values ('zoe')"))
        connection.execute(sql.text("update submitted_notebook set late_submission_penalty = 2"))
    engine.dispose()
    write_grades(url, tmp_path / "grades.csv")
    with (tmp_path / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert rows["ada"]["raw_score"] == "13.5"  # order's 3 points became 1 by hand, and half a point
    assert rows["'=bob"]["raw_score"] == "1.5"
    assert rows["'=bob"]["score"] == "0.0"
    assert (rows["zoe"]["score"], rows["zoe"]["max_score"]) == ("0.0", "15.0")
    assert [path.name for path in tmp_path.iterdir()] == ["grades.csv"]


def test_students_and_assignments_can_be_chosen(book):
    desk, url = book
    for name in ("ada", "bob"):
        desk.record(Marks(name, {}))
    engine = sql.create_engine(url)
    assert [row[3] for row in grades(engine, ["bob"])] == ["bob"]
    assert list(grades(engine, (), ["other"])) == []
    engine.dispose()


def test_nbgraders_own_figures_are_the_same(book):
    from nbgrader.api import Gradebook

    desk, url = book
    desk.record(Marks("ada", {"test_mean": Mark(2.5), "test_order": Mark(1.0)}))
    engine = sql.create_engine(url)
    (row,) = grades(engine)
    engine.dispose()
    with Gradebook(url, "cgkit") as theirs:
        found = theirs.find_submission("small", "ada")
        assert (row[7], row[10]) == (found.score, found.max_score)
        theirs.engine.dispose()
