"""Triangles and diagonals: Trilu, EyeLike, and places counted along a matrix laid flat.

diagonal of (r, c)     the matrix as one line of r*c, of which every (c + 1)-th is taken
on_diagonal            a column for each row, kept where EyeLike has a 1
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit.onnx.dtypes import as_number
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.settings import normal_axes
from cgkit.types import Shape


def _triangle(upper: int) -> Rule:
    def rule(draft: Draft, a: Term, k: int = 0) -> Term:
        return draft.add("Trilu", a, draft.constant(int(k), np.int64), upper=upper)

    return rule


def _order(rank: int, axis1: int, axis2: int) -> tuple[int, ...]:
    """Give the axes with those of the matrix last."""
    row, column = normal_axes((axis1, axis2), rank)
    return (*(at for at in range(rank) if at not in (row, column)), row, column)


def _diagonal(draft: Draft, a: Term, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Term:
    shape: Shape = a.shape or ()
    turned = draft.transpose(a, _order(len(shape), axis1, axis2))
    *rest, rows, columns = turned.shape or ()
    size = draft.shape[-1]
    flat = draft.reshape(turned, (*rest, rows * columns))
    start = offset if offset >= 0 else -offset * columns
    if isinstance(size, int) and isinstance(columns, int):
        places = draft.constant(int(start) + (columns + 1) * np.arange(size), np.int64)
    else:
        steps = draft.add("Mul", draft.every(size), draft.size(columns + 1))
        places = draft.add("Add", steps, draft.size(start))
    return draft.add("Gather", flat, places, axis=len(rest))


def _on_diagonal(
    draft: Draft, a: Term, shape: Any, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Term:
    order = _order(len(draft.shape), axis1, axis2)
    *_, rows, columns = (draft.shape[at] for at in order)
    *rest, size = a.shape or ()
    before = max(-offset, 0)
    pads = (*(0,) * len(rest), before, *(0,) * len(rest), rows - before - size)
    line = draft.add("Pad", a, draft.sizes(pads), draft.constant(0, a.dtype))
    column = draft.add("Unsqueeze", line, draft.sizes((len(rest) + 1,)))
    like = draft.zeros((rows, columns), np.int32)
    marks = draft.add("EyeLike", like, k=offset, dtype=as_number("int32"))
    found = draft.where(draft.cast(marks, bool), column, 0, a.dtype)
    return draft.transpose(found, [order.index(at) for at in range(len(order))])


def _eye_like(draft: Draft, a: Term, k: int = 0, dtype: Any = None) -> Term:
    made = draft.dtype
    return draft.add("EyeLike", a, gives=made, k=int(k), dtype=as_number(made))


RULES: Mapping[str, Rule] = MappingProxyType({
    "tril": _triangle(0), "triu": _triangle(1), "diagonal": _diagonal,
    "on_diagonal": _on_diagonal, "eye_like": _eye_like,
})  # fmt: skip
