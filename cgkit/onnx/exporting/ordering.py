"""Order: ArgMax, ArgMin and TopK, whose ties go to the first place, as ours do.

argmax(x)       of all elements laid flat
argsort(x)      the places that TopK gives for as many elements as there are
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.schemas import fitting
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.settings import normal_axis
from cgkit.types import Size, count


def _place_of(operator: str) -> Rule:
    def rule(draft: Draft, a: Term, axis: int | None = None, keepdims: bool = False) -> Term:
        wide = draft.cast(a, fitting(operator, a.dtype, draft.opset))
        if axis is not None:
            at = normal_axis(axis, len(a.shape or ()))
            return draft.add(operator, wide, gives=np.int64, axis=at, keepdims=int(keepdims))
        flat = draft.reshape(wide, (count(a.shape or ()),))
        found = draft.add(operator, flat, gives=np.int64, axis=0, keepdims=0)
        return draft.reshape(Term(found.name, found.dtype, ()), draft.shape)

    return rule


def _argsort(draft: Draft, a: Term, axis: int = -1, descending: bool = False) -> Term:
    at = normal_axis(axis, len(draft.shape))
    return _first_places(draft, a, draft.shape[at], at, descending)


def _argtopk(draft: Draft, a: Term, k: int, axis: int = -1, largest: bool = True) -> Term:
    return _first_places(draft, a, int(k), normal_axis(axis, len(draft.shape)), largest)


def _first_places(draft: Draft, a: Term, many: Size, axis: int, largest: bool) -> Term:
    wide = draft.cast(a, fitting("TopK", a.dtype, draft.opset))
    _, places = draft.several(
        "TopK", wide, draft.sizes((many,)), gives=(None, np.int64), axis=axis,
        largest=int(largest), sorted=1,
    )  # fmt: skip
    return places


RULES: Mapping[str, Rule] = MappingProxyType({
    "argmax": _place_of("ArgMax"), "argmin": _place_of("ArgMin"), "argsort": _argsort,
    "argtopk": _argtopk,
})  # fmt: skip
