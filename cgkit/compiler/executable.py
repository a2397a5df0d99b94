"""A graph made ready to run many times: its steps in a row, their results in buffers that stay.

    Graph ─ ready ─> step, step, step ...      what is read stands in numbered slots
                       │
                       └─ into: a buffer of its own, where the operator can write into one

The first run computes as the interpreter does and keeps what it allocated; later runs of the same
sizes write into it, so the numbers are the same to the last bit. Results that are given away are
never buffers: nobody's numbers change under him. Two threads do not share buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cgkit.graph import Graph
from cgkit.interpret import bind, bind_params, check_binding, compute, own_symbols, told
from cgkit.node import SOURCES, Node, Operator
from cgkit.operators import ALL
from cgkit.symbolic.writes import INSTEAD

Array = np.ndarray
ndarray = np.ndarray
ALIKE: Mapping[Operator, int] = {ALL["stop_gradient"]: 0, INSTEAD: 1}
"""Operators that give the numbers of an operand: which one."""
KEPT_SIZES = 8
"""For how many settings of open sizes buffers are kept."""


@dataclass(frozen=True, eq=False)
class Step:
    """One node, with the slots that it reads and fills."""

    node: Node
    reads: tuple[int, ...]
    fills: tuple[int, ...]
    into: Callable[..., Any] | None
    """Computes into memory that is given; None where the operator cannot, or must not."""


@dataclass
class Buffers:
    """What one run at a time writes into, for inputs of one layout."""

    binding: dict[str, int]
    acts: list[tuple[Callable[..., Any], Any, tuple[int, ...], tuple[int, ...], Any]] = field(
        default_factory=list
    )
    """What each step does: a function, its buffer if it has one, what it reads and fills, and its
    params with all sizes known; written down by the first run."""
    held: list[bool] = field(default_factory=list)
    """For each output, whether it may be, or show, what is not the caller's alone."""
    allocated: int = 0


class Executable:
    """A graph, ready to run.

    Parameters
    ----------
    graph
        What to run.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((3,), name="x")
    >>> ready = Executable(builder.graph([(x + 1.0) * 2.0 - x]))
    >>> ready(np.ones(3)), ready(np.zeros(3))
    ((array([3., 3., 3.]),), (array([2., 2., 2.]),))
    >>> ready.launches, ready.allocated
    (3, 1)
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.slots: dict[Any, int] = {}
        self.steps: list[Step] = []
        self.runs = 0
        self.allocated = 0
        """How many arrays the last run allocated."""
        self._count = 0
        self._first: list[Any] = []
        self._free: dict[Any, list[Buffers]] = {}
        self._tells = bool(own_symbols(graph))
        self._lay_out()

    @property
    def launches(self) -> int:
        """How many operators a run computes."""
        return len(self.steps)

    def _lay_out(self) -> None:
        for edge in self.graph.inputs:
            self._slot(edge.key)
        given = self._count
        fixed: list[tuple[int, Array]] = []
        nodes = [node for node in self.graph.nodes if (node, 0) not in self.slots]
        for node in nodes:
            alike = ALIKE.get(node.operator)
            if alike is not None:  # the numbers of an operand, only gradients tell them apart
                self.slots[node, 0] = self.slots[node.inputs[alike].key]
                continue
            places = [self._slot(edge.key) for edge in node.edges]
            if node.operator in SOURCES:
                assert node.value is not None
                fixed.append((places[0], node.value))
        self.outputs = [self.slots[edge.key] for edge in self.graph.outputs]
        for node in nodes:
            if node.operator not in SOURCES and node.operator not in ALIKE:
                self.steps.append(self._step(node))
        self._first = [None] * (self._count - given)
        for slot, value in fixed:
            self._first[slot - given] = value

    def _slot(self, key: Any) -> int:
        if key not in self.slots:
            self.slots[key] = self._count
            self._count += 1
        return self.slots[key]

    def _step(self, node: Node) -> Step:
        fills = tuple(self.slots[edge.key] for edge in node.edges)
        reads = tuple(self.slots[edge.key] for edge in node.inputs)
        into = node.operator.into
        if node.operator.several or self._tells or fills[0] in self.outputs:
            into = None
        return Step(node, reads, fills, into)

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """Run it on arrays of the types of its inputs."""
        key = tuple([(x.shape, x.strides) for x in arrays])  # sums follow the layout
        free = self._free.get(key)
        slots = [*arrays, *self._first]
        with np.errstate(all="ignore"):
            if free:
                buffers = free.pop()
                self._again(slots, buffers)
                self.allocated = buffers.allocated
            else:
                buffers = self._run(slots)
                self.allocated = buffers.allocated + sum(act[1] is not None for act in buffers.acts)
        self.runs += 1
        if not self._tells:
            self._keep(key, buffers)
        return tuple(
            [
                slots[slot].copy("K") if held else slots[slot]
                for slot, held in zip(self.outputs, buffers.held, strict=True)
            ]
        )

    def _keep(self, key: Any, buffers: Buffers) -> None:
        """Keep buffers for the next run on inputs of this layout."""
        free = self._free.get(key)
        if free is None:
            while len(self._free) >= KEPT_SIZES:
                self._free.pop(next(iter(self._free)), None)
            free = self._free[key] = []
        free.append(buffers)

    def _again(self, slots: list[Any], buffers: Buffers) -> None:
        """Run once more, into the same buffers."""
        try:
            for act, buffer, reads, fills, params in buffers.acts:
                operands = [slots[place] for place in reads]
                if buffer is not None:
                    act(buffer, *operands, **params)
                    slots[fills[0]] = buffer
                    continue
                found = act(*operands, **params)
                if found.__class__ is tuple:
                    for place, each in zip(fills, found, strict=True):
                        slots[place] = each if each.__class__ is ndarray else np.asarray(each)
                else:
                    slots[fills[0]] = found if found.__class__ is ndarray else np.asarray(found)
        except Exception:
            self._run(slots)  # it fails again, and says where
            raise

    def _run(self, slots: list[Any]) -> Buffers:
        """Run as the interpreter does, and write down what there is to do."""
        binding = bind(self.graph, slots[: len(self.graph.inputs)])
        if binding:
            check_binding(self.graph, binding)
        buffers = Buffers(binding)
        fresh: set[int] = set()
        for step in self.steps:
            reads = [slots[slot] for slot in step.reads]
            results = compute(step.node, reads, binding)
            if step.node.operator.tells:
                told(step.node, results, binding)
            for slot, result in zip(step.fills, results, strict=True):
                slots[slot] = result
                if step.node.operator.family != "control" and _own(result, reads):
                    fresh.add(slot)
            own = step.into is not None and step.fills[0] in fresh
            buffers.acts.append((
                step.into if own and step.into is not None else step.node.operator.compute,
                results[0] if own else None, step.reads, step.fills,
                bind_params(step.node.params, binding) if binding else dict(step.node.params),
            ))  # fmt: skip
            buffers.allocated += 0 if own else sum(slot in fresh for slot in step.fills)
        if self._tells:
            check_binding(self.graph, binding)
        for slot in self.outputs:
            buffers.held.append(slot not in fresh)
            fresh.discard(slot)  # whoever gets it a second time gets a copy
        buffers.allocated += sum(buffers.held)
        return buffers


def _own(result: Array, reads: Sequence[Array]) -> bool:
    """Say whether a result is memory of its own, which may be written to again."""
    return result.base is None and result.flags.writeable and all(result is not x for x in reads)
