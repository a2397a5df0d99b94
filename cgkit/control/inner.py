"""What operators that hold graphs have in common: types in and out, gradients in and out.

operands ──> Graph.inputs      the same types; open sizes are taken as equal
Graph.outputs ──> results      with open sizes bound where the operands' are
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cgkit.control.pulls import floating
from cgkit.cost import cost
from cgkit.errors import DtypeError, GraphError, ShapeError
from cgkit.graph import Graph
from cgkit.interpret import own_symbols, symbols_in
from cgkit.operators import ALL
from cgkit.symbolic import Value
from cgkit.types import Dim, Size, TensorType, meet_shapes, solve, value_of

Told = tuple[tuple[int, int, Size], ...]
"""Sizes that only the run of a part tells: the number of a result, its axis, and the size."""


def told_by_parts(graphs: Sequence[Graph]) -> Told:
    """Find the sizes of results that only the run of a part tells, in whichever part runs.

    Returns
    -------
    Told
        Sizes without names of their own; equal ones are the same Dim.
    """
    own = {symbol for graph in graphs for symbol in own_symbols(graph)}
    called: dict[Any, Dim] = {}
    found = []
    for number, edges in enumerate(zip(*(graph.outputs for graph in graphs), strict=True)):
        for axis, sizes in enumerate(zip(*(edge.shape for edge in edges), strict=False)):
            if own.intersection(symbols_in(sizes)):
                size = called.setdefault(sizes, Dim(f"?{len(called)}"))
                found.append((number, axis, size))
    return tuple(found)


def with_told(types: Sequence[TensorType], told: Told) -> tuple[TensorType, ...]:
    """Put sizes that only a run tells into the types of results.

    Examples
    --------
    >>> with_told([TensorType((3, 2), "float32")], ((0, 1, Dim("N")),))
    (float32[3, N],)
    """
    found = list(types)
    for number, axis, size in told:
        shape = [size if i == axis else n for i, n in enumerate(found[number].shape)]
        found[number] = TensorType(shape, found[number].dtype)
    return tuple(found)


def outputs_of(graph: Graph, operands: Sequence[TensorType], what: str) -> tuple[TensorType, ...]:
    """Give the types that a graph inside an operator gives on operands.

    Raises
    ------
    GraphError
        The number of operands is not that of the graph's inputs.
    ShapeError, DtypeError
        An operand has another type than the input it is for.
    """
    if len(operands) != len(graph.inputs):
        raise GraphError(f"{what} takes {len(graph.inputs)} operands, got {len(operands)}")
    own = own_symbols(graph) if graph.sizes else ()
    binding = {name: size for name, size in graph.sizes.items() if name not in own}
    for number, (edge, known) in enumerate(zip(graph.inputs, operands, strict=True)):
        if edge.dtype != known.dtype:
            raise DtypeError(f"operand {number} of {what} is {edge.dtype}, got {known.dtype}")
        meet_shapes(known.shape, edge.shape, f"that of operand {number} of {what}")
        read_sizes(edge.shape, known.shape, binding)
    return tuple(_bound(edge.type, binding) for edge in graph.outputs)


def read_sizes(shape: Sequence[Size], known: Sequence[Size], binding: dict[str, int]) -> None:
    """Read off what known sizes tell of open ones, into `binding`."""
    for size, actual in zip(shape, known, strict=True):
        value = value_of(actual)
        if isinstance(size, Dim) and value is not None:
            solve((size,), (value,), binding)


def _bound(known: TensorType, binding: Mapping[str, int]) -> TensorType:
    sizes = [size.bind(binding) if isinstance(size, Dim) else size for size in known.shape]
    return TensorType(sizes, known.dtype)


def steady(old: np.ndarray, new: np.ndarray, what: str) -> np.ndarray:
    """Give the new part of a carry, which must have the shape of the old one.

    Raises
    ------
    ShapeError
        An open size differs from step to step.
    """
    if new.shape != old.shape:
        raise ShapeError(
            f"{what} has shape {old.shape} before a step and {new.shape} after it",
            why="its open sizes were taken as equal when the graph was built",
        )
    return new


def apart(found: Sequence[Any], arrays: Sequence[Any]) -> tuple[np.ndarray, ...]:
    """Give results that share memory with no operand, constant or other result.

    Whoever writes to a result, or to an operand once it has been read, changes nothing else.

    Parameters
    ----------
    found
        The results; an operand among them, or a part of one, is copied.
    arrays
        The operands.

    Examples
    --------
    >>> x = np.ones(2)
    >>> y, z = apart([x, x + 1.0], [x])
    >>> y is x, z.tolist()
    (False, [2.0, 2.0])
    """
    own: list[np.ndarray] = []
    for x in found:
        shared = any(x is y or np.may_share_memory(x, y) for y in (*arrays, *own))
        own.append(np.array(x) if shared or not x.flags.writeable else x)
    return tuple(own)


def stacked(
    rows: Sequence[Sequence[np.ndarray]], empty: Sequence[TensorType], what: str
) -> list[np.ndarray]:
    """Stack what steps gave.

    Parameters
    ----------
    rows
        For each step its arrays, of the same shapes in each.
    empty
        The types of the results if there was no step; what only a step tells of them is 0.
    what
        What messages call it.

    Raises
    ------
    ShapeError
        A step gives another shape than the first.
    """
    if not rows:
        return [np.empty([value_of(size) or 0 for size in t.shape], t.dtype) for t in empty]
    for row in rows:
        for first, part in zip(rows[0], row, strict=True):
            steady(first, part, what)
    return [np.stack(column) for column in zip(*rows, strict=True)]


Runs = Callable[..., Sequence[tuple[Graph, Size]]]
"""Gives the graphs that an operator runs, each with how often, from its params."""


def work(runs: Runs) -> Callable[..., Size]:
    """Count the floating-point operations of an operator by the graphs that it runs."""

    def flops(result: TensorType, *operands: TensorType, **params: Any) -> Size:
        return sum((cost(graph).flops * times for graph, times in runs(**params)), 0)

    return flops


def arrived(
    gradients: Mapping[int, Any], places: Sequence[int], types: Sequence[TensorType], like: Any
) -> list[Any]:
    """Give the gradients of results, zeros for those that nobody read.

    Parameters
    ----------
    gradients
        What arrived, by the number of the result.
    places
        The results whose gradients are wanted.
    types
        The types of all results.
    like
        An operand: zeros are of its kind, arrays beside arrays and Values beside Values.
    """
    return [gradients[i] if i in gradients else filled(like, types[i]) for i in places]


def filled(like: Any, known: TensorType) -> Any:
    """Give zeros of a type, of the kind that an operand is.

    Examples
    --------
    >>> filled(np.ones(2), TensorType((3,), "float32"))
    array([0., 0., 0.], dtype=float32)
    """
    zero = ALL["cast"](ALL["measure"](like, size=0), dtype=known.dtype.name)
    return ALL["broadcast_to"](zero, shape=known.shape)


def type_of(x: Any) -> TensorType:
    """Give the type of an array, a Tensor or a Value; nobody is told that its sizes were seen."""
    return x.type if isinstance(x, Value) else TensorType(x.shape, x.dtype)


def types_of(operands: Sequence[Any]) -> list[TensorType]:
    """Give the types of arrays, Tensors or Values."""
    return [type_of(x) for x in operands]


def at_places(places: Sequence[int], parts: Sequence[Any], count: int) -> tuple[Any, ...]:
    """Lay gradients at the places of their operands; None elsewhere.

    Examples
    --------
    >>> at_places([1, 2], ["g1", "g2"], 4)
    (None, 'g1', 'g2', None)
    """
    found: list[Any] = [None] * count
    for place, part in zip(places, parts, strict=True):
        found[place] = part
    return tuple(found)


def float_places(graph: Graph) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Give the places of a graph's floating inputs, and of its floating outputs."""
    return floating(graph.inputs), floating(graph.outputs)
