"""One call of a function turned into a graph that serves for other calls.

f(x: float32[32, 784], scale=2.0)

tensors      become inputs, each once, however often it was given
open sizes   become Dims; equal ones the same Dim
other things go in as they are
results      tensors become outputs; other things come back as they are
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cgkit import tree
from cgkit.compiler.facts import Call
from cgkit.compiler.watching import Look, Watch
from cgkit.errors import CaptureError
from cgkit.graph import Graph
from cgkit.node import LEAF, Operand
from cgkit.symbolic import GraphBuilder, Value
from cgkit.tensor import Tensor
from cgkit.types import Dim, Size

Opened = Callable[[str, int], bool]


@dataclass(frozen=True, eq=False)
class Traced:
    """A function as a graph."""

    graph: Graph
    """Inputs: the tensors of the call, each once, then the captured ones."""
    leaves: tuple[int, ...]
    """For each input that a call gives, the number of its leaf."""
    captured: tuple[Tensor, ...]
    """Tensors that the function used without being given them."""
    results: tuple[Any, ...]
    """What each leaf of the result is: an `Output`, a `Given`, or anything else as it is."""
    structure: tree.Structure
    sizes: Mapping[str, tuple[tuple[int, int], ...]]
    """For each open size the (leaf, axis) pairs that have it."""
    looks: tuple[Look, ...]
    """The questions about open sizes that the function asked."""


@dataclass(frozen=True)
class Output:
    """A result that the graph computes."""

    number: int


@dataclass(frozen=True)
class Given:
    """A result that is an argument, or a captured tensor, as it was given."""

    number: int


def trace_call(
    fn: Callable[..., Any], signature: inspect.Signature, call: Call, opened: Opened
) -> Traced:
    """Run a function once on Values in the place of a call's tensors.

    Parameters
    ----------
    fn
        The function.
    signature
        Its signature.
    call
        The call.
    opened
        Says whether a size of a place is left open.

    Raises
    ------
    CaptureError
        The function looks at numbers, or computes with captured tensors alone.
    """
    sizes = _open_sizes(call, opened)
    symbols = {spot: Dim(name) for name, spots in sizes.items() for spot in spots}
    watch = Watch({name: call.leaves[i].shape[axis] for name, ((i, axis), *_) in sizes.items()})
    builder = GraphBuilder(capturing=True)
    builder.watch = watch
    values: dict[int, Value] = {}
    leaves: list[int] = []
    given = list(call.leaves)
    for i in call.tensors:
        x = call.leaves[i]
        if id(x) not in values:
            shape = [symbols.get((i, axis), size) for axis, size in enumerate(x.shape)]
            values[id(x)] = builder.placeholder(shape, x.dtype, name=_name(call.places[i]))
            leaves.append(i)
        given[i] = values[id(x)]
    bound = inspect.BoundArguments(signature, tree.unflatten(call.structure, given))
    found, structure = tree.flatten(fn(*bound.args, **bound.kwargs))
    looks = tuple(watch.looks)
    builder.watch = None
    return _finished(builder, list(values.values()), leaves, found, structure, sizes, looks)


def _finished(
    builder: GraphBuilder,
    inputs: Sequence[Value],
    leaves: Sequence[int],
    found: Sequence[Any],
    structure: tree.Structure,
    sizes: Mapping[str, tuple[tuple[int, int], ...]],
    looks: tuple[Look, ...],
) -> Traced:
    outputs: list[Value] = []
    results: list[Any] = []
    tensors = [builder.capture(x) if isinstance(x, Tensor) else x for x in found]
    captured = [tensor for tensor, _ in builder.captured.values()]
    _refuse_computed(captured)
    every = [*inputs, *(value for _, value in builder.captured.values())]
    places = {x.edge.key: number for number, x in enumerate(every)}
    for x in tensors:
        if not isinstance(x, Value):
            results.append(_result(x))
            continue
        builder.check_own(x)
        if x.edge.key in places:
            results.append(Given(places[x.edge.key]))
            continue
        results.append(Output(len(outputs)))
        outputs.append(x)
    graph = builder.graph(outputs, every)
    builder.close("its trace has ended, and this value was kept beyond it")
    return Traced(
        graph, tuple(leaves), tuple(captured), tuple(results), structure, sizes, looks
    )  # fmt: skip


def _result(x: Any) -> Any:
    if isinstance(x, Operand):
        raise CaptureError(f"a compiled function gives {x!r:.60}, which is no tensor of its own")
    return x


def _refuse_computed(captured: Sequence[Tensor]) -> None:
    """Refuse tensors that were computed from others alone: they would never be computed again."""
    for x in captured:
        if x.edge is not None and x.edge.node is not None and x.edge.node.operator is not LEAF:
            raise CaptureError(
                f"a tensor of shape {x.shape}, made by {x.edge.node.operator.name}, was computed "
                "apart from the function's arguments",
                why="it would be computed once, while the function is traced, and never again",
                attempt="giving what it is computed from as an argument",
            )


def _open_sizes(call: Call, opened: Opened) -> dict[str, tuple[tuple[int, int], ...]]:
    """Give names to sizes that are left open; equal ones have one name."""
    by_value: dict[Size, list[tuple[int, int]]] = {}
    for i in call.tensors:
        for axis, size in enumerate(call.leaves[i].shape):
            if size not in (0, 1) and opened(call.places[i], axis):
                by_value.setdefault(size, []).append((i, axis))
    names = ("N", *(f"N{number}" for number in range(2, len(by_value) + 2)))
    return {name: tuple(spots) for name, spots in zip(names, by_value.values(), strict=False)}


def _name(place: str) -> str:
    return place if place.isidentifier() else ""
