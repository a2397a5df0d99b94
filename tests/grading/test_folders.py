"""nbgrader finds folders whose names are patterns, and those that hold no notebook."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from classwork import assignment_cells, notebook, written

from cgkit.grading.folders import is_ignored, literal_paths, named

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("a[1]", ["a[1]"]),
        ("a?", ["a?"]),
        ("*", ["a[1]", "a1", "a?", "b*", "{c}"]),
        ("a*", ["a[1]", "a1", "a?"]),
        ("b*", ["b*"]),
        ("{c}", ["{c}"]),
        ("nobody", []),
    ],
)
def test_a_name_is_itself_before_it_is_a_pattern(wanted, found):
    assert named(["a[1]", "a1", "a?", "b*", "{c}"], wanted) == found


@pytest.mark.parametrize(
    ("path", "patterns", "ignored"),
    [
        ("/c/ada[1]/01/01.ipynb", ["*.ipynb"], True),
        ("/c/ada[1]/01/data.csv", ["*.ipynb"], False),
        ("/c/ada/.link", ["*"], True),
        ("/c/*.ipynb/data.csv", ["*.ipynb"], False),
        ("/c/ada/01.ipynb", None, False),
    ],
)
def test_what_is_left_out_is_told_by_its_own_name(path, patterns, ignored):
    assert is_ignored(path, patterns) is ignored


def test_the_place_of_a_course_is_no_pattern():
    import re

    from nbgrader.coursedir import CourseDirectory

    course = CourseDirectory(root="/my (2)/[b]+", submitted_directory="/my (2)/[b]+/in")
    literal_paths(course)
    path = course.format_path(course.submitted_directory, "ada[1]", "01")
    assert path == "/my (2)/[b]+/in/ada[1]/01"
    pattern = course.format_path(course.submitted_directory, "(?P<who>.*)", "(?P<what>.*)", True)
    assert re.match(pattern, path).groups() == ("ada[1]", "01")


ODD = ["ada[1]", "b*b", "c?", "{d}", "e (2)", "f'\"f", "-g", "h#%&;"]


@pytest.fixture(scope="module")
def course(tmp_path_factory, situation):
    """A course in a folder whose name is a pattern; students of the same kind handed in."""
    root = tmp_path_factory.mktemp("odd") / "graphs [2030] (b)+"
    source = root / "solutions" / "small" / "small.ipynb"
    source.parent.mkdir(parents=True)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    source.write_text(json.dumps(notebook(assignment_cells())))
    for student in ODD:
        folder = root / "classes" / "submitted" / student / "small"
        folder.mkdir(parents=True)
        (folder / "small.ipynb").write_text(json.dumps(written()))
        (folder / "notes [1].txt").write_text("mine")
    (root / "classes" / "submitted" / "nobody" / "small").mkdir(parents=True)
    return root


def nbgrader(root, *words):
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(root / "none")}
    environment.pop("CGKIT_CLASS", None)
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "nbgrader", *words],
        cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def points(root):
    query = """
        select s.student_id, sum(g.auto_score) from grade g
        join submitted_notebook n on g.notebook_id = n.id
        join submitted_assignment s on n.assignment_id = s.id group by s.student_id
    """
    with sqlite3.connect(root / "classes" / "gradebook.db") as book:
        return dict(book.execute(query).fetchall())


@pytest.mark.slow
def test_one_student_is_graded_whatever_the_name_and_with_an_empty_folder(course):
    for student in ("ada[1]", "nobody"):
        done = nbgrader(course, "autograde", "small", f"--student={student}")
        assert done.returncode == 0, done.stderr
    assert points(course) == {"ada[1]": 10, "nobody": 0}
    marked = course / "classes" / "autograded" / "nobody" / "small" / "small.ipynb"
    assert "no notebook was handed in" in marked.read_text()
    done = nbgrader(course, "autograde", "small", "--student=stranger")
    assert done.returncode != 0
    assert "No notebooks were matched" in done.stderr


@pytest.mark.slow
def test_a_class_of_odd_names_is_graded_and_gets_feedback_without_hidden_tests(course):
    done = nbgrader(course, "autograde", "small", "--force")
    assert done.returncode == 0, done.stderr
    assert points(course) == {**dict.fromkeys(ODD, 10), "nobody": 0}
    done = nbgrader(course, "generate_feedback", "small", "--force")
    assert done.returncode == 0, done.stderr
    feedback = course / "classes" / "feedback"
    files = [path for path in feedback.rglob("*") if path.is_file()]
    assert {path.parents[1].name for path in files} == {*ODD, "nobody"}
    assert {path.name for path in files} == {"small.html"}
    assert not any("secret_values" in path.read_text() for path in files)


@pytest.mark.slow
def test_a_release_is_made_there_too(course):
    done = nbgrader(course, "generate_assignment", "small", "--force")
    assert done.returncode == 0, done.stderr
    assert (course / "assignments" / "small" / "small.ipynb").is_file()
