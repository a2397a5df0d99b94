"""Gradients of whatever has them: Tensors, and values of a graph while a function is traced.

grad(y, x) ─┬─ of Tensors ─> the sweep over what was recorded
└─ of Values ──> more nodes of the same graph, so a step of training is one graph
"""

from __future__ import annotations

from typing import Any

from cgkit.errors import GradientError, ShapeError
from cgkit.operators import ALL
from cgkit.symbolic import GraphBuilder, Value
from cgkit.symbolic.differentiation import filled, pull
from cgkit.tensor import grad as grad_of_tensors
from cgkit.types import show_shape


def grad(outputs: Any, inputs: Any, seeds: Any = None, **settings: Any) -> tuple[Any, ...]:
    """Give the gradients of tensors by others; no `.grad` is touched.

    Parameters
    ----------
    outputs
        A tensor, or several whose gradients are added: Tensors, or Values of one graph.
    inputs
        A tensor or several: leaves or tensors in between.
    seeds
        The gradient to begin with for each output; 1 for outputs of one element.
    settings
        retain_graph, create_graph, allow_unused, materialize_grads and order. The first and the
        last are of no matter in a graph, where nothing is freed. Without create_graph no gradient
        goes back through the gradients, where a function is compiled; what is traced or built is a
        graph like any other.

    Returns
    -------
    tuple
        A gradient for each input; None for one that is unused, if `allow_unused`; zeros for it, if
        `materialize_grads`.

    Raises
    ------
    GradientError
        An input is unused and that is not allowed; an output has several elements and no seed.

    Examples
    --------
    >>> from cgkit import Tensor, TensorType, trace
    >>> x = Tensor(3.0, requires_grad=True)
    >>> grad(x * x, x)
    (Tensor(6.),)
    >>> print(trace(lambda x: grad(x * x, x)[0], TensorType((), "float64")).graph)
    graph(x: float64[])
      p = mul(1.0, x)     float64[]
      p1 = mul(1.0, x)    float64[]
      s = add(p, p1)      float64[]
      return s
    """
    listed = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
    wanted = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
    values = [x for x in (*listed, *wanted) if isinstance(x, Value)]
    if not values:
        return grad_of_tensors(outputs, inputs, seeds, **settings)
    builder = values[0].builder
    assert isinstance(builder, GraphBuilder)
    listed, wanted = (
        [x if isinstance(x, Value) else builder.capture(x) for x in part]
        for part in (listed, wanted)
    )
    return _of_values(builder, listed, wanted, seeds, **settings)


def _of_values(
    builder: GraphBuilder,
    outputs: list[Value],
    inputs: list[Value],
    seeds: Any,
    *,
    allow_unused: bool = False,
    materialize_grads: bool = False,
    create_graph: bool = False,
    **_: Any,
) -> tuple[Any, ...]:
    listed = [seeds] if len(outputs) == 1 else [None] * len(outputs) if seeds is None else seeds
    starts = []
    for y, seed in zip(outputs, listed, strict=True):
        builder.check_own(y)
        starts.append((y, _seed(builder, y, seed)))
    for x in inputs:
        builder.check_own(x)
    found = pull(builder, starts, inputs)
    if builder.recorded is not None and not create_graph:
        found = [None if part is None else ALL["stop_gradient"](part) for part in found]
    unused = [number for number, part in enumerate(found) if part is None]
    if unused and not (allow_unused or materialize_grads):
        raise GradientError(
            f"input {unused[0]}, of shape {show_shape(inputs[unused[0]].shape)}, was not used "
            "in the graph",
            attempt="grad(..., allow_unused=True), if that is meant",
        )
    if materialize_grads:
        return tuple(
            filled(builder, x.type, 0) if part is None else part
            for x, part in zip(inputs, found, strict=True)
        )
    return tuple(found)


def _seed(builder: GraphBuilder, y: Value, seed: Any) -> Value:
    if seed is not None:
        known = seed if isinstance(seed, Value) else builder.constant(seed, y.dtype)
        if known.shape != y.shape:
            raise ShapeError(
                f"the seed has shape {show_shape(known.shape)}, the output {show_shape(y.shape)}",
                why="seeds never broadcast",
            )
        return known
    if any(size != 1 for size in y.shape):
        raise GradientError(
            "grad can be implicitly created only for scalar outputs",
            why=f"this value has shape {show_shape(y.shape)}",
            attempt="grad(y.sum(), x), or a seed of its shape",
        )
    return filled(builder, y.type, 1.0)
