import numpy as np
import pytest

from cgkit import GraphBuilder, ops
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx import Limits
from cgkit.onnx.known import Room
from cgkit.onnx.step import Step


def test_a_missing_attribute_says_where():
    step = Step("n7", "Cast", opset=13)
    assert step.setting("saturate", 1) == 1
    with pytest.raises(OnnxError, match=r"Cast \(opset 13\) at node 'n7': .*'to'"):
        step.setting("to")


def test_an_unknown_value_names_the_inputs_it_depends_on():
    builder = GraphBuilder()
    x, y = (builder.placeholder((2,), "int64", name=name) for name in "xy")
    total = x + y
    step = Step("n", "Reshape", reads=("data", "shape"), operands=(None, total), builder=builder)
    with pytest.raises(UnknownValue, match="shape") as caught:
        step.known(total, "the shape")
    assert set(caught.value.inputs) == {"x", "y"}


def test_a_parameter_is_known():
    builder = GraphBuilder()
    w = builder.variable(np.array([1.0, 2.0]), name="w")
    np.testing.assert_array_equal(Step("n", "Resize").known(w, "the scales"), [1.0, 2.0])


def test_sizes_are_whole_numbers():
    step = Step("n", "Reshape")
    assert step.sizes(np.array([2, -1]), "the shape") == (2, -1)
    with pytest.raises(OnnxError, match="float64"):
        step.sizes(np.array([2.0]), "the shape")


def test_a_type_that_cgkit_lacks_says_where():
    with pytest.raises(OnnxError, match=r"'n'.*STRING"):
        Step("n", "Cast").dtype(8)


def test_a_value_that_depends_on_sizes_names_them():
    builder = GraphBuilder()
    x = builder.placeholder(("N", 3), "float32", name="x")
    step = Step("n", "Tile", builder=builder)
    half = ops.floor_div(step.shape(x), 2)
    with pytest.raises(UnknownValue, match="'N' as sizes=") as caught:
        step.known(half, "the repeats")
    assert caught.value.sizes == ("N",)
    assert caught.value.inputs == ()


def test_an_array_must_have_room():
    step = Step("n", "Range", room=Room(Limits(tensor=100)))
    step.allow((5, 5), "float32")
    with pytest.raises(OnnxError, match=r"'n' makes would take 200 bytes"):
        step.allow((5, 5), "float64")


def test_open_sizes_of_its_inputs_are_named():
    x = GraphBuilder().placeholder(("N", 3, "M"), "float32")
    error = Step("n", "LSTM", operands=(x, None)).open_sizes("it is unrolled where")
    assert error.sizes == ("M", "N")
    assert "it is unrolled where sizes are known" in str(error)
    assert Step("n", "LSTM", operands=(np.ones(2),)).open_sizes("why") is None
