"""The attributes of a node as plain Python.

AttributeProto: axes, INTS, [0, 1] ─> (0, 1)        value, TENSOR ─> array        "valid" ─> str
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cgkit.errors import OnnxError
from cgkit.onnx.reading.limits import Limits
from cgkit.onnx.reading.tensors import read_tensor

FIELDS: Mapping[int, str] = {
    1: "f", 2: "i", 3: "s", 4: "t", 5: "g", 6: "floats", 7: "ints", 8: "strings", 9: "tensors",
    10: "graphs", 11: "sparse_tensor", 12: "sparse_tensors", 13: "tp", 14: "type_protos",
}  # fmt: skip
"""Where an attribute of each type keeps its value."""


class Refused:
    """Stands for an attribute that cgkit does not read; asking for it says why."""

    def __init__(self, why: str) -> None:
        self.why = why


def type_of(attribute: Any) -> int:
    """Give the type of an attribute; models of the first versions leave it to the value."""
    if attribute.type:
        return int(attribute.type)
    present = {field.name for field, _ in attribute.ListFields()}
    return next((number for number, field in FIELDS.items() if field in present), 0)


def read_attribute(attribute: Any, limits: Limits, folder: Path | None = None) -> Any:
    """Give the value of an attribute as plain Python; a graph as it is.

    Parameters
    ----------
    attribute
        An attribute of a node.
    limits
        What the model may ask for.
    folder
        Where the model lies; a tensor may keep its numbers in a file there.

    Raises
    ------
    OnnxError
        It has no type, or is text that cannot be read.

    Examples
    --------
    >>> from onnx import helper
    >>> read_attribute(helper.make_attribute("axes", [0, 1]), Limits())
    (0, 1)
    """
    number = type_of(attribute)
    if number not in FIELDS:
        raise OnnxError(f"the attribute {attribute.name!r} has no type")
    values = {field.name for field, _ in attribute.ListFields()} & set(FIELDS.values())
    if values - {FIELDS[number]}:  # one that is missing is 0, as some writers leave zeros out
        raise OnnxError(f"the attribute {attribute.name!r} holds another value than its type says")
    found = getattr(attribute, FIELDS[number])
    if number in (3, 8):
        try:
            return found.decode() if number == 3 else tuple(part.decode() for part in found)
        except UnicodeDecodeError:
            raise OnnxError(f"the attribute {attribute.name!r} is no readable text") from None
    if number == 4:
        return read_tensor(found, limits, folder)
    if number == 9:
        return tuple(read_tensor(part, limits, folder) for part in found)
    if number in (6, 7):
        return tuple(found)
    return found if number in (1, 2, 5) else Refused(f"cgkit reads no {FIELDS[number]}")
