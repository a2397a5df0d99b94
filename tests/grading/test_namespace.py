"""Names in test cells; through a lane, as they are used."""

import dataclasses

import pytest
from classwork import assignment_cells, cell, notebook, raw

from cgkit.grading.judge import Times
from cgkit.grading.lane import Lane, read_assignment
from cgkit.grading.master import answered, read_master
from cgkit.grading.namespace import Namespace
from cgkit.grading.sandbox import find

TESTS = {
    "t_source": "assert 'while' in source('order') and source('nothing') == ''",
    "t_patch": "with patch('limit', 7):\n    assert above([5, 8]) == [8]\nassert above([5]) == [5]",
    "t_live": "before = state['n']\nbump()\nassert state['n'] == before + 1",
    "t_shadow": "mean = 5\nassert mean == 5",
    "t_after": "assert mean([2, 4]) == 3",
    "t_helper": "assert all(helper(n) == n + 1 for n in range(3))",
}
MORE = [
    cell("limit", "limit = 3\ndef above(a):\n    return [n for n in a if n > limit]", "solution"),
    cell("state", "state = {'n': 0}\ndef bump():\n    state['n'] += 1", "solution"),
    cell("helper", "def helper(n):\n    return n + 1", "given"),
    *(cell(name, text, "test", 1) for name, text in TESTS.items()),
]


@pytest.fixture(scope="module")
def results():
    made = notebook([*assignment_cells(), *MORE])
    assignment = read_assignment("names", made, times=Times(cell=2, own=1, total=20))
    with Lane(assignment, find("none")) as lane:
        whole = raw(answered(read_master(made)))
        yield lane.grade("ada", whole), dataclasses.replace(lane.reference, student="ada")


@pytest.mark.parametrize("name", [name for name in TESTS if name != "t_after"])
def test_names_in_test_cells(results, name):
    cell_ = results[0].by_cell()[name]
    assert (cell_.score, cell_.message) == (1, "")


def test_a_name_that_a_test_binds_is_the_tests_from_then_on(results):
    assert results[0].by_cell()["t_after"].error == "TypeError"


def test_the_reference_is_graded_as_everybody_is(results):
    mine, reference = results
    assert [(c.cell, c.score) for c in mine.cells] == [(c.cell, c.score) for c in reference.cells]


def test_names_are_bound_again_as_they_were():
    names = Namespace(frozenset({"mean"}), str, {"a": 1})
    kept = names.kept()
    names["a"], names["b"], names["mean"] = 2, 3, 4
    names.restore(kept)
    assert (names["a"], "b" in names, "mean" in names) == (1, False, False)
    assert names.kept() == kept
