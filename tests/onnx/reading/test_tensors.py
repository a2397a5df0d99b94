"""Tensors of a model as arrays: whatever they hold, and whatever they claim to hold."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from cgkit.errors import OnnxError
from cgkit.onnx.reading import Limits, read_tensor

DTYPES = [
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64", "bool",
]  # fmt: skip
EDGES = {"f": [0.0, -0.0, 1.5, np.inf, np.nan], "b": [True, False, True]}


def example(dtype):
    kind = np.dtype(dtype).kind
    if kind in EDGES:
        return np.array(EDGES[kind], dtype)
    known = np.iinfo(dtype)
    return np.array([known.min, 0, 1, known.max], dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_as_bytes(dtype):
    array = example(dtype)
    found = read_tensor(numpy_helper.from_array(array), Limits())
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_as_a_list(dtype):
    array = example(dtype)
    number = helper.np_dtype_to_tensor_dtype(array.dtype)
    found = read_tensor(helper.make_tensor("t", number, array.shape, array), Limits())
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
def test_shapes(shape):
    array = np.zeros(shape, np.float32)
    assert read_tensor(numpy_helper.from_array(array), Limits()).shape == shape


def test_any_byte_but_zero_is_true():
    tensor = TensorProto(dims=[3], data_type=TensorProto.BOOL, raw_data=b"\0\1\2")
    found = read_tensor(tensor, Limits())
    assert found.view(np.uint8).tolist() == [0, 1, 1]


def broken(**changes):
    fields = {"name": "w", "dims": [2, 3], "data_type": 1, "raw_data": bytes(24), **changes}
    return TensorProto(**fields)


@pytest.mark.parametrize(
    ("tensor", "match"),
    [
        (broken(dims=[2, -3]), "negative"),
        (broken(dims=[2, 4]), "holds 6 numbers"),
        (broken(dims=[]), "holds 6 numbers"),
        (broken(raw_data=bytes(23)), "no whole number"),
        (broken(data_type=0), "UNDEFINED"),
        (broken(data_type=77), "number 77"),
        (broken(data_type=TensorProto.STRING), "STRING"),
        (broken(data_type=TensorProto.COMPLEX64), "COMPLEX64"),
        (broken(dims=[2**40, 2**40]), "limits allow"),
        (broken(dims=[0, 2**62, 2**62], raw_data=b""), "cannot have the shape"),
        (broken(segment=TensorProto.Segment(begin=0, end=1)), "segments"),
        (broken(data_location=1), "which file"),
        (broken(float_data=[0.0] * 6), "two ways"),
    ],
)
def test_what_is_wrong_is_said_of_the_tensor(tensor, match):
    with pytest.raises(OnnxError, match=match):
        read_tensor(tensor, Limits())


def external(**said):
    tensor = TensorProto(name="w", dims=[3], data_type=1, data_location=TensorProto.EXTERNAL)
    for key, value in said.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


@pytest.mark.parametrize(
    ("number", "field", "value"),
    [("INT8", "int32_data", 300), ("UINT8", "int32_data", -1), ("UINT32", "uint64_data", 2**32)],
)
def test_a_number_that_its_type_has_not_is_refused(number, field, value):
    """A list of 32 or 64 bits may hold it; it would be another one in fewer bits."""
    tensor = TensorProto(name="w", dims=[2], data_type=getattr(TensorProto, number))
    getattr(tensor, field).extend([7, value])
    with pytest.raises(OnnxError, match=f"'w' holds {value}, which is no {number.lower()}"):
        read_tensor(tensor, Limits())


def test_numbers_of_another_file(tmp_path):
    array = np.array([1, 2, 3], "<f4")
    (tmp_path / "w.bin").write_bytes(b"head" + array.tobytes())
    tensor = external(location="w.bin", offset="4", length="12")
    np.testing.assert_array_equal(read_tensor(tensor, Limits(), tmp_path), array)
    tensor = external(location="w.bin", offset="4")
    np.testing.assert_array_equal(read_tensor(tensor, Limits(), tmp_path), array)


@pytest.mark.parametrize(
    "said",
    [
        {"location": "w.bin", "length": "8"}, {"location": "w.bin", "offset": "-4"},
        {"location": "w.bin", "offset": "9" * 30}, {"location": "w.bin", "offset": "\u0664"},
        {"offset": "0"}, {"location": "w.bin", "offset": "8"}, {"location": "none.bin"},
    ],
)  # fmt: skip
def test_a_wrong_place_is_refused(tmp_path, said):
    (tmp_path / "w.bin").write_bytes(bytes(16))
    with pytest.raises(OnnxError):
        read_tensor(external(**said), Limits(), tmp_path)
