"""Suppression: of boxes that overlap much, the one with the best score is kept.

    boxes (N, B, 4) ─┐
                     ├─ non_max_suppression ─> rows (image, class, box), the best first
    scores (N, C, B) ┘

Each class of each image is treated by itself: the best box is taken, all that overlap it by more
than a part of their union fall out, then the best of the rest is taken. How many remain is known
only when it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator, Sample
from cgkit.operators.settings import as_number, as_whole
from cgkit.types import OPEN, Size, TensorType, meet, show_shape


def _infer(
    boxes: TensorType,
    scores: TensorType,
    most: int,
    overlap: float = 0.0,
    least: float | None = None,
    center: bool = False,
    number: Size = OPEN,
) -> TensorType:
    for given in (boxes, scores):
        if given.dtype.kind != "f":
            raise DtypeError(f"non_max_suppression takes floats, not {given.dtype}")
    try:
        if boxes.ndim != 3 or scores.ndim != 3:
            raise ShapeError("each has three axes")
        meet(boxes.shape[0], scores.shape[0])
        meet(boxes.shape[1], scores.shape[2])
        meet(boxes.shape[2], 4)
    except ShapeError as error:
        raise ShapeError(
            "non_max_suppression takes boxes (N, B, 4) and scores (N, C, B), got "
            f"{show_shape(boxes.shape)} and {show_shape(scores.shape)}",
            why=error.what,
        ) from None
    as_whole("the most boxes of a class", most, least=0)
    as_number("the overlap", overlap)
    if least is not None:
        as_number("the least score", least)
    return TensorType((number, 3), "int64")


def _compute(
    boxes: Any,
    scores: Any,
    most: int,
    overlap: float = 0.0,
    least: float | None = None,
    center: bool = False,
    number: Size = OPEN,
) -> np.ndarray:
    boxes, scores = np.asarray(boxes), np.asarray(scores)
    known = TensorType(boxes.shape, boxes.dtype), TensorType(scores.shape, scores.dtype)
    _infer(known[0], known[1], most, overlap, least)
    rows: list[tuple[int, int, int]] = []
    for image, of_class in np.ndindex(*scores.shape[:2] if scores.size else (0,)):
        score = scores[image, of_class]
        order = np.argsort(-score, kind="stable")
        if least is not None:
            order = order[score[order] > least]
        corners = _corners(boxes[image], center)
        rows += [(image, of_class, box) for box in _kept(corners, order, most, overlap)]
    return np.array(rows, np.int64).reshape(-1, 3)


def _corners(boxes: np.ndarray, center: bool) -> np.ndarray:
    """Give boxes as (least corner, largest corner), each on two axes."""
    first, second = boxes[:, :2], boxes[:, 2:]
    if center:
        return np.stack([first - second / 2, first + second / 2])
    return np.stack([np.minimum(first, second), np.maximum(first, second)])


def _kept(corners: np.ndarray, order: np.ndarray, most: int, overlap: float) -> list[int]:
    """Take the best box again and again, and drop what overlaps it too much."""
    found: list[int] = []
    while order.size and len(found) < most:
        best, order = int(order[0]), order[1:]
        found.append(best)
        order = order[~(_shared(corners, best, order) > overlap)]
    return found


def _shared(corners: np.ndarray, best: int, others: np.ndarray) -> np.ndarray:
    """Give which part of the union of a box and each other lies in both; 0 for empty ones."""
    (low, high), (lows, highs) = corners[:, best], corners[:, others]
    sides = np.maximum(np.minimum(high, highs) - np.maximum(low, lows), 0)
    both, one = sides.prod(-1), (high - low).prod()
    each = (highs - lows).prod(-1)
    whole = one + each - both
    solid = (both > 0) & (one > 0) & (each > 0) & (whole > 0)
    return np.where(solid, both / np.where(solid, whole, 1), 0)


def _samples(rng: np.random.Generator) -> Iterator[Sample]:
    boxes = np.array([[[0, 0, 4, 4], [0, 0, 4, 3], [4, 4, 8, 8], [5, 5, 4, 8]]], "float64")
    scores = np.array([[[0.5, 0.75, 0.25, 0.25], [0.125, 0.0, 1.0, 0.5]]])
    for params in (
        {"most": 4, "overlap": 0.5, "number": 6}, {"most": 1, "number": 2},
        {"most": 0, "number": 0}, {"most": 4, "overlap": 0.5, "least": 0.25, "number": 3},
        {"most": 9, "overlap": 0.75, "number": 8},
    ):  # fmt: skip
        for dtype in ("float64", "float32"):
            yield Sample((boxes.astype(dtype), scores.astype(dtype)), params, False)
    turned = (boxes[:, ::-1], scores[..., ::-1])
    yield Sample(turned, {"most": 4, "overlap": 0.5, "number": 6}, False)
    special = np.array([[[np.inf, np.nan, -np.inf, 0.0]]])
    yield Sample((boxes, special), {"most": 4, "overlap": 1.0, "number": 4}, False)
    yield Sample((np.zeros((0, 2, 4)), np.zeros((0, 1, 2))), {"most": 3, "number": 0}, False)


non_max_suppression: Operator = Operator(
    "non_max_suppression", _compute, _infer, operands=2, kind=Kind.OPAQUE, family="indexing",
    flops=lambda result, boxes, scores, **params: scores.size, samples=_samples,
    tells=("number",),
    doc="(image, class, box) of the best boxes, without those that overlap a better one by more "
    "than a part; at most so many of a class, with scores above the least",
)  # fmt: skip
