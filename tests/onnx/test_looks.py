"""How nodes of ONNX models read in a picture."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from cgkit.onnx.looks import common_name, family_of, is_count, label_of, settings_of
from cgkit.render.palette import LOOKS
from cgkit.types import TensorType


def node(operator, **attributes):
    return helper.make_node(operator, ["x", "w"], ["y"], **attributes)


def test_every_operator_of_onnx_has_a_family_or_deals_with_other_things():
    others = {
        name for name in {schema.name for schema in onnx.defs.get_all_schemas()
                          if schema.domain == ""}
        if family_of(name) not in LOOKS
    }  # fmt: skip
    allowed = ("Sequence", "Optional", "String", "Regex", "Tf", "Constant", "Window", "Image",
               "Mel", "Rotary", "DynamicQuantize", "BitCast")  # fmt: skip
    assert {name for name in others if not any(word in name for word in allowed)} == set()


@pytest.mark.parametrize(
    ("attributes", "settings"),
    [
        ({"strides": [1, 1], "pads": [0, 0, 0, 0], "group": 1, "dilations": [1, 1]}, {}),
        ({"strides": [2, 2], "pads": [1, 1, 1, 1], "group": 4},
         {"groups": "4", "pad": "1", "stride": "2"}),
        ({"strides": [2, 1], "pads": [0, 1, 0, 0]}, {"pad": "[0, 1, 0, 0]", "stride": "2x1"}),
        ({"alpha": 0.123456, "mode": "linear", "axis": 0},
         {"alpha": "0.123", "axis": "0", "mode": "linear"}),
        ({"to": TensorProto.FLOAT16}, {"to": "float16"}),
        ({"alpha": 1.0, "beta": 1.0, "transB": 1, "keepdims": 1, "ceil_mode": 0}, {"transB": "1"}),
        ({"to": 77}, {"to": "77"}),
        ({"names": ["a"], "epsilon": 1e-5}, {}),
        ({"value": onnx.numpy_helper.from_array(np.zeros(3))}, {}),
    ],
)  # fmt: skip
def test_settings_are_short(attributes, settings):
    assert settings_of(node("Conv", **attributes), []) == settings


def test_graphs_within_are_counted():
    inner = helper.make_graph([node("Add"), node("Mul")], "g", [], [])
    assert settings_of(node("If", then_branch=inner), []) == {"then_branch": "2 nodes"}


def test_weights_tell_the_size_of_windows():
    types = [TensorType((64,), "float32"), TensorType((64, 3, 7, 7), "float32")]
    settings = settings_of(node("Conv"), types)
    assert settings == {"kernel": "7x7", "w": "64x3x7x7"}
    assert label_of(node("Conv"), settings) == "Conv 7x7"
    assert label_of(node("Relu"), {}) == "Relu"
    assert settings_of(node("Gemm"), [TensorType((10, 20), "float32")]) == {"w": "10x20"}
    assert settings_of(node("Mul"), types) == {}


def test_an_attribute_of_no_type_says_nothing():
    bare = node("Conv")
    bare.attribute.add(name="odd")
    bare.attribute.add(name="text", type=onnx.AttributeProto.STRING, s=b"\xff")
    assert settings_of(bare, []) == {"text": "�"}


@pytest.mark.parametrize("name", ["", "n1", "Conv_3", "Conv", "12", "_7"])
def test_counts_are_no_names(name):
    assert is_count(name, "Conv")


@pytest.mark.parametrize("name", ["conv1_a", "head", "a1b", "layer1/Conv_3"])
def test_names_are_none_of_counts(name):
    assert not is_count(name, "Conv")


@pytest.mark.parametrize(
    ("weights", "name"),
    [
        (["layer1.0.conv1.weight", "layer1.0.conv1.bias"], "layer1.0.conv1"),
        (["gpu_0/bn_s_0", "gpu_0/bn_b_0", "gpu_0/bn_rm_0", "gpu_0/bn_riv_0"], "gpu_0/bn"),
        (["a_w", "b_w"], ""),
        (["embedding"], "embedding"),
    ],
)
def test_weights_name_who_reads_them(weights, name):
    assert common_name(weights) == name
