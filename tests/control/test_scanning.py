"""Scans: each in two readings, with open lengths, from the back, and with checkpoints."""

import tracemalloc

import numpy as np
import pytest
from two_readings import agree, by_graph, by_hand

from cgkit import GraphBuilder, ShapeError, Tensor, gradients, ops, run, topological_order
from cgkit.control import scan
from cgkit.errors import OperandError

RNG = np.random.default_rng(3)
X, W, H = RNG.normal(size=(7, 3)), RNG.normal(size=(3, 3)) * 0.5, RNG.normal(size=(3,))


def network(**how):
    def program(x, w, h):
        carry, kept = scan(lambda h, x: (ops.tanh(h @ w + x), h * 2.0), h, x, **how)
        return carry.sum() + (kept * kept).sum()

    return program


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shapes", [None, [(None, 3), (3, 3), (3,)]], ids=["known", "open"])
def test_a_recurrent_network(reverse, shapes):
    agree(network(reverse=reverse), X, W, H, shapes=shapes)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [1, 3, 4, 7, 9])
def test_checkpoints_change_no_number(length, reverse):
    x = RNG.normal(size=(length, 3))
    plain = by_hand(network(reverse=reverse), x, W, H)
    for found in (
        by_graph(network(reverse=reverse, checkpoint=True), x, W, H),
        by_hand(network(reverse=reverse, checkpoint=True), x, W, H),
    ):
        for ours, theirs in zip(found, plain, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_no_step_at_all():
    carry, kept = scan(lambda c, x: (c + x, c), 7, Tensor(np.zeros((0,), "int64")))
    assert (int(carry), kept.shape, kept.dtype) == (7, (0,), np.int64)
    builder = GraphBuilder()
    x = builder.placeholder((None, 2), "float32")
    last, rows = scan(lambda c, x: (c + x, c), np.ones(2, "float32"), x)
    found = run(builder.graph([last, rows], [x]), np.zeros((0, 2), "float32"))
    assert [a.tolist() for a in found] == [[1, 1], []]
    assert found[1].shape == (0, 2)


def test_nested_values_and_a_body_that_keeps_nothing():
    carry, kept = scan(
        lambda c, x: ({"sum": c["sum"] + x["a"], "n": c["n"] + 1}, None),
        {"sum": 0.0, "n": 0},
        {"a": Tensor([1.0, 2.0, 4.0])},
    )
    assert (float(carry["sum"]), int(carry["n"]), kept) == (7, 3, None)


def test_a_length_without_slices():
    carry, kept = scan(lambda c, _: (c * 2.0, c), Tensor(1.0), length=4)
    assert float(carry) == 16
    assert kept.numpy().tolist() == [1, 2, 4, 8]


def test_lengths_must_agree():
    with pytest.raises(ShapeError, match="unlike lengths: 3 and 2"):
        scan(lambda c, x: (c, None), 0.0, (Tensor(np.ones(3)), Tensor(np.ones(2))))
    with pytest.raises(ShapeError, match="nothing tells"):
        scan(lambda c, x: (c, None), 0.0)
    builder = GraphBuilder()
    a, b = builder.placeholder(("N",)), builder.placeholder(("M",))
    last, _ = scan(lambda c, x: (c + x[0] * x[1], None), 0.0, (a, b))
    graph = builder.graph([last], [a, b])
    assert run(graph, np.ones(3), np.ones(3)) == (3,)
    with pytest.raises(ShapeError, match="taken as equal"):
        run(graph, np.ones(3), np.ones(2))


def test_a_body_gives_two_things():
    with pytest.raises(OperandError, match="not two things"):
        scan(lambda c, x: c, Tensor(0.0), Tensor([1.0]))


@pytest.mark.parametrize("checkpoint", [False, True])
def test_checkpoints_hold_the_square_root_of_all_carries(checkpoint):
    steps, width = 900, 1000
    builder = GraphBuilder()
    h, xs = builder.placeholder((width,), "float32"), builder.placeholder((steps,), "float32")
    end, _ = scan(lambda h, x: (h * 0.999 + x, None), h, xs, checkpoint=checkpoint)
    graph = builder.graph(gradients((end * end).sum(), [h, xs]), [h, xs])
    arrays = np.ones(width, "float32"), np.full(steps, 0.01, "float32")
    tracemalloc.start()
    run(graph, *arrays)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    every = steps * width * 4
    assert peak < every / 10 if checkpoint else every < peak < 1.1 * every


def test_slices_of_tensors_are_cut_at_once():
    # one by one, each would send back a gradient as large as all of them
    xs = Tensor(X, requires_grad=True)
    end, _ = scan(lambda c, x: (c * 0.5 + x[0].sum(), None), Tensor(0.0), (xs, X))
    names = [node.operator.name for node in topological_order(end.grad_fn)]
    assert names.count("split") == 1
    assert "slice" not in names
    end.backward()
    np.testing.assert_allclose(xs.grad.data[:, 0], 0.5 ** np.arange(6, -1, -1))
