import signal

import pytest
from hypothesis import strategies as st

from cgkit.checks import CheckFailed, NotAnswered, search
from cgkit.checks.judge import Returned
from cgkit.checks.runner import Exam, write_call
from cgkit.checks.task import Mistake, Task

TASK = Task(
    "01_graphs",
    "double",
    2,
    ("what is twice 3?",),
    (
        Mistake("squares", lambda n: n * n, "Twice is not the square."),
        Mistake("gives it back", lambda n: n, "Nothing was doubled."),
    ),
)


def examine(candidate, tries=50):
    exam = Exam(TASK, candidate, 1)
    exam.search(st.integers(0, 100), lambda n: exam.examine((n,), 2 * n), tries)
    return exam


@pytest.mark.parametrize("called", ["", "double(a number)"])
def test_an_interrupted_call_is_written_as_any_other(called, failure):
    def stuck(number, operators):
        raise KeyboardInterrupt

    def check(candidate):
        exam = Exam(TASK, candidate, 1)
        exam.examine((3, {"add": stuck}), 6, called=called)

    failed = failure(check, stuck)
    assert failed.called == (called or "double(3, {'add': stuck})")
    assert "did not come to an end" in failed.why


def test_a_right_answer_passes():
    examine(lambda n: n + n)


def test_the_smallest_failing_case_is_shown(failure):
    failed = failure(examine, lambda n: 2 * n if n < 30 else 0)
    assert failed.called == "double(30)"
    assert failed.expected == "60"


@pytest.mark.parametrize(
    ("answer", "name"), [(lambda n: n**2, "squares"), (lambda n: n, "gives it back")]
)
def test_mistakes_are_told_apart(answer, name, failure):
    failed = failure(examine, answer)
    assert failed.misconception == name
    assert failed.why in {mistake.why for mistake in TASK.mistakes}


def test_an_unknown_mistake_has_no_name(failure):
    assert failure(examine, lambda n: n * n if n < 40 else 2 * n).misconception == ""


def test_expected_values_never_go_in():
    seen = []
    examine(lambda n: seen.append(n) or 2 * n)
    assert set(map(type, seen)) == {int}


def test_students_get_copies():
    given = [1, 2]
    exam = Exam(TASK, lambda numbers: numbers.clear() or 3, 1)
    fault = exam.examine((given,), 3)
    assert given == [1, 2]
    assert fault.stage == "invariants"


def test_an_argument_filled_with_forged_values_counts_as_changed(wrong):
    def forge(numbers):
        numbers[0] = wrong.AlwaysEqual()
        return 3

    assert Exam(TASK, forge, 1).examine(([1, 2],), 3).stage == "invariants"


def test_printing_is_swallowed(capsys):
    examine(lambda n: print("loud") or 2 * n)  # noqa: T201
    assert capsys.readouterr().out == ""


def test_a_fickle_answer_still_fails(failure):
    count = iter(range(10**9))
    assert failure(examine, lambda n: 2 * n + (next(count) % 7 == 3)).stage == "values"


def test_no_function(failure):
    assert isinstance(failure(Exam, TASK, None, 1), NotAnswered)
    assert failure(Exam, TASK, 3, 1).got == "an int"


def test_an_endless_loop_that_is_stopped_names_its_line():
    calls = []

    def endless(n):
        calls.append(n)
        if n > 20:
            signal.raise_signal(signal.SIGINT)
        return 2 * n

    with pytest.raises(CheckFailed) as caught:
        examine(endless)
    assert caught.value.misconception == "endless loop"
    assert "signal.raise_signal" in caught.value.got
    assert sum(n > 20 for n in calls) == 1


def test_results_are_read():
    exam = Exam(TASK, lambda n: "text", 1)
    assert exam.call((1,), read=len) == Returned(4)


def test_calls_are_written_as_typed():
    assert write_call("f", [(1,), {"a": 2.0}, len]) == "f((1,), {'a': 2.0}, len)"


def test_cases_that_passed_once_are_not_drawn_again(monkeypatch, failure):
    examine(lambda n: n + n, tries=37)
    drawn = []
    real = search.smallest
    monkeypatch.setattr(search, "smallest", lambda *a: drawn.append(a) or real(*a))
    examine(lambda n: 2 * n, tries=37)
    assert not drawn
    failed = failure(lambda answer: examine(answer, 37), lambda n: 2 * n if n < 30 else 0)
    assert drawn
    assert failed.called == "double(30)"


def test_remembered_cases_do_not_change_what_is_said(failure):
    def answer(n):
        return n * n

    before = str(failure(lambda given: examine(given, 41), answer))
    examine(lambda n: 2 * n, tries=41)
    assert str(failure(lambda given: examine(given, 41), answer)) == before
