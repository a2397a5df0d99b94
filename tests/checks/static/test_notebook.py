"""Notebook 02b as a whole: right answers pass, wrong ones meet their own message."""

import pytest

from cgkit.checks import NotAnswered, static

ANSWERS = {
    "needed": "needed",
    "needed_deep": "needed",
    "run": "run",
    "run_part": "run",
    "run_deep": "run",
    "run_nested": "run",
    "run_refuses": "run",
    "step": "step",
    "trace": "trace",
    "trace_facts": "trace_facts",
    "mended_training": "mended_training",
    "guard_key": "guard_key",
}
FUNCTIONS = [name for name in ANSWERS if name not in ("trace_facts", "mended_training")]


@pytest.mark.parametrize("seed", [20, 99])
@pytest.mark.parametrize("name", ANSWERS)
def test_right_answers_get_all_points(answers_02b, name, seed):
    score = getattr(static, name)(getattr(answers_02b, ANSWERS[name]), seed=seed)
    assert score.points == score.out_of
    assert score.sentence
    assert not score.missing


def test_there_is_a_check_for_each_task_and_points_add_up():
    assert [task.name for task in static.TASKS] == list(ANSWERS)
    assert sum(task.points for task in static.TASKS) == 35


def test_wrong_answers_are_called_by_their_name(named_wrong_02b, failure):
    check, answer, name = named_wrong_02b
    assert failure(getattr(static, check), answer).misconception == name


def test_half_right_answers_get_their_part(half_right_02b):
    check, answer, name, points = half_right_02b
    score = getattr(static, check)(answer)
    assert score.points == points
    assert f'"{name}"' in score.missing


@pytest.mark.parametrize("name", ANSWERS)
def test_stubs_and_nothing_count_as_not_answered(name, wrong, failure):
    for answer in (wrong.unwritten, None) if name in FUNCTIONS else (None, {}):
        assert isinstance(failure(getattr(static, name), answer), NotAnswered)


@pytest.mark.parametrize("name", ["trace", pytest.param("run", marks=pytest.mark.slow)])
def test_no_odd_answer_passes(odd_answer, name, failure):
    failure(getattr(static, name), odd_answer[0])
