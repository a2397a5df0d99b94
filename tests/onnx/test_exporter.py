"""Graphs as ONNX models: names, scopes, parameters, sizes, and what is refused."""

import numpy as np
import pytest

from cgkit import Graph, GraphBuilder, Tensor, gradients, ops, recorded, run
from cgkit.errors import GraphError, OnnxError
from cgkit.graph import source
from cgkit.node import INPUT, Edge, Node
from cgkit.onnx import exporter, load
from cgkit.onnx.exporter import held_bytes, to_model
from cgkit.testing.exports import by_reference
from cgkit.types import Dim, TensorType


def kinds(model):
    return [node.op_type for node in model.graph.node]


def shape_of(info):
    dims = info.type.tensor_type.shape.dim
    return [dim.dim_param if dim.HasField("dim_param") else dim.dim_value for dim in dims]


@pytest.fixture
def net():
    """A layer with a name, a scope, an open batch, parameters and a constant."""
    builder = GraphBuilder()
    x = builder.placeholder((None, 3), "float32", name="images")
    w = builder.variable(np.ones((3, 2), "float32"), name="weights")
    with builder.scope("net"), builder.scope("first"):
        h = ops.softmax(ops.matmul(x, w) + np.array([1.0, 2.0], np.float32), axis=1)
    return builder.graph([h])


def test_names_are_kept(net):
    model = to_model(net, name="mine")
    assert model.graph.name == "mine"
    assert [given.name for given in model.graph.input] == ["images"]
    assert [parameter.name for parameter in model.graph.initializer] == ["weights"]
    assert [end.name for end in model.graph.output] == [str(net).split()[-1]]
    assert (model.producer_name, model.opset_import[0].version) == ("cgkit", 28)


def test_scopes_stand_before_the_names_of_nodes(net):
    named = [n.name for n in to_model(net).graph.node if n.op_type in ("MatMul", "Add", "Softmax")]
    assert named == ["net/first/m", "net/first/s", "net/first/s1"]


def test_open_sizes_are_named(net):
    model = to_model(net)
    assert shape_of(model.graph.input[0]) == ["N", 3]
    assert shape_of(model.graph.output[0]) == ["N", 2]
    # what is in between is told too
    assert {info.name: shape_of(info) for info in model.graph.value_info} == {
        "m": ["N", 2], "s": ["N", 2],
    }  # fmt: skip


def test_variables_are_parameters_and_constants_are_not(net):
    back = load(to_model(net))
    assert [node.name for node in back.nodes if node.operator.name == "variable"] == ["weights"]
    assert str(back) == str(net)


def test_what_has_several_results_numbers_them():
    builder = GraphBuilder()
    with builder.scope("s"):
        parts = ops.split(builder.placeholder((4,), name="x"), sections=2)
    model = to_model(builder.graph([parts[1], parts[0]]))
    assert [end.name for end in model.graph.output] == ["s_1", "s_0"]


def test_numbered_results_make_way_for_names_of_ones_own():
    builder = GraphBuilder()
    x = builder.placeholder((4,), name="x")
    y = ops.exp(builder.placeholder((2,), name="s_1"))
    parts = ops.split(x, sections=2)
    model = to_model(builder.graph([*parts, y * parts[1]]))
    ends = [end.name for end in model.graph.output]
    assert ends[:2] == ["s_0", "s_1_1"]
    given = {"x": np.arange(4.0), "s_1": np.zeros(2)}
    results = by_reference(model, [given[one.name] for one in model.graph.input])
    np.testing.assert_array_equal(results[2], [2.0, 3.0])


def test_an_input_that_is_an_output_is_copied():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="x")
    w = builder.variable(np.ones(2), name="w")
    model = to_model(builder.graph([x, w, x, x * 2.0, x * 3.0, w]))
    assert kinds(model).count("Identity") == 4
    ends = [end.name for end in model.graph.output]
    assert len(set(ends)) == len(ends)
    results = by_reference(model, [np.array([1.0, 2.0])])
    np.testing.assert_array_equal(results, [[1, 2], [1, 1], [1, 2], [2, 4], [3, 6], [1, 1]])


def test_an_output_that_is_a_constant():
    builder = GraphBuilder()
    named = builder.constant([1.0, 2.0], name="c")
    plain = builder.constant([1.0, 2.0])
    model = to_model(builder.graph([named, plain, plain]))
    assert kinds(model) == ["Constant", "Constant", "Identity", "Identity"]
    assert model.graph.output[0].name == "c"
    for found in by_reference(model, []):
        np.testing.assert_array_equal(found, [1, 2])


def test_equal_constants_are_written_once():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="x")
    model = to_model(builder.graph([(x * 2.0 + 2.0) / 2.0]))
    assert kinds(model) == ["Constant", "Mul", "Add", "Div"]


def test_names_of_ones_own_are_never_taken_by_what_is_made_on_the_way():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="y/Abs")
    y = builder.placeholder((2,), name="constant")
    z = builder.placeholder((2,), name="sizes/N")
    model = to_model(builder.graph([ops.norm(x, order=3), ops.gate(y, z)]))
    names = [name for node in model.graph.node for name in node.output]
    assert not {"y/Abs", "constant", "sizes/N"} & set(names)
    by_reference(model, [np.ones(2)] * 3)


