"""Open sizes while a graph runs: read off its inputs, put into params, and compared.

graph(x: float64[N], y: float64[M])    x + y: N and M were taken as equal
arrays of shapes (3,), (4,)            {"N": 3, "M": 4}: an error that names both
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.graph import Graph
from cgkit.node import SOURCES, Edge, Node
from cgkit.order import infer
from cgkit.types import Dim, TensorType, solve


def bind(graph: Graph, arrays: Sequence[np.ndarray]) -> dict[str, int]:
    """Read the values of a graph's open sizes off its inputs.

    Parameters
    ----------
    graph
        Any graph.
    arrays
        A value for each input; only their shapes are read.

    Returns
    -------
    dict
        The value of each symbol; {} for a graph without open sizes.

    Raises
    ------
    ShapeError
        A shape does not fit, or one symbol would have two values.
    """
    binding: dict[str, int] = dict(graph.sizes)
    if binding:  # sizes of the graph around; what this run will tell is none of them
        for symbol in own_symbols(graph):
            binding.pop(symbol, None)
    waiting = list(zip(graph.inputs, arrays, strict=True))
    while waiting:
        known, still = len(binding), []
        for edge, array in waiting:
            try:
                unsolved = solve(edge.shape, array.shape, binding)
            except ShapeError as error:
                error.add_note(f"  at input  {edge.node.name if edge.node else ''}")
                raise
            if unsolved:
                still.append((edge, array))
        if still and len(binding) == known:
            raise ShapeError(
                f"{_open_sizes(still)} cannot be read off the inputs: too much is unknown",
                attempt="an input that has each open size by itself",
            )
        waiting = still
    return binding


def _open_sizes(inputs: Sequence[tuple[Edge, np.ndarray]]) -> str:
    sizes = [size for edge, _ in inputs for size in edge.shape if isinstance(size, Dim)]
    return ", ".join(map(str, sizes))


def told(node: Node, results: Sequence[np.ndarray], binding: dict[str, int]) -> None:
    """Read off the results of a node the sizes that it alone tells, into `binding`."""
    for symbol in told_by(node):
        binding.pop(symbol, None)
    for known, result in zip(node.results or (), results, strict=True):
        solve(known.shape, result.shape, binding)


def told_by(node: Node) -> set[str]:
    """Give the symbols of the sizes that only the run of a node tells."""
    return {symbol for name in node.operator.tells for symbol in symbols_in(node.params.get(name))}


def own_symbols(graph: Graph) -> set[str]:
    """Give the symbols of the sizes that only a run of a graph tells, not those of graphs inside.

    Examples
    --------
    >>> from cgkit import GraphBuilder, ops
    >>> x = GraphBuilder().placeholder((None, 2), name="x")
    >>> own_symbols(x.builder.graph([ops.nonzero(x)]))
    {'N2'}
    """
    return {symbol for node in graph.nodes if node.operator.tells for symbol in told_by(node)}


def symbols_in(param: Any, *, inside: bool = True) -> Iterator[str]:
    """Walk over the symbols of open sizes in a param, with or without those of graphs inside it."""
    if isinstance(param, Dim):
        yield from param.symbols
    elif isinstance(param, tuple):
        for part in param:
            yield from symbols_in(part, inside=inside)
    elif isinstance(param, Graph) and inside:
        yield from symbols(param)


def symbols(graph: Graph) -> set[str]:
    """Give the symbols of all open sizes of a graph, those of graphs inside it included.

    Examples
    --------
    >>> from cgkit import GraphBuilder, ops
    >>> x = GraphBuilder().placeholder((None, 2), name="x")
    >>> sorted(symbols(x.builder.graph([ops.nonzero(x)])))
    ['N', 'N2']
    """
    found: set[str] = set()
    for node in graph.nodes:
        for result in node.results or ():
            found.update(symbols_in(result.shape))
        for param in node.params.values():
            found.update(symbols_in(param))
    return found


def check_binding(
    graph: Graph, binding: Mapping[str, int]
) -> dict[tuple[Node | None, int], TensorType]:
    """Infer a graph's types anew with open sizes known: sizes taken as equal must be equal.

    Returns
    -------
    dict
        The type of each output of each node, all sizes known, by (node, index).

    Raises
    ------
    ShapeError
        Two sizes that were taken as equal differ; both are named, and the node where they met.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x, y = builder.placeholder(("N",), name="x"), builder.placeholder(("M",), name="y")
    >>> check_binding(builder.graph([x + y]), {"N": 3, "M": 1})
    Traceback (most recent call last):
    cgkit.errors.ShapeError: cannot broadcast (N,) with (M,)
      N = 3 and M = 1 were taken as equal when the graph was built
      try      reshape, so that unequal sizes stand over a 1
      at node  add(x, y)   line 1
    """
    bound: dict[tuple[Node | None, int], TensorType] = {}
    for node in graph.nodes:
        if node.operator in SOURCES:
            results = tuple(_bind_type(result, binding) for result in node.results or ())
        else:
            params = bind_params(node.params, binding, keep=True)
            results = infer(node, [bound[edge.key] for edge in node.inputs], params)
        for index, result in enumerate(results):
            bound[node, index] = result
    return {key: settle(found) for key, found in bound.items()}


def _bind_type(known: TensorType, binding: Mapping[str, int]) -> TensorType:
    return TensorType(
        (size.bind(binding) if isinstance(size, Dim) else size for size in known.shape), known.dtype
    )


def bind_params(
    params: Mapping[str, Any], binding: Mapping[str, int], keep: bool = False
) -> dict[str, Any]:
    """Put known sizes in the place of open ones among an operator's params.

    Parameters
    ----------
    params
        Those of a node; sizes may stand in nested tuples.
    binding
        The values of symbols.
    keep
        Whether a size stays a Dim that knows its value, for inference; a plain int by default,
        and in graphs among the params as `Graph.sizes`.

    Examples
    --------
    >>> bind_params({"shape": (Dim("N") * 2, 3)}, {"N": 4})
    {'shape': (8, 3)}
    """

    def bound(param: Any) -> Any:
        if isinstance(param, Dim):
            ready = not keep and param.symbols <= binding.keys()
            return param.at(binding) if ready else param.bind(binding)
        if isinstance(param, Graph):
            return param if keep else replace(param, sizes=binding)
        return tuple(bound(part) for part in param) if isinstance(param, tuple) else param

    return {key: bound(param) for key, param in params.items()}


def settle(known: TensorType) -> TensorType:
    """Put plain ints in the place of Dims that are bound."""
    return TensorType(
        (
            size.value if isinstance(size, Dim) and size.value is not None else size
            for size in known.shape
        ),
        known.dtype,
    )
