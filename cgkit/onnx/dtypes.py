"""The element types of ONNX, by their numbers, as NumPy's.

    1 ─ as_numpy ─> float32        float32 ─ as_number ─> 1

Real numbers and truth values only: strings, complex numbers, and the types that NumPy does not have
(bfloat16, float8, int4, ...) are refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit.errors import OnnxError

_NUMBERS: Mapping[int, np.dtype] = MappingProxyType(
    {
        1: np.dtype("float32"), 2: np.dtype("uint8"), 3: np.dtype("int8"), 4: np.dtype("uint16"),
        5: np.dtype("int16"), 6: np.dtype("int32"), 7: np.dtype("int64"), 9: np.dtype("bool"),
        10: np.dtype("float16"), 11: np.dtype("float64"), 12: np.dtype("uint32"),
        13: np.dtype("uint64"),
    }
)  # fmt: skip


def as_numpy(number: int) -> np.dtype:
    """Give the dtype of an ONNX element type.

    Raises
    ------
    OnnxError
        It is none that cgkit computes with; the message names it.

    Examples
    --------
    >>> as_numpy(7)
    dtype('int64')
    """
    if number in _NUMBERS:
        return _NUMBERS[number]
    raise OnnxError(
        f"cgkit does not compute with elements of type {_called(number)}",
        why=f"it does with {', '.join(str(dtype) for dtype in _NUMBERS.values())}",
    )


def as_number(dtype: DTypeLike) -> int:
    """Give the ONNX element type of a dtype.

    Raises
    ------
    OnnxError
        ONNX has none for it.

    Examples
    --------
    >>> as_number("bool")
    9
    """
    wanted = np.dtype(dtype)
    for number, known in _NUMBERS.items():
        if known == wanted:
            return number
    raise OnnxError(f"ONNX has no element type {wanted}")


def declared_dtype(info: Any) -> np.dtype | None:
    """Give the dtype that an input or output of a model declares; None where it says nothing.

    Raises
    ------
    OnnxError
        It is no tensor, or one of elements that cgkit does not compute with.

    Examples
    --------
    >>> from onnx import helper
    >>> declared_dtype(helper.make_tensor_value_info("x", 1, [2]))
    dtype('float32')
    """
    kind = info.type.WhichOneof("value")
    if kind is None or (kind == "tensor_type" and not info.type.tensor_type.elem_type):
        return None
    if kind != "tensor_type":
        what = kind.removesuffix("_type").replace("_", " ")
        raise OnnxError(f"{info.name!r} is declared as {what}; cgkit has tensors only")
    try:
        return as_numpy(info.type.tensor_type.elem_type)
    except OnnxError as error:
        raise OnnxError(f"{info.name!r}: {error.what}", why=error.why) from None


def _called(number: int) -> str:
    from onnx import TensorProto

    names: dict[int, str] = {value: name for name, value in TensorProto.DataType.items()}
    return names.get(number, f"number {number}")
