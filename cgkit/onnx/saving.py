"""Write a graph to a file as an ONNX model.

    save(graph, "net.onnx")     net.onnx                            up to 2 GB
                                net.onnx, net.onnx.2f81....data     the numbers beside it, beyond

A file that is there is replaced when the new one is whole, never before: a failed or interrupted
save leaves what was there, with its data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from cgkit.errors import OnnxError
from cgkit.files import replaced
from cgkit.graph import Graph, expect_graph
from cgkit.onnx.dtypes import as_number
from cgkit.onnx.exporter import LARGEST, held_arrays, held_bytes, written
from cgkit.onnx.exporting.schemas import NEWEST, check_opset
from cgkit.onnx.exporting.writer import stored_inside

if TYPE_CHECKING:
    from onnx import GraphProto, TensorProto

PAGE = 4096
"""Tensors beside a model begin at multiples of this, so that they can be mapped into memory."""


def save(
    graph: Graph,
    path: str | PathLike[str],
    *,
    opset: int = NEWEST,
    name: str = "cgkit",
    most: int = LARGEST,
) -> Path:
    """Write a graph to a file as an ONNX model.

    Parameters
    ----------
    graph
        What to write.
    path
        Where to. A model that is there is replaced at once when the new one is whole.
    opset, name
        See `to_model`.
    most
        How many bytes of numbers may stand in the model itself; if there are more, all go to a
        file beside it, named after the model and its numbers.

    Returns
    -------
    Path
        The file of the model.

    Raises
    ------
    OnnxError
        The graph cannot be written, see `to_model`; or the file cannot.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((2,), name="x")
    >>> save(builder.graph([x * 2.0]), "nowhere/net.onnx")
    Traceback (most recent call last):
    cgkit.errors.OnnxError: there is no folder 'nowhere'
      try      a folder that exists
    """
    file = Path(path)
    check_opset(opset)
    if not file.parent.is_dir():
        raise OnnxError(f"there is no folder {str(file.parent)!r}", attempt="a folder that exists")
    if file.is_dir():
        raise OnnxError(f"{str(path)!r} is a folder", attempt="the name of a file in it")
    if file.exists() and not file.is_file():  # a device would be gone for everybody
        raise OnnxError(f"{str(path)!r} is no plain file", attempt="another name")
    file = file.resolve()
    try:
        before = _data_of(file)
        if held_bytes(expect_graph(graph)) > most:
            _save_beside(graph, file, opset, name)
        else:
            model = written(graph, opset, name, stored_inside)
            with replaced(file, lasting=True) as stream:
                stream.write(model.SerializeToString())
        for old in before - _data_of(file):
            old.unlink(missing_ok=True)
    except OSError as error:
        raise OnnxError(
            f"{str(path)!r} cannot be written: {error.strerror or error}",
            attempt="another name or folder",
        ) from None
    return file


def _save_beside(graph: Graph, file: Path, opset: int, name: str) -> None:
    """Write the numbers to a file of their own, then the model that says where they are."""
    data = file.with_name(f"{file.name}.{_digest(graph)}.data")
    with replaced(data, lasting=True) as stream:
        model = written(graph, opset, name, _Beside(stream, data.name))
    with replaced(file, lasting=True) as stream:
        stream.write(model.SerializeToString())


class _Beside:
    """Makes tensors whose numbers are written to a file beside the model."""

    def __init__(self, stream: BinaryIO, location: str) -> None:
        self.stream = stream
        self.location = location

    def __call__(self, array: np.ndarray, name: str) -> TensorProto:
        from onnx import TensorProto

        if array.nbytes < PAGE:
            return stored_inside(array, name)
        self.stream.write(b"\0" * (-self.stream.tell() % PAGE))
        tensor = TensorProto(
            name=name, dims=array.shape, data_type=as_number(array.dtype),
            data_location=TensorProto.EXTERNAL,
        )  # fmt: skip
        where = {"location": self.location, "offset": self.stream.tell(), "length": array.nbytes}
        for key, value in where.items():
            tensor.external_data.add(key=key, value=str(value))
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        self.stream.write(np.ascontiguousarray(little).data)
        return tensor


def _digest(graph: Graph) -> str:
    """Name the numbers of a graph: the same ones by the same name, others by another."""
    hashed = hashlib.sha256()
    for array in held_arrays(graph):
        hashed.update(f"{array.dtype.str}{array.shape}".encode())
        hashed.update(np.ascontiguousarray(array).data)
    return hashed.hexdigest()[:16]


def _data_of(file: Path) -> set[Path]:
    """Give the files that `save` has put beside the model that is there now."""
    made = re.compile(re.escape(file.name) + r"\.[0-9a-f]{16}\.data")
    beside = {path for path in file.parent.iterdir() if made.fullmatch(path.name)}
    if not beside or not file.is_file():
        return set()
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    model = ModelProto()
    try:
        model.ParseFromString(file.read_bytes())
    except DecodeError:  # no model: nothing beside it is known to be its own
        return set()
    named = {entry.value for tensor in _tensors(model.graph) for entry in tensor.external_data}
    return {path for path in beside if path.name in named}


def _tensors(graph: GraphProto) -> Iterator[TensorProto]:
    """Give the tensors that a graph of a model holds, and graphs of its nodes."""
    waiting = [graph]
    while waiting:
        found = waiting.pop()
        yield from found.initializer
        for attribute in (a for node in found.node for a in node.attribute):
            if attribute.HasField("t"):
                yield attribute.t
            if attribute.HasField("g"):
                waiting.append(attribute.g)
