"""What is found, and only the run of a model tells how much: NonZero, Unique, NonMaxSuppression.

    nonzero(x)      NonZero gives a column for each element, ours a row: Transpose
    argunique(x)    the last three results of Unique

What reads such a result may know its size by a name, which the model reads off its shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.movement import LAST
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.settings import normal_axis

PLAIN = ("bool", "uint8", "int32", "int64", "float32")
"""Dtypes in which runtimes look for what is not 0."""


def _nonzero(draft: Draft, a: Term, number: Any = None) -> Term:
    found = a if a.dtype.name in PLAIN else draft.cast(a, bool)
    if not a.shape:  # of a single number there are no axes to tell places on
        found = draft.reshape(Term(found.name, found.dtype, ()), (1,))
    places = draft.add("NonZero", found, gives=np.int64)
    rows = draft.add("Transpose", places, perm=[1, 0])
    if a.shape:
        return rows
    return draft.add("Slice", rows, *map(draft.sizes, ((LAST,), (LAST,), (1,))))


def _argunique(
    draft: Draft, a: Term, axis: int, ordered: bool = True, number: Any = None
) -> tuple[Term, ...]:
    wide = a if a.dtype.kind == "f" else draft.cast(a, np.int64)
    at = normal_axis(axis, len(a.shape or ()))
    _, first, place, many = draft.several(
        "Unique", wide, gives=(None, np.int64, np.int64, np.int64), axis=at, sorted=int(ordered)
    )
    return first, place, many


def _suppression(
    draft: Draft, boxes: Term, scores: Term, most: int, overlap: float = 0.0, least: Any = None,
    center: bool = False, number: Any = None,
) -> Term:  # fmt: skip
    """ONNX compares float32: boxes that overlap as much as the limit may fall on its other side."""
    limits = [draft.constant([overlap], "float32")]
    if least is not None:
        limits.append(draft.constant([least], "float32"))
    return draft.add(
        "NonMaxSuppression", draft.cast(boxes, "float32"), draft.cast(scores, "float32"),
        draft.sizes((int(most),)), *limits, gives=np.int64, center_point_box=int(center),
    )  # fmt: skip


RULES: Mapping[str, Rule] = MappingProxyType({
    "nonzero": _nonzero, "argunique": _argunique, "non_max_suppression": _suppression,
})  # fmt: skip
