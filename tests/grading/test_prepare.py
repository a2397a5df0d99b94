import pytest
from classwork import assignment_cells, cell, notebook

from cgkit.checks import search
from cgkit.grading.master import answered, read_master
from cgkit.grading.prepare import prepare, rehearse
from cgkit.grading.rebuild import plan_of
from cgkit.grading.result import CellResult, Result
from cgkit.grading.submission import read_submission


def prepared(*more):
    return prepare(read_master(notebook([*assignment_cells(), *more])))


def test_given_cells_are_run_once():
    made = prepared(cell("table", "table = np.arange(3)", "given"))
    assert made.steady == {"setup", "table"}
    assert made.names["table"].tolist() == [0, 1, 2]


def test_what_reads_an_answer_is_run_for_each_student():
    made = prepared(
        cell("a", "shown = mean([1, 2])", "given"),
        cell("b", "twice = shown * 2", "given"),
        cell("c", "apart = 3", "given"),
    )
    assert made.steady == {"setup", "c"}


def test_what_is_bound_twice_is_run_for_each_student():
    made = prepared(cell("a", "size = 1", "given"), cell("b", "size = 2", "given"))
    assert made.steady == {"setup"}
    made = prepared(cell("a", "items = 1", "given"))  # a test binds it too
    assert made.steady == {"setup"}


def test_tests_that_read_no_answer_are_constant():
    made = prepared(cell("ok", "assert np.ones(2).sum() == 2", "test", 1))
    assert made.constant == {"ok"}
    result = CellResult("ok", "test", 1, 1)
    with_it = made.with_results(Result("", (result, CellResult("test_mean", "test", 4, 4))))
    assert with_it.results == {"ok": result}


@pytest.mark.parametrize(
    "text",
    ["eval('mean([1])')", "globals()['mean']([1])", "exec('mean([1])')", "dir()", "vars()['mean']"],
)
def test_what_reads_names_by_their_text_is_run_for_each_student(text):
    """Once it gave everybody what it gave to the author's own answers."""
    made = prepared(cell("ok", f"assert {text} != 5", "test", 1), cell("g", f"f = {text}", "given"))
    assert not made.constant
    assert made.steady == {"setup"}


def test_a_plan_is_lightened():
    master = read_master(notebook(assignment_cells()))
    made = prepare(master)
    import json

    plan = plan_of(master, read_submission(json.dumps(answered(master)).encode()))
    live = {one.cell: one.live for one in made.lightened(plan).cells}
    assert live["setup"] is False
    assert live["mean"] is True


def test_a_rehearsal_leaves_drawn_cases_behind_and_hides_faults():
    cells = [
        cell("setup", "from cgkit.checks import start as check", "given"),
        cell("center", "def center(a):\n    return a - a.mean(axis=0)", "solution"),
        cell("broken", "1 / 0", "given"),
        cell("t", "check.center(center, seed=987654)", "test", 1),
    ]
    master = read_master(notebook(cells[:2] + cells[3:]))
    before = len(search._CASES)
    rehearse(master, prepare(master))
    assert len(search._CASES) == before + 1


def test_random_numbers_of_given_cells_are_the_same_in_any_lane():
    drawn = cell("draw", "import random\ndrawn = random.random(), np.random.rand()", "given")
    assert prepared(drawn).names["drawn"] == prepared(drawn).names["drawn"]
