"""nbgrader run plainly from the root of a course, as a teacher would."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent


def configured(root, monkeypatch):
    """Run the configuration of a course as nbgrader does."""
    path = root / "nbgrader_config.py"
    monkeypatch.setattr(os, "environ", dict(os.environ))
    config = Config()
    names = {"get_config": lambda: config, "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return config


def test_a_class_lies_in_one_folder(tiny_course, monkeypatch):
    monkeypatch.delenv("CGKIT_CLASS", raising=False)
    places = configured(tiny_course, monkeypatch).CourseDirectory
    folder = tiny_course.resolve() / "classes"
    assert (places.source_directory, places.release_directory) == ("solutions", "assignments")
    assert places.db_url == f"sqlite:///{folder / 'gradebook.db'}"
    for step in ("submitted", "autograded", "feedback"):
        assert getattr(places, f"{step}_directory") == str(folder / step)


def test_another_class_touches_neither_classes_nor_assignments(tiny_course, monkeypatch):
    monkeypatch.setenv("CGKIT_CLASS", "build/mine")
    config = configured(tiny_course, monkeypatch)
    folder = tiny_course.resolve() / "build" / "mine"
    assert config.CourseDirectory.release_directory == str(folder / "release")
    assert config.CourseDirectory.db_url == f"sqlite:///{folder / 'gradebook.db'}"
    assert Path(config.Exchange.root).is_dir()
    assert not (tiny_course / "classes").exists()


def test_programs_of_this_environment_are_found_first(tiny_course, monkeypatch):
    # nbgrader runs `alembic` by name; without it a gradebook is made that stays broken.
    configured(tiny_course, monkeypatch)
    assert shutil.which("alembic", path=os.environ["PATH"]) is not None
    assert os.environ["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)


@pytest.mark.slow
def test_the_plain_commands_take_a_class_from_release_to_grades(tiny_course):
    from cgkit.notebooks.build import build
    from cgkit.notebooks.project import Project

    def nbgrader(*words):
        environment = {**os.environ, "PATH": "/usr/bin:/bin", "HOME": str(tiny_course)}
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    build(Project(tiny_course), ["solutions"])
    release = tiny_course / "assignments/01_sums/01_sums.ipynb"
    before = release.read_bytes()
    for student, source in (
        ("ada", "solutions/01_sums/01_sums.ipynb"),
        ("bob", "assignments/01_sums/01_sums.ipynb"),
        ("fay", "solutions/01_sums/01_sums.ipynb"),
    ):
        name = "01_sums.ipynb" if student != "fay" else "my sums.ipynb"
        place = tiny_course / "classes" / "submitted" / student / "01_sums" / name
        place.parent.mkdir(parents=True)
        shutil.copy(tiny_course / source, place)
    # README's words, with nothing before them; a renamed notebook is graded like any other
    code, said = nbgrader("autograde", "01_sums")
    assert code == 0, said
    assert nbgrader("generate_feedback", "01_sums")[0] == 0
    assert nbgrader("export")[0] == 0
    rows = csv.DictReader((tiny_course / "classes/grades.csv").read_text().splitlines())
    assert {row["student_id"]: row["score"] for row in rows} == {
        "ada": "5.0",
        "bob": "0.0",
        "fay": "5.0",
    }
    feedback = tiny_course / "classes" / "feedback"
    assert sorted(path.parent.parent.name for path in feedback.rglob("*.html")) == [
        "ada", "bob", "fay",
    ]  # fmt: skip
    assert nbgrader("generate_assignment", "01_sums", "--force")[0] == 0
    assert release.read_bytes() == before
    assert not (tiny_course / "gradebook.db").exists()
