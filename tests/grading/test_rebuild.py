"""The assignment comes out whole, with the student's answers in it, whatever was handed in."""

import copy
import json

import pytest
from classwork import MEAN, TEST_MEAN, assignment_cells, notebook, raw, written
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit.grading.differences import EARLIER
from cgkit.grading.master import read_master, unanswered
from cgkit.grading.rebuild import rebuild

MASTER = read_master(notebook(assignment_cells()))
MINE = "def mean(values):\n    return 1.5"


def plan_of(made):
    return rebuild(MASTER, made if isinstance(made, bytes) else raw(made))


def source(plan, name):
    return next(cell.source for cell in plan.cells if cell.cell == name)


def cells_by_id(made):
    return {cell["id"]: cell for cell in made["cells"]}


def changed(change, answers=None):
    made = copy.deepcopy(written(answers or {"mean": MINE}))
    change(made["cells"], cells_by_id(made))
    return plan_of(made)


def without(cells, name):
    cells[:] = [cell for cell in cells if cell["id"] != name]


def graded(plan):
    return {cell.cell: (cell.source, cell.points) for cell in plan.cells if cell.kind == "test"}


WHOLE = graded(plan_of(written()))


def test_the_tests_are_the_authors_with_their_hidden_part():
    assert "secret_values" in WHOLE["test_mean"][0]
    assert "HIDDEN" not in WHOLE["test_mean"][0]
    assert [points for _, points in WHOLE.values()] == [4, 3, 2, 1]


def test_what_was_handed_out_comes_back_unnoted():
    plan = plan_of(unanswered(MASTER))
    assert plan.notes == ()
    assert "raise NotImplementedError" in plan.sources["mean"]
    assert graded(plan) == WHOLE


def test_written_answers_are_kept_for_a_person():
    plan = plan_of(written({"essay": "Because of the edges."}))
    assert plan.sources["essay"] == "Because of the edges."
    assert "essay" not in [cell.cell for cell in plan.cells]


EASY = {
    "a test cell deleted": lambda cells, by: without(cells, "test_mean"),
    "a test cell copied": lambda cells, by: cells.append(copy.deepcopy(by["test_mean"])),
    "a test cell edited": lambda cells, by: by["test_mean"].update(source="4"),
    "a test cell split": lambda cells, by: (
        by["test_mean"].update(source="found = mean([1, 2, 3])"),
        cells.append({"cell_type": "code", "source": "assert found == 2"}),
    ),
    "a test cell turned to markdown": lambda cells, by: by["test_mean"].update(
        cell_type="markdown"
    ),
    "points edited": lambda cells, by: by["test_mean"]["metadata"]["nbgrader"].update(points=400),
    "an answer turned to markdown": lambda cells, by: by["mean"].update(cell_type="markdown"),
    "the name gone": lambda cells, by: by["mean"]["metadata"]["nbgrader"].pop("grade_id"),
    "schema 2": lambda cells, by: by["mean"]["metadata"]["nbgrader"].update(schema_version=2),
    "an id that stands twice": lambda cells, by: by["test_sort"].update(id="mean"),
    "all metadata stripped": lambda cells, by: [cell.update(metadata={}) for cell in cells],
    "metadata and ids stripped": lambda cells, by: [
        (cell.update(metadata={}), cell.pop("id")) for cell in cells
    ],
    "cells in another order": lambda cells, by: cells.reverse(),
    "null characters": lambda cells, by: by["mean"].update(source=MINE + "\x00"),
    "the answer in a cell of its own": lambda cells, by: (
        by["mean"].update(source="# see below"),
        cells.insert(4, {"cell_type": "code", "metadata": {}, "source": MINE}),
    ),
    "a stale copy before": lambda cells, by: cells.insert(
        0, {**copy.deepcopy(by["mean"]), "source": MEAN.replace("###", "#")}
    ),
    "an empty copy behind": lambda cells, by: cells.append(
        {**copy.deepcopy(by["mean"]), "source": ""}
    ),
    "the stub pasted behind": lambda cells, by: cells.append(
        {
            **copy.deepcopy(by["mean"]),
            "source": "def mean(values):\n    raise NotImplementedError()",
        }
    ),
    "a source as a list": lambda cells, by: by["mean"].update(source=MINE.splitlines(True)),
}


