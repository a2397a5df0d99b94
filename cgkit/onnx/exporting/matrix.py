"""Products of matrices and of tensors with named axes.

matmul      MatMul, one to one; whole numbers of few bits are multiplied as int32 and wrap back
einsum      Einsum, with a letter for each axis that "..." stood for
fft         DFT along the last axis but one; a single signal is made a batch of one
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.reduction import floats
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.contraction import names_of
from cgkit.operators.indices import ARRAY, Span
from cgkit.types import Dim


def _einsum(draft: Draft, *operands: Term, equation: str) -> Term:
    names = names_of(equation, tuple(len(x.shape or ()) for x in operands))
    if any(size == 0 for x in operands for size in x.shape or ()):
        return draft.zeros(draft.shape, draft.dtype)  # a sum of nothing, which stops some runtimes
    small = draft.dtype.kind != "f" and draft.dtype.itemsize < 4
    dtype = np.dtype("int32") if small else draft.dtype
    wide = {
        letter
        for letters, x in zip(names.operands, operands, strict=True)
        for letter, size in zip(letters, x.shape or (), strict=True)
        if size != 1
    }
    given, terms = [], []
    for letters, x in zip(names.operands, operands, strict=True):
        # an axis of 1 that would stretch is taken out: to ONNX one letter means one size
        out = [
            axis
            for axis, (letter, size) in enumerate(zip(letters, x.shape or (), strict=True))
            if size == 1 and letter in wide
        ]
        x = draft.cast(x, dtype)
        given.append(draft.add("Squeeze", x, draft.sizes(out)) if out else x)
        terms.append("".join(letter for axis, letter in enumerate(letters) if axis not in out))
    return draft.add("Einsum", *given, equation=f"{','.join(terms)}->{names.result}")


def _cofactors(draft: Draft, a: Term) -> Any:
    size = draft.shape[-1]
    if isinstance(size, Dim):
        raise draft.refuse(f"its minors are cut out by a known size, and {size} is open")
    return draft.express(_minors, a)


def _minors(a: Any) -> Any:
    """Give the determinants of what is left without each row and column, by turns negative."""
    rank, size = a.ndim, int(a.shape[-1])
    a = floats(a)
    others = np.array([[j for j in range(size) if j != i] for i in range(size)], np.int64)
    others = others.reshape(size, max(size - 1, 0))
    rows = ops.index(a, others, index=(*(Span(),) * (rank - 2), ARRAY))
    cut = ops.index(rows, others, index=(*(Span(),) * rank, ARRAY))
    front = tuple(range(rank - 2))
    minors = ops.transpose(cut, axes=(*front, rank - 2, rank, rank - 1, rank + 1))
    turns = (-1.0) ** np.add.outer(np.arange(size), np.arange(size))
    return ops.det(minors) * turns.astype(a.dtype)


def _fft(draft: Draft, a: Term, inverse: bool = False) -> Term:
    shape = draft.shape
    if any(size == 0 for size in shape):
        return draft.zeros(shape, draft.dtype)
    given = draft.reshape(draft.cast(a, draft.dtype), (1, *shape) if len(shape) == 2 else shape)
    at = draft.constant(max(len(shape) - 2, 1), np.int64)
    waves = draft.add("DFT", given, None, at, inverse=int(inverse))
    return draft.reshape(waves, shape) if len(shape) == 2 else waves


RULES: Mapping[str, Rule] = MappingProxyType(
    {"einsum": _einsum, "cofactors": _cofactors, "fft": _fft}
)
