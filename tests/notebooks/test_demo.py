"""The sample class graded from end to end, and what the table is made of."""

import json
import os
import subprocess
import sys

import pytest

from cgkit.cells import parse
from cgkit.errors import NotebookError
from cgkit.grading.sandbox import find
from cgkit.notebooks import demo as demonstration
from cgkit.notebooks.build import build
from cgkit.notebooks.classroom import Student
from cgkit.notebooks.demo import SKIPPED, Mark, demo, steps
from cgkit.notebooks.project import Project

CLASS = """\
[ada]
about = "everything right"

[bob]
about = "nothing written"
base = "release"

[cleo]
about = "subtracts"
marks = {test_add = 0, test_more = 0}
says = {test_add = "not what was asked for", test_more = "no such words"}

[dan]
about = "a syntax error"
rest = "zero"

[eve]
about = "never ends"
rest = "zero"

[fay]
about = "another name"
file = "my sums.ipynb"
notes = ["handed in as 'my sums.ipynb'"]

[gil]
about = "half of it"
marks = {test_more = 1}

[hal]
about = "reads what is not his"
hostile = true
flags = ["reads or writes files"]
"""
ANSWERS = {
    "cleo": "# %% id=add\ndef add(a, b):\n    return a - b\n",
    "dan": "# %% id=add\ndef add(a, b)\n    return a + b\n",
    "eve": "# %% id=add\nadd = None\n# %%\nwhile True:\n    pass\n",
    "gil": "# %% id=add\ndef add(a, b):\n    return a + b - (a == b == 1)\n",
    "hal": "# %% id=add\ndef add(a, b):\n    return a + b\n# %%\nopen('/etc/passwd')\n",
}


def mark(expected, given, why="", **more):
    names = ("says", "notes", "flags")
    of_student = {name: more.pop(f"wanted_{name}", ()) for name in names}
    of_student["says"] = of_student["says"] or {}
    student = Student("ada", "01_sums", "01_sums.ipynb", **of_student)
    return Mark(student, expected, given, why, **more)


def test_a_mark_knows_what_is_not_as_expected():
    assert mark({"a": 3, "b": 0}, {"a": 3, "b": 0}).faults == []
    assert mark({"a": 3, "b": 0}, {"a": 2.5}).faults == ["a: expected 3, given 2.5"]
    assert mark({"a": 3}, None, why="lost").faults == ["no mark: lost"]
    assert mark({"a": 0}, {"a": 0}, why="lost").faults == ["not graded: lost"]


def test_what_is_skipped_is_no_fault_and_no_mark():
    left_out = mark({"a": 3}, None, why=SKIPPED)
    assert (left_out.skipped, left_out.faults) == (True, [])


def test_words_notes_and_flags_are_compared_both_ways():
    said = {"a": "looks like\n  'missing   accumulation'"}
    wanted = {"a": "missing accumulation"}
    assert mark({"a": 0}, {"a": 0}, wanted_says=wanted, messages=said).faults == []
    assert mark({"a": 0}, {"a": 0}, wanted_says=wanted).faults == [
        "a: does not say 'missing accumulation'"
    ]
    full = {"expected": {"a": 1}, "given": {"a": 1}}
    assert mark(**full, wanted_notes=("renamed",), notes=("it was renamed",)).faults == []
    assert mark(**full, wanted_flags=("network",)).faults == ["no flag says 'network'"]
    assert mark(**full, notes=("odd",)).faults == ["a note that nobody expects: odd"]


def test_a_course_without_a_class_or_with_an_old_solution_is_refused(tiny_course):
    project = Project(tiny_course)
    with pytest.raises(NotebookError, match="no sample class"):
        demo(project)
    folder = project.classroom / "01_sums"
    folder.mkdir(parents=True)
    (folder / "class.toml").write_text(CLASS)
    with pytest.raises(NotebookError, match=r"older than[\s\S]*cgkit build solutions/01_sums\.py"):
        demo(project)
    assert not (project.build / "demo").exists()


