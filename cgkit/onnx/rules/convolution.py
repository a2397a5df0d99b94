"""Rules of convolution: Conv, ConvTranspose, Col2Im.

    Conv(x, w, b, pads, strides, dilations, group)  ─>  conv2d(x, w, ...) + b
    ConvTranspose  ─>  conv2d_transpose, then zeros where its result is asked to be larger
    Col2Im(columns)  ─>  scatter: each element of a column goes where it was taken from

Images have one, two or three axes of space; Col2Im takes any number.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.sliding import Sliding, each, halves, pairs, sliding
from cgkit.onnx.step import Rule, Step
from cgkit.operators.indices import ARRAY, Span
from cgkit.operators.windows import Pads, known_sizes, span
from cgkit.types import Shape, Size, count, meet_shapes


def conv(step: Step, x: Any, w: Any, bias: Any = None) -> Any:
    """Slide kernels over images."""
    axes = _axes(step, x)
    kernel = _kernel(step, w)
    place = sliding(step, tuple(x.shape[2:]), kernel)
    convolve = ops.ALL[f"conv{axes}d"]
    found = convolve(
        x, w, stride=place.stride, padding=place.pads, dilation=place.dilation,
        groups=step.setting("group", 1),
    )  # fmt: skip
    return shifted(found, bias)


def conv_transpose(step: Step, x: Any, w: Any, bias: Any = None) -> Any:
    """Add up kernels times elements where the windows of a convolution stand."""
    axes = _axes(step, x)
    kernel = _kernel(step, w)
    stride, dilation = each(step, "strides", axes, 1), each(step, "dilations", axes, 1)
    sizes = tuple(x.shape[2:])
    spread = tuple(
        (n - 1) * s + length
        for n, s, length in zip(sizes, stride, map(span, kernel, dilation), strict=True)
    )
    pads = _transposed_pads(step, sizes, spread, stride)
    inner = tuple((_at_least(low, 0), _at_least(high, 0)) for low, high in pads)
    found = ops.ALL[f"conv{axes}d_transpose"](
        x, w, stride=stride, padding=inner, dilation=dilation, groups=step.setting("group", 1)
    )
    outer = tuple(
        (cut_low - low, cut_high - high)
        for (low, high), (cut_low, cut_high) in zip(pads, inner, strict=True)
    )
    if any(extra != 0 for pair in outer for extra in pair):
        found = ops.pad(found, pads=((0, 0), (0, 0), *outer))
    return shifted(found, bias)


def _transposed_pads(step: Step, sizes: Shape, spread: Shape, stride: tuple[int, ...]) -> Pads:
    """Give what is cut off from what the windows reach, before and after; added, if negative.

    ONNX corrected its formula for `output_shape` in opset 11: the odd element is cut off at the end
    for SAME_UPPER, else at the beginning. It is read so in every version, as by other runtimes.
    """
    axes = len(sizes)
    word = step.setting("auto_pad", "NOTSET")
    more = each(step, "output_padding", axes, 0)
    wanted: Shape | None = tuple(step.setting("output_shape", ())) or None
    if wanted is None and word in ("SAME_UPPER", "SAME_LOWER"):
        wanted = tuple(n * s for n, s in zip(sizes, stride, strict=True))
    if wanted is None:
        given = pairs(each(step, "pads", 2 * axes, 0)) if word == "NOTSET" else ((0, 0),) * axes
    else:
        if len(wanted) != axes:
            wanted = wanted[2:]  # some writers count batch and channels too
        if len(wanted) != axes:
            raise step.refuse(f"output_shape has a size for each of {axes} axes, not {wanted}")
        totals = [a + b - c for a, b, c in zip(spread, more, wanted, strict=True)]
        given = tuple(_split(total, word) for total in totals)
    return tuple((low, high - extra) for (low, high), extra in zip(given, more, strict=True))


def _split(total: Size, word: str) -> tuple[Size, Size]:
    """Split what is cut off; what is missing all goes to the end."""
    if isinstance(total, int) and total < 0:
        return 0, total
    return halves(total, word)


def _at_least(size: Size, least: int) -> Size:
    return max(size, least) if isinstance(size, int) else size


def _axes(step: Step, x: Any) -> int:
    axes = len(x.shape) - 2
    if not 1 <= axes <= 3:
        raise step.refuse(
            f"cgkit convolves along one to three axes of space, x has shape {tuple(x.shape)}"
        )
    return axes


def _kernel(step: Step, w: Any) -> Shape:
    kernel = tuple(w.shape[2:])
    said = tuple(step.setting("kernel_shape", kernel))
    if said != kernel:
        raise step.refuse(f"kernel_shape is {said}, and the kernels' own is {kernel}")
    return kernel


def shifted(x: Any, bias: Any) -> Any:
    """Add a number for each channel of images (N, C, ...), or nothing.

    Examples
    --------
    >>> shifted(np.zeros((1, 2, 1)), np.array([3.0, 4.0])).tolist()
    [[[3.0], [4.0]]]

    Raises
    ------
    ShapeError
        There is not one number for each channel.
    """
    if bias is None:
        return x
    meet_shapes(tuple(bias.shape), (x.shape[1],), "one number for each channel")
    return ops.add(x, ops.reshape(bias, shape=(*bias.shape, *(1,) * (len(x.shape) - 2))))


def col2im(step: Step, columns: Any, image: Any, block: Any) -> Any:
    """Put what lay under windows, a column for each, back in place and add up what meets."""
    sizes = step.sizes(image, "image_shape")
    kernel = known_sizes("a block", step.sizes(block, "block_shape"), len(sizes))
    place = sliding(step, sizes, kernel)
    taps, channels = count(kernel), columns.shape[1] // count(kernel)
    wide = tuple(n + low + high for n, (low, high) in zip(sizes, place.pads, strict=True))
    rows = ops.reshape(columns, shape=(columns.shape[0], channels, taps, columns.shape[2]))
    at = _under_windows(step, sizes, place)
    spread = ops.scatter(
        rows, *at, shape=(columns.shape[0], channels, *wide),
        index=(Span(), Span(), *(ARRAY,) * len(sizes)),
    )  # fmt: skip
    cut = tuple((-low, -high) for low, high in place.pads)
    return ops.pad(spread, pads=((0, 0), (0, 0), *cut))


def _under_windows(step: Step, sizes: Shape, place: Sliding) -> list[np.ndarray]:
    """Give, for each axis, where the elements under each window lie, as (taps, places)."""
    if not all(isinstance(n, int) for n in (*sizes, *place.kernel)):
        raise step.refuse(f"needs an image and a block of known sizes, got {sizes}")
    places = [int(n) for n in place.places(sizes)]
    step.allow((len(sizes), count(place.kernel), count(places)), "int64")
    taps = np.indices([int(n) for n in place.kernel]).reshape(len(sizes), -1, 1)
    moves = np.indices(places).reshape(len(sizes), 1, -1)
    each_axis = zip(taps, moves, place.dilation, place.stride, strict=True)
    return [tap * apart + move * stride for tap, move, apart, stride in each_axis]


RULES: Mapping[str, Rule] = MappingProxyType(
    {"Conv": conv, "ConvTranspose": conv_transpose, "Col2Im": col2im}
)
