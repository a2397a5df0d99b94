import dataclasses
import json

from cgkit.grading.result import CellResult, Flag, Result, from_body, to_body

RESULT = Result(
    "ada",
    (CellResult("t", "test", 2.5, 4, "half", seconds=1.0), CellResult("s", "solution")),
    ("a note",),
    (Flag("what", "line 1", "s"),),
    {"s": "x = 1"},
    forks=2,
    seconds=3.0,
)


def test_a_result_survives_json():
    assert from_body(json.loads(json.dumps(to_body(RESULT)))) == RESULT


def test_times_do_not_make_results_differ():
    cells = tuple(dataclasses.replace(cell, seconds=9.0) for cell in RESULT.cells)
    assert dataclasses.replace(RESULT, seconds=9.0, forks=5, cells=cells) == RESULT


def test_points_are_summed():
    assert (RESULT.score, RESULT.out_of) == (2.5, 4)
    assert RESULT.by_cell()["t"].message == "half"
