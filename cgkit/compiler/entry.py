"""A traced function ready to be called: when it serves, and what a call of it does.

    guards ─ all hold? ─> arrays ─> Executable ─> Tensors
                                        │
    where a tensor requires grad ───────┴─> one node, whose gradient is a compiled graph too

What a gradient needs is computed on the way there and kept by the node, which frees it after
backward, as any node does. With create_graph the gradient is computed from the inputs alone, by
operators on Tensors, so that it can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.compiler.executable import Executable
from cgkit.compiler.facts import Call, Fact, difference
from cgkit.compiler.partition import Halves, halves
from cgkit.compiler.tracing import Fixed, Given, Output, Traced, check_sizes
from cgkit.control.inner import filled
from cgkit.control.pulls import pulled
from cgkit.errors import GradientError, ShapeError
from cgkit.graph import Graph
from cgkit.interpret import bind, check_binding, replay
from cgkit.node import Edge, Kind, MultiOperator, Node
from cgkit.operators import ALL
from cgkit.tensor import Generator, Tensor
from cgkit.tensor.inplace import check_writable, write
from cgkit.tensor.modes import grad_enabled, set_grad
from cgkit.types import TensorType

ndarray = np.ndarray
wrap = Tensor.wrap


class Entry:
    """One compiled form of a function.

    Parameters
    ----------
    traced
        The function as a graph, for one sort of calls.
    graph
        What passes have made of it.
    guards
        The facts that a call must share, but for open sizes.
    name
        The function's.
    ready
        Makes a graph an executable.
    changed
        The places that the function changed while it was traced, and will not change again.
    known
        All facts that there were, if more than the guards: a further one is another sort of call.
    places
        Where the tensors were found that the function reads by itself.
    """

    def __init__(
        self,
        traced: Traced,
        graph: Graph,
        guards: Mapping[Fact, Any],
        name: str,
        ready: Callable[[Graph], Executable] = Executable,
        changed: tuple[str, ...] = (),
        known: Iterable[Fact] = (),
        places: Sequence[str] = (),
    ) -> None:
        self.changed = changed
        self.traced = traced
        self.graph = graph
        self.guards = dict(guards)
        self.takes = [edge.node.name for edge in traced.graph.inputs if edge.node is not None]
        """What each input is: an argument, a place, or nothing that anybody would know."""
        for i, x in enumerate(traced.captured, len(traced.leaves)):
            self.takes[i] = places[x] if isinstance(x, int) else ""
        self._known = frozenset(known) | self.guards.keys()
        self.name = name
        self.calls = 0
        self._ready = ready
        self.executable = ready(graph)
        self._ways: dict[tuple[int, ...], Way] = {}
        slopes = any(edge.dtype.kind == "f" for edge in graph.outputs)
        self._floating = tuple(
            i for i, edge in enumerate(graph.inputs) if slopes and edge.dtype.kind == "f"
        )
        self._alone = traced.results == (Output(0),) and traced.structure == tree.LEAF
        self._apart = frozenset(written.number for written in traced.written)

    def failures(self, call: Call, facts: Mapping[Fact, Any]) -> list[str]:
        """Say why a call is not of this sort; nothing if it is."""
        wrong = [
            difference(fact, expected, facts)
            for fact, expected in self.guards.items()
            if fact not in facts or facts[fact] != expected
        ]
        wrong += [
            f"{place}: {what} is {facts[place, what]}, was not there"
            for place, what in facts.keys() - self._known
        ]
        return wrong or self._wrong_sizes(call)

    def _wrong_sizes(self, call: Call) -> list[str]:
        binding: dict[str, int] = {}
        for name, spots in self.traced.sizes.items():
            for i, axis in spots:
                size = call.leaves[i].shape[axis]
                place = f"{call.places[i]}: size {axis}"
                if size in (0, 1):
                    return [f"{place} was open, is {size}, which is always a case of its own"]
                if binding.setdefault(name, size) != size:
                    return [f"{place} was equal to another size, {binding[name]}, is {size}"]
        for look in self.traced.looks:
            if not look.holds(binding):
                return [f"the size {look} was {look.answer}, is {look.ask(binding)}"]
        try:
            check_sizes(self.traced, binding)
        except ShapeError as error:
            return [f"for such sizes {error.what}"]
        return []

    def arguments(self, call: Call) -> list[Any]:
        """Give the tensors of a call, in the order in which the graph takes them."""
        return [call.leaves[i] for i in self.traced.leaves]

    def inputs(self, given: Sequence[Any], tensors: Sequence[Tensor]) -> list[Any]:
        """Give all tensors that the graph takes.

        Parameters
        ----------
        given
            The tensors of the call.
        tensors
            What the function reads by itself now.
        """
        found = [tensors[x] if isinstance(x, int) else x for x in self.traced.captured]
        return [*given, *found]

    def shares(self, inputs: Sequence[Any]) -> bool:
        """Say whether a tensor that is written to lies in the memory of another input."""
        arrays = [_data(x) for x in inputs]
        return any(
            number != written.number and np.may_share_memory(array, arrays[written.number])
            for written in self.traced.written
            for number, array in enumerate(arrays)
        )

    def __call__(self, inputs: Sequence[Any], generators: Sequence[Generator] = ()) -> Any:
        """Do what the function does.

        Parameters
        ----------
        inputs
            What `inputs` gave.
        generators
            What hands out keys to the function.
        """
        traced = self.traced
        tensors = inputs
        if traced.keys:
            tensors = [*inputs, *(np.asarray(generators[i].key()) for i in traced.keys)]
        arrays = [x if x.__class__ is ndarray else x.data for x in tensors]
        if traced.written:
            self._check_writable(tensors)
        wanted = self._wanted(tensors)
        found = self._recorded(tensors, arrays, wanted) if wanted else self._plain(arrays)
        self.calls += 1
        if traced.written:
            self._write(tensors, found)
        if self._alone:
            return found[0]
        results = [
            found[x.number] if isinstance(x, Output)
            else _as_tensor(tensors[x.number]) if isinstance(x, Given)
            else _anew(x) if isinstance(x, Fixed) else x
            for x in traced.results
        ]  # fmt: skip
        return tree.unflatten(traced.structure, results)

    def _check_writable(self, tensors: Sequence[Any]) -> None:
        for written in self.traced.written:
            x = tensors[written.number]
            if isinstance(x, Tensor):
                with set_grad(written.recorded and grad_enabled()):
                    check_writable(x)

    def _write(self, tensors: Sequence[Any], found: Sequence[Tensor]) -> None:
        """Copy back what the function has written to its tensors."""
        for written in self.traced.written:
            x, new = tensors[written.number], found[written.output]
            if not isinstance(x, Tensor):
                x[...] = new.data
                continue
            with set_grad(written.recorded and grad_enabled()):
                write(x, ALL["overwrite"], new)

    def _wanted(self, tensors: Sequence[Any]) -> tuple[int, ...]:
        """Give the inputs by which a gradient may be wanted."""
        if not self._floating or not grad_enabled():
            return ()
        return tuple([
            i for i in self._floating
            if tensors[i].__class__ is not ndarray and tensors[i].edge is not None
        ])  # fmt: skip

    def _plain(self, arrays: Sequence[Any]) -> list[Tensor]:
        return [wrap(array) for array in self.executable(*arrays)]

    def _recorded(
        self, tensors: Sequence[Any], arrays: Sequence[Any], wanted: tuple[int, ...]
    ) -> list[Tensor]:
        if wanted not in self._ways:
            self._ways[wanted] = Way(self.graph, halves(self.graph, wanted), self.name, self._ready)
        way = self._ways[wanted]
        return way.record(tensors, arrays, self._apart) if way.parts.given else self._plain(arrays)


def _data(x: Any) -> Any:
    return x.data if isinstance(x, Tensor) else x


def _anew(x: Fixed) -> Any:
    numbers = x.numbers.copy()
    return numbers if x.plain else Tensor.wrap(numbers)


def _as_tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else Tensor(x)


class Unread(list[int]):
    """The version of an operand whose numbers only a gradient with create_graph reads.

    A plain way back may go on when they have changed, so it finds 0 here, as ever.
    """

    def __init__(self, version: list[Any]) -> None:
        super().__init__([0])
        self.version = version
        self.expected = version[0]


class Way:
    """A graph there and back, for gradients by some of its inputs."""

    def __init__(
        self, graph: Graph, parts: Halves, name: str, ready: Callable[[Graph], Executable]
    ) -> None:
        self.graph = graph
        self.parts = parts
        self.there = ready(parts.forward)
        self.back = ready(parts.backward)
        self.operator = MultiOperator(
            f"compiled {name}", self.compute, self.infer, gradient=self.gradient,
            kind=Kind.OPAQUE, family="control",
        )  # fmt: skip

    def compute(self, *arrays: Any) -> tuple[Any, ...]:
        """Compute the outputs on arrays."""
        return self.there(*arrays)[: len(self.graph.outputs)]

    def infer(self, *types: TensorType) -> tuple[TensorType, ...]:
        """Give the types of the outputs."""
        return tuple(edge.type for edge in self.graph.outputs)

    def record(
        self, tensors: Sequence[Any], arrays: Sequence[Any], apart: Collection[int] = ()
    ) -> list[Tensor]:
        """Compute the outputs, and the node that knows the way back.

        Parameters
        ----------
        tensors, arrays
            A value for each input.
        apart
            Which of them are about to be written to, so that their numbers are kept apart.
        """
        found = self.there(*arrays)
        count = len(self.graph.outputs)
        kept = found[count:]
        inputs = [
            x.edge if i in self.parts.wanted else Edge(None, 0, a.shape, a.dtype)
            for i, (x, a) in enumerate(zip(tensors, arrays, strict=True))
        ]
        inputs += [Edge(None, 0, a.shape, a.dtype) for a in kept]
        saved: tuple[Any, ...] = ()
        for i, (x, array) in enumerate(zip(tensors, arrays, strict=True)):
            version: list[Any] = [0]
            if i in apart:
                array = array.copy()
            elif isinstance(x, Tensor):
                version = x.version if i in self.parts.read else Unread(x.version)
            saved += (i, array, version, version[0])
        for i, array in enumerate(kept):
            saved += (len(tensors) + i, array, [0], 0)
        node = Node(self.operator, tuple(inputs), {}, saved)
        return [
            Tensor.wrap(a, Edge(node, i, a.shape, a.dtype) if i in self.parts.given else None)
            for i, a in enumerate(found[:count])
        ]

    def gradient(self, g: Mapping[int, Any], y: Any, *operands: Any) -> tuple[Any, ...]:
        """Give a gradient for each wanted input."""
        count = len(self.graph.inputs)
        inputs, kept = operands[:count], operands[count:]
        like = next(iter(g.values()))
        seeds = [g[i] if i in g else self._zeros(i, inputs, like) for i in self.parts.given]
        if isinstance(like, Tensor):
            again = [self._again(i, x) for i, x in enumerate(inputs)]
            found: Sequence[Any] = replay(self.pulled, [*again, *seeds])
        else:
            read, sized = (
                [inputs[i] for i in part] for part in (self.parts.read, self.parts.sized)
            )
            found = self.back(*read, *kept, *seeds, *sized)
        by_place = dict(zip(self.parts.wanted, found, strict=True))
        return tuple(by_place.get(i) for i in range(len(operands)))

    @cached_property
    def pulled(self) -> Graph:
        """The gradients, computed from the operands alone."""
        return pulled(self.graph, self.parts.wanted, self.parts.given)

    @cached_property
    def reads(self) -> frozenset[int]:
        """The operands whose numbers that reads."""
        read = {edge.key for node in self.pulled.nodes for edge in node.inputs}
        return frozenset(i for i, edge in enumerate(self.pulled.inputs) if edge.key in read)

    def _again(self, number: int, x: Any) -> Tensor:
        """Give an operand as it was, to compute with it again."""
        if not isinstance(x, Tensor) or not isinstance(x.version, Unread):
            return _as_tensor(x)
        now, expected = x.version.version, x.version.expected
        if now[0] != expected and number in self.reads:
            raise GradientError(
                f"a tensor that {self.operator.name} reads again (operand {number} of shape "
                f"{x.shape}) was changed by an in-place operation: it is at version {now[0]}; "
                f"expected version {expected}",
                why="with create_graph the gradient is computed from the operands alone",
                attempt="x = x + ... instead of x.add_(...), or the write after backward",
            )
        return Tensor.wrap(x.data, x.edge, now)

    def _zeros(self, number: int, inputs: Sequence[Any], like: Any) -> Any:
        """Give zeros for an output that nobody went back from."""
        shapes = [TensorType(x.shape, x.dtype) for x in inputs]
        known = _types_at(self.graph, shapes)[number]
        return filled(like, known)


def _types_at(graph: Graph, types: Sequence[TensorType]) -> list[TensorType]:
    """Give the types of a graph's outputs for inputs of known sizes."""
    shapes = [tuple(int(size) for size in t.shape) for t in types]
    binding = bind(graph, [np.broadcast_to(0, shape) for shape in shapes])
    bound = check_binding(graph, binding)
    return [bound[edge.key] for edge in graph.outputs]
