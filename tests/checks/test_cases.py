from hypothesis import find, given, settings

from cgkit.checks.cases import (
    OPERATORS,
    Case,
    doubling,
    evaluate_plainly,
    graphs,
    needed,
    shapes,
    sizes,
)


def reads(case, name):
    kind, *rest = case.graph[name]
    return () if kind in ("input", "constant") else rest


@settings(max_examples=50)
@given(graphs())
def test_graphs_are_whole(case):
    assert case.output in case.graph
    assert all(one in case.graph for name in case.graph for one in reads(case, name))
    assert set(case.feeds) == {n for n, node in case.graph.items() if node == ("input",)}
    assert isinstance(evaluate_plainly(case)[case.output], int)


@settings(max_examples=50)
@given(graphs(("add",), ordered=True))
def test_ordered_graphs_are_in_order(case):
    names = list(case.graph)
    for name in names:
        assert all(names.index(one) < names.index(name) for one in reads(case, name))


def test_any_order_and_sharing_do_occur():
    def unordered(case):
        names = list(case.graph)
        return any(names.index(one) > names.index(n) for n in names for one in reads(case, n))

    def shared(case):
        operands = [one for name in case.graph for one in reads(case, name)]
        return any(operands.count(one) > 1 for one in operands if reads(case, one))

    find(graphs(), unordered)
    find(graphs(), shared)


@settings(max_examples=50)
@given(graphs())
def test_needed_keeps_the_answer(case):
    pruned = needed(case)
    assert set(pruned.graph) <= set(case.graph)
    assert evaluate_plainly(pruned)[case.output] == evaluate_plainly(case)[case.output]


def test_evaluation_agrees_with_python():
    graph = {
        "d": ("subtract", "m", "x"),
        "x": ("input",),
        "m": ("maximum", "x", "k"),
        "k": ("constant", 5),
    }
    assert evaluate_plainly(Case(graph, {"x": 2}, "d")) == {"x": 2, "k": 5, "m": 5, "d": 3}
    assert evaluate_plainly(doubling(50))["d50"] == 2**50
    assert OPERATORS["negate"](3) == -3


def test_shapes_are_short_and_may_be_empty():
    find(shapes(), lambda shape: shape == ())
    find(shapes(), lambda shape: 0 in shape and 1 in shape)
    assert find(sizes(), lambda size: True) == 2
