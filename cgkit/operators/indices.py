"""What stands in the brackets of x[...], as a param: hashable, with its arrays apart.

    x[1:, [0, 0, 2]]  ─ normal_index ─>  (1:, 'array'), (array([0, 0, 2]),)
                      <─ to_python ────

Places that are known when a graph is built are part of the param; places that tensors give are
operands, and "array" stands where they belong.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cgkit.errors import CgkitError, DtypeError, OperandError, ShapeError
from cgkit.types import (
    Dim,
    Shape,
    Size,
    TensorType,
    broadcast_shapes,
    least,
    meet_shapes,
    show_shape,
    show_size,
    value_of,
)

Bound = Size | None
"""Where a slice starts or stops; a Dim is counted from the start, and never negative."""


class Span(NamedTuple):
    """A range of places along one axis, as a slice has them, but hashable.

    Examples
    --------
    >>> Span(1), Span(None, None, -1), Span()
    (1:, ::-1, :)
    """

    start: Bound = None
    stop: Bound = None
    step: int | None = None

    def __repr__(self) -> str:
        ends = ":".join("" if end is None else str(end) for end in (self.start, self.stop))
        return ends if self.step is None else f"{ends}:{self.step}"


Item = int | None | str | tuple[Any, ...]
"""One entry of an index as a param: an int, None for a new axis, a Span, or ARRAY."""
ARRAY = "array"
"""Stands in an index where an operand gives the places."""


def to_python(index: tuple[Item, ...], arrays: Sequence[Any] = ()) -> tuple[Any, ...]:
    """Give an index as NumPy takes it.

    Raises
    ------
    OperandError
        It is no index, or does not have a place for each of the arrays.

    Examples
    --------
    >>> to_python((Span(1), 0, None))
    (slice(1, None, None), 0, None)
    """
    if not isinstance(index, tuple) or arrays or ARRAY in index:
        check_index(index, len(arrays))
    rest = iter(arrays)
    return tuple(
        slice(*item) if isinstance(item, tuple) else next(rest) if item == ARRAY else item
        for item in index
    )


def check_index(index: Any, arrays: int) -> None:
    """Demand an index as a param: a tuple with a place for each of some arrays."""
    whole = isinstance(index, tuple) and all(map(_is_item, index))
    if not whole or index.count(ARRAY) != arrays:
        raise OperandError(
            f"the index {index!r:.60} does not fit {arrays} tensors of places",
            why="it is a tuple of ints, None, Spans, and an 'array' for each of them",
            attempt="x[...], which makes it from what stands in the brackets",
        )


def _is_item(item: Any) -> bool:
    if isinstance(item, tuple):
        ends = len(item) == 3 and all(isinstance(end, Dim | int | None) for end in item)
        return ends and not isinstance(item[2], Dim)
    return item is None or item.__class__ is int or (isinstance(item, str) and item == ARRAY)


def normal_index(
    key: Any, ndim: int, shape: Shape | None = None
) -> tuple[tuple[Item, ...], tuple[Any, ...]]:
    """Split what stands in the brackets of x[...] into an index param and its array operands.

    Parameters
    ----------
    key
        Ints, slices, None, `...`, lists, arrays and tensors of ints or booleans, or a tuple.
    ndim
        The number of axes of x.
    shape
        The sizes of x if masks of known numbers shall become the places of their True elements;
        the shape of the result is then known too.

    Returns
    -------
    tuple, tuple
        An entry for each axis and new axis, and the operands that stand for its ARRAY entries.

    Raises
    ------
    ShapeError
        There are more entries than axes, or two `...`.
    DtypeError
        An entry is of no such type.

    Examples
    --------
    >>> normal_index((..., slice(1, None)), 3)
    ((:, :, 1:), ())
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    dots = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    used = sum(_axes_of(entry) for entry in entries)
    if used > ndim:
        raise ShapeError(f"an index of {used} entries is too long for a tensor of {ndim} axes")
    if len(dots) > 1:
        raise ShapeError("an index holds at most one ...")
    at = dots[0] if dots else len(entries)
    entries[at : at + 1] = [slice(None)] * (ndim - used)
    items: list[Item] = []
    arrays: list[Any] = []
    axis = 0
    for entry in entries:
        used = _axes_of(entry)
        mask = np.asarray(entry) if isinstance(entry, list | np.ndarray) else None
        if shape is not None and mask is not None and mask.dtype == np.bool_ and mask.ndim:
            places = _places_of(mask, shape[axis : axis + used])
            arrays += places
            items += [ARRAY] * len(places)
        else:
            items.append(_item(entry, arrays))
        axis += used
    return tuple(items), tuple(arrays)


