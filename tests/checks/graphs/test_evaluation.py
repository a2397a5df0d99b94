import sys

import pytest

from cgkit.checks.graphs import evaluation


def test_naive_recursion_passes_the_first_task_and_fails_the_others(answers, failure):
    naive = answers.naive_evaluate
    assert evaluation.evaluate(naive).points == 10
    once = failure(evaluation.evaluate_once, naive)
    assert once.stage == "cost"
    assert "calls of operators" in once.got
    assert len(once.drawing.splitlines()) < 6
    deep = failure(evaluation.evaluate_deep, naive)
    assert isinstance(deep.error, RecursionError)


def test_memory_does_not_help_against_depth(answers, failure):
    def remembered(graph, feeds, output, operators, known=None):
        known = {} if known is None else known
        if output not in known:
            kind, *rest = graph[output]
            if kind == "input":
                known[output] = feeds[output]
            elif kind == "constant":
                known[output] = rest[0]
            else:
                values = [remembered(graph, feeds, one, operators, known) for one in rest]
                known[output] = operators[kind](*values)
        return known[output]

    assert evaluation.evaluate(remembered).points == 10
    assert evaluation.evaluate_once(remembered).points == 4
    assert failure(evaluation.evaluate_deep, remembered).misconception == "naive recursion"


def test_a_raised_recursion_limit_is_noticed_and_put_back(answers, failure):
    before = sys.getrecursionlimit()

    def greedy(*arguments):
        sys.setrecursionlimit(10**6)
        return answers.evaluate(*arguments)

    failed = failure(evaluation.evaluate_deep, greedy)
    assert "raised" in failed.got
    assert failed.misconception == "naive recursion"
    assert sys.getrecursionlimit() == before


def test_a_limit_raised_before_the_check_does_not_help(answers, failure):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        failed = failure(evaluation.evaluate_deep, answers.naive_evaluate)
        assert sys.getrecursionlimit() == 10**6
    finally:
        sys.setrecursionlimit(before)
    assert isinstance(failed.error, RecursionError)
    assert failed.misconception == "naive recursion"


def test_an_answer_that_empties_the_graph_is_told_of_its_own_fault(failure):
    def greedy(graph, feeds, output, operators):
        graph.clear()
        raise KeyError(output)

    failed = failure(evaluation.evaluate_deep, greedy)
    assert failed.got.startswith("KeyError")
    assert "n0" in failed.drawing


def test_one_pass_in_the_order_of_the_dict_is_not_deep(wrong_01, failure):
    failed = failure(evaluation.evaluate_deep, wrong_01.in_dict_order)
    assert failed.misconception == "evaluates in the order of the dict"


def test_some_passes_over_the_dict_are_enough():
    def sweeps(graph, feeds, output, operators):
        values = dict(feeds)
        while output not in values:
            for name, (kind, *rest) in graph.items():
                if kind == "constant":
                    values[name] = rest[0]
                elif name not in values and all(one in values for one in rest):
                    values[name] = operators[kind](*(values[one] for one in rest))
        return values[output]

    assert evaluation.evaluate_deep(sweeps).points == 4


def test_values_kept_from_an_earlier_call_are_named(failure):
    known = {}

    def forgetful(graph, feeds, output, operators):
        if output not in known:
            kind, *rest = graph[output]
            if kind == "input":
                known[output] = feeds[output]
            elif kind == "constant":
                known[output] = rest[0]
            else:
                values = [forgetful(graph, feeds, one, operators) for one in rest]
                known[output] = operators[kind](*values)
        return known[output]

    failed = failure(evaluation.evaluate, forgetful)
    assert failed.misconception == "values kept from an earlier call"


def test_hard_coded_examples_do_not_pass(failure):
    def by_heart(graph, feeds, output, operators):
        return (feeds.get("x", 0) + feeds.get("y", 0)) * 2.0

    assert failure(evaluation.evaluate, by_heart).stage == "values"


def test_operators_must_come_from_the_argument(answers, failure):
    own = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b}

    def stubborn(graph, feeds, output, operators):
        return answers.evaluate(graph, feeds, output, own)

    assert "KeyError" in failure(evaluation.evaluate, stubborn).got


def test_what_the_output_does_not_need_may_be_computed_or_not(answers):
    def eager(graph, feeds, output, operators):
        values = {}
        while len(values) < len(graph):
            for name, (kind, *rest) in graph.items():
                if name in values:
                    continue
                if kind == "input":
                    values[name] = feeds[name]
                elif kind == "constant":
                    values[name] = rest[0]
                elif all(one in values for one in rest):
                    values[name] = operators[kind](*(values[one] for one in rest))
        return values[output]

    assert evaluation.evaluate(eager).points == 10
    assert evaluation.evaluate_once(eager).points == 4


@pytest.mark.parametrize("mistake", evaluation.MISTAKES, ids=lambda mistake: mistake.name)
def test_mistakes_recognize_themselves(mistake, failure):
    assert failure(evaluation.evaluate, mistake.algorithm).misconception == mistake.name
