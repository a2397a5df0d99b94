"""Executables: the interpreter's numbers, counted launches and allocations, results that stay."""

import threading

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, cond, gradients, ops, run, scan
from cgkit.compiler import Executable
from cgkit.operators import ALL


def chain(length, shape=(5,)):
    builder = GraphBuilder()
    x = y = builder.placeholder(shape, name="x")
    for _ in range(length):
        y = ops.tanh(y * 1.5) + x
    return builder.graph([y], [x])


def test_counts():
    ready = Executable(chain(4))
    assert ready.launches == 12
    ready(np.ones(5))
    assert ready.allocated == 12
    for _ in range(3):
        ready(np.ones(5))
        assert ready.allocated == 1  # the result, which is given away
    assert ready.runs == 4


def test_every_run_gives_what_the_interpreter_gives():
    builder = GraphBuilder()
    x, w = builder.placeholder((None, 3), name="x"), builder.variable(np.eye(3), name="w")
    h = ops.softmax((x @ w).transpose() * 2.0, axis=0)
    y = cond(h.sum() > 0.0, lambda: h * 3.0, lambda: h)
    graph = builder.graph([y, h.sum(0), x, *gradients(h.max(), [x])], [x])
    ready = Executable(graph)
    generator = np.random.default_rng(0)
    for rows in (4, 2, 4, 0, 4, 7):
        data = generator.normal(size=(rows, 3))
        if not rows:
            continue
        for ours, theirs in zip(ready(data), run(graph, data), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_results_stay_when_it_runs_again():
    builder = GraphBuilder()
    x = builder.placeholder((3,), name="x")
    y = x + 1.0
    graph = builder.graph([y, y, y[1:], x, y * 2.0, ops.reshape(y, shape=(3, 1))], [x])
    ready = Executable(graph)
    data = np.zeros(3)
    ready(data)
    first = ready(data)
    kept = [array.copy() for array in first]
    ready(np.full(3, 9.0))
    data[:] = 7
    for ours, before in zip(first, kept, strict=True):
        np.testing.assert_array_equal(ours, before)
    for array in first:
        array[...] = -1
    assert ready(np.zeros(3))[0].tolist() == [1, 1, 1]


def test_constants_and_variables_are_never_written_to():
    builder = GraphBuilder()
    w = builder.variable(np.ones(3), name="w")
    ready = Executable(builder.graph([w, w * 2.0]))
    ready()[0][:] = 5
    assert ready()[0].tolist() == [1, 1, 1]


def test_sizes_must_fit():
    builder = GraphBuilder()
    x, y = builder.placeholder(("N",), name="x"), builder.placeholder(("M",), name="y")
    ready = Executable(builder.graph([x + y], [x, y]))
    assert ready(np.ones(2), np.ones(2))[0].tolist() == [2, 2]
    with pytest.raises(ShapeError, match="taken as equal"):
        ready(np.ones(2), np.ones(1))


def test_threads_do_not_share_buffers():
    ready = Executable(chain(30, (200,)))
    expected = {k: ready(np.full(200, k / 8))[0] for k in range(8)}
    wrong = []

    def work(k):
        for _ in range(60):
            if not np.array_equal(ready(np.full(200, k / 8))[0], expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("name", [name for name, op in ALL.items() if op.into is not None])
def test_into_memory_that_is_given_is_the_same_to_the_last_bit(name):
    operator = ALL[name]
    tried = 0
    for sample in operator.samples(np.random.default_rng(0)):
        with np.errstate(all="ignore"):
            expected = np.asarray(operator.compute(*sample.operands, **sample.params))
            out = np.full_like(expected, 3)
            operator.into(out, *sample.operands, **sample.params)
        np.testing.assert_array_equal(out, expected)
        tried += 1
    assert tried > 3


def test_a_graph_with_a_loop_keeps_its_buffers():
    builder = GraphBuilder()
    x = builder.placeholder((50,), name="x")
    y = scan(lambda c, r: (c * r, None), 1.0, ops.tanh(x) + 1.0)[0]
    ready = Executable(builder.graph([y * 2.0 + 1.0], [x]))
    first = ready(np.linspace(0.0, 1.0, 50))
    fresh = ready.allocated
    assert ready(np.linspace(0.0, 1.0, 50)) == first
    assert ready.allocated < fresh
