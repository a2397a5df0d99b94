import json
from pathlib import Path

import pytest
from classwork import assignment_cells, cell, notebook

from cgkit.errors import NotebookError
from cgkit.grading.master import answered, read_master, released, unanswered, unmarked

ROOT = Path(__file__).resolve().parents[2]


def test_roles_and_points():
    master = read_master(notebook(assignment_cells()))
    roles = [(one.cell, one.role) for one in master.cells]
    assert roles[:5] == [
        ("title", "text"),
        ("setup", "given"),
        ("mean", "solution"),
        ("try_mean", "plain"),
        ("test_mean", "test"),
    ]
    assert roles[-1] == ("essay", "written")
    assert master.exported == {"mean", "order", "sort_in_place", "colors"}


def test_marks_go_and_hidden_parts_stay_for_the_grader_only():
    lines = ["a", "### BEGIN HIDDEN TESTS", "secret", "### END HIDDEN TESTS", "b"]
    assert unmarked(lines) == "a\nsecret\nb"
    assert released(lines, "test") == "a\nb"


def test_a_cell_says_how_long_it_may_take():
    cells = [cell("t", "# limit: 30 seconds\nassert True", "test", 1)]
    assert read_master(notebook(cells)).cells[0].limit == 30


@pytest.mark.parametrize("name", ["00_start", "01_graphs"])
def test_what_is_released_is_what_nbgrader_released(name):
    source = json.loads((ROOT / "solutions" / name / f"{name}.ipynb").read_text())
    there = json.loads((ROOT / "assignments" / name / f"{name}.ipynb").read_text())
    wanted = {one["id"]: "".join(one["source"]) for one in there["cells"]}
    found = {one["id"]: one["source"] for one in unanswered(read_master(source))["cells"]}
    assert found == wanted


def test_the_answered_notebook_shows_no_hidden_test():
    text = json.dumps(answered(read_master(notebook(assignment_cells()))))
    assert "sum(values)" in text
    assert "secret_values" not in text


@pytest.mark.parametrize("made", [{}, {"cells": 5}, {"cells": [{}]}, {"cells": [5]}])
def test_what_is_no_notebook_is_refused(made):
    with pytest.raises(NotebookError):
        read_master(made)


def test_two_cells_of_one_name_are_refused():
    with pytest.raises(NotebookError, match="mean"):
        read_master(notebook([*assignment_cells(), cell("mean", "x = 1", "solution")]))
