"""Run a graph, one node after another: the plainest executor, and the measure of all others.

bind the open sizes ─> for each node: read operands, compute, keep ─> the outputs
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, GraphError, ShapeError
from cgkit.graph import Graph, expect_graph, names
from cgkit.node import SOURCES, Edge, Node
from cgkit.order import infer, node_line
from cgkit.types import Dim, TensorType, solve


def run(
    graph: Graph,
    *arrays: Any,
    observe: Callable[[Node, tuple[np.ndarray, ...]], None] | None = None,
) -> tuple[np.ndarray, ...]:
    """Run a graph on arrays.

    Parameters
    ----------
    graph
        What to run.
    arrays
        A value for each of its inputs, in order, of the input's dtype and a shape that fits.
    observe
        Called with each node and its values when they are there, to watch a run.

    Returns
    -------
    tuple of ndarray
        A value for each output. It may share memory with an input or a constant.

    Raises
    ------
    GraphError
        The number of arrays is not the number of inputs.
    ShapeError, DtypeError
        An array does not fit its input, or open sizes that were taken as equal differ.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None,), name="x")
    >>> run(builder.graph([x * x]), np.array([1.0, 2.0, 3.0]))
    (array([1., 4., 9.]),)
    """
    values = _given(expect_graph(graph), arrays)
    binding = bind(graph, [values[edge.key] for edge in graph.inputs])
    if binding:
        check_binding(graph, binding)
    return _act(graph, values, binding, observe)


class Repeated:
    """Runs one graph many times on arrays of the same types, as a loop does.

    Open sizes are read off and checked the first time only.

    Parameters
    ----------
    graph
        What to run.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None,), name="x")
    >>> double = Repeated(builder.graph([x + x]))
    >>> double(np.array([1.0])), double(np.array([2.0]))
    ((array([2.]),), (array([4.]),))
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.keys = [edge.key for edge in graph.inputs]
        self.binding: dict[str, int] | None = None

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """Run it once more."""
        if self.binding is None:
            values = _given(self.graph, arrays)
            self.binding = bind(self.graph, list(values.values()))
            if self.binding:
                check_binding(self.graph, self.binding)
        return _act(self.graph, dict(zip(self.keys, arrays, strict=True)), dict(self.binding))


def _act(
    graph: Graph,
    values: dict[Any, np.ndarray],
    binding: dict[str, int],
    observe: Callable[[Node, tuple[np.ndarray, ...]], None] | None = None,
) -> tuple[np.ndarray, ...]:
    """Compute node after node; what the run alone tells of sizes is checked at the end."""
    telling = False
    for node in graph.nodes:
        if (node, 0) in values:
            if observe is not None:
                observe(node, (values[node, 0],))
            continue
        results = compute(node, [values[edge.key] for edge in node.inputs], binding)
        if node.operator.tells:
            telling = True
            told(node, results, binding)
        if observe is not None:
            observe(node, results)
        for index, result in enumerate(results):
            values[node, index] = result
    if telling:
        check_binding(graph, binding)
    return tuple(values[edge.key] for edge in graph.outputs)


def replay(graph: Graph, operands: Sequence[Any]) -> list[Any]:
    """Apply a graph's operators to operands of any kind: arrays, Tensors or Values.

    Parameters
    ----------
    graph
        What to apply. The first values of its variables count as constants.
    operands
        One for each of its inputs, whose types they have.

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
    open_sizes = any(isinstance(size, Dim) for x in operands for size in x.shape)
    binding = dict(graph.sizes) if open_sizes else bind(graph, operands)
    for node in graph.nodes:
        if (node, 0) in values:
            continue
        if node.operator in SOURCES:
            values[node, 0] = node.value
            continue
        params = bind_params(node.params, binding) if binding else node.params
        results = node.operator(*(values[edge.key] for edge in node.inputs), **params)
        for index, result in enumerate(results if node.operator.several else (results,)):
            values[node, index] = result
    return [values[edge.key] for edge in graph.outputs]


def compute(
    node: Node, operands: Sequence[np.ndarray], binding: Mapping[str, int]
) -> tuple[np.ndarray, ...]:
    """Compute one node with open sizes known; an error says which node."""
    if node.operator in SOURCES:
        if node.value is None:
            raise GraphError(f"{node.name or node.operator.name} was given no value")
        return (node.value,)
    params = bind_params(node.params, binding) if binding else node.params
    try:
        found = node.operator.computed(operands, params)
    except Exception as error:
        error.add_note(f"  while running  {node_line(node)}")
        raise
    return tuple(np.asarray(x) for x in (found if isinstance(found, tuple) else (found,)))


def told(node: Node, results: Sequence[np.ndarray], binding: dict[str, int]) -> None:
    """Read off the results of a node the sizes that it alone tells, into `binding`."""
    for name in node.operator.tells:
        for symbol in node.params[name].symbols:
            binding.pop(symbol, None)
    for known, result in zip(node.results or (), results, strict=True):
        solve(known.shape, result.shape, binding)


def _given(graph: Graph, arrays: Sequence[Any]) -> dict[Any, np.ndarray]:
    if len(arrays) != len(graph.inputs):
        called = [names(graph)[e.node] for e in graph.inputs if e.node is not None]
        raise GraphError(
            f"the graph takes {len(graph.inputs)} arrays ({', '.join(called)}), got {len(arrays)}"
        )
    values = {}
    for edge, array in zip(graph.inputs, arrays, strict=True):
        value = np.asarray(array)
        if value.dtype != edge.dtype:
            name = "" if edge.node is None else edge.node.name
            raise DtypeError(
                f"the input {name} is {edge.dtype}, got {value.dtype}".replace("  ", " "),
                attempt=f"array.astype({edge.dtype.name!r})",
            )
        values[edge.key] = value
    return values


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
