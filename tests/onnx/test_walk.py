"""The walk: functions in place, names kept, errors with their place."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.parser import parse_model
from onnx.reference import ReferenceEvaluator

from cgkit import onnx as ours
from cgkit import run
from cgkit.errors import OnnxError, ShapeError, UnknownValue
from cgkit.onnx.rules import rules

HEAD = '<ir_version: 10, opset_import: ["": 18, "d": 1]> '
X = np.array([[0.5, -1.5, 2.0], [3.0, -0.25, 0.0]], np.float32)


def both(text, **inputs):
    """Run a model as a graph and node by node; both must agree with ONNX's own evaluator."""
    model = parse_model(HEAD + text)
    graph = ours.load(model)
    found = run(graph, *inputs.values())
    evaluated = ours.evaluate(model, inputs)
    for output, a, b in zip(model.graph.output, found, evaluated.values(), strict=True):
        (expected,) = ReferenceEvaluator(model).run([output.name], inputs)
        for each in (a, b):
            np.testing.assert_allclose(each, expected, rtol=1e-6, atol=1e-6)
            assert each.dtype == expected.dtype
    return graph


@pytest.fixture
def without(monkeypatch):
    """Take rules away, so that their operators are walked as what they stand for."""

    def take(*names):
        kept = {name: rule for name, rule in rules().items() if name not in names}
        for module in ("walk", "inventory"):
            monkeypatch.setattr(f"cgkit.onnx.{module}.rules", lambda: kept)

    return take


@pytest.mark.parametrize("operator", ["HardSwish", "Softplus", "Mish", "Selu", "ThresholdedRelu"])
def test_onnx_defines_an_operator_by_others(operator, without):
    without(operator)
    both("g (float[N, 3] x) => (float[N, 3] y) { y = " + operator + "(x) }", x=X)


def test_a_function_of_the_model_with_attributes_and_functions_of_its_own():
    text = """g (float[N, 3] x) => (float[N, 3] y, float[N, 3] z)
        { y = d.f <alpha = 0.5> (x) z = d.f <alpha = 2.0> (y) }
        <domain: "d", opset_import: ["": 18]>
        h (a) => (b) { b = Neg(a) }
        <domain: "d", opset_import: ["": 18, "d": 1]>
        f <alpha> (a) => (b) { c = d.h(a) b = Elu <alpha: float = @alpha> (c) }"""

    def expected(x, alpha):  # ONNX's own evaluator has no attributes in functions of functions
        return np.where(-x > 0, -x, alpha * np.expm1(-x))

    y, z = run(ours.load(parse_model(HEAD + text)), X)
    np.testing.assert_allclose(y, expected(X, 0.5), rtol=1e-6)
    np.testing.assert_allclose(z, expected(expected(X, 0.5), 2.0), rtol=1e-6)


def test_an_attribute_of_a_function_may_have_a_default():
    model = parse_model(
        HEAD + "g (float[N, 3] x) => (float[N, 3] y) { y = d.f(x) }"
        '<domain: "d", opset_import: ["": 18]> f <slope: float = 0.25> (a) => (b)'
        "{ b = LeakyRelu <alpha: float = @slope> (a) }"
    )
    expected = np.where(X > 0, X, np.float32(0.25) * X)
    np.testing.assert_array_equal(run(ours.load(model), X)[0], expected)


def test_a_function_takes_no_attribute_that_it_does_not_have():
    text = """g (float[2] x) => (float[2] y) { y = d.f <other = 2> (x) }
    <domain: "d", opset_import: ["": 18]> f <k: int = 1> (a) => (b) { b = Neg(a) }"""
    with pytest.raises(OnnxError, match=r"d\.f .* has no attribute 'other'"):
        ours.load(parse_model(HEAD + text))


def test_a_function_may_leave_out_inputs():
    both("g (float[N, 3] x, float m) => (float[N, 3] y) { y = Clip(x, , m) }", x=X, m=X[0, 0])


def test_outputs_and_inputs_keep_their_names():
    graph = ours.load(
        parse_model(HEAD + "g (float[N] x) => (float[N] y) { a = HardSwish(x) y = Add(a, x) }")
    )
    assert [edge.node.name for edge in graph.inputs] == ["x"]
    assert [edge.node.name for edge in graph.outputs] == ["y"]
    assert {"a", "y"} <= {node.name for node in graph.nodes}


def test_the_nodes_of_a_function_stand_in_a_scope():
    model = parse_model(
        HEAD + "g (float[N] x) => (float[N] y) { y = d.f(x) }"
        '<domain: "d", opset_import: ["": 18]> f (a) => (c) { b = Neg(a) c = Abs(b) }'
    )
    nodes = ours.load(model).operators
    assert [(node.scope, node.name) for node in nodes] == [("y", "y/b"), ("y", "y")]


