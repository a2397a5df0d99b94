"""Where the elements of a resized axis come from, and with which weights they are mixed.

    place y of the result ─ origins ─> x, a place between old elements ─ taps ─> old places, weights

           0     1     2                 nearest   one of the two around x
           ●─────●──x──●                 linear    both, the nearer one more
        0    1    2    3    4            cubic     two more beside them

Places beyond an end stand for the end. An axis may be open: then places are computed when the graph
runs, by the same text. A filter against aliasing sees more the more an axis shrinks, so it needs
known sizes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.rules.shape import lasting
from cgkit.onnx.step import Step
from cgkit.types import Size


class Axis(NamedTuple):
    """How one axis is resized."""

    old: Size
    """Its size."""
    new: Size
    """The size it gets."""
    scale: float | None
    """New size over old, where a model gives that; it may be rounded. None for just that."""
    start: float = 0.0
    """Where the part that is kept begins, from 0 to 1, when cropping too."""
    end: float = 1.0
    """Where it ends."""


class Tap(NamedTuple):
    """One of the old elements that make each new one."""

    places: Any
    """Where it stands, for each place of the result."""
    weights: Any
    """How much it counts; None for wholly."""


class Filter(NamedTuple):
    """How old elements are mixed."""

    mode: str
    """nearest, linear or cubic."""
    rounding: str
    """To which of two elements nearest goes."""
    a: float
    """The number of the cubic curve."""
    exclude: bool
    """Whether elements beyond an end do not count."""
    antialias: bool
    """Whether more elements are mixed where an axis shrinks."""


def number_of(step: Step, size: Size) -> Any:
    """Give a size as a number to compute with, which may wait until the graph runs."""
    if isinstance(size, int):
        return float(size)
    return ops.measure(step.value(np.float64(0)), size=size)


def origins(step: Step, axis: Axis, how: str) -> tuple[Any, Any]:
    """Give where each place of a resized axis lies between the old elements.

    Parameters
    ----------
    step
        The node.
    axis
        How the axis is resized.
    how
        ONNX's `coordinate_transformation_mode`.

    Returns
    -------
    Of floats, one for each new place; and whether it lies beyond the axis, None if that is not
    asked.

    Raises
    ------
    OnnxError
        There is no such mode.
    """
    step.allow((axis.new,), "float64")
    blank = lasting(step, np.float64(0), (axis.new,))
    y = ops.cast(ops.positions(ops.broadcast_to(blank, shape=(axis.new,)), axis=0), dtype="float64")
    old, new = number_of(step, axis.old), number_of(step, axis.new)
    if how == "tf_crop_and_resize":
        return _cropped(axis, y, old, new)
    if axis.new == 1 and how in ("align_corners", "pytorch_half_pixel"):
        return y, None
    if how == "align_corners":
        length = new if axis.scale is None else old * axis.scale
        return y * (old - 1) / (length - 1), None
    if how not in SHIFTS:
        raise step.refuse(f"there is no coordinate_transformation_mode {how!r}")
    begin, shift = SHIFTS[how]
    x = (y + begin) * old / new if axis.scale is None else (y + begin) / axis.scale
    if how == "half_pixel_symmetric" and axis.scale is not None:
        x = x + old / 2 * (1 - new / (old * axis.scale))
    return x + shift, None


SHIFTS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "half_pixel": (0.5, -0.5), "pytorch_half_pixel": (0.5, -0.5),
        "half_pixel_symmetric": (0.5, -0.5), "asymmetric": (0.0, 0.0),
        "tf_half_pixel_for_nn": (0.5, 0.0),
    }
)  # fmt: skip
"""What is added to a place before it is scaled back, and after.

