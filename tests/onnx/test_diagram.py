"""ONNX models as graphs to be drawn: any model, whatever its operators."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.parser import parse_model

from cgkit import run, verify
from cgkit.conformance.light import NAMES, light, path_of
from cgkit.errors import OnnxError
from cgkit.graph import print_graph
from cgkit.onnx.diagram import diagram
from cgkit.order import verify_order
from cgkit.render import draw
from cgkit.render.fold import LEGIBLE


def value(name, shape=(1, 3, 8, 8), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def made(nodes, initializers=(), inputs=("x",), outputs=("y",), **more):
    graph = helper.make_graph(
        nodes, "g", [value(name) for name in inputs], [value(name, None) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in dict(initializers).items()],
    )  # fmt: skip
    return helper.make_model(graph, **more)


def convolution():
    r"""x ─► Conv(w, b) ─► y, where b is computed from what is known.

    raw ─► Abs ─► b
    """
    return made(
        [
            helper.make_node("Abs", ["conv1_b_0"], ["b"]),
            helper.make_node("Conv", ["x", "conv1_w_0", "b"], ["h"], strides=[2, 2], name="n3"),
            helper.make_node("Relu", ["h"], ["y"], name="/net/act/Relu_1"),
        ],
        {"conv1_w_0": np.zeros((4, 3, 3, 3), "f4"), "conv1_b_0": np.zeros(4, "f4")},
    )


def test_what_is_known_is_left_out_and_told_on_the_box():
    graph = diagram(convolution())
    assert print_graph(graph) == (
        "graph(x: float32[1, 3, 8, 8])\n"
        "  conv1 = Conv(x, stride=2, w=4x3x3x3)    float32[1, 4, 3, 3]\n"
        "  R = Relu(conv1)                         float32[1, 4, 3, 3]\n"
        "  return R"
    )
    conv, relu = graph.operators
    assert (conv.operator.label, conv.operator.family) == ("Conv 3x3", "matrix")
    assert (relu.scope, relu.name) == ("net/act", "")


def test_with_weights_all_is_there():
    graph = diagram(convolution(), weights=True)
    assert [node.operator.name for node in graph.nodes] == [
        "input", "variable", "variable", "Abs", "Conv", "Relu",
    ]  # fmt: skip
    assert len(graph.operators[1].inputs) == 3
    assert graph.operators[1].params == {"stride": "2"}


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_light_models_become_graphs(name, weights):
    graph = diagram(path_of(name), weights=weights)
    verify_order(graph.nodes)
    assert len(graph.inputs) == len(graph.outputs) == 1
    stated = {node.op_type for node in light(name).graph.node}
    assert {node.operator.name for node in graph.operators} == stated - (
        {"ConstantOfShape", "Unsqueeze"} - ({*stated} if weights else set())
    )
    assert all(isinstance(size, int) for node in graph.nodes for size in node.results[0].shape)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_of_the_light_models_are_small_and_always_the_same(name):
    first, second = (draw(diagram(path_of(name)), most=LEGIBLE).source for _ in range(2))
    assert first == second
    assert 8 < first.count("label=<<b>") < LEGIBLE


def test_a_dense_network_is_drawn_in_its_blocks():
    source = draw(diagram(path_of("densenet121")), most=LEGIBLE).source
    for words in ("conv2_1 … conv2_6", "conv3_1 … conv3_12", "conv4_1 … conv4_24", "56 x 56"):
        assert words in source


def test_it_cannot_be_run_and_says_what_can():
    graph = diagram(convolution())
    with pytest.raises(OnnxError, match="stands here only to be drawn") as raised:
        run(graph, np.zeros((1, 3, 8, 8), "f4"))
    assert "cgkit.onnx.load" in raised.value.attempt
    with pytest.raises(OnnxError):
        verify(graph)


def test_operators_that_nobody_knows_are_drawn():
    model = made(
        [
            helper.make_node("Mine", ["x"], ["h", "unread"], domain="mine"),
            helper.make_node("RandomNormal", [], ["r"], shape=[2]),
            helper.make_node("Add", ["h", "r"], ["y"]),
        ],
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)],
    )
    graph = diagram(model)
    assert [node.operator.name for node in graph.operators] == ["Mine", "RandomNormal", "Add"]
    assert [len(node.results) for node in graph.operators] == [1, 1, 1]
    assert "…" in draw(graph).source


def test_what_a_graph_within_reads_is_drawn_as_read():
    """An If reads from outside what its branches do: without these arrows Clip would go nowhere."""
    graph = diagram(branching())
    clip, branch = graph.operators
    assert [edge.node.name or edge.node.operator.name for edge in branch.inputs] == ["c", "Clip"]
    assert branch.params == {"else_branch": "2 nodes", "then_branch": "1 nodes"}
    assert [edge.node for edge in clip.inputs] == [graph.inputs[0].node] * 2


def branching():
    return parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        f (float[3] x, bool c) => (float[3] y) {
          a = Clip(x, , x)
          y = If (c) <
            then_branch = g () => (float[3] p) { p = Identity(a) },
            else_branch = h () => (float[3] q) { k = Neg(a) q = Neg(k) }
          >
        }""")


def test_an_output_that_is_known_or_given_is_drawn_too():
    model = made([helper.make_node("Relu", ["x"], ["y"])], {"w": np.zeros(2, "f4")},
                 outputs=("y", "x", "w"))  # fmt: skip
    graph = diagram(model)
    assert [edge.node.operator.name for edge in graph.outputs] == ["Relu", "input", "variable"]
    assert "output 2" in draw(graph).source


def test_what_is_read_and_never_made_is_an_error():
    with pytest.raises(OnnxError, match="'h'"):
        diagram(made([helper.make_node("Relu", ["h"], ["y"])]))
    with pytest.raises(OnnxError):
        diagram(b"no model")


def test_scopes_of_exporters_are_kept():
    nodes = []
    for number in range(120):
        name = f"/encoder/layer.{number // 10}/block/Relu_{number}"
        nodes.append(helper.make_node("Relu", [f"h{number}"], [f"h{number + 1}"], name=name))
    graph = diagram(made(nodes, inputs=("h0",), outputs=("h120",)))
    assert graph.operators[15].scope == "encoder/layer.1/block"
    source = draw(graph, most=LEGIBLE).source
    assert "layer.11" in source
    assert source.count("label=<<b>") < LEGIBLE