def test_an_interrupted_removal_is_finished(tmp_path):
    for name in ("demo", "demo.old"):
        (tmp_path / name / "deep").mkdir(parents=True)
    demonstration._remove(tmp_path / "demo")
    demonstration._remove(tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


def test_a_second_demo_is_refused_and_leaves_the_first_alone(taught):
    lock = taught.build / "demo.lock"
    (taught.build / "demo").mkdir(parents=True)
    lock.write_text(str(os.getpid()))
    with pytest.raises(NotebookError, match="a demo is already running"):
        demo(taught)
    assert (taught.build / "demo").is_dir()
    assert lock.exists()


@pytest.mark.parametrize("left", ["dead", "old", "empty"])
def test_a_lock_left_behind_does_not_stop_a_demo(tmp_path, left):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    lock = tmp_path / "build" / "demo.lock"
    lock.parent.mkdir()
    lock.write_text({"dead": str(ended.pid), "old": str(os.getpid()), "empty": ""}[left])
    if left != "dead":
        os.utime(lock, (0, 0))
    with demonstration._alone(lock):
        assert lock.read_text() == str(os.getpid())
    assert not lock.exists()


def test_words_expected_of_every_test_cell():
    cells = parse("# %% test id=a points=2\n1\n# %% test id=b points=3\n1\n# %%\n1\n")
    student = Student("ada", "x", "x.ipynb", rest="zero", marks={"b": 1})
    assert student.expected(cells) == {"a": 0, "b": 1}


@pytest.fixture
def taught(tiny_course):
    """Write down a class of the tiny course."""
    project = Project(tiny_course)
    folder = project.classroom / "01_sums"
    folder.mkdir(parents=True)
    (folder / "class.toml").write_text(CLASS)
    for name, text in ANSWERS.items():
        (folder / f"{name}.txt").write_text(text)
    build(project, ["solutions"])
    return project


@pytest.mark.slow
def test_a_class_is_graded_and_every_difference_is_named(taught):
    project = taught
    left = project.build / "demo" / "gradebook.db"  # what an interrupted run may leave
    left.parent.mkdir()
    left.write_text("half a gradebook")
    told = []
    outcome = demo(project, tell=told.append)
    assert len(told) == steps(project)
    given = {found.student.name: found.given for found in outcome.marks}
    none = {"test_add": 0, "test_more": 0}
    assert given == {
        "ada": {"test_add": 3, "test_more": 2},
        "bob": none,
        "cleo": none,
        "dan": none,
        "eve": none,
        "fay": {"test_add": 3, "test_more": 2},
        "gil": {"test_add": 3, "test_more": 1},
        "hal": {"test_add": 3, "test_more": 2},
    }
    assert {found.student.name: found.faults for found in outcome.marks if found.faults} == {
        "cleo": ["test_more: does not say 'no such words'"]
    }
    rows = outcome.grades.read_text().splitlines()
    assert rows[1] == "01_sums,,,ada,Sample,Ada,,5.0,0.0,5.0,15.0"
    assert len(list((outcome.home / "feedback").rglob("*.html"))) == 8
    # nothing outside build/demo belongs to the class, and the release is that of assignments/
    assert not (project.root / "classes").exists()
    place = "01_sums/01_sums.ipynb"
    released, kept = (
        json.loads((where / place).read_text())
        for where in (outcome.home / "release", project.assignments)
    )
    assert released == kept


@pytest.mark.slow
def test_without_a_sandbox_everything_is_labelled_and_harm_is_skipped(taught):
    outcome = demo(taught, situation=find("none"))
    marks = {found.student.name: found for found in outcome.marks}
    assert marks["hal"].skipped
    assert not (outcome.home / "submitted" / "hal").exists()
    assert {found.label for found in outcome.marks if not found.skipped} == {"UNSANDBOXED"}
    assert marks["ada"].given == {"test_add": 3, "test_more": 2}
    assert [name for name, found in marks.items() if found.faults] == ["cleo"]
