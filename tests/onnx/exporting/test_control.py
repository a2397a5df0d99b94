"""Branches and loops as If, Scan and Loop: read again, by the reference, and by onnxruntime."""

import sys
from pathlib import Path

import numpy as np
import onnx.reference
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import GraphBuilder, gradients, ops, run
from cgkit.control import OPERATORS, cond, fori, scan, switch, while_loop, while_scan
from cgkit.errors import OnnxError
from cgkit.onnx import load
from cgkit.onnx.exporter import to_model
from cgkit.onnx.exporting.writer import DEEPEST
from cgkit.onnx.reading.structure import depth_of
from cgkit.testing.cases import built, computed, samples_of
from cgkit.testing.exports import by_reference

sys.path.insert(0, str(Path(__file__).parents[2] / "control"))

from nested_programs import program

RNG = np.random.default_rng(4)
X = np.array([1.0, -2.0, 0.5])


def by_onnxruntime(model, arrays):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(model.SerializeToString())
    feeds = {x.name: np.asarray(a) for x, a in zip(model.graph.input, arrays, strict=True)}
    return session.run(None, feeds)


def read_again(model, arrays):
    return run(load(model), *arrays)


def agree(graph, *arrays, by=(read_again, by_reference)):
    """Demand what the interpreter gives; tell which operators of ONNX say it."""
    model = to_model(graph)
    for evaluate in by:
        found = evaluate(model, arrays)
        for got, want in zip(found, run(graph, *arrays), strict=True):
            assert (np.asarray(got).dtype, np.shape(got)) == (want.dtype, want.shape)
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
    return [node.op_type for node in model.graph.node if node.op_type != "Constant"]


def branching():
    builder = GraphBuilder()
    x, w = builder.placeholder(("N",), name="x"), builder.placeholder((), name="w")
    y, z = cond(w > 0.0, lambda: (ops.exp(x) * w, x[:1]), lambda: (x * 2.0, w[None]))
    slopes = gradients(y.sum() + z.sum(), [x, w])
    return builder.graph([y, z, *slopes], [x, w])


def choosing(dtype="int64"):
    builder = GraphBuilder()
    i, x = builder.placeholder((), dtype), builder.placeholder((3,))
    y = switch(i, [lambda x: x + 1.0, lambda x: x * 10.0, lambda x: x * x], x)
    return builder.graph([y, *gradients(y, [x])], [i, x])


def walking(length, reverse, w=0.5):
    builder = GraphBuilder()
    h, xs = builder.placeholder((2,)), builder.placeholder((length, 2))
    end, ys = scan(lambda h, x: (ops.tanh(h * w + x), (h * x, h[:1])), h, xs, reverse=reverse)
    slopes = gradients(end.sum() + (ys[0] * ys[0]).sum() + ys[1].sum(), [h, xs])
    return builder.graph([end, *ys, *slopes], [h, xs])


def squaring():
    builder = GraphBuilder()
    x = builder.placeholder((1,))  # the reference makes vectors of single numbers in a loop
    y = while_loop(lambda c: c.sum() < 100.0, lambda c: c * c, x)
    (slope,) = gradients(y, [x])
    return builder.graph([y, slope, *gradients(slope, [x])], [x])


def keeping():
    builder = GraphBuilder()
    x, n = builder.placeholder((3,)), builder.placeholder((), "int64")
    end, kept = while_scan(
        lambda c: c[0] < n, lambda c: ((c[0] + 1, c[1] * x), (c[1], c[0][None])), (0, x)
    )
    total = fori(0, 4, lambda i, c: c * 0.5 + ops.cast(i, dtype="float64"), end[1])
    return builder.graph([end[1], *kept, total, *gradients(total.sum(), [x])], [x, n])


def test_two_branches():
    graph = branching()
    for w in (2.0, -2.0):
        assert "If" in agree(graph, np.arange(3.0), np.array(w))


@pytest.mark.parametrize("number", [-4, 0, 1, 2, 9])
def test_several_branches(number):
    assert "If" in agree(choosing(), np.array(number), np.arange(3.0))


def test_many_branches_lie_no_deeper_than_they_must():
    builder = GraphBuilder()
    i, x = builder.placeholder((), "uint16"), builder.placeholder((3,))
    graph = builder.graph([switch(i, [lambda x, k=k: x + k for k in range(100)], x)], [i, x])
    model = to_model(graph)
    assert depth_of(model.graph.node, 99) == 7
    for number in (0, 41, 99, 60_000):
        for found in (
            evaluate(model, (np.uint16(number), X)) for evaluate in (read_again, by_reference)
        ):
            np.testing.assert_array_equal(found[0], X + min(number, 99))


def test_one_branch_whose_results_are_read_within_it_and_given_twice():
    builder = GraphBuilder()
    i, p, x = (builder.placeholder(*of) for of in (((), "int64"), ((), "bool"), ((3,),)))

    def only(x):
        y = ops.exp(x)
        return y, cond(p, lambda: y * 2.0, lambda: y - 1.0), y

    agree(builder.graph([*switch(i, [only], x)], [i, p, x]), np.int64(0), np.True_, X)


