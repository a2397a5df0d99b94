"""Marks in the gradebook: whole, afresh each time, and never over what a person said."""

import datetime
import sqlite3
import sys

import pytest
import sqlalchemy as sql

from cgkit.errors import EnvironmentFault
from cgkit.grading import gradebook
from cgkit.grading.gradebook import Change, Gradebook, Mark, Marks

RIGHT = {"test_mean": Mark(4.0), "test_order": Mark(3.0), "essay": Mark(None, look=True)}
WHEN = datetime.datetime(2030, 1, 2, 3, 4, 5)


STOPPING = {
    "sqlite": [
        "create trigger stop before insert on comment "
        "when (select count(*) from comment) > 5 begin select raise(abort, 'disk full'); end"
    ],
    "postgresql": [
        "create function stop() returns trigger language plpgsql as $$ begin "
        "if (select count(*) from comment) > 5 then raise exception 'disk full'; end if; "
        "return new; end $$",
        "create trigger stop before insert on comment for each row execute function stop()",
    ],
}


def rows(url, what="*", table="grade", where="1 = 1"):
    engine = sql.create_engine(url)
    with engine.connect() as connection:
        found = connection.execute(sql.text(f"select {what} from {table} where {where}")).all()
    engine.dispose()
    return [tuple(row) for row in found]


def change(url, statement):
    engine = sql.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sql.text(statement))
    engine.dispose()


def test_nbgrader_reads_what_was_written(book):
    from nbgrader.api import Gradebook as Theirs

    desk, url = book
    done = desk.record(Marks("ada", RIGHT, frozenset({"colors"}), flagged=True, when=WHEN))
    assert (done.new, done.changes, done.points) == (True, (), 7.0)
    with Theirs(url, "cgkit") as theirs:
        found = theirs.find_submission("small", "ada")
        assert (found.score, found.max_score, found.timestamp) == (7.0, 15.0, WHEN)
        (notebook,) = found.notebooks
        assert notebook.flagged
        marks = {one.name: (one.auto_score, one.needs_manual_grade) for one in notebook.grades}
        assert marks["test_mean"] == (4.0, False)
        assert marks["essay"] == (None, True)
        assert marks["test_sort"] == (None, True)  # not named: waits for a person
        comments = {one.name: one.auto_comment for one in notebook.comments}
        assert (comments["colors"], comments["mean"]) == ("No response.", None)
    theirs.engine.dispose()


def test_writing_the_same_again_changes_nothing(book):
    desk, url = book
    desk.record(Marks("ada", RIGHT))
    before = [rows(url, table=name) for name in ("grade", "comment", "submitted_notebook")]
    done = desk.record(Marks("ada", RIGHT, same=True))
    assert (done.new, done.changes, done.looks) == (False, (), 0)
    after = [rows(url, table=name) for name in ("grade", "comment", "submitted_notebook")]
    assert before == after


def test_nothing_survives_from_an_earlier_run(book):
    desk, url = book
    desk.record(Marks("ada", RIGHT))
    done = desk.record(Marks("ada", {"test_mean": Mark(1.5), "test_order": Mark(3.0)}))
    assert done.changes == (Change("test_mean", 4.0, 1.5),)
    lost = desk.record(Marks("ada", {}))
    assert {one.cell: (one.old, one.new) for one in lost.changes} == {
        "test_mean": (1.5, None),
        "test_order": (3.0, None),
    }
    assert {row[0] for row in rows(url, "auto_score")} == {None}


def test_marks_by_hand_are_kept_and_put_up_for_another_look(book):
    desk, url = book
    desk.record(Marks("ada", RIGHT))
    by_hand = "update grade set manual_score = 2, needs_manual_grade = false, extra_credit = 1"
    change(url, by_hand)
    cells = len(desk.graded)
    same = desk.record(Marks("ada", RIGHT, same=True))
    assert (same.looks, same.points) == (0, 3.0 * cells)
    other = desk.record(Marks("ada", RIGHT, same=False))
    assert other.looks == cells
    assert set(rows(url, "manual_score, extra_credit, needs_manual_grade")) == {(2.0, 1.0, 1)}
    # what grading says is another mark now, though the work is the same: a person must know
    change(url, by_hand)
    moved = desk.record(Marks("ada", {**RIGHT, "test_mean": Mark(0.0)}, same=True))
    assert moved.looks == 1


def test_a_flag_taken_down_stays_down_for_the_same_work(book):
    desk, url = book
    desk.record(Marks("ada", RIGHT, flagged=True))
    change(url, "update submitted_notebook set flagged = false")
    desk.record(Marks("ada", RIGHT, flagged=True, same=True))
    assert rows(url, "flagged", "submitted_notebook") == [(0,)]
    desk.record(Marks("ada", RIGHT, flagged=True))
    assert rows(url, "flagged", "submitted_notebook") == [(1,)]


