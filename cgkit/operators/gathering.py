"""Gathering along an axis, and what is read or written at places that tensors of ints give.

    a = 5 6 7       gather_elements(a, [2, 0], axis=0) ─> 7 5
                    add_elements([1, 2, 3], [2, 0, 2], shape=(3,), axis=0) ─> 2 0 4
                    one_hot([2, 0], size=3) ─> 0 0 1 , 1 0 0

`take` and `gather_nd` are what `index` says already. A place that stands twice is read twice, and
going backward both gradients arrive there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator, Sample, Samples
from cgkit.operators.elementwise import no_flops
from cgkit.operators.indexing import index_
from cgkit.operators.indices import ARRAY, Item, Span, wrong_place
from cgkit.operators.joining import unbind
from cgkit.operators.movement import reshape
from cgkit.operators.operands import as_operand, as_places
from cgkit.operators.samples import variations, with_params
from cgkit.operators.settings import as_shape, as_whole, normal_axis
from cgkit.types import OPEN, Shape, Size, TensorType, as_dtype, meet_shapes, show_shape, value_of


def _check_places(name: str, dtype: np.dtype) -> None:
    if dtype.kind not in "iu":
        raise DtypeError(
            f"{name} takes places of an integer dtype, got {dtype}",
            attempt='ops.cast(x, dtype="int64")',
        )


def _infer_gather(a: TensorType, places: TensorType, axis: int) -> TensorType:
    _check_places("gather_elements", places.dtype)
    _check_prefix("gather_elements", a.shape, places.shape, axis)
    return TensorType(places.shape, a.dtype)


def _check_prefix(name: str, shape: Shape, places: Shape, axis: int) -> None:
    """Check that places lie within a shape on every axis but the one that they choose from."""
    if len(shape) != len(places):
        raise ShapeError(
            f"{name} needs places of {len(shape)} axes, as {show_shape(shape)} has, "
            f"got {show_shape(places)}"
        )
    at = normal_axis(axis, len(shape))
    for i, (size, many) in enumerate(zip(shape, places, strict=True)):
        known, wanted = value_of(size), value_of(many)
        if i != at and known is not None and wanted is not None and wanted > known:
            raise ShapeError(
                f"{name} reads {many} places of axis {i}, which has {size}",
                why=f"the places have shape {show_shape(places)}, the tensor {show_shape(shape)}",
            )


def _grid(places: np.ndarray, axis: int, size: int) -> tuple[np.ndarray, ...]:
    """Give the places on every axis: its own on all but one."""
    wrong = wrong_place(places, size)
    if wrong is not None:
        raise ShapeError(f"place {wrong} lies outside axis {axis} of size {size}")
    at = axis % places.ndim
    grid = np.ogrid[tuple(slice(n) for n in places.shape)]
    return tuple(places if i == at else line for i, line in enumerate(grid))


def _gather(a: Any, places: Any, axis: int) -> np.ndarray:
    array, at = np.asarray(a), np.asarray(places)
    _infer_gather(TensorType(array.shape, array.dtype), TensorType(at.shape, at.dtype), axis)
    found: np.ndarray = array[_grid(at, axis, array.shape[axis])]
    return found


def _places_samples(*cases: tuple[Any, ...], spread: bool = False) -> Samples:
    """Draw tensors, and places on an axis of size `params["axis"]` of the larger shape."""

    def samples(rng: np.random.Generator) -> Any:
        for shape, places, axis in cases:
            params = {"axis": axis, **({"shape": shape} if spread else {})}
            size = shape[axis]
            for dtype in ("float64", "float32"):
                x = rng.normal(size=places if spread else shape).astype(dtype)
                yield Sample((x, rng.integers(-size, max(size, 1), size=places)), params)
        shape, places, axis = cases[0]
        params = {"axis": axis, **({"shape": shape} if spread else {})}
        x = rng.normal(size=places if spread else shape)
        at = rng.integers(0, shape[axis], size=places)
        yield from variations(rng, Sample((x, at), params))

    return samples


PLACES: tuple[tuple[Any, ...], ...] = (
    ((4, 3), (5, 3), 0), ((4, 3), (4, 2), -1), ((4, 3), (2, 5), 1), ((5,), (3,), 0),
    ((2, 0), (2, 0), 0), ((3, 2), (0, 2), 0), ((2, 3, 2), (1, 4, 2), 1),
)  # fmt: skip
gather_elements: Operator = Operator(
    "gather_elements", _gather, _infer_gather, operands=2, kind=Kind.OPAQUE, family="indexing",
    flops=no_flops, doc="the elements of a at the places b along an axis, each on its own line",
    gradient=(lambda g, y, a, b, axis: add_elements(g, b, shape=a.shape, axis=axis), None),
    saves=("b", ""), samples=_places_samples(*PLACES),
)  # fmt: skip


def _infer_add_elements(g: TensorType, places: TensorType, shape: Shape, axis: int) -> TensorType:
    _check_places("add_elements", places.dtype)
    meet_shapes(g.shape, places.shape, "that of the places")
    _check_prefix("add_elements", tuple(shape), places.shape, axis)
    return TensorType(shape, g.dtype)


def _add_elements(g: Any, places: Any, shape: Shape, axis: int) -> np.ndarray:
    array, at = np.asarray(g), np.asarray(places)
    known = _infer_add_elements(
        TensorType(array.shape, array.dtype), TensorType(at.shape, at.dtype), shape, axis
    )
    result = np.zeros([int(size) for size in known.shape], array.dtype)
    np.add.at(result, _grid(at, axis, result.shape[axis]), array)
    return result


add_elements: Operator = Operator(
    "add_elements", _add_elements, _infer_add_elements, operands=2, kind=Kind.OPAQUE,
    family="indexing", flops=lambda result, g, b, **params: g.size,
    doc="zeros of a shape to which a is added at places along an axis: gather_elements' gradient",
    gradient=(lambda g, y, a, b, shape, axis: gather_elements(g, b, axis=axis), None),
    saves=("b", ""), samples=_places_samples(*PLACES, spread=True),
)  # fmt: skip


def _infer_one_hot(a: TensorType, size: Size, axis: int = -1, dtype: str = "float64") -> TensorType:
    if a.dtype.kind not in "iu":
        raise DtypeError(f"one_hot marks places, which are of an integer dtype, not {a.dtype}")
    at = normal_axis(axis, a.ndim + 1)
    (size,) = as_shape((size,))
    return TensorType((*a.shape[:at], size, *a.shape[at:]), as_dtype(dtype))


def _one_hot(a: Any, size: int, axis: int = -1, dtype: str = "float64") -> np.ndarray:
    array = np.asarray(a)
    known = _infer_one_hot(TensorType(array.shape, array.dtype), size, axis, dtype)
    places = np.where(array < 0, array.astype("int64") + size, array)
    marks = np.equal(places[..., None], np.arange(size)).astype(known.dtype)
    return np.ascontiguousarray(np.moveaxis(marks, -1, axis))


def _one_hot_samples(rng: np.random.Generator) -> Any:
    for shape, params in (
        ((2, 3), {"size": 4}), ((), {"size": 3}), ((0, 2), {"size": 2}),
        ((4,), {"size": 3, "axis": 0, "dtype": "float32"}), ((2,), {"size": 0}),
    ):  # fmt: skip
        for dtype in ("int64", "int32"):
            yield Sample((np.asarray(rng.integers(-3, 5, size=shape), dtype),), params)
    yield Sample((rng.integers(0, 4, size=(3, 3))[::-1, ::-1],), {"size": 4})


one_hot: Operator = Operator(
    "one_hot", _one_hot, _infer_one_hot, operands=1, kind=Kind.OPAQUE, family="indexing",
    flops=no_flops, samples=_one_hot_samples,
    doc="1 at the place that each int names along a new axis, else 0; nowhere if outside",
)  # fmt: skip


def _infer_positions(a: TensorType, axis: int) -> TensorType:
    at = normal_axis(axis, a.ndim)
    return TensorType((a.shape[at],), "int64")


def _positions(a: Any, axis: int) -> np.ndarray:
    shape = np.shape(a)
    return np.arange(shape[normal_axis(axis, len(shape))], dtype="int64")


positions: Operator = Operator(
    "positions", _positions, _infer_positions, operands=1, kind=Kind.OPAQUE, family="indexing",
    flops=no_flops, doc="0, 1, 2, ... for the places along an axis of a, whose size may be open",
    samples=with_params(((4, 2), {"axis": 0}), ((3, 2), {"axis": -1}), ((0,), {"axis": 0})),
)  # fmt: skip


def _infer_nonzero(a: TensorType, number: Size = OPEN) -> TensorType:
    return TensorType((number, a.ndim), "int64")


def _nonzero_samples(rng: np.random.Generator) -> Any:
    marks = rng.permutation([0.0, 1.0, 2.0, 0.0, 3.0, 1.0])
    for dtype in ("float64", "float32", "int32", "int64"):
        yield Sample((marks.reshape(2, 3).astype(dtype),), {"number": 4})
        yield Sample((np.array(2, dtype),), {"number": 1})
        yield Sample((np.zeros((0, 3), dtype),), {"number": 0})
    yield Sample((marks[::-1],), {"number": 4})
    yield Sample((np.array([np.nan, 0.0, -0.0, np.inf]),), {"number": 2})


nonzero: Operator = Operator(
    "nonzero", lambda a, number=OPEN: np.argwhere(a).astype("int64"), _infer_nonzero, operands=1,
    kind=Kind.OPAQUE, family="indexing", flops=no_flops, samples=_nonzero_samples,
    tells=("number",), doc="the places of the elements that are not 0, a row for each",
)  # fmt: skip


def take(a: Any, places: Any, axis: int = 0) -> Any:
    """Take parts of a tensor along an axis, at the places that a tensor of ints of any shape gives.

    Examples
    --------
    >>> take(np.array([[1, 2, 3], [4, 5, 6]]), np.array([2, 0]), axis=1)
    array([[3, 1],
           [6, 4]])
    """
    a = as_operand(a)
    ndim = len(a.shape)
    at = normal_axis(axis, ndim)
    index = tuple(ARRAY if i == at else Span() for i in range(ndim))
    return index_(a, as_places(places), index=index)


def nd_index(a: Any, places: Any, batch: int = 0) -> tuple[tuple[Any, ...], tuple[Item, ...]]:
    """Turn places of several axes, laid along the last axis, into operands and param of `index`.

    Parameters
    ----------
    a
        What is indexed.
    places
        A tensor of ints (..., k): each row names a place on the first k axes after the batch.
    batch
        How many first axes the two have in common.

    Raises
    ------
    ShapeError
        The size of the last axis is open, 0, or larger than the number of axes after the batch; or
        the places have no axis beside those of the batch.
    """
    places, batch = as_places(places), as_whole("batch", batch, least=0)
    shape, ndim = tuple(places.shape), len(a.shape)
    many = value_of(shape[-1]) if shape else 0
    if many is None or not 0 < many <= ndim - batch or batch >= len(shape):
        raise ShapeError(
            f"places of shape {show_shape(shape)} do not name places on {ndim} axes",
            attempt="a last axis of a known size: one number for each axis",
        )
    lines = tuple(
        reshape(positions(places, axis=i), shape=(1,) * i + (-1,) + (1,) * (len(shape) - 2 - i))
        for i in range(batch)
    )
    index = (ARRAY,) * (batch + many) + (Span(),) * (ndim - batch - many)
    return (*lines, *unbind(places, -1)), index


def gather_nd(a: Any, places: Any, batch: int = 0) -> Any:
    """Read a tensor at places of several axes, which stand along the last axis of `places`.

    Examples
    --------
    >>> gather_nd(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 0]]))
    array([2, 3])
    """
    a = as_operand(a)
    arrays, index = nd_index(a, places, batch)
    return index_(a, *arrays, index=index)


COMPOSED = (take, gather_nd)
