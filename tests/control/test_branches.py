"""Branches: golden values, both readings, and what branches must agree on."""

import numpy as np
import pytest
from two_readings import agree

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, gradients, ops, run, verify
from cgkit.control import cond, scan, switch
from cgkit.errors import CaptureError, OperandError


@pytest.mark.parametrize("at", [0.5, -0.5])
def test_both_branches_to_second_order(at):
    agree(lambda x, w: cond(x > 0.0, lambda x: ops.log(x) * w, lambda x: x * x * w, x), at, 3.0)


def test_the_branch_not_taken_spoils_nothing():
    builder = GraphBuilder()
    x = builder.placeholder(())
    y = cond(x > 0.0, ops.log, lambda x: x * 0.0, x)
    graph = builder.graph([y, *gradients(y, [x])], [x])
    assert [float(v) for v in run(graph, np.array(0.0))] == [0, 0]


def test_unused_inputs_have_gradient_zero():
    builder = GraphBuilder()
    x, w = builder.placeholder(()), builder.placeholder(())
    y = cond(x > 0.0, lambda: x * 2.0, lambda: w * 3.0)
    graph = builder.graph([y, *gradients(y, [x, w])], [x, w])
    verify(graph)
    assert [float(v) for v in run(graph, np.array(1.0), np.array(5.0))] == [2, 2, 0]
    assert [float(v) for v in run(graph, np.array(-1.0), np.array(5.0))] == [15, 0, 3]


def test_nested_results_with_open_sizes():
    builder = GraphBuilder()
    x, p = builder.placeholder(("N", 2)), builder.placeholder((), "bool")
    y = cond(p, lambda: (x * 2.0, {"a": x.sum(0)}), lambda: (x + 1.0, {"a": x.mean(0)}))
    graph = builder.graph([y[0], y[1]["a"]], [x, p])
    first, second = run(graph, np.ones((4, 2)), np.array(True))
    assert (first.sum(), second.tolist()) == (16, [4, 4])


@pytest.mark.parametrize(("index", "expected"), [(-3, 3), (0, 3), (1, 20), (2, 4), (9, 4)])
def test_switch_clamps_its_index(index, expected):
    branches = [lambda x: x + 1.0, lambda x: x * 10.0, lambda x: x * x]
    assert float(switch(Tensor(index), branches, Tensor(2.0))) == expected
    builder = GraphBuilder()
    i, x = builder.placeholder((), "int64"), builder.placeholder(())
    y = switch(i, branches, x)
    slope = {3: 1, 20: 10, 4: 4}[expected]
    graph = builder.graph([y, *gradients(y, [x])], [i, x])
    assert [float(v) for v in run(graph, np.array(index), np.array(2.0))] == [expected, slope]


def test_branches_must_give_one_type():
    builder = GraphBuilder()
    x = builder.placeholder((2,))
    p = x.sum() > 0.0
    with pytest.raises(ShapeError, match=r"leaves the first branch of cond, and float64\[\]"):
        cond(p, lambda x: x, lambda x: x.sum(), x)
    with pytest.raises(DtypeError, match="leaves the second branch"):
        cond(p, lambda x: x, lambda x: x.cast("float32"), x)
    with pytest.raises(OperandError, match="the second branch of cond gives"):
        cond(p, lambda x: x, lambda x: (x, x), x)


def test_a_plain_bool_is_no_predicate():
    with pytest.raises(OperandError, match="plain bool"):
        cond(True, lambda x: x, lambda x: x, Tensor(1.0))
    with pytest.raises(OperandError, match="no tensor"):
        switch(1, [lambda x: x, lambda x: x], Tensor(1.0))


def test_an_outer_predicate_and_an_inner_value():
    builder = GraphBuilder()
    p, xs = builder.placeholder((), "bool"), builder.placeholder((3,))
    total, _ = scan(lambda c, x: (c + cond(p, lambda: x * 2.0, lambda: x), None), 0.0, xs)
    graph = builder.graph([total], [p, xs])
    assert run(graph, np.array(True), np.arange(3.0)) == (6,)
    assert run(graph, np.array(False), np.arange(3.0)) == (3,)


def test_a_value_must_not_leave_its_branch():
    builder = GraphBuilder()
    x = builder.placeholder(())
    kept = []
    cond(x > 0.0, lambda x: kept.append(x) or x, lambda x: x, x)
    with pytest.raises(CaptureError, match="return what shall leave it"):
        x + kept[0]


def test_a_branch_computes_nothing_before_it_is_taken():
    builder = GraphBuilder()
    x, w = builder.placeholder((), name="x"), builder.placeholder((), name="w")
    y = cond(x > 0.0, lambda: ops.log(x) * w, lambda: w * x)
    graph = builder.graph([y, *gradients(y, [x])], [x, w])
    assert [n.operator.name for n in graph.operators if n.operator.family != "control"] == [
        "greater"
    ]
    assert [float(v) for v in run(graph, np.array(0.0), np.array(3.0))] == [0, 3]
    early = ops.log(x)  # an operator that stands outside runs whichever branch is taken
    y = cond(x > 0.0, lambda: early * w, lambda: w * x)
    graph = builder.graph([y, *gradients(y, [x])], [x, w])
    seen = []
    with np.errstate(divide="ignore", invalid="ignore"):
        value, slope = run(
            graph, np.array(0.0), np.array(3.0), observe=lambda n, _: seen.append(n.operator.name)
        )
    assert "log" in seen
    assert (value, np.isnan(slope)) == (0, True)


