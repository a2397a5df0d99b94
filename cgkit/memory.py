"""How long each tensor of a graph must be there, and how much memory that takes at once.

                 step   0 s=x+1   1 p=s*s   2 y=p-s
    s = add(x, 1)       ████████████████████████████      made at 0, last read at 2
    p = mul(s, s)                 ██████████████████
    y = sub(p, s)                           ████████      an output: kept to the end
                        8 bytes   16        24            the peak: step 2

A step is an operator of the graph, in the order in which they run. What is counted:

- every result of every operator, as an array of its own. A reshape or a slice may share the memory
  of what it reads; here it does not, so the figures are what a plain executor needs at most.
- from the step that makes it to the last one that reads it, both included: an operator's operands
  and its results are there together. What nobody reads is there at its own step only.
- outputs to the end, unless they are left out: they are the caller's.
- what graphs inside an operator hold at most while it runs: a branch, or one step of a loop.
- not inputs, variables and constants: they are there all along (`Liveness.held`). Nor what any
  other operator needs for itself while it computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from cgkit.errors import GraphError, ShapeError
from cgkit.graph import Graph, expect_graph
from cgkit.node import SOURCES, Edge, Node
from cgkit.order import verify_order
from cgkit.types import Dim, Size, TensorType, least, size_at


@dataclass(frozen=True)
class Lifetime:
    """When one tensor must be there, and how large it is."""

    edge: Edge
    """The tensor: an output of an operator."""
    nbytes: Size
    first: int
    """The step that makes it."""
    last: int
    """The last step at which it is there; never before `first`."""

    def at_step(self, step: int) -> bool:
        """Say whether it is there at a step."""
        return self.first <= step <= self.last


@dataclass(frozen=True)
class Peak:
    """The step at which most is there at once, the first if there are several."""

    nbytes: Size
    step: int
    """Its place in `Liveness.steps`; -1 in a graph that computes nothing."""
    node: Node | None
    """The operator that runs then."""
    lifetimes: tuple[Lifetime, ...]
    """What is there then, in the order in which it was made."""
    inside: Size = 0
    """Bytes of it that graphs inside the operator hold."""


@dataclass(frozen=True)
class Liveness:
    """The lifetimes of a graph's tensors in one order."""

    steps: tuple[Node, ...]
    """The operators in the order in which they run."""
    lifetimes: tuple[Lifetime, ...]
    """One for each tensor that is counted, in the order in which they are made."""
    held: Size
    """Bytes of what is there all along: inputs, variables and constants."""
    inside: Mapping[int, Size] = field(default_factory=dict)
    """For some steps, the bytes that graphs inside the operator hold at most while it runs; where
    open sizes do not say how many these are, the bytes of all their tensors."""

    @property
    def naive(self) -> Size:
        """Bytes that it takes to give every tensor a place of its own."""
        return sum((lifetime.nbytes for lifetime in self.lifetimes), 0)

    @cached_property
    def live(self) -> tuple[Size, ...]:
        """Bytes that are there at each step."""
        change: list[Size] = [0] * (len(self.steps) + 1)
        for lifetime in self.lifetimes:
            change[lifetime.first] = change[lifetime.first] + lifetime.nbytes
            change[lifetime.last + 1] = change[lifetime.last + 1] - lifetime.nbytes
        for step, nbytes in self.inside.items():
            change[step] = change[step] + nbytes
            change[step + 1] = change[step + 1] - nbytes
        total: Size = 0
        return tuple(total := total + more for more in change[:-1])

    @property
    def peak(self) -> Peak:
        """The step at which most is there.

        With open sizes there is one if some step needs at least as much as every other, whichever
        sizes from 1 on they turn out to be.

        Raises
        ------
        ShapeError
            Which step it is depends on open sizes, which are named.
        """
        if not self.steps:
            return Peak(0, -1, None, ())
        best = 0
        for step, nbytes in enumerate(self.live):
            if nbytes != self.live[best] and _at_least(nbytes, self.live[best]):
                best = step
        most = self.live[best]
        for nbytes in self.live:
            if not _at_least(most, nbytes):
                symbols = sorted(_symbols(most) | _symbols(nbytes))
                raise ShapeError(
                    f"where the peak lies depends on {', '.join(symbols)}: {most} bytes at one "
                    f"step, {nbytes} at another",
                    attempt=f".at({dict.fromkeys(symbols, 1)}).peak",
                )
        there = tuple(one for one in self.lifetimes if one.at_step(best))
        return Peak(most, best, self.steps[best], there, self.inside.get(best, 0))

    def at(self, binding: Mapping[str, int]) -> Liveness:
        """Give the same with open sizes known.

        Raises
        ------
        ShapeError
            A size is still open; it is named.

        Examples
        --------
        >>> from cgkit import GraphBuilder
        >>> x = GraphBuilder().placeholder((None,), "float32", name="x")
        >>> found = liveness(x.builder.graph([(x + 1.0) * 2.0]))
        >>> found.peak.nbytes, found.at({"N": 10}).peak.nbytes
        (8*N, 80)
        """
        lifetimes = tuple(
            replace(one, nbytes=size_at(one.nbytes, binding)) for one in self.lifetimes
        )
        inside = {step: size_at(nbytes, binding) for step, nbytes in self.inside.items()}
        return Liveness(self.steps, lifetimes, size_at(self.held, binding), inside)


