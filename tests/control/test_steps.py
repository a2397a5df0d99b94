"""The operator scan by itself: what it computes, counts and keeps."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, TensorType, cost, run
from cgkit.control.steps import SCAN, repeat, segmented, through_steps


@pytest.fixture
def body():
    builder = GraphBuilder()
    c, x = builder.placeholder(()), builder.placeholder(())
    return builder.graph([c * x, c + x], [c, x])


def test_on_arrays(body):
    xs = np.array([2.0, 3.0, 4.0])
    last, kept = repeat([np.array(1.0), xs], body, 1, 1, 3, False)
    assert (float(last), kept.tolist()) == (24, [3, 5, 10])
    last, kept = repeat([np.array(1.0), xs], body, 1, 1, 3, True)
    assert (float(last), kept.tolist()) == (24, [14, 7, 5])


@pytest.mark.parametrize("length", range(12))
def test_segments_give_the_same(body, length):
    xs = np.linspace(0.5, 1.5, length)
    for reverse in (False, True):
        plain = repeat([np.array(1.0), xs], body, 1, 1, length, reverse)
        parts = segmented([np.array(1.0), xs], body, 1, 1, length, reverse)
        for ours, theirs in zip(parts, plain, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_segments_keep_the_square_root_of_the_steps(body):
    builder = GraphBuilder()
    c, xs = builder.placeholder(()), builder.placeholder((100,))
    graph = builder.graph(list(segmented([c, xs], body, 1, 1, 100, False)), [c, xs])
    (outer,) = [node for node in graph.nodes if node.operator is SCAN]
    (inner,) = [node for node in outer.params["body"].nodes if node.operator is SCAN]
    assert (outer.params["length"], inner.params["length"]) == (10, 10)


def test_flops_of_all_steps_are_counted(body):
    builder = GraphBuilder()
    c, xs = builder.placeholder(()), builder.placeholder((7,))
    graph = builder.graph(list(repeat([c, xs], body, 1, 1, 7, False)), [c, xs])
    assert cost(graph).flops == 14


def test_types(body):
    types = [TensorType((), "f8"), TensorType((5,), "f8")]
    how = {"body": body, "carries": 1, "sliced": 1, "reverse": False}
    assert SCAN.types(types, {**how, "length": 5})[1] == TensorType((5,), "f8")
    with pytest.raises(ShapeError, match="5"):
        SCAN.types(types, {**how, "length": 4})


def test_back_through_the_steps(body):
    xs = np.array([2.0, 3.0])
    stored = [np.array([1.0, 2.0])]
    operands = [np.array(1.0), xs]
    seeds = [np.array(1.0), np.zeros(2)]
    first, slopes = through_steps(operands, seeds, stored, body, 1, 1, 2, True)
    assert (float(first), slopes.tolist()) == (6, [3, 2])
    assert run(body, np.array(2.0), np.array(3.0)) == (6, 5)
