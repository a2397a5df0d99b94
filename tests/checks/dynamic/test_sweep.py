import numpy as np
import pytest

from cgkit.checks.dynamic import sweep
from cgkit.checks.dynamic.sweep import backward, backward_deep


@pytest.mark.parametrize("seed", [20, 5])
def test_right_answers_get_all_points(answers_02a, seed):
    assert backward(answers_02a.backward, seed=seed).points == 7
    assert backward_deep(answers_02a.backward, seed=seed).points == 1


@pytest.mark.slow
@pytest.mark.parametrize("mistake", sweep.BACKWARD.mistakes, ids=lambda mistake: mistake.name)
def test_mistakes_of_backward_recognize_themselves(mistake, failure):
    assert failure(backward, mistake.algorithm).misconception == mistake.name


def test_the_first_wrong_node_is_marked(failure, answers_02a):
    def doubles_leaves(graph, *rest):
        right = answers_02a.backward(graph, *rest)
        return {name: g * 2 if graph[name] == ("leaf",) else g for name, g in right.items()}

    failed = failure(backward, doubles_leaves)
    assert "The gradient of x is another one" in failed.why
    assert "▶ x" in failed.drawing
    assert failed.expected.startswith("for x: ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: {**found, "extra": np.zeros(2)}, "The dict holds extra"),
        (lambda found: [*found.values()], "should give a dict"),
        (lambda found: {name: found[name] for name in [*found][:-1]}, "holds no gradient for it"),
        (lambda found: {name: np.asarray(g)[None] for name, g in found.items()}, "has the shape"),
    ],
)
def test_what_is_no_dict_of_gradients(change, words, failure, answers_02a):
    failed = failure(backward, lambda *given: change(answers_02a.backward(*given)))
    assert words in " ".join(failed.why.split())


def test_writing_into_the_seed_is_in_place(failure, answers_02a):
    def writes(graph, values, order, seed, *rest):
        right = {k: np.array(v) for k, v in
                 answers_02a.backward(graph, values, order, seed, *rest).items()}  # fmt: skip
        seed *= 0
        return right

    failed = failure(backward, writes)
    assert failed.misconception == "in-place += on a shared array"


def test_numbers_may_stand_for_arrays_of_no_axes(answers_02a):
    def with_floats(*given):
        found = answers_02a.backward(*given)
        return {name: float(g) if np.ndim(g) == 0 else g for name, g in found.items()}

    assert backward(with_floats).points == 7


def test_all_kinds_of_programs_are_among_the_cases(answers_02a):
    seen = {"twice": 0, "stretched": 0, "empty": 0, "0-d": 0, "diamond": 0, "seed": 0}

    def look(graph, values, order, seed, *rest):
        reads = [one for name in order for one in graph[name][1:]]
        seen["twice"] += any(len(set(graph[name][1:])) < len(graph[name]) - 1 for name in order)
        seen["diamond"] += any(reads.count(name) > 1 and graph[name] != ("leaf",) for name in order)
        seen["stretched"] += len({values[name].shape for name in order}) > 1
        seen["empty"] += any(values[name].size == 0 for name in order)
        seen["0-d"] += any(values[name].ndim == 0 for name in order)
        seen["seed"] += bool(np.any(seed != 1))
        return answers_02a.backward(graph, values, order, seed, *rest)

    backward(look)
    assert min(seen.values()) >= 3, seen


def test_who_walks_each_path_is_right_and_not_deep(failure, wrong_02a):
    assert backward(wrong_02a.tells_at_once).points == 7
    failed = failure(backward_deep, wrong_02a.tells_at_once)
    assert failed.misconception == "naive recursion"
    assert "3,000 operators" in failed.called
    failed = failure(backward_deep, wrong_02a.walks_each_path)
    assert failed.misconception == "once for each path"
    assert "all its readers have spoken" in failed.why


def test_a_rule_may_be_asked_once_for_each_operand(answers_02a):
    def twice(graph, values, order, seed, rules, unbroadcast):
        def rule(*given):
            return tuple(rules["subtract"](*given)[place] for place in (0, 1))

        return answers_02a.backward(graph, values, order, seed, {"subtract": rule}, unbroadcast)

    assert backward_deep(twice).points == 1


def test_a_wrong_deep_gradient_is_told_without_the_whole_graph(failure, answers_02a):
    failed = failure(backward_deep, lambda *given: {**answers_02a.backward(*given), "x": 7.0})
    assert "The gradient of x is another one" in failed.why
    assert "and so on, 3,000 times" in failed.drawing
