"""Releases: put in place at once, and searched for what must stay hidden."""

import json

import pytest

from cgkit.cells import parse
from cgkit.errors import NotebookError
from cgkit.files import write_whole
from cgkit.notebooks import release
from cgkit.notebooks.build import make
from cgkit.notebooks.compose import dump
from cgkit.notebooks.project import Project

CELLS = parse("""\
# %% readonly
visible_everywhere = 1

# %% solution id=a
def total(values):
    ### BEGIN SOLUTION
    visible_everywhere = 1
    result = functools.reduce(add, values)
    # a comment is no secret
    result.check_it_well()
    return result
    ### END SOLUTION

# %% test id=t points=1
### BEGIN HIDDEN TESTS
assert total([7, 8]) == 15
### END HIDDEN TESTS
""")


def found(path, **more):
    return [line for _, line in release.leaks(CELLS, [path], **more)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "    result = functools.reduce(add, values)\n",
            ["result = functools.reduce(add, values)"],
        ),
        ("x\nassert total([7, 8]) == 15\n", ["assert total([7, 8]) == 15"]),
        ("return result\nvisible_everywhere = 1\n# a comment is no secret\n", []),
    ],
)
def test_hidden_lines_are_found_in_python_files(tmp_path, text, lines):
    path = tmp_path / "given.py"
    path.write_text(text)
    shown = [line for line in lines if len(line) >= release.SHORTEST_SECRET]
    assert found(path) == shown + (["return result"] if "return result" in text else [])


def test_hidden_lines_are_found_anywhere_in_a_notebook(tmp_path):
    path = tmp_path / "a.ipynb"
    source = ["def total(values):\n", "    result = functools.reduce(add, values)\n"]
    path.write_text(json.dumps({"cells": [{"source": source, "outputs": [{"text": "x"}]}]}))
    assert found(path) == ["result = functools.reduce(add, values)"]


def test_a_chapter_may_share_a_line_but_not_the_answer(tmp_path):
    path = tmp_path / "a.ipynb"
    lines = ["result = functools.reduce(add, values)\n", "# why\n", "  result.check_it_well()\n"]
    path.write_text(json.dumps({"cells": [{"source": lines}]}))
    assert found(path, run=3) == []
    path.write_text(json.dumps({"cells": [{"source": [*lines, "return result"]}]}))
    assert found(path, run=3) == ["result = functools.reduce(add, values)"]


def test_files_that_are_no_text_hold_no_lines(tmp_path):
    for name, data in (("a.png", b"\x89PNG\xff"), ("a.ipynb", b"{")):
        (tmp_path / name).write_bytes(data)
        assert found(tmp_path / name) == []


def test_a_folder_takes_the_place_of_another(tmp_path):
    new, place = tmp_path / "new", tmp_path / "deep" / "place"
    for content in ("one", "two"):
        new.mkdir()
        (new / content).touch()
        release.replace(new, place)
        assert [path.name for path in place.iterdir()] == [content]
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_the_old_folder_comes_back_when_the_new_one_cannot_come(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    (place / "old").touch()
    with pytest.raises(FileNotFoundError):
        release.replace(tmp_path / "missing", place)
    assert (place / "old").exists()


def test_caches_are_no_files_of_an_assignment(tmp_path):
    for name in ("a.py", "__pycache__/a.pyc", ".ipynb_checkpoints/a.ipynb", "data/b.csv"):
        write_whole(tmp_path / name, name)
    assert sorted(release.files(tmp_path)) == ["a.py", "data/b.csv"]


@pytest.mark.slow
def test_nbgrader_makes_releases_and_its_refusal_is_told(tiny_course):
    project = Project(tiny_course)
    (text,) = project.select(["solutions"])
    write_whole(text.built, dump(make(project, text)))
    with release.releases(project, [text.name]) as folder:
        assert list(release.files(folder)) == ["01_sums/01_sums.ipynb"]
    assert not folder.exists()
    broken = json.loads(text.built.read_text())
    broken["cells"][3]["metadata"]["nbgrader"]["grade_id"] = "add"
    text.built.write_text(json.dumps(broken))
    with (
        pytest.raises(NotebookError, match=r"could not make the release[\s\S]*"),
        release.releases(project, [text.name]),
    ):
        pass
    assert list(project.build.iterdir()) == []


def test_a_release_without_end_is_given_up(tiny_course, monkeypatch):
    project = Project(tiny_course)
    monkeypatch.setattr(release, "SECONDS", 0.01)
    (project.solutions / "01_sums").mkdir()
    with pytest.raises(NotebookError, match="did not end"), release.releases(project, ["01_sums"]):
        pass
