"""Bodies of functions: the model's own before ONNX's, in the version that fits."""

import numpy as np
import pytest
from onnx import helper
from onnx.parser import parse_model

from cgkit.onnx.functions import own_body, schema_of, standard_body, stands_for_more
from cgkit.onnx.reading import open_model

FLOAT = np.dtype("float32")


def operators(body):
    return [node.op_type for node in body.nodes]


def test_the_body_of_an_operator():
    node = helper.make_node("HardSwish", ["x"], ["y"])
    body = standard_body(node, "", {"": 14}, [(FLOAT, (2,))])
    assert operators(body) == ["HardSigmoid", "Mul"]
    assert list(body.inputs) == ["X"]


def test_a_body_says_for_which_version_it_is_written():
    node = helper.make_node("Softplus", ["x"], ["y"])
    assert standard_body(node, "", {"": 15}, [(FLOAT, (2,))]).opsets[""] == 18


def test_a_body_may_depend_on_the_node():
    plain = helper.make_node("Gelu", ["x"], ["y"])
    rough = helper.make_node("Gelu", ["x"], ["y"], approximate="tanh")
    assert "Erf" in operators(standard_body(plain, "", {"": 21}, [(FLOAT, (2,))]))
    assert "Tanh" in operators(standard_body(rough, "", {"": 21}, [(FLOAT, (2,))]))


def test_a_body_of_another_operator_set_uses_onnx_operators():
    node = helper.make_node("FlexAttention", ["q", "k", "v"], ["y"], domain="ai.onnx.preview")
    types = [(FLOAT, (1, 2, 3, 4))] * 3
    body = standard_body(node, "ai.onnx.preview", {"": 26, "ai.onnx.preview": 1}, types)
    assert body.opsets[""] >= 13
    assert body.opsets["ai.onnx.preview"] == 1


def test_what_stands_for_nothing_has_no_body():
    assert standard_body(helper.make_node("Conv", ["x", "w"], ["y"]), "", {"": 18}, []) is None
    assert standard_body(helper.make_node("Unheard", ["x"], ["y"]), "", {"": 18}, []) is None
    assert stands_for_more(helper.make_node("Gelu", [], []), "", 20)
    assert not stands_for_more(helper.make_node("Gelu", [], []), "", 19)
    assert not stands_for_more(helper.make_node("Conv", [], []), "", 18)
    assert schema_of("Unheard", "", 18) is None


def test_defaults_of_attributes_are_known():
    body = standard_body(helper.make_node("Elu", ["x"], ["y"]), "", {"": 18}, [(FLOAT, (2,))])
    assert body.defaults["alpha"].f == 1.0


@pytest.mark.parametrize("domain", ["d", ""])
def test_a_function_of_the_model_itself(domain):
    model = open_model(
        parse_model(f"""<ir_version: 8, opset_import: ["": 13, "d": 1]>
        g (float[2] x) => (float[2] y) {{ y = {domain or "d"}.f(x) }}
        <domain: "d", opset_import: ["": 17]> f (a) => (b) {{ b = Neg(a) }}""")
    )
    body = own_body(model, model.proto.graph.node[0])
    assert operators(body) == ["Neg"]
    assert body.opsets == {"": 17, "d": 1}
    assert own_body(model, helper.make_node("f", ["x"], ["y"], domain="other")) is None
