"""Assignments as a whole: right answers pass, wrong ones meet their own message."""

import pytest

from cgkit.checks import ASSIGNMENTS, NOTEBOOKS, NotAnswered, dynamic, graphs, hints, tasks
from cgkit.errors import UsageFault

FUNCTIONS = [
    "evaluate",
    "broadcast_shape",
    "matmul_shape",
    "reduce_shape",
    "reshape_shape",
    "parameters",
    "matmul_flops",
    "to_dot",
    "to_dot_clusters",
    "mended_backward",
    "broadcast_test",
    "conv_shape",
]
COUNTED = ["evaluate_once", "evaluate_deep"]
ONE_OF_EACH_KIND = ("evaluate", "broadcast_shape", "parameters", "to_dot", "mended_backward")
ONE_OF_EACH_KIND += ("unbroadcast",)
DYNAMIC = [
    "matmul_rule",
    "sum_rule",
    "take_rule",
    "unbroadcast",
    "backward_order",
    "backward",
    "accumulate",
    "mended_leaves",
    "gradient_test",
]


@pytest.mark.parametrize("seed", [20, 99])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_answers_get_all_points(answers, name, seed):
    score = getattr(graphs, name)(getattr(answers, name), seed=seed)
    assert score.points == score.out_of
    assert score.sentence


@pytest.mark.parametrize("name", COUNTED)
def test_right_evaluate_is_frugal_and_deep(answers, name):
    score = getattr(graphs, name)(answers.evaluate)
    assert score.points == score.out_of == 4


def test_wrong_answers_are_called_by_their_name(named_wrong, failure):
    check, answer, name = named_wrong
    assert failure(getattr(graphs, check), answer).misconception == name


def test_wrong_answers_to_02a_are_called_by_their_name(named_wrong_02a, failure):
    check, answer, name = named_wrong_02a
    assert failure(getattr(dynamic, check), answer).misconception == name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ONE_OF_EACH_KIND else pytest.mark.slow)
        for name in DYNAMIC
    ],
)
def test_no_odd_answer_to_02a_passes(odd_answer, name, failure):
    answer, word = odd_answer
    failed = failure(getattr(dynamic, name), answer)
    if name != "gradient_test":
        assert word in " ".join(str(failed).split()) or failed.stage == "values"


@pytest.mark.parametrize("name", DYNAMIC)
def test_stubs_of_02a_count_as_not_answered(name, wrong, failure):
    for answer in (wrong.unwritten, None):
        assert isinstance(failure(getattr(dynamic, name), answer), NotAnswered)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ONE_OF_EACH_KIND else pytest.mark.slow)
        for name in (*FUNCTIONS, *COUNTED)
    ],
)
def test_no_odd_answer_passes(odd_answer, name, failure):
    answer, word = odd_answer
    failed = failure(getattr(graphs, name), answer)
    if name != "broadcast_test":
        text = " ".join(str(failed).split())
        assert word in text or failed.stage == "values" or "to_dot" in name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stubs_and_nothing_count_as_not_answered(name, wrong, failure):
    for answer in (wrong.unwritten, None):
        failed = failure(getattr(graphs, name), answer)
        assert isinstance(failed, NotAnswered)
        assert isinstance(failed, NotImplementedError)


def test_the_same_seed_gives_the_same_message(answers, failure):
    def almost(a, b):
        return answers.broadcast_shape(a, b) if len(a) != 2 else a

    first, second = (str(failure(graphs.broadcast_shape, almost)) for _ in range(2))
    assert first == second


def test_points_add_up():
    assert sum(task.points for task in tasks("01_graphs")) == 90
    assert sum(task.points for task in tasks("02a_dynamic")) == 55
    assert sum(task.points for task in tasks("00_start")) == 100
    assert max(task.points for task in tasks("00_start")) == 100


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_hints_are_questions_and_tasks_have_names_of_their_own(assignment):
    found = tasks(assignment)
    assert len({task.name for task in found}) == len(found)
    for task in found:
        assert hints(assignment, task.name) == task.hints
        assert len(task.hints) > 1 or task.name == "doctor"
        assert all("?" in hint for hint in task.hints), task.name


def test_an_assignment_has_three_names():
    assert tasks("01") == tasks("graphs") == tasks("01_graphs")


def test_an_assignment_of_several_notebooks_holds_the_tasks_of_each():
    both = tasks("02_static_dynamic")
    parts = [name for name, one in NOTEBOOKS.items() if one == "02_static_dynamic"]
    assert both == tuple(task for part in parts for task in tasks(part))
    assert tasks("2") == tasks("02") == tasks("static_dynamic") == both
    assert tasks("02a") == tasks("dynamic") == tasks("02a_dynamic")
    assert {task.assignment for task in both} == {"02_static_dynamic"}


@pytest.mark.parametrize(("assignment", "task"), [("07", "x"), ("01", "kahn")])
def test_unknown_names_say_what_there_is(assignment, task):
    with pytest.raises(UsageFault, match="one of"):
        hints(assignment, task)
