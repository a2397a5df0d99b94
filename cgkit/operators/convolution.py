"""Convolution, as deep learning means it: a weighted sum under a sliding window.

    images (N, C, H, W) ──────────┐
                                  ├─> conv2d ─> (N, O, H', W')
    kernels (O, C/groups, KH, KW) ┘

    H' = (H + before + after - span) // stride + 1        span = dilation * (KH - 1) + 1

The same for one axis, conv1d, and for three, conv3d. The kernel is not flipped. With groups, each
group of outputs sees only its own group of channels. A bias is an addition of its own:
`conv2d(x, w) + b.reshape(-1, 1, 1)`.

The three operators of each rank are closed under differentiation: each is linear in both operands,
and the gradients of each are the other two. What carries the gradient back to the images is the
transposed convolution, which nets that draw use going forward.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.samples import with_params
from cgkit.operators.windows import (
    Padding,
    Setting,
    Windows,
    each_axis,
    groups_of,
    inner,
    known_sizes,
    padded,
    pads_of,
    parts,
    span,
    tap,
    under,
    volume,
    windows,
)
from cgkit.speech import spelled
from cgkit.types import Shape, Size, TensorType, count, meet, show_shape, value_of

LETTERS = {1: ("L",), 2: ("H", "W"), 3: ("D", "H", "W")}
"""What the axes of images of each rank are called."""


def _check_ranks(axes: int, x: TensorType, w: TensorType, kernels: str) -> None:
    for given in (x, w):
        if given.dtype.kind not in "fiub":
            raise DtypeError(f"conv{axes}d takes real numbers, not {given.dtype}")
    if x.ndim == w.ndim == axes + 2:
        return
    places = ", ".join(LETTERS[axes])
    taps = ", ".join("K" + letter for letter in LETTERS[axes])
    raise ShapeError(
        f"conv{axes}d takes images (N, C, {places}) and kernels ({kernels}, {taps}), "
        f"got {show_shape(x.shape)} and {show_shape(w.shape)}",
        attempt="reshape(x, shape=(1, *x.shape)) for a single image",
    )


def _check_channels(axes: int, x: TensorType, w: TensorType, found: Size, why: str) -> None:
    try:
        meet(x.shape[1], found)
    except ShapeError as error:
        raise ShapeError(
            f"conv{axes}d cannot slide kernels {show_shape(w.shape)} over images "
            f"{show_shape(x.shape)}",
            why=f"{why}: {error.what}",
            attempt="images as (N, C, ...), with channels second",
        ) from None


def _check_groups(axes: int, outputs: Size, groups: Any) -> int:
    number = groups_of(groups)
    known = value_of(outputs)
    if known is not None and known % number:
        raise ShapeError(
            f"conv{axes}d cannot make {outputs} channels in {number} groups of one size",
            attempt="a number of kernels that the groups divide",
        )
    return number


class Sliding(NamedTuple):
    """Settings that a convolution and its gradients share."""

    stride: Setting = 1
    padding: Padding = 0
    dilation: Setting = 1
    groups: int = 1


def _forward(
    axes: int, x: TensorType, w: TensorType, **settings: Any
) -> tuple[TensorType, Windows]:
    """Give the type of a convolution, and where its windows stand."""
    stride, padding, dilation, groups = Sliding(**settings)
    _check_ranks(axes, x, w, "O, C" if groups == 1 else "O, C/groups")
    number = _check_groups(axes, w.shape[0], groups)
    times = "" if number == 1 else f" in {number} groups"
    _check_channels(axes, x, w, w.shape[1] * number, f"the channels{times} differ")
    place = windows(x.shape[2:], w.shape[2:], stride, padding, dilation)
    shape = (x.shape[0], w.shape[0], *place.places)
    return TensorType(shape, np.result_type(x.dtype, w.dtype)), place


def _backward(
    axes: int,
    x: TensorType,
    w: TensorType,
    output_padding: Setting = 0,
    size: Shape | None = None,
    **settings: Any,
) -> tuple[TensorType, Windows]:
    """Give the type of a transposed convolution, and where its windows stand on the result."""
    stride, padding, dilation, groups = Sliding(**settings)
    _check_ranks(axes, x, w, "C, O" if groups == 1 else "C, O/groups")
    number = _check_groups(axes, x.shape[1], groups)
    _check_channels(axes, x, w, w.shape[0], "the channels differ")
    steps = each_axis("stride", stride, axes, 1)
    spans = [
        span(k, d)
        for k, d in zip(w.shape[2:], each_axis("dilation", dilation, axes, 1), strict=True)
    ]
    if size is None and padding == "same":
        size = tuple(n * s for n, s in zip(x.shape[2:], steps, strict=True))
    size = None if size is None else known_sizes("the result", size, axes, least=0)
    pads = pads_of(padding, size or (0,) * axes, spans, steps)
    more = each_axis("output_padding", output_padding, axes, 0)
    reached = tuple(
        (n - 1) * s + length - low - high
        for n, s, length, (low, high) in zip(x.shape[2:], steps, spans, pads, strict=True)
    )
    sizes = tuple(map(_sum, reached, more)) if size is None else size
    for have, want, step in zip(reached, sizes, steps, strict=True):
        _check_reach(axes, have, want, step, least=int(size is None))
    place = windows(sizes, w.shape[2:], steps, pads, dilation)
    shape = (x.shape[0], w.shape[1] * number, *sizes)
    return TensorType(shape, np.result_type(x.dtype, w.dtype)), place._replace(places=x.shape[2:])


def _sum(a: Size, b: Size) -> Size:
    return a + b


def _check_reach(axes: int, reached: Size, size: Size, stride: int, least: int) -> None:
    """Demand an axis that the windows reach; one that holds nothing must be asked for by size."""
    more, known = value_of(size - reached), value_of(size)
    if known is not None and known < least:
        raise ShapeError(
            f"conv{axes}d_transpose gives an axis of {size}, which holds nothing",
            attempt="less padding, or an output_padding",
        )
    if more is not None and not 0 <= more < stride:
        raise ShapeError(
            f"conv{axes}d_transpose cannot give an axis of {size}",
            why=f"its windows reach {reached} elements, and less than a stride of {stride} is free",
            attempt="an output_padding below the stride, or another padding",
        )


def _kernels(
    axes: int, x: TensorType, g: TensorType, size: Shape, **settings: Any
) -> tuple[TensorType, Windows]:
    """Give the type of the gradient of kernels, and where the windows stand."""
    if x.ndim != axes + 2 or g.ndim != axes + 2:
        raise ShapeError(
            f"conv{axes}d_kernel takes images and a gradient of {axes + 2} axes, "
            f"got {show_shape(x.shape)} and {show_shape(g.shape)}"
        )
    number = _check_groups(axes, g.shape[1], Sliding(**settings).groups)
    inputs = x.shape[1] if number == 1 else x.shape[1] // number
    sizes = known_sizes("a kernel", size, axes)
    kernel = TensorType((g.shape[1], inputs, *sizes), g.dtype)
    made, place = _forward(axes, x, kernel, **settings)
    try:
        for expected, found in zip(made.shape, g.shape, strict=True):
            meet(expected, found)
    except ShapeError as error:
        raise ShapeError(
            f"conv{axes}d gives {show_shape(made.shape)}, and its gradient has "
            f"{show_shape(g.shape)}",
            why=error.what,
        ) from None
    return TensorType(kernel.shape, made.dtype), place


SPREADING = {**Sliding()._asdict(), "output_padding": 0, "size": None}
"""The settings of a transposed convolution, with their defaults."""


def _type(array: np.ndarray) -> TensorType:
    return TensorType(array.shape, array.dtype)


def _columns(x: np.ndarray, w: Windows, groups: int) -> np.ndarray:
    """Lay out what lies under the windows as (N, groups, C/groups * taps, places)."""
    n, channels = x.shape[:2]
    rows = channels // groups * volume(w.kernel)
    return under(padded(x, w.pads), w).reshape(n, groups, rows, volume(w.places))


def _convolve(axes: int, x: Any, w: Any, groups: int = 1, **params: Any) -> np.ndarray:
    x, w = np.asarray(x), np.asarray(w)
    made, place = _forward(axes, _type(x), _type(w), groups=groups, **params)
    x, w = x.astype(made.dtype, copy=False), w.astype(made.dtype, copy=False)
    outputs = w.shape[0] // groups
    matrices = w.reshape(groups, outputs, volume(w.shape[1:]))
    result = np.empty((x.shape[0], groups, outputs, volume(place.places)), made.dtype)
    each = volume((x.shape[1], *place.kernel, *place.places)) * made.dtype.itemsize
    for part in parts(x.shape[0], each):
        np.matmul(matrices, _columns(x[part], place, groups), out=result[part])
    return result.reshape(made.shape)


def _spread(axes: int, x: Any, w: Any, groups: int = 1, **params: Any) -> np.ndarray:
    x, w = np.asarray(x), np.asarray(w)
    made, place = _backward(axes, _type(x), _type(w), groups=groups, **params)
    x, w = x.astype(made.dtype, copy=False), w.astype(made.dtype, copy=False)
    (n, inputs), channels = x.shape[:2], w.shape[1] * groups
    taps, sizes = volume(w.shape[1:]), [int(size) for size in made.shape[2:]]
    matrices = w.reshape(groups, inputs // groups, taps).swapaxes(1, 2)
    rows = x.reshape(n, groups, inputs // groups, volume(place.places))
    wide = [
        size + int(low) + int(high) for size, (low, high) in zip(sizes, place.pads, strict=True)
    ]
    result = np.zeros((n, channels, *wide), made.dtype)
    each = groups * taps * rows.shape[-1] * made.dtype.itemsize
    for part in parts(n, each):
        columns = np.matmul(matrices, rows[part])
        columns = columns.reshape(len(columns), channels, *place.kernel, *place.places)
        for at in np.ndindex(*w.shape[2:]):
            result[part][tap(place, at)] += columns[:, :, *at]
    return np.ascontiguousarray(result[inner(sizes, place.pads)])


def _correlate(axes: int, x: Any, g: Any, groups: int = 1, **params: Any) -> np.ndarray:
    x, g = np.asarray(x), np.asarray(g)
    made, place = _kernels(axes, _type(x), _type(g), groups=groups, **params)
    x, g = x.astype(made.dtype, copy=False), g.astype(made.dtype, copy=False)
    outputs, inner_size = int(made.shape[0]) // groups, volume(made.shape[1:])
    rows = g.reshape(g.shape[0], groups, outputs, volume(place.places))
    result = np.zeros((groups, outputs, inner_size), made.dtype)
    each = x.shape[1] * volume(place.kernel) * rows.shape[-1] * made.dtype.itemsize
    for part in parts(x.shape[0], each):
        columns = _columns(x[part], place, groups).swapaxes(-1, -2)
        result += np.add.reduce(np.matmul(rows[part], columns), 0, dtype=made.dtype)
    return result.reshape(made.shape)


def _flops(result: TensorType, x: TensorType, w: TensorType, **params: Any) -> Size:
    return result.size * count(w.shape[1:]) * 2


def _convolutions(axes: int, *cases: Any) -> tuple[Operator, Operator, Operator]:
    """Define the convolution along some axes, and the two operators that are its gradients."""
    name = f"conv{axes}d"

    def sizes(x: Any) -> Shape:
        return tuple(x.shape[2:])

    def back(g: Any, y: Any, h: Any, w: Any, **params: Any) -> Any:
        return conv(g, w, **_settings(params))

    def back_kernel(g: Any, y: Any, h: Any, w: Any, **params: Any) -> Any:
        return kernel(g, h, size=sizes(w), **_settings(params))

    conv = Operator(
        name, partial(_convolve, axes),
        spelled(lambda x, w, **params: _forward(axes, x, w, **params)[0], Sliding),
        operands=2, kind=Kind.MATMUL, family="matrix", flops=_flops,
        doc="kernels w slid over images x, with strides, dilation, groups, and zeros as padding; "
        "w is not flipped",
        gradient=(
            lambda g, y, x, w, **params: transposed(g, w, size=sizes(x), **params),
            lambda g, y, x, w, **params: kernel(x, g, size=sizes(w), **params),
        ),
        saves=("b", "a"), samples=with_params(*cases[0]),
    )  # fmt: skip
    transposed = Operator(
        f"{name}_transpose", partial(_spread, axes),
        spelled(lambda x, w, **params: _backward(axes, x, w, **params)[0], SPREADING),
        operands=2, kind=Kind.MATMUL, family="matrix",
        flops=lambda result, x, w, **params: x.size * count(w.shape[1:]) * 2,
        doc="each element of x times the kernels w, added up where the windows of a convolution "
        f"stand: the gradient of {name} for its images; w is (C, O/groups, ...)",
        gradient=(back, back_kernel), saves=("b", "a"), samples=with_params(*cases[1]),
    )  # fmt: skip
    kernel = Operator(
        f"{name}_kernel", partial(_correlate, axes),
        spelled(lambda x, g, size, **more: _kernels(axes, x, g, size, **more)[0], Sliding),
        operands=2, kind=Kind.MATMUL, family="matrix",
        flops=lambda result, x, g, **params: result.size * g.shape[0] * count(g.shape[2:]) * 2,
        doc=f"the gradient of {name} for its kernels of a size",
        gradient=(
            lambda g, y, x, h, size, **params: transposed(h, g, size=sizes(x), **params),
            lambda g, y, x, h, size, **params: conv(x, g, **params),
        ),
        saves=("b", "a"), samples=with_params(*cases[2]),
    )  # fmt: skip
    return conv, transposed, kernel


def _settings(params: dict[str, Any]) -> dict[str, Any]:
    """Leave out what only a transposed convolution has."""
    return {k: v for k, v in params.items() if k not in ("size", "output_padding")}


conv1d, conv1d_transpose, conv1d_kernel = _convolutions(
    1,
    (
        ((2, 3, 5), (4, 3, 2), {}),
        ((1, 4, 6), (2, 2, 3), {"groups": 2, "stride": 2, "padding": ((0, 1),)}),
        ((1, 1, 7), (1, 1, 3), {"dilation": 2, "padding": "same"}),
        ((0, 1, 3), (1, 1, 2), {}),
    ),
    (
        ((2, 4, 4), (4, 3, 2), {}),
        ((1, 4, 3), (4, 1, 3), {"groups": 2, "stride": 2, "padding": 1, "output_padding": 1}),
        ((0, 1, 3), (1, 1, 2), {}),
    ),
    (
        ((2, 3, 5), (2, 4, 4), {"size": (2,)}),
        ((1, 4, 6), (1, 2, 3), {"size": (3,), "groups": 2, "stride": 2, "padding": ((0, 1),)}),
        ((0, 1, 3), (0, 1, 2), {"size": (2,)}),
    ),
)
conv2d, conv2d_transpose, conv2d_kernel = _convolutions(
    2,
    (
        ((2, 2, 4, 3), (3, 2, 3, 2), {}),
        ((1, 2, 3, 3), (2, 2, 3, 3), {"padding": 1}),
        ((1, 1, 6, 5), (2, 1, 3, 3), {"stride": 2, "padding": (1, 0)}),
        ((2, 1, 3, 3), (1, 1, 1, 1), {"stride": (2, 1)}),
        ((1, 4, 4, 5), (4, 1, 2, 2), {"groups": 4, "padding": ((0, 1), (1, 0))}),
        ((1, 1, 6, 6), (2, 1, 2, 3), {"dilation": (3, 2), "padding": "same"}),
        ((1, 2, 5, 4), (1, 2, 3, 2), {"stride": 2, "padding": "same"}),
        ((0, 2, 3, 3), (2, 2, 2, 2), {}),
    ),
    (
        ((2, 3, 2, 2), (3, 2, 3, 2), {"size": (4, 3)}),
        ((1, 2, 3, 2), (2, 1, 3, 3), {"size": (6, 5), "stride": 2, "padding": (1, 0)}),
        ((1, 4, 2, 2), (4, 1, 3, 2), {"groups": 2, "stride": 3, "output_padding": (2, 0)}),
        ((1, 1, 3, 2), (1, 2, 2, 2), {"dilation": 2, "padding": ((1, 0), (0, 1))}),
        ((1, 1, 2, 3), (1, 1, 3, 1), {"stride": 2, "padding": "same"}),
        ((0, 2, 2, 2), (2, 2, 2, 2), {"size": (3, 3)}),
    ),
    (
        ((2, 2, 4, 3), (2, 3, 2, 2), {"size": (3, 2)}),
        ((1, 1, 6, 5), (1, 2, 3, 2), {"size": (3, 3), "stride": 2, "padding": (1, 0)}),
        ((1, 4, 4, 5), (1, 4, 4, 5), {"size": (2, 2), "groups": 4, "padding": ((0, 1), (1, 0))}),
        ((0, 2, 3, 3), (0, 2, 2, 2), {"size": (2, 2)}),
    ),
)
conv3d, conv3d_transpose, conv3d_kernel = _convolutions(
    3,
    (
        ((1, 2, 3, 2, 3), (2, 2, 2, 1, 2), {}),
        ((1, 2, 2, 3, 3), (2, 1, 1, 2, 3), {"groups": 2, "stride": 2, "padding": (0, 1, 1)}),
        ((0, 1, 1, 2, 2), (1, 1, 1, 1, 2), {}),
    ),
    (
        ((1, 2, 2, 2, 2), (2, 2, 2, 1, 2), {}),
        ((1, 2, 1, 2, 2), (2, 1, 2, 2, 1), {"groups": 2, "stride": 2, "output_padding": (1, 0, 1)}),
        ((0, 1, 1, 2, 2), (1, 1, 1, 1, 2), {}),
    ),
    (
        ((1, 2, 3, 2, 3), (1, 2, 2, 2, 2), {"size": (2, 1, 2)}),
        ((1, 2, 2, 3, 3), (1, 2, 2, 2, 2), {"size": (1, 2, 2), "stride": (1, 2, 1),
                                            "padding": (0, 1, 0)}),
        ((0, 1, 1, 2, 2), (0, 1, 1, 2, 1), {"size": (1, 1, 2)}),
    ),
)  # fmt: skip
