"""Indexing: parts of a tensor, chosen by position.

    x[1:, 0]        ─> slice     the places are known when the graph is built
    x[[0, 0, 2]]    ─> index     the places are tensors themselves

A part that is read twice gets both gradients: `place` and `scatter` add, they do not overwrite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cgkit.node import Kind, Operator, Sample
from cgkit.operators.elementwise import no_flops
from cgkit.operators.indices import (
    ARRAY,
    Item,
    Span,
    check_integers,
    infer_index,
    outside,
    places_in,
    to_python,
)
from cgkit.operators.samples import backward_view, variations, with_params
from cgkit.operators.settings import as_shape
from cgkit.types import Shape, TensorType, meet_shapes, show_shape


def _compute_place(a: Any, shape: tuple[int, ...], index: tuple[Item, ...]) -> np.ndarray:
    array = np.asarray(a)
    known = _infer_place(TensorType(array.shape, array.dtype), shape, index)
    result = np.zeros([int(size) for size in known.shape], array.dtype)
    result[to_python(index)] = array
    return result


slice_cases = with_params(
    ((4, 3), {"index": (Span(1), Span())}),
    ((4, 3), {"index": (-1, Span(None, None, -1))}),
    ((5,), {"index": (Span(None, None, 2),)}),
    ((5,), {"index": (None, Span(4, 1, -2))}),
    ((0, 3), {"index": (Span(), 1)}),
    ((), {"index": (None,)}),
)
slice_: Operator = Operator(
    "slice", lambda a, index: np.asarray(a)[(*to_python(index), ...)],
    lambda a, index: TensorType(infer_index(a.shape, index, ()), a.dtype),
    operands=1, kind=Kind.MOVEMENT, family="indexing", flops=no_flops, samples=slice_cases,
    doc="a part of a: ints, ranges and new axes, known when the graph is built",
    gradient=(lambda g, y, a, index: place(g, shape=a.shape, index=index),),
)  # fmt: skip


def _infer_place(a: TensorType, shape: Shape, index: tuple[Item, ...]) -> TensorType:
    shape = as_shape(shape)
    part = infer_index(shape, index, ())
    meet_shapes(a.shape, part, f"that of a part of {show_shape(shape)}")
    return TensorType(shape, a.dtype)


place: Operator = Operator(
    "place", _compute_place, _infer_place, operands=1, kind=Kind.MOVEMENT, family="indexing",
    flops=no_flops,
    doc="zeros of a shape with a at the places of an index: the gradient of slice",
    gradient=(lambda g, y, a, shape, index: slice_(g, index=index),),
    samples=with_params(
        ((3, 3), {"shape": (4, 3), "index": (Span(1), Span())}),
        ((3,), {"shape": (5,), "index": (Span(None, None, 2),)}),
        ((0,), {"shape": (0, 3), "index": (Span(), 1)}),
        ((), {"shape": (3,), "index": (1,)}),
    ),
)  # fmt: skip


def _infer_index(a: TensorType, *arrays: TensorType, index: tuple[Item, ...]) -> TensorType:
    check_integers(arrays)
    return TensorType(infer_index(a.shape, index, arrays), a.dtype)


def _compute_index(a: Any, *arrays: Any, index: tuple[Item, ...]) -> Any:
    try:  # an array of no axes gives a copy, where a number would give a view
        return np.asarray(a)[to_python(index, [np.asarray(x) for x in arrays])]
    except IndexError:
        raise outside(np.shape(a), index, arrays) from None


def _scatter(g: Any, *arrays: Any, shape: tuple[int, ...], index: tuple[Item, ...]) -> np.ndarray:
    array = np.asarray(g)
    result = np.zeros(as_shape(shape), array.dtype)
    np.add.at(result, places_in(shape, arrays, index, array), array)
    return result


def _infer_scatter(
    g: TensorType, *arrays: TensorType, shape: Shape, index: tuple[Item, ...]
) -> TensorType:
    check_integers(arrays)
    shape = as_shape(shape)
    if all(array.dtype != np.bool_ for array in arrays):  # how much a mask takes is not known
        part = infer_index(shape, index, arrays)
        meet_shapes(g.shape, part, f"that of a part of {show_shape(shape)}")
    return TensorType(shape, g.dtype)


def _index_samples(rng: np.random.Generator) -> Iterator[Sample]:
    rows = Span()
    cases: tuple[tuple[Any, ...], ...] = (
        ((4, 3), [np.array([0, 0, 2])], (ARRAY, rows)),
        ((4, 3), [np.array([[1, -1]])], (rows, ARRAY)),
        ((4, 3), [np.array([0, 3]), np.array([2, 2])], (ARRAY, ARRAY)),
        ((2, 4, 3), [np.array([0, 1]), np.array([2, 0])], (ARRAY, rows, ARRAY)),
        ((2, 4, 3), [np.array([1, 1])], (0, rows, ARRAY)),
        ((4, 3), [np.zeros((0,), np.intp)], (ARRAY, rows)),
        ((4,), [np.array(2)], (ARRAY,)),
    )
    for shape, arrays, index in cases:
        for dtype in ("float64", "float32"):
            x = rng.normal(size=shape).astype(dtype)
            yield Sample((x, *arrays), {"index": index})
    turned = (rng.normal(size=(4, 3)), np.array([2, 0, 1]))
    yield from variations(rng, Sample(turned, {"index": (ARRAY, rows)}))


def _scatter_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for sample in _index_samples(rng):
        x, *arrays = sample.operands
        part = _compute_index(x, *arrays, **sample.params)
        part = backward_view(part) if x.strides[0] < 0 else part
        params = {"shape": x.shape, **sample.params}
        yield Sample((part, *arrays), params, sample.differentiable)


index_: Operator = Operator(
    "index", _compute_index, _infer_index, kind=Kind.OPAQUE, family="indexing", flops=no_flops,
    doc="the parts of a at places that are given by tensors of ints",
    gradient=(
        lambda g, y, a, *arrays, index: scatter(g, *arrays, shape=a.shape, index=index),
        None,
    ),
    saves=("bcdefgh", ""), samples=_index_samples,
)  # fmt: skip
scatter: Operator = Operator(
    "scatter", _scatter, _infer_scatter,
    kind=Kind.OPAQUE, family="indexing", flops=lambda result, g, *arrays, shape, index: g.size,
    doc="zeros of a shape to which g is added at the places of an index: the gradient of index",
    gradient=(
        lambda g, y, a, *arrays, shape, index: index_(g, *arrays, index=index),
        None,
    ),
    saves=("bcdefgh", ""), samples=_scatter_samples,
)  # fmt: skip
