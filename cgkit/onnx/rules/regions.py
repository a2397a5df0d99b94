"""Rules of regions of images: RoiAlign pools what lies in them, NonMaxSuppression picks among them.

    region ── cut into output_height x output_width parts ── a few points read in each ── mean

A point lies between elements and is read as their mixture; one that lies beyond the image by more
than 1 is nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.points import as_places, between, number_like, picked
from cgkit.onnx.resampling import Tap
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.step import Rule, Step
from cgkit.types import Size, meet_shapes


def roi_align(step: Step, x: Any, rois: Any, images: Any) -> Any:
    """Pool regions of images, read at a few points in each part of a region."""
    ratio = step.setting("sampling_ratio", 0)
    meet_shapes(tuple(rois.shape), (images.shape[0], 4), "four numbers for each image named")
    if ratio > 0:
        return _regions(step, x, rois, images, (ratio, ratio))
    # how many points there are depends on the size of each region, so all must be known
    known = step.known(rois, "the regions")
    parts = [
        _regions(step, x, known[i : i + 1], images[i : i + 1], _points(step, known[i]))
        for i in range(len(known))
    ]
    shape = (0, x.shape[1], step.setting("output_height", 1), step.setting("output_width", 1))
    return ops.concat(*parts, axis=0) if parts else np.zeros(shape, x.dtype)


def _bounds(step: Step, rois: Any) -> list[tuple[Any, Any]]:
    """Give where regions begin and how long they are, from top to bottom and from left to right."""
    word = "output_half_pixel" if step.opset < 16 else "half_pixel"
    half = step.setting("coordinate_transformation_mode", word) == "half_pixel"
    scaled = rois * step.setting("spatial_scale", 1.0) - (0.5 if half else 0.0)
    found = []
    for i in (1, 0):
        start, length = scaled[..., i], scaled[..., i + 2] - scaled[..., i]
        found.append((start, length if half else ops.maximum(length, 1.0)))
    return found


def _points(step: Step, roi: np.ndarray) -> tuple[int, int]:
    """Give how many points are read in each part of a region, along each axis."""
    parts = (step.setting("output_height", 1), step.setting("output_width", 1))
    lengths = [length for _, length in _bounds(step, roi)]
    rows, columns = (math.ceil(length / n) for length, n in zip(lengths, parts, strict=True))
    return max(rows, 0), max(columns, 0)


def _regions(step: Step, x: Any, rois: Any, images: Any, points: tuple[int, int]) -> Any:
    """Pool regions in which as many points are read in each part, rows times columns."""
    parts = (step.setting("output_height", 1), step.setting("output_width", 1))
    if not all(points):
        return np.zeros((rois.shape[0], x.shape[1], *parts), x.dtype)
    lines = []
    for (start, length), n, many, size in zip(
        _bounds(step, rois), parts, points, x.shape[2:], strict=True
    ):
        step.allow((n, many), "float64")
        steps = np.arange(n)[:, None] + (np.arange(many) + 0.5) / many
        at = ops.reshape(start, shape=(-1, 1, 1)) + ops.reshape(
            length / n, shape=(-1, 1, 1)
        ) * steps.astype(rois.dtype)
        lines.append(_region_taps(step, at, size))
    rows, columns = (
        [_stretched(tap, at, x) for tap in line]
        for line, at in zip(lines, ((1, 2), (3, 4)), strict=True)
    )
    image = ops.reshape(images, shape=(-1, 1, 1, 1, 1))
    if step.setting("mode", "avg") == "avg":
        found = ops.mean(picked(x, image, [rows, columns]), axis=(2, 4))
    else:  # the largest of all corners times their weights, as every runtime reads it
        corners = [picked(x, image, [[row], [column]]) for row in rows for column in columns]
        found = ops.max(ops.stack(*corners), axis=(0, 3, 5))
    return ops.transpose(found, axes=(0, 3, 1, 2))


def _region_taps(step: Step, at: Any, size: Size) -> list[Tap]:
    """Give the two elements around each coordinate; beyond an image by more than 1 is nothing."""
    n = number_like(step, size, at)
    there = ops.logical_and(ops.greater_equal(at, -1.0), ops.less_equal(at, n))
    inside = between(at, n * 0.0, n - 1.0)
    low = ops.floor(inside)
    part = inside - low
    return [
        Tap(as_places(low), ops.where(there, 1.0 - part, 0.0)),
        Tap(as_places(between(low + 1.0, n * 0.0, n - 1.0)), ops.where(there, part, 0.0)),
    ]


def _stretched(tap: Tap, at: tuple[int, int], x: Any) -> Tap:
    """Give a tap of (regions, parts, points) five axes, the last two of its own at two of them."""
    axes = tuple(i for i in range(1, 5) if i not in at)
    weights = in_dtype_of(x, tap.weights)
    return Tap(ops.unsqueeze(tap.places, axis=axes), ops.unsqueeze(weights, axis=axes))


def non_max_suppression(
    step: Step, boxes: Any, scores: Any, most: Any = None, overlap: Any = None, least: Any = None
) -> Any:
    """Pick the best boxes of each class, without those that overlap a better one too much.

    A score that is not above the threshold is dropped, as by every runtime.
    """
    return ops.non_max_suppression(
        boxes, scores, most=max(int(_number(step, most, "max_output_boxes_per_class", 0)), 0),
        overlap=float(_number(step, overlap, "iou_threshold", 0)),
        least=None if least is None else float(_number(step, least, "score_threshold", 0)),
        center=bool(step.setting("center_point_box", 0)),
    )  # fmt: skip


def _number(step: Step, x: Any, what: str, default: float) -> Any:
    """Give an input that holds one known number; the default where it is left out."""
    array = np.asarray(default) if x is None else step.known(x, what)
    return array.reshape(-1)[0] if array.size else default


RULES: Mapping[str, Rule] = MappingProxyType(
    {"NonMaxSuppression": non_max_suppression, "RoiAlign": roi_align}
)
