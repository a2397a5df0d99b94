import pytest

from cgkit.errors import OnnxError
from cgkit.onnx.reading import read_model


def test_bytes_that_are_no_model_are_refused():
    with pytest.raises(OnnxError, match="no ONNX model"):
        read_model(b"\xff\xff\xff\xff")
