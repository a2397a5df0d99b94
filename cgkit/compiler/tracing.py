"""One call of a function turned into a graph that serves for other calls.

f(x: float32[32, 784], scale=2.0)

tensors      become inputs, each once, however often it was given
open sizes   become Dims; equal ones the same Dim
other things go in as they are
results      tensors become outputs; other things come back as they are
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.compiler.facts import PLAIN, Call
from cgkit.compiler.lending import LentTensor, Loan, lent
from cgkit.compiler.watching import Look, Watch
from cgkit.errors import CaptureError
from cgkit.graph import Graph
from cgkit.interpret import check_binding
from cgkit.node import LEAF
from cgkit.symbolic import GraphBuilder, Value
from cgkit.symbolic.writes import Writes, recorded_edge
from cgkit.tensor import Generator, Tensor
from cgkit.tensor.modes import grad_enabled
from cgkit.types import Dim, Size


@dataclass(frozen=True)
class Written:
    """An input that gets new numbers when the graph has run."""

    number: int
    output: int
    recorded: bool
    """Whether gradients go through the new numbers to the old ones."""


@dataclass(frozen=True, eq=False)
class Fixed:
    """A result that is made anew of the same numbers each time."""

    numbers: np.ndarray
    plain: bool = False
    """Whether it is an array, no Tensor."""


Opened = Callable[[str, int], bool]


@dataclass(frozen=True, eq=False)
class Traced:
    """A function as a graph."""

    graph: Graph
    """Inputs: the tensors of the call, each once, then the captured ones."""
    leaves: tuple[int, ...]
    """For each input that a call gives, the number of its leaf."""
    captured: tuple[Tensor | int, ...]
    """Tensors that the function used without being given them: the number among what it reads by
    itself of one that is found again; the tensor where it was made during the trace, or found in a
    strange place."""
    keys: tuple[int, ...]
    """The generator of each key that is drawn; the keys are the last inputs."""
    results: tuple[Any, ...]
    """What each leaf of the result is: an `Output`, a `Given`, a `Fixed`, or anything else as it
    is."""
    structure: tree.Structure
    sizes: Mapping[str, tuple[tuple[int, int], ...]]
    """For each open size the (leaf, axis) pairs that have it."""
    looks: tuple[Look, ...]
    """The questions about open sizes that the function asked."""
    written: tuple[Written, ...] = ()
    """The inputs that the function writes to."""


@dataclass(frozen=True)
class Output:
    """A result that the graph computes."""

    number: int


@dataclass(frozen=True)
class Given:
    """A result that is an argument, or a captured tensor, as it was given."""

    number: int


def trace_call(
    fn: Callable[..., Any],
    signature: inspect.Signature,
    call: Call,
    opened: Opened,
    tensors: Sequence[Tensor] = (),
    generators: Sequence[Generator] = (),
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
    tensors, generators
        What it reads by itself, and is found again at each call.

    Raises
    ------
    CaptureError
        The function looks at numbers, or computes with tensors that nobody would find again.
    """
    sizes = _open_sizes(call, opened)
    symbols = {spot: Dim(name) for name, spots in sizes.items() for spot in spots}
    watch = Watch({name: call.leaves[i].shape[axis] for name, ((i, axis), *_) in sizes.items()})
    builder = GraphBuilder(capturing=True)
    builder.watch = watch
    recorded = grad_enabled()
    builder.recorded = grad_enabled if recorded else _never_recorded
    builder.writes = Writes(grad_enabled if recorded else None, back=True)
    leaves: list[int] = []
    given = list(call.leaves)
    for i in call.tensors:
        x = call.leaves[i]
        if id(x) not in builder.captured:
            shape = [symbols.get((i, axis), size) for axis, size in enumerate(x.shape)]
            made = builder.placeholder(shape, x.dtype, name=_name(call.places[i]))
            builder.captured[id(x)] = (x, made)
            leaves.append(i)
        given[i] = builder.captured[id(x)][1]
        if isinstance(x, Tensor) and x.edge is not None and x.is_leaf:
            builder.writes.leaves.add(given[i].edge.key)
    arguments = tree.unflatten(call.structure, given)
    bound = inspect.BoundArguments(signature, arguments)
    try:
        with lent(builder, tensors, generators) as loan:
            found, structure = tree.flatten(fn(*bound.args, **bound.kwargs))
            found = [builder.capture(x) if isinstance(x, LentTensor) else x for x in found]
        _refuse_rearranged(call, given, arguments)
        looks = tuple(watch.looks)
        builder.watch = None
        kept = _Kept(builder, call, leaves, tensors, generators, loan)
        results, outputs = kept.results(found), kept.outputs
        written = kept.written()
        graph = builder.graph(outputs, [Value(edge, builder) for edge in kept.edges])
    finally:
        builder.close("its trace has ended, and this value was kept beyond it")
    return Traced(
        graph, tuple(leaves), kept.captured, kept.keys, results, structure, sizes,
        looks, written,
    )  # fmt: skip


