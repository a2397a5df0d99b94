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
from cgkit.interpret import bind, bind_params, check_binding, compute, told
from cgkit.node import SOURCES, Node

Array = np.ndarray
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
    """What one run at a time writes into, for one setting of open sizes."""

    binding: dict[str, int]
    params: list[dict[str, Any]]
    arrays: dict[int, Array] = field(default_factory=dict)
    """By slot; filled by the first run."""


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
        self.fixed: list[tuple[int, Array]] = []
        self.steps: list[Step] = []
        self.runs = 0
        self.allocated = 0
        """How many arrays the last run allocated."""
        self._free: dict[tuple[tuple[str, int], ...], list[Buffers]] = {}
        self._lay_out()

    @property
    def launches(self) -> int:
        """How many operators a run computes."""
        return len(self.steps)

    def _lay_out(self) -> None:
        for edge in self.graph.inputs:
            self._slot(edge.key)
        given = set(self.slots)
        away = {edge.key for edge in self.graph.outputs}
        for node in self.graph.nodes:
            if (node, 0) in given:
                continue
            fills = tuple(self._slot(edge.key) for edge in node.edges)
            if node.operator in SOURCES:
                assert node.value is not None
                self.fixed.append((fills[0], node.value))
                continue
            reads = tuple(self.slots[edge.key] for edge in node.inputs)
            stays = (node, 0) not in away and not node.operator.several
            into = node.operator.into if stays else None
            self.steps.append(Step(node, reads, fills, into))
        self.outputs = [self.slots[edge.key] for edge in self.graph.outputs]
        made = {step.fills[0] for step in self.steps if step.into is not None}
        self._copied = [self._may_be_held(slot, made) for slot in self.outputs]

    def _slot(self, key: Any) -> int:
        return self.slots.setdefault(key, len(self.slots))

    def _may_be_held(self, slot: int, made: set[int]) -> bool:
        """Say whether an output may be, or show, what is not the caller's alone."""
        makers = {fill: step for step in self.steps for fill in step.fills}
        step = makers.get(slot)
        fresh = step is not None and step.node.operator.into is not None
        return not fresh or self.outputs.count(slot) > 1

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """Run it on arrays of the types of its inputs."""
        binding = bind(self.graph, arrays)
        key = tuple(sorted(binding.items()))
        free = self._free.setdefault(key, [])
        try:
            buffers = free.pop()
        except IndexError:
            buffers = self._buffers(binding)
        slots: list[Any] = [None] * len(self.slots)
        slots[: len(arrays)] = arrays
        for slot, value in self.fixed:
            slots[slot] = value
        with np.errstate(all="ignore"):
            self.allocated = self._run(slots, buffers)
        self.runs += 1
        free.append(buffers)
        if len(self._free) > KEPT_SIZES:
            del self._free[next(iter(self._free))]
        return tuple(
            slots[slot].copy() if held else slots[slot]
            for slot, held in zip(self.outputs, self._copied, strict=True)
        )

    def _buffers(self, binding: Mapping[str, int]) -> Buffers:
        if binding:
            check_binding(self.graph, binding)
        params = [
            bind_params(step.node.params, binding) if binding else dict(step.node.params)
            for step in self.steps
        ]
        return Buffers(dict(binding), params)

    def _run(self, slots: list[Any], buffers: Buffers) -> int:
        allocated = sum(self._copied)
        for step, params in zip(self.steps, buffers.params, strict=True):
            reads = [slots[slot] for slot in step.reads]
            if step.into is not None:
                place = step.fills[0]
                buffer = buffers.arrays.get(place)
                if buffer is not None and step.into is not None:
                    step.into(buffer, *reads, **params)
                    slots[place] = buffer
                    continue
            results = compute(step.node, reads, buffers.binding)
            allocated += len(results)
            if step.node.operator.tells:
                told(step.node, results, buffers.binding)
            for slot, result in zip(step.fills, results, strict=True):
                slots[slot] = result
            if step.into is not None and _own(results[0], reads):
                buffers.arrays[step.fills[0]] = results[0]
        return allocated


def _own(result: Array, reads: Sequence[Array]) -> bool:
    """Say whether a result is memory of its own, which may be written to again."""
    return result.base is None and result.flags.writeable and all(result is not x for x in reads)
