import sys

import pytest

from cgkit.checks.dynamic import ordering
from cgkit.checks.dynamic.ordering import backward_order, backward_order_deep, wrong_order

GRAPH = {
    "x": ("leaf",),
    "a": ("negate", "x"),
    "b": ("add", "a", "x"),
    "c": ("multiply", "b", "a"),
    "spare": ("negate", "x"),
}


@pytest.mark.parametrize("seed", [20, 5])
def test_right_orders_get_all_points(answers_02a, seed):
    assert backward_order(answers_02a.backward_order, seed=seed).points == 6


def test_a_right_order_of_a_deep_graph_gets_all_points(answers_02a):
    assert backward_order_deep(answers_02a.backward_order).points == 4


def test_every_right_order_is_accepted():
    graph = {"x": ("leaf",), "y": ("leaf",), "z": ("add", "x", "y")}
    assert wrong_order(graph, "z", ["z", "x", "y"]) is None
    assert wrong_order(graph, "z", ["z", "y", "x"]) is None


@pytest.mark.parametrize(
    ("found", "words", "name"),
    [
        (["c", "a", "b", "x"], "a stands before b, which reads it", ""),
        (["x", "a", "b", "c"], "stands before", "walks forward"),
        (["c", "b", "a"], "x is missing", ""),
        ([], "x is missing", ""),
        (["c", "b", "a", "x", "spare"], "spare is listed, and the output does not need it",
         "nodes that the output does not need"),
        (["c", "b", "a", "x", "x"], "listed more than once", "once for each path"),
        (["c", "b", "a", "x", "w"], "'w' is not a node", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_order(found, words, name):
    fault = wrong_order(GRAPH, "c", found)
    assert words in fault.why
    assert fault.misconception == name


@pytest.mark.parametrize("odd", [("c", "b"), [1, 2], "cbax", {"c": 1}, [["c"]]])
def test_only_a_list_of_names_is_an_order(odd):
    assert wrong_order(GRAPH, "c", odd).stage == "type"


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ordering.ORDER.mistakes, ids=lambda mistake: mistake.name)
def test_mistakes_recognize_themselves(mistake, failure):
    assert failure(backward_order, mistake.algorithm).misconception == mistake.name


def test_a_raised_limit_of_recursion_is_seen(failure, wrong_02a):
    def raises_the_limit(graph, output):
        sys.setrecursionlimit(10**6)
        return ordering.ancestors(graph, output) and ["x"]

    before = sys.getrecursionlimit()
    failed = failure(backward_order_deep, raises_the_limit)
    assert failed.misconception == "naive recursion"
    assert sys.getrecursionlimit() == before
    failed = failure(backward_order_deep, wrong_02a.recursive)
    assert "calls itself once per node" in failed.why


def test_a_wrong_deep_order_is_told_without_the_whole_graph(failure, answers_02a):
    failed = failure(
        backward_order_deep, lambda graph, output: answers_02a.backward_order(graph, output)[::-1]
    )
    assert "and so on, 100,000 times" in failed.drawing
    assert len(failed.got) < 400
