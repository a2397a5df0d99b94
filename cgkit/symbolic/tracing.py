"""Turn a function into a graph by running it once on values without numbers.

    trace(fn, float32[3])  ─>  fn(Value)  ─>  Trace(graph, captured, structure)

Python runs while tracing and leaves no mark: an `if` has chosen, a loop is unrolled, a print has
printed. Tensors that the function used without being given them become further inputs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.errors import CaptureError
from cgkit.graph import Graph
from cgkit.node import Operand
from cgkit.symbolic.builder import GraphBuilder
from cgkit.symbolic.value import Value
from cgkit.symbolic.writes import Writes
from cgkit.types import TensorType


@dataclass(frozen=True, eq=False)
class Trace:
    """What tracing a function gave."""

    graph: Graph
    """Its inputs are the function's arguments, then the captured tensors."""
    captured: tuple[Any, ...]
    """Tensors that the function used without being given them."""
    structure: tree.Structure
    """How the function nested its results."""
    written: tuple[int, ...] = ()
    """The arguments that the function writes to; their new values are the graph's last outputs."""


def trace(fn: Callable[..., Any], *types: Any) -> Trace:
    """Run a function once on values without numbers, and keep the graph it built.

    Parameters
    ----------
    fn
        A function of tensors that gives tensors, nested in tuples, lists and dicts if it likes.
    types
        A TensorType for each argument, or an array or Tensor that has one.

    Returns
    -------
    Trace
        The graph, the Tensors it captured, and the structure of the results.

    Raises
    ------
    CaptureError
        The function looks at a value, or gives something that is no value.

    Examples
    --------
    >>> traced = trace(lambda x: x * x + 1.0, TensorType((3,), "float32"))
    >>> print(traced.graph)
    graph(x: float32[3])
      p = mul(x, x)      float32[3]
      s = add(p, 1.0)    float32[3]
      return s
    """
    builder = GraphBuilder(capturing=True)
    called = parameter_names(fn, len(types))
    arguments = [_argument(builder, given, name) for given, name in zip(types, called, strict=True)]
    builder.writes = writes = Writes()
    results, structure = tree.flatten(fn(*arguments))
    outputs = [x if isinstance(x, Value) else _constant_result(builder, x) for x in results]
    captured = tuple(builder.captured.values())
    before = [Value(writes.before(x), builder) for x in arguments]
    written = [i for i, x in enumerate(arguments) if x.edge is not before[i].edge]
    outputs += [arguments[i] for i in written]
    graph = builder.graph(outputs, before + [value for _, value in captured])
    builder.close("its trace has ended, and this value was kept beyond it")
    return Trace(graph, tuple(tensor for tensor, _ in captured), structure, tuple(written))


def parameter_names(fn: Callable[..., Any], number: int) -> list[str]:
    """Give the names of a function's first parameters, "" where they are not to be had."""
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return [""] * number
    named = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (named + [""] * number)[:number]


def _argument(builder: GraphBuilder, given: Any, name: str) -> Value:
    known = given if isinstance(given, TensorType) else None
    if known is None:
        array = given if hasattr(given, "shape") else np.asarray(given)
        known = TensorType(array.shape, array.dtype)
    return builder.placeholder(known.shape, known.dtype, name=name)


def _constant_result(builder: GraphBuilder, x: Any) -> Value:
    if isinstance(x, Operand):
        return builder.capture(x)
    if isinstance(x, bool | int | float | np.ndarray | np.generic):
        return builder.constant(x)
    raise CaptureError(f"a traced function gives tensors, not {type(x).__name__}: {x!r:.60}")
