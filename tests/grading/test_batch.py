"""A class, graded: a row for everybody, nothing lost, nothing changed by grading again."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest
from classwork import assignment_cells, notebook, raw, written

from cgkit.errors import EnvironmentFault, NotebookError, UsageFault
from cgkit.grading import batch
from cgkit.grading.batch import Lesson, grade_class
from cgkit.grading.kept import Learned
from cgkit.grading.marked import key_of
from cgkit.grading.places import Places, safe_id
from cgkit.grading.policy import Policy
from cgkit.grading.result import CellResult, Flag, Result
from cgkit.grading.sandbox import Situation


class FakeCrew:
    """Grades without a sandbox: as many points for mean as the file says."""

    asked: list

    def __init__(self, order, count):
        self.order, self.count = order, count
        self.learned = Learned(Policy(), Result(""))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def grade(self, jobs):
        for student, load in jobs:
            FakeCrew.asked.append(student)
            data = load()
            if data == b"stop":
                raise KeyboardInterrupt
            if data == b"lost":
                yield student, Result(student, failed="the judge was lost")
                continue
            score = float(data)
            cells = (CellResult("test_mean", "test", score, 4.0, message="as the file says"),)
            flags = (Flag("copies", "line 1", "mean"),) if score == 3 else ()
            yield student, Result(student, cells, flags=flags)


@pytest.fixture
def places(tmp_path, empty_book):
    """A class that lies in an empty folder, with its assignment in the gradebook."""
    source = tmp_path / "solutions" / "small" / "small.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(json.dumps(notebook(assignment_cells())))
    home = tmp_path / "class"
    home.mkdir()
    shutil.copyfile(empty_book, home / "gradebook.db")
    return Places(
        root=tmp_path,
        solutions=tmp_path / "solutions",
        submitted=home / "submitted",
        autograded=home / "autograded",
        gradebook=f"sqlite:///{home / 'gradebook.db'}",
    )


@pytest.fixture
def lesson(places, monkeypatch):
    """The assignment, graded by the fake crew."""
    monkeypatch.setattr(batch, "Crew", FakeCrew)
    FakeCrew.asked = []
    return Lesson(places, "small", Situation("none"))


def hand_in(places, student, data, name="small.ipynb"):
    path = places.handed_in(student, "small") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def grade(lesson, **words):
    told = []
    fresh = Lesson(lesson.places, lesson.name, lesson.situation)
    done = grade_class(
        fresh, tell=lambda one, *counts: told.append((one.student, *counts)), **words
    )
    return done, told


def points(places):
    with batch_desk(places) as desk:
        return {name: desk.points(name).get("test_mean") for name in places.students("small")}


class batch_desk:
    def __init__(self, places):
        self.places = places

    def __enter__(self):
        from cgkit.grading.gradebook import Gradebook

        self.book = Gradebook(self.places.gradebook)
        return self.book.desk("small")

    def __exit__(self, *_):
        self.book.engine.dispose()


def everything(places):
    """Give all that a run writes, but for the gradebook's own bytes."""
    return {
        path.relative_to(places.home).as_posix(): path.read_bytes()
        for path in sorted(places.home.rglob("*"))
        if path.is_file() and path.name != "gradebook.db"
    }


def test_everybody_gets_a_row_and_is_told_of(lesson):
    places = lesson.places
    hand_in(places, "ada", b"4")
    hand_in(places, "bob", b"1.5", "another name.ipynb")
    places.handed_in("cleo", "small").mkdir(parents=True)
    done, told = grade(lesson)
    assert [one.student for one in done] == ["ada", "bob", "cleo"]
    assert points(places) == {"ada": 4.0, "bob": 1.5, "cleo": 0.0}
    assert sorted(count for _, count, _ in told) == [1, 2, 3]
    assert done[1].remarks() == ["note: handed in as 'another name.ipynb', not as small.ipynb"]
    assert done[2].remarks() == ["note: no notebook was handed in"]
    assert set(done[2].waiting) >= {"test_mean", "essay"}
    for name in ("ada", "bob", "cleo"):
        assert places.marked(name, "small").exists()
    assert places.grades.read_text().count("\n") == 4
    assert FakeCrew.asked == ["ada", "bob"]


def test_grading_again_changes_nothing_and_asks_nobody(lesson):
    places = lesson.places
    hand_in(places, "ada", b"4")
    hand_in(places, "bob", b"3")
    first, _ = grade(lesson)
    assert all(one.changed and not one.known for one in first)
    before = everything(places)
    again, _ = grade(lesson)
    assert all(one.known and not one.changed for one in again)
    assert everything(places) == before
    assert FakeCrew.asked == ["ada", "bob"]


