import numpy as np
import pytest

from cgkit.checks.dynamic import rules


def test_slopes_are_those_of_a_known_function():
    operands = [np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]])]
    upstream = np.array([[1.0], [10.0]])
    first = rules.slopes(np.matmul, upstream, operands, 0)
    np.testing.assert_array_equal(first, [[5, 6], [50, 60]])  # each row: its upstream times b
    np.testing.assert_array_equal(rules.slopes(np.matmul, upstream, operands, 1), [[31], [42]])


@pytest.mark.parametrize("name", ["matmul_rule", "sum_rule", "take_rule"])
@pytest.mark.parametrize("seed", [20, 7])
def test_right_rules_get_all_points(answers_02a, name, seed):
    score = getattr(rules, name)(getattr(answers_02a, name), seed=seed)
    assert score.points == score.out_of


@pytest.mark.slow
@pytest.mark.parametrize("task", [rules.MATMUL, rules.SUM, rules.TAKE], ids=lambda task: task.name)
def test_mistakes_recognize_themselves(task, failure):
    for mistake in task.mistakes:
        failed = failure(getattr(rules, task.name), mistake.algorithm)
        assert failed.misconception == mistake.name


def test_a_list_is_no_tuple(failure, answers_02a):
    failed = failure(rules.take_rule, lambda *given: [*answers_02a.take_rule(*given)])
    assert failed.stage == "type"
    assert "a list" in failed.why


def test_operands_stay_as_they_are(failure, answers_02a):
    def writes(upstream, a, b):
        right = answers_02a.matmul_rule(upstream, a, b)
        a *= 2
        return right

    assert failure(rules.matmul_rule, writes).stage == "invariants"


def test_empty_and_0d_operands_are_among_the_cases(answers_02a):
    shapes = set()

    def look(upstream, a, axis, keepdims):
        shapes.add(a.shape)
        return answers_02a.sum_rule(upstream, a, axis, keepdims)

    rules.sum_rule(look)
    assert () in shapes
    assert any(0 in shape for shape in shapes)
