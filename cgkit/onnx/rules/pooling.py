"""Rules of pooling: AveragePool, MaxPool, LpPool, their global forms, and MaxUnpool.

    MaxPool(x)  ─>  max_pool(x), and max_pool_places(x) where places are asked for

    places in cgkit     counted along the axes of space, as if they were one
    Indices in ONNX     counted along all axes, so each image's begin where the last one's end;
                        with storage_order=1 the first axis of space runs fastest

cgkit's operators pad at most half a window; where a model pads more, the padding becomes a step of
its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.rules.shape import lasting
from cgkit.onnx.sizes import at_run
from cgkit.onnx.sliding import Sliding, each, pairs, sliding
from cgkit.onnx.step import Rule, Step
from cgkit.operators.windows import Pads
from cgkit.types import Shape, Size, count


def _sliding(step: Step, x: Any) -> Sliding:
    kernel = tuple(step.setting("kernel_shape"))
    sizes = tuple(x.shape[2:])
    if len(kernel) != len(sizes) or not kernel:
        raise step.refuse(
            f"kernel_shape has a size for each axis of space of {tuple(x.shape)}, not {kernel}"
        )
    return sliding(step, sizes, kernel)


def _settings(place: Sliding, pads: Pads, ceil_mode: bool = False) -> dict[str, Any]:
    return {
        "kernel": place.kernel,
        "stride": place.stride,
        "dilation": place.dilation,
        "padding": pads,
        **({"ceil_mode": True} if ceil_mode else {}),
    }


def _is_wide(place: Sliding) -> bool:
    """Whether there is more padding than cgkit's pooling takes."""
    return any(
        2 * x > length
        for length, pair in zip(place.spans, place.pads, strict=True)
        for x in pair
        if isinstance(x, int) and isinstance(length, int)
    )


def _apart(x: Any, place: Sliding, fill: float) -> tuple[Any, dict[str, Any]]:
    """Give images and settings; wide padding becomes a step, and then no window hangs over."""
    if not _is_wide(place):
        return x, _settings(place, place.pads, place.ceil_mode)
    pads = place.reach(tuple(x.shape[2:]))
    wide = ops.pad(x, pads=((0, 0), (0, 0), *pads), value=fill)
    return wide, _settings(place, ((0, 0),) * len(pads))


def average_pool(step: Step, x: Any) -> Any:
    """Give the mean under each window, of padding too if asked for."""
    place = _sliding(step, x)
    include = bool(step.setting("count_include_pad", 0))
    if not _is_wide(place):
        settings = _settings(place, place.pads, place.ceil_mode)
        return ops.avg_pool(x, **settings, count_include_pad=include)
    wide, settings = _apart(x, place, 0.0)
    counts = _counts(step, x, place, include)
    return ops.div(ops.avg_pool(wide, **settings, divisor=1), ops.cast(counts, dtype=x.dtype.name))


def _counts(step: Step, x: Any, place: Sliding, include: bool) -> Any:
    """Count what each window sees."""
    sizes = tuple(x.shape[2:])
    reach = place.reach(sizes)
    step.allow((n + low + high for n, (low, high) in zip(sizes, reach, strict=True)), "float64")
    ones = ops.broadcast_to(lasting(step, np.float64(1), sizes), shape=(1, 1, *sizes))
    seen = ops.pad(ones, pads=((0, 0), (0, 0), *place.pads), value=include)
    hang = [(0, end - high) for (_, high), (_, end) in zip(place.pads, reach, strict=True)]
    wide = ops.pad(seen, pads=((0, 0), (0, 0), *hang))
    return ops.avg_pool(wide, **_settings(place, ((0, 0),) * len(hang)), divisor=1)


def lp_pool(step: Step, x: Any) -> Any:
    """Give the p-norm of what lies under each window."""
    wide, settings = _apart(x, _sliding(step, x), 0.0)
    return ops.lp_pool(wide, **settings, p=step.setting("p", 2))


