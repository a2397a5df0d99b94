"""Parts of a tensor: Slice, Gather, GatherND, and what is written at places: ScatterND and Pad.

    x[1:, 0]           Slice, Squeeze                    place(g)       Pad with zeros
    x[:, ids]          Gather                            scatter(g)     ScatterND of the sum
    x[0, :, ids]       GatherND of what is in front

What no such operator says is said by places: each element of a tensor has a number, the same index
reads the numbers of the part, and ScatterElements writes there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.movement import FIRST, LAST
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.indices import ARRAY, Item, Span, infer_index
from cgkit.operators.settings import normal_axis
from cgkit.types import Dim, Shape, Size, TensorType, broadcast_shapes, count

Index = tuple[Item, ...]
INT64 = np.dtype("int64")


def _slice(draft: Draft, a: Term, index: Index) -> Term:
    return read(draft, a, (), index)


def read(draft: Draft, a: Term, arrays: Sequence[Term], index: Index) -> Term:
    """Give the part of a tensor at an index; its shape is not known."""
    if not arrays:
        return _spans(draft, a, index)
    advanced = [i for i, item in enumerate(index) if item == ARRAY or isinstance(item, int)]
    rank = len(a.shape or ()) + sum(item is None for item in index)
    kept = tuple(Span() if i in advanced else item for i, item in enumerate(index))
    if any(item != Span() for item in kept):
        a = _spans(draft, a, kept)
    places = iter(arrays)
    each = [
        next(places) if index[i] == ARRAY else draft.constant(index[i], INT64) for i in advanced
    ]
    if len(each) == 1:
        return draft.add("Gather", a, _places(draft, each[0]), axis=advanced[0])
    rest = [i for i in range(rank) if i not in advanced]
    found = draft.add("GatherND", draft.transpose(a, (*advanced, *rest)), _joined(draft, each))
    wide = len(broadcast_shapes(*(place.shape or () for place in each)))
    adjacent = advanced == list(range(advanced[0], advanced[-1] + 1))
    front = sum(i < advanced[0] for i in rest) if adjacent else 0
    order = (*range(wide, wide + front), *range(wide), *range(wide + front, wide + len(rest)))
    return draft.transpose(found, order)


def _places(draft: Draft, places: Term) -> Term:
    return places if places.dtype == np.int32 else draft.cast(places, INT64)


def _joined(draft: Draft, each: Sequence[Term]) -> Term:
    """Lay places on several axes side by side along a new last axis, as GatherND has them."""
    shape = broadcast_shapes(*(place.shape or () for place in each))
    columns = []
    for place in each:
        place = draft.expand(draft.cast(place, INT64), shape)
        columns.append(draft.add("Unsqueeze", place, draft.sizes((len(shape),))))
    if len(columns) == 1:
        return columns[0]
    return draft.add("Concat", *columns, axis=len(shape))


def _spans(draft: Draft, a: Term, index: Index) -> Term:
    """Cut ranges, take single places and put in new axes."""
    shape = a.shape or ()
    cuts, out, new = [], [], []
    axis = result = 0
    for item in index:
        if item is None:
            new.append(result)
            result += 1
            continue
        if isinstance(item, int):
            out.append(axis)
            cuts.append((axis, item, item + 1 if item != -1 else LAST, 1))
        elif item != Span():
            assert isinstance(item, tuple)
            cuts.append((axis, *_ends(shape[axis], *item)))
        result += not isinstance(item, int)
        axis += 1
    if cuts:
        axes, starts, stops, steps = (draft.sizes(column) for column in zip(*cuts, strict=True))
        a = draft.add("Slice", a, starts, stops, axes, steps)
    if out:
        a = draft.add("Squeeze", a, draft.sizes(out))
    return draft.add("Unsqueeze", a, draft.sizes(new)) if new else a


def _ends(size: Size, start: Any, stop: Any, step: int | None) -> tuple[Any, Any, int]:
    """Give where a range begins and ends, and its step, as ONNX counts them."""
    way = step or 1
    if not any(isinstance(x, Dim) for x in (size, start, stop)):
        first, end, way = slice(start, stop, step).indices(int(size))
        if not len(range(first, end, way)):
            return 0, 0, 1
        return first, FIRST if end < 0 else end, way
    whole = (0, LAST) if way > 0 else (LAST, FIRST)
    return whole[0] if start is None else start, whole[1] if stop is None else stop, way


def _place(draft: Draft, a: Term, shape: Any, index: Index) -> Term:
    whole = draft.shape
    pads = _pads(whole, index, a.shape or ())
    if pads is None:
        numbers = read(draft, _numbers(draft, whole), (), index)
        return _write(draft, draft.zeros((count(whole),), a.dtype), numbers, a, "none")
    items = [item for item in index if item is not None]
    new = [i for i, item in enumerate(_results(index)) if item is None]
    if new:
        a = draft.add("Squeeze", a, draft.sizes(new))
    single = [axis for axis, item in enumerate(items) if isinstance(item, int)]
    if single:
        a = draft.add("Unsqueeze", a, draft.sizes(single))
    if not any(isinstance(n, Dim) or n for n in pads):
        return a
    return draft.add("Pad", a, draft.sizes(pads), draft.constant(0, a.dtype))


def _results(index: Index) -> list[Item]:
    """Give the entries that leave an axis in the result."""
    return [item for item in index if not isinstance(item, int)]


def _pads(whole: Shape, index: Index, part: Shape) -> tuple[Size, ...] | None:
    """Give how much lies before and after a part, axis by axis; None if it has gaps."""
    before: list[Size] = []
    after: list[Size] = []
    sizes = iter(part)
    axis = 0
    for item in index:
        size = 1 if isinstance(item, int) else next(sizes)
        if item is None:
            continue
        start, _, step = (
            (item if item >= 0 else whole[axis] + item, 0, 1) if isinstance(item, int)
            else _ends(whole[axis], *item)
        )  # fmt: skip
        if step != 1:
            return None
        if isinstance(start, int) and start < 0:
            start = whole[axis] + start
        before.append(start)
        after.append(whole[axis] - start - size)
        axis += 1
    rest = (0,) * (len(whole) - axis)
    return (*before, *rest, *after, *rest)


def _index(draft: Draft, a: Term, *arrays: Term, index: Index) -> Term:
    return read(draft, a, arrays, index)


def _numbers(draft: Draft, shape: Shape) -> Term:
    """Give each element of a shape its number, as a tensor of it."""
    zero, one = draft.constant(0, INT64), draft.constant(1, INT64)
    # even of known sizes they are counted when the model runs: it would hold as many constants
    line = draft.add("Range", zero, draft.size(count(shape)), one)
    return draft.reshape(Term(line.name, INT64, (count(shape),)), shape)


def _write(draft: Draft, flat: Term, numbers: Term, new: Term, reduction: str) -> Term:
    """Write elements at the numbers of places, and give the result our shape."""
    at = draft.add("Reshape", numbers, draft.sizes((-1,)))
    given = draft.add("Reshape", new, draft.sizes((-1,)))
    made = draft.add("ScatterElements", flat, at, given, axis=0, reduction=reduction)
    return draft.reshape(Term(made.name, made.dtype, (count(draft.shape),)), draft.shape)


def _scattering(reduction: str, first: Any) -> Rule:
    def rule(draft: Draft, g: Term, *arrays: Term, shape: Any, index: Index) -> Term:
        if any(array.dtype == np.bool_ for array in arrays):
            raise draft.refuse(
                "where a mask is true is not known before the model runs",
                "places instead of a mask, or where(mask, x, 0.0), which keeps the shape",
            )
        dtype = np.dtype("int32") if draft.dtype == np.bool_ else draft.dtype
        g = draft.cast(g, dtype)
        begin = first(dtype)
        lead = [i for i, item in enumerate(index) if item == ARRAY]
        if lead == list(range(len(lead))) and all(x == Span() for x in index[len(lead) :]):
            data = draft.zeros(draft.shape, dtype, begin)
            return draft.add("ScatterND", data, _joined(draft, arrays), g, reduction=reduction)
        numbers = read(draft, _numbers(draft, draft.shape), arrays, index)
        flat = draft.zeros((count(draft.shape),), dtype, begin)
        return _write(draft, flat, numbers, g, reduction)

    return rule


def _limit(dtype: np.dtype, name: str) -> Any:
    if dtype.kind == "f":
        return -np.inf if name == "min" else np.inf
    return getattr(np.iinfo(dtype), name)


def _gather_elements(draft: Draft, a: Term, places: Term, axis: int) -> Term:
    at = normal_axis(axis, len(draft.shape))
    return draft.add("GatherElements", a, _places(draft, places), axis=at)


def _add_elements(draft: Draft, g: Term, places: Term, shape: Any, axis: int) -> Term:
    dtype = np.dtype("int32") if draft.dtype == np.bool_ else draft.dtype
    zeros = draft.zeros(draft.shape, dtype)
    at = normal_axis(axis, len(draft.shape))
    return draft.add(
        "ScatterElements", zeros, _places(draft, places), draft.cast(g, dtype), axis=at,
        reduction="add",
    )  # fmt: skip


def _one_hot(draft: Draft, a: Term, size: Size, axis: int = -1, dtype: Any = "float64") -> Term:
    if size == 0:  # which some runtimes take for a negative one
        return draft.zeros(draft.shape, draft.dtype)
    made = draft.dtype if draft.dtype == np.float32 else INT64  # what runtimes have kernels for
    values = draft.constant([0, 1], made)
    at = normal_axis(axis, len(draft.shape))
    places = draft.cast(a, INT64)
    if not a.shape:  # ONNX marks places of at least one axis
        places = draft.reshape(places, (1,))
    marks = draft.add("OneHot", places, draft.size(size), values, gives=made, axis=at)
    return marks if a.shape else draft.reshape(marks, draft.shape)


def _positions(draft: Draft, a: Term, axis: int) -> Term:
    return draft.every(draft.shape[0])


def _put(draft: Draft, a: Term, b: Term, *arrays: Term, index: Index) -> Term:
    shape = draft.shape
    part = infer_index(shape, index, tuple(TensorType(x.shape or (), x.dtype) for x in arrays))
    new = draft.expand(draft.cast(b, draft.dtype), part)
    numbers = read(draft, _numbers(draft, shape), arrays, index)
    flat = draft.reshape(a, (count(shape),))
    if not arrays:
        return _write(draft, flat, numbers, new, "none")
    order, _, _ = _order(draft, numbers, shape, part)
    values = draft.add("Reshape", new, draft.sizes((-1,)))
    values = draft.add("Concat", draft.zeros((1,), draft.dtype), values, axis=0)
    written = draft.add("Greater", order, 0, gives=bool)
    found = draft.where(written, draft.add("Gather", values, order, axis=0), flat, draft.dtype)
    return draft.reshape(Term(found.name, found.dtype, (count(shape),)), shape)


def _order(draft: Draft, numbers: Term, shape: Shape, part: Shape) -> tuple[Term, Term, Term]:
    """Give for each place which of what comes there comes last, from 1; 0 where nothing comes."""
    one = draft.constant(1, INT64)
    end = draft.size(count(part) + 1)
    turn = draft.add("Range", one, end, one)
    at = draft.add("Reshape", numbers, draft.sizes((-1,)))
    none = draft.zeros((count(shape),), INT64)
    return draft.add("ScatterElements", none, at, turn, axis=0, reduction="max"), at, turn


def _lasting(draft: Draft, *arrays: Term, shape: Any, index: Index) -> Term:
    whole = shape if isinstance(shape, tuple) else (shape,)
    numbers = read(draft, _numbers(draft, whole), arrays, index)
    order, at, turn = _order(draft, numbers, whole, draft.shape)
    stays = draft.add("Equal", draft.add("Gather", order, at, axis=0), turn, gives=bool)
    return draft.reshape(Term(stays.name, np.dtype(bool), (count(draft.shape),)), draft.shape)


def _overwrite(draft: Draft, a: Term, b: Term) -> Term:
    b = draft.cast(b, draft.dtype)
    return draft.expand(b, draft.shape)


RULES: Mapping[str, Rule] = MappingProxyType({
    "slice": _slice, "place": _place, "index": _index, "gather_elements": _gather_elements,
    "add_elements": _add_elements, "one_hot": _one_hot, "positions": _positions,
    "scatter": _scattering("add", lambda dtype: 0),
    "scatter_mul": _scattering("mul", lambda dtype: 1),
    "scatter_max": _scattering("max", lambda dtype: _limit(dtype, "min")),
    "scatter_min": _scattering("min", lambda dtype: _limit(dtype, "max")),
    "put": _put, "lasting": _lasting, "overwrite": _overwrite,
})  # fmt: skip
