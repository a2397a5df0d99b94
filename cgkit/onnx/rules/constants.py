"""Rules of ONNX operators that make tensors out of settings and sizes.

Constant          value=[1, 2]            an array, known while the graph is built
ConstantOfShape   of [2, 3], value=[7]    an array too; of an open shape a Value that waits
Range             0, N, 1                 0, 1, 2, ... as many as an open size says
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.errors import ShapeError
from cgkit.onnx.known import Known
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.rules.shape import lasting
from cgkit.onnx.sizes import Sizes, at_run
from cgkit.onnx.step import Rule, Step
from cgkit.types import Dim, Size

VALUES: Mapping[str, str] = MappingProxyType({
    "value_float": "float32", "value_floats": "float32",
    "value_int": "int64", "value_ints": "int64",
})  # fmt: skip
"""The dtype of a constant that is given as plain numbers."""


def _constant(step: Step) -> np.ndarray:
    value = step.setting("value", None)
    if value is not None:
        return np.asarray(value)
    for name, dtype in VALUES.items():
        found = step.setting(name, None)
        if found is not None:
            return np.asarray(found, dtype)
    raise step.refuse(
        f"holds no numbers, but {', '.join(step.settings or ()) or 'nothing'}",
        attempt=f"one of the attributes value, {', '.join(VALUES)}",
    )


def _constant_of_shape(step: Step, shape: Any) -> Any:
    value = np.asarray(step.setting("value", np.float32(0)))
    if value.size != 1:
        raise step.refuse(f"needs one element as value, got {value.size}")
    sizes = step.sizes(shape, "shape")
    single = watched(value.reshape(()), shape)
    return ops.broadcast_to(lasting(step, single, sizes), shape=sizes)


def watched(array: np.ndarray, like: Any) -> Any:
    """Give an array whose computing takes room where that of a known operand does.

    Examples
    --------
    >>> watched(np.zeros(()), np.ones(2))
    array(0.)
    """
    room = like.room if isinstance(like, Known) else None
    return array if room is None else room.known(array)


def _range(step: Step, start: Any, limit: Any, delta: Any) -> Any:
    ends = (start, limit, delta)
    if any(isinstance(x, Sizes) for x in ends):
        first, end, by = (_one(step, step.sizes(x, "a number of Range")) for x in ends)
        zeros = ops.broadcast_to(
            step.value(np.zeros((), "int64")), shape=(_many(step, first, end, by),)
        )
        first, by = at_run(first, zeros), at_run(by, zeros)
    else:
        first, end, by = (_one(step, step.known(x, "a number of Range").reshape(-1)) for x in ends)
        if first.dtype == np.float16:  # counted and computed in wider numbers
            first, end, by = (x.astype("float32") for x in (first, end, by))
        zeros = ops.broadcast_to(watched(first, start), shape=(_many(step, first, end, by),))
    places = ops.positions(zeros, axis=0)
    found = ops.add(ops.mul(ops.cast_like(places, zeros), by), first)
    return in_dtype_of(start, found)


def _one(step: Step, numbers: Any) -> Any:
    if len(numbers) != 1:
        raise step.refuse(f"needs single numbers, got {len(numbers)} at once")
    return numbers[0]


def _many(step: Step, first: Any, end: Any, by: Any) -> Size:
    """Say how many numbers there are, from the first on, before the end."""
    if by == 0:
        raise step.refuse("cannot go on by 0", attempt="a delta that leads to the limit")
    if any(isinstance(x, Dim) for x in (first, end, by)):
        try:
            up = 0 if isinstance(by, Dim) else by - (1 if by > 0 else -1)
            size: Size = (end - first + up) // by  # rounded up, or without a rest
        except ShapeError as error:
            raise step.refuse(
                f"cannot tell how many numbers there are from {first} to {end} by {by}",
                attempt=error.attempt,
            ) from None
        return size
    if first.dtype.kind != "f":
        return int(max(-((int(first) - int(end)) // int(by)), 0))
    span = (end - first) / by
    if not np.isfinite(span):
        raise step.refuse(f"cannot count from {first} to {end} by {by}")
    return int(max(math.ceil(span), 0))


def _eye_like(step: Step, x: Any) -> Any:
    number = step.setting("dtype", None)
    dtype = x.dtype if number is None else step.dtype(number)
    return ops.eye_like(x, k=step.setting("k", 0), dtype=dtype.name)


RULES: Mapping[str, Rule] = MappingProxyType({
    "Constant": _constant, "ConstantOfShape": _constant_of_shape, "Range": _range,
    "EyeLike": _eye_like,
})  # fmt: skip
"""The rule of each operator, by its ONNX name."""
