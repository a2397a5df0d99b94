"""What is known of a model's tensors before it runs."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.parser import parse_model

from cgkit.onnx.inferred import UNKNOWN, as_type, known_types, without_weights


def model(body, given="float[N, 3] x", made="float[M, K] y", opset=13):
    return parse_model(
        f'<ir_version: 8, opset_import: ["": {opset}]> f ({given}) => ({made}) {body}'
    )


def test_open_sizes_keep_their_names():
    known = known_types(model("{ z = Transpose(x) y = MatMul(x, z) }"))
    assert str(known["z"]) == "float32[3, N]"
    assert str(known["y"]) == "float32[M, K]"


def test_shapes_are_found_through_arithmetic_on_small_constants():
    known = known_types(model("{ s = Constant <value_ints = [3, -1]> () z = Reshape(x, s) "
                              "y = Relu(z) }", given="float[4, 6] x"))  # fmt: skip
    assert str(known["z"]) == "float32[3, 8]"


def with_initializer(array):
    return helper.make_model(
        helper.make_graph(
            [helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 100])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(array, "w")],
        )
    )  # fmt: skip


def test_weights_have_types_and_are_not_copied():
    made = with_initializer(np.zeros((100, 100), np.float32))
    slim = without_weights(made)
    assert slim.ByteSize() < 500 < made.ByteSize()
    assert str(known_types(made)["w"]) == "float32[100, 100]"
    assert str(known_types(made)["y"]) == "float32[2, 100]"


def test_what_nobody_knows_is_said_to_be_unknown():
    known = known_types(foreign())
    assert "z" not in known
    assert str(known["x"]) == "float32[?, 3]"
    assert str(known["y"]) == str(UNKNOWN)


def foreign():
    """A model with an operator of which ONNX knows nothing."""
    return helper.make_model(
        helper.make_graph(
            [helper.make_node("Own", ["x"], ["z"], domain="own"),
             helper.make_node("Relu", ["z"], ["y"])], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        ),
        opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("own", 1)],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        (helper.make_tensor_type_proto(TensorProto.INT8, []), "int8[]"),
        (helper.make_tensor_type_proto(TensorProto.BFLOAT16, [2]), "bfloat16[2]"),
        (helper.make_tensor_type_proto(TensorProto.STRING, [2]), "object[2]"),
        (helper.make_tensor_type_proto(99, [2]), "object[2]"),
        (helper.make_tensor_type_proto(TensorProto.FLOAT, [-1, "n", None]), "float32[?, n, ?]"),
        (helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, [2])), "object[…]"),
    ],
)
def test_any_type_can_be_written(stated, shown):
    assert str(as_type(stated)) == shown


def test_broken_shapes_leave_what_is_declared():
    known = known_types(model("{ z = MatMul(x, x) y = Relu(z) }", given="float[2, 3] x"))
    assert str(known["x"]) == "float32[2, 3]"
    assert "z" not in known
