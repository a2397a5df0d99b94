"""gradients adds nodes to a graph: the same rules as backward, so the same bits."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, TensorType, grad, gradients, ops, run, verify
from cgkit.errors import CaptureError, GradientError, ShapeError
from cgkit.symbolic.differentiation import filled
from cgkit.testing.cases import same

RNG = np.random.default_rng(0)


@pytest.fixture
def builder():
    return GraphBuilder()


def two_layers(x, w):
    return (ops.tanh(x @ w + 1.0) * ops.exp(x @ w)).sum()


def test_the_same_rules_static_and_eager():
    arrays = RNG.normal(size=(3, 4)), RNG.normal(size=(4,))
    x, w = (Tensor(a, requires_grad=True) for a in arrays)
    (gw,) = grad(two_layers(x, w), w, create_graph=True)
    (hw,) = grad((gw * gw).sum(), w)
    builder = GraphBuilder()
    xs, ws = builder.placeholder((3, 4)), builder.placeholder((4,))
    (g,) = gradients(two_layers(xs, ws), [ws])
    (h,) = gradients((g * g).sum(), [ws])
    graph = builder.graph([g, h], [xs, ws])
    verify(graph)
    found = run(graph, *arrays)
    assert same(found[0], gw.data)
    assert same(found[1], hw.data)


def test_none_where_there_is_no_slope(builder):
    x, unused = builder.placeholder((2,)), builder.placeholder((2,))
    whole, index = builder.placeholder((2,), "int32"), builder.placeholder((2,), "int64")
    y = x[index] * ops.cast(whole, dtype="float64")
    assert [g is None for g in gradients(y, [x, unused, whole, index])] == [False, True, True, True]
    compared = ops.where(x > 0.0, 1.0, 2.0)
    assert gradients(compared, [x]) == [None]


def test_what_is_stopped_counts_as_a_constant(builder):
    """TensorFlow's example: with b = 2a, a + b has the partial slopes 1 and 1 by a and b."""
    a = builder.placeholder((), name="a")
    b = 2.0 * a
    c, d = ops.split(ops.stack(a * a, a), sections=2)
    y = a + b * b + (c * d).sum()

    def found(xs, stops):
        parts = gradients(y, xs, stop_gradients=stops)
        graph = builder.graph([part for part in parts if part is not None], [a])
        values = iter(run(graph, np.array(3.0)))
        return [None if part is None else float(next(values).sum()) for part in parts]

    assert found([a], []) == [1 + 8 * 3 + 3 * 9]
    assert found([a, b], b) == [1 + 3 * 9, 12]
    assert found([a, b], [a, b]) == [1 + 8 * 0 + 3 * 9 * 1, 12]
    assert found([a, c], [c]) == [1 + 24 + 9, 3]  # d stays open, though one node makes both
    assert found([a, c, d], [c, d, b]) == [1, 3, 9]
    assert found([a], [y]) == [None]
    for wrong in ("b", GraphBuilder().constant(1.0)):
        with pytest.raises(CaptureError):
            gradients(y, a, stop_gradients=[wrong])
    with pytest.raises(CaptureError, match="expected a value of this graph, got NoneType"):
        gradients(y, None)


def test_a_value_of_several_elements_is_summed(builder):
    x = builder.placeholder((2, 2))
    (g,) = gradients(x * x, [x])
    array = RNG.normal(size=(2, 2))
    np.testing.assert_array_equal(run(builder.graph([g]), array)[0], 2 * array)


def test_seeds(builder):
    x, seed = builder.placeholder((2,)), builder.placeholder((2,))
    (g,) = gradients(x * x, [x], seed)
    found = run(builder.graph([g], [x, seed]), np.array([1.0, 2.0]), np.array([10.0, 100.0]))
    assert found[0].tolist() == [20, 400]
    with pytest.raises(ShapeError, match=r"the seed has shape \(\), the value \(2,\)"):
        gradients(x * x, [x], builder.constant(1.0))


def test_values_in_between_and_the_value_itself(builder):
    x = builder.placeholder(())
    y = x * x
    z = y * x
    found = run(builder.graph(gradients(z, [y, x, z])), np.array(3.0))
    assert [v.item() for v in found] == [3, 27, 1]


def test_one_value_may_stand_alone(builder):
    x = builder.placeholder((3,))
    (g,) = gradients(x * 2.0, x)
    assert g.shape == (3,)


def test_gradients_of_empty_and_open_values(builder):
    x, w = builder.placeholder((None, 3)), builder.placeholder((3,))
    slopes = gradients((x * w).mean(axis=0), [x, w])
    graph = builder.graph(slopes, [x, w])
    for n in (0, 1, 4):
        arrays = RNG.normal(size=(n, 3)), RNG.normal(size=3)
        points = [Tensor(a, requires_grad=True) for a in arrays]
        eager = grad((points[0] * points[1]).mean(axis=0), points, np.ones(3))
        for got, want in zip(run(graph, *arrays), eager, strict=True):
            np.testing.assert_array_equal(got, want.data)


def test_variables_have_gradients(builder):
    w = builder.variable(np.array([2.0, 3.0]), name="w")
    (g,) = gradients((w * w).sum(), [w])
    assert run(builder.graph([g]))[0].tolist() == [4, 6]


def test_a_float32_graph_stays_one(builder):
    x = builder.placeholder((2,), "float32")
    (g,) = gradients((ops.sigmoid(x * 2.0) ** 2.0).mean(), [x])
    assert {edge.dtype.name for node in builder.graph([g]).nodes for edge in node.edges} == {
        "float32", "bool",
    }  # fmt: skip


def test_only_paths_between_are_built(builder):
    x, w = builder.placeholder((), name="x"), builder.placeholder((), name="w")
    y = ops.exp(ops.tanh(w)) * x
    (g,) = gradients(y, [x])
    names = [node.operator.name for node in builder.graph([g]).operators]
    assert names == ["tanh", "exp", "mul"]


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (lambda b, x: gradients(Tensor(1.0), [x]), CaptureError, "not of Tensor"),
        (lambda b, x: gradients(x > 0.0, [x]), GradientError, "only floating values"),
        (lambda b, x: gradients(x, [Tensor(1.0)]), CaptureError, "got Tensor"),
        (lambda b, x: gradients(x, [x], np.ones(())), CaptureError, "got ndarray"),
        (lambda b, x: gradients(x, GraphBuilder().placeholder(())), CaptureError, "another graph"),
    ],
)
def test_what_it_refuses(builder, act, kind, said):
    with pytest.raises(kind, match=said):
        act(builder, builder.placeholder(()))


def test_one_number_for_each_place_of_an_open_shape():
    builder = GraphBuilder()
    x = builder.placeholder((None,), "float32")
    graph = builder.graph(
        [filled(builder, x.type, 3), filled(builder, TensorType((), "f8"), 0)], [x]
    )
    many, one = run(graph, np.ones(2, "float32"))
    assert (many.tolist(), many.dtype, one.shape) == ([3, 3], np.float32, ())
