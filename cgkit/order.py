"""Orders in which a graph can be run, the check that a graph is sound, and rewriting.

        x ─┬─> a ─┐
           └─> b ─┴─> c          x a b c and x b a c: each node after all that it reads

No function here recurses, so chains of any length are walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cgkit.errors import CgkitError, CycleError, GraphError
from cgkit.graph import Graph, expect_graph, expect_node, graphs_inside, names, show_edge
from cgkit.node import INPUT, SOURCES, Edge, Extras, Node
from cgkit.types import TensorType


def topological_order(*roots: Node) -> list[Node]:
    """Order all nodes that the roots need, each after the nodes it reads.

    Parameters
    ----------
    roots
        The nodes whose ancestors are wanted, themselves included.

    Returns
    -------
    list of Node
        Depth first: operands from left to right, a root after its ancestors.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder((), name="x")
    >>> y = (x + 1.0) * x
    >>> [node.operator.name for node in topological_order(y.edge.node)]
    ['input', 'constant', 'add', 'mul']

    References
    ----------
    R. Tarjan, "Edge-disjoint spanning trees and depth-first search", Acta Informatica 6, 1976.
    """
    seen: set[Node] = set()
    order: list[Node] = []
    for root in roots:
        if expect_node(root) in seen:
            continue
        seen.add(root)
        node, rest = root, iter(root.inputs)
        waiting: list[Any] = []  # each node on the way here, and what it has yet to look at
        while True:
            for edge in rest:
                if edge.__class__ is Edge:
                    producer = edge.node
                    if producer is not None and producer not in seen:
                        seen.add(producer)
                        if producer.inputs:
                            waiting.append(node)
                            waiting.append(rest)
                            node, rest = producer, iter(producer.inputs)
                            break
                        order.append(producer)
            else:
                order.append(node)
                if not waiting:
                    break
                rest = waiting.pop()
                node = waiting.pop()
    return order


def verify_order(nodes: Iterable[Node]) -> None:
    """Check that each node stands once, and after all that it reads.

    Raises
    ------
    CycleError
        No order can be right, because some nodes wait for each other.
    GraphError
        A node stands twice, too early, or is missing.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder((), name="x")
    >>> y = x + x
    >>> verify_order([y.edge.node, x.edge.node])
    Traceback (most recent call last):
    cgkit.errors.GraphError: add stands before x, which it reads
      try      an order in which each node comes after its inputs
    """
    nodes = list(nodes)
    place: dict[Node, int] = {}
    for index, node in enumerate(nodes):
        if node in place:
            raise GraphError(f"{_called(node)} stands twice in the order")
        place[node] = index
    for index, node in enumerate(nodes):
        for producer in node.producers:
            if producer not in place:
                raise GraphError(f"{_called(node)} reads {_called(producer)}, which is not listed")
            if place[producer] >= index:
                raise _order_error(node, producer, place)


def _order_error(node: Node, producer: Node, place: dict[Node, int]) -> GraphError:
    cycle = find_cycle({n: list(n.producers) for n in place})
    if cycle:
        return CycleError([_called(n) for n in cycle])
    return GraphError(
        f"{_called(node)} stands before {_called(producer)}, which it reads",
        attempt="an order in which each node comes after its inputs",
    )


def _called(node: Node) -> str:
    return node.name or node.operator.name


def find_cycle(producers: dict[Any, Sequence[Any]]) -> list[Any]:
    """Find things that wait for each other.

    Parameters
    ----------
    producers
        For each thing, the things it waits for; things that are no key wait for nothing.

    Returns
    -------
    list
        One cycle, each entry waited for by the next and the last by the first; [] if there is none.

    Examples
    --------
    >>> find_cycle({"a": ["c"], "b": ["a"], "c": ["b"], "d": ["a"]})
    ['b', 'c', 'a']
    >>> find_cycle({"a": [], "b": ["a", "a"]})
    []
    """
    finished: set[Any] = set()
    for start in producers:
        path: list[Any] = []
        on_path: set[Any] = set()
        stack: list[tuple[Any, Any]] = []

        def enter(
            thing: Any, path: list[Any] = path, on_path: set[Any] = on_path, stack: Any = stack
        ) -> None:
            path.append(thing)
            on_path.add(thing)
            stack.append((thing, iter(producers.get(thing, ()))))

        if start not in finished:
            enter(start)
        while stack:
            thing, rest = stack[-1]
            for producer in rest:
                if producer in on_path:
                    return path[path.index(producer) :][::-1]
                if producer not in finished:
                    enter(producer)
                    break
            else:
                stack.pop()
                path.pop()
                on_path.discard(thing)
                finished.add(thing)
    return []


def verify(graph: Graph) -> None:
    """Check everything that a Graph promises, and the graphs inside its nodes.

    Raises
    ------
    GraphError
        A node stands too early, twice or is missing; an input is no source; an edge asks for an
        output that its node does not have, or claims a type that its node does not give; a source
        that must be given is not among the inputs.
    ShapeError, DtypeError
        The operands of a node do not fit its operator.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((2, 3))
    >>> verify(builder.graph([x + 1.0]))
    """
    unverified: list[tuple[Graph, tuple[str, ...]]] = [(expect_graph(graph), ())]
    seen = {graph}
    while unverified:
        inside, place = unverified.pop()
        try:
            _verify_one(inside)
        except CgkitError as error:
            for note in reversed(place):
                error.add_note(note)
            raise
        for node in inside.nodes:
            for name, found in graphs_inside(node):
                if found not in seen:
                    seen.add(found)
                    unverified.append((found, (*place, f"  in {name} of  {node_line(node)}")))


def _verify_one(graph: Graph) -> None:
    verify_order(graph.nodes)
    called = names(graph)
    known = set(graph.nodes)
    given = {edge.key for edge in graph.inputs}
    for edge in graph.inputs:
        if edge.node is None or edge.node not in known:
            raise GraphError(f"the input {edge} is not among the nodes")
    for node in graph.nodes:
        if node.operator is INPUT and (node, 0) not in given:
            raise GraphError(f"{called[node]} must be given, but is not among the inputs")
        _verify_node(node, called)
    for edge in graph.outputs:
        if edge.node not in known:
            raise GraphError(f"the output {edge} is not among the nodes")
        _verify_edge(edge, called)


def _verify_node(node: Node, called: dict[Node, str]) -> None:
    for edge in node.inputs:
        _verify_edge(edge, called)
    if node.operator in SOURCES:
        return
    expected = infer(node, [edge.type for edge in node.inputs])
    if node.results != expected:
        raise GraphError(
            f"{called[node]} claims {node.results}, but {node.operator.name} gives {expected}"
        )


def _verify_edge(edge: Any, called: dict[Node, str]) -> None:
    if not isinstance(edge, Edge) or edge.node is None:
        raise GraphError(f"{edge!r} is no output of a node")
    results = edge.node.results or ()
    if edge.index >= len(results):
        raise GraphError(f"{called[edge.node]} has {len(results)} outputs, not number {edge.index}")
    if results[edge.index] != edge.type:
        raise GraphError(f"{show_edge(edge, called)} is {results[edge.index]}, not {edge.type}")


def infer(
    node: Node, types: Sequence[TensorType], params: Mapping[str, Any] | None = None
) -> tuple[TensorType, ...]:
    """Infer the types of a node's outputs; an error says at which node."""
    try:
        return node.operator.types(types, node.params if params is None else params)
    except CgkitError as error:
        error.add_note(f"  at node  {node_line(node)}")
        raise


