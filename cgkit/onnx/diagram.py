"""An ONNX model as it stands in its file, to be drawn: a node for each node, nothing computed.

    Conv(x, w, b), Relu, ...  ─ diagram ─>  Graph of nodes "Conv", "Relu", ...  ─ draw ─> a picture

Any model can be drawn, also one whose operators cgkit does not have: a node has only the name of
its operator, its attributes in short words, and the shapes that ONNX itself infers. Such a graph
cannot be run; `cgkit.onnx.load` gives one that can.

What is known before the run (weights, and what is computed from them alone) is left out, unless it
is asked for; the shape of an operator's weights then stands on its box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cgkit.errors import OnnxError
from cgkit.graph import Graph, source
from cgkit.node import INPUT, VARIABLE, Edge, Extras, Node, Operator
from cgkit.onnx.inferred import UNKNOWN, known_types
from cgkit.onnx.looks import (
    common_name,
    family_of,
    is_count,
    is_weight,
    label_of,
    settings_of,
)
from cgkit.onnx.reading import Source, read_model
from cgkit.types import TensorType

if TYPE_CHECKING:
    import onnx


def diagram(model: Source, *, weights: bool = False) -> Graph:
    """Give an ONNX model as a graph to be drawn.

    Parameters
    ----------
    model
        A file, its bytes, or a ModelProto.
    weights
        Whether weights, and what is computed from them alone, are nodes of their own.

    Returns
    -------
    Graph
        One node for each node of the model. It can be drawn and its orders studied; not run.

    Raises
    ------
    OnnxError
        There is no model there, or a node reads what nothing gives.
    """
    return _Sketch(read_model(model), weights).graph()


class _Sketch:
    """Makes nodes of a model's nodes, in the order of the file."""

    def __init__(self, model: onnx.ModelProto, weights: bool) -> None:
        self.model = model.graph
        self.weights = weights
        self.types = known_types(model)
        self.edges: dict[str, Edge] = {}
        self.known: dict[str, str] = {}
        """For each tensor known before the run, the name of the weight that it is made of."""
        self.nodes: list[Node] = []
        self.read = Counter(name for node in self.model.node for name in reads_of(node))
        self.read.update(output.name for output in self.model.output)

    def graph(self) -> Graph:
        stored = [tensor.name for tensor in self.model.initializer]
        stored += [tensor.values.name for tensor in self.model.sparse_initializer]
        given = [value.name for value in self.model.input if value.name not in {*stored}]
        inputs = [self._source(INPUT, name) for name in given]
        for name in stored:
            self.known[name] = name
            if self.weights and self.read[name]:
                self._source(VARIABLE, name)
        for node in self.model.node:
            self._add(node)
        outputs = tuple(self._edge(output.name) for output in self.model.output)
        return Graph(tuple(inputs), tuple(self.nodes), outputs)

    def type_of(self, name: str) -> TensorType:
        return self.types.get(name, UNKNOWN)

    def _source(self, operator: Operator, name: str) -> Edge:
        node = source(operator, self.type_of(name), name=name)
        self.nodes.append(node)
        self.edges[name] = node.edges[0]
        return node.edges[0]

    def _edge(self, name: str) -> Edge:
        """Give the edge of a tensor; a known one is drawn after all where there must be one."""
        if name in self.edges:
            return self.edges[name]
        if name not in self.known:
            raise OnnxError(f"{name!r} is read, and nothing in the model gives it")
        return self._source(VARIABLE, name)

    def _add(self, node: Any) -> None:
        names = reads_of(node)
        made = [name for name in node.output if name]
        constant = node.op_type == "Constant" and not names
        # a node that reads nothing and is no constant draws random numbers, say
        if constant or (names and all(name in self.known for name in names)):
            origin = self.known[names[0]] if names else ""
            self.known.update((name, name if is_weight(name) else origin) for name in made)
            if not self.weights:
                return
        if constant:
            self._source(VARIABLE, node.output[0])
        else:
            self._record(node, names)

    def _record(self, node: Any, names: Sequence[str]) -> None:
        hidden = [] if self.weights else [name for name in names if name in self.known]
        inputs = tuple(self._edge(name) for name in names if name not in hidden)
        results = [self.type_of(name) for name in node.output]
        while len(results) > 1 and not self.read[node.output[len(results) - 1]]:
            results.pop()  # a mask that nobody reads, say
        scope, name = self._named(node, hidden)
        settings = settings_of(node, [self.type_of(name) for name in hidden])
        operator = _operator(node.op_type, label_of(node, settings))
        settings.pop("kernel", None)
        made = Node(operator, inputs, settings, (), Extras(name, scope, results=tuple(results)))
        self.nodes.append(made)
        self.edges.update(zip(node.output, made.edges, strict=False))

    def _named(self, node: Any, hidden: Sequence[str]) -> tuple[str, str]:
        """Give the scope and the name of a node: its own, or those of its weights."""
        if node.name and not is_count(node.name, node.op_type):
            *scope, name = [part for part in node.name.split("/") if part] or [""]
            return "/".join(scope), "" if is_count(name, node.op_type) else name
        return "", common_name([self.known[name] for name in hidden if is_weight(self.known[name])])


def reads_of(node: Any) -> list[str]:
    """Name what a node reads, also what graphs within it take from outside."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            own = {value.name for value in (*graph.input, *graph.initializer)}
            for inner in graph.node:
                names += [name for name in reads_of(inner) if name not in own]
                own.update(inner.output)
            names += [value.name for value in graph.output if value.name not in own]
    return list(dict.fromkeys(names)) if len(names) > len(node.input) else names


def _operator(name: str, label: str) -> Operator:
    """Make an operator that has a name and a look, and cannot compute."""

    def none(*operands: Any, **params: Any) -> Any:
        raise OnnxError(
            f"{name} stands here only to be drawn", attempt="cgkit.onnx.load(model), to run it"
        )

    return Operator(name, none, none, family=family_of(name), label=label)
