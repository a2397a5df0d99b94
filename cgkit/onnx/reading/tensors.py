"""The tensors of a model as arrays: sizes are checked before anything is allocated.

TensorProto: dims [2, 3], type, and its numbers   as raw bytes        ─┐
                                                  as a list of numbers ─┼─> array (2, 3)
                                                  in another file      ─┘
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit.errors import OnnxError
from cgkit.onnx.dtypes import as_numpy
from cgkit.onnx.reading.files import read_external
from cgkit.onnx.reading.limits import Limits

_LISTS: Mapping[str, str] = MappingProxyType(
    {
        "float32": "float_data", "float64": "double_data", "int64": "int64_data",
        "uint32": "uint64_data", "uint64": "uint64_data",
    }
)  # fmt: skip
"""Where a tensor keeps its numbers if not as bytes; other types are in int32_data."""
_VALUES = frozenset((*_LISTS.values(), "int32_data", "string_data", "raw_data"))
EXTERNAL = 1


def read_tensor(tensor: Any, limits: Limits, folder: Path | None = None) -> np.ndarray:
    """Give a tensor of a model as an array.

    Parameters
    ----------
    tensor
        A TensorProto.
    limits
        What it may ask for.
    folder
        Where the model lies, for numbers in other files.

    Raises
    ------
    OnnxError
        Its type is none that cgkit has, its sizes are absurd, or its numbers are not as many as
        its shape says.

    Examples
    --------
    >>> from onnx import numpy_helper
    >>> read_tensor(numpy_helper.from_array(np.array([[1, 2]])), Limits())
    array([[1, 2]])
    """
    what = f"the tensor {tensor.name!r}"
    try:
        dtype = as_numpy(tensor.data_type)
    except OnnxError as error:
        raise OnnxError(f"{what}: {error.what}", why=error.why) from None
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape):
        raise OnnxError(f"{what} has a size that is negative: {shape}")
    if tensor.HasField("segment"):
        raise OnnxError(f"{what} is cut into segments, which nobody writes any more")
    if sum(field.name in _VALUES for field, _ in tensor.ListFields()) > 1:
        raise OnnxError(f"{what} holds its numbers in two ways at once")
    limits.check_tensor(what, shape, dtype.itemsize)
    count = math.prod(shape)
    if tensor.data_location == EXTERNAL:
        flat = _from_bytes(_external(tensor, count * dtype.itemsize, folder), dtype)
    elif tensor.HasField("raw_data"):
        flat = _from_bytes(tensor.raw_data, dtype)
    else:
        flat = _from_list(tensor, dtype, what)
    if flat.size != count:
        raise OnnxError(f"{what} holds {flat.size:,} numbers; its shape {shape} has {count:,}")
    try:
        return flat.reshape(shape)
    except ValueError as error:  # no elements, and yet sizes beyond NumPy's
        raise OnnxError(f"{what} cannot have the shape {shape}", why=str(error)) from None


def _from_bytes(content: bytes, dtype: np.dtype) -> np.ndarray:
    whole = len(content) - len(content) % dtype.itemsize
    if whole != len(content):
        raise OnnxError(f"{len(content):,} bytes are no whole number of {dtype} elements")
    if dtype == np.bool_:  # any byte but 0 is true; NumPy would keep the byte
        return np.asarray(np.frombuffer(content, np.uint8) != 0)
    return np.frombuffer(content, dtype.newbyteorder("<")).astype(dtype, copy=False)


def _from_list(tensor: Any, dtype: np.dtype, what: str) -> np.ndarray:
    field = _LISTS.get(dtype.name, "int32_data")
    numbers = getattr(tensor, field)
    wide = {"int32_data": "int64", "uint64_data": "uint64"}.get(field, dtype.name)
    given = np.array(numbers, wide)
    if dtype == np.float16:  # its bits, as whole numbers
        return np.asarray(given.astype(np.uint16).view(np.float16))
    found: np.ndarray = given.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(found, given):
        raise OnnxError(f"{what} holds {given[found != given][0]}, which is no {dtype}")
    return found


def _external(tensor: Any, length: int, folder: Path | None) -> bytes:
    said = {entry.key: entry.value for entry in tensor.external_data}
    if "location" not in said:
        raise OnnxError(f"the tensor {tensor.name!r} does not say which file holds its numbers")
    if _number(said.get("length", str(length))) != length:
        raise OnnxError(
            f"the tensor {tensor.name!r} takes {length:,} bytes, "
            f"not the {said['length']} that it asks for"
        )
    return read_external(folder, said["location"], _number(said.get("offset", "0")), length)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        raise OnnxError(f"{text[:40]!r} is no number of bytes")
    return int(text)
