"""What ONNX says of its own operators: which dtypes they take, and since when there are any.

    takes("Exp", 28)          float16 float32 float64
    fitting("MatMul", int8)   int32: the smallest dtype that it takes and that holds all of int8

The schemas of the `onnx` package are asked; nothing of them is written down a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from cgkit.errors import OnnxError
from cgkit.onnx.dtypes import as_numpy
from cgkit.operators.settings import is_whole

if TYPE_CHECKING:
    from onnx.defs import OpSchema

NEWEST = 28
"""The newest operator set that is written: onnxruntime 1.32 and onnx 1.23 run all of it."""
OLDEST = 21
"""The oldest one: what begins later is said there in older words, or refused."""

WIDER: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "bool": ("uint8", "int32", "int64", "float32"),
    "int8": ("int32", "int64", "float32"), "uint8": ("int32", "int64", "float32"),
    "int16": ("int32", "int64", "float32"), "uint16": ("int32", "int64", "float32"),
    "int32": ("int64", "float64"), "uint32": ("int64", "float64"),
    "float16": ("float32",),
})  # fmt: skip
"""Dtypes that hold all numbers of one, the best first."""


def check_opset(opset: int) -> None:
    """Demand an operator set that models are written in; OnnxError for any other."""
    if not is_whole(opset) or not OLDEST <= opset <= NEWEST:
        raise OnnxError(
            f"cgkit writes the operator sets {OLDEST} to {NEWEST} of ONNX, not {opset!r}",
            attempt=f"opset={NEWEST}",
        )


@lru_cache(maxsize=1024)
def schema_of(operator: str, opset: int) -> OpSchema:
    """Give ONNX's own description of an operator as an operator set has it.

    Raises
    ------
    OnnxError
        There is no such operator, or it begins with a later operator set.
    """
    from onnx import defs

    try:
        return defs.get_schema(operator, opset, "")
    except defs.SchemaError:
        every = defs.get_all_schemas_with_history()
        known = [found for found in every if (found.name, found.domain) == (operator, "")]
    if not known:
        raise OnnxError(f"ONNX has no operator {operator}")
    begins = min(found.since_version for found in known)
    raise OnnxError(
        f"ONNX's operator {operator} begins with operator set {begins}, not {opset}",
        attempt=f"opset={begins}",
    )


@lru_cache(maxsize=4096)
def takes(operator: str, opset: int, place: int = 0) -> frozenset[np.dtype]:
    """Give the dtypes that an operator takes as its input at a place.

    Examples
    --------
    >>> sorted(map(str, takes("Exp", 28)))
    ['float16', 'float32', 'float64']
    """
    schema = schema_of(operator, opset)
    asked = schema.inputs[min(place, len(schema.inputs) - 1)].type_str
    named = {one.type_param_str: one.allowed_type_strs for one in schema.type_constraints}
    return frozenset(
        dtype for text in named.get(asked, [asked]) if (dtype := _dtype(text)) is not None
    )


def _dtype(text: str) -> np.dtype | None:
    """Give the dtype that a schema calls tensor(double); None for one that we have not."""
    from onnx import TensorProto

    name = text.removeprefix("tensor(").removesuffix(")").upper()
    try:
        return as_numpy(TensorProto.DataType.Value(name))
    except (ValueError, OnnxError):
        return None


def keeps_dtype(operator: str, opset: int) -> bool:
    """Whether the result of an operator has the dtype of its first operand.

    Examples
    --------
    >>> keeps_dtype("Add", 28), keeps_dtype("Less", 28)
    (True, False)
    """
    schema = schema_of(operator, opset)
    return bool(schema.inputs[0].type_str == schema.outputs[0].type_str)


def fitting(operator: str, dtype: np.dtype, opset: int = NEWEST) -> np.dtype:
    """Give the dtype in which an operator computes for one of ours: its own, or a wider one.

    Raises
    ------
    OnnxError
        It takes none that would hold all numbers of this one.

    Examples
    --------
    >>> fitting("MatMul", np.dtype("int8")), fitting("And", np.dtype("float32"))
    (dtype('int32'), dtype('bool'))
    """
    taken = takes(operator, opset)
    if taken == {np.dtype(bool)}:  # truth values are asked for: whether it is 0
        return np.dtype(bool)
    for name in (dtype.name, *WIDER.get(dtype.name, ())):
        if np.dtype(name) in taken:
            return np.dtype(name)
    raise OnnxError(f"ONNX's operator {operator} takes no {dtype}", attempt="a cast before it")