@pytest.mark.parametrize("name", EASY)
def test_odd_files_keep_their_answer_and_all_tests(name):
    plan = changed(EASY[name])
    assert plan.sources["mean"] == MINE
    assert graded(plan) == WHOLE
    untold = ("a source as a list", "cells in another order")
    assert plan.notes or name in untold


def test_format_3_and_a_byte_order_mark_keep_the_answer():
    cells = written({"mean": MINE})["cells"]
    old = {"nbformat": 3, "worksheets": [{"cells": cells}]}
    assert plan_of(old).sources["mean"] == MINE
    assert plan_of(b"\xef\xbb\xbf" + raw(written({"mean": MINE}))).sources["mean"] == MINE


def test_an_answer_with_a_slip_is_found_by_its_name():
    slip = "def mean(values:\n    return 1"
    plan = changed(lambda cells, by: by["mean"].update(metadata={}, id="z"), {"mean": slip})
    assert plan.sources["mean"] == slip
    assert any("names it defines" in note for note in plan.notes)


def test_an_answer_is_found_by_its_position():
    text = "# my colors are below\npalette = {}"
    plan = changed(lambda cells, by: by["colors"].update(metadata={}, id="z"), {"colors": text})
    assert plan.sources["colors"] == text


def test_helpers_run_where_they_stood():
    helper = "def total(values):\n    return sum(values)"
    plan = plan_of(written(extras={"setup": [helper]}))
    kinds = [(cell.kind, cell.source) for cell in plan.cells]
    assert kinds.index(("extra", helper)) == 1
    assert any("student's own was run" in note for note in plan.notes)


def earlier(made, name, old):
    """Put the text of an earlier release into a cell, with the checksum it had then."""
    import nbformat
    from nbgrader.utils import compute_checksum

    cell = cells_by_id(made)[name]
    cell["source"] = old
    roles = {"locked": True, "solution": False, "grade": name.startswith("test"), "points": 7}
    cell["metadata"]["nbgrader"].update(roles)
    cell["metadata"]["nbgrader"]["checksum"] = compute_checksum(nbformat.from_dict(cell))


def test_a_test_of_an_earlier_release_is_no_edited_one():
    made = written()
    earlier(made, "test_mean", "assert mean([1]) == 1")
    plan = plan_of(made)
    assert graded(plan) == WHOLE
    assert [(one.cell, one.what) for one in plan.edited] == [("test_mean", EARLIER)]
    assert plan.notes == (f"test_mean: {EARLIER}; the assignment's own text was used",)


def test_a_given_cell_of_an_earlier_release_gives_way_to_the_new_one():
    made = written()
    earlier(made, "setup", "import numpy as np\nmean = None")
    plan = plan_of(made)
    assert [cell.cell for cell in plan.cells] == [cell.cell for cell in plan_of(written()).cells]
    assert "import math" in source(plan, "setup")


def test_an_edited_given_cell_runs_behind_the_given_one():
    edited = "import numpy as np\nimport itertools"
    plan = changed(lambda cells, by: by["setup"].update(source=edited))
    own = [(cell.kind, cell.source) for cell in plan.cells[:2]]
    assert own[0][0] == "given"
    assert "itertools" not in own[0][1]
    assert own[1] == ("extra", edited)


def test_a_split_answer_runs_in_both_halves():
    half = "def helper():\n    return 2"

    def split(cells, by):
        cells.insert(2, {**copy.deepcopy(by["mean"]), "source": half})

    plan = changed(split)
    assert ("extra", half) in [(cell.kind, cell.source) for cell in plan.cells]
    assert plan.sources["mean"] == MINE


def test_copies_of_tests_never_run_as_answers():
    def paste(cells, by):
        cells.append({"cell_type": "code", "source": by["test_mean"]["source"]})
        cells.append({"cell_type": "code", "source": TEST_MEAN.replace("7.5", "8.5")})

    plan = changed(paste)
    assert not [c for c in plan.cells if c.kind == "extra" and "assert" in c.source]


