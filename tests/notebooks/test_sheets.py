"""An assignment of two notebooks, from its texts to marks, feedback and what students get."""

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cgkit.errors import EnvironmentFault, NotebookError
from cgkit.grading.batch import grade_class, lessons_of
from cgkit.grading.places import read_places
from cgkit.grading.sandbox import find
from cgkit.notebooks.build import build
from cgkit.notebooks.compose import load
from cgkit.notebooks.demo import demo
from cgkit.notebooks.handout import find_release, hand_out
from cgkit.notebooks.project import Project
from cgkit.notebooks.student_copy import refuse_leaks
from cgkit.notebooks.verify import verify

ROOT = Path(__file__).resolve().parents[2]
TEXT = """# %% readonly id=setup
import math

# %% solution id={name}
def {name}(x):
    ### BEGIN SOLUTION
    factor_of_{name} = {factor}
    return factor_of_{name} * x
    ### END SOLUTION

# %% test points={factor} id=test_{name}
assert {name}(2) == 2 * {factor}
### BEGIN HIDDEN TESTS
assert {name}(-7) == -7 * {factor}
### END HIDDEN TESTS
"""
TASKS = {"02a_eager": ("double", 2), "02b_graphs": ("triple", 3)}
CLASS = """[ada]
[blank]
base = "release"
[odd]
file = "my part.ipynb"
notes = ["handed in as 'my part.ipynb'"]
"""

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("fences")]


@pytest.fixture(scope="module")
def fences():
    """Skip where nothing can be graded."""
    try:
        find()
    except EnvironmentFault as fault:
        pytest.skip(f"no sandbox here: {fault.why}")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A course whose assignment 02 has two notebooks, built."""
    root = tmp_path_factory.mktemp("two") / "a course"
    (root / "course").mkdir(parents=True)
    (root / "solutions").mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", root)
    (root / "course" / "02_two_ways.py").write_text("# %% [markdown]\n# # Two\n\n# %%\n1 + 1\n")
    for text, (name, factor) in TASKS.items():
        path = root / "solutions" / f"{text}.py"
        path.write_text(TEXT.format(name=name, factor=factor))
        folder = root / "tests" / "classroom" / text
        folder.mkdir(parents=True)
        (folder / "class.toml").write_text(CLASS)
    made = Project(root)
    built = build(made)
    assert "assignments/02_two_ways/02b_graphs.ipynb" in built
    return made


def answered(project, text):
    """Give the released notebook of a text with a right answer in it."""
    name, factor = TASKS[text]
    notebook = load(project.assignments / "02_two_ways" / f"{text}.ipynb")
    for cell in notebook.cells:
        if cell.id == name:
            cell.source = f"def {name}(x):\n    return {factor} * x"
    return notebook


def test_all_is_current_and_right(project):
    findings = verify(project)
    assert {one.name for one in findings} >= {
        "solutions/02_two_ways/02a_eager.ipynb",
        "assignments/02_two_ways/02a_eager.ipynb",
        "assignments/02_two_ways/02b_graphs.ipynb",
    }
    assert [one.fault for one in findings if one.fault] == []
    assert build(project) == []


def test_one_text_that_changes_leaves_the_other_alone(project):
    path = project.solutions / "02a_eager.py"
    before = path.read_text()
    kept = (project.assignments / "02_two_ways" / "02b_graphs.ipynb").read_bytes()
    path.write_text(before + "\n# %% [markdown] readonly\n# More.\n")
    assert build(project) == [
        "solutions/02_two_ways/02a_eager.ipynb", "assignments/02_two_ways/02a_eager.ipynb",
    ]  # fmt: skip
    assert (project.assignments / "02_two_ways" / "02b_graphs.ipynb").read_bytes() == kept
    path.write_text(before)
    build(project)


def test_a_copy_finds_its_release(project, tmp_path):
    path = project.root / "mine" / "eager (2).ipynb"
    notebook = answered(project, "02a_eager")
    release = find_release(path, notebook)
    assert release == project.assignments / "02_two_ways" / "02a_eager.ipynb"
    del notebook.cells[-1]
    assert any("missing: test_double" in note for note in hand_out(path, notebook).notes)


def test_each_notebook_is_marked_and_the_marks_are_summed(project):
    places = read_places(project.root)
    for student, texts in {"ada": TASKS, "bob": ["02b_graphs"]}.items():
        folder = places.handed_in(student, "02_two_ways")
        folder.mkdir(parents=True)
        for text in texts:
            (folder / f"{text}.ipynb").write_text(json.dumps(answered(project, text)))
    lessons = lessons_of(places, "02_two_ways", find())
    assert [lesson.title for lesson in lessons] == [
        "02_two_ways/02a_eager",
        "02_two_ways/02b_graphs",
    ]
    for _ in range(2):  # grading again changes nothing
        done = [one for lesson in lessons for one in grade_class(lesson, tell=lambda *_: None)]
        points = {(one.student, one.assignment[12:]): one.recorded.points for one in done}
        assert points == {
            ("ada", "02a_eager"): 2, ("ada", "02b_graphs"): 3,
            ("bob", "02a_eager"): 0, ("bob", "02b_graphs"): 3,
        }  # fmt: skip
    assert all(one.known or one.result.notes for one in done)
    (missing,) = [one for one in done if not one.recorded.points]
    assert missing.result.notes == ("02a_eager.ipynb was not handed in",)
    assert table(places) == {"ada": ("5.0", "5.0"), "bob": ("3.0", "5.0")}


def table(places):
    with places.grades.open(newline="") as file:
        return {row["student_id"]: (row["score"], row["max_score"]) for row in csv.DictReader(file)}


def test_nbgrader_grades_both_and_gives_feedback(project):
    places = read_places(project.root)

    def nbgrader(*words):
        command = [sys.executable, "-W", "ignore", "-m", "nbgrader", *words, "02_two_ways"]
        done = subprocess.run(
            command, cwd=project.root, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr

    nbgrader("autograde", "--force")
    places.grades.unlink()
    nbgrader("generate_feedback", "--force")
    feedback = places.home / "feedback"
    names = {path.relative_to(feedback).as_posix() for path in feedback.rglob("*.html")}
    assert names >= {f"{who}/02_two_ways/{text}.html" for who in ("ada", "bob") for text in TASKS}
    shown = "".join(path.read_text() for path in feedback.rglob("*.html"))
    words = re.sub("<[^>]+>", "", shown)
    assert "double(2)" in words
    assert "double(-7)" not in words
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "nbgrader", "export"],
        cwd=project.root, check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    assert table(places) == {"ada": ("5.0", "5.0"), "bob": ("3.0", "5.0")}


def test_the_sample_class_works_on_both(project):
    outcome = demo(project)
    found = {(mark.student.name, mark.student.assignment): mark for mark in outcome.marks}
    assert len(found) == 6
    assert [mark.faults for mark in outcome.marks if mark.faults] == []


def test_what_students_get_is_looked_through_notebook_by_notebook(project, tmp_path):
    folder = tmp_path / "copy" / "assignments" / "02_two_ways"
    shutil.copytree(project.assignments / "02_two_ways", folder)
    refuse_leaks(project, tmp_path / "copy")
    path = folder / "02b_graphs.ipynb"
    path.write_text(path.read_text().replace("raise NotImplementedError()", "factor_of_triple = 3"))
    with pytest.raises(NotebookError, match=r"02b_graphs\.ipynb would give away an answer of 02b"):
        refuse_leaks(project, tmp_path / "copy")
