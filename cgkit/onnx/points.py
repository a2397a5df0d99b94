"""Reading images at points that lie between their elements.

    a coordinate on each axis ─ around ─> taps: whole places with weights
                                            │
    images (N, C, H, W) ────────────────  picked  ─> (..., C), one vector for each point

All is made of operators, so gradients reach the images and the coordinates, and sizes may be open.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from cgkit import operators as ops
from cgkit.onnx.resampling import REACH, Tap, number_of, weight_at
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.step import Step
from cgkit.operators.indices import ARRAY, Span
from cgkit.types import Size

Places = Callable[[Any], Any]
"""Turns places of one axis, floats without a fraction, into places that exist."""


def picked(x: Any, image: Any, axes: Sequence[Sequence[Tap]]) -> Any:
    """Read images at points, each a product of taps on every axis of space.

    Parameters
    ----------
    x
        Images (N, C, ...).
    image
        Which image each point lies in.
    axes
        For each axis of space, the taps of all points. All shapes broadcast.

    Returns
    -------
    The points' shape, and the channels last.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1.0, 3.0, 7.0]]])
    >>> half = np.array([0.5])
    >>> picked(x, np.array([0]), [[Tap(np.array([1]), half), Tap(np.array([2]), half)]]).tolist()
    [[5.0]]
    """
    index = (ARRAY, Span(), *(ARRAY,) * len(axes))
    total: Any = None
    for corner in itertools.product(*axes):
        found = ops.index(x, image, *(tap.places for tap in corner), index=index)
        for tap in corner:
            if tap.weights is not None:
                found = ops.mul(found, ops.unsqueeze(tap.weights, axis=-1))
        total = found if total is None else ops.add(total, found)
    return total


def around(x: Any, mode: str, places: Places) -> list[Tap]:
    """Give the elements around coordinates of one axis, with their weights.

    Parameters
    ----------
    x
        The coordinates.
    mode
        nearest, linear or cubic.
    places
        What turns places into such that exist.

    Examples
    --------
    >>> import numpy as np
    >>> [tap.weights.tolist() for tap in around(np.array([1.25]), "linear", as_places)]
    [[0.75], [0.25]]
    """
    if mode == "nearest":
        return [Tap(places(ops.round(x)), None)]
    first, reach = ops.floor(x), REACH[mode]
    each = [first + float(i) for i in range(1 - reach, reach + 1)]
    return [Tap(places(at), weight_at(ops.abs(x - at), mode)) for at in each]


def between(x: Any, low: Any, high: Any) -> Any:
    """Keep places between limits; what is no number goes to the lower one.

    Examples
    --------
    >>> import numpy as np
    >>> between(np.array([-1.0, 0.5, 7.0, np.nan]), 0.0, 2.0).tolist()
    [0.0, 0.5, 2.0, 0.0]
    """
    above = ops.where(ops.less(x, high), x, high)
    return ops.where(ops.greater(x, low), above, low)


def as_places(x: Any) -> Any:
    """Give floats without a fraction as places."""
    return ops.cast(x, dtype="int64")


def number_like(step: Step, size: Size, like: Any) -> Any:
    """Give a size, which may be open, as a number that does not widen a tensor."""
    number = number_of(step, size)
    return number if isinstance(number, float) else in_dtype_of(like, number)
