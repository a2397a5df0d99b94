"""Gradients of a static graph: more nodes of the same graph.

y ─ gradients(y, [x]) ─> nodes that compute dy/dx, to be run, fused or differentiated like any
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cgkit import operators as ops
from cgkit.autodiff import add_gradient, needed, sweep
from cgkit.errors import CaptureError, GradientError, ShapeError
from cgkit.node import Node
from cgkit.operators.movement import unbroadcast
from cgkit.order import topological_order
from cgkit.symbolic.builder import GraphBuilder
from cgkit.symbolic.value import Value
from cgkit.types import TensorType, show_shape


def gradients(
    y: Value,
    xs: Sequence[Value] | Value,
    seed: Value | None = None,
    *,
    stop_gradients: Sequence[Value] = (),
) -> list[Value | None]:
    """Add to a graph the nodes that compute the gradients of a value.

    Parameters
    ----------
    y
        What to differentiate; the sum of its elements if it has several.
    xs
        By what: placeholders, variables or values in between; or one.
    seed
        The gradient of y to begin with, of its shape; ones by default.
    stop_gradients
        Values that count as constants: no gradient goes on behind them. They may be among xs.

    Returns
    -------
    list of Value or None
        A gradient for each x; None where y does not depend on it or it is not floating.

    Raises
    ------
    GradientError, CaptureError
        y is not floating; a value belongs to another graph, or something is no value.
    ShapeError
        The seed has another shape.

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
    xs, stops = _listed(xs), _listed(stop_gradients)
    builder = _builder_of(y)
    for value in (y, *xs, *stops, *(() if seed is None else (seed,))):
        builder.check_own(value)
    seed = filled(builder, y.type, 1.0) if seed is None else seed
    if seed.shape != y.shape:
        raise ShapeError(
            f"the seed has shape {show_shape(seed.shape)}, the value {show_shape(y.shape)}",
            why="seeds never broadcast",
        )
    return pull(builder, [(y, seed)], xs, stops)


def _listed(values: Any) -> Sequence[Any]:
    """Give one value, or what shall be several, as a list."""
    return values if isinstance(values, list | tuple) else [values]


def pull(
    builder: GraphBuilder,
    starts: Sequence[tuple[Value, Value]],
    xs: Sequence[Value],
    stops: Sequence[Value] = (),
) -> list[Value | None]:
    """Go back from several values at once, each with the gradient to begin with.

    Parameters
    ----------
    builder
        The builder of all these values.
    starts
        Floating values, and for each its gradient, of its shape.
    xs
        By what to differentiate.
    stops
        Values that count as constants.

    Returns
    -------
    list of Value or None
        For each x the sum of what arrives from all starts; None where nothing does.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x, g = builder.placeholder((), name="x"), builder.placeholder((), name="g")
    >>> print(builder.graph(pull(builder, [(x * 3.0, g), (x * 5.0, g)], [x])))
    graph(g: float64[])
      p = mul(g, 5.0)     float64[]
      p1 = mul(g, 3.0)    float64[]
      s = add(p, p1)      float64[]
      return s
    """
    nodes = topological_order(*(y.node for y, _ in starts))
    wanted = {x.node for x in xs if x.dtype.kind == "f"}
    through = needed(nodes, wanted)
    stopped = {x.edge.key for x in stops}
    found: dict[Any, Value] = {}

    def deliver(node: Node, gradient: Any) -> Any:
        several = isinstance(gradient, dict)
        parts = gradient if several else {0: gradient}
        if node in wanted:
            found.update({(node, i): part for i, part in parts.items()})
        left = {i: part for i, part in parts.items() if (node, i) not in stopped}
        return left if several and left else left.get(0)

    def read(node: Node, gradient: Any) -> list[Any]:
        result = Value(node.edges[0], builder)
        return [gradient, result, *(Value(edge, builder) for edge in node.inputs)]

    grads: dict[Node, Any] = {}
    for y, seed in starts:
        if y.node in through:
            add_gradient(grads, y.node, y.edge.index, seed)
    sweep(
        [node for node in nodes if node in through], grads,
        read=read, unbroadcast=unbroadcast, deliver=deliver, through=through, retain=True,
    )  # fmt: skip
    return [found.get(x.edge.key) for x in xs]


def _builder_of(y: Any) -> GraphBuilder:
    if not isinstance(y, Value) or not isinstance(y.builder, GraphBuilder):
        raise CaptureError(
            f"gradients are of values of a graph, not of {type(y).__name__}: {y!r:.60}",
            attempt="grad(y, xs) for Tensors",
        )
    if y.dtype.kind != "f":
        raise GradientError(f"only floating values have gradients, this one is {y.dtype}")
    return y.builder


def filled(builder: GraphBuilder, known: TensorType, number: float) -> Value:
    """Give one number as a value of a type, whose sizes may be open.

    Examples
    --------
    >>> filled(GraphBuilder(), TensorType((2,), "float32"), 1.0)
    Value(broadcast_to: float32[2])
    """
    start = builder.constant(number, known.dtype)
    if not known.shape:
        return start
    spread: Value = ops.ALL["broadcast_to"](start, shape=known.shape)
    return spread
