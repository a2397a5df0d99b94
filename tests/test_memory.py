"""Lifetimes and peaks, against a run that keeps what is still to be read and nothing else."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import (
    CycleError,
    Dim,
    Graph,
    GraphBuilder,
    GraphError,
    Node,
    ShapeError,
    ops,
    run,
    scan,
    while_loop,
)  # fmt: skip
from cgkit.conformance.light import path_of
from cgkit.memory import liveness
from cgkit.node import SOURCES
from cgkit.onnx.diagram import diagram
from cgkit.testing import programs

N, M = Dim("N"), Dim("M")


def simulated(graph, order, arrays, outputs):
    """Run an order, dropping at once what no later node reads; give the bytes after each step."""
    order = [node for node in order if node.operator not in SOURCES]
    made = {}
    run(graph, *arrays, observe=lambda node, results: made.update({node: results}))
    given_away = {edge.key for edge in graph.outputs}
    live = []
    for step in range(len(order)):
        total = 0
        for maker in order[: step + 1]:
            for index, array in enumerate(made[maker]):
                read = any(
                    edge.node is maker and edge.index == index
                    for later in order[step:]
                    for edge in later.inputs
                )
                kept = (maker, index) in given_away
                if outputs if kept else read or maker is order[step]:
                    total += array.size * array.itemsize
        live.append(total)
    return live


def shuffled(graph, seed):
    """Give a random order in which each node comes after what it reads."""
    rng, waiting, order = random.Random(seed), list(graph.nodes), []
    while waiting:
        ready = [node for node in waiting if all(p in order for p in node.producers)]
        order.append(rng.choice(ready))
        waiting.remove(order[-1])
    return order


@settings(max_examples=80)
@given(programs(most=14), st.integers(0, 10**6), st.booleans())
def test_it_is_what_a_thrifty_run_holds(program, seed, outputs):
    graph = program.graph()
    order = shuffled(graph, seed)
    found = liveness(graph, order=order, outputs=outputs)
    with np.errstate(all="ignore"):
        arrays = program.draw(np.random.default_rng(0))
        live = simulated(graph, order, arrays, outputs)
    assert list(found.live) == live
    assert found.peak.nbytes == max(live, default=0)
    assert sum(one.nbytes for one in found.peak.lifetimes) == found.peak.nbytes
    if live:
        assert found.peak.step == live.index(max(live))
        assert found.peak.node is found.steps[found.peak.step]


def skip():
    r"""One value that waits while others are made.

    x ─► a(400) ─► b(400) ─► c(8) ─► d = c + a[0] ─► output
          └───────────────────────────┘
    """
    builder = GraphBuilder()
    x = builder.placeholder((50,), name="x")
    a = (-x).named("a")
    b = ops.exp(a).named("b")
    c = b.sum().named("c")
    return builder.graph([c + a])


def test_what_waits_is_there():
    found = liveness(skip())
    assert found.live == (400, 800, 808, 808)
    assert [one.edge.node.name for one in found.peak.lifetimes] == ["a", "b", "c"]
    assert (found.peak.step, found.peak.node.name, found.naive) == (2, "c", 1208)
    assert liveness(skip(), outputs=False).live == (400, 800, 808, 408)
    assert liveness(skip(), outputs=False).naive == 808


def test_what_is_given_is_held_and_takes_no_step():
    builder = GraphBuilder()
    x = builder.placeholder((4,), "float32", name="x")
    w = builder.variable(np.ones(4, "float32"), name="w")
    found = liveness(builder.graph([x * w + np.ones((), "float32")]))
    assert found.held == 16 + 16 + 4
    assert [node.operator.name for node in found.steps] == ["mul", "add"]


def test_several_results_live_each_for_itself():
    """The standardized x is read later, its mean at the end, its variance never."""
    builder = GraphBuilder()
    x = builder.placeholder((5, 2), name="x")
    scale, shift = builder.variable(np.ones(2)), builder.variable(np.zeros(2))
    y, mean, _ = ops.batch_norm_train(x, scale, shift)
    graph = builder.graph([-ops.exp(y) + mean])
    assert [(one.first, one.last) for one in liveness(graph).lifetimes] == [
        (0, 1), (0, 3), (0, 0), (1, 2), (2, 3), (3, 3),
    ]  # fmt: skip
    assert liveness(graph).live == (80 + 16 + 16, 80 + 16 + 80, 16 + 80 + 80, 16 + 80 + 80)


def test_a_result_read_twice_or_given_twice_counts_once():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="x")
    y = x + 1.0
    graph = builder.graph([y * y, y, y])
    assert liveness(graph).live == (16, 32)
    assert liveness(graph, outputs=False).lifetimes == ()


@pytest.mark.parametrize("give", [lambda x: [x], lambda x: [x.builder.constant(1.0)]])
def test_a_graph_that_computes_nothing_has_no_peak(give):
    x = GraphBuilder().placeholder((3,), name="x")
    found = liveness(x.builder.graph(give(x)))
    assert (found.live, found.naive, found.peak.nbytes, found.peak.node) == ((), 0, 0, None)
    assert liveness(Graph((), (), ())).held == 0


def test_empty_tensors_take_nothing():
    x = GraphBuilder().placeholder((0, 3), name="x")
    assert liveness(x.builder.graph([ops.exp(x) + 1.0])).live == (0, 0)


def two_sizes():
    builder = GraphBuilder()
    x = builder.placeholder((N, 3), "float32", name="x")
    y = builder.placeholder((M, 5), "float32", name="y")
    return builder.graph([ops.exp(x).sum(), ops.exp(y).sum()])


def test_open_sizes_stay_open():
    x = GraphBuilder().placeholder((N, 3), "float32", name="x")
    found = liveness(x.builder.graph([(-x + 1.0).sum()]))
    assert str(found.live) == "(12*N, 24*N, 12*N + 4)"
    assert str(found.at({"N": 10}).live) == "(120, 240, 124)"
    assert found.peak.nbytes == 24 * N  # for N from 1 on; at 0 the last step holds 4 bytes
    assert found.peak.node.operator.name == "add"


def test_a_peak_holds_for_all_sizes_from_one_on():
    """N*N + N floats at one step, 4 * N at another: equal at 1 and 3, and 1 < 2 < 3 is below."""
    x = GraphBuilder().placeholder((N,), "float32", name="x")
    square = ops.exp(x.reshape(N, 1) * x)
    found = liveness(x.builder.graph([square.sum(), ops.concat(x, x, x, x, x, x, x, x).sum()]))
    with pytest.raises(ShapeError, match="depends on N"):
        _ = found.peak
    peaks = [found.at({"N": n}).peak for n in range(1, 9)]
    assert {peak.node.operator.name for peak in peaks} == {"sum", "exp"}


def test_which_step_is_the_peak_may_depend_on_open_sizes():
    found = liveness(two_sizes())
    with pytest.raises(ShapeError, match="depends on M, N") as raised:
        _ = found.peak
    assert raised.value.attempt == ".at({'M': 1, 'N': 1}).peak"
    assert found.at({"M": 1, "N": 9}).peak.lifetimes[0].edge.shape == (N, 3)
    assert [one.edge.shape for one in found.at({"M": 9, "N": 1}).peak.lifetimes] == [
        (), (M, 5), (),
    ]  # fmt: skip
    with pytest.raises(ShapeError, match="without a value for M"):
        found.at({"N": 1})


def test_an_order_of_something_else_is_refused():
    graph = skip()
    with pytest.raises(GraphError, match="which it reads"):
        liveness(graph, order=graph.nodes[::-1])
    with pytest.raises(GraphError, match="lists 4 nodes, which are not the graph's 5"):
        liveness(graph, order=graph.nodes[:-1])
    with pytest.raises(GraphError, match="stands twice"):
        liveness(graph, order=[*graph.nodes, graph.nodes[0]])
    with pytest.raises(GraphError, match="expected a Graph, got int"):
        liveness(3)
    with pytest.raises(CycleError):
        liveness(graph, order=[node := knot(), *node.producers])


def knot():
    """Two nodes that read each other."""
    x = GraphBuilder().placeholder((), name="x")
    a = ops.exp(x)
    b = ops.exp(a)
    a.node.inputs = (b.edge,)
    assert isinstance(b.node, Node)
    return b.node


@pytest.mark.parametrize(
    ("name", "naive", "peak"),
    [
        ("bvlc_alexnet", 6.87, 2.14),
        ("densenet121", 305.6, 8.04),
        ("inception_v1", 34.9, 6.12),
        ("inception_v2", 80.6, 6.12),
        ("resnet50", 143.3, 9.19),
        ("shufflenet", 54.4, 2.97),
        ("squeezenet", 26.9, 6.02),
        ("vgg19", 119.3, 24.5),
        ("zfnet512", 18.0, 8.70),
    ],
)
def test_real_networks_take_what_others_measured(name, naive, peak):
    """MiB of the tensors that the files name; no plan can do with less than the peak."""
    found = liveness(diagram(path_of(name)), outputs=False)
    digits = [len(f"{figure}".partition(".")[2]) for figure in (naive, peak)]
    assert round(found.naive / 2**20, digits[0]) == naive
    assert round(found.peak.nbytes / 2**20, digits[1]) == peak


def test_long_chains_are_walked():
    x = GraphBuilder().placeholder((), "float32", name="x")
    y = x
    for _ in range(20_000):
        y = -y
    found = liveness(x.builder.graph([y]))
    assert (found.peak.nbytes, found.naive) == (8, 80_000)


def test_what_graphs_inside_hold_is_there_while_they_run():
    """A body of three tensors of 400 bytes, of which two are there at once; its outputs stay."""
    builder = GraphBuilder()
    h, xs = builder.placeholder((50,), name="h"), builder.placeholder((7, 50), name="xs")
    end, _ = scan(lambda h, x: (ops.exp(-h * x), None), h, xs)
    found = liveness(builder.graph([end * 2.0], [h, xs]))
    assert [node.operator.name for node in found.steps] == ["scan", "mul"]
    assert found.inside == {0: 800}
    assert found.live == (1200, 800)
    assert (found.peak.nbytes, found.peak.inside) == (1200, 800)
    assert found.naive == 800


def test_the_larger_of_graphs_that_run_one_after_another():
    builder = GraphBuilder()
    x = builder.placeholder((None, 10), name="x")
    y = while_loop(lambda c: (c * c - c).sum() < 9.0, lambda c: c + 1.0, x)
    found = liveness(builder.graph([y], [x]))
    assert found.inside == {0: Dim("N") * 80 * 2}
    assert found.at({"N": 2}).inside == {0: 320}
    assert found.at({"N": 2}).peak.nbytes == 320 + 160
    assert liveness(skip()).inside == {}


def test_where_open_sizes_decide_what_is_inside_all_of_it_counts():
    builder = GraphBuilder()
    x, w = builder.placeholder((None,), name="x"), builder.placeholder((None,), name="w")
    y = while_loop(lambda c: c < 9.0, lambda c: c + ops.exp(x).sum() * ops.exp(w).sum(), 0.0)
    inside = liveness(builder.graph([y], [x, w])).inside[0]
    assert inside == Dim("N") * 8 + Dim("N2") * 8 + 32
