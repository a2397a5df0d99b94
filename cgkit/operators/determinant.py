"""The determinant of square matrices: by how much each one stretches a volume.

    a b
    c d  ─ det ─> ad - bc          ─ cofactors ─>   d -c      the slope of det by each element,
                                                   -b  a      right where no inverse exists too

The cofactors come from a matrix's singular values, of which each is left out of the product once;
so nothing is divided by a determinant that may be 0. Only their own slope is: without an inverse it
is nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import div, quiet
from cgkit.operators.linalg import matmul
from cgkit.operators.movement import reshape, swap_last
from cgkit.operators.reduction import as_wide, float_dtype, sum_
from cgkit.operators.samples import with_params
from cgkit.types import Shape, Size, TensorType, meet, show_shape


def _check_square(name: str, shape: Shape) -> None:
    refusal = ShapeError(f"{name} needs square matrices, got {show_shape(shape)}")
    if len(shape) < 2:
        raise refusal
    try:
        meet(shape[-2], shape[-1])
    except ShapeError:
        raise refusal from None


def _flops(result: TensorType, a: TensorType) -> Size:
    return a.size * a.shape[-1]


def _infer_det(a: TensorType) -> TensorType:
    _check_square("det", a.shape)
    return TensorType(a.shape[:-2], float_dtype("det", a.dtype))


def _det(a: Any) -> np.ndarray:
    array, dtype = as_wide("det", a)
    _check_square("det", array.shape)
    return np.asarray(np.linalg.det(array), dtype)


def _infer_cofactors(a: TensorType) -> TensorType:
    _check_square("cofactors", a.shape)
    return TensorType(a.shape, float_dtype("cofactors", a.dtype))


def _cofactors(a: Any) -> np.ndarray:
    array, dtype = as_wide("cofactors", a)
    _check_square("cofactors", array.shape)
    finite = np.isfinite(array).all((-2, -1), keepdims=True)
    left, stretch, right = np.linalg.svd(np.where(finite, array, 0))
    before, after = np.ones_like(stretch), np.ones_like(stretch)
    np.multiply.accumulate(stretch[..., :-1], -1, None, before[..., 1:])
    np.multiply.accumulate(stretch[..., :0:-1], -1, None, after[..., -2::-1])
    turned = np.linalg.det(left) * np.linalg.det(right)  # 1, or -1 where it mirrors
    others = before * after * turned[..., None]
    return np.where(finite, (left * others[..., None, :]) @ right, np.nan).astype(dtype)


def _cofactors_back(g: Any, y: Any, a: Any) -> Any:
    along = sum_(g * y, axis=(-2, -1), keepdims=True)
    across = matmul(matmul(y, swap_last(g)), y)
    return div(y * along - across, _as_matrices(det(a)))


def _as_matrices(x: Any) -> Any:
    return reshape(x, shape=(*x.shape, 1, 1))


SQUARES: tuple[tuple[Any, ...], ...] = (
    ((3, 3), {}), ((2, 2, 2), {}), ((1, 1), {}), ((2, 0, 3, 3), {}), ((0, 0), {}), ((2, 2), {}),
)  # fmt: skip
det: Operator = Operator(
    "det", quiet(_det), _infer_det, operands=1, kind=Kind.OPAQUE, family="matrix", flops=_flops,
    doc="the determinant of a square matrix; of matrices in a batch one for each",
    gradient=(lambda g, y, a: _as_matrices(g) * cofactors(a),), saves=("a",),
    samples=with_params(*SQUARES), onnx="Det",
)  # fmt: skip
cofactors: Operator = Operator(
    "cofactors", quiet(_cofactors), _infer_cofactors, operands=1, kind=Kind.OPAQUE,
    family="matrix", flops=_flops,
    doc="for each element how much the determinant grows with it: the gradient of det",
    gradient=(_cofactors_back,), saves=("ay",), samples=with_params(*SQUARES),
)  # fmt: skip
