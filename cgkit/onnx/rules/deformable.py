"""The rule of DeformConv: a convolution whose windows are bent, each element read off its place.

offset (N, groups * taps * axes, ...) ─> where each tap of each window reads
mask (N, groups * taps, ...) ──────────> how much it counts
│
images ── read there ── as columns ───── kernels @ columns ─> (N, O, ...)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.points import around, as_places, between, number_like, picked
from cgkit.onnx.resampling import Tap
from cgkit.onnx.rules.convolution import shifted
from cgkit.onnx.sliding import Sliding, sliding
from cgkit.onnx.step import Rule, Step
from cgkit.operators.windows import groups_of
from cgkit.types import Shape, count, meet_shapes


def deform_conv(step: Step, x: Any, w: Any, offset: Any, bias: Any = None, mask: Any = None) -> Any:
    """Slide kernels over images whose elements are read a little off their places."""
    place = sliding(step, tuple(x.shape[2:]), tuple(w.shape[2:]))
    shared, groups = (groups_of(step.setting(name, 1)) for name in ("offset_group", "group"))
    (n, channels), (outputs, inputs) = x.shape[:2], w.shape[:2]
    taps, outs = count(place.kernel), tuple(offset.shape[2:])
    meet_shapes(outs, place.places(tuple(x.shape[2:])), "that of the places of its windows")
    lines = _lines(step, x, offset, place, (n * shared, taps, *outs))
    read = _read(x, shared, lines)
    if mask is not None:
        read = ops.mul(read, ops.reshape(mask, shape=(n * shared, 1, taps, *outs)))
    columns = ops.reshape(read, shape=(n, groups, channels // groups * taps, count(outs)))
    kernels = ops.reshape(w, shape=(groups, outputs // groups, inputs * taps))
    found = ops.reshape(ops.matmul(kernels, columns), shape=(n, outputs, *outs))
    return shifted(found, bias)


def _lines(step: Step, x: Any, offset: Any, place: Sliding, shape: Shape) -> list[list[Tap]]:
    """Give for each axis of space the elements around each coordinate, in a frame of zeros."""
    axes, (rows, taps, *outs) = len(place.kernel), shape
    off = ops.reshape(offset, shape=(rows, taps, axes, *outs))
    step.allow((taps, *outs), x.dtype)
    corners = np.indices([int(k) for k in place.kernel]).reshape(axes, -1)
    lines = []
    for i, size in enumerate(x.shape[2:]):
        starts = np.arange(int(outs[i])) * place.stride[i] - int(place.pads[i][0])
        along = starts.reshape([-1 if k == i else 1 for k in range(axes)])
        unbent = along + (corners[i] * place.dilation[i]).reshape(-1, *(1,) * axes)
        at = ops.add(off[:, :, i], unbent.astype(x.dtype))
        n = number_like(step, size, at)
        lines.append(around(at, "linear", partial(_framed, n=n)))
    return lines


def _framed(place: Any, n: Any) -> Any:
    """Give places in a frame of zeros that stands around n elements."""
    return as_places(between(place, n * 0.0 - 1.0, n) + 1.0)


def _read(x: Any, shared: int, lines: list[list[Tap]]) -> Any:
    """Read each group of channels at its own points: (N * shared, C / shared, taps, ...)."""
    n, channels, *sizes = x.shape
    split = ops.reshape(x, shape=(n * shared, channels // shared, *sizes))
    framed = ops.pad(split, pads=((0, 0), (0, 0), *((1, 1),) * len(sizes)))
    image = ops.reshape(ops.positions(framed, axis=0), shape=(-1, 1, *(1,) * len(sizes)))
    return ops.moveaxis(picked(framed, image, lines), -1, 1)


RULES: Mapping[str, Rule] = MappingProxyType({"DeformConv": deform_conv})