def test_names_of_nodes_that_are_paths_become_scopes():
    model = parse_model(HEAD + "g (float[N] x) => (float[N] y) { y = Neg(x) }")
    model.graph.node[0].name = "/encoder/layer.0/Neg"
    assert [node.scope for node in ours.load(model).operators] == ["encoder/layer.0"]


def test_an_error_says_at_which_node():
    model = parse_model(HEAD + "g (float[2] x, float[3] w) => (float[2] y) { y = Add(x, w) }")
    with pytest.raises(OnnxError, match=r"Add \(opset 18\) at node 'y'.*broadcast"):
        ours.load(model)


def test_an_error_inside_a_function_says_the_way():
    model = parse_model(
        HEAD + 'g (float[2] x, float[3] w) => (float[2] y) { y = d.f(x, w) }'
        '<domain: "d", opset_import: ["": 18]> f (a, b) => (c) { c = Add(a, b) }'
    )  # fmt: skip
    with pytest.raises(OnnxError, match=r"Add \(opset 18\) at node 'y/c'"):
        ours.load(model)


def test_a_value_that_decides_a_shape_must_be_known():
    model = parse_model(
        HEAD + "g (float[N, 3] x, int64[1] n) => (float[M] y) { y = Reshape(x, n) }"
    )
    with pytest.raises(UnknownValue, match="'n'") as caught:
        ours.load(model)
    assert caught.value.inputs == ("n",)
    graph = ours.load(model, known={"n": np.array([-1])})
    np.testing.assert_array_equal(run(graph, X)[0], X.ravel())


def test_an_operator_must_give_what_the_node_names():
    node = helper.make_node("BatchNormalization", ["x", *"sbmv"], ["y", "mean"], training_mode=1)
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in "sbmv"]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
    node.output.extend(["var", "more"])
    model = helper.make_model(helper.make_graph([node], "g", [x, *given], [y]))
    with pytest.raises(OnnxError, match="outputs"):
        ours.load(model)


@pytest.mark.parametrize(
    "text",
    [
        "g (float[N, 1000000000000] x) => (float[N, A] y) { y = Neg(x) }",
        "g (float[N] x) => (float[A, B] y) <int64[2] s = {1000000000000, 1}> { y = Expand(x, s) }",
        "g (float[N, 1] x) => (float[A, B] y) <int64[2] s = {1, 1000000000000}> { y = Tile(x, s) }",
    ],
)
def test_a_value_that_no_memory_holds_is_refused(text):
    with pytest.raises(OnnxError, match="would take 4,000,000,000,000 bytes"):
        ours.load(parse_model(HEAD + text))


def test_an_operator_that_is_younger_than_the_model_is_refused():
    head = '<ir_version: 3, opset_import: ["": 7]> '
    model = parse_model(head + "g (float[2] x) => (float[2] y) { y = Erf(x) }")
    with pytest.raises(OnnxError, match=r"Erf \(opset 7\) at node 'y': ONNX has no such operator"):
        ours.load(model)


def test_a_size_that_must_be_known_is_named():
    text = """g (float[1, 1, H, 5] x, float[1, 1, 1, 1] w) => (float[1, 1, A, 3] y)
        { y = Conv <strides = [2, 2], auto_pad = "SAME_UPPER"> (x, w) }"""
    model = parse_model(HEAD + text)
    with pytest.raises(
        UnknownValue, match=r"(?s)not known for an axis of H.*'H' as sizes="
    ) as caught:
        ours.load(model)
    assert caught.value.sizes == ("H",)
    assert ours.load(model, sizes={"H": 7}).outputs[0].shape == (1, 1, 4, 3)


def test_an_error_of_a_run_names_the_node_of_the_model():
    text = """g (float[N] x, int64[K] i, bool c) => (float[K] y) {
        [first] h = Neg(x)
        [choice] y = If(c) <
            then_branch = t () => (float[K] a) { [inner] a = Gather(h, i) },
            else_branch = e () => (float[K] b) { b = Gather(x, i) }
        > }"""
    graph = ours.load(parse_model(HEAD + text))
    with pytest.raises(ShapeError, match="place 9 lies outside axis 0 of size 3") as caught:
        run(graph, np.ones(3, "float32"), np.array([9]), np.array(True))
    notes = "\n".join(caught.value.__notes__)
    assert "choice/a = index(h, i)   Gather 'choice/inner'" in notes
    assert notes.endswith("y = cond(c, h, i, x)   If 'choice'")


def test_a_body_that_onnx_gives_for_known_sizes_only():
    head = '<ir_version: 13, opset_import: ["": 27]> '
    text = "g (float[N, C, L] x, float[C, 1, 3] w) => (float[N, C, A] y) "
    model = parse_model(head + text + "{ y = CausalConvWithState(x, w) }")
    with pytest.raises(
        UnknownValue, match=r"CausalConvWithState .* where sizes are known"
    ) as error:
        ours.load(model)
    assert error.value.sizes == ("C", "L", "N")
    graph = ours.load(model, sizes={"C": 2, "L": 4})
    assert graph.inputs[0].shape[0].symbols == {"N"}