def node_line(node: Node) -> str:
    """Write one node as the printed form would: `h1 = matmul(x, W1)`, with its line when known."""
    operands = ", ".join(
        _called(e.node) if isinstance(e, Edge) and e.node is not None else str(e)
        for e in node.inputs
    )
    name = f"{node.name} = " if node.name else ""
    line = "" if node.extras is None or node.extras.line is None else node.extras.line
    place = f"line {line}" if isinstance(line, int) else line
    return f"{name}{node.operator.name}({operands})" + (f"   {place}" if place else "")


def rewrite(graph: Graph, replace: Callable[[Node, tuple[Edge, ...]], Node | None]) -> Graph:
    """Build a graph anew, node by node.

    Parameters
    ----------
    graph
        The graph to rewrite; it stays as it is.
    replace
        `replace(node, inputs)`, called in order with a node and its new input edges, gives the node
        to stand in its place, or None for the same node on the new inputs. It may return a node
        that stands already, which merges the two.

    Returns
    -------
    Graph
        Inputs and outputs keep their order; nodes that no output needs are dropped.

    Examples
    --------
    >>> from cgkit import GraphBuilder, ops
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((), name="x")
    >>> graph = builder.graph([ops.exp(x)])
    >>> print(rewrite(graph, lambda node, inputs: None))
    graph(x: float64[])
      e = exp(x)    float64[]
      return e
    """
    new: dict[Node, Node] = {}
    given = dict.fromkeys(edge.node for edge in graph.inputs)  # in order, so that runs agree

    def moved(edge: Edge) -> Edge:
        node = new[edge.node] if edge.node is not None else None
        return Edge(node, edge.index, edge.shape, edge.dtype)

    for node in graph.nodes:
        inputs = tuple(moved(edge) for edge in node.inputs)
        made = None if node in given else replace(node, inputs)
        new[node] = made if made is not None else _same(node, inputs)
    outputs = tuple(moved(edge) for edge in graph.outputs)
    ends = [new[node] for node in (*given, *(e.node for e in graph.outputs)) if node is not None]
    return Graph(tuple(map(moved, graph.inputs)), tuple(topological_order(*ends)), outputs)


def _same(node: Node, inputs: tuple[Edge, ...]) -> Node:
    unchanged = all(old.key == new.key for old, new in zip(node.inputs, inputs, strict=True))
    if unchanged:
        return node
    line = None if node.extras is None else node.extras.line
    extras = Extras(node.name, node.scope, node.value, node.results, line=line)
    return Node(node.operator, inputs, node.params, (), extras)
