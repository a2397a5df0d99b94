import numpy as np
import onnx
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx.dtypes import as_number, as_numpy


@pytest.mark.parametrize("name", ["FLOAT", "FLOAT16", "DOUBLE", "INT8", "UINT64", "BOOL"])
def test_types_are_those_of_onnx_both_ways(name):
    number = onnx.TensorProto.DataType.Value(name)
    assert as_numpy(number) == onnx.helper.tensor_dtype_to_np_dtype(number)
    assert as_number(as_numpy(number)) == number


@pytest.mark.parametrize(("number", "name"), [(8, "STRING"), (16, "BFLOAT16"), (999, "999")])
def test_a_type_that_cgkit_lacks_is_named(number, name):
    with pytest.raises(OnnxError, match=name):
        as_numpy(number)


def test_a_dtype_that_onnx_lacks_is_named():
    with pytest.raises(OnnxError, match="datetime64"):
        as_number(np.dtype("datetime64[s]"))
