"""What is known of a model's tensors without running it: their types, by name.

    declared shapes, small constants ─ ONNX's own inference ─> {"conv1": float32[1, 64, 112, 112]}

Sizes that nobody knows are written "?", and "…" stands for axes whose number is not known.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cgkit.types import Dim, Shape, Size, TensorType

if TYPE_CHECKING:
    import onnx

UNKNOWN = TensorType((Dim("…"),), "float32")
"""Stands for a tensor of which nothing is known."""

_NO_TENSOR = TensorType((Dim("…"),), object)
"""Stands for a sequence, a map, or nothing at all."""

_SMALL = 64
"""Elements of a constant that may be a shape, or part of one."""


def known_types(model: onnx.ModelProto) -> dict[str, TensorType]:
    """Give the type of every tensor of a model of which ONNX can tell it.

    Examples
    --------
    >>> from onnx.parser import parse_model
    >>> known_types(parse_model('''<ir_version: 8, opset_import: ["": 13]>
    ...     f (float[N, 3] x) => (float[3, M] y) { z = Transpose(x) y = Relu(z) }'''))
    {'x': float32[N, 3], 'z': float32[3, N], 'y': float32[3, M]}
    """
    import onnx

    slim = without_weights(model)
    try:
        graph = onnx.shape_inference.infer_shapes(slim, data_prop=True).graph
    except (onnx.shape_inference.InferenceError, RuntimeError, ValueError):
        graph = slim.graph  # what the model itself declares is still worth knowing
    stated = [*graph.input, *graph.value_info, *graph.output]
    return {value.name: as_type(value.type) for value in stated}


def without_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Copy a model without its large arrays: what remains is enough to infer shapes."""
    import onnx

    slim = onnx.ModelProto(ir_version=model.ir_version)
    slim.opset_import.extend(model.opset_import)
    slim.functions.extend(model.functions)
    slim.graph.name = model.graph.name
    for field in ("node", "input", "output", "value_info"):
        getattr(slim.graph, field).extend(getattr(model.graph, field))
    given = {value.name for value in slim.graph.input}
    for tensor in model.graph.initializer:
        here = tensor.data_location != onnx.TensorProto.EXTERNAL
        if here and math.prod(tensor.dims) <= _SMALL:
            slim.graph.initializer.append(tensor)
        if tensor.name not in given:
            slim.graph.input.append(
                onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
            )
    return slim


def as_type(stated: Any) -> TensorType:
    """Give the type that a model states for a value, as far as it does."""
    import onnx

    if stated.WhichOneof("value") is None:
        return UNKNOWN
    if not stated.HasField("tensor_type"):
        return _NO_TENSOR
    tensor = stated.tensor_type
    try:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    except KeyError:
        dtype = np.dtype(object)
    shape: Shape = tuple(map(_size, tensor.shape.dim))
    return TensorType(shape if tensor.HasField("shape") else UNKNOWN.shape, dtype)


def _size(dim: Any) -> Size:
    known = dim.WhichOneof("value")
    if known == "dim_value" and dim.dim_value >= 0:
        return int(dim.dim_value)
    return Dim(dim.dim_param if known == "dim_param" and dim.dim_param else "?")