def test_another_work_is_graded_and_its_changes_are_told(lesson):
    places = lesson.places
    hand_in(places, "ada", b"4")
    hand_in(places, "bob", b"4")
    grade(lesson)
    hand_in(places, "ada", b"1")
    done, _ = grade(lesson)
    assert done[0].remarks() == ["was test_mean: 4, now 1"]
    assert FakeCrew.asked == ["ada", "bob", "ada"]
    assert points(places) == {"ada": 1.0, "bob": 4.0}


def test_asked_for_again_all_of_it_is_graded_again(lesson):
    hand_in(lesson.places, "ada", b"4")
    grade(lesson)
    done, _ = grade(lesson, again=True)
    assert FakeCrew.asked == ["ada", "ada"]
    assert not done[0].changed


def test_another_assignment_another_fence_or_another_secret_is_graded_anew(lesson):
    places = lesson.places
    hand_in(places, "ada", b"4")
    grade(lesson)
    grade(Lesson(places, "small", Situation("system", Path("/usr/bin/bwrap"))))
    (places.kept / "secret").write_bytes(b"another")
    grade(lesson)
    made = notebook(assignment_cells())
    made["cells"][4]["source"] += "\nassert True"
    places.source("small").write_text(json.dumps(made))
    grade(lesson)
    assert FakeCrew.asked == ["ada"] * 4


def test_stopped_in_the_middle_a_second_run_goes_on(lesson):
    places = lesson.places
    hand_in(places, "ada", b"4")
    hand_in(places, "bob", b"stop")
    hand_in(places, "cleo", b"2")
    with pytest.raises(KeyboardInterrupt):
        grade(lesson)
    assert points(places) == {"ada": 4.0, "bob": None, "cleo": None}
    hand_in(places, "bob", b"1")
    done, _ = grade(lesson)
    assert FakeCrew.asked == ["ada", "bob", "bob", "cleo"]
    assert [one.known for one in done] == [True, False, False]
    assert points(places) == {"ada": 4.0, "bob": 1.0, "cleo": 2.0}


@pytest.mark.parametrize("step", ["put", "record", "write_notebook"])
def test_killed_between_any_two_steps_a_second_run_mends_it(lesson, monkeypatch, step):
    places = lesson.places
    hand_in(places, "ada", b"3")

    def die(*_, **__):
        raise SystemExit

    with monkeypatch.context() as patched:
        home = {"put": batch.Kept, "record": batch.Desk, "write_notebook": batch}[step]
        patched.setattr(home, step, die)
        with pytest.raises(SystemExit):
            grade(lesson)
    assert key_of(places.marked("ada", "small")) == ""
    done, _ = grade(lesson)
    assert points(places) == {"ada": 3.0}
    assert done[0].changed
    assert not grade(lesson)[0][0].changed
    assert not list(places.home.rglob("*.new"))


def test_what_could_not_be_graded_is_tried_again_next_time(lesson):
    places = lesson.places
    hand_in(places, "ada", b"lost")
    hand_in(places, "bob", b"2")
    done, _ = grade(lesson)
    assert done[0].remarks() == ["not graded: the judge was lost"]
    assert points(places) == {"ada": 0.0, "bob": 2.0}
    grade(lesson)
    assert FakeCrew.asked == ["ada", "bob", "ada"]


def test_files_that_shadow_a_module_are_flagged(lesson):
    hand_in(lesson.places, "ada", b"4")
    (lesson.places.handed_in("ada", "small") / "cgkit.py").write_text("")
    done, _ = grade(lesson)
    assert [flag.evidence for flag in done[0].result.flags] == ["cgkit.py"]


def test_one_student_can_be_chosen(lesson):
    hand_in(lesson.places, "ada", b"4")
    hand_in(lesson.places, "bob", b"4")
    done, _ = grade(lesson, students=["bob"])
    assert [one.student for one in done] == ["bob"]
    assert points(lesson.places) == {"ada": None, "bob": 4.0}
    with pytest.raises(UsageFault, match=r"eve did not hand in small[\s\S]*ada, bob"):
        grade(lesson, students=["eve"])


def test_who_is_named_twice_is_graded_once(lesson):
    hand_in(lesson.places, "ada", b"4")
    done, told = grade(lesson, students=["ada", "ada"])
    assert [one.student for one in done] == ["ada"]
    assert told == [("ada", 1, 1)]


def test_all_points_of_the_assignment_are_counted_with_those_by_hand(lesson):
    hand_in(lesson.places, "ada", b"4")
    ((graded,), _) = grade(lesson)
    assert (graded.recorded.points, graded.recorded.out_of) == (4.0, 15.0)


