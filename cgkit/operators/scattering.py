"""Scattering: elements that go to places of a tensor, and replace or join what is there.

    a = 5 6 7    scatter_elements(a, [2, 0, 2], [1, 2, 3])         ─> 2 6 3      the last one stays
                 scatter_elements(a, [2, 0, 2], [1, 2, 3], "add")  ─> 7 6 11

Sums, products and extremes are first joined by place, by operators that begin with zeros, ones or
the limits of the dtype; then with what was there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, OperandError, ShapeError
from cgkit.node import Kind, Operator, Sample
from cgkit.operators.elementwise import (
    cast,
    div,
    equal,
    maximum,
    minimum,
    quiet,
    where,
)
from cgkit.operators.gathering import nd_index, positions
from cgkit.operators.indexing import index_, scatter
from cgkit.operators.indices import ARRAY, Item, Span, check_integers, infer_index, places_in
from cgkit.operators.movement import broadcast_to, reshape
from cgkit.operators.operands import as_operand, as_places
from cgkit.operators.samples import apart, variations
from cgkit.operators.settings import as_shape, normal_axis
from cgkit.operators.writing import put
from cgkit.types import Shape, TensorType, meet_shapes, show_shape

Index = tuple[Item, ...]
REDUCTIONS = ("none", "add", "mul", "max", "min")


def _joined(ufunc: np.ufunc, g: Any, arrays: Any, shape: Shape, index: Index, first: Any) -> Any:
    array = np.asarray(g)
    result = np.full(as_shape(shape), first, array.dtype)
    ufunc.at(result, places_in(result.shape, arrays, index, array), array)
    return result


def _infer_joined(g: TensorType, *arrays: TensorType, shape: Shape, index: Index) -> TensorType:
    check_integers(arrays)
    shape = as_shape(shape)
    part = infer_index(shape, index, arrays)
    meet_shapes(g.shape, part, f"that of a part of {show_shape(shape)}")
    if g.dtype.kind not in "fiu":
        raise DtypeError(f"only numbers are joined at places, not {g.dtype}")
    return TensorType(shape, g.dtype)


def _multiply(g: Any, *arrays: Any, shape: Shape, index: Index) -> Any:
    if np.asarray(g).dtype.kind not in "fiu":
        raise DtypeError(f"only numbers are joined at places, not {np.asarray(g).dtype}")
    return _joined(np.multiply, g, arrays, shape, index, 1)


def _multiply_back(g: Any, y: Any, a: Any, *arrays: Any, shape: Shape, index: Index) -> Any:
    """Multiply by the product of all others at the same place, zeros counted apart."""

    def at(x: Any) -> Any:
        return index_(x, *arrays, index=index)

    def added(x: Any) -> Any:
        return at(scatter(x, *arrays, shape=shape, index=index)) - x

    is_zero = equal(a, 0)
    nonzero = where(is_zero, 1.0, a)
    zeros = added(cast(is_zero, dtype=g.dtype.name))
    rest = where(equal(zeros, 1), added(where(is_zero, a, 0.0)), 0.0)
    product = at(scatter_mul(nonzero, *arrays, shape=shape, index=index))
    return at(g) * where(equal(zeros, 0), 1.0, rest) * div(product, nonzero)


def _joined_samples(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw what is joined; some comes to each place, for elsewhere there is no finite number."""
    rows = Span()
    cases: tuple[tuple[Any, ...], ...] = (
        ((4, 3), (5, 3), [np.array([0, 1, 2, 0, 3])], (ARRAY, rows)),
        ((2, 2), (3, 2), [np.array([0, 1]), np.array([[0], [1], [0]])], (ARRAY, ARRAY)),
        ((1,), (), [np.array(0)], (ARRAY,)),
        ((0, 3), (0, 3), [np.zeros((0,), np.intp)], (ARRAY, rows)),
    )
    for shape, part, arrays, index in cases:
        for dtype in ("float64", "float32"):
            x = apart(rng, part).astype(dtype)
            yield Sample((x, *arrays), {"shape": shape, "index": index})
    turned = (apart(rng, (4, 3)), np.array([2, 0, 1, 0]))
    yield from variations(rng, Sample(turned, {"shape": (3, 3), "index": (ARRAY, rows)}))


scatter_mul: Operator = Operator(
    "scatter_mul", quiet(_multiply), _infer_joined, kind=Kind.OPAQUE, family="indexing",
    flops=lambda result, g, *arrays, **params: g.size,
    doc="ones of a shape multiplied by a at the places of an index",
    gradient=(_multiply_back, None), saves=("abcdefgh", ""), samples=_joined_samples,
)  # fmt: skip