def test_many_notes_are_counted():
    cells = [{"cell_type": "code", "source": f"x{number} = '\0'"} for number in range(200)]
    notes = rebuild(MASTER, raw(notebook(cells))).notes
    assert len(notes) < 70
    assert notes[-1].endswith(" more notes")


def test_hidden_tests_are_in_no_text_of_a_students():
    plan = changed(lambda cells, by: without(cells, "test_mean"))
    inside = [cell.source for cell in plan.cells if cell.kind != "test"]
    assert not any("secret_values" in text for text in [*inside, *plan.sources.values()])


@settings(max_examples=60)
@given(st.binary(max_size=120), st.integers(0, 4_000), st.integers(0, 60))
def test_damaged_files_still_give_a_plan(junk, place, lost):
    data = raw(written({"mean": MINE}))
    plan = plan_of(data[:place] + junk + data[place + lost :])
    assert graded(plan) == WHOLE
    assert set(plan.sources) == {"mean", "order", "sort", "colors", "essay"}


FIELDS = st.sampled_from(["source", "cell_type", "id", "metadata"])
ODD = st.none() | st.integers() | st.lists(st.text(max_size=3), max_size=2) | st.text(max_size=9)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 11), FIELDS, ODD), max_size=6))
def test_damaged_cells_still_give_a_plan(damage):
    made = copy.deepcopy(written())
    for place, field, value in damage:
        made["cells"][place][field] = value
    assert graded(plan_of(json.loads(json.dumps(made)))) == WHOLE


def test_an_answer_that_reads_like_the_authors_is_kept_in_a_cell_of_its_own():
    made = copy.deepcopy(unanswered(MASTER))
    mine = {"cell_type": "code", "metadata": {}, "source": MASTER.cells[2].source}
    made["cells"].insert(3, mine)
    plan = plan_of(made)
    assert ("extra", MASTER.cells[2].source) in [(cell.kind, cell.source) for cell in plan.cells]


def test_answers_that_all_stand_in_one_cell_are_not_undone_by_stubs():
    whole = "\n\n".join(cell.source for cell in MASTER.cells if cell.role == "solution")

    def merge(cells, by):
        by["mean"]["source"] = whole
        for name in ("order", "sort", "colors"):
            without(cells, name)

    plan = changed(merge)
    assert source(plan, "order") == "# answered in the cell of mean"
    assert not any("NotImplementedError" in cell.source for cell in plan.cells)
    assert "order: the answer was found in the cell of mean" in plan.notes


def test_what_stands_above_a_test_in_its_own_cell_runs_before_it():
    def write(cells, by):
        by["test_mean"]["source"] = f"{MINE}\n" + by["test_mean"]["source"] + "\nmean = None"

    plan = changed(write)
    names = [cell.cell for cell in plan.cells]
    (own,) = (cell for cell in plan.cells if MINE in cell.source and cell.kind == "extra")
    assert names.index(own.cell) < names.index("test_mean")
    assert "None" not in own.source
    assert graded(plan) == WHOLE


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "cell 13 of the student's own was run with the answers"),
        (3, "cells 13, 14 and 15 of the student's own were run with the answers"),
        (11, "cells 13, 14, 15, 16, 17, 18, 19, 20 and 3 more of the student's own were run"),
    ],
)
def test_own_cells_are_named_in_one_note(count, words):
    own = [{"cell_type": "code", "source": f"extra{number} = 1"} for number in range(count)]
    (note,) = changed(lambda cells, by: cells.extend(own)).notes
    assert note.startswith(words)


def test_the_work_on_another_assignment_is_one_note():
    other = {"nbgrader": {"grade_id": "other", "schema_version": 3, "solution": True}}
    made = {"cells": [{"cell_type": "code", "source": "print(1)", "metadata": other}]}
    notes = plan_of(made).notes
    assert notes == ("no answer to this assignment was found; is it the work on another one?",)
