"""Matrix multiplication, by NumPy's rule for shapes.

    (n, k) @ (k, m) ─> (n, m)        (..., n, k) @ (..., k, m): the axes in front broadcast

A vector on the left is a row, on the right a column, and its axis is dropped from the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.movement import reshape, swap_last
from cgkit.operators.samples import with_params
from cgkit.types import Shape, Size, TensorType, broadcast_shapes, meet, show_shape


def _infer_matmul(a: TensorType, b: TensorType) -> TensorType:
    try:
        if a.dtype.kind not in "fiubc" or b.dtype.kind not in "fiubc":
            raise TypeError
        dtype = np.matmul.resolve_dtypes((a.dtype, b.dtype, None))[-1]
    except TypeError:
        raise DtypeError(f"matmul cannot take {a.dtype} and {b.dtype}") from None
    if not a.shape or not b.shape:
        raise _refusal(a, b, "a single number has no axis to sum over", "a * b")
    left, right = as_matrices(a.shape, b.shape)
    try:
        meet(left[-1], right[-2])
    except ShapeError as error:
        raise _refusal(a, b, f"the inner {error.what.removeprefix('the ')}", _cure(a, b)) from None
    try:
        batch = broadcast_shapes(left[:-2], right[:-2])
    except ShapeError as error:
        raise _refusal(a, b, f"the axes in front do not broadcast: {error.why}", "") from None
    rows = () if a.ndim == 1 else (left[-2],)
    columns = () if b.ndim == 1 else (right[-1],)
    return TensorType((*batch, *rows, *columns), dtype)


def as_matrices(left: Shape, right: Shape) -> tuple[Shape, Shape]:
    """Give the shapes with vectors made matrices: a row on the left, a column on the right."""
    return (
        (1, *left) if len(left) == 1 else left,
        (*right, 1) if len(right) == 1 else right,
    )


def _refusal(a: TensorType, b: TensorType, why: str, attempt: str) -> ShapeError:
    what = f"matmul cannot multiply {show_shape(a.shape)} by {show_shape(b.shape)}"
    return ShapeError(what, why=why, attempt=attempt)


def _cure(a: TensorType, b: TensorType) -> str:
    if b.ndim == 2 and a.shape[-1] == b.shape[-1]:
        return "x @ W.T, if W is stored as (outputs, inputs)"
    return "shapes (..., n, k) and (..., k, m)"


def _left(g: Any, y: Any, a: Any, b: Any) -> Any:
    if b.ndim == 1:
        return reshape(g, shape=(*g.shape, 1)) * b
    row = a.ndim == 1
    grads = matmul(_with_axis(g, -2) if row else g, swap_last(b))
    return _drop_row(grads) if row else grads


def _right(g: Any, y: Any, a: Any, b: Any) -> Any:
    if a.ndim == 1:
        return _outer(a, g, b)
    if b.ndim == 1:
        column = matmul(swap_last(a), _with_axis(g, -1))
        return reshape(column, shape=column.shape[:-1])
    return matmul(swap_last(a), g)


def _outer(a: Any, g: Any, b: Any) -> Any:
    if b.ndim == 1:
        return a * g
    return reshape(a, shape=(a.shape[0], 1)) * _with_axis(g, -2)


def _with_axis(g: Any, place: int) -> Any:
    at = g.ndim + 1 + place
    return reshape(g, shape=(*g.shape[:at], 1, *g.shape[at:]))


def _drop_row(x: Any) -> Any:
    return reshape(x, shape=(*x.shape[:-2], x.shape[-1]))


def _flops(result: TensorType, a: TensorType, b: TensorType) -> Size:
    return result.size * a.shape[-1] * 2


matmul: Operator = Operator(
    "matmul", np.matmul, _infer_matmul, operands=2, kind=Kind.MATMUL, family="matrix", flops=_flops,
    gradient=(_left, _right), saves=("b", "a"), label="@",
    doc="the matrix product of a and b; matrices in a batch are multiplied one by one",
    samples=with_params(
        ((2, 3), (3, 4), {}), ((3,), (3,), {}), ((2, 3), (3,), {}), ((3,), (3, 4), {}),
        ((5, 2, 3), (3, 4), {}), ((5, 1, 2, 3), (6, 3, 4), {}), ((3,), (5, 3, 4), {}),
        ((5, 2, 3), (3,), {}), ((0, 3), (3, 2), {}), ((2, 0), (0, 2), {}),
    ),
    onnx="MatMul", into=lambda out, a, b: np.matmul(a, b, out=out),
)  # fmt: skip
