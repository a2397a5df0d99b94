import pytest

from cgkit.checks import CheckFailed, NotAnswered
from cgkit.checks.task import Fault, Task, table

TASK = Task("01_graphs", "rules", 5, ("why?",), calls="multiply_rule")
FAULT = Fault("values", "multiply_rule(1, 2)", "3", "2", "It is 2.", drawing="x")


def test_all_points():
    score = TASK.passed("all right")
    assert (score.points, score.out_of, score.sentence) == (5, 5, "all right")


def test_partial_points_show_what_is_missing():
    score = TASK.partly(3, 4, "3 of 4", FAULT)
    assert score.points == 3.75
    assert "got        3" in score.missing
    assert "✗" not in score.missing
    assert score.missing.splitlines()[-1] == "hint 1 of 1: why?"


def test_partial_points_and_none_are_laid_out_alike():
    partly = TASK.partly(3, 4, "3 of 4", FAULT).text().splitlines()
    failed = str(TASK.failed(FAULT)).splitlines()
    assert partly[2] == "so far     3 of 4"
    assert partly[3:] == failed[2:]
    assert len(partly[0]) == len(failed[0])


def test_what_counts_elsewhere_says_so():
    task = Task("00_start", "center", 0, ("why?",), worth="counts for the 100")
    for text in (task.passed("right").text(), str(task.failed(FAULT))):
        assert text.splitlines()[0].endswith("counts for the 100")


def test_nothing_right_is_a_failure():
    with pytest.raises(CheckFailed) as caught:
        TASK.partly(0, 4, "0 of 4", FAULT)
    assert caught.value.out_of == 5
    assert caught.value.hints == ("why?",)


def test_not_answered_says_little():
    fault = Fault("type", "f(1)", "nothing yet", "2", "Not yet.", drawing="x", unanswered=True)
    failed = TASK.failed(fault)
    assert isinstance(failed, NotAnswered)
    assert (failed.called, failed.expected, failed.drawing) == ("multiply_rule", "", "")
    nothing = Fault("type", "f(1)", "None", "2", "Not yet.", unanswered=True)
    assert TASK.failed(nothing).got == "nothing yet"


def test_table():
    assert table(TASK)["rules"] is TASK
    assert TASK.function == "multiply_rule"
    assert Task("a", "b", 1, ()).function == "b"
