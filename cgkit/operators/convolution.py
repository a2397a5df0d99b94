"""Two-dimensional convolution, as deep learning means it: a weighted sum under a sliding window.

    images (N, C, H, W) ─┐
                         ├─> conv2d ─> (N, O, H', W')       H' = (H + 2*padding - KH) // stride + 1
    kernels (O, C, KH, KW)┘

The kernel is not flipped. The three operators here are closed under differentiation: each is linear
in both operands, and the gradients of each are the other two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.samples import with_params
from cgkit.types import Size, TensorType, meet, show_shape

Pair = tuple[int, int]


def pair(setting: int | Pair) -> Pair:
    """Give a setting for height and width: one number stands for both."""
    both = tuple(setting) if isinstance(setting, tuple | list) else (setting, setting)
    if len(both) != 2 or not all(isinstance(one, int) for one in both):
        raise ShapeError(f"stride and padding are one or two whole numbers, not {setting!r}")
    return both[0], both[1]


def _check_settings(stride: int | Pair, padding: int | Pair) -> tuple[Pair, Pair]:
    steps, margins = pair(stride), pair(padding)
    if min(steps) < 1 or min(margins) < 0:
        raise ShapeError(
            f"conv2d needs a stride of at least 1 and no negative padding, "
            f"got stride {steps} and padding {margins}"
        )
    return steps, margins


def output_size(size: Size, kernel: Size, stride: int, padding: int) -> Size:
    """Count the places of a window along one axis.

    Examples
    --------
    >>> output_size(28, 3, 2, 1)
    14

    Raises
    ------
    ShapeError
        The window is larger than the padded axis.
    """
    room = size + 2 * padding - kernel
    if isinstance(room, int) and room < 0:
        raise ShapeError(
            f"a window of {kernel} does not fit an axis of {size} with padding {padding}",
            attempt="a smaller kernel, or more padding",
        )
    return (room if stride == 1 else room // stride) + 1


def _infer_conv2d(
    x: TensorType, w: TensorType, stride: int | Pair = 1, padding: int | Pair = 0
) -> TensorType:
    steps, margins = _check_settings(stride, padding)
    if x.ndim != 4 or w.ndim != 4:
        raise ShapeError(
            f"conv2d takes images (N, C, H, W) and kernels (O, C, KH, KW), "
            f"got {show_shape(x.shape)} and {show_shape(w.shape)}",
            attempt="reshape(x, shape=(1, *x.shape)) for a single image",
        )
    try:
        meet(x.shape[1], w.shape[1])
    except ShapeError as error:
        raise ShapeError(
            f"conv2d cannot slide kernels {show_shape(w.shape)} over images {show_shape(x.shape)}",
            why=f"the channels differ: {error.what}",
            attempt="images as (N, C, H, W), with channels second",
        ) from None
    sizes = tuple(
        output_size(x.shape[2 + i], w.shape[2 + i], steps[i], margins[i]) for i in (0, 1)
    )
    return TensorType((x.shape[0], w.shape[0], *sizes), np.result_type(x.dtype, w.dtype))


def _padded(x: np.ndarray, margins: Pair) -> np.ndarray:
    return np.pad(x, ((0, 0), (0, 0), (margins[0],) * 2, (margins[1],) * 2)) if any(margins) else x


def _windows(x: np.ndarray, kernel: Pair, steps: Pair) -> np.ndarray:
    """View an image as (N, C, H', W', KH, KW): what lies under the window at each place."""
    views = sliding_window_view(x, kernel, axis=(2, 3))
    return views[:, :, :: steps[0], :: steps[1]]


def _conv2d(x: Any, w: Any, stride: int | Pair = 1, padding: int | Pair = 0) -> np.ndarray:
    x, w = np.asarray(x), np.asarray(w)
    steps, margins = pair(stride), pair(padding)
    _infer_conv2d(TensorType(x.shape, x.dtype), TensorType(w.shape, w.dtype), steps, margins)
    under = _windows(_padded(x, margins), (w.shape[2], w.shape[3]), steps)
    product = np.tensordot(under, w, axes=((1, 4, 5), (1, 2, 3)))
    return np.ascontiguousarray(product.transpose(0, 3, 1, 2))


def _conv2d_input(
    g: Any, w: Any, size: Pair, stride: int | Pair = 1, padding: int | Pair = 0
) -> np.ndarray:
    g, w = np.asarray(g), np.asarray(w)
    (down, across), (top, left) = pair(stride), pair(padding)
    height, width = size
    result = np.zeros(
        (g.shape[0], w.shape[1], height + 2 * top, width + 2 * left), np.result_type(g, w)
    )
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            part = np.tensordot(g, w[:, :, i, j], axes=(1, 0)).transpose(0, 3, 1, 2)
            rows = slice(i, i + down * g.shape[2], down)
            columns = slice(j, j + across * g.shape[3], across)
            result[:, :, rows, columns] += part
    return np.ascontiguousarray(result[:, :, top : top + height, left : left + width])


def _conv2d_kernel(
    x: Any, g: Any, size: Pair, stride: int | Pair = 1, padding: int | Pair = 0
) -> np.ndarray:
    x, g = np.asarray(x), np.asarray(g)
    under = _windows(_padded(x, pair(padding)), size, pair(stride))
    under = under[:, :, : g.shape[2], : g.shape[3]]
    return np.ascontiguousarray(np.tensordot(g, under, axes=((0, 2, 3), (0, 2, 3))))


def _size_of(x: Any) -> tuple[Size, Size]:
    return x.shape[2], x.shape[3]


def _flops(result: TensorType, x: TensorType, w: TensorType, **params: Any) -> Size:
    return result.size * w.shape[1] * w.shape[2] * w.shape[3] * 2


SETTINGS: tuple[tuple[Any, ...], ...] = (
    ((2, 3, 5, 4), (4, 3, 3, 2), {}),
    ((1, 2, 5, 5), (3, 2, 3, 3), {"padding": 1}),
    ((1, 2, 6, 5), (3, 2, 3, 3), {"stride": 2, "padding": (1, 0)}),
    ((2, 1, 5, 5), (1, 1, 1, 1), {"stride": (2, 1)}),
    ((0, 2, 3, 3), (2, 2, 2, 2), {}),
)

conv2d: Operator = Operator(
    "conv2d", _conv2d, _infer_conv2d, operands=2, kind=Kind.MATMUL, family="matrix", flops=_flops,
    doc="kernels w slid over images x, with a stride and zeros as padding; w is not flipped",
    gradient=(
        lambda g, y, x, w, **params: conv2d_input(g, w, size=_size_of(x), **params),
        lambda g, y, x, w, **params: conv2d_kernel(x, g, size=_size_of(w), **params),
    ),
    saves=("b", "a"), samples=with_params(*SETTINGS),
)  # fmt: skip
conv2d_input: Operator = Operator(
    "conv2d_input", _conv2d_input,
    lambda g, w, size, **params: TensorType(
        (g.shape[0], w.shape[1], *size), np.result_type(g.dtype, w.dtype)
    ),
    operands=2, kind=Kind.MATMUL, family="matrix",
    flops=lambda result, g, w, **params: _flops(g, g, w),
    doc="the gradient of conv2d for its images of a size",
    gradient=(
        lambda g, y, h, w, size, **params: conv2d(g, w, **params),
        lambda g, y, h, w, size, **params: conv2d_kernel(g, h, size=_size_of(w), **params),
    ),
    saves=("b", "a"),
    samples=with_params(
        ((2, 4, 3, 3), (4, 3, 3, 2), {"size": (5, 4)}),
        ((1, 3, 3, 2), (3, 2, 3, 3), {"size": (6, 5), "stride": 2, "padding": (1, 0)}),
        ((0, 2, 2, 2), (2, 2, 2, 2), {"size": (3, 3)}),
    ),
)  # fmt: skip
conv2d_kernel: Operator = Operator(
    "conv2d_kernel", _conv2d_kernel,
    lambda x, g, size, **params: TensorType(
        (g.shape[1], x.shape[1], *size), np.result_type(x.dtype, g.dtype)
    ),
    operands=2, kind=Kind.MATMUL, family="matrix",
    flops=lambda result, x, g, **params: result.size * g.shape[0] * g.shape[2] * g.shape[3] * 2,
    doc="the gradient of conv2d for its kernels of a size",
    gradient=(
        lambda g, y, x, h, size, **params: conv2d_input(h, g, size=_size_of(x), **params),
        lambda g, y, x, h, size, **params: conv2d(x, g, **params),
    ),
    saves=("b", "a"),
    samples=with_params(
        ((2, 3, 5, 4), (2, 4, 3, 3), {"size": (3, 2)}),
        ((1, 2, 6, 5), (1, 3, 3, 2), {"size": (3, 3), "stride": 2, "padding": (1, 0)}),
        ((0, 2, 3, 3), (0, 2, 2, 2), {"size": (2, 2)}),
    ),
)  # fmt: skip
