"""A graph and its way back as two graphs, with what goes from the one to the other.

    forward:   inputs                      ─> outputs, kept
    backward:  inputs, kept, gradients     ─> a gradient for each wanted input

`kept` is what the way back reads of the way there. It is stored, so that nothing is computed twice;
of the inputs the way back gets those that it reads, and those that alone tell it an open size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cgkit.graph import Graph
from cgkit.interpret import replay, symbols
from cgkit.node import CONSTANT, Edge, Node
from cgkit.order import topological_order
from cgkit.static import extract
from cgkit.symbolic import GraphBuilder, Value
from cgkit.symbolic.differentiation import pull
from cgkit.types import Dim, TensorType


@dataclass(frozen=True, eq=False)
class Halves:
    """A graph that can be gone back through."""

    forward: Graph
    """Its outputs are the graph's, then what is kept."""
    backward: Graph
    """Its inputs are those of `read`, what is kept, a gradient for each of `given`, `sized`."""
    read: tuple[int, ...]
    """The inputs that the way back reads."""
    sized: tuple[int, ...]
    """The inputs of which it needs sizes alone."""
    kept: tuple[TensorType, ...]
    """The types of what is kept."""
    given: tuple[int, ...]
    """The outputs whose gradients it takes: those that a gradient can go back from."""
    wanted: tuple[int, ...]
    """The inputs whose gradients it gives: those that some output was computed from."""


def halves(graph: Graph, wanted: Sequence[int]) -> Halves:
    """Split the computation of a graph and of its gradients.

    Parameters
    ----------
    graph
        What goes forward.
    wanted
        The numbers of the inputs whose gradients are wanted; floating ones.

    Examples
    --------
    >>> from cgkit import TensorType, ops, trace
    >>> graph = trace(lambda x: ops.exp(x) * 2.0, TensorType((3,), "float64")).graph
    >>> parts = halves(graph, [0])
    >>> print(parts.backward)
    graph(i: float64[3], g: float64[3])
      p = mul(g, 2.0)    float64[3]
      p1 = mul(p, i)     float64[3]
      return p1
    >>> print(parts.forward)
    graph(x: float64[3])
      e = exp(x)         float64[3]
      p = mul(e, 2.0)    float64[3]
      return p, e
    """
    builder = GraphBuilder()
    inputs = [
        builder.placeholder(
            edge.shape, edge.dtype, name="" if edge.node is None else edge.node.name
        )
        for edge in graph.inputs
    ]
    outputs = replay(graph, inputs, constant=builder.constant)
    there = set(topological_order(*(x.node for x in (*inputs, *outputs))))
    reached = reached_from(graph, wanted)
    given = tuple(i for i, edge in enumerate(graph.outputs) if edge.key in reached)
    seeds = [builder.placeholder(outputs[i].shape, outputs[i].dtype, name="g") for i in given]
    starts = [(outputs[i], seed) for i, seed in zip(given, seeds, strict=True)]
    found = pull(builder, starts, [inputs[i] for i in wanted])
    wanted = [i for i, part in zip(wanted, found, strict=True) if part is not None]
    slopes = [part for part in found if part is not None]
    places = {x.edge.key: number for number, x in enumerate(inputs)}
    across = _read_across([x.edge for x in slopes], there)
    read = [edge for edge in across if edge.key in places]
    kept = [edge for edge in across if edge.key not in places]
    forward = builder.graph([*outputs, *(Value(edge, builder) for edge in kept)], inputs)
    ends, takes = [x.edge for x in slopes], [*read, *kept, *(seed.edge for seed in seeds)]
    sized = _sized(graph.inputs, extract(ends, takes).graph)
    back = extract(ends, [*takes, *(inputs[i].edge for i in sized)])
    return Halves(
        forward, back.graph, tuple(places[edge.key] for edge in read), sized,
        tuple(edge.type for edge in kept), given, tuple(wanted),
    )  # fmt: skip


def reached_from(graph: Graph, wanted: Sequence[int]) -> set[tuple[Node | None, int]]:
    """Give the keys of the tensors from which gradients go back to some inputs.

    Examples
    --------
    >>> from cgkit import TensorType, ops, trace
    >>> graph = trace(lambda x: (x * 2.0, x > 1.0, x.detach()), TensorType((), "float64")).graph
    >>> [edge.key in reached_from(graph, [0]) for edge in graph.outputs]
    [True, False, False]
    """
    found = {graph.inputs[i].key for i in wanted}
    for node in graph.nodes:
        rules = node.operator.gradient
        if rules is None:
            continue
        each = [rules] if callable(rules) else rules
        ways = (each[min(i, len(each) - 1)] for i in range(len(node.inputs)))
        if any(
            edge.key in found and way is not None
            for edge, way in zip(node.inputs, ways, strict=True)
        ):
            found |= {edge.key for edge in node.edges if edge.dtype.kind == "f"}
    return found


def _sized(inputs: Sequence[Edge], back: Graph) -> tuple[int, ...]:
    """Give the numbers of inputs that tell open sizes which the way back cannot know otherwise."""
    wanted = symbols(back)
    for edge in back.inputs:
        wanted -= _told(edge)
    found = []
    for number, edge in enumerate(inputs):
        if wanted & _told(edge):
            found.append(number)
            wanted -= _told(edge)
    return tuple(found)


def _told(edge: Edge) -> set[str]:
    """Give the symbols that can be read off a shape: those that stand in it by themselves."""
    sizes = (size for size in edge.shape if isinstance(size, Dim))
    return {symbol for size in sizes for symbol in size.symbols if size == Dim(symbol)}


def _read_across(ends: Sequence[Edge], there: set[Node]) -> list[Edge]:
    """Give the tensors of the way there that the way back reads."""
    back = topological_order(*(edge.node for edge in ends if edge.node is not None))
    found: dict[object, Edge] = {}
    reads = [edge for node in back if node not in there for edge in node.inputs]
    for edge in (*reads, *ends):
        if edge.node in there and edge.node.operator is not CONSTANT:
            found.setdefault(edge.key, edge)
    return list(found.values())
