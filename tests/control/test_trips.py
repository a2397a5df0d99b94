"""The operators of loops whose number of steps a run tells."""

import tracemalloc

import numpy as np
import pytest
from two_readings import agree

from cgkit import GraphBuilder, GraphError, ShapeError, Tensor, gradients, ops, run, verify
from cgkit.control import while_loop, while_scan
from cgkit.control.trips import STEPS, WHILE, run_while
from cgkit.errors import OperandError


def graphs(test, body, *shapes):
    found = []
    for function in (test, body):
        builder = GraphBuilder()
        values = [builder.placeholder(shape) for shape in shapes]
        outputs = function(*values)
        found.append(builder.graph(outputs if isinstance(outputs, list) else [outputs], values))
    return found


def test_steps_are_the_carries_that_the_body_saw():
    test, body = graphs(lambda x, w: x < 100.0, lambda x, w: [x * w], (), ())
    operands = np.array(2.0), np.array(3.0)
    settings = {"test": test, "body": body, "carries": 1}
    assert [float(x) for x in WHILE(*operands, **settings)] == [162]
    assert STEPS(*operands, **settings)[0].tolist() == [2, 6, 18, 54]
    assert STEPS(np.array(100.0), np.array(3.0), **settings)[0].shape == (0,)


def test_what_is_kept_comes_stacked():
    test, body = graphs(lambda x: x.sum() < 100.0, lambda x: [x * 2.0, x.sum(), x], (2,))
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="x")
    last, sums, rows = run_while([x], test, body, 1)
    assert sums.shape[0] == rows.shape[0] == sums.shape[0]
    assert rows.shape[1:] == (2,)
    graph = builder.graph([last, sums, rows])
    verify(graph)
    found = run(graph, np.array([20.0, 10.0]))
    assert [part.tolist() for part in found] == [[80, 40], [30, 60], [[20, 10], [40, 20]]]
    assert [part.shape for part in run(graph, np.array([99.0, 1.0]))] == [(2,), (0,), (0, 2)]


def test_graphs_that_do_not_fit():
    test, body = graphs(lambda x: x * 1.0, lambda x: [x], ())
    with pytest.raises(GraphError, match="the test of while_loop gives float64"):
        WHILE.infer(*[edge.type for edge in body.inputs], test=test, body=body, carries=1)
    test, body = graphs(lambda x, y: x < y, lambda x, y: [x], (), ())
    with pytest.raises(OperandError, match="gives 1 tensors, its carry has 2"):
        WHILE.infer(*[edge.type for edge in body.inputs], test=test, body=body, carries=2)


def test_the_gradient_of_all_that_a_loop_gives():
    def program(x, w):
        def body(c):
            y = ops.sin(c * w)
            return c * 1.5 + y, {"y": y, "c": (c,)}

        end, kept = while_scan(lambda c: c < 9.0, body, x)
        return end * 0.1 + (kept["y"] * kept["y"] * kept["c"][0]).sum()

    agree(program, 0.7, 1.3)


def test_one_of_them_is_read():
    def program(x, w):
        _, kept = while_scan(lambda c: c < 9.0, lambda c: (c * w + 1.0, c * c * w), x)
        return kept.sum()

    agree(program, 0.7, 1.3)


@pytest.mark.parametrize("start", [0.5, 20.0])
def test_both_readings_keep_the_same(start):
    def act(x):
        return while_scan(lambda c: c < 9.0, lambda c: (c * 2.0, (c, 7)), x)

    builder = GraphBuilder()
    x = builder.placeholder(())
    end, (rows, sevens) = act(x)
    by_graph = run(builder.graph([end, rows, sevens]), np.array(start))
    end, (rows, sevens) = act(Tensor(start))
    for ours, theirs in zip(by_graph, (end, rows, sevens), strict=True):
        assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.numpy().tolist())


def test_what_while_scan_refuses():
    with pytest.raises(OperandError, match="while_scan needs a carry"):
        while_scan(lambda c: Tensor(False), lambda c: (c, None), ())
    for x in (Tensor(1.0), GraphBuilder().placeholder(())):
        with pytest.raises(OperandError, match=r"the body of while_loop gives \w+, not two things"):
            while_scan(lambda c: c < 3.0, lambda c: c + 1.0, x)


def test_what_is_kept_has_one_shape():
    builder = GraphBuilder()
    x = builder.placeholder((4,), name="x")
    i = builder.constant(0)

    def body(i):
        return i + 1, ops.nonzero(x * ops.cast(i, dtype="float64"))

    _, kept = while_scan(lambda i: i < 3, body, i)
    graph = builder.graph([kept], [x])
    with pytest.raises(ShapeError, match=r"what while_loop keeps has shape \(0, 1\) before"):
        run(graph, np.array([1.0, 2.0, 0.0, 1.0]))
    assert run(graph, np.zeros(4))[0].shape == (3, 0, 1)
    assert kept.shape[0] != kept.shape[1]


def test_a_loop_holds_no_carry_but_the_last():
    builder = GraphBuilder()
    x = builder.placeholder((10_000,), name="x")
    y = while_loop(lambda c: c[0] < 50.0, lambda c: c + 1.0, x)
    graph = builder.graph([y])
    data = np.zeros(10_000)
    tracemalloc.start()
    run(graph, data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * data.nbytes


def test_gradients_of_the_steps_themselves():
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    test, body = graphs(lambda x: x < 50.0, lambda x: [x * x], ())
    (steps,) = STEPS(x, test=test, body=body, carries=1)
    graph = builder.graph([steps, *gradients(steps, [x])])
    verify(graph)
    found, slope = run(graph, np.array(2.0))
    assert (found.tolist(), slope) == ([2, 4, 16], 1 + 4 + 32)
