"""Gradients of graphs as graphs."""

import numpy as np

from cgkit import GraphBuilder, TensorType, run, verify
from cgkit.control.pulls import accumulated, floating, pulled, recording


def body():
    builder = GraphBuilder()
    h, x, w = (builder.placeholder(()) for _ in range(3))
    n = builder.placeholder((), "int64")
    return builder.graph([h * w + x, h * x], [h, x, w, n])


def at(graph, *numbers):
    verify(graph)
    values = [np.asarray(v, e.dtype) for v, e in zip(numbers, graph.inputs, strict=True)]
    return [float(v) for v in run(graph, *values)]


def test_a_pull_takes_gradients_and_gives_gradients():
    # h w + x by (h, x, w): w, 1, h; h x by the same: x, h, 0
    graph = pulled(body(), (0, 1, 2), (0, 1))
    assert at(graph, 2, 3, 5, 1, 10, 100) == [5 * 10 + 3 * 100, 10 + 200, 20]
    assert at(pulled(body(), (2,), (1,)), 2, 3, 5, 1, 100) == [0]


def test_only_floats_have_slopes():
    assert floating([TensorType((), "int8"), TensorType((), "f2"), TensorType((), "bool")]) == (1,)


def test_a_constant_output_sends_nothing_back():
    builder = GraphBuilder()
    x = builder.placeholder((2,))
    graph = builder.graph([builder.constant(1.0)], [x])
    found = run(pulled(graph, (0,), (0,)), np.ones(2), np.array(1.0))
    assert found[0].tolist() == [0, 0]


def test_recording_keeps_the_carry_that_came_in():
    assert at(recording(body(), 1), 2, 3, 5, 1) == [13, 2]


def test_going_back_one_step_adds_up_what_stays_the_same():
    # its carry: gradient of h, sum for w; its slices: h, x, gradient of h x; then w and n
    graph = accumulated(body(), 1, 1)
    assert at(graph, 10, 1000, 2, 3, 100, 5, 1) == [350, 1020, 210]
    kept = accumulated(body(), 1, 1, kept=True)
    assert at(kept, 10, 1000, 2, 3, 7, 5, 1) == [57, 1020, 10]