def test_names_that_occur_twice_are_told_apart():
    builder = GraphBuilder()
    x, y = (builder.placeholder((2,), name="x") for _ in range(2))
    model = to_model(builder.graph([x - y]))
    assert [given.name for given in model.graph.input] == ["x", "x1"]


def test_the_inputs_of_a_graph_may_be_anything():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="x")
    first, second = ops.split(ops.exp(x), sections=2)
    whole = builder.graph([ops.concat(second, first) * 2.0])
    (split,) = [node for node in whole.nodes if node.operator.name == "split"]
    later = [node for node in whole.nodes if node.operator.name not in ("input", "exp", "split")]
    cut = Graph(split.edges, (split, *later), whole.outputs)
    with pytest.raises(GraphError):  # a graph that nothing can check is refused
        to_model(cut)


def test_an_eager_graph():
    x, w = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0], requires_grad=True)
    y = (x * w + 1.0).sum()
    from cgkit.order import topological_order

    graph = recorded([y.edge], topological_order(y.edge.node))
    (found,) = by_reference(to_model(graph), [np.array([1.0, 2.0]), np.array([3.0, 4.0])])
    np.testing.assert_allclose(found, 13.0)


def test_an_empty_graph():
    model = to_model(GraphBuilder().graph([]))
    assert (len(model.graph.node), len(model.graph.output)) == (0, 0)


def test_a_chain_of_many_nodes():
    builder = GraphBuilder()
    y = x = builder.placeholder((), name="x")
    for _ in range(3000):
        y = y + x
    model = to_model(builder.graph([y]))
    assert len(model.graph.node) == 3000


def test_gradients_of_a_network_with_an_open_batch():
    builder = GraphBuilder()
    x = builder.placeholder((None, 1, 6, 6), name="x")
    w = builder.variable(np.random.default_rng(0).normal(size=(2, 1, 3, 3)), name="w")
    v = builder.variable(np.random.default_rng(1).normal(size=(8, 3)), name="v")
    h = ops.max_pool(ops.relu(ops.conv2d(x, w)), kernel=2)
    y = ops.log_softmax(ops.matmul(ops.flatten(h, 1), v))
    loss = ops.mean(y * y)
    graph = builder.graph([loss, *gradients(loss, [w, v, x])])
    images = np.random.default_rng(2).normal(size=(5, 1, 6, 6))
    for found, expected in zip(
        by_reference(to_model(graph), [images]), run(graph, images), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_a_network_for_images_of_any_size(images_of_any_size):
    graph, step, given = images_of_any_size
    assert str(graph.outputs[0].type) == "float32[N, 4, (H + 1)//16 + 1, (W + 1)//16 + 1]"
    model = to_model(graph)
    back = load(model)
    assert back.outputs[0].shape == graph.outputs[0].shape
    for arrays in given:
        expected = [x.data for x in step(*(Tensor(x, requires_grad=True) for x in arrays))]
        for ours, theirs in zip(run(graph, *arrays), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        for found in (run(back, *arrays), by_reference(model, arrays)):
            for ours, theirs in zip(found, expected, strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_an_operator_set_is_chosen(net):
    assert to_model(net, opset=21).opset_import[0].version == 21
    assert to_model(net, opset=21).ir_version == 10
    with pytest.raises(OnnxError, match="operator sets 21 to 28 of ONNX, not 9"):
        to_model(net, opset=9)


def test_names_that_no_file_holds():
    builder = GraphBuilder()
    graph = builder.graph([builder.placeholder((2,), name="\ud800") * 2.0])
    with pytest.raises(OnnxError, match="is no name that a model can have"):
        to_model(graph)
    with pytest.raises(OnnxError, match="5 is no name"):
        to_model(builder.graph([]), name=5)


def test_an_open_size_that_nothing_tells():
    builder = GraphBuilder()
    n, m = Dim("N"), Dim("M")
    x = builder.placeholder((n * m,), name="x")
    y = ops.reshape(x, shape=(n, m))
    with pytest.raises(OnnxError, match=r"(?s)N cannot be read off.*M\*N.*at node  reshape\(x\)"):
        to_model(builder.graph([y]))


def test_one_input_twice():
    node = source(INPUT, TensorType((2,), "float64"), name="x")
    with pytest.raises(GraphError, match="x is an input of the graph twice"):
        to_model(Graph((node.edges[0], node.edges[0]), (node,), node.edges))


def test_a_graph_that_breaks_its_rules():
    node = Node(ops.exp, (Edge(None, 0, (2,), np.dtype("float64")),), {})
    with pytest.raises(GraphError):
        to_model(Graph((), (node,), ()))
    with pytest.raises(GraphError, match="expected a Graph, got int"):
        to_model(3)


def test_numbers_beyond_what_a_model_holds(net, monkeypatch):
    assert held_bytes(net) == 4 * 6 + 4 * 2
    monkeypatch.setattr(exporter, "LARGEST", 31)
    with pytest.raises(OnnxError, match=r"(?s)32 bytes, and a model holds 31.*save\(graph, path\)"):
        to_model(net)
