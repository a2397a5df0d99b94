"""A lane as a whole: learning, repeating, surviving; and the assignments of the course in it."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from classwork import POINTS, assignment_cells, cell, notebook, raw, written

from cgkit.errors import NotebookError
from cgkit.grading import lane as module
from cgkit.grading.lane import Lane, read_assignment
from cgkit.grading.master import answered, unanswered
from cgkit.grading.sandbox import UNSANDBOXED, find

ROOT = Path(__file__).resolve().parents[2]


def scores(result):
    return {one.cell: one.score for one in result.cells if one.kind == "test"}


def test_right_answers_get_all_and_the_release_gets_nothing(lane):
    assert scores(lane.grade("ada", raw(written()))) == POINTS
    result = lane.grade("cleo", raw(unanswered(lane.assignment.master)))
    assert set(scores(result).values()) == {0}
    assert not result.notes


def test_the_same_submission_gives_the_same_result_in_any_lane(lane, situation, assignment):
    wrong = {"mean": "import random\ndef mean(values):\n    return random.random()"}
    once = lane.grade("eve", raw(written(wrong)))
    assert lane.grade("eve", raw(written(wrong))) == once
    with Lane(assignment, situation, secret=b"not told", policy=lane.policy) as other:
        assert other.grade("eve", raw(written(wrong))) == once


def test_sets_come_in_the_same_order_in_any_lane(lane, situation, assignment):
    """A regrade must not change the mark of code that depends on the order of a set."""
    text = "print([*{'a', 'b', 'c', 'd', 'e', 'f'}])"
    data = raw(written(extras={"setup": [text]}))
    with Lane(assignment, situation) as other:
        printed = {
            cell.printed
            for one in (lane, other)
            for cell in one.grade("ada", data).cells
            if cell.kind == "extra" and cell.printed
        }
    assert len(printed) == 1


def test_seeds_differ_by_student_and_secret_and_never_meet(lane):
    ada, ben = lane._seeds("ada"), lane._seeds("ben")
    assert len({ada.inside, ada.outside, ben.inside, ben.outside}) == 4


def test_a_student_whose_name_is_no_text_is_graded(lane):
    result = lane.grade("a\udcff", raw(written()))
    assert (result.score, result.failed) == (sum(POINTS.values()), "")


@pytest.mark.parametrize("data", [b"", b"not json", b"\x00" * 50, b"[1, 2]", b'{"cells": 5}'])
def test_every_file_gets_a_row(lane, data):
    result = lane.grade("odd", data)
    assert scores(result) == dict.fromkeys(POINTS, 0)
    assert result.notes
    assert not result.failed


def test_marks_are_made_outside_without_a_fence_too(assignment):
    with Lane(assignment, find("none")) as lane:
        assert lane.grade("ada", raw(written())).score == sum(POINTS.values())
        text = "np.allclose = lambda *a: True\ndef mean(values):\n    return 0"
        result = lane.grade("eve", raw(written({"mean": text})))
    assert scores(result) == {**POINTS, "test_mean": 0}
    assert result.label == UNSANDBOXED


def test_a_judge_that_is_killed_costs_one_submission(lane, monkeypatch):
    pids = []
    fork = os.fork

    def noting():
        pid = fork()
        pids.append(pid)
        return pid

    monkeypatch.setattr(module.os, "fork", noting)
    text = "import time\ndef mean(values):\n    time.sleep(30)"
    killer = threading.Timer(0.6, lambda: os.kill(pids[-1], signal.SIGKILL))
    killer.start()
    result = lane.grade("unlucky", raw(written({"mean": text})))
    killer.join()
    assert "was ended" in result.failed
    assert all(one.by_hand for one in result.cells)
    assert scores(lane.grade("next", raw(written()))) == POINTS


def test_a_judge_that_hangs_is_ended(lane, monkeypatch):
    monkeypatch.setattr(module, "_SLACK", -19.0)
    monkeypatch.setattr(module.Lane, "_judged", lambda *_: time.sleep(30))
    start = time.monotonic()
    assert "out of time" in lane.grade("slow", raw(written())).failed
    assert time.monotonic() - start < 10


def test_a_fault_of_the_grader_is_said(lane, monkeypatch):
    def fail(*_):
        raise RuntimeError("a bug")

    monkeypatch.setattr(module.Lane, "_judged", fail)
    assert lane.grade("x", b"").failed == "RuntimeError: a bug"


def test_an_assignment_whose_answers_fail_is_said_by_its_reference(situation):
    cells = [*assignment_cells(), cell("t", "assert mean([1]) == 2, 'not 2'", "test", 1)]
    with Lane(read_assignment("broken", notebook(cells)), situation) as lane:
        assert lane.reference.score < lane.reference.out_of
        with pytest.raises(NotebookError, match="broken would be graded unfairly") as caught:
            lane.refuse_unfair()
    assert caught.value.why == "t gives 0 of 1: not 2"


def test_tests_without_points_must_pass_too_and_many_faults_are_counted(situation):
    tests = [cell(f"t{place}", f"assert mean([{place}]) == 9", "test", 0) for place in range(5)]
    assignment = read_assignment("broken", notebook([*assignment_cells(), *tests]))
    words = r"t0 gives 0 of 0: what your code gave.*; and 2 more"
    with Lane(assignment, situation) as lane, pytest.raises(NotebookError, match=words):
        lane.refuse_unfair()


def test_an_assignment_whose_answers_pass_is_fair(lane):
    lane.refuse_unfair()


def test_an_assignment_that_is_none_is_refused():
    with pytest.raises(NotebookError):
        read_assignment("none", {})


# the assignments of the course


def course_lane(name):
    path = ROOT / "solutions" / name / f"{name}.ipynb"
    return Lane(read_assignment(name, json.loads(path.read_text(encoding="utf-8"))), find())


def check_course(name, situation, out_of):
    with course_lane(name) as lane:
        assert (lane.reference.score, lane.reference.out_of) == (out_of, out_of)
        master = lane.assignment.master
        ada = lane.grade("ada", raw(answered(master)))
        cleo = lane.grade("cleo", raw(unanswered(master)))
        changed = lane.grade("max", raw(with_change(master, name)))
    assert (ada.score, ada.flags, ada.notes) == (out_of, (), ())
    assert (cleo.score, cleo.flags, cleo.notes) == (0, (), ())
    assert not any(one.by_hand for one in (*ada.cells, *cleo.cells))
    return changed


def with_change(master, name):
    made = answered(master)
    for one in made["cells"]:
        if one["id"] == "evaluate":  # a check in the notebook says no to this, so must the grader
            one["source"] = one["source"].replace(
                "return values[output]", "graph.clear()\n    return values[output]"
            )
        if one["id"] == "times_table":
            one["source"] = "def times_table(n):\n    while True: pass"
    return made


@pytest.mark.slow
def test_assignment_00(situation):
    changed = check_course("00_start", situation, 100)
    assert "did not come to an end" in changed.by_cell()["test_times_table"].message
    assert changed.score == 0


@pytest.mark.slow
def test_assignment_01(situation):
    changed = check_course("01_graphs", situation, 90)
    cell_ = changed.by_cell()["test_evaluate"]
    assert cell_.score == 0
    assert "changed what it was given" in cell_.message