def max_pool(step: Step, x: Any) -> Any:
    """Give the largest element under each window, and where it stands."""
    place = _sliding(step, x)
    least = -math.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    wide, settings = _apart(x, place, least)
    found = ops.max_pool(wide, **settings)
    if len(step.wanted) < 2 or not step.wanted[1]:
        return found
    places = ops.max_pool_places(wide, **settings)
    low = tuple(pair[0] for pair in place.pads) if wide is not x else (0,) * len(place.pads)
    return found, _indices(step, x, places, tuple(wide.shape[2:]), low)


def _indices(step: Step, x: Any, places: Any, wide: Shape, low: tuple[Size, ...]) -> Any:
    """Turn places in one (padded) image into ONNX's indices, which count along all axes."""
    sizes = tuple(x.shape[2:])
    turned = bool(step.setting("storage_order", 0)) and len(sizes) > 1
    if turned or any(pad != 0 for pad in low):
        if not all(isinstance(n, int) for n in sizes):
            raise step.refuse(f"needs known sizes to count places along {sizes}")
        places = _recounted(places, wide, low, sizes, turned)
    volume, channels = count(sizes), x.shape[1]
    if not isinstance(channels, int):
        raise step.refuse(f"needs known channels to count places along {tuple(x.shape)}")
    ones = (1,) * len(sizes)
    image = ops.reshape(ops.positions(x, axis=0), shape=(-1, 1, *ones))
    channel = np.arange(channels).reshape(1, -1, *ones)
    before = ops.add(
        ops.mul(image, at_run(channels * volume, places)),
        ops.mul(channel, at_run(volume, places)),
    )
    return ops.add(places, before)


def _recounted(places: Any, wide: Shape, low: tuple[Size, ...], sizes: Shape, turned: bool) -> Any:
    """Count places of padded axes along the unpadded ones, the first axis fastest if turned."""
    result: Any = 0
    for i, size in enumerate(wide):
        at = ops.mod(ops.floor_div(places, math.prod(wide[i + 1 :])), size)
        result = result + (at - low[i]) * math.prod(sizes[:i] if turned else sizes[i + 1 :])
    return result


def max_unpool(step: Step, x: Any, indices: Any, output_shape: Any = None) -> Any:
    """Put elements where they stood before max pooling, and zeros elsewhere.

    Indices count along the axes that the windows would have; an output_shape beyond them adds
    zeros at the end of each axis.
    """
    kernel = tuple(step.setting("kernel_shape"))
    axes = len(kernel)
    stride = each(step, "strides", axes, 1)
    pads = pairs(each(step, "pads", 2 * axes, 0))
    sizes = tuple(
        (n - 1) * s + k - low - high
        for n, s, k, (low, high) in zip(x.shape[2:], stride, kernel, pads, strict=True)
    )
    shape = (*x.shape[:2], *sizes)
    flat, places = ops.reshape(x, shape=(-1,)), ops.reshape(indices, shape=(-1,))
    total = math.prod(shape[1:]) * shape[0]
    found = ops.reshape(ops.max_unpool(flat, places, size=(total,)), shape=shape)
    if output_shape is None:
        return found
    wanted = step.sizes(output_shape, "output_shape")
    return ops.pad(found, pads=tuple((0, a - b) for a, b in zip(wanted, shape, strict=True)))


def global_average_pool(step: Step, x: Any) -> Any:
    """Give the mean of each channel."""
    return ops.global_avg_pool(x)


def global_max_pool(step: Step, x: Any) -> Any:
    """Give the largest element of each channel."""
    return ops.global_max_pool(x)


def global_lp_pool(step: Step, x: Any) -> Any:
    """Give the p-norm of each channel."""
    axes = tuple(range(2, len(x.shape)))
    return ops.norm(x, order=step.setting("p", 2), axis=axes, keepdims=True)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "AveragePool": average_pool,
        "GlobalAveragePool": global_average_pool,
        "GlobalLpPool": global_lp_pool,
        "GlobalMaxPool": global_max_pool,
        "LpPool": lp_pool,
        "MaxPool": max_pool,
        "MaxUnpool": max_unpool,
    }
)
