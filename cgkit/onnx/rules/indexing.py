"""Rules of ONNX operators that read parts of a tensor.

    Slice    starts [1], ends [-1], axes [0], steps [2]      x[1:-1:2]
    Gather   places [0, 2], axis 1                           x[:, [0, 2]]
    OneHot   depth 3, values [off, on]                       on where the place is, else off

How much NonZero, Compress and Unique find depends on data: a size that the run tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.rules.shape import lasting
from cgkit.onnx.step import Rule, Step
from cgkit.operators.indices import ARRAY, Span
from cgkit.operators.settings import normal_axes
from cgkit.types import Dim, Size, show_shape

FAR = 2**31 - 1
"""A bound this far off means the end of an axis, whatever its size."""


def _slice(
    step: Step, x: Any, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None
) -> Any:
    rank = len(x.shape)
    if step.opset < 10:
        first, last = step.setting("starts"), step.setting("ends")
        on = step.setting("axes", None)
    else:
        first, last = step.sizes(starts, "starts"), step.sizes(ends, "ends")
        on = None if axes is None else step.sizes(axes, "axes")
    by = (1,) * len(first) if steps is None else step.sizes(steps, "steps")
    on = tuple(range(len(first))) if on is None else on
    if not len(first) == len(last) == len(on) == len(by):
        raise step.refuse(
            f"needs as many starts as ends, axes and steps, got {len(first)}, {len(last)}, "
            f"{len(on)} and {len(by)}"
        )
    index = [Span()] * rank
    for at, start, end, stride in zip(normal_axes(on, rank), first, last, by, strict=True):
        index[at] = _span(step, x.shape[at], start, end, stride)
    bounds = [bound for span in index for bound in span[:2]]
    return ops.slice(lasting(step, x, bounds), index=tuple(index))


def _span(step: Step, size: Size, start: Size, end: Size, stride: Size) -> Span:
    """Give the places of one axis; on an open one, bounds beyond it are those of the axis."""
    if not isinstance(stride, int) or stride == 0:
        raise step.refuse(f"cannot take steps of {stride}")
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        places = range(*slice(start, end, stride).indices(size))
        stop = places.stop if places.stop >= 0 else None
        return Span(places.start, stop, stride) if len(places) else Span(0, 0, None)
    forward = stride > 0
    begin = _bound(start, lowest=None if forward else 0, highest=size if forward else None)
    finish = _bound(end, lowest=0 if forward else None, highest=None if forward else size)
    if not forward and isinstance(begin, int) and begin == -1:
        begin = None
    return Span(begin, finish, None if stride == 1 else stride)


def _bound(bound: Size, lowest: Size | None, highest: Size | None) -> Size | None:
    if isinstance(bound, Dim) or -FAR < bound < FAR:
        return bound
    return lowest if bound < 0 else highest


def _gather(step: Step, x: Any, places: Any) -> Any:
    return ops.take(x, places, axis=step.setting("axis", 0))


def _gather_elements(step: Step, x: Any, places: Any) -> Any:
    return ops.gather_elements(x, places, axis=step.setting("axis", 0))


def _gather_nd(step: Step, x: Any, places: Any) -> Any:
    return ops.gather_nd(x, places, batch=step.setting("batch_dims", 0))


def _one_hot(step: Step, places: Any, depth: Any, values: Any) -> Any:
    if depth.dtype.kind == "f":
        depth = step.known(depth, "depth").astype(np.int64)
    sizes = step.sizes(depth, "depth")
    if len(sizes) != 1 or tuple(values.shape) != (2,):
        raise step.refuse(
            f"needs one number as depth and two values, got {len(sizes)} and "
            f"{show_shape(values.shape)}"
        )
    if places.dtype.kind == "f":
        places = ops.cast(places, dtype="int64")
    axis = step.setting("axis", -1)
    marks = ops.one_hot(lasting(step, places, sizes), size=sizes[0], axis=axis, dtype="bool")
    if step.opset < 11:  # places do not yet count from the end
        marks = ops.logical_and(marks, ops.unsqueeze(ops.greater_equal(places, 0), axis=axis))
    return ops.where(marks, values[1], values[0])


def _nonzero(step: Step, x: Any) -> Any:
    return ops.transpose(ops.nonzero(x))


def _compress(step: Step, x: Any, condition: Any) -> Any:
    if len(condition.shape) != 1:
        raise step.refuse(f"takes one row of conditions, not {show_shape(condition.shape)}")
    places = ops.reshape(ops.nonzero(condition), shape=(-1,))
    axis = step.setting("axis", None)
    if axis is None:
        x, axis = ops.reshape(x, shape=(-1,)), 0
    return ops.take(x, places, axis=axis)


def _unique(step: Step, x: Any) -> Any:
    return ops.unique(x, axis=step.setting("axis", None), ordered=bool(step.setting("sorted", 1)))


def _reverse_sequence(step: Step, x: Any, lengths: Any) -> Any:
    time, batch = step.setting("time_axis", 0), step.setting("batch_axis", 1)
    if {time, batch} != {0, 1}:
        raise step.refuse(f"needs the axes 0 and 1 as time and batch, got {time} and {batch}")
    here = ops.unsqueeze(ops.positions(x, axis=time), axis=batch)
    lane = ops.unsqueeze(ops.positions(x, axis=batch), axis=time)
    many = ops.unsqueeze(lengths, axis=time)
    places = ops.where(ops.less(here, many), many - 1 - here, here)
    arrays = (places, lane) if time == 0 else (lane, places)
    return ops.index(x, *arrays, index=(ARRAY, ARRAY, *(Span(),) * (len(x.shape) - 2)))


RULES: Mapping[str, Rule] = MappingProxyType({
    "Slice": _slice, "Gather": _gather, "GatherElements": _gather_elements,
    "GatherND": _gather_nd, "OneHot": _one_hot, "NonZero": _nonzero, "Compress": _compress,
    "Unique": _unique, "ReverseSequence": _reverse_sequence,
})  # fmt: skip
"""The rule of each operator, by its ONNX name."""