def _never_recorded() -> bool:
    """Refuse to record inside a call that does not; nothing else needs to be cut."""
    if grad_enabled():
        raise CaptureError(
            "a compiled function that is called under no_grad() records by enable_grad()",
            why="its form computes numbers only",
            attempt="calling it outside no_grad()",
        )
    return True


def check_sizes(traced: Traced, binding: Mapping[str, int]) -> None:
    """Demand that what was traced with open sizes is right for some.

    Raises
    ------
    ShapeError
        Sizes that were taken as equal are not, or a part has another size than it had.
    """
    if binding:
        check_binding(traced.graph, binding)


class _Kept:
    """What comes out of a trace: the inputs in order, results, and what was written to."""

    def __init__(
        self,
        builder: GraphBuilder,
        call: Call,
        leaves: Sequence[int],
        tensors: Sequence[Tensor],
        generators: Sequence[Generator],
        loan: Loan,
    ) -> None:
        self.builder = builder
        self.call = call
        given = {id(call.leaves[i]) for i in leaves}
        own = [pair for key, pair in builder.captured.items() if key in given]
        used = [pair for key, pair in builder.captured.items() if key not in given]
        numbers = {id(x): number for number, x in enumerate(tensors)}
        self.captured = tuple(numbers.get(id(x), x) for x, _ in used)
        _refuse_computed(x for x in self.captured if isinstance(x, Tensor))
        order = {id(x): number for number, x in enumerate(generators)}
        self.keys = tuple(order[id(generator)] for generator, _ in loan.keys)
        self.handles = [value for _, value in (*own, *used, *loan.keys)]
        assert builder.writes is not None
        self.edges = [builder.writes.before(value) for value in self.handles]
        self.places = {id(x): number for number, x in enumerate(self.handles)}
        self.fixed = {
            number: x for number, x in enumerate(self.captured, len(own)) if isinstance(x, Tensor)
        }
        """The inputs that are always the same."""
        self.outputs: list[Value] = []
        self.given_out: dict[int, Output] = {}
        """By identity: which output a value is already."""

    def results(self, found: Sequence[Any]) -> tuple[Any, ...]:
        """Say what each leaf of the result is."""
        return tuple(self._result(x) for x in found)

    def _result(self, x: Any) -> Any:
        if isinstance(x, Tensor):
            if id(x) not in self.builder.captured:
                return Fixed(x.data.copy())
            x = self.builder.captured[id(x)][1]
        if isinstance(x, np.ndarray):
            return Fixed(x.copy(), plain=True)
        if not isinstance(x, Value):
            return self._plain(x)
        self.builder.check_own(x)
        number = self.places.get(id(x))
        if number is None:
            if id(x) not in self.given_out:
                self.given_out[id(x)] = self._output(x)
            return self.given_out[id(x)]
        return Fixed(self.fixed[number].data.copy()) if number in self.fixed else Given(number)

    def _output(self, x: Value) -> Output:
        self.outputs.append(Value(x.edge, self.builder))
        return Output(len(self.outputs) - 1)

    def _plain(self, x: Any) -> Any:
        known = isinstance(x, (*PLAIN, range, slice, type, types.FunctionType, types.ModuleType))
        if known or any(x is leaf for leaf in self.call.leaves) or x is Ellipsis:
            return x
        raise CaptureError(
            f"a compiled function gives {type(x).__name__}, which is no tensor: {x!r:.60}",
            why="it would be the one that was made while the function was traced, for ever",
            attempt="tensors, numbers and texts, nested in tuples, lists and dicts",
        )

    def written(self) -> tuple[Written, ...]:
        """Say which inputs get new numbers."""
        found = []
        for number, (x, before) in enumerate(zip(self.handles, self.edges, strict=True)):
            if x.edge.key != before.key:
                recorded = recorded_edge(x.edge).key != before.key
                found.append(Written(number, self._output(x).number, recorded))
        return tuple(found)


def _refuse_rearranged(call: Call, given: Sequence[Any], arguments: Mapping[str, Any]) -> None:
    """Refuse a function that changes a list or a dict that it is given: it has a copy of it."""
    start = 0
    for (name, value), before in zip(arguments.items(), call.structure.parts, strict=True):
        leaves, now = tree.flatten(value)
        first, start = start, start + before.size
        if now == before and all(map(is_, leaves, given[first:start])):
            continue
        raise CaptureError(
            f"a compiled function changes what the {type(value).__name__} {name} holds",
            why="it would be changed once, while the function is traced, and never again",
            attempt="giving what is new as a result; x.copy_(...) writes to a tensor",
        )


def _refuse_computed(tensors: Iterable[Tensor]) -> None:
    """Refuse tensors whose way back was recorded once: it would be gone at the next call."""
    for x in tensors:
        if x.edge is not None and x.edge.node is not None and x.edge.node.operator is not LEAF:
            raise CaptureError(
                f"a tensor of shape {x.shape}, made by {x.edge.node.operator.name}, was computed "
                "of tensors that the compiled function finds in a place that is not looked at",
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
