"""The whole list of what must hold: odd files, odd code and cheats, each list graded in one batch.

Every student gets a row with the mark, the notes and the flags that are written down for them, and
nobody's file changes another's mark. README.md beside this says how a row is written.
"""

from pathlib import Path

import pytest

from cgkit.errors import EnvironmentFault
from cgkit.grading.batch import Lesson, grade_class
from cgkit.grading.sandbox import find
from cgkit.notebooks.demo import lecture_of, mark_all, places_of
from cgkit.notebooks.project import Project

PROJECT = Project(Path(__file__).resolve().parents[2])
LISTS = [
    (path.parent.parent.name, path.parent.name)
    for path in sorted(PROJECT.classroom.glob("*/*/class.toml"))
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def situation():
    """The best fence of this machine."""
    try:
        return find()
    except EnvironmentFault as fault:
        pytest.skip(f"no sandbox here: {fault.why}")


@pytest.fixture(scope="module", params=LISTS, ids="/".join)
def graded(request, tmp_path_factory, situation):
    """One list, handed in and graded."""
    name, part = request.param
    (text,) = (one for one in PROJECT.texts if one.kind == "assignment" and one.name == name)
    lecture = lecture_of(PROJECT, text, part)
    places = places_of(PROJECT, tmp_path_factory.mktemp(part))
    return lecture, places, situation, mark_all(lecture, places, situation)


def test_everybody_gets_the_row_that_is_written_down(graded):
    lecture, places, _, marks = graded
    wrong = {mark.student.name: mark.faults for mark in marks if mark.faults}
    assert not wrong
    assert len(marks) == len(lecture.students)
    for student in lecture.students:
        assert places.marked(student.name, lecture.text.name).exists()
    assert places.grades.read_text(encoding="utf-8").count("\n") == len(lecture.students) + 1


def test_grading_again_changes_nothing(graded):
    lecture, places, situation, _ = graded
    lesson = Lesson(places, lecture.text.name, situation)
    again = grade_class(lesson, tell=lambda *_: None)
    assert [one.student for one in again if one.changed] == []


def test_nothing_of_the_class_was_harmed(graded):
    _, places, _, marks = graded
    assert not Path("/tmp/results.json").exists()  # the tests' own system folder, not the sandbox's
    assert all(mark.given is not None for mark in marks)
    assert not [path for path in places.autograded.rglob("*") if path.is_symlink()]
