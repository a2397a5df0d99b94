"""Run a graph on arrays, node after node.

bind the open sizes ─> for each node: read operands, compute, keep ─> the outputs
                                      let go what no later node reads
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from cgkit.errors import DtypeError, GraphError
from cgkit.graph import Graph, expect_graph, names
from cgkit.interpret.binding import bind, bind_params, check_binding, own_symbols, told, told_by
from cgkit.node import SOURCES, Node
from cgkit.order import node_line

Key = tuple[Node | None, int]


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
    return _act(graph, values, binding, last_reads(graph), observe)


class Repeated:
    """Runs one graph many times, as a loop does.

    Open sizes are read off and checked, and params are bound, when shapes come for the first time.

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
        self._parts = graph.inputs, graph.nodes, graph.outputs, graph.sizes  # so not it itself
        self._ends = last_reads(graph)
        self._telling = bool(own_symbols(graph))
        self._plan: _Plan | None = None

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """Run it once more."""
        kinds = [(x.shape, x.dtype) for x in arrays]
        plan = self._plan
        if plan is None or plan.kinds != kinds:
            plan = self._plan = self._prepared(arrays, kinds)
        if self._telling:  # params change from run to run
            graph = Graph(*self._parts)
            given = {edge.key: x for edge, x in zip(graph.inputs, arrays, strict=True)}
            return _act(graph, given, dict(plan.binding), self._ends)
        values = plan.start.copy()
        values[: len(arrays)] = arrays
        for node, params, reads, first, ends in plan.steps:
            try:
                found = node.operator.computed([values[i] for i in reads], params)
            except Exception as error:
                error.add_note(f"  while running  {node_line(node)}")
                raise
            if node.operator.several:
                values[first : first + len(found)] = map(np.asarray, found)
            else:
                values[first] = found if found.__class__ is np.ndarray else np.asarray(found)
            for i in ends:
                values[i] = None
        return tuple(values[i] for i in plan.outputs)

    def _prepared(self, arrays: Sequence[np.ndarray], kinds: list[Any]) -> _Plan:
        """Give all values a number and bind all params, for arrays of some types."""
        graph = Graph(*self._parts)
        given = _given(graph, arrays)
        binding = bind(graph, list(arrays))
        if binding:
            check_binding(graph, binding)
        places = {key: number for number, key in enumerate(given)}
        start: list[Any] = [None] * len(arrays)
        steps: list[_Step] = []
        for node in graph.nodes:
            if (node, 0) in given:
                continue
            first, results = len(start), node.results or ()
            places.update({(node, i): first + i for i in range(len(results))})
            if node.operator in SOURCES:
                start += compute(node, (), {})
                continue
            start += [None] * len(results)
            params = bind_params(node.params, binding) if binding else node.params
            reads = tuple(places[edge.key] for edge in node.inputs)
            ends = tuple(places[key] for key in self._ends.get(node, ()))
            steps.append((node, params, reads, first, ends))
        outputs = [places[edge.key] for edge in graph.outputs]
        return _Plan(kinds, binding, start, steps, outputs)


_Step = tuple[Node, Mapping[str, Any], tuple[int, ...], int, tuple[int, ...]]
"""A node, its params, the places of what it reads, of its first result, of what ends with it."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a graph is run on arrays of some types."""

    kinds: list[Any]
    """Their shapes and dtypes."""
    binding: dict[str, int]
    start: list[Any]
    """A place for each value, with the constants in theirs; inputs come first."""
    steps: list[_Step]
    outputs: list[int]


_READY: WeakKeyDictionary[Graph, Repeated] = WeakKeyDictionary()
"""Graphs inside others that have been run: a branch in a loop is prepared once."""


def ready(graph: Graph) -> Repeated:
    """Give what runs a graph, the same one each time it is asked for.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder(())
    >>> graph = x.builder.graph([x + x])
    >>> ready(graph) is ready(graph)
    True
    """
    found = _READY.get(graph)
    if found is None:
        found = _READY.setdefault(graph, Repeated(graph))
    return found


def last_reads(graph: Graph) -> dict[Node, tuple[Key, ...]]:
    """Give for each node the values that none reads after it; outputs are not among them.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder((), name="x")
    >>> graph = x.builder.graph([(x * x) + x])
    >>> [len(ends) for ends in last_reads(graph).values()]
    [2]
    """
    outputs = {edge.key for edge in graph.outputs}
    last = {edge.key: node for node in graph.nodes for edge in node.inputs}
    found: dict[Node, tuple[Key, ...]] = {}
    for key, node in last.items():
        if key not in outputs:
            found[node] = (*found.get(node, ()), key)
    return found


def _act(
    graph: Graph,
    values: dict[Key, np.ndarray],
    binding: dict[str, int],
    ends: Mapping[Node, tuple[Key, ...]],
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
        if node.operator.tells and told_by(node):
            telling = True
            told(node, results, binding)
        if observe is not None:
            observe(node, results)
        for index, result in enumerate(results):
            values[node, index] = result
        for key in ends.get(node, ()):
            del values[key]
    if telling:
        check_binding(graph, binding)
    return tuple(values[edge.key] for edge in graph.outputs)


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