def test_what_no_file_could_hold_is_refused():
    def nested(depth):
        builder = GraphBuilder()
        p, x = builder.placeholder((), "bool"), builder.placeholder((3,), name="x")

        def branch(depth, x):
            return cond(p, lambda: branch(depth - 1, x), lambda: x) if depth else -x

        return builder.graph([branch(depth, x)], [p, x])

    graph = nested(DEEPEST)
    content = to_model(graph).SerializeToString()
    np.testing.assert_array_equal(run(load(content), np.True_, X)[0], -X)
    with pytest.raises(OnnxError, match="within graphs more than 31 deep"):
        to_model(nested(DEEPEST + 1))


def test_a_number_beyond_those_of_int64():
    graph = choosing("uint64")
    for number in (0, 1, 2, 2**64 - 1):
        agree(graph, np.array(number, "uint64"), np.arange(3.0), by=[read_again])


@pytest.mark.parametrize("reverse", [False, True])
def test_scans(reverse):
    known = agree(walking(4, reverse), RNG.normal(size=2), RNG.normal(size=(4, 2)))
    assert "Scan" in known
    assert "Loop" not in known
    assert agree(walking(0, reverse), np.ones(2), np.ones((0, 2))).count("Scan") == 0
    graph = walking("T", reverse)
    assert "Loop" in agree(graph, RNG.normal(size=2), RNG.normal(size=(3, 2)))
    agree(graph, np.ones(2), np.ones((0, 2)), by=[read_again])


def test_loops_and_their_gradients():
    assert "Loop" in agree(squaring(), np.array([2.0]))
    agree(squaring(), np.array([200.0]), by=[read_again])
    agree(keeping(), np.array([0.1, 0.2, 0.3]), np.array(3))
    agree(keeping(), np.array([0.1, 0.2, 0.3]), np.array(0), by=[read_again])


def test_a_loop_that_is_read_again_is_the_same_loop():
    graph = load(to_model(squaring()))
    found = [node.operator.name for node in graph.operators]
    assert {"while_loop", "while_scan"} & {*found}
    assert "scan" in found
    (loop, *_) = [node for node in graph.operators if node.operator.name == "while_loop"]
    assert "logical_and" not in str(loop.params["test"])


def test_what_waits_is_what_it_waits_with():
    builder = GraphBuilder()
    x = builder.placeholder((4,), "float32", name="x")
    number = ops.nonzero(x).shape[0]
    row = ops.broadcast_to(x.sum(), shape=(number,))
    graph = builder.graph([row])
    assert "sized" in str(graph)
    data = np.float32([1, 0, 2, 0])
    model = to_model(graph)
    (found,) = onnx.reference.ReferenceEvaluator(model).run(None, {"x": data})
    np.testing.assert_array_equal(found, run(graph, data)[0])


def test_sizes_that_a_branch_tells_and_names_that_come_twice():
    builder = GraphBuilder()
    x, p = builder.placeholder((4,), name="x"), builder.placeholder((), "bool", name="p")

    def nonzero(y):
        places = ops.nonzero(y)
        return ops.broadcast_to(y.sum(), shape=(places.shape[0], 2))

    a = nonzero(x)
    b = cond(p, lambda: nonzero(x - 1.0), lambda: nonzero(x + 1.0))
    graph = builder.graph([a, b, ops.broadcast_to(x.sum(), shape=b.shape)], [x, p])
    for number in (True, False):
        agree(graph, np.array([1.0, 0.0, 2.0, 1.0]), np.array(number))


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_sample_is_read_again(operator):
    for sample in samples_of(operator):
        agree(built(operator, sample), *sample.operands, by=[read_again])


@pytest.mark.oracle
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_onnxruntime_runs_every_sample(operator):
    for sample in samples_of(operator):
        for got, want in zip(
            by_onnxruntime(to_model(built(operator, sample)), sample.operands),
            computed(operator, sample),
            strict=True,
        ):
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


def random_graph(seed, depth, opened):
    builder = GraphBuilder()
    shape = ("N",) if opened else (2,)
    xs = [builder.placeholder(shape), builder.placeholder(shape)]
    y = program(seed, depth)(*xs)
    return builder.graph([y, *(g for g in gradients(y, xs) if g is not None)], xs)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_random_programs_are_read_again(seed, opened):
    arrays = np.random.default_rng(seed).normal(size=(2, 2))
    agree(random_graph(seed, 2, opened), *arrays, by=[read_again])


@pytest.mark.oracle
@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.booleans())
def test_onnxruntime_runs_random_programs(seed, depth, opened):
    arrays = np.random.default_rng(seed).normal(size=(2, 2))
    agree(random_graph(seed, depth, opened), *arrays, by=[by_onnxruntime])


@pytest.mark.oracle
def test_onnxruntime_takes_no_step_too():
    agree(walking("T", True), np.ones(2), np.ones((0, 2)), by=[by_onnxruntime])
    agree(squaring(), np.array([200.0]), by=[by_onnxruntime])
    agree(keeping(), np.array([0.1, 0.2, 0.3]), np.array(0), by=[by_onnxruntime])
    for number in (-4, 1, 9):
        agree(choosing(), np.array(number), np.arange(3.0), by=[by_onnxruntime])
