"""Rules of grids: GridSample reads images at the points of one, AffineGrid makes one.

    grid (N, H, W, 2), coordinates from -1 to 1, the last axis first
      │                     align_corners=1:  -1 is the middle of the first element, else its edge
      └─> images (N, C, H', W') ─ read between their elements ─> (N, C, H, W)

A place beyond an image is a zero, the border's element, or the one mirrored at the border.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.points import around, as_places, between, number_like, picked
from cgkit.onnx.resampling import REACH, Tap, mixable
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.step import Rule, Step
from cgkit.types import meet_shapes


def grid_sample(step: Step, x: Any, grid: Any) -> Any:
    """Read images at the points of a grid, whose coordinates go from -1 to 1, the last axis first.

    A place beyond a border is found as in ONNX's reference: first the coordinate is brought back,
    then each element around it.
    """
    word, padding = step.setting("mode", "linear"), step.setting("padding_mode", "zeros")
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(word, word)
    if mode not in (*REACH, "nearest"):
        raise step.refuse(f"there is no mode {word!r}", attempt="nearest, linear or cubic")
    if padding not in ("zeros", "border", "reflection"):
        raise step.refuse(f"there is no padding_mode {padding!r}")
    align = bool(step.setting("align_corners", 0))
    wide = x if mode == "nearest" else mixable(x)
    sizes = tuple(x.shape[2:])
    if len(grid.shape) != len(x.shape) or not sizes:
        raise step.refuse(f"cannot read images {tuple(x.shape)} at a grid {tuple(grid.shape)}")
    ends = (grid.shape[0], grid.shape[-1])
    meet_shapes(ends, (x.shape[0], len(sizes)), "as many images, and a coordinate for each axis")
    axes = []
    for i, size in enumerate(sizes):
        n = number_like(step, size, grid)
        at = grid[..., len(sizes) - 1 - i] + 1.0
        at = at / 2.0 * (n - 1.0) if align else (at * n - 1.0) / 2.0
        axes.append(_grid_taps(at, n, mode, padding, align))
    if padding == "zeros":  # a frame of zeros around each image stands for all beyond
        wide = ops.pad(wide, pads=((0, 0), (0, 0), *((1, 1),) * len(sizes)))
    image = ops.reshape(ops.positions(x, axis=0), shape=(-1, *(1,) * len(sizes)))
    axes = [[_in_dtype(tap, wide) for tap in axis] for axis in axes]
    return in_dtype_of(x, ops.moveaxis(picked(wide, image, axes), -1, 1))


def _grid_taps(at: Any, n: Any, mode: str, padding: str, align: bool) -> list[Tap]:
    """Give the taps along one axis of n elements."""
    low, high = (n * 0.0, n - 1.0) if align else (n * 0.0 - 0.5, n - 0.5)
    at = ops.round(at) if mode == "nearest" else at
    if padding == "zeros":
        return around(at, mode, lambda p: as_places(between(p, n * 0.0 - 1.0, n) + 1.0))
    outside = ops.logical_or(ops.less(at, low), ops.greater(at, high))
    if padding == "border":
        at = ops.where(outside, between(at, n * 0.0, n - 1.0), at)
        return around(at, mode, lambda p: as_places(between(p, n * 0.0, n - 1.0)))
    at = ops.where(outside, _mirrored(at, low, high), at)
    return around(at, mode, lambda p: as_places(between(_mirrored(p, low, high), n * 0.0, n - 1.0)))


def _mirrored(x: Any, low: Any, high: Any) -> Any:
    """Mirror coordinates at both borders until they lie between them."""
    length = high - low
    turn = ops.mod(x - low, 2.0 * length)
    return low + length - ops.abs(turn - length)


def _in_dtype(tap: Tap, x: Any) -> Tap:
    return tap if tap.weights is None else tap._replace(weights=in_dtype_of(x, tap.weights))


def affine_grid(step: Step, theta: Any, size: Any) -> Any:
    """Give the points of a grid that a map of coordinates from -1 to 1 takes to an image."""
    sizes = step.sizes(size, "the size")[2:]
    if not all(isinstance(n, int) for n in sizes):
        raise step.refuse(f"needs a grid of known sizes, not {sizes}")
    known = (theta.shape[0], len(sizes), len(sizes) + 1)
    meet_shapes(tuple(theta.shape), known, f"that of maps of {len(sizes)} coordinates")
    step.allow((*sizes, len(sizes) + 1), "float64")
    align = bool(step.setting("align_corners", 0))
    lines = [
        np.linspace(-1, 1, n) if align else (np.arange(n) * 2 + 1) / n - 1 for n in map(int, sizes)
    ]
    points = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones([*map(int, sizes)])], -1)
    flat = points.reshape(-1, len(sizes) + 1).astype(theta.dtype)
    found = ops.matmul(flat, ops.swapaxes(theta, 1, 2))
    return ops.reshape(found, shape=(theta.shape[0], *sizes, len(sizes)))


RULES: Mapping[str, Rule] = MappingProxyType({"AffineGrid": affine_grid, "GridSample": grid_sample})
