"""Gradients of static graphs: the eager ones to the last bit, to any order."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, gradients, ops, run, verify
from cgkit.errors import CaptureError, GradientError


def program(x, w):
    return (ops.tanh(x * w + 1.0) * ops.exp(x * w)).sum()


def test_first_and_second_order_equal_eager_to_the_last_bit():
    rng = np.random.default_rng(0)
    x0, w0 = rng.normal(size=(3, 4)), rng.normal(size=4)
    x, w = Tensor(x0, requires_grad=True), Tensor(w0, requires_grad=True)
    program(x, w).backward(create_graph=True)
    first = w.grad
    x.grad = w.grad = None
    (first * first).sum().backward()

    builder = GraphBuilder()
    xs, ws = builder.placeholder((3, 4)), builder.placeholder((4,))
    (g,) = gradients(program(xs, ws), [ws])
    (h,) = gradients((g * g).sum(), [ws])
    graph = builder.graph([g, h])
    verify(graph)
    found = run(graph, x0, w0)
    np.testing.assert_array_equal(found[0], first.data)
    np.testing.assert_array_equal(found[1], w.grad.data)


def test_third_order():
    builder = GraphBuilder()
    y = x = builder.placeholder(())
    y = x * x * x * x
    found = []
    for _ in range(3):
        (y,) = gradients(y, [x])
        found.append(y)
    assert [float(v) for v in run(builder.graph(found), 2.0)] == [32, 48, 48]


def test_what_is_not_an_ancestor_or_not_floating_has_none():
    builder = GraphBuilder()
    x, other = builder.placeholder((2,)), builder.placeholder((2,))
    places = builder.placeholder((2,), "int64")
    y = (x[places]).sum()
    g = gradients(y, [x, other, places])
    assert [v is None for v in g] == [False, True, True]


def test_values_in_between_and_the_value_itself():
    builder = GraphBuilder()
    x = builder.placeholder(())
    h = x * x
    y = h * 3.0
    found = gradients(y, [y, h, x])
    assert [float(v) for v in run(builder.graph(found), 2.0)] == [1, 3, 12]


def test_a_value_of_several_elements_is_summed():
    builder = GraphBuilder()
    x = builder.placeholder((3,))
    (g,) = gradients(x * x, [x])
    np.testing.assert_array_equal(run(builder.graph([g]), np.arange(3.0))[0], [0, 2, 4])


def test_a_seed_takes_the_place_of_ones():
    builder = GraphBuilder()
    x, seed = builder.placeholder((3,)), builder.placeholder((3,))
    (g,) = gradients(x * x, [x], seed)
    found = run(builder.graph([g], [x, seed]), np.arange(3.0), np.array([1.0, 10, 100]))
    np.testing.assert_array_equal(found[0], [0, 20, 400])


@pytest.mark.parametrize(
    ("shape", "other"), [((3, 1), (4,)), ((), (2,)), ((1,), (5, 4)), ((0, 3), (3,))]
)
def test_gradients_have_the_shape_of_what_they_belong_to(shape, other):
    builder = GraphBuilder()
    a, b = builder.placeholder(shape), builder.placeholder(other)
    found = gradients(a * b, [a, b])
    assert [g.shape for g in found] == [shape, other]
    values = run(builder.graph(found, [a, b]), np.ones(shape), np.ones(other))
    assert [v.shape for v in values] == [shape, other]


def test_open_sizes_flow_through_reductions_and_broadcasts():
    builder = GraphBuilder()
    x, w = builder.placeholder((None, 3)), builder.placeholder((3,))
    (g,) = gradients((x * w).mean(), [w])
    graph = builder.graph([g], [x, w])
    verify(graph)
    for rows in (1, 2, 7):
        found = run(graph, np.ones((rows, 3)), np.zeros(3))[0]
        np.testing.assert_allclose(found, [1 / 3] * 3)


def test_integers_have_no_slope():
    builder = GraphBuilder()
    x = builder.placeholder((2,), "int64")
    with pytest.raises(GradientError, match="int64"):
        gradients(x.sum(), [x])


def test_values_of_another_graph_are_refused():
    x, y = GraphBuilder().placeholder(()), GraphBuilder().placeholder(())
    with pytest.raises(CaptureError, match="another graph"):
        gradients(x * x, [y])


def test_only_the_way_to_what_was_asked_is_differentiated():
    builder = GraphBuilder()
    x, w = builder.placeholder((2, 2)), builder.placeholder((2, 2))
    y = (x @ w).sum()
    (g,) = gradients(y, [w])
    products = [n for n in builder.graph([g], [x, w]).nodes if n.operator.name == "matmul"]
    assert len(products) == 1


def test_a_chain_of_100_000_is_differentiated():
    builder = GraphBuilder()
    y = x = builder.placeholder(())
    for _ in range(100_000):
        y = y + 1.0
    (g,) = gradients(y, [x])
    assert run(builder.graph([g], [x]), 0.0)[0] == 1
