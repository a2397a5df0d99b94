"""A whole graph as one value that never changes, and its printed form.

    graph(x: float32[N, 784], W: float32[784, 10])
      y = matmul(x, W)    float32[N, 10]
      z = relu(y)         float32[N, 10]
      return z

A Graph names its inputs, its nodes in an order that can be run (each after what it reads, sources
first seen first), and its outputs. A pass takes a Graph and gives another; nothing edits one.
A branch or the body of a loop is a Graph, too: a param of the node that runs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cgkit.errors import GraphError, OperandError
from cgkit.node import CONSTANT, INPUT, SOURCES, VARIABLE, Edge, Extras, Node
from cgkit.types import TensorType, weak_dtype


@dataclass(frozen=True, eq=False)
class Graph:
    """A computational graph.

    Parameters
    ----------
    inputs
        The edges whose values are given when the graph runs, in order.
    nodes
        Every node, sources included, each after the nodes it reads.
    outputs
        The edges whose values the graph gives, in order.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((3,), name="x")
    >>> print(builder.graph([(x + 1.0) * 2.0]))
    graph(x: float64[3])
      s = add(x, 1.0)    float64[3]
      p = mul(s, 2.0)    float64[3]
      return p
    """

    inputs: tuple[Edge, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Edge, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Values of open sizes that its inputs need not tell: a branch or a body is told by the run of
    the graph around it."""

    @property
    def consumers(self) -> dict[Node, list[Node]]:
        """For each node, the nodes that read it, once for each time they do."""
        readers: dict[Node, list[Node]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for producer in node.producers:
                readers[producer].append(node)
        return readers

    @property
    def operators(self) -> tuple[Node, ...]:
        """The nodes that compute: all but the sources."""
        return tuple(node for node in self.nodes if node.operator not in SOURCES)

    def __str__(self) -> str:
        return print_graph(self)

    def __repr__(self) -> str:
        return (
            f"<Graph of {len(self.nodes)} nodes, {len(self.inputs)} inputs, "
            f"{len(self.outputs)} outputs>"
        )


def expect_graph(thing: Any) -> Graph:
    """Give a graph back, or say how to come by one.

    Raises
    ------
    GraphError
        It is something else.

    Examples
    --------
    >>> expect_graph(3)
    Traceback (most recent call last):
    cgkit.errors.GraphError: expected a Graph, got int
      try      builder.graph([value]), or .graph of a trace
    """
    if isinstance(thing, Graph):
        return thing
    raise GraphError(
        f"expected a Graph, got {type(thing).__name__}",
        attempt="builder.graph([value]), or .graph of a trace",
    )


def expect_name(name: Any) -> str:
    """Give a name back, or say that it is none.

    Raises
    ------
    OperandError
        It is no text.
    """
    if not isinstance(name, str):
        raise OperandError(f"a name is a text, not {name!r:.60}", attempt=f'"{name!s:.20}"')
    return name


def expect_node(thing: Any) -> Node:
    """Give a node back, or say how to come by one.

    Raises
    ------
    GraphError
        It is something else.
    """
    if isinstance(thing, Node):
        return thing
    raise GraphError(
        f"expected a Node, got {type(thing).__name__}",
        attempt="value.node, or a node of graph.nodes",
    )


def source(
    operator: Any,
    result: TensorType,
    *,
    name: str = "",
    scope: str = "",
    value: np.ndarray | None = None,
) -> Node:
    """Make an input, constant or variable.

    Examples
    --------
    >>> source(INPUT, TensorType((2,), "float32"), name="x").edges[0]
    <edge x:0 float32[2]>
    """
    if value is not None:
        value.flags.writeable = False  # graphs never change, whoever gets hold of the array
    return Node(operator, (), {}, (), Extras(name, scope, value, (result,)))


def constant(value: Any, dtype: np.dtype | None = None) -> Node:
    """Make a constant of an array or a number, which is copied, in a dtype if one is given.

    Examples
    --------
    >>> constant(2.0).value
    array(2.)
    """
    array = np.array(value, dtype)
    return source(CONSTANT, TensorType(array.shape, array.dtype), value=array)


def graphs_inside(node: Node) -> tuple[tuple[str, Graph], ...]:
    """Give the graphs that a node holds, each with the name of the param: "then", "branches[0]"."""
    found: list[tuple[str, Graph]] = []
    for name, param in node.params.items():
        if isinstance(param, Graph):
            found.append((name, param))
        elif isinstance(param, tuple):
            parts = enumerate(param)
            found += [(f"{name}[{i}]", part) for i, part in parts if isinstance(part, Graph)]
    return tuple(found)


def names(graph: Graph, outside: Collection[str] = ()) -> dict[Node, str]:
    """Give each node a name of its own: the author's, or a letter of its operator and a number.

    Parameters
    ----------
    graph
        Any graph.
    outside
        Names around a graph that lies inside another: a node without a name gets none of them.

    Examples
    --------
    >>> x, y = source(INPUT, TensorType((), "f8"), name="x"), source(INPUT, TensorType((), "f8"))
    >>> list(names(Graph(x.edges + y.edges, (x, y), y.edges)).values())
    ['x', 'i']
    """
    taken = {node.name for node in graph.nodes if node.name} | {*outside}
    given: set[str] = set()
    result = {}
    counts: dict[str, int] = {}
    for node in graph.nodes:
        stem = node.name or _letter(node)
        name = stem
        while name in given or (name in taken and name != node.name):
            counts[stem] = counts.get(stem, 0) + 1
            name = f"{stem}{counts[stem]}"
        given.add(name)
        result[node] = name
    return result


_LETTERS = {"add": "s", "sub": "d", "mul": "p", "div": "q"}


def _letter(node: Node) -> str:
    return _LETTERS.get(node.operator.name, node.operator.name[0])


def print_graph(graph: Graph) -> str:
    """Write a graph as text: its inputs, one line a node, and what it returns.

    Returns
    -------
    str
        Constants that are single numbers stand where they are used; graphs inside a node stand
        below it.

    Examples
    --------
    >>> from cgkit import GraphBuilder, cond, ops
    >>> x = GraphBuilder().placeholder((), name="x")
    >>> y = cond(x > 0.0, lambda x: ops.log(x), lambda x: x * 2.0, x)
    >>> print(x.builder.graph([y]))
    graph(x: float64[])
      g = greater(x, 0.0)    bool[]
      c1 = cond(g, x)        float64[]
        then(x: float64[])
          l = log(x)    float64[]
          return l
        otherwise(x: float64[])
          p = mul(x, 2.0)    float64[]
          return p
      return c1
    """
    return "\n".join(_lines("graph", graph, frozenset()))


def _lines(head: str, graph: Graph, outside: frozenset[str]) -> list[str]:
    called = names(graph, outside)
    given = {edge.key for edge in graph.inputs}
    heads = [f"{called[e.node]}: {e.type}" for e in graph.inputs if e.node is not None]
    rows = []
    for node in graph.nodes:
        if (node, 0) in given or _inlined(node):
            continue
        below = [
            line for name, inner in graphs_inside(node)
            for line in _lines(name, inner, outside.union(called.values()))
        ]  # fmt: skip
        rows.append((f"{called[node]} = {_right_side(node, called)}", _types(node), below))
    width = max((len(left) for left, _, _ in rows), default=0)
    lines = [f"{head}({', '.join(heads)})"]
    for left, right, below in rows:
        lines.append(f"  {left:<{width}}    {right}")
        lines += [f"    {line}" for line in below]
    lines.append("  return " + ", ".join(show_edge(edge, called) for edge in graph.outputs))
    return lines


def _inlined(node: Node) -> bool:
    single = node.value is not None and node.value.size == 1
    return node.operator is CONSTANT and not node.name and single


def _right_side(node: Node, called: Mapping[Node, str]) -> str:
    if node.operator in (VARIABLE, CONSTANT, INPUT):
        return node.operator.name
    operands = [show_edge(edge, called) for edge in node.inputs]
    operands += [f"{key}={show_param(value)}" for key, value in plain_params(node).items()]
    return f"{node.operator.name}({', '.join(operands)})"


def _types(node: Node) -> str:
    return ", ".join(str(result) for result in node.results or ())


def plain_params(node: Node) -> dict[str, Any]:
    """Give a node's params without graphs, and without sizes that stand in the types of results."""
    graphs = {name.partition("[")[0] for name, _ in graphs_inside(node)}
    hidden = graphs | {*node.operator.tells}
    return {name: param for name, param in node.params.items() if name not in hidden}


def show_param(value: Any) -> str:
    """Write a param in one short word."""
    if isinstance(value, Graph):
        return repr(value)
    return value.name if isinstance(value, np.dtype) else str(value)


def show_edge(edge: Any, called: Mapping[Node, str]) -> str:
    """Name an edge as the printed form does: its node, and which output when there are several."""
    if not isinstance(edge, Edge):
        return str(edge)
    if edge.node is None:
        return f"untracked {edge.type}"
    if _inlined(edge.node) and edge.node.value is not None:
        return str(edge.node.value.reshape(-1)[0].item())
    several = edge.node.results is not None and len(edge.node.results) > 1
    return called[edge.node] + (f"[{edge.index}]" if several else "")


def recorded(outputs: Iterable[Edge], nodes: Iterable[Node]) -> Graph:
    """Make a Graph of what was recorded eagerly: leaves and untracked tensors become its inputs.

    Parameters
    ----------
    outputs
        The edges to keep.
    nodes
        All nodes that they need, each after what it reads.

    Returns
    -------
    Graph
        New nodes with known results; plain numbers and arrays have become constants.
    """
    outputs, nodes = tuple(outputs), tuple(nodes)
    types = _recorded_types(outputs, nodes)
    made: dict[Node, Node] = {}
    order: list[Node] = []
    inputs: list[Edge] = []
    unknown: dict[int, Edge] = {}

    def operand(x: Any, known: Sequence[np.dtype] = ()) -> Edge:
        if isinstance(x, Edge) and x.node is not None:
            return Edge(made[x.node], x.index, x.shape, x.dtype)
        if isinstance(x, Edge) and id(x) in unknown:
            return unknown[id(x)]
        node = source(INPUT, x.type) if isinstance(x, Edge) else constant(x, weak_dtype(x, known))
        order.append(node)
        if isinstance(x, Edge):
            inputs.append(node.edges[0])
            unknown[id(x)] = node.edges[0]
        return node.edges[0]

    for node in nodes:
        known = [x.dtype for x in node.inputs if isinstance(x, Edge)]
        edges = tuple(operand(x, known) for x in node.inputs)
        leaf = node.operator in SOURCES
        results = types[node]
        if node.operator.several:  # an output that nobody read left no trace of its type
            results = node.operator.types([edge.type for edge in edges], node.params)
        extras = Extras(node.name, node.scope, node.value, results)
        made[node] = Node(INPUT if leaf else node.operator, edges, node.params, (), extras)
        order.append(made[node])
        if leaf:
            inputs.append(made[node].edges[0])
    return Graph(tuple(inputs), tuple(order), tuple(operand(edge) for edge in outputs))


def _recorded_types(
    outputs: tuple[Edge, ...], nodes: tuple[Node, ...]
) -> dict[Node, tuple[TensorType, ...]]:
    seen: dict[Node, dict[int, TensorType]] = {node: {} for node in nodes}
    edges = [x for node in nodes for x in node.inputs if isinstance(x, Edge)]
    for edge in (*edges, *outputs):
        if edge.node is not None:
            seen[edge.node][edge.index] = edge.type
    nothing = TensorType((), "float64")
    return {
        node: tuple(found.get(i, nothing) for i in range(max(found, default=-1) + 1))
        for node, found in seen.items()
    }