def test_when_and_from_whom_it_came_lies_beside_the_marked_notebook(lesson):
    places = lesson.places
    hand_in(places, "ada", b"4")
    handed, marked = places.handed_in("ada", "small"), places.marked("ada", "small").parent
    (handed / "timestamp.txt").write_text("2030-02-01 12:30:00 Europe/Berlin")
    (handed / "submission_secret.txt").write_text("0af3")
    grade(lesson)
    assert (marked / "timestamp.txt").read_text() == "2030-02-01 11:30:00.000000 UTC"
    assert (marked / "submission_secret.txt").read_text() == "0af3"
    (handed / "timestamp.txt").write_text("no time at all")
    (handed / "submission_secret.txt").unlink()
    (handed / "submission_secret.txt").symlink_to(places.kept / "secret")
    assert not grade(lesson)[0][0].changed
    assert [path.name for path in marked.iterdir()] == ["small.ipynb"]


@pytest.mark.parametrize(
    ("number", "cure"), [(errno.ENOSPC, "room on the disk"), (errno.EACCES, "be written")]
)
@pytest.mark.parametrize("step", ["write_notebook", "write_grades", "Kept.put"])
def test_what_cannot_be_written_is_said_with_its_place(lesson, monkeypatch, step, number, cure):
    def full(*_):
        raise OSError(number, os.strerror(number))

    hand_in(lesson.places, "ada", b"4")
    with monkeypatch.context() as patched:
        patched.setattr(f"cgkit.grading.batch.{step}", full)
        with pytest.raises(EnvironmentFault, match=r"class cannot be written") as caught:
            grade(lesson)
    assert cure in caught.value.attempt
    assert os.strerror(number) in caught.value.why
    assert points(lesson.places) == ({"ada": None} if step == "Kept.put" else {"ada": 4.0})
    assert grade(lesson)[0][0].recorded.points == 4.0


def test_what_is_not_there_is_said_in_a_sentence(lesson):
    with pytest.raises(UsageFault, match=r"nobody has handed in small yet[\s\S]*STUDENT/small"):
        grade(lesson)
    with pytest.raises(UsageFault, match=r"no assignment 'big'[\s\S]*assignments here: small"):
        grade(Lesson(lesson.places, "big", lesson.situation))
    lesson.places.source("small").write_text("{")
    with pytest.raises(NotebookError, match="is no notebook"):
        grade(lesson)


def test_a_second_run_at_the_same_time_is_refused(lesson):
    hand_in(lesson.places, "ada", b"4")
    with batch._alone(lesson.places.kept), pytest.raises(EnvironmentFault, match="already"):
        grade(lesson)
    assert grade(lesson)[0]


def test_an_id_that_cannot_be_stored_gets_a_row_all_the_same(lesson):
    hand_in(lesson.places, "a\udcff", b"4")
    done, _ = grade(lesson)
    assert len(done) == 1
    assert safe_id("a\udcff") in lesson.places.grades.read_text()


@pytest.mark.slow
def test_a_real_class_is_graded_the_same_by_one_worker_and_by_two(places, situation):
    from classwork import POINTS

    hand_in(places, "ada", raw(written()))
    hand_in(places, "bob", raw(written({"mean": "def mean(values):\n    return 2"})))
    hand_in(places, "eve", b"nonsense")
    hand_in(places, "zoe", raw(written({"order": "while True: pass"})), "o r d e r.ipynb")
    lesson = Lesson(places, "small", situation)
    one, _ = grade(lesson, workers=1)
    assert {found.student: found.result.score for found in one} == {
        "ada": sum(POINTS.values()), "bob": 6.0, "eve": 0.0, "zoe": 7.0,
    }  # fmt: skip
    before = everything(places)
    two, _ = grade(lesson, workers=2, again=True)
    assert [found.result for found in one] == [found.result for found in two]
    assert not [found.student for found in two if found.changed]
    after = everything(places)
    assert {name for name in before if before[name] != after[name]} <= {
        name
        for name in before
        if name.startswith("grading/")  # seconds differ
    }


@pytest.mark.slow
def test_marks_given_before_do_not_survive_a_deleted_test_and_broken_code(places, situation):
    lesson = Lesson(places, "small", situation)
    hand_in(places, "ada", raw(written()))
    grade(lesson)
    assert points(places) == {"ada": 4.0}
    made = written({"mean": "def mean(values):\n    return None"})
    made["cells"] = [one for one in made["cells"] if one["id"] != "test_mean"]
    hand_in(places, "ada", raw(made))
    ((graded,), _) = grade(lesson, again=True)
    assert points(places) == {"ada": 0.0}
    assert "was test_mean: 4, now 0" in graded.remarks()
    assert any("test_mean: the test cell was deleted" in note for note in graded.result.notes)
