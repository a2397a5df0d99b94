"""An assignment gets into the gradebook the way nbgrader puts it there."""

import contextlib
import sqlite3

import pytest
from classwork import assignment_cells, cell, notebook

from cgkit.errors import EnvironmentFault, NotebookError
from cgkit.grading.gradebook import Gradebook, Mark, Marks, Name
from cgkit.grading.master import read_master
from cgkit.grading.register import desk_for, enter, fits

NOTEBOOK = notebook(assignment_cells())


def other(change):
    cells = assignment_cells()
    change(cells)
    return notebook(cells)


def desk_of(url, made):
    return desk_for(url, "cgkit", Name("small"), read_master(made), made)


def test_cells_points_and_sources_are_nbgraders_own(book):
    from nbgrader.api import Gradebook as Theirs

    _, url = book
    with Theirs(url, "cgkit") as theirs:
        found = theirs.find_notebook("small", "small")
        assert {one.name: one.max_score for one in found.grade_cells} == {
            "test_mean": 4, "test_order": 3, "test_sort": 2, "test_colors": 1, "essay": 5,
        }  # fmt: skip
        assert {one.name for one in found.solution_cells} == {
            "mean", "order", "sort", "colors", "essay",
        }  # fmt: skip
        sources = {one.name: one.source for one in found.source_cells}
        assert "secret_values" in sources["test_mean"]
        assert "NotImplementedError" in sources["mean"]
        assert theirs.find_assignment("small").course_id == "cgkit"
    theirs.engine.dispose()


def test_what_fits_is_left_as_it_is(book):
    desk, url = book
    again, entered = desk_of(url, NOTEBOOK)
    assert not entered
    assert again.graded == desk.graded


def test_other_points_are_entered_and_marks_stay(book):
    desk, url = book
    desk.record(Marks("ada", {"test_mean": Mark(4.0)}))
    made = other(lambda cells: cells[4]["metadata"]["nbgrader"].update(points=9))
    assert not fits(desk, read_master(made))
    newer, entered = desk_of(url, made)
    assert entered
    assert {one.name: one.points for one in newer.graded}["test_mean"] == 9
    assert newer.points("ada")["test_mean"] == 4.0


def test_a_new_cell_is_entered_before_anybody_hands_in(book):
    _, url = book
    made = other(lambda cells: cells.append(cell("test_more", "assert True", "test", 2)))
    desk, entered = desk_of(url, made)
    assert entered
    assert "test_more" in {one.name for one in desk.graded}


def test_a_new_cell_after_that_is_refused_in_a_sentence(book):
    desk, url = book
    desk.record(Marks("ada", {}))
    made = other(lambda cells: cells.append(cell("test_more", "assert True", "test", 2)))
    with pytest.raises(NotebookError, match=r"other cells now than when work was handed in"):
        desk_of(url, made)


@pytest.mark.slow
def test_a_gradebook_is_made_where_there_is_none(tmp_path):
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    enter(url, "cgkit", Name("small"), NOTEBOOK)
    with Gradebook(url) as opened:
        assert opened.made
        assert opened.desk("small") is not None


def stopped_while_made(path, *commands):
    """Make a gradebook as nbgrader does, and stop before it notes the version."""
    from nbgrader.api import Base
    from sqlalchemy import create_engine

    engine = create_engine(f"sqlite:///{path}")
    Base.metadata.create_all(bind=engine)
    engine.dispose()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for command in commands:
            connection.execute(command)
        connection.commit()
    return f"sqlite:///{path}"


@pytest.mark.parametrize(
    "commands",
    [
        (),
        ("DROP TABLE comment", "DROP TABLE grade"),
        ("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)",),
    ],
    ids=["no version", "half of the tables", "a version that is empty"],
)
@pytest.mark.slow
def test_a_gradebook_whose_making_was_stopped_is_made_whole(tmp_path, commands):
    path = tmp_path / "gradebook.db"
    url = stopped_while_made(path, *commands)
    desk, entered = desk_of(url, NOTEBOOK)
    assert entered
    desk.record(Marks("ada", {"test_mean": Mark(4.0)}))
    assert desk.points("ada")["test_mean"] == 4.0
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert len(connection.execute("select version_num from alembic_version").fetchall()) == 1


def test_a_gradebook_of_an_older_nbgrader_is_said_to_be_one(tmp_path):
    url = stopped_while_made(tmp_path / "gradebook.db", "ALTER TABLE student DROP COLUMN email")
    with pytest.raises(EnvironmentFault, match=r"of an older nbgrader\n.*no email") as caught:
        desk_of(url, NOTEBOOK)
    assert caught.value.attempt == "nbgrader db upgrade"
