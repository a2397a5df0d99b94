"""Read a model with distrust.

    path, bytes, ModelProto ─ open_model ─> Model: the ModelProto, its folder, limits, functions

What has been read can be walked: names are text, each is made once and before it is read, functions
do not call themselves, and operator sets are known.
"""

from __future__ import annotations

import graphlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from cgkit.errors import OnnxError
from cgkit.onnx.reading.files import read_file
from cgkit.onnx.reading.limits import Limits
from cgkit.onnx.reading.structure import (
    check_function,
    check_graph,
    check_text,
    depth_of,
    domain_of,
    opsets_of,
)

if TYPE_CHECKING:
    import onnx

Source: TypeAlias = Union[str, "os.PathLike[str]", bytes, "onnx.ModelProto", "Model"]
"""Where a model comes from: a file, its bytes, or the model itself."""
FunctionKey: TypeAlias = tuple[str, str, str]
"""Domain, name and overload of a function."""
DEFAULT = Limits()


@dataclass(frozen=True, eq=False)
class Model:
    """A model that has been checked."""

    proto: Any
    """The ModelProto."""
    opsets: Mapping[str, int]
    """The version of each operator set it asks for."""
    functions: Mapping[FunctionKey, Any]
    """Its own functions."""
    limits: Limits
    folder: Path | None
    """Where it lies; external data are looked for there."""


def read_model(source: Source, limits: Limits = DEFAULT) -> Any:
    """Read a model as a ModelProto, and check that it can be walked; see `open_model`."""
    return open_model(source, limits).proto


def open_model(source: Source, limits: Limits = DEFAULT) -> Model:
    """Read a model, and check that it can be walked.

    Parameters
    ----------
    source
        The path of a file, its bytes, or a ModelProto.
    limits
        What the model may ask for.

    Raises
    ------
    OnnxError
        There is no model there, it is broken, or it asks for more than the limits allow.
    """
    if isinstance(source, Model):
        return source
    if not isinstance(limits, Limits):
        raise OnnxError(f"limits are Limits, got {type(limits).__name__}", attempt="Limits()")
    return _checked(*_parsed(source, limits), limits)


def _parsed(source: Source, limits: Limits) -> tuple[Any, Path | None]:
    import onnx
    from google.protobuf.message import DecodeError

    if isinstance(source, onnx.ModelProto):
        return source, None
    folder = None
    if isinstance(source, bytes):
        content = source
        limits.check("file", len(content), "the bytes of the model")
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        content, folder = read_file(path, limits.file), path.parent
    else:
        raise OnnxError(
            f"no model can be read from {type(source).__name__}",
            attempt="a path, bytes, or an onnx.ModelProto",
        )
    named = f"{len(content):,} bytes" if folder is None else str(path)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError as error:
        if "depth" in str(error).lower():
            raise OnnxError(f"{named}: graphs lie within graphs too deep to be read") from None
        raise OnnxError(
            f"{named}: this is no ONNX model, or only a part of one",
            why="its bytes cannot be taken apart",
        ) from None
    return model, folder


def _checked(proto: Any, folder: Path | None, limits: Limits) -> Model:
    import onnx

    if not proto.HasField("graph"):
        raise OnnxError("there is no graph in the model: it is empty, or something else")
    if proto.ir_version > onnx.IR_VERSION:
        raise OnnxError(
            f"the model is of format version {proto.ir_version}",
            why=f"the package onnx that is installed knows versions up to {onnx.IR_VERSION}",
        )
    limits.check("nodes", len(proto.graph.node), "nodes of the model")
    for part in (proto.graph, *proto.functions):
        depth = depth_of(part.node, limits.depth)
        limits.check("depth", depth, "functions and graphs within each other")
    check_text(proto)
    opsets = opsets_of(proto.opset_import, proto.ir_version)
    check_graph(proto.graph)
    functions = dict(_functions(proto))
    _check_no_recursion(functions)
    return Model(proto, opsets, functions, limits, folder)


def key_of(node: Any) -> FunctionKey:
    """Give the key of the function that a node may stand for."""
    return domain_of(node.domain), node.op_type, node.overload


def _functions(proto: Any) -> Iterator[tuple[FunctionKey, Any]]:
    seen: set[FunctionKey] = set()
    for function in proto.functions:
        key = (domain_of(function.domain), function.name, function.overload)
        if key in seen:
            raise OnnxError(f"two functions of the model are called {function.name!r}")
        seen.add(key)
        check_function(function)
        yield key, function


def _check_no_recursion(functions: Mapping[FunctionKey, Any]) -> None:
    calls = {
        key: [called for node in function.node if (called := key_of(node)) in functions]
        for key, function in functions.items()
    }
    try:
        graphlib.TopologicalSorter(calls).prepare()
    except graphlib.CycleError as error:
        way = " -> ".join(repr(name) for _, name, _ in error.args[1])
        raise OnnxError(
            f"functions of the model call each other in a circle: {way}",
            why="what they stand for has no end",
        ) from None
