"""What a run cost: counts by hand, and by the cost model on the same graph."""

import numpy as np
import pytest
from hypothesis import given, settings

from cgkit import GraphBuilder, ShapeError, cost, ops, run
from cgkit.memory import liveness
from cgkit.onnx.summary import measured
from cgkit.testing import programs


def network():
    builder = GraphBuilder()
    x = builder.placeholder(("N", 4), "float32", name="x")
    w = builder.variable(np.ones((4, 2), "float32"), name="w")
    hidden = (x @ w).named("hidden")
    return builder.graph([ops.relu(hidden + np.ones(2, "float32")).named("y")])


def test_a_network_by_hand():
    seen = []
    x = np.arange(12, dtype="f4").reshape(3, 4)
    found = measured(network(), [x], tell=lambda node: seen.append(node.name))
    assert (found.parameters, found.constants) == (8 + 2, 0)  # weights, variable or constant
    assert [share.flops for share in found.shares] == [2 * 3 * 2 * 4, 6, 6]
    assert found.flops == 60
    assert [str(share.result) for share in found.shares] == ["float32[3, 2]"] * 3
    assert [share.node.name for share in found.costliest(1)] == ["hidden"]
    assert len(found.costliest(9)) == 3
    assert found.memory.peak.nbytes == 48
    assert found.memory.held == 4 * (12 + 8 + 2)
    assert found.seconds > 0
    assert {"x", "w", "hidden", "y"} <= set(seen)
    np.testing.assert_array_equal(found.outputs[0], np.repeat(x.sum(axis=1) + 1, 2).reshape(3, 2))


def test_whole_numbers_are_no_parameters():
    x = GraphBuilder().placeholder((3,), name="x")
    found = measured(x.builder.graph([ops.take(x, np.array([0, 2])) * 2.0]), [np.ones(3)])
    assert (found.parameters, found.constants) == (0, 2)


def test_what_costs_nothing_is_not_listed():
    x = GraphBuilder().placeholder((2, 3), name="x")
    found = measured(x.builder.graph([x.T]), [np.ones((2, 3))])
    assert (found.flops, found.costliest(5), len(found.shares)) == (0, [], 1)


def test_nothing_at_all():
    x = GraphBuilder().placeholder((2,), name="x")
    found = measured(x.builder.graph([x]), [np.ones(2)])
    assert (found.flops, found.seconds, found.shares, found.memory.naive) == (0, 0, (), 0)


def test_sizes_that_only_the_run_tells_are_those_of_the_run():
    """How many elements are not zero is known when they are counted."""
    x = GraphBuilder().placeholder((6,), name="x")
    places = ops.nonzero(x)
    graph = x.builder.graph([ops.exp(ops.cast(places, dtype="float64"))])
    found = measured(graph, [np.array([0, 1.0, 0, 2.0, 3.0, 0])])
    assert found.shares[-1].result.size == found.shares[-1].flops == 3
    assert found.memory.peak.nbytes == 48


def test_arrays_that_do_not_fit():
    with pytest.raises(ShapeError):
        measured(network(), [np.ones((3, 5), "f4")])


@settings(max_examples=30, deadline=None)
@given(programs())
def test_it_is_what_the_cost_model_says_and_a_run_gives(program):
    graph = program.graph()
    arrays = program.draw(np.random.default_rng(0))
    with np.errstate(all="ignore"):
        found = measured(graph, arrays)
        outputs = run(graph, *arrays)
    assert found.flops == cost(graph).flops
    assert found.memory.live == liveness(graph).live
    for ours, theirs in zip(found.outputs, outputs, strict=True):
        np.testing.assert_array_equal(ours, theirs)
