"""A class whose gradebook is on a PostgreSQL server, through the commands."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cgkit.grading.gradebook import Gradebook
from cgkit.notebooks.build import build
from cgkit.notebooks.project import Project

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = {"ada": "def add(a, b):\n    return a + b", "bob": "def add(a, b):\n    return a"}

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("situation")]


@pytest.fixture
def course(tmp_path, postgres):
    """The tiny course with a class, its gradebook on the server."""
    root = tmp_path / "tiny course"
    shutil.copytree(ROOT / "tests" / "expected" / "tiny", root)
    text = (ROOT / "nbgrader_config.py").read_text()
    address = postgres.address("class")
    (root / "nbgrader_config.py").write_text(f"{text}\nc.CourseDirectory.db_url = {address!r}\n")
    build(Project(root), ["solutions"])
    for student in ANSWERS:
        hand_in(root, student, ANSWERS[student])
    yield root, address
    postgres.drop("class")


def hand_in(root, student, answer):
    made = json.loads((root / "assignments" / "01_sums" / "01_sums.ipynb").read_text())
    for cell in made["cells"]:
        if cell["id"] == "add":
            cell["source"] = answer
    path = root / "classes" / "submitted" / student / "01_sums" / "01_sums.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made))


def run(root, *words):
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(root / "none")}
    environment.pop("CGKIT_CLASS", None)
    return subprocess.run(
        [sys.executable, "-W", "ignore", *words],
        cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def grade(root, *words):
    return run(root, "-c", f"from cgkit.cli import run; raise SystemExit(run({['grade', *words]}))")


def points(done):
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["items"]
    return {item["name"].partition("/")[2]: item["points"] for item in found}


def marks(address):
    with Gradebook(address) as book:
        desk = book.desk("01_sums")
        found = {student: desk.points(student) for student in ANSWERS}
        desk.engine.dispose()
    return {student: sum(one or 0 for one in cells.values()) for student, cells in found.items()}


def test_grading_again_and_nbgrader_agree_on_the_marks(course):
    root, address = course
    assert points(grade(root, "--json")) == {"ada": 5, "bob": 0}
    assert marks(address) == {"ada": 5, "bob": 0}
    assert not list(root.rglob("*.db"))
    assert "nothing has changed" in grade(root).stdout
    hand_in(root, "bob", ANSWERS["ada"])
    done = grade(root)
    assert "was test_add: 0, now 3" in done.stdout, done.stdout + done.stderr
    done = run(root, "-m", "nbgrader", "autograde", "01_sums", "--force")
    assert done.returncode == 0, done.stderr
    assert marks(address) == {"ada": 5, "bob": 5}
    before = (root / "classes" / "grades.csv").read_text()
    done = run(root, "-m", "nbgrader", "export")
    assert done.returncode == 0, done.stderr
    assert (root / "classes" / "grades.csv").read_text() == before
    assert ",ada,,,,5.0,0.0,5.0,15.0" in before