def liveness(
    graph: Graph, *, order: Iterable[Node] | None = None, outputs: bool = True
) -> Liveness:
    """Find out when each tensor of a graph must be there.

    Parameters
    ----------
    graph
        Any graph.
    order
        All its nodes, each after what it reads; those of the graph as it lists them by default.
        Sources take no step.
    outputs
        Whether the graph's outputs count. They are kept to the end; whoever plans memory leaves
        them out, since they are given away.

    Returns
    -------
    Liveness
        Open sizes stay open: see `Liveness.at`.

    Raises
    ------
    GraphError
        The order is none of this graph's.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder((), name="x")
    >>> s = x + 1.0
    >>> found = liveness(x.builder.graph([s * s - s]))
    >>> found.live, found.naive, found.peak.node
    ((8, 16, 24), 24, <node sub>)
    """
    nodes = expect_graph(graph).nodes if order is None else _checked(graph, order)
    steps = tuple(node for node in nodes if node.operator not in SOURCES)
    last = {node: step for step, node in enumerate(steps)}
    ends = {(node, index): last[node] for node in steps for index in range(len(_results(node)))}
    for step, node in enumerate(steps):
        ends.update((edge.key, step) for edge in node.inputs if edge.key in ends)
    for edge in graph.outputs:
        if edge.key in ends and outputs:
            ends[edge.key] = len(steps) - 1
        elif edge.key in ends:
            del ends[edge.key]
    lifetimes = tuple(
        Lifetime(edge, edge.type.nbytes, last[node], ends[node, edge.index])
        for node in steps
        for edge in node.edges
        if (node, edge.index) in ends
    )
    held: Size = 0
    for node in nodes:
        if node.operator in SOURCES:
            held = sum((result.nbytes for result in _results(node)), held)
    inside = {step: _inside(node) for step, node in enumerate(steps) if node.operator.runs}
    return Liveness(steps, lifetimes, held, inside)


def _inside(node: Node) -> Size:
    """Count what the graphs that a node runs, one after another, hold at most."""
    most: Size = 0
    for graph, _ in node.operator.runs(**node.params) if node.operator.runs else ():
        found = liveness(graph)
        try:
            nbytes = found.peak.nbytes
        except ShapeError:  # where the peak lies depends on open sizes
            nbytes = found.naive
        if _at_least(nbytes, most):
            most = nbytes
        elif not _at_least(most, nbytes):
            most = most + nbytes
    return most


def _checked(graph: Graph, order: Iterable[Node]) -> tuple[Node, ...]:
    nodes = tuple(order)
    verify_order(nodes)
    if set(nodes) != set(graph.nodes):
        raise GraphError(
            f"the order lists {len(nodes)} nodes, which are not the graph's {len(graph.nodes)}",
            attempt="an order of graph.nodes, each once",
        )
    return nodes


def _results(node: Node) -> tuple[TensorType, ...]:
    return node.results or ()


def _symbols(size: Size) -> frozenset[str]:
    return size.symbols if isinstance(size, Dim) else frozenset()


def _at_least(left: Size, right: Size) -> bool:
    """Tell whether one size is surely not below another, open sizes being 1 or more."""
    apart = left - right
    if isinstance(apart, Dim):  # now its symbols count what is beyond 1
        apart = apart.put({symbol: Dim(symbol) + 1 for symbol in apart.symbols})
    return least(apart) >= 0
