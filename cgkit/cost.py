"""What a graph costs before it runs: parameters, floating-point operations, bytes.

    (32, 784) @ (784, 256)  ─>  2 * 32 * 784 * 256 = 12,845,056 FLOPs

A multiply-add counts 2, an elementwise operator 1 for each element. Open sizes stay open: the cost
of a batch of N is a Dim. The body of a scan counts once for each step; that of a while_loop, whose
steps nobody knows before it runs, counts once; of branches the one counts that costs most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cgkit.graph import Graph, expect_graph, expect_node
from cgkit.node import SOURCES, VARIABLE, Node
from cgkit.types import Size, size_at


@dataclass(frozen=True)
class Cost:
    """The cost of a graph or of a part of it."""

    parameters: Size
    """Elements of its variables."""
    flops: Size
    """Floating-point operations of one run."""
    read: Size
    """Bytes that its operators read, each operand once for each reader."""
    written: Size
    """Bytes that its operators write."""

    def at(self, binding: Mapping[str, int]) -> Cost:
        """Give the cost with open sizes known.

        Examples
        --------
        >>> from cgkit import Dim
        >>> Cost(0, Dim("N") * 2, 0, 0).at({"N": 32}).flops
        64
        """
        sizes = (self.parameters, self.flops, self.read, self.written)
        return Cost(*(size_at(size, binding) for size in sizes))


def flops(node: Node) -> Size:
    """Count the floating-point operations of one node; 0 where its operator only moves data."""
    if expect_node(node).operator in SOURCES or node.operator.flops is None:
        return 0
    results = node.results or ()
    return node.operator.flops(results[0], *(e.type for e in node.inputs), **node.params)


def cost(graph: Graph) -> Cost:
    """Add up what a graph costs.

    Examples
    --------
    >>> import numpy as np
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((32, 784), "float32", name="x")
    >>> w = builder.variable(np.zeros((784, 256), "float32"), name="w")
    >>> cost(builder.graph([x @ w]))
    Cost(parameters=200704, flops=12845056, read=903168, written=32768)
    """
    parameters: Size = 0
    operations: Size = 0
    read: Size = 0
    written: Size = 0
    for node in expect_graph(graph).nodes:
        if node.operator is VARIABLE:
            parameters = parameters + (node.results or ())[0].size
        if node.operator in SOURCES:
            continue
        operations = operations + flops(node)
        for inner, times in node.operator.runs(**node.params) if node.operator.runs else ():
            once = cost(inner)
            read, written = read + once.read * times, written + once.written * times
        read = sum((edge.type.nbytes for edge in node.inputs), read)
        written = sum((result.nbytes for result in node.results or ()), written)
    return Cost(parameters, operations, read, written)
