"""Rules of Resize and Upsample: each axis is resampled by itself.

    scales [1, 1, 2, 2]  or  sizes [1, 3, 64, 64]  ─>  an Axis for each that changes
                                                         │ origins, taps (cgkit.onnx.resampling)
    x ────────────────────────────────────────────────── mix ─> y

Upsample, and Resize as it was in opset 10, take the element to the left or mix with the next one.
A size made by a scale is rounded down as ONNX's shape inference does, in float32 and without the
region of interest, which only says what is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.resampling import Axis, Filter, mix, mixable, origins, taps
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.step import Rule, Step
from cgkit.operators.settings import normal_axes
from cgkit.types import Size

SIMPLE = 256
"""Up to where the two numbers of a scale go with which open sizes are multiplied and divided."""


def upsample(step: Step, x: Any, scales: Any = None) -> Any:
    """Enlarge each axis by a scale."""
    if step.opset < 7:
        given = [1.0, 1.0, step.setting("height_scale"), step.setting("width_scale")]
    elif step.opset < 9:
        given = list(step.setting("scales"))
    else:
        given = [float(scale) for scale in step.known(scales, "the scales")]
    return _plainly(step, x, given)


def _plainly(step: Step, x: Any, scales: Sequence[float]) -> Any:
    """Resize as before opset 11: from the left, or mixed with the next element."""
    mode = step.setting("mode", "nearest")
    how = Filter("linear" if mode == "bilinear" else mode, "floor", -0.75, False, False)
    return _resampled(step, x, _scaled(step, x, scales), "asymmetric", how)


def resize(step: Step, x: Any, *inputs: Any) -> Any:
    """Give each axis another size."""
    if step.opset < 11:
        return _plainly(step, x, [float(s) for s in step.known(inputs[0], "the scales")])
    roi, scales, sizes = (*inputs, None, None, None)[:3]
    axes = normal_axes(step.setting("axes", None), len(x.shape))
    how = Filter(
        step.setting("mode", "nearest"), step.setting("nearest_mode", "round_prefer_floor"),
        step.setting("cubic_coeff_a", -0.75), bool(step.setting("exclude_outside", 0)),
        bool(step.setting("antialias", 0)),
    )  # fmt: skip
    if sizes is None:
        if scales is None:
            raise step.refuse("is given neither scales nor sizes")
        given = [float(s) for s in _listed(step, scales, "the scales", axes)]
        found = _scaled(step, x, given, axes)
    else:
        found = _sized(step, x, step.sizes(sizes, "the sizes"), axes)
    word = step.setting("coordinate_transformation_mode", "half_pixel")
    if word == "tf_crop_and_resize":
        bounds = [float(b) for b in _listed(step, roi, "the region of interest", axes * 2)]
        found = {
            axis: found[axis]._replace(start=start, end=end)
            for axis, start, end in zip(axes, bounds, bounds[len(axes) :], strict=False)
        }
    return _resampled(step, x, found, word, how)


def _listed(step: Step, x: Any, what: str, axes: Sequence[int]) -> np.ndarray:
    """Give an input that has one number for each axis."""
    if x is None:
        raise step.refuse(f"needs {what}")
    array = step.known(x, what).reshape(-1)
    if len(array) != len(axes):
        raise step.refuse(f"needs {len(axes)} numbers as {what}, got {len(array)}")
    return array


def _scaled(
    step: Step, x: Any, scales: Sequence[float], axes: Sequence[int] | None = None
) -> dict[int, Axis]:
    """Give how axes are resized by scales."""
    axes = tuple(range(len(x.shape))) if axes is None else axes
    if len(scales) != len(axes) or not all(0 < scale < math.inf for scale in scales):
        raise step.refuse(f"needs a positive scale for each of {len(axes)} axes, got {scales}")
    return {
        axis: Axis(x.shape[axis], _enlarged(step, x.shape[axis], scale), scale)
        for axis, scale in zip(axes, scales, strict=True)
    }


def _enlarged(step: Step, size: Size, scale: float) -> Size:
    if isinstance(size, int):
        return int(np.floor(np.float32(size) * np.float32(scale)))
    times, by = scale.as_integer_ratio()
    if max(times, by) > SIMPLE:  # then float32 would round the product of large sizes
        raise step.refuse(
            f"cannot scale the open size {size} by {scale}: only simple fractions are known",
            attempt=f"sizes={{{str(size)!r}: ...}}, or a scale such as 2 or 0.75",
        )
    return size * times // by


def _sized(step: Step, x: Any, sizes: tuple[Size, ...], axes: Sequence[int]) -> dict[int, Axis]:
    """Give how axes are resized to sizes, or nearly so where their ratios are kept."""
    if len(sizes) != len(axes):
        raise step.refuse(f"needs a size for each of {len(axes)} axes, got {sizes}")
    policy = step.setting("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return {a: Axis(x.shape[a], size, None) for a, size in zip(axes, sizes, strict=True)}
    if policy not in ("not_larger", "not_smaller"):
        raise step.refuse(f"there is no keep_aspect_ratio_policy {policy!r}")
    old = [x.shape[axis] for axis in axes]
    if not all(isinstance(size, int) and size for size in old):
        raise step.refuse(f"{policy} needs known sizes of at least 1, not {old}")
    ratios = [new / size for new, size in zip(sizes, old, strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    return {
        axis: Axis(size, math.floor(scale * size + 0.5), scale)
        for axis, size in zip(axes, old, strict=True)
    }


def _resampled(step: Step, x: Any, axes: Mapping[int, Axis], word: str, how: Filter) -> Any:
    """Resample one axis after the other."""
    wide = x if how.mode == "nearest" else mixable(x)
    beyond = []
    for at, axis in axes.items():
        if _stays(axis):
            continue
        if isinstance(axis.new, int) and axis.new == 0:
            wide = ops.take(wide, np.zeros(0, np.int64), axis=at)
            continue
        if isinstance(axis.old, int) and axis.old == 0:
            raise step.refuse(f"has nothing to make {axis.new} elements of on axis {at}")
        places, outside = origins(step, axis, word)
        wide = mix(wide, taps(step, axis, places, how), at)
        if outside is not None:
            beyond.append(ops.reshape(outside, shape=(-1, *(1,) * (len(x.shape) - at - 1))))
    for outside in beyond:
        wide = ops.where(outside, step.setting("extrapolation_value", 0.0), wide)
    return _narrow(wide, x)


def _stays(axis: Axis) -> bool:
    """Whether an axis stays what it is."""
    same_size = axis.old == axis.new and axis.scale in (None, 1.0)
    return same_size and axis.start == 0 and axis.end == 1


def _narrow(wide: Any, x: Any) -> Any:
    """Give a result in the dtype of x; whole numbers are rounded, and stop at their largest."""
    if x.dtype.kind in "iu" and wide.dtype.kind == "f":
        limits = np.iinfo(x.dtype)
        wide = ops.clip(ops.round(wide), float(limits.min), float(limits.max))
    return in_dtype_of(x, wide)


RULES: Mapping[str, Rule] = MappingProxyType({"Resize": resize, "Upsample": upsample})