def test_values_around_a_branch_may_stand_first():
    agree(lambda x, w: cond(w < x, lambda x: w * x, lambda x: w - x * w, x), 2.0, 1.5)
    agree(
        lambda x, w: cond(w < x, lambda: w * x, lambda: cond(x < 0.0, lambda: w, lambda: x)), 1, 2
    )


def test_a_predicate_that_is_known_with_values_that_are_not():
    builder = GraphBuilder(capturing=True)
    x, flag = builder.placeholder(()), Tensor(True)
    y = cond(flag, lambda x: x * 2.0, lambda x: x, x)
    assert y.node.operator.name == "cond"
    i = Tensor(1)
    assert switch(i, [lambda x: x, lambda x: x * x], x).node.operator.name == "switch"
    assert len(builder.captured) == 2


def test_what_is_no_result_is_named_in_both_readings():
    x = GraphBuilder().placeholder(())
    for pred, operand in ((x > 0.0, x), (Tensor(True), Tensor(1.0))):
        for wrong in (None, "text"):
            with pytest.raises(CaptureError, match="the first branch of cond gives"):
                cond(pred, lambda x, wrong=wrong: (x, wrong), lambda x: (x, x), operand)
        with pytest.raises(OperandError, match="the second branch of cond is of type float"):
            cond(pred, lambda x: x, 2.0, operand)
    for wrong in ((), None, lambda: x):
        with pytest.raises(OperandError, match="switch takes a list of functions"):
            switch(Tensor(1), wrong)


def test_numbers_take_the_dtype_that_another_branch_gives():
    builder = GraphBuilder()
    x = builder.placeholder((), "float32")
    y = cond(x > 0.0, lambda: 0, lambda: x)
    a, b = switch(ops.cast(x, dtype="int64"), [lambda: (1, x), lambda: (2.5, 3), lambda: (0, 4)])
    assert (y.dtype, a.dtype, b.dtype) == ("float32", "float64", "float32")
    graph = builder.graph([y, a, b], [x])
    assert [float(v) for v in run(graph, np.float32(1.0))] == [0, 2.5, 3]
    with pytest.raises(DtypeError, match="leaves the second branch"):
        cond(x > 0.0, lambda: x, lambda: np.float64(1.0))


def test_branches_may_name_their_results_in_any_order():
    builder = GraphBuilder()
    x = builder.placeholder(())
    y = cond(x > 0.0, lambda: {"a": x, "b": x * 2.0}, lambda: {"b": x * 3.0, "a": -x})
    assert list(y) == ["a", "b"]
    graph = builder.graph([*y.values()])
    assert [float(v) for v in run(graph, np.array(-1.0))] == [1, -3]


def test_sizes_that_only_the_branch_tells():
    builder = GraphBuilder()
    x = builder.placeholder((None,), name="x")
    p = x[0] > 0.0

    def found(x):
        places = ops.nonzero(x)
        return places, places * 2

    a, b = cond(p, found, lambda x: (np.zeros((1, 1), int), np.ones((1, 1), int)), x)
    assert a.shape[0] == b.shape[0] != x.shape[0]
    count = ops.measure(a, size=a.shape[0])
    y = ops.broadcast_to(x.sum(), shape=a.shape) * a
    graph = builder.graph([a + b, count, y, *gradients(y, [x])], [x])
    verify(graph)
    both, number, _, slope = run(graph, np.array([1.0, 0.0, 3.0]))
    assert (both[:, 0].tolist(), number, slope.tolist()) == ([0, 6], 2, [2, 2, 2])
    both, number, _, slope = run(graph, np.array([-1.0, 0.0, 3.0]))
    assert (both.tolist(), number, slope.tolist()) == ([[1]], 1, [0, 0, 0])


def test_sizes_that_a_branch_in_a_loop_tells():
    builder = GraphBuilder()
    xs = builder.placeholder((None, 4), name="xs")

    def body(c, x):
        places = cond(c > 0.0, lambda: ops.nonzero(x), lambda: ops.nonzero(x - 1.0))
        picked = ops.index(x, places[:, 0], index=("array",))
        return c + (picked * picked).sum(), None

    total, _ = scan(body, 1.0, xs)
    graph = builder.graph([total, *gradients(total, [xs])], [xs])
    verify(graph)
    rows = np.array([[1.0, 0, 2, 0], [0, 0, 0, 5]])
    value, slope = run(graph, rows)
    assert (value, slope.tolist()) == (31, (2 * rows).tolist())