A half, where an element is a stretch of length 1 and stands for its middle.
"""


def _cropped(axis: Axis, y: Any, old: Any, new: Any) -> tuple[Any, Any]:
    if axis.new == 1:
        x = y + 0.5 * (axis.start + axis.end) * (old - 1)
    else:
        x = axis.start * (old - 1) + y * (axis.end - axis.start) * (old - 1) / (new - 1)
    return x, ops.logical_or(ops.less(x, 0), ops.greater(x, old - 1))


def taps(step: Step, axis: Axis, x: Any, how: Filter) -> list[Tap]:
    """Give which old elements make each new one.

    Parameters
    ----------
    step
        The node.
    axis
        How the axis is resized.
    x
        Where each new place lies between the old elements.
    how
        How they are mixed.

    Raises
    ------
    OnnxError
        There is no such mode, or an open axis should be filtered against aliasing.
    """
    if how.mode == "nearest":
        return [Tap(_inside(step, axis, _rounded(step, x, how.rounding)), None)]
    if how.mode not in REACH:
        raise step.refuse(f"there is no mode {how.mode!r}", attempt="nearest, linear or cubic")
    scale = _shrinking(step, axis) if how.antialias else 1.0
    reach = math.ceil(REACH[how.mode] / scale)
    first, found = ops.floor(x), []
    for i in range(1 - reach, reach + 1):
        place = first + i
        weight = weight_at(ops.abs((x - place) * scale), how.mode, how.a)
        if how.exclude:
            last = number_of(step, axis.old) - 1
            there = ops.logical_and(ops.greater_equal(place, 0), ops.less_equal(place, last))
            weight = ops.where(there, weight, 0.0)
        found.append(Tap(_inside(step, axis, place), weight))
    if how.exclude or how.antialias:
        total: Any = sum(tap.weights for tap in found)
        found = [Tap(tap.places, tap.weights / total) for tap in found]
    return found


REACH: Mapping[str, int] = MappingProxyType({"linear": 1, "cubic": 2})
"""How far an element's weight reaches."""


def _shrinking(step: Step, axis: Axis) -> float:
    """Give by how much an axis shrinks: 1 if it grows."""
    if not isinstance(axis.old, int) or not isinstance(axis.new, int):
        raise step.refuse(f"antialias needs known sizes, not {axis.old} and {axis.new}")
    return min(axis.new / axis.old if axis.scale is None else axis.scale, 1.0)


def _rounded(step: Step, x: Any, how: str) -> Any:
    if how == "round_prefer_floor":
        return ops.ceil(x - 0.5)
    if how == "round_prefer_ceil":
        return ops.floor(x + 0.5)
    if how not in ("floor", "ceil"):
        raise step.refuse(f"there is no nearest_mode {how!r}")
    return ops.floor(x) if how == "floor" else ops.ceil(x)


def weight_at(distance: Any, mode: str, a: float = -0.75) -> Any:
    """Give the weight of an element by its distance, on the linear or the cubic curve.

    Examples
    --------
    >>> weight_at(np.array([0.0, 0.5, 1.0, 2.0]), "linear").tolist()
    [1.0, 0.5, 0.0, 0.0]

    References
    ----------
    R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Transactions
    on Acoustics, Speech, and Signal Processing 29 (6), 1981.
    """
    if mode == "linear":
        return ops.maximum(1.0 - distance, 0.0)
    d = distance
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return ops.where(ops.less_equal(d, 1), near, ops.where(ops.less(d, 2), far, 0.0))


def _inside(step: Step, axis: Axis, place: Any) -> Any:
    """Give places as whole numbers, those beyond an end as the end."""
    last = number_of(step, axis.old) - 1
    return ops.cast(ops.minimum(ops.maximum(place, 0.0), last), dtype="int64")


def mix(x: Any, found: list[Tap], axis: int) -> Any:
    """Make each element along an axis of others, with their weights.

    Examples
    --------
    >>> half = np.array([0.5, 0.5])
    >>> mix(np.array([1.0, 3.0, 7.0]), [Tap([0, 1], half), Tap([1, 2], half)], 0)
    array([2., 5.])
    """
    if len(found) > MOST_TAPS:
        return _mix_by_matrix(x, found, axis)
    beside = (1,) * (len(x.shape) - axis - 1)
    parts = [
        part if weights is None else part * ops.reshape(_as_float(weights, x), shape=(-1, *beside))
        for part, weights in ((ops.take(x, tap.places, axis=axis), tap.weights) for tap in found)
    ]
    return sum(parts[1:], parts[0])


MOST_TAPS = 4
"""Up to so many elements are picked one by one; more are mixed by a product of matrices."""


def _as_float(weights: Any, x: Any) -> Any:
    return ops.cast(weights, dtype=x.dtype.name)


def _mix_by_matrix(x: Any, found: list[Tap], axis: int) -> Any:
    matrix = np.zeros((len(found[0].places), x.shape[axis]))
    for tap in found:
        np.add.at(matrix, (np.arange(len(matrix)), tap.places), tap.weights)
    last = ops.moveaxis(x, axis, -1)
    return ops.moveaxis(ops.matmul(last, matrix.T.astype(x.dtype)), -1, axis)


def mixable(x: Any) -> Any:
    """Give a tensor in a dtype in which elements can be mixed.

    Examples
    --------
    >>> [mixable(np.zeros(1, dtype)).dtype.name for dtype in ("uint8", "float16", "int64")]
    ['float32', 'float32', 'float64']
    """
    if x.dtype.kind == "f" and x.dtype.itemsize > 2:
        return x
    return ops.cast(x, dtype="float32" if x.dtype.itemsize < 4 else "float64")
