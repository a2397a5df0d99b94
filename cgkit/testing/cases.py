"""Samples of operators as cases of a law: draw them, compute them, build graphs of them.

    samples_of(operator) ─> Sample ─┬─> computed      on arrays
                                    └─> built, run_on   as a graph of one node, sizes open or known

A LawBroken names the operator, its operands by dtype and shape, and its params.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cgkit.graph import Graph
from cgkit.interpret import run
from cgkit.node import Operator, Sample
from cgkit.symbolic import GraphBuilder
from cgkit.testing.differences import LawBroken
from cgkit.types import Dim, Shape, TensorType

SEED = 7


def samples_of(operator: Operator) -> list[Sample]:
    """Draw an operator's samples, the same ones each time."""
    return [] if operator.samples is None else list(operator.samples(np.random.default_rng(SEED)))


def same(got: Any, expected: Any) -> bool:
    """Whether two arrays have the same dtype, shape and elements, the sign of 0 included."""
    a, b = np.asarray(got), np.asarray(expected)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return np.array_equal(a, b)
    zeros = (a == 0) & (b == 0)
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(
        np.signbit(a[zeros]), np.signbit(b[zeros])
    )


def computed(operator: Operator, sample: Sample) -> tuple[np.ndarray, ...]:
    """Give the results on arrays, as a tuple, without warnings."""
    with np.errstate(all="ignore"):
        found = operator.compute(*sample.operands, **sample.params)
    return tuple(np.asarray(x) for x in (found if operator.several else (found,)))


def listed(operator: Operator, found: Any) -> tuple[Any, ...]:
    """Give the results of an operator as a tuple, one or several."""
    return tuple(found) if operator.several else (found,)


def broken(operator: Operator, sample: Sample, what: str, why: str = "") -> LawBroken:
    """Make the error of a law that does not hold here."""
    operands = [f"{x.dtype}{list(x.shape)}" if is_array(x) else repr(x) for x in sample.operands]
    operands += [f"{key}={value}" for key, value in sample.params.items()]
    return LawBroken(f"{operator.name}({', '.join(operands)}): {what}", why=why)


def is_array(x: Any) -> bool:
    """Whether an operand may be given as a tensor; others are plain numbers."""
    return isinstance(x, np.ndarray)


def built(operator: Operator, sample: Sample, shapes: Sequence[Shape] | None = None) -> Graph:
    """Build the graph of one application; shapes may hold open sizes."""
    builder = GraphBuilder()
    given = [x for x in sample.operands if is_array(x)]
    shapes = [x.shape for x in given] if shapes is None else shapes
    values = iter([builder.placeholder(s, x.dtype) for s, x in zip(shapes, given, strict=True)])
    operands = [next(values) if is_array(x) else x for x in sample.operands]
    found = listed(operator, operator(*operands, **sample.params))
    return builder.graph(found)


def run_on(graph: Graph, sample: Sample) -> tuple[np.ndarray, ...]:
    """Run a graph on the arrays of a sample."""
    with np.errstate(all="ignore"):
        return run(graph, *(x for x in sample.operands if is_array(x)))


def type_of(x: Any) -> TensorType:
    """Give the type of an array or a number."""
    array = np.asarray(x)
    return TensorType(array.shape, array.dtype)


def open_shapes(shapes: Sequence[Shape]) -> Iterator[list[Shape]]:
    """Give the same shapes with sizes left open: all equal ones together, then each by itself.

    A size of 1 stays: an open size never stretches.

    Examples
    --------
    >>> list(open_shapes([(2, 1), (2,)]))
    [[(D2, 1), (D2,)], [(D, 1), (2,)], [(2, 1), (D,)]]
    """
    yield [tuple(n if n == 1 else Dim(f"D{n}") for n in shape) for shape in shapes]
    for i, shape in enumerate(shapes):
        for axis, size in enumerate(shape):
            if size != 1:
                opened: Shape = (*shape[:axis], Dim("D"), *shape[axis + 1 :])
                yield [*shapes[:i], opened, *shapes[i + 1 :]]


def coverage(samples: list[Sample]) -> set[str]:
    """Say what samples cover: "0-d", "empty", "broadcast", "negative stride", "nan", "inf", dtypes.

    Examples
    --------
    >>> sorted(coverage([Sample((np.zeros((0, 2)), np.float32(3)))]))
    ['0-d', 'broadcast', 'empty', 'float32', 'float64']
    """
    found: set[str] = set()
    for sample in samples:
        arrays = [np.asarray(x) for x in sample.operands]
        if len({x.shape for x in arrays}) > 1:
            found.add("broadcast")
        for x in arrays:
            found.add(x.dtype.name)
            found |= {"0-d"} if x.ndim == 0 else set()
            found |= {"empty"} if x.size == 0 else set()
            found |= {"negative stride"} if min(x.strides, default=0) < 0 else set()
            if x.dtype.kind == "f" and x.size:
                found |= {"nan"} if any(map(math.isnan, x.flat)) else set()
                found |= {"inf"} if any(map(math.isinf, x.flat)) else set()
    return found