def test_a_teachers_words_are_kept(book):
    desk, url = book
    desk.record(Marks("ada", RIGHT))
    change(url, "update comment set manual_comment = 'well done'")
    desk.record(Marks("ada", RIGHT, frozenset({"mean"})))
    assert {row[0] for row in rows(url, "manual_comment", "comment")} == {"well done"}


def test_a_submission_is_written_whole_or_not_at_all(book):
    desk, url = book
    desk.record(Marks("ada", RIGHT))
    for statement in STOPPING[url.partition(":")[0]]:
        change(url, statement)
    before = rows(url)
    with pytest.raises(EnvironmentFault, match="disk full"):
        desk.record(Marks("bob", RIGHT))
    assert rows(url) == before
    assert rows(url, "id", "student") == [("ada",)]
    for table in ("grade", "comment", "submitted_notebook", "submitted_assignment"):
        change(url, f"delete from {table}")
    desk.record(Marks("bob", {}))  # who was written in vain is not known yet
    assert rows(url, "id", "student") == [("ada",), ("bob",)]


def test_points_are_read_back_as_written(book):
    desk, _ = book
    desk.record(Marks("ada", RIGHT))
    desk.record(Marks("bob", {"test_mean": Mark(1.0)}))
    assert desk.points("ada")["test_mean"] == 4.0
    assert desk.points("bob")["test_order"] is None
    assert desk.points("nobody") == {}


def test_a_gradebook_without_the_assignment_has_no_desk(book, tmp_path):
    _, url = book
    with Gradebook(url) as opened:
        assert opened.made
        assert opened.desk("other") is None
    with Gradebook(f"sqlite:///{tmp_path / 'fresh.db'}") as fresh:
        assert not fresh.made
        assert fresh.desk("small") is None


def test_what_is_no_gradebook_is_one_sentence(tmp_path):
    (tmp_path / "broken.db").write_text("half a gradebook, and long enough to be looked at " * 9)
    with pytest.raises(EnvironmentFault, match="cannot be used"):
        Gradebook(f"sqlite:///{tmp_path / 'broken.db'}")
    with pytest.raises(EnvironmentFault, match="cannot be used"):
        Gradebook(f"sqlite:///{tmp_path / 'no' / 'such' / 'folder.db'}")
    with pytest.raises(EnvironmentFault, match="cannot be used"):
        Gradebook("nonsense")


def test_a_gradebook_that_may_not_be_written_is_said_to_be_so(book_file):
    _, url = book_file
    address = f"sqlite:///file:{url.removeprefix('sqlite:///')}?mode=ro&uri=true"
    with Gradebook(address) as opened, pytest.raises(EnvironmentFault, match="readonly") as caught:
        opened.desk("small").record(Marks("ada", RIGHT))
    assert caught.value.attempt == "letting its file and its folder be written"


def test_a_gradebook_that_another_writes_to_is_waited_for_and_then_named(book_file, monkeypatch):
    _, url = book_file
    monkeypatch.setattr(gradebook, "WAIT", 0.1)
    with Gradebook(url) as opened:
        desk = opened.desk("small")
        other = sqlite3.connect(url.removeprefix("sqlite:///"))
        other.execute("begin exclusive")
        with pytest.raises(EnvironmentFault, match=r"locked[\s\S]*closing whatever else"):
            desk.record(Marks("ada", RIGHT))
        other.rollback()
        other.close()
        assert desk.record(Marks("ada", RIGHT)).new


@pytest.mark.postgres
def test_a_server_on_which_another_writes_is_waited_for_and_then_named(postgres, monkeypatch):
    url = postgres.copy()
    monkeypatch.setattr(gradebook, "WAIT", 0.2)
    engine = sql.create_engine(url)
    with Gradebook(url) as opened, engine.connect() as other:
        desk = opened.desk("small")
        other.execute(sql.text("lock table grade in exclusive mode"))
        with pytest.raises(EnvironmentFault, match=r"lock timeout[\s\S]*closing whatever else"):
            desk.record(Marks("ada", RIGHT))
        other.rollback()
        assert desk.record(Marks("ada", RIGHT)).new
    engine.dispose()


@pytest.mark.postgres
def test_a_connection_that_the_server_closed_is_made_anew(postgres):
    url = postgres.copy()
    with Gradebook(url) as opened:
        desk = opened.desk("small")
        assert desk.record(Marks("ada", RIGHT)).new
        postgres.drop_connections()
        assert desk.record(Marks("bob", RIGHT)).new
        assert not desk.record(Marks("ada", RIGHT)).new


@pytest.mark.postgres
def test_a_server_that_is_not_there_is_one_sentence(postgres, tmp_path):
    url = f"postgresql://ada:secret@/class?host={tmp_path}"
    with pytest.raises(EnvironmentFault, match="cannot be used") as caught:
        Gradebook(url)
    assert "starting its server" in caught.value.attempt
    assert "secret" not in str(caught.value)


def test_a_driver_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(EnvironmentFault, match="cannot be used") as caught:
        Gradebook("postgresql://ada:secret@localhost/class")
    assert caught.value.attempt == 'pip install "psycopg[binary]"'
    assert "secret" not in str(caught.value)
