"""Check cells of a release, put in the place of those that a student lost or changed."""

import copy
import shutil
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell

from cgkit.checks import tasks
from cgkit.notebooks.compose import dump, load
from cgkit.notebooks.handout import (
    checksum,
    compare,
    find_release,
    hand_out,
    is_check,
    name_of,
    restore,
    settings,
)

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "assignments" / "01_graphs" / "01_graphs.ipynb"
CHECKS = [f"test_{task.name}" for task in tasks("01_graphs")]


@pytest.fixture(scope="module")
def released():
    return load(RELEASE)


@pytest.fixture
def notebook(released):
    return copy.deepcopy(released)


@pytest.fixture
def course(tmp_path):
    """Give the root of a course that holds releases and nothing else."""
    (tmp_path / "nbgrader_config.py").touch()
    shutil.copytree(ROOT / "assignments", tmp_path / "assignments")
    return tmp_path


def cell(notebook, name):
    return next(one for one in notebook.cells if name_of(one) == name)


def without(notebook, name):
    notebook.cells = [one for one in notebook.cells if name_of(one) != name]


def texts(notebook):
    return {name_of(one): one.source for one in notebook.cells if is_check(one)}


def points(notebook):
    return sum(settings(one)["points"] for one in notebook.cells if settings(one).get("grade"))


def test_our_checksum_is_that_of_nbgrader(released):
    kinds = [one for one in released.cells if "checksum" in settings(one)]
    assert {settings(one)["grade"] for one in kinds} == {True, False}
    assert [checksum(one) for one in kinds] == [settings(one)["checksum"] for one in kinds]


def test_what_was_handed_out_needs_nothing(notebook, released):
    handout = restore(notebook, released)
    assert handout.notebook == released
    assert handout.notes == ()


def test_a_missing_check_comes_back_where_it_stood(notebook, released):
    without(notebook, "test_parameters")
    handout = restore(notebook, released)
    assert handout.notes[0].startswith("missing: test_parameters;")
    names = [name_of(one) for one in handout.notebook.cells]
    assert names == [name_of(one) for one in released.cells]
    assert "test_parameters" not in texts(notebook)


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.update(source="assert True"),
        lambda one: one.update(source="# " + one.source),
        lambda one: one.update(cell_type="markdown"),
    ],
)
def test_a_changed_check_is_replaced_and_told(notebook, released, change):
    change(cell(notebook, "test_parameters"))
    handout = restore(notebook, released)
    assert handout.notes[0].startswith("changed: test_parameters;")
    assert texts(handout.notebook) == texts(released)
    assert points(handout.notebook) == points(released) == 100


def test_edited_points_count_as_handed_out(notebook, released):
    settings(cell(notebook, "test_parameters"))["points"] = 40
    assert points(restore(notebook, released).notebook) == 100


def test_a_copy_of_a_check_counts_once(notebook, released):
    notebook.cells.append(copy.deepcopy(cell(notebook, "test_parameters")))
    handout = restore(notebook, released)
    assert points(handout.notebook) == 100
    assert "more than once: test_parameters" in handout.notes[0]


def test_without_metadata_a_check_is_known_by_its_id_or_its_text(notebook, released):
    for place, one in enumerate(notebook.cells):
        one.metadata = copy.deepcopy(one.metadata)
        one.metadata.pop("nbgrader", None)
        if place % 2:
            one.id = f"new{place}"
    handout = restore(notebook, released)
    assert points(handout.notebook) == 100
    assert not any("changed" in note for note in handout.notes)


def test_a_missing_set_up_comes_back(notebook, released):
    without(notebook, "setup")
    handout = restore(notebook, released)
    assert "missing: setup" in handout.notes[0]
    assert cell(handout.notebook, "setup").source == cell(released, "setup").source


def test_answers_and_own_cells_stay(notebook, released):
    cell(notebook, "evaluate").source = "evaluate = 3"
    notebook.cells.insert(5, new_code_cell("mine = 1"))
    handout = restore(notebook, released)
    assert cell(handout.notebook, "evaluate").source == "evaluate = 3"
    assert "mine = 1" in [one.source for one in handout.notebook.cells]
    assert handout.notes == ()


@pytest.mark.parametrize(
    "place",
    ["work/01_graphs.ipynb", "01_graphs/mine.ipynb", "work/my graphs (2).ipynb"],
)
def test_the_release_is_found_by_name_by_folder_and_by_cells(course, notebook, place):
    notebook.metadata.pop("cgkit")
    path = course / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(dump(notebook), encoding="utf-8")
    assert find_release(path, notebook).name == "01_graphs.ipynb"
    notes = hand_out(path, notebook).notes
    renamed = f"this notebook is called {path.name}: hand it in as 01_graphs.ipynb"
    assert [note.startswith(renamed) for note in notes] == [True] * (path.stem != "01_graphs")


def test_a_notebook_of_another_kind_has_no_release(course, notebook):
    notebook.cells = [new_code_cell("1")]
    notebook.metadata.pop("cgkit")
    assert find_release(course / "01_graphs.ipynb", notebook) is None
    assert hand_out(course / "01_graphs.ipynb", notebook).notebook is notebook


def test_in_the_release_itself_nothing_is_lost_from_the_sum(course, notebook):
    path = course / "assignments" / "01_graphs" / "01_graphs.ipynb"
    without(notebook, "test_parameters")
    cell(notebook, "test_rules").source = "assert True"
    path.write_text(dump(notebook), encoding="utf-8")
    handout = hand_out(path, notebook)
    assert handout.lost == (("test_parameters", 4.0),)
    assert handout.changed == {"test_rules"}


def test_the_released_check_cells_are_the_tasks_of_the_assignment(released):
    assert sorted(texts(released)) == sorted(CHECKS)
    assert compare(released, "01_graphs") == hand_out(RELEASE, released)
    assert compare(released, "01_graphs").lost == ()
    assert compare(released, "an_unknown_one").lost == ()


def test_one_of_two_notebooks_must_hold_its_own_checks_alone():
    part = load(ROOT / "assignments" / "02_static_dynamic" / "02a_dynamic.ipynb")
    assert compare(part, "02a_dynamic").lost == ()
    without(part, "test_unbroadcast")
    assert compare(part, "02a_dynamic").lost == (("test_unbroadcast", 7.0),)
