"""Samples of the operators that hold graphs, for the laws that every operator must obey.

graph_of(lambda x, w: (x * w, x), FLOAT, FLOAT)  ─>  the graph that a branch or a body is
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cgkit.graph import Graph
from cgkit.node import Sample
from cgkit.operators import ALL
from cgkit.symbolic import trace
from cgkit.types import TensorType

Shapes = tuple[tuple[int, ...], ...]


def graph_of(function: Callable[..., Any], *types: TensorType) -> Graph:
    """Give the graph of a function of tensors of some types.

    Examples
    --------
    >>> len(graph_of(lambda x: x * x, TensorType((2,), "float32")).operators)
    1
    """
    return trace(function, *types).graph


def _kinds(shapes: Shapes, dtype: str) -> list[TensorType]:
    return [TensorType(shape, dtype) for shape in shapes]


def _rising(x: Any, w: Any) -> tuple[Any, Any]:
    return x * w + 0.5, ALL["exp"](w)


def _turning(x: Any, w: Any) -> tuple[Any, Any]:
    return ALL["sin"](x) - w, w * w


def _drawn(rng: np.random.Generator, shapes: Shapes, dtype: str) -> tuple[Any, ...]:
    return tuple(np.asarray(rng.normal(size=shape) * 0.4 + 1.2, dtype) for shape in shapes)


CASES: tuple[tuple[Shapes, str], ...] = (
    (((), ()), "float64"), (((3,), (3,)), "float64"), (((2, 0), (2, 0)), "float64"),
    (((2, 3), (2, 3)), "float32"),
)  # fmt: skip


def of_cond(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw samples of cond: either branch, several results, an operand that comes back."""
    for shapes, dtype in CASES:
        types = _kinds(shapes, dtype)
        parts = {"then": graph_of(_rising, *types), "otherwise": graph_of(_turning, *types)}
        for pred in (True, False):
            yield Sample((np.array(pred), *_drawn(rng, shapes, dtype)), parts)
    types = _kinds(((3,), (3,)), "float64")
    swapped = graph_of(lambda x, w: (w, x), *types), graph_of(lambda x, w: (x, x), *types)
    for pred in (True, False):
        parts = {"then": swapped[0], "otherwise": swapped[1]}
        yield Sample((np.array(pred), *_drawn(rng, ((3,), (3,)), "float64")), parts)


def of_switch(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw samples of switch: every branch, and numbers beyond."""
    for shapes, dtype in CASES:
        types = _kinds(shapes, dtype)
        parts = {"branches": tuple(graph_of(f, *types) for f in (_rising, _turning, _rising))}
        for index in (-2, 0, 1, 2, 9):
            yield Sample((np.array(index), *_drawn(rng, shapes, dtype)), parts)


def of_scan(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw samples of scan: from either end, no step at all, whole numbers along."""

    def body(h: Any, n: Any, x: Any, w: Any) -> Any:
        h = ALL["tanh"](h * w + x) + ALL["cast"](n, dtype=h.dtype.name) * h * 0.1
        return h, n + 1, h * x * w, n

    for shape, dtype in (((), "float64"), ((2,), "float64"), ((2, 3), "float32")):
        whole = TensorType((), "int64")
        step, same = TensorType(shape, dtype), TensorType(shape, dtype)
        inside = graph_of(body, step, whole, step, same)
        for length in (4, 1, 0):
            for reverse in (False, True):
                xs = np.asarray(rng.normal(size=(length, *shape)), dtype)
                h, w = _drawn(rng, (shape, shape), dtype)
                params = {"body": inside, "carries": 2, "sliced": 1, "length": length}
                operands = h, np.array(2), xs, w
                yield Sample(operands, {**params, "reverse": reverse})


def of_while(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw samples of loops that a test ends: some steps, and none."""

    def test(n: Any, x: Any, w: Any) -> Any:
        return n < 3

    def body(n: Any, x: Any, w: Any) -> Any:
        return n + 1, ALL["sin"](x * w) + x

    for shapes, dtype in CASES:
        types = [TensorType((), "int64"), *_kinds(shapes, dtype)]
        parts = {"test": graph_of(test, *types), "body": graph_of(body, *types), "carries": 2}
        for start in (0, 2, 5):
            yield Sample((np.array(start), *_drawn(rng, shapes, dtype)), parts)


def of_steps(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw the same with how many steps there are."""
    for sample in of_while(rng):
        trips = max(3 - int(sample.operands[0]), 0)
        yield Sample(sample.operands, {**sample.params, "trips": trips})
