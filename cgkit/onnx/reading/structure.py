"""Check that the nodes of a model can be walked in the order in which they stand.

    inputs, initializers ─> node ─> node ─> outputs      each name made once, before it is read

Names made twice, read but never made, or made only by what waits for them (a cycle) are refused,
each by its name. Nothing here looks at what operators mean.
"""

from __future__ import annotations

import graphlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from cgkit.errors import OnnxError

READ_AS_ONE = {"ai.onnx": ""}
"""Two names of one operator set."""


def domain_of(name: str) -> str:
    """Give the name of an operator set in one spelling.

    Examples
    --------
    >>> domain_of("ai.onnx"), domain_of("com.example")
    ('', 'com.example')
    """
    return READ_AS_ONE.get(name, name)


def opsets_of(entries: Iterable[Any], ir_version: int) -> dict[str, int]:
    """Give the version of each operator set that a model or function asks for.

    Raises
    ------
    OnnxError
        None is asked for, one twice, or a version of ONNX's own that does not exist yet.
    """
    from onnx.defs import onnx_opset_version

    found: dict[str, int] = {}
    for entry in entries:
        domain = domain_of(entry.domain)
        if domain in found:
            raise OnnxError(f"the operator set {domain or 'of ONNX'} is asked for twice")
        found[domain] = entry.version
    if not found and ir_version < 3:
        return {"": 1}  # the first models did not say
    if not found:
        raise OnnxError("the model does not say which operator set it uses")
    newest = onnx_opset_version()
    if not 1 <= found.get("", 1) <= newest:
        raise OnnxError(
            f"the model asks for version {found['']} of ONNX's operators",
            why=f"the package onnx that is installed knows 1 to {newest}",
            attempt="installing a newer package onnx" * (found[""] > newest),
        )
    return found


def check_text(message: Any) -> None:
    """Check that whatever should be text in a model is text.

    Raises
    ------
    OnnxError
        Some of it is no UTF-8.
    """
    waiting = [message]
    while waiting:
        for field, value in waiting.pop().ListFields():
            if field.type == field.TYPE_MESSAGE:
                waiting.extend([value] if hasattr(value, "ListFields") else value)
            elif field.type == field.TYPE_STRING:
                for text in [value] if isinstance(value, str | bytes) else value:
                    if isinstance(text, bytes):  # protobuf's way to give what it cannot decode
                        raise OnnxError(f"{text[:40]!r} in the model is no readable text")


def depth_of(nodes: Iterable[Any], most: int) -> int:
    """Count within how many graphs the innermost node lies; beyond `most` it is not counted on."""
    depth, level = 0, list(nodes)
    while depth <= most:
        level = [node for outer in level for graph in graphs_of(outer) for node in graph.node]
        if not level:
            break
        depth += 1
    return depth


def check_graph(graph: Any) -> None:
    """Check the nodes of a graph, and the graphs that they hold.

    Raises
    ------
    OnnxError
        A name is made twice, or read and not made.
    """
    _check_once("output", [x.name for x in graph.output])
    _check_inside(graph, frozenset())
    _check_references(graph.node, frozenset())


def _check_inside(graph: Any, around: Collection[str]) -> None:
    """Check a graph around which some names are known: those of the graph whose node holds it."""
    given: set[str] = set()
    for kind, names in (
        ("input", [x.name for x in graph.input]),
        ("initializer", [x.name for x in graph.initializer]),
    ):
        _check_once(kind, names)
        given.update(names)
    outputs = [x.name for x in graph.output]
    if not all(outputs):
        raise OnnxError("an output of the model has no name")
    if len(graph.sparse_initializer):
        raise OnnxError("the model has a sparse initializer, which cgkit does not read")
    _check_nodes(graph.node, given, outputs, around)


def check_function(function: Any) -> None:
    """Check the nodes of a function of the model.

    Raises
    ------
    OnnxError
        A name is made twice, or read and not made.
    """
    try:
        _check_once("input", function.input)
        _check_nodes(function.node, set(function.input), function.output)
        own = {*function.attribute, *(attribute.name for attribute in function.attribute_proto)}
        _check_references(function.node, own)
    except OnnxError as error:
        error.add_note(f"  in the function {function.name!r}")
        raise


def _check_once(kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name:
            raise OnnxError(f"an {kind} of the model has no name")
        if name in seen:
            raise OnnxError(f"two {kind}s of the model are called {name!r}")
        seen.add(name)


def _check_nodes(
    nodes: Sequence[Any],
    given: set[str],
    outputs: Sequence[str],
    around: Collection[str] = (),
) -> None:
    made = set(given)
    for node in nodes:
        if not node.op_type:
            raise OnnxError(f"the node {node_name(node)!r} has no operator")
        for name in node.input:
            if name and name not in made and name not in around:
                raise _missing(name, node, nodes)
        _check_held(node, made.union(around) if node.attribute else ())
        for name in filter(None, node.output):
            if name in made:
                raise OnnxError(
                    f"{name!r} is made twice",
                    why=f"the second time by {node.op_type} at node {node_name(node)!r}",
                )
            made.add(name)
        attributes = [attribute.name for attribute in node.attribute]
        if len(set(attributes)) < len(attributes):
            raise OnnxError(f"an attribute stands twice at the node {node_name(node)!r}")
    for name in outputs:
        if name not in made and name not in around:
            raise OnnxError(f"the output {name!r} is made by no node")


def _check_held(node: Any, around: Collection[str]) -> None:
    for graph in graphs_of(node):
        try:
            _check_inside(graph, around)
        except OnnxError as error:
            error.add_note(f"  in a graph of {node.op_type} at node {node_name(node)!r}")
            raise


def graphs_of(node: Any) -> Iterator[Any]:
    """Give the graphs among the attributes of a node."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _check_references(nodes: Iterable[Any], own: Collection[str]) -> None:
    """Demand that attributes refer to none but those of the function around them."""
    for node in nodes:
        for graph in graphs_of(node):
            _check_references(graph.node, own)
        for attribute in node.attribute:
            name = attribute.ref_attr_name
            if name and name not in own:
                raise OnnxError(
                    f"the attribute {attribute.name!r} of {node.op_type} at node "
                    f"{node_name(node)!r} refers to {name!r}, which no function around it has"
                )


def node_name(node: Any) -> str:
    """Give the name of a node, or that of its first output."""
    return str(node.name or next(filter(None, node.output), ""))


def _missing(name: str, node: Any, nodes: Sequence[Any]) -> OnnxError:
    """Say why an input is not there: never made, made too late, or a cycle."""
    reader = f"{node.op_type} at node {node_name(node)!r}"
    makers = {made: maker for maker in nodes for made in maker.output if made}
    if name not in makers:
        return OnnxError(f"{reader} reads {name!r}, which nothing makes")
    sorter = graphlib.TopologicalSorter(
        {made: [x for x in maker.input if x in makers] for made, maker in makers.items()}
    )
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        way = " -> ".join(map(repr, error.args[1]))
        return OnnxError(f"the model has a cycle: {way}", why="none of these can ever be made")
    return OnnxError(
        f"{reader} reads {name!r}, which is made only later",
        why="ONNX wants nodes in an order in which they can be computed",
    )
