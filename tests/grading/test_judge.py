"""What the judge does around a cell; what cells do to it is in test_attacks.py."""

import dataclasses

import pytest
from classwork import POINTS, cell, notebook, raw, written

from cgkit.grading.judge import MOST_IN_ALL, definition
from cgkit.grading.master import read_master
from cgkit.grading.rebuild import Plan, PlanCell


def scores(result):
    return {one.cell: one.score for one in result.cells if one.kind == "test"}


def test_partial_points_come_with_words(lane):
    text = "def order(graph):\n    return sorted(graph, reverse=True)"
    cell = lane.grade("ben", raw(written({"order": text}))).by_cell()["test_order"]
    assert (cell.score, cell.message) == (0, "0 of 3 edges point forward")


def test_a_slip_is_named_where_its_answer_is_missing(lane):
    result = lane.grade("gil", raw(written({"mean": "def mean(values:\n    return 1"})))
    assert scores(result) == {**POINTS, "test_mean": 0}
    message = result.by_cell()["test_mean"].message
    assert "name 'mean' is not defined" in message
    assert "SyntaxError" in message


def test_an_error_names_the_students_line(lane):
    text = "def mean(values):\n    total = 0\n    return total / 0"
    message = lane.grade("eva", raw(written({"mean": text}))).by_cell()["test_mean"].message
    assert "ZeroDivisionError" in message
    assert "line 3 of mean: return total / 0" in message


def test_what_an_answer_prints_is_kept_with_its_cell(lane):
    text = "print('in the cell')\ndef mean(values):\n    print('called')\n    return 2"
    cells = lane.grade("p", raw(written({"mean": text}))).by_cell()
    assert cells["mean"].printed == "in the cell\n"
    assert cells["test_mean"].printed.startswith("called\n")


def test_what_many_cells_print_is_bounded_together(lane):
    loud = "print('\\U0001f600' * 60_000)"
    result = lane.grade("p", raw(written(extras={"setup": [loud] * 20})))
    assert sum(len(one.printed) for one in result.cells) <= MOST_IN_ALL
    assert scores(result) == POINTS


def test_no_message_shows_a_hidden_test(lane):
    wrong = {"mean": "def mean(values):\n    return 2", "order": "def order(graph): return []"}
    result = lane.grade("w", raw(written(wrong)))
    text = " ".join(one.message + one.printed + one.warned for one in result.cells)
    assert "secret_values" not in text
    assert "hidden_graph" not in text


def test_helpers_in_cells_of_their_own_count(lane):
    answers = {"mean": "def mean(values):\n    return total(values) / len(values)"}
    extras = {"setup": ["def total(values):\n    return sum(values)"]}
    assert scores(lane.grade("h", raw(written(answers, extras=extras)))) == POINTS


def test_a_death_replays_what_was_there_before(lane):
    text = "import os\ndef mean(values):\n    os._exit(3)"
    result = lane.grade("d", raw(written({"mean": text})))
    assert scores(result) == {**POINTS, "test_mean": 0}
    assert result.forks >= 2


def test_stale_state_does_not_survive_a_replay(lane):
    text = (
        "import os\nseen = []\ndef order(graph):\n    seen.append(1)\n"
        "    if len(seen) == 1: os._exit(1)\n    return list(graph)[::-1]"
    )
    cell = lane.grade("d", raw(written({"order": text}))).by_cell()["test_order"]
    assert cell.error == "Died"  # in the first try and, anew, in the second


def test_the_whole_submission_ends_in_time(situation, assignment):
    from cgkit.grading.lane import Lane

    times = dataclasses.replace(assignment.times, total=3.0)
    with Lane(dataclasses.replace(assignment, times=times), situation) as lane:
        extras = {"setup": ["while True: pass"] * 12}
        result = lane.grade("slow", raw(written(extras=extras)))
    assert result.seconds < 12
    assert not result.failed


@pytest.mark.parametrize(
    ("name", "text"),
    [("f", "def f():\n    return 2"), ("A", "class A:\n    pass"), ("x", "x = 3"), ("z", "")],
)
def test_the_text_of_a_definition(name, text):
    cells = (
        PlanCell("solution", "a", "def f():\n    return 1\nx = 3" if name == "f" else "x = 3"),
        PlanCell("extra", "b", "y = 1\ndef f():\n    return 2\nclass A:\n    pass"),
        PlanCell("test", "c", "z = 1"),
    )
    assert definition(Plan(cells, frozenset()), name) == text


USED = """
given_cases = iter([(1, 2)])
numbers = [3, 1, 2]
"""
ANSWERS = """
def following(number):
    ### BEGIN SOLUTION
    return number + 1
    ### END SOLUTION
def put_in_order(items):
    ### BEGIN SOLUTION
    items.sort()
    ### END SOLUTION
"""
TESTS = {
    "t_walk": "for one, right in given_cases:\n    assert following(one) == right",
    "t_sort": "put_in_order(numbers)\nassert numbers == [1, 2, 3]",
    "t_count": "runs = globals().get('runs', 0) + 1\nassert (runs, following(1)) == (1, 2)",
}


@pytest.fixture(scope="module")
def used_up(situation, assignment):
    """A lane for an assignment whose tests use up what a given cell made."""
    from cgkit.grading.lane import Lane

    cells = [cell("g", USED, "given"), cell("a", ANSWERS, "solution")]
    cells += [cell(name, text, "test", 1) for name, text in TESTS.items()]
    master = read_master(notebook(cells))
    with Lane(dataclasses.replace(assignment, master=master), situation) as lane:
        yield lane


@pytest.mark.parametrize(
    ("body", "passed"),
    [
        ("def following(n): return n + 1\ndef put_in_order(items): items.sort()", set(TESTS)),
        ("def following(n): return 0\ndef put_in_order(items): pass", set()),
        ("import os\ndef following(n): os._exit(1)\ndef put_in_order(items): os._exit(1)", set()),
    ],
)
def test_each_try_finds_what_given_cells_made_as_they_made_it(used_up, body, passed):
    """Once, the author's own run had put the list in order, and a death used the cases up."""
    result = used_up.grade("u", raw({"cells": [cell("a", body, "solution")], "nbformat": 4}))
    assert {name for name, points in scores(result).items() if points} == passed
