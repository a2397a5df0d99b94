"""The discrete Fourier transform: a signal as a sum of waves.

    a (..., n, 2), real and imaginary parts last ─ fft ─> b (..., n, 2), one wave for each k
                                    <─ fft(inverse=True) ─┘

b[k] is the sum of a[t] * e^(-2πi k t / n), and the inverse is the mean of b[k] * e^(2πi k t / n).
Both are linear, and each is the gradient of the other, but for the factor n.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import div, mul
from cgkit.operators.reduction import cast_count, float_dtype
from cgkit.operators.samples import with_params
from cgkit.types import Size, TensorType, meet, show_shape


def _infer(a: TensorType, inverse: bool = False) -> TensorType:
    try:
        if a.ndim < 2:
            raise ShapeError(f"there are {a.ndim} axes")
        meet(a.shape[-1], 2)
    except ShapeError as error:
        raise ShapeError(
            f"fft takes real and imaginary parts along the last axis, got {show_shape(a.shape)}",
            why=error.what,
            attempt="stack(x, zeros, axis=-1) for real numbers",
        ) from None
    return TensorType(a.shape, float_dtype("fft", a.dtype))


def _fft(a: Any, inverse: bool = False) -> np.ndarray:
    array = np.asarray(a)
    dtype = _infer(TensorType(array.shape, array.dtype)).dtype
    if not array.size:
        return np.zeros(array.shape, dtype)
    wide = np.dtype("float64") if dtype.itemsize == 8 else np.dtype("float32")
    pairs = np.ascontiguousarray(array, wide).view(np.result_type(wide, np.complex64))[..., 0]
    with np.errstate(all="ignore"):
        found = np.fft.ifft(pairs) if inverse else np.fft.fft(pairs)
    return found[..., None].view(wide).astype(dtype, copy=False)


def _back(g: Any, y: Any, a: Any, inverse: bool = False) -> Any:
    number = cast_count(g.shape[-2], g)
    back = fft(g, inverse=not inverse)
    return div(back, number) if inverse else mul(back, number)


def _flops(result: TensorType, a: TensorType, inverse: bool = False) -> Size:
    size = a.shape[-2]
    halvings = (size - 1).bit_length() if isinstance(size, int) and size else 1
    return result.size * halvings * 3


fft: Operator = Operator(
    "fft", _fft, _infer, operands=1, kind=Kind.OPAQUE, family="matrix", flops=_flops,
    doc="the discrete Fourier transform along the last axis but one, of real and imaginary parts "
    "along the last, or its inverse",
    gradient=(_back,),
    samples=with_params(
        ((4, 2), {}), ((3, 2), {"inverse": True}), ((2, 5, 2), {}), ((2, 6, 2), {"inverse": True}),
        ((1, 2), {}), ((0, 2), {}), ((0, 3, 2), {"inverse": True}),
    ),
)  # fmt: skip
