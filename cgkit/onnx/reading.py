"""Read ONNX models.

path, bytes or ModelProto ─ read_model ─> ModelProto
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

from cgkit.errors import OnnxError
from cgkit.onnx.dtypes import as_numpy

if TYPE_CHECKING:
    import onnx

Source: TypeAlias = Union[str, Path, bytes, "onnx.ModelProto"]
"""Where a model comes from: a file, its bytes, or the model itself."""


def read_model(source: Source) -> onnx.ModelProto:
    """Read a model.

    Raises
    ------
    OnnxError
        There is no model there, or it is broken.
    """
    import onnx
    from google.protobuf.message import DecodeError

    if isinstance(source, onnx.ModelProto):
        return source
    content = source if isinstance(source, bytes) else Path(source).read_bytes()
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError as error:
        raise OnnxError("these bytes are no ONNX model", why=str(error)) from None
    return model


def read_tensor(tensor: Any) -> np.ndarray:
    """Give a tensor of a model as an array."""
    from onnx import numpy_helper

    as_numpy(tensor.data_type)
    return np.asarray(numpy_helper.to_array(tensor))


def read_attribute(attribute: Any) -> Any:
    """Give an attribute of a node as plain Python."""
    import onnx

    found = onnx.helper.get_attribute_value(attribute)
    if isinstance(found, bytes):
        return found.decode("utf-8")
    if isinstance(found, onnx.TensorProto):
        return read_tensor(found)
    if attribute.type == onnx.AttributeProto.STRINGS:
        return tuple(part.decode("utf-8") for part in found)
    return tuple(found) if attribute.type in (6, 7) else found
