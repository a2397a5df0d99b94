import numpy as np
import pytest
from onnx import AttributeProto, GraphProto, helper, numpy_helper

from cgkit.errors import OnnxError
from cgkit.onnx.reading import Limits, read_attribute, type_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, 3), (0.5, 0.5), ("valid", "valid"), ([1, -1], (1, -1)), ([0.5, 2.0], (0.5, 2.0)),
        (["a", "b"], ("a", "b")),
    ],
)  # fmt: skip
def test_plain_values(given, expected):
    found = read_attribute(helper.make_attribute("a", given), Limits())
    assert found == expected
    assert type(found) is type(expected)


def test_tensors_are_arrays():
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    found = read_attribute(helper.make_attribute("t", numpy_helper.from_array(array)), Limits())
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("number", [AttributeProto.INTS, AttributeProto.FLOATS])
def test_a_list_may_be_empty(number):
    assert read_attribute(AttributeProto(name="a", type=number), Limits()) == ()


@pytest.mark.parametrize("written", [{"i": 0}, {}])
def test_a_number_may_be_zero_and_then_left_out(written):
    attribute = AttributeProto(name="a", type=AttributeProto.INT, **written)
    assert read_attribute(attribute, Limits()) == 0


def test_a_graph_is_given_as_it_is_and_several_are_not():
    found = read_attribute(helper.make_attribute("body", GraphProto(name="g")), Limits())
    assert found.name == "g"
    several = AttributeProto(name="bodies", type=AttributeProto.GRAPHS)
    several.graphs.add(name="g")
    assert "graphs" in read_attribute(several, Limits()).why


def test_the_first_models_leave_the_type_to_the_value():
    old = AttributeProto(name="axis", i=2)
    assert type_of(old) == AttributeProto.INT
    assert read_attribute(old, Limits()) == 2


@pytest.mark.parametrize(
    "attribute",
    [
        AttributeProto(name="a"),
        AttributeProto(name="a", type=AttributeProto.STRING, s=b"\xff"),
        AttributeProto(name="a", type=AttributeProto.STRINGS, strings=[b"ok", b"\xff"]),
        AttributeProto(name="a", type=AttributeProto.INT, f=1.0),
        AttributeProto(name="a", type=AttributeProto.INTS, i=1),
        AttributeProto(name="a", type=AttributeProto.INT, i=1, ints=[1]),
    ],
)
def test_what_is_none_is_refused(attribute):
    with pytest.raises(OnnxError, match="'a'"):
        read_attribute(attribute, Limits())


def test_a_tensor_whose_numbers_lie_beside_the_model(tmp_path):
    array = np.arange(3.0)
    (tmp_path / "numbers").write_bytes(array.tobytes())
    tensor = numpy_helper.from_array(array)
    tensor.ClearField("raw_data")
    tensor.data_location = 1
    tensor.external_data.add(key="location", value="numbers")
    attribute = helper.make_attribute("t", tensor)
    np.testing.assert_array_equal(read_attribute(attribute, Limits(), tmp_path), array)
    with pytest.raises(OnnxError, match="keeps data in another file"):
        read_attribute(attribute, Limits())
