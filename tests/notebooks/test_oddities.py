"""Each oddity does what its name says, to the file that is then handed in."""

import copy
import json

import pytest

from cgkit.notebooks.oddities import HUGE, ODDITIES, Parcel


def cell(name, source, grade=False, solution=False, points=None, kind="code"):
    nbgrader = {"grade_id": name, "grade": grade, "solution": solution, "schema_version": 3}
    nbgrader |= {} if points is None else {"points": points}
    return {"cell_type": kind, "id": name, "metadata": {"nbgrader": nbgrader}, "source": source}


CELLS = [
    cell("add", "def add(a, b):\n    return a + b", solution=True),
    cell("test_add", "assert add(1, 2) == 3", grade=True, points=3),
    cell("test_more", "assert add(2, 2) == 4", grade=True, points=0),
    cell("why", "Because.", grade=True, solution=True, points=5, kind="markdown"),
]


def parcel(name):
    made = Parcel({"cells": copy.deepcopy(CELLS), "metadata": {"kernelspec": {}}}, "01_sums.ipynb")
    ODDITIES[name](made)
    return made


def written(name, folder):
    parcel(name).put_down(folder)
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize("name", ODDITIES)
def test_each_makes_the_parcel_another_one(name, tmp_path):
    plain = Parcel({"cells": copy.deepcopy(CELLS), "metadata": {"kernelspec": {}}}, "01_sums.ipynb")
    assert parcel(name) != plain
    parcel(name).put_down(tmp_path / "ada")
    assert (tmp_path / "ada").is_dir()


def test_the_test_that_gives_points_is_meant():
    assert [one["id"] for one in parcel("a test deleted").cells] == ["add", "test_more", "why"]
    halves = parcel("a test split").cells
    assert halves[1]["source"] + halves[2]["source"] == CELLS[1]["source"]
    assert parcel("points edited").test["metadata"]["nbgrader"]["points"] == 1_000
    assert parcel("a test turned to text").cells[1]["cell_type"] == "markdown"


def test_bytes_are_what_the_name_says():
    assert parcel("empty").bytes() == b""
    assert parcel("a byte order mark").bytes().startswith(b"\xef\xbb\xbf{")
    assert json.loads(parcel("UTF-16").bytes().decode("utf-16"))["cells"] == CELLS
    with pytest.raises(ValueError, match="line 1"):
        json.loads(parcel("truncated").bytes())
    assert json.loads(parcel("format 3").bytes())["worksheets"][0]["cells"][0]["input"]


def test_files_are_what_the_name_says(tmp_path):
    assert written("no notebook", tmp_path / "a") == {"report.txt"}
    assert written("an empty folder", tmp_path / "b") == set()
    assert written("a folder of that name", tmp_path / "c") == {
        "01_sums.ipynb",
        "01_sums.ipynb/01_sums.ipynb",
    }
    written("a link to a system file", tmp_path / "d")
    assert (tmp_path / "d" / "01_sums.ipynb").is_symlink()
    written("200 MB", tmp_path / "e")
    assert (tmp_path / "e" / "01_sums.ipynb").stat().st_size == HUGE
