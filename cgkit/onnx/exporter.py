"""Turn a graph into an ONNX model.

    Graph ─ to_model ─> ModelProto ─ save ─> model.onnx

    inputs      keep their names, an open size N becomes the dim_param "N"
    outputs     are called what the printed form calls them
    variables   are the model's parameters (initializers), constants are Constant nodes
    scopes      stand before the names of nodes: "encoder/attention/h1"

Only operators of ONNX's own domain are written, in one operator set. What each of ours becomes is
said in `exporting`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cgkit.errors import GraphError, OnnxError
from cgkit.graph import Graph, expect_graph, graphs_inside, names
from cgkit.node import Edge, Node
from cgkit.onnx.dtypes import as_number
from cgkit.onnx.exporting import formulas, reasons, rules
from cgkit.onnx.exporting.draft import write
from cgkit.onnx.exporting.open_sizes import note
from cgkit.onnx.exporting.schemas import NEWEST, check_opset
from cgkit.onnx.exporting.writer import Store, Term, Writer, stored_inside
from cgkit.order import verify
from cgkit.types import Dim

if TYPE_CHECKING:
    import onnx

Key = tuple[Node | None, int]
LARGEST = 2**31 - 2**24
"""How many bytes the tensors of one model may take, for it to be one message of protobuf."""


def to_model(graph: Graph, *, opset: int = NEWEST, name: str = "cgkit") -> onnx.ModelProto:
    """Write a graph as an ONNX model.

    Parameters
    ----------
    graph
        What to write.
    opset
        The operator set in which it is written; the newest that onnxruntime runs whole, if not
        said. An older one reaches older runtimes, and may need more nodes.
    name
        What the graph of the model is called.

    Returns
    -------
    onnx.ModelProto
        Its inputs, outputs and parameters are called what the printed form of the graph calls
        them.

    Raises
    ------
    OnnxError
        An operator cannot be written; it says which, at which node, and what to try. Or the
        parameters are more than a model holds, 2 GB.
    GraphError
        The graph is broken, or has one input twice.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None, 2), "float32", name="x")
    >>> model = to_model(builder.graph([(x * x).sum()]))
    >>> [node.op_type for node in model.graph.node]
    ['Mul', 'ReduceSum']
    """
    check_opset(opset)
    held = held_bytes(expect_graph(graph))
    if held > LARGEST:
        raise OnnxError(
            f"the parameters of this graph take {held:,} bytes, and a model holds {LARGEST:,}",
            attempt="save(graph, path), which puts them into a file beside the model",
        )
    return written(graph, opset, name, stored_inside)


def held_bytes(graph: Graph) -> int:
    """Count the bytes of a graph's variables and constants, those of graphs inside it too."""
    return sum(array.nbytes for array in held_arrays(graph))


def held_arrays(graph: Graph) -> Iterator[np.ndarray]:
    """Give the values of a graph's variables and constants, those of graphs inside it too."""
    waiting = [graph]
    while waiting:
        for node in waiting.pop().nodes:
            if node.value is not None:
                yield node.value
            waiting.extend(inside for _, inside in graphs_inside(node))


def written(graph: Graph, opset: int, name: str, store: Store) -> onnx.ModelProto:
    """Write a graph as a model whose tensors a function makes: inside of it, or beside it."""
    from onnx import helper

    verify(graph)
    taken = set(names(graph).values())
    _check_texts([name, *taken, *(node.scope for node in graph.nodes)])
    writer = Writer(opset, store, rules(), formulas(), reasons(), taken=taken)
    given = _inputs(graph, writer)
    terms = write(writer, graph, given)
    outputs = _outputs(graph, writer, terms, {term.name for term in given})
    inner = _inner(terms, {term.name for term in (*given, *outputs)})
    made = helper.make_graph(
        writer.nodes, name, [_info(term) for term in given], [_info(term) for term in outputs],
        [store(value, called) for called, value in writer.variables.items()],
        value_info=[_info(term) for term in inner],
    )  # fmt: skip
    sets = [helper.make_opsetid("", opset)]
    return helper.make_model(
        made, opset_imports=sets, producer_name="cgkit",
        ir_version=helper.find_min_ir_version_for(sets),
    )  # fmt: skip


def _check_texts(texts: Iterable[Any]) -> None:
    """Demand names that can be written to a file."""
    for text in texts:
        try:
            text.encode()
        except (AttributeError, UnicodeEncodeError):
            raise OnnxError(f"{text!r} is no name that a model can have") from None


def _inputs(graph: Graph, writer: Writer) -> list[Term]:
    called = names(graph)
    given: dict[Key, Term] = {}
    for edge in graph.inputs:
        if edge.key in given:
            raise GraphError(f"{_called(edge, called)} is an input of the graph twice")
        given[edge.key] = Term(_called(edge, called), edge.dtype, edge.shape)
        writer.taken.add(given[edge.key].name)
        note(writer, given[edge.key])
    return list(given.values())


def _called(edge: Edge, called: dict[Node, str]) -> str:
    """Name a tensor: as its node, with the number of the output where there are several."""
    assert edge.node is not None
    several = len(edge.node.results or ()) > 1
    return called[edge.node] + (f"_{edge.index}" if several else "")


def _outputs(graph: Graph, writer: Writer, terms: dict[Key, Term], used: set[str]) -> list[Term]:
    """Give the outputs, each by a name of its own; what has another name already is copied."""
    called = names(graph)
    outputs = []
    for edge in graph.outputs:
        assert edge.node is not None
        term, several = terms[edge.key], len(edge.node.results or ()) > 1
        wanted = term.name if several else called[edge.node]
        free = wanted not in used | writer.variables.keys()
        if term.name != wanted or not free:
            start = len(writer.nodes)
            (copy,) = writer.add("Identity", [term], [term.dtype], f"{wanted}_output")
            if free:
                writer.rename(start, copy.name, wanted)
            term = Term(wanted if free else copy.name, term.dtype, edge.shape)
        used.add(term.name)
        outputs.append(term)
    return outputs


def _inner(terms: dict[Key, Term], ends: set[str]) -> list[Term]:
    """Give the tensors whose types a reader of the model wants to know beside its ends."""
    found = {
        term.name: term for (node, _), term in terms.items()
        if node is not None and node.inputs and term.name not in ends
    }  # fmt: skip
    return list(found.values())


def _info(term: Term) -> Any:
    from onnx import helper

    shape = [str(size) if isinstance(size, Dim) else int(size) for size in term.shape or ()]
    return helper.make_tensor_value_info(term.name, as_number(term.dtype), shape)
