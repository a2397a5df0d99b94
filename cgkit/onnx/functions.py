"""What an ONNX operator stands for: the body of a function, made of simpler operators.

    Gelu(x) ─ a function of the model itself, or ONNX's own for this version ─> Body: nodes

Some of ONNX's bodies depend on the node: on its attributes, on which inputs it has, on their types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cgkit.errors import OnnxError
from cgkit.onnx.dtypes import as_number
from cgkit.onnx.reading import Model, key_of, opsets_of
from cgkit.types import Shape


@dataclass(frozen=True, eq=False)
class Body:
    """The nodes that a function stands for."""

    inputs: Sequence[str]
    outputs: Sequence[str]
    nodes: Sequence[Any]
    opsets: Mapping[str, int]
    defaults: Mapping[str, Any]
    """Values of attributes that the caller need not give."""
    attributes: frozenset[str] | None = None
    """All that a caller may give; None where that has been checked already."""


def own_body(model: Model, node: Any) -> Body | None:
    """Give the body of the model's own function of a node's name, or None."""
    function = model.functions.get(key_of(node))
    if function is None:
        return None
    opsets = {**model.opsets, **opsets_of(function.opset_import, model.proto.ir_version)}
    defaults = {attribute.name: attribute for attribute in function.attribute_proto}
    known = frozenset((*function.attribute, *defaults))
    return replace(_body(function, opsets, defaults), attributes=known)


def stands_for_more(node: Any, domain: str, opset: int) -> bool:
    """Say whether ONNX defines an operator by a function body."""
    schema = schema_of(node.op_type, domain, opset)
    return schema is not None and (
        schema.has_function or schema.has_context_dependent_function
    )  # fmt: skip


def standard_body(
    node: Any, domain: str, opsets: Mapping[str, int], types: Sequence[tuple[Any, Shape] | None]
) -> Body | None:
    """Give ONNX's own body of an operator, or None where it has none.

    Parameters
    ----------
    node
        A NodeProto, its attributes without references.
    domain
        The operator set it is of.
    opsets
        The versions that the model asks for.
    types
        The dtype and shape of each input; None for one that is left out.
    """
    import onnx

    opset = opsets.get(domain, 0)
    schema = schema_of(node.op_type, domain, opset)
    if schema is None:
        return None
    content = b""
    if schema.has_function:
        version = _version(schema.function_opset_versions, opset)
        content = schema.get_function_with_opset_version(version)
    if not content and schema.has_context_dependent_function:
        version = _version(schema.context_dependent_function_opset_versions, opset)
        given = [_type_proto(found) for found in types]
        try:
            content = schema.get_context_dependent_function_with_opset_version(
                version, node.SerializeToString(), given
            )
        except RuntimeError as error:  # ONNX writes some bodies as text, out of the node's names
            raise OnnxError(
                f"{node.op_type}: ONNX cannot say what this node stands for", why=str(error)
            ) from None
    if not content:
        return None
    function = onnx.FunctionProto()
    function.ParseFromString(content)
    own = {entry.domain: entry.version for entry in function.opset_import}
    defaults = {
        name: attribute.default_value
        for name, attribute in schema.attributes.items()
        if attribute.default_value.name
    }
    return _body(function, {**opsets, domain: version, **own}, defaults)


def schema_of(operator: str, domain: str, opset: int) -> Any:
    """Give what ONNX knows of an operator in a version, or None."""
    from onnx import defs

    try:
        return defs.get_schema(operator, opset, domain)
    except defs.SchemaError:
        return None


def _version(versions: Sequence[int], opset: int) -> int:
    """Choose for which version to ask: bodies say themselves which operators they are made of."""
    return max((known for known in versions if known <= opset), default=min(versions))


def _body(function: Any, opsets: Mapping[str, int], defaults: Mapping[str, Any]) -> Body:
    return Body(
        tuple(function.input), tuple(function.output), tuple(function.node), opsets, defaults
    )


def _type_proto(found: tuple[Any, Shape] | None) -> bytes:
    from onnx import TypeProto, helper

    if found is None:
        return bytes(TypeProto().SerializeToString())
    dtype, shape = found
    sizes = [size if isinstance(size, int) else str(size) for size in shape]
    return bytes(helper.make_tensor_type_proto(as_number(dtype), sizes).SerializeToString())
