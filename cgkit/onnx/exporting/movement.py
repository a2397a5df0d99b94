"""Shapes changed and elements moved: reshape, transpose, joining, repeating, cutting.

    reshape(x, shape=(N, 784))     Reshape to [-1, 784]: one open size is left to ONNX
    reshape(x, shape=(N, M))       Shape of what has them, Concat, Reshape
    roll(x, shift=1)               the last element, then the others: Slice, Slice, Concat; of an
                                   open size each element's place, less 1, modulo the size: Gather

The shape that our result has is what is written: what the params leave out is known by then.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.joining import split_sizes
from cgkit.operators.settings import normal_axes, normal_axis
from cgkit.types import Dim, Size, count

FIRST, LAST = -(2**63), 2**63 - 1
"""Where a Slice begins or ends that goes to the end, whatever the size."""


def _reshape(draft: Draft, a: Term, shape: Any) -> Term:
    return draft.reshape(a, draft.shape)


def _transpose(draft: Draft, a: Term, axes: Any = None) -> Term:
    rank = len(draft.shape)
    return draft.transpose(a, normal_axes(axes, rank) if axes is not None else range(rank)[::-1])


def _broadcast_to(draft: Draft, a: Term, shape: Any) -> Term:
    return draft.expand(a, draft.shape)


def _sum_to(draft: Draft, a: Term, shape: Any) -> Any:
    sizes = a.shape or ()
    lead = len(sizes) - len(draft.shape)
    folded = [
        lead + i for i, size in enumerate(draft.shape)
        if size == 1 and not isinstance(size, Dim) and sizes[lead + i] != 1
    ]  # fmt: skip
    if not lead and not folded:
        return a
    axes = (*range(lead), *folded)
    total = draft.fold("ReduceSum", a, axes, True, draft.dtype)
    return draft.reshape(total, draft.shape)


def _concat(draft: Draft, *parts: Term, axis: int = 0) -> Term:
    given = [draft.cast(part, draft.dtype) for part in parts]
    return draft.add("Concat", *given, axis=normal_axis(axis, len(draft.shape)))


def _stack(draft: Draft, *parts: Term, axis: int = 0) -> Term:
    at = normal_axis(axis, len(draft.shape))
    given = [
        draft.add("Unsqueeze", draft.cast(part, draft.dtype), draft.sizes((at,))) for part in parts
    ]
    return draft.add("Concat", *given, axis=at)


def _squeeze(draft: Draft, a: Term, axis: Any = None) -> Term:
    sizes = a.shape or ()
    out = normal_axes(axis, len(sizes)) if axis is not None else [
        at for at, size in enumerate(sizes) if size == 1
    ]  # fmt: skip
    return draft.add("Squeeze", a, draft.sizes(out)) if out else a


def _unsqueeze(draft: Draft, a: Term, axis: Any) -> Term:
    many = len(axis) if isinstance(axis, tuple) else 1
    new = normal_axes(axis, len(a.shape or ()) + many)
    return draft.add("Unsqueeze", a, draft.sizes(sorted(new))) if new else a


def _flip(draft: Draft, a: Term, axis: Any = None) -> Term:
    axes = normal_axes(axis, len(draft.shape))
    if not axes:
        return a
    back = (-1,) * len(axes)
    ends = draft.sizes((FIRST,) * len(axes))
    return draft.add("Slice", a, draft.sizes(back), ends, draft.sizes(axes), draft.sizes(back))


def _roll(draft: Draft, a: Term, shift: Any, axis: Any = None) -> Term:
    shape = a.shape or ()
    if axis is None:
        size: Size = count(shape)
        line = draft.reshape(a, (size,))
        return draft.reshape(_rolled(draft, line, 0, size, shift), shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    each = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    for at, far in zip(axes, each, strict=True):
        at = normal_axis(at, len(shape))
        a = _rolled(draft, a, at, shape[at], far)
    return a


def _rolled(draft: Draft, a: Term, axis: int, size: Size, shift: Any) -> Term:
    """Put what stands behind a place before what stands in front of it."""
    if isinstance(size, Dim):
        places = draft.add("Sub", draft.every(size), int(shift))
        places = draft.add("Mod", places, draft.add("Max", draft.size(size), 1))
        return draft.add("Gather", a, places, axis=axis)
    cut = draft.sizes((-int(shift) % max(size, 1),))
    at = draft.sizes((axis,))
    behind = draft.add("Slice", a, cut, draft.sizes((LAST,)), at)
    front = draft.add("Slice", a, draft.sizes((0,)), cut, at)
    return draft.add("Concat", behind, front, axis=axis)


def _split(
    draft: Draft, a: Term, sections: Any = None, sizes: Any = None, axis: int = 0
) -> tuple[Term, ...]:
    shape = a.shape or ()
    at = normal_axis(axis, len(shape))
    each = split_sizes(shape[at], sections, sizes)
    return draft.several("Split", a, draft.sizes(each), gives=(None,) * len(each), axis=at)


def _tile(draft: Draft, a: Term, repeats: Any) -> Term:
    times = repeats if isinstance(repeats, tuple) else (repeats,)
    sizes = a.shape or ()
    rank = max(len(sizes), len(times))
    wide = draft.reshape(a, (*(1,) * (rank - len(sizes)), *sizes))
    if not rank:
        return a
    return draft.add("Tile", wide, draft.sizes((*(1,) * (rank - len(times)), *times)))


def _repeat(draft: Draft, a: Term, repeats: Any, axis: Any = None) -> Term:
    sizes = a.shape or ()
    if axis is None:
        a = draft.reshape(a, (count(sizes),))
        sizes, axis = a.shape or (), 0
    at = normal_axis(axis, len(sizes))
    if isinstance(repeats, tuple):  # one number for each place
        places = draft.constant(np.repeat(np.arange(len(repeats)), repeats), np.int64)
        return draft.add("Gather", a, places, axis=at)
    apart = draft.add("Unsqueeze", a, draft.sizes((at + 1,)))
    times = [1] * (len(sizes) + 1)
    times[at + 1] = int(repeats)
    return draft.reshape(draft.add("Tile", apart, draft.sizes(times)), draft.shape)


def _measure(draft: Draft, a: Term, size: Size) -> Term:
    return draft.cast(draft.size(size), draft.dtype)


def _stop_gradient(draft: Draft, a: Term) -> Term:
    return draft.add("Identity", a)


def _instead(draft: Draft, a: Term, b: Term) -> Term:
    return draft.add("Identity", b)


RULES: Mapping[str, Rule] = MappingProxyType({
    "reshape": _reshape, "transpose": _transpose, "broadcast_to": _broadcast_to,
    "sum_to": _sum_to, "concat": _concat, "stack": _stack, "squeeze": _squeeze,
    "unsqueeze": _unsqueeze, "flip": _flip, "roll": _roll, "split": _split, "tile": _tile,
    "repeat": _repeat, "measure": _measure, "stop_gradient": _stop_gradient,
    "instead": _instead,
})  # fmt: skip
