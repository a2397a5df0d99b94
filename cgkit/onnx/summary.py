"""Run a graph once, and say what it cost: counted before, measured meanwhile.

    graph, arrays ─ measured ─> outputs
                              ─> parameters, FLOPs, peak memory     by the cost model
                              ─> seconds, for each operator too     by the clock

A size that only the run tells is read off the values, so the counts are those of this run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cgkit.cost import cost, flops
from cgkit.graph import Graph
from cgkit.interpret import bind, run
from cgkit.memory import Liveness, liveness
from cgkit.node import CONSTANT, SOURCES, Node
from cgkit.types import TensorType, size_at, solve


@dataclass(frozen=True)
class Share:
    """What one operator of a graph did in a run."""

    node: Node
    name: str
    """Its own, or of the first named node that reads it: the model knows both as one."""
    result: TensorType
    """The type of its first result, all sizes known."""
    flops: int
    seconds: float


@dataclass(frozen=True)
class Summary:
    """What a run gave, and what it cost."""

    outputs: tuple[np.ndarray, ...]
    parameters: int
    """Numbers in variables, and in floating constants of more than one: weights, however named."""
    constants: int
    """Numbers in other constants of more than one."""
    shares: tuple[Share, ...]
    """What each operator did, in order."""
    memory: Liveness
    """How long each tensor must be there; outputs are kept to the end."""

    @property
    def flops(self) -> int:
        """Floating-point operations of the run."""
        return sum(share.flops for share in self.shares)

    @property
    def seconds(self) -> float:
        """How long all operators took."""
        return sum(share.seconds for share in self.shares)

    def costliest(self, number: int) -> list[Share]:
        """Give the operators with the most floating-point operations, the largest first."""
        ordered = sorted(self.shares, key=lambda share: -share.flops)
        return [share for share in ordered[:number] if share.flops]


@dataclass
class _Watch:
    """Looks at each node as it is done."""

    binding: dict[str, int]
    tell: Callable[[Node], None]
    seconds: dict[Node, float] = field(default_factory=dict)
    before: float = 0.0

    def __call__(self, node: Node, results: tuple[np.ndarray, ...]) -> None:
        now = time.perf_counter()
        self.seconds[node] = now - self.before
        for known, result in zip(node.results or (), results, strict=True):
            solve(known.shape, result.shape, self.binding)
        self.tell(node)
        self.before = time.perf_counter()


def measured(
    graph: Graph, arrays: Sequence[np.ndarray], *, tell: Callable[[Node], None] = lambda node: None
) -> Summary:
    """Run a graph on arrays, and say what that cost.

    Parameters
    ----------
    graph
        What to run.
    arrays
        A value for each input, in order.
    tell
        Called with each node when it is done.

    Raises
    ------
    ShapeError, DtypeError
        The arrays do not fit.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder((None, 3), name="x")
    >>> found = measured(x.builder.graph([x @ x.T]), [np.ones((2, 3))])
    >>> found.flops, found.memory.peak.nbytes, [share.result for share in found.costliest(5)]
    (24, 80, [float64[2, 2]])
    """
    watch = _Watch(bind(graph, arrays), tell)
    watch.before = time.perf_counter()
    outputs = run(graph, *arrays, observe=watch)
    names = called(graph)
    shares = tuple(
        _share(node, names[node], watch.binding, watch.seconds[node])
        for node in graph.nodes
        if node.operator not in SOURCES
    )
    fixed = [node.value for node in graph.nodes if node.operator is CONSTANT
             and node.value is not None and node.value.size > 1]  # fmt: skip
    weights = sum(array.size for array in fixed if array.dtype.kind == "f")
    return Summary(
        outputs,
        size_at(cost(graph).parameters, {}) + weights,
        sum(array.size for array in fixed) - weights,
        shares,
        liveness(graph).at(watch.binding),
    )


def called(graph: Graph) -> dict[Node, str]:
    """Name each node: by its own name, or that of the first reader that has one, or ""."""
    readers = graph.consumers
    names: dict[Node, str] = {}
    for node in reversed(graph.nodes):
        names[node] = node.name or next((names[n] for n in readers[node] if names[n]), "")
    return names


def _share(node: Node, name: str, binding: Mapping[str, int], seconds: float) -> Share:
    first = (node.results or ())[0]
    shape = tuple(size_at(size, binding) for size in first.shape)
    known = TensorType(shape, first.dtype)
    return Share(node, name, known, size_at(flops(node), binding), seconds)
