"""Gradients of a static graph: more nodes of the same graph.

y ─ gradients(y, [x]) ─> nodes that compute dy/dx, to be run, fused or differentiated like any
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cgkit import operators as ops
from cgkit.autodiff import add_gradient, needed, sweep
from cgkit.errors import GradientError
from cgkit.node import Node
from cgkit.operators.movement import unbroadcast
from cgkit.order import topological_order
from cgkit.symbolic.builder import GraphBuilder
from cgkit.symbolic.value import Value


def gradients(y: Value, xs: Sequence[Value], seed: Value | None = None) -> list[Value | None]:
    """Add to a graph the nodes that compute the gradients of a value.

    Parameters
    ----------
    y
        What to differentiate; the sum of its elements if it has several.
    xs
        By what: placeholders, variables or values in between.
    seed
        The gradient of y to begin with; ones by default.

    Returns
    -------
    list of Value or None
        A gradient for each x; None where y does not depend on it or it is not floating.

    Raises
    ------
    GradientError, CaptureError
        y is not floating; a value belongs to another graph.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((), name="x")
    >>> (slope,) = gradients(x * x, [x])
    >>> print(builder.graph([slope]))
    graph(x: float64[])
      p = mul(1.0, x)     float64[]
      p1 = mul(1.0, x)    float64[]
      s = add(p, p1)      float64[]
      return s
    """
    builder = y.builder
    if not isinstance(builder, GraphBuilder):
        raise GradientError(f"{y!r} belongs to no graph that can still grow")
    for value in (y, *xs, *(() if seed is None else (seed,))):
        builder.check_own(value)
    if y.dtype.kind != "f":
        raise GradientError(f"only floating values have gradients, this one is {y.dtype}")
    if seed is None:
        seed = builder.constant(1.0, y.dtype)
        if y.shape:
            seed = ops.ALL["broadcast_to"](seed, shape=y.shape)
    nodes = topological_order(y.node)
    wanted = {x.node for x in xs if x.dtype.kind == "f"}
    through = needed(nodes, wanted)
    found: dict[Any, Value] = {}

    def deliver(node: Node, gradient: Any) -> Any:
        if node in wanted:
            parts = gradient if isinstance(gradient, dict) else {0: gradient}
            found.update({(node, i): part for i, part in parts.items()})
        return gradient

    def read(node: Node) -> tuple[Any, list[Any]]:
        results = [Value(edge, builder) for edge in node.edges]
        return results[0], [Value(edge, builder) for edge in node.inputs]

    grads: dict[Node, Any] = {}
    if y.node in through:
        add_gradient(grads, y.node, y.edge.index, seed)
    sweep(
        [node for node in nodes if node in through], grads,
        read=read, unbroadcast=unbroadcast, deliver=deliver, through=through, retain=True,
    )  # fmt: skip
    return [found.get(x.edge.key) for x in xs]
