"""Triangles and diagonals of matrices, and of matrices in a batch.

1 2 3  ─ tril ─>  1 0 0     ─ triu ─>  1 2 3     ─ diagonal ─> 1 5 9     ─ eye_like ─> 1 0 0
4 5 6             4 5 0                0 5 6                                           0 1 0
7 8 9             7 8 9                0 0 9                                           0 0 1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import no_flops
from cgkit.operators.samples import with_params
from cgkit.operators.settings import normal_axes
from cgkit.types import Dim, Shape, Size, TensorType, as_dtype, meet_shapes, show_shape


def _check_matrices(name: str, shape: Shape) -> None:
    if len(shape) < 2:
        raise ShapeError(
            f"{name} needs matrices, got {show_shape(shape)}", attempt="a tensor of 2 axes or more"
        )


def _triangle(name: str, cut: Callable[..., Any], word: str) -> Operator:
    def compute(a: Any, k: int = 0) -> np.ndarray:
        array = np.asarray(a)
        _check_matrices(name, array.shape)
        return np.asarray(cut(array, k))

    def infer(a: TensorType, k: int = 0) -> TensorType:
        _check_matrices(name, a.shape)
        return a

    def back(g: Any, y: Any, a: Any, k: int = 0) -> Any:
        return triangle(g, k=k)

    triangle = Operator(
        name, compute, infer, operands=1, kind=Kind.OPAQUE, family="shape", flops=no_flops,
        doc=f"a with zeros {word} its k-th diagonal; k counts to the right of the main one",
        gradient=(back,),
        samples=with_params(
            ((3, 3), {}), ((2, 3), {"k": 1}), ((3, 2), {"k": -1}), ((2, 2, 3), {"k": 5}),
            ((0, 3), {}), ((1, 3), {"k": -3}),
        ),
    )  # fmt: skip
    return triangle


tril: Operator = _triangle("tril", np.tril, "above")
triu: Operator = _triangle("triu", np.triu, "below")


def _diagonal_shape(shape: Shape, offset: int, axis1: int, axis2: int) -> Shape:
    _check_matrices("diagonal", shape)
    row, column = normal_axes((axis1, axis2), len(shape))
    rest = tuple(size for at, size in enumerate(shape) if at not in (row, column))
    return (*rest, _diagonal_size(shape[row], shape[column], offset))


def _diagonal_size(rows: Size, columns: Size, offset: int) -> Size:
    if rows == columns and offset == 0:
        return rows
    if isinstance(rows, Dim) or isinstance(columns, Dim):
        raise ShapeError(
            f"how long diagonal {offset} of {rows} by {columns} is, is not known before the "
            "graph runs",
            attempt="a fixed size for these axes",
        )
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


def _infer_diagonal(a: TensorType, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TensorType:
    return TensorType(_diagonal_shape(a.shape, offset, axis1, axis2), a.dtype)


def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> np.ndarray:
    array = np.asarray(a)
    _diagonal_shape(array.shape, offset, axis1, axis2)
    return np.array(np.diagonal(array, offset, axis1, axis2))


diagonal: Operator = Operator(
    "diagonal", _diagonal, _infer_diagonal, operands=1, kind=Kind.OPAQUE, family="shape",
    flops=no_flops,
    doc="the elements on a diagonal of two axes, along a new last axis in their place",
    gradient=(lambda g, y, a, **where: on_diagonal(g, shape=a.shape, **where),),
    samples=with_params(
        ((3, 3), {}), ((2, 4), {"offset": 1}), ((3, 2), {"offset": -1}), ((2, 3), {"offset": 7}),
        ((2, 3, 4), {"axis1": 0, "axis2": -1}), ((2, 3, 2), {"axis1": 2, "axis2": 1}), ((0, 3), {}),
    ),
)  # fmt: skip


def _infer_on_diagonal(
    a: TensorType, shape: Shape, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> TensorType:
    expected = _diagonal_shape(tuple(shape), offset, axis1, axis2)
    meet_shapes(a.shape, expected, f"that of diagonal {offset} of {show_shape(shape)}")
    return TensorType(shape, a.dtype)


def _on_diagonal(
    a: Any, shape: Shape, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> np.ndarray:
    array = np.asarray(a)
    known = _infer_on_diagonal(TensorType(array.shape, array.dtype), shape, offset, axis1, axis2)
    result = np.zeros([int(size) for size in known.shape], array.dtype)
    places = np.arange(array.shape[-1])
    turned = np.moveaxis(result, normal_axes((axis1, axis2), result.ndim), (-2, -1))
    turned[..., places + max(-offset, 0), places + max(offset, 0)] = array
    return result


on_diagonal: Operator = Operator(
    "on_diagonal", _on_diagonal, _infer_on_diagonal, operands=1, kind=Kind.OPAQUE, family="shape",
    flops=no_flops,
    doc="zeros of a shape with a on a diagonal of two axes: the gradient of diagonal",
    gradient=(lambda g, y, a, shape, **where: diagonal(g, **where),),
    samples=with_params(
        ((3, 2), {"shape": (2, 3, 4), "axis1": 0, "axis2": -1}), ((3,), {"shape": (3, 3)}),
        ((2,), {"shape": (2, 4), "offset": 1}), ((0,), {"shape": (0, 3)}),
        ((2, 1), {"shape": (2, 3, 2), "offset": -1, "axis1": 2, "axis2": 1}),
    ),
)  # fmt: skip


def _infer_eye(a: TensorType, k: int = 0, dtype: str | None = None) -> TensorType:
    if a.ndim != 2:
        raise ShapeError(f"eye_like needs one matrix, got {show_shape(a.shape)}")
    return TensorType(a.shape, a.dtype if dtype is None else as_dtype(dtype))


def _eye(a: Any, k: int = 0, dtype: str | None = None) -> np.ndarray:
    array = np.asarray(a)
    known = _infer_eye(TensorType(array.shape, array.dtype), k, dtype)
    rows, columns = array.shape
    return np.eye(rows, columns, k, known.dtype)


eye_like: Operator = Operator(
    "eye_like", _eye, _infer_eye, operands=1, kind=Kind.OPAQUE, family="shape", flops=no_flops,
    doc="ones on the k-th diagonal of a matrix of a's shape, zeros elsewhere",
    samples=with_params(
        ((3, 3), {}), ((2, 3), {"k": 1}), ((3, 2), {"k": -1, "dtype": "float32"}), ((0, 3), {}),
    ),
)  # fmt: skip
