"""Rules of ONNX operators that give the elements another shape or order.

    Reshape   (2, 3, 4) to [0, -1]      0 keeps the size of this axis: (2, 12)
    Split-13  sizes [1, 3], an input    Split-2  an attribute      Split-18  num_outputs=2
    Shape     of x: float32[N, 784]     Sizes [N, 784], with which later shapes are computed

Shapes, axes and widths must be known while a graph is built; open sizes among them are known as
sizes. A known array that takes on an open size becomes a Value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.errors import UnknownValue
from cgkit.onnx.step import Rule, Step
from cgkit.operators.movement import resolve_shape
from cgkit.operators.settings import normal_axes, normal_axis
from cgkit.types import Dim, Shape, Size, broadcast_shapes, count, show_shape, value_of


def lasting(step: Step, x: Any, sizes: Iterable[Any]) -> Any:
    """Give an operand that can wait for open sizes until the graph runs: an array cannot.

    Examples
    --------
    >>> lasting(Step("n", "Expand"), np.ones(2), (3, 2))
    array([1., 1.])
    """
    waits = any(isinstance(size, Dim) for size in sizes)
    return step.value(x) if waits and isinstance(x, np.ndarray | np.generic) else x


def known_axes(step: Step, x: Any, since: int) -> tuple[int, ...] | None:
    """Give axes: an attribute, but an input from an operator set on; None where there are none."""
    if step.opset < since:
        given = step.setting("axes", None)
        return None if given is None else tuple(given)
    return None if x is None else tuple(int(axis) for axis in step.known(x, "axes").reshape(-1))


def known_number(step: Step, x: Any, what: str) -> int:
    """Give an input that holds one whole number, which must be known."""
    array = step.known(x, what)
    if array.size != 1:
        raise step.refuse(f"needs one number as {what}, got {array.size}")
    return int(array.reshape(()))


def _reshape(step: Step, x: Any, shape: Any = None) -> Any:
    wanted = step.setting("shape") if step.opset < 5 else step.sizes(shape, "shape")
    zeros = [at for at, size in enumerate(wanted) if isinstance(size, int) and size == 0]
    if step.setting("allowzero", 0):
        if zeros and any(isinstance(size, int) and size == -1 for size in wanted):
            raise step.refuse(f"cannot tell the size of -1 in {show_shape(wanted)} beside a 0")
        zeros = []
    if zeros and zeros[-1] >= len(x.shape):
        raise step.refuse(
            f"has no size to keep for axis {zeros[-1]} of {show_shape(x.shape)}",
            attempt="the attribute allowzero=1, if a size of 0 is meant",
        )
    new = tuple(x.shape[at] if at in zeros else size for at, size in enumerate(wanted))
    new = resolve_shape(tuple(x.shape), new)  # now: beside an open size that is 0 no run can tell
    return ops.reshape(lasting(step, x, new), shape=new)


def _transpose(step: Step, x: Any) -> Any:
    order = step.setting("perm", None)
    return ops.transpose(x) if order is None else ops.transpose(x, axes=order)


def _squeeze(step: Step, x: Any, axes: Any = None) -> Any:
    given = known_axes(step, axes, 13)
    return ops.squeeze(x) if given is None else ops.squeeze(x, axis=given)


def _unsqueeze(step: Step, x: Any, axes: Any = None) -> Any:
    given = known_axes(step, axes, 13)
    if given is None:
        raise step.refuse("needs axes")
    return ops.unsqueeze(x, axis=given)


def _flatten(step: Step, x: Any) -> Any:
    rank = len(x.shape)
    axis = step.setting("axis", 1)
    if not -rank <= axis <= rank:
        raise step.refuse(f"has no axis {axis} in a tensor of {rank} axes")
    at = axis + rank if axis < 0 else axis
    return ops.reshape(x, shape=(count(x.shape[:at]), count(x.shape[at:])))


def _concat(step: Step, *parts: Any) -> Any:
    axis = step.setting("axis", 1) if step.opset < 4 else step.setting("axis")
    return ops.concat(*parts, axis=axis)


def _split(step: Step, x: Any, sizes: Any = None) -> tuple[Any, ...]:
    axis = normal_axis(step.setting("axis", 0), len(x.shape))
    given = None if step.opset >= 13 else step.setting("split", None)
    if sizes is not None and step.opset == 1:  # of the type of x
        sizes = step.known(sizes, "split").astype(np.int64)
    if sizes is not None:
        given = step.sizes(sizes, "split")
    many = step.setting("num_outputs", len(step.wanted)) if given is None else len(given)
    if many != len(step.wanted):
        raise step.refuse(f"gives {many} parts, but {len(step.wanted)} are named")
    given = _even(step, x.shape[axis], many) if given is None else given
    parts: tuple[Any, ...] = ops.split(lasting(step, x, given), sizes=given, axis=axis)
    return parts


def _even(step: Step, size: Size, many: int) -> tuple[Size, ...]:
    """Give the sizes of equal parts; from operator set 18 on the last may be smaller."""
    if step.opset < 18:
        if isinstance(size, int) and size % many:
            raise step.refuse(
                f"cannot cut an axis of size {size} into {many} equal parts",
                attempt="the sizes of the parts as split",
            )
        return (size // many,) * many
    if isinstance(size, Dim):  # a run tells whether the last part is at least 0
        most = (size + many - 1) // many
        return (*(most,) * (many - 1), size - most * (many - 1))
    each = -(-size // many)
    return tuple(max(min(each, size - each * at), 0) for at in range(many))


def _expand(step: Step, x: Any, shape: Any) -> Any:
    wanted = broadcast_shapes(tuple(x.shape), step.sizes(shape, "shape"))
    return ops.broadcast_to(lasting(step, x, wanted), shape=wanted)


def _tile(step: Step, x: Any, repeats: Any, axis: Any = None) -> Any:
    rank = len(x.shape)
    if step.opset < 6:
        times = known_number(step, repeats, "tiles")
        at = normal_axis(known_number(step, axis, "axis"), rank)
        return ops.tile(x, repeats=tuple(times if i == at else 1 for i in range(rank)))
    wanted = step.sizes(repeats, "repeats")
    if len(wanted) != rank:
        raise step.refuse(f"needs a number of repeats for each of {rank} axes, got {len(wanted)}")
    return ops.tile(lasting(step, x, wanted), repeats=wanted)


def _shape(step: Step, x: Any) -> Any:
    return step.shape(x)[step.setting("start", 0) : step.setting("end", None)]


def _size(step: Step, x: Any) -> Any:
    return ops.prod(step.shape(x))


def _identity(step: Step, x: Any) -> Any:
    return x


def _four(step: Step, x: Any) -> Shape:
    if len(x.shape) != 4:
        raise step.refuse(f"needs images of 4 axes, got {show_shape(x.shape)}")
    return tuple(x.shape)


def _by_block(step: Step) -> bool:
    """Whether the place in a block is told by the slower part of the channels."""
    mode = step.setting("mode", "DCR")
    if mode not in ("DCR", "CRD"):
        raise step.refuse(f"knows the modes DCR and CRD, not {mode!r:.60}")
    return bool(mode == "DCR")


def _depth_to_space(step: Step, x: Any) -> Any:
    images, channels, height, width = _four(step, x)
    block = step.setting("blocksize")
    if block < 1 or (value_of(channels) or 0) % block**2:
        raise step.refuse(f"cannot lay {channels} channels out as blocks of {block} by {block}")
    fewer = channels // block**2
    if _by_block(step):
        apart = ops.reshape(x, shape=(images, block, block, fewer, height, width))
        turned = ops.transpose(apart, axes=(0, 3, 4, 1, 5, 2))
    else:
        apart = ops.reshape(x, shape=(images, fewer, block, block, height, width))
        turned = ops.transpose(apart, axes=(0, 1, 4, 2, 5, 3))
    return ops.reshape(turned, shape=(images, fewer, height * block, width * block))


def _space_to_depth(step: Step, x: Any) -> Any:
    images, channels, height, width = _four(step, x)
    block = step.setting("blocksize")
    if block < 1 or any((value_of(size) or 0) % block for size in (height, width)):
        raise step.refuse(f"cannot cut {height} by {width} into blocks of {block} by {block}")
    rows, columns = height // block, width // block
    apart = ops.reshape(x, shape=(images, channels, rows, block, columns, block))
    axes = (0, 3, 5, 1, 2, 4) if _by_block(step) else (0, 1, 3, 5, 2, 4)
    return ops.reshape(
        ops.transpose(apart, axes=axes), shape=(images, channels * block**2, rows, columns)
    )


def _trilu(step: Step, x: Any, k: Any = None) -> Any:
    at = 0 if k is None else known_number(step, k, "k")
    return ops.triu(x, k=at) if step.setting("upper", 1) else ops.tril(x, k=at)


def _widths(step: Step, x: Any, pads: Any, axes: Any) -> tuple[tuple[Size, Size], ...]:
    """Give how many elements come before and after on each axis."""
    rank = len(x.shape)
    if step.opset < 11:
        given = step.setting("pads" if step.opset > 1 else "paddings")
    else:
        given = step.sizes(pads, "pads")
    on = tuple(range(rank))
    if axes is not None:
        on = normal_axes(tuple(int(axis) for axis in step.known(axes, "axes").reshape(-1)), rank)
    if len(given) != 2 * len(on):
        raise step.refuse(f"needs two widths for each of {len(on)} axes, got {len(given)}")
    found: list[tuple[Size, Size]] = [(0, 0)] * rank
    for i, at in enumerate(on):
        found[at] = (given[i], given[i + len(on)])
    return tuple(found)


def _fixed(step: Step, x: Any) -> np.ndarray | None:
    """Give the value of an operand that has one while the graph is built."""
    try:
        return step.known(x, "what is put around")
    except UnknownValue:
        return None


def _pad(step: Step, x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
    widths = _widths(step, x, pads, axes)
    x = lasting(step, x, (width for pair in widths for width in pair))
    mode = step.setting("mode", "constant")
    if mode != "constant":
        return ops.pad(x, pads=widths, mode=mode)
    if step.opset < 11:
        return ops.pad(x, pads=widths, value=step.setting("value", 0.0))
    if value is None:
        return ops.pad(x, pads=widths)
    if count(value.shape) != 1:
        raise step.refuse(f"puts one number around, not {show_shape(value.shape)}")
    fixed = _fixed(step, value)
    if fixed is not None:
        return ops.pad(x, pads=widths, value=fixed.reshape(()).item())
    inside = ops.pad(ops.logical_or(ops.equal(x, x), True), pads=widths)
    return ops.where(inside, ops.pad(x, pads=widths), ops.reshape(value, shape=()))


RULES: Mapping[str, Rule] = MappingProxyType({
    "Reshape": _reshape, "Transpose": _transpose, "Squeeze": _squeeze, "Unsqueeze": _unsqueeze,
    "Flatten": _flatten, "Concat": _concat, "Split": _split, "Expand": _expand, "Tile": _tile,
    "Shape": _shape, "Size": _size, "Identity": _identity, "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth, "Trilu": _trilu, "Pad": _pad,
})  # fmt: skip
"""The rule of each operator, by its ONNX name."""