def _extreme(name: str, ufunc: np.ufunc, word: str) -> Operator:
    def compute(g: Any, *arrays: Any, shape: Shape, index: Index) -> Any:
        dtype = np.asarray(g).dtype
        if dtype.kind not in "fiu":
            raise DtypeError(f"only numbers are joined at places, not {dtype}")
        limits = np.iinfo(dtype) if dtype.kind != "f" else None
        low = -np.inf if limits is None else limits.min
        high = np.inf if limits is None else limits.max
        first = low if ufunc is np.maximum else high
        return _joined(ufunc, g, arrays, shape, index, first)

    def back(g: Any, y: Any, a: Any, *arrays: Any, shape: Shape, index: Index) -> Any:
        def at(x: Any) -> Any:
            return index_(x, *arrays, index=index)

        reached = cast(equal(a, at(y)), dtype=g.dtype.name)
        ties = at(scatter(reached, *arrays, shape=shape, index=index))
        return div(at(g) * reached, ties)

    return Operator(
        name, compute, _infer_joined, kind=Kind.OPAQUE, family="indexing",
        flops=lambda result, g, *arrays, **params: g.size,
        doc=f"the {word} of what comes to each place of a shape; ties share the gradient evenly",
        gradient=(back, None), saves=("abcdefghy", ""), samples=_joined_samples,
    )  # fmt: skip


scatter_max: Operator = _extreme("scatter_max", np.maximum, "largest")
scatter_min: Operator = _extreme("scatter_min", np.minimum, "smallest")


def _joined_with(a: Any, new: Any, arrays: Any, index: Index, reduction: str) -> Any:
    """Write new elements at places, or join them with those that are there."""
    if not isinstance(reduction, str) or reduction not in REDUCTIONS:
        raise OperandError(
            f"there is no reduction {reduction!r:.60}", attempt=" or ".join(REDUCTIONS)
        )
    if reduction == "none":
        return put(a, new, *arrays, index=index)
    where_to = {"shape": a.shape, "index": index}
    if reduction == "add":
        return a + scatter(new, *arrays, **where_to)
    if reduction == "mul":
        return a * scatter_mul(new, *arrays, **where_to)
    if reduction == "max":
        return maximum(a, scatter_max(new, *arrays, **where_to))
    return minimum(a, scatter_min(new, *arrays, **where_to))


def scatter_nd(a: Any, places: Any, new: Any, reduction: str = "none") -> Any:
    """Write elements at places of several axes, which stand along the last axis of `places`.

    Parameters
    ----------
    a
        The tensor to begin with; it stays as it is.
    places
        A tensor of ints (..., k), a place on the first k axes in each row.
    new
        What comes there, of shape (..., the axes of a behind the first k).
    reduction
        "none" to replace, "add", "mul", "max" or "min" to join.

    Examples
    --------
    >>> scatter_nd(np.array([1.0, 2.0, 3.0]), np.array([[2], [0], [2]]), np.ones(3), "add")
    array([2., 2., 5.])
    """
    a, new = as_operand(a), as_operand(new)
    arrays, index = nd_index(a, places)
    return _joined_with(a, new, arrays, index, reduction)


def scatter_elements(a: Any, places: Any, new: Any, axis: int = 0, reduction: str = "none") -> Any:
    """Write elements at places along an axis, each on its own line: the way back of gathering.

    Parameters
    ----------
    a
        The tensor to begin with; it stays as it is.
    places, new
        Where along the axis, and what; of one shape, with as many axes as a, or one number.
    axis
        The axis.
    reduction
        "none" to replace, "add", "mul", "max" or "min" to join.

    Examples
    --------
    >>> scatter_elements(np.zeros(3), np.array([2, 0]), np.array([5.0, 6.0]))
    array([6., 0., 5.])
    """
    a, new, places = as_operand(a), as_operand(new), as_places(places)
    shape, ndim = tuple(places.shape), len(a.shape)
    if len(shape) != ndim:
        raise ShapeError(
            f"places of shape {show_shape(shape)} need as many axes as {show_shape(a.shape)}"
        )
    at = normal_axis(axis, ndim)
    if not new.shape:
        new = broadcast_to(new, shape=shape)
    arrays = tuple(
        places if i == at else reshape(positions(places, axis=i), shape=_line(shape, i))
        for i in range(ndim)
    )
    return _joined_with(a, new, arrays, (ARRAY,) * ndim, reduction)


def _line(shape: Shape, axis: int) -> Shape:
    return tuple(size if i == axis else 1 for i, size in enumerate(shape))


COMPOSED = (scatter_nd, scatter_elements)
