"""Apply a graph's operators once more, to operands of any kind.

graph(x: float64[N]): y = x[1:]     replay on a Value of (M, ), or on an array of (5, )
N stands for M, or for 5, in every param, and in those of graphs inside
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cgkit.graph import Graph
from cgkit.interpret.binding import bind, own_symbols, symbols, symbols_in, told_by
from cgkit.node import SOURCES, Edge, Extras, Node
from cgkit.types import Dim, Size, TensorType


def replay(
    graph: Graph,
    operands: Sequence[Any],
    *,
    constant: Callable[[np.ndarray], Any] | None = None,
) -> list[Any]:
    """Apply a graph's operators to operands of any kind: arrays, Tensors or Values.

    Parameters
    ----------
    graph
        What to apply. The first values of its variables count as constants.
    operands
        One for each of its inputs, whose types they have.
    constant
        Makes an operand of a constant: a Value beside Values, where constants may be stretched to
        open sizes. By default they are arrays, and what is computed of these alone is computed now.

    Returns
    -------
    list
        One for each output, of the kind that operators make of the operands.

    Examples
    --------
    >>> from cgkit import GraphBuilder, Tensor
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((), name="x")
    >>> replay(builder.graph([x * x]), [Tensor(3.0, requires_grad=True)])
    [Tensor(9., grad_fn=mul)]
    """
    values: dict[Any, Any] = {edge.key: x for edge, x in zip(graph.inputs, operands, strict=True)}
    sizes = _sizes_of(graph, operands)
    for node in graph.nodes:
        if (node, 0) in values:
            continue
        if node.operator in SOURCES:
            assert node.value is not None
            values[node, 0] = node.value if constant is None else constant(node.value)
            continue
        params = {name: put(param, sizes) for name, param in node.params.items()}
        found = node.operator(*(values[edge.key] for edge in node.inputs), **params)
        results = found if node.operator.several else (found,)
        for index, result in enumerate(results):
            values[node, index] = result
        if node.operator.tells:
            for symbol in told_by(node):
                sizes.pop(symbol, None)
            for known, result in zip(node.results or (), results, strict=True):
                _learn(known.shape, result.shape, sizes)
    return [values[edge.key] for edge in graph.outputs]


def _sizes_of(graph: Graph, operands: Sequence[Any]) -> dict[str, Size]:
    """Say what the open sizes of a graph are for some operands; what they do not tell stays."""
    if not any(isinstance(size, Dim) for x in operands for size in x.shape):
        return dict(bind(graph, operands))
    sizes: dict[str, Size] = dict(graph.sizes)
    for edge, x in zip(graph.inputs, operands, strict=True):
        _learn(edge.shape, x.shape, sizes)
    return sizes


def _learn(shape: Sequence[Size], found: Sequence[Size], sizes: dict[str, Size]) -> None:
    """Note what a shape that was found tells of open sizes that stand by themselves."""
    for size, actual in zip(shape, found, strict=True):
        if isinstance(size, Dim) and len(size.symbols) == 1:
            (name,) = size.symbols
            if size == Dim(name):
                sizes.setdefault(name, actual)


def put(param: Any, sizes: Mapping[str, Size]) -> Any:
    """Put sizes in the place of symbols in a param, those of graphs inside it included.

    Examples
    --------
    >>> put((Dim("N") * 2, 3), {"N": Dim("M")})
    (2*M, 3)
    """
    if isinstance(param, Dim):
        return param.put(sizes) if param.symbols & sizes.keys() else param
    if isinstance(param, Graph):
        return renamed(param, sizes)
    if isinstance(param, tuple):
        parts = [put(part, sizes) for part in param]
        return type(param)(*parts) if hasattr(param, "_fields") else tuple(parts)
    return param


def renamed(graph: Graph, sizes: Mapping[str, Size]) -> Graph:
    """Give a graph inside another with other sizes in the place of that one's symbols.

    Sizes that only its own run tells stay its own: one that would have the name of another gets a
    new name.
    """
    own = own_symbols(graph)
    new = {name: size for name, size in sizes.items() if name not in own and size != Dim(name)}
    inside = symbols(graph)
    if not inside & new.keys():
        return graph
    taken = {symbol for size in new.values() for symbol in symbols_in(size)}
    for symbol in sorted(own & taken):
        name = symbol
        while name in taken | inside:
            name += "_"
        new[symbol] = Dim(name)
        taken.add(name)
    made: dict[Node, Node] = {}
    for node in graph.nodes:
        inputs = tuple(_edge(made, edge, new) for edge in node.inputs)
        params = {name: put(param, new) for name, param in node.params.items()}
        results = tuple(_type(result, new) for result in node.results or ())
        line = None if node.extras is None else node.extras.line
        extras = Extras(node.name, node.scope, node.value, results, line=line)
        made[node] = Node(node.operator, inputs, params, (), extras)
    ends = [tuple(_edge(made, e, new) for e in edges) for edges in (graph.inputs, graph.outputs)]
    return Graph(ends[0], tuple(made.values()), ends[1], graph.sizes)


def _edge(made: Mapping[Node, Node], edge: Edge, sizes: Mapping[str, Size]) -> Edge:
    assert edge.node is not None
    shape = _type(edge.type, sizes).shape
    return Edge(made[edge.node], edge.index, shape, edge.dtype)


def _type(known: TensorType, sizes: Mapping[str, Size]) -> TensorType:
    return TensorType(put(known.shape, sizes), known.dtype)
