"""Copies to work in: made once, renewed while untouched, never overwritten."""

import pytest

from cgkit.cli.workspace import fill
from cgkit.notebooks.project import Project

CHAPTER = "course/01_graphs.ipynb"
RELEASE = "assignments/01_graphs/01_graphs.ipynb"


@pytest.fixture
def project(tmp_path):
    """A course with a built chapter, a release with a data file, and one text not yet built."""
    root = tmp_path / "root"
    for name, text in {
        "nbgrader_config.py": "",
        "course/01_graphs.py": "",
        CHAPTER: "chapter",
        "course/02_later.py": "",
        "solutions/01_graphs.py": "",
        "solutions/01_graphs/01_graphs.ipynb": "answers",
        RELEASE: "tasks",
        "assignments/01_graphs/digits.csv": "1,2",
        "assignments/01_graphs/.ipynb_checkpoints/01_graphs.ipynb": "rubbish",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Project(root)


def names(workspace):
    return {
        path.relative_to(workspace).as_posix()
        for path in workspace.rglob("*")
        if path.is_file() and path.name != "originals.json"
    }


def test_chapters_and_releases_are_copied_and_answers_are_not(project, tmp_path):
    copied = fill(project, tmp_path / "mine")
    assert names(tmp_path / "mine") == {CHAPTER, RELEASE, "assignments/01_graphs/digits.csv"}
    assert set(copied.fresh) == names(tmp_path / "mine")
    assert (tmp_path / "mine" / RELEASE).read_text() == "tasks"


def test_a_second_time_does_nothing(project, tmp_path):
    fill(project, tmp_path / "mine")
    assert fill(project, tmp_path / "mine").fresh == ()


def test_work_is_never_overwritten(project, tmp_path):
    fill(project, tmp_path / "mine")
    (tmp_path / "mine" / RELEASE).write_text("my answers")
    assert fill(project, tmp_path / "mine").behind == ()
    (project.root / RELEASE).write_text("other tasks")
    copied = fill(project, tmp_path / "mine")
    assert copied.behind == (RELEASE,)
    assert (tmp_path / "mine" / RELEASE).read_text() == "my answers"


def test_an_untouched_copy_follows_its_original(project, tmp_path):
    fill(project, tmp_path / "mine")
    (project.root / CHAPTER).write_text("better chapter")
    assert fill(project, tmp_path / "mine").fresh == (CHAPTER,)
    assert (tmp_path / "mine" / CHAPTER).read_text() == "better chapter"


def test_a_copy_that_was_removed_comes_back(project, tmp_path):
    fill(project, tmp_path / "mine")
    (tmp_path / "mine" / CHAPTER).unlink()
    assert fill(project, tmp_path / "mine").fresh == (CHAPTER,)


@pytest.mark.parametrize("ledger", [None, "", "[]", "{"])
def test_without_a_ledger_work_is_kept_all_the_same(project, tmp_path, ledger):
    fill(project, tmp_path / "mine")
    (tmp_path / "mine" / RELEASE).write_text("my answers")
    file = tmp_path / "mine" / "originals.json"
    file.unlink() if ledger is None else file.write_text(ledger)
    assert fill(project, tmp_path / "mine").behind == (RELEASE,)
    assert (tmp_path / "mine" / RELEASE).read_text() == "my answers"