def _places_of(mask: np.ndarray, sizes: Shape) -> tuple[np.ndarray, ...]:
    """Give the places of a mask's True elements, an array for each of its axes."""
    meet_shapes(mask.shape, sizes, "that of the axes which the mask is for")
    return mask.nonzero()


def _axes_of(entry: Any) -> int:
    if entry is None or entry is Ellipsis:
        return 0
    array = np.asarray(entry) if isinstance(entry, list) else entry
    return int(array.ndim) if getattr(array, "dtype", None) == np.bool_ else 1


def _item(entry: Any, arrays: list[Any]) -> Item:
    if entry is None:
        return None
    if isinstance(entry, slice):
        return Span(_end(entry.start), _end(entry.stop), _bound(entry.step))
    if isinstance(entry, int | np.integer) and not isinstance(entry, bool):
        return int(entry)
    array = np.asarray(entry) if isinstance(entry, list | bool) else entry
    if isinstance(entry, list) and array.size == 0:
        array = array.astype(np.intp)
    if getattr(array, "dtype", None) is None or array.dtype.kind not in "iub":
        raise DtypeError(
            f"a tensor cannot be indexed with {entry!r}",
            attempt="ints, slices, None, ..., or arrays of ints or booleans",
        )
    arrays.append(array)
    return ARRAY


def _end(bound: Any) -> Bound:
    """Give where a slice starts or stops; an open size as it is, if it cannot be negative."""
    if isinstance(bound, Dim) and least(bound) >= 0:
        return bound
    return _bound(bound)


def _bound(bound: Any) -> int | None:
    try:
        return None if bound is None else operator.index(bound)
    except TypeError:
        raise DtypeError(f"a slice begins and ends at whole numbers, not {bound!r}") from None


def infer_index(shape: Shape, index: tuple[Item, ...], arrays: tuple[TensorType, ...]) -> Shape:
    """Give the shape of x[index] for x of a shape.

    Raises
    ------
    ShapeError
        An int lies outside its axis, or the result's shape depends on data.
    """
    check_index(index, len(arrays))
    used = sum(item is not None for item in index)
    if used > len(shape):
        raise ShapeError(f"an index of {used} entries is too long for {show_shape(shape)}")
    types = iter(arrays)
    result: list[Size] = []
    places: list[int] = []
    shapes: list[Shape] = []
    axis = 0
    for item in index:
        if item is None:
            result.append(1)
            continue
        size = shape[axis]
        if item == ARRAY:
            shapes.append(_array_shape(next(types)))
            places.append(len(result))
        elif isinstance(item, tuple):
            result.append(_slice_size(size, *item))
        else:
            _check_inside(item, size, axis)
        axis += 1
    return (*_with_arrays(result, index, places, shapes), *shape[axis:])


def _with_arrays(
    result: list[Size], index: tuple[Item, ...], places: list[int], shapes: list[Shape]
) -> list[Size]:
    """Put the axes of index arrays where NumPy puts them: in place if adjacent, else in front."""
    if not shapes:
        return result
    advanced = [i for i, item in enumerate(index) if item == ARRAY or isinstance(item, int)]
    adjacent = advanced == list(range(advanced[0], advanced[-1] + 1))
    before = sum(not isinstance(item, int) for item in index[: advanced[0]])
    at = before if adjacent else 0
    return [*result[:at], *broadcast_shapes(*shapes), *result[at:]]


def _array_shape(found: TensorType) -> Shape:
    if found.dtype == np.bool_:
        raise ShapeError(
            "the shape of x[mask] depends on the values of the mask",
            attempt="where(mask, x, 0.0), which keeps the shape",
        )
    return found.shape


def _check_inside(place: Any, size: Size, axis: int) -> None:
    if isinstance(size, int) and not -size <= place < size:
        raise ShapeError(
            f"index {place} lies outside axis {axis} of size {size}",
            attempt=f"an index from {-size} to {size - 1}" if size else "",
        )


