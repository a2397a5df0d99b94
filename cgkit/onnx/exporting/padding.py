"""Padding: by ONNX's Pad where that says it, else by places from which the elements are copied.

    constant         Pad, negative widths too
    edge             Pad, if nothing is cut off
    reflect, wrap    Pad, if no width goes round more than once; else Gather at places

The places are known with the size of the axis; of an open one the model computes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.movement import LAST
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.padding import Widths, normal_widths
from cgkit.types import Size

INT64 = np.dtype("int64")


def _pad(draft: Draft, a: Term, pads: Any, mode: str = "constant", value: float = 0.0) -> Term:
    sizes = a.shape or ()
    widths = normal_widths(len(sizes), pads)
    if mode == "constant":
        return _filled(draft, a, widths, value)
    if any(size == 0 for size in draft.shape):  # some runtimes copy nothing by constants only
        return draft.zeros(draft.shape, a.dtype)
    if all(_has_room(size, pair, mode) for size, pair in zip(sizes, widths, strict=True)):
        return _directly(draft, a, widths, mode)
    for axis, (size, pair) in enumerate(zip(sizes, widths, strict=True)):
        if pair != (0, 0):
            a = draft.add("Gather", a, _places(draft, size, pair, mode), axis=axis)
    return a


def _filled(draft: Draft, a: Term, widths: Widths, value: float) -> Term:
    """Put a number around, then cut off what negative widths take away.

    In this order nothing is left of an empty axis that one element is cut off from and put to.
    """
    wide = tuple(tuple(max(n, 0) if isinstance(n, int) else n for n in pair) for pair in widths)
    a = _directly(draft, a, wide, "constant", draft.constant(value, a.dtype))  # type: ignore
    cuts = [
        (axis, -_below(before), _below(after) or LAST)
        for axis, (before, after) in enumerate(widths)
        if _below(before) or _below(after)
    ]
    if not cuts:
        return a
    axes, starts, stops = (draft.sizes(column) for column in zip(*cuts, strict=True))
    return draft.add("Slice", a, starts, stops, axes)


def _below(width: Size) -> int:
    """Give a width that is negative; 0 for any other."""
    return min(width, 0) if isinstance(width, int) else 0


def _directly(draft: Draft, a: Term, widths: Widths, mode: str, value: Term | None = None) -> Term:
    if not any(pair != (0, 0) for pair in widths):
        return a
    both = (*(before for before, _ in widths), *(after for _, after in widths))
    return draft.add("Pad", a, draft.sizes(both), value, mode=mode)


def _has_room(size: Size, pair: tuple[Size, Size], mode: str) -> bool:
    """Whether ONNX's own padding is as wide: it goes round once, and cuts nothing off."""
    widths = [n for n in pair if isinstance(n, int) and n >= 0]
    if len(widths) < 2 or (not isinstance(size, int) and mode != "edge"):
        return pair == (0, 0)
    return mode == "edge" or all(n <= int(size) - (mode == "reflect") for n in widths)


def _places(draft: Draft, size: Size, pair: tuple[Size, Size], mode: str) -> Term:
    """Give from which places along an axis the elements of the padded one are copied."""
    if all(isinstance(n, int) for n in (size, *pair)):
        return draft.constant(ops.pad(np.arange(int(size)), pads=(pair,), mode=mode), INT64)
    before, after = pair
    first, end, one = draft.size(-before), draft.size(size + after), draft.constant(1, INT64)
    places = draft.add("Range", first, end, one)
    many = draft.size(size)
    last = draft.add("Max", draft.add("Sub", many, 1), 0)
    if mode == "edge":
        return draft.add("Min", draft.add("Max", places, 0), last)
    if mode == "wrap":
        return draft.add("Mod", places, draft.add("Max", many, 1))
    period = draft.add("Max", draft.add("Mul", last, 2), 1)  # there and back
    on_the_way = draft.add("Sub", last, draft.add("Mod", places, period))
    return draft.add("Sub", last, draft.add("Abs", on_the_way))


def _fold(draft: Draft, g: Term, shape: Any, pads: Any, mode: str) -> Term:
    whole = draft.shape
    dtype = np.dtype("int32") if draft.dtype == np.bool_ else draft.dtype
    g = draft.cast(g, dtype)
    sizes = list(g.shape or ())
    for axis, pair in enumerate(normal_widths(len(whole), pads)):
        if pair == (0, 0):
            continue
        places = _places(draft, whole[axis], pair, mode)
        behind = (1,) * (len(whole) - axis - 1)
        places = draft.add("Reshape", places, draft.sizes((-1, *behind)))
        places = draft.expand(places, sizes)
        sizes[axis] = whole[axis]
        zeros = draft.zeros(sizes, dtype)
        g = draft.add("ScatterElements", zeros, places, g, axis=axis, reduction="add")
    return g


RULES: Mapping[str, Rule] = MappingProxyType({"pad": _pad, "fold": _fold})