def _slice_size(size: Size, start: Bound, stop: Bound, step: int | None) -> Size:
    if step == 0:
        raise ShapeError("a slice cannot take steps of 0")
    if isinstance(size, int) and not isinstance(start, Dim) and not isinstance(stop, Dim):
        return len(range(*slice(start, stop, step).indices(size)))
    length = _slice_open(size, start, stop, step)
    many, first, last = (None if end is None else value_of(end) for end in (size, start, stop))
    if many is None or (first, last).count(None) > (start, stop).count(None):
        return length
    found = len(range(*slice(first, last, step).indices(many)))
    if value_of(length) != found:
        raise ShapeError(
            f"a slice of {show_size(size)} has {found} elements, not {show_size(length)}"
        )
    return length


def _slice_open(size: Size, start: Bound, stop: Bound, step: int | None) -> Size:
    """Give the size of a slice of an open axis; each run checks that it was long enough."""
    by = step or 1
    first = _place(start, size, 0 if by > 0 else size - 1)
    end = _place(stop, size, size if by > 0 else -1)
    length = (end - first + by - (1 if by > 0 else -1)) // by  # rounded up
    return max(length, 0) if isinstance(length, int) else length


def _place(bound: Bound, size: Size, default: Size) -> Size:
    if bound is None:
        return default
    return bound if isinstance(bound, Dim) or bound >= 0 else size + bound


def places_in(shape: Any, arrays: Sequence[Any], index: tuple[Item, ...], part: Any) -> Any:
    """Give an index as NumPy takes it; it lies inside a shape, and what comes there has its shape.

    NumPy's own `ufunc.at` reads memory that is not its own where the shapes differ.
    """
    places = to_python(index, arrays)
    try:
        wanted = np.broadcast_to(np.False_, shape)[places].shape
    except IndexError:
        raise outside(shape, index, arrays) from None
    if wanted != part.shape:
        raise ShapeError(
            f"the shape {show_shape(part.shape)} is not that of a part of {show_shape(shape)}, "
            f"{show_shape(wanted)}"
        )
    return places


def outside(shape: Any, index: Any, arrays: Sequence[Any]) -> Exception:
    """Make the error of an index that does not fit a shape."""
    types = tuple(TensorType(np.shape(x), np.asarray(x).dtype) for x in arrays)
    try:
        check_integers(types)
        if all(found.dtype != np.bool_ for found in types):
            infer_index(tuple(shape), index, types)
    except CgkitError as known:
        return known
    return _outside_by_value(tuple(shape), index, arrays)


def _outside_by_value(shape: Any, index: Any, arrays: Sequence[Any]) -> ShapeError:
    rest = map(np.asarray, arrays)
    axis = 0
    for item in index:
        if isinstance(item, str):
            array = next(rest)
            sizes = shape[axis : axis + array.ndim]
            if array.dtype == np.bool_ and array.shape != sizes:
                return ShapeError(
                    f"a mask of shape {show_shape(array.shape)} does not fit {show_shape(shape)}",
                    attempt="a mask of the sizes of the axes that it is for",
                )
            wrong = None if array.dtype == np.bool_ else wrong_place(array, shape[axis])
            if wrong is not None:
                return ShapeError(f"place {wrong} lies outside axis {axis} of size {shape[axis]}")
            axis += array.ndim - 1 if array.dtype == np.bool_ else 0
        axis += item is not None
    return ShapeError(f"an index does not fit {show_shape(shape)}")


def wrong_place(places: np.ndarray, size: int) -> int | None:
    """Find a place that lies outside an axis of a size, if there is one.

    Examples
    --------
    >>> wrong_place(np.array([0, -2, 5]), 2), wrong_place(np.array([0, -2]), 2)
    (5, None)
    """
    if not places.size or (-size <= places.min() and places.max() < size):
        return None
    return int(places.min() if places.min() < -size else places.max())


def check_integers(arrays: Iterable[Any]) -> None:
    """Demand that the tensors which give places are of ints or booleans."""
    for array in arrays:
        if array.dtype.kind not in "iub":
            raise DtypeError(f"an index must be of ints or booleans, got {array.dtype}")
