"""ONNX's words for windows that slide over images, as the settings of cgkit's operators.

    pads [top, left, bottom, right]  ─>  padding ((top, bottom), (left, right))
    auto_pad SAME_UPPER, sizes, strides  ─>  as much as makes ceil(size / stride) places
    ceil_mode  ─>  padding behind the end, so that the last window fits

Convolution, pooling and their ways back share this. Old models give `auto_pad` and `pads` at once;
then auto_pad holds, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cgkit.onnx.step import Step
from cgkit.operators.pool_windows import reach
from cgkit.operators.windows import Pads, Windows, place_count, same, span
from cgkit.types import Shape, Size


class Sliding(NamedTuple):
    """How windows slide, one entry for each axis."""

    kernel: Shape
    """How many elements lie under a window."""
    stride: tuple[int, ...]
    """How far it is from place to place."""
    dilation: tuple[int, ...]
    """How far it is from element to element under a window."""
    pads: Pads
    """How much is put before and after the axis."""
    ceil_mode: bool
    """Whether a last window may hang over the end."""

    @property
    def spans(self) -> tuple[Size, ...]:
        """How long each window is, from its first to its last element."""
        return tuple(map(span, self.kernel, self.dilation))

    def places(self, sizes: Shape) -> tuple[Size, ...]:
        """Count the places along each axis of images of these sizes."""
        axes = zip(sizes, self.spans, self.stride, self.pads, strict=True)
        return tuple(place_count(*axis, round_up=self.ceil_mode) for axis in axes)

    def reach(self, sizes: Shape) -> Pads:
        """Give the padding with which no window hangs over the end; it has the same places."""
        if not self.ceil_mode:
            return self.pads
        return reach(sizes, Windows(*self[:4], self.places(sizes)))


def sliding(step: Step, sizes: Shape, kernel: Shape) -> Sliding:
    """Read how windows slide from a node's attributes.

    Parameters
    ----------
    step
        The node.
    sizes
        Of the axes that windows slide over.
    kernel
        Of the windows.

    Raises
    ------
    OnnxError
        An attribute does not have one entry for each axis, or auto_pad is none of ONNX's words.
    ShapeError
        auto_pad asks for a part of a size that is open.

    Examples
    --------
    >>> step = Step("n", "Conv", settings={"auto_pad": "SAME_LOWER", "strides": (2, 1)})
    >>> sliding(step, (6, 5), (3, 2)).pads
    ((1, 0), (1, 0))
    """
    axes = len(sizes)
    stride = each(step, "strides", axes, 1)
    dilation = each(step, "dilations", axes, 1)
    word = step.setting("auto_pad", "NOTSET")
    ceil_mode = bool(step.setting("ceil_mode", 0))
    if word == "NOTSET":
        pads = pairs(each(step, "pads", 2 * axes, 0))
    elif word == "VALID":
        pads, ceil_mode = ((0, 0),) * axes, False
    elif word in ("SAME_UPPER", "SAME_LOWER"):
        spans = map(span, kernel, dilation)
        totals = [same(*axis) for axis in zip(sizes, spans, stride, strict=True)]
        pads, ceil_mode = tuple(halves(total, word) for total in totals), False
    else:
        raise step.refuse(
            f"there is no auto_pad {word!r}", attempt="NOTSET, VALID, SAME_UPPER or SAME_LOWER"
        )
    return Sliding(tuple(kernel), stride, dilation, pads, ceil_mode)


def each(step: Step, name: str, number: int, default: int) -> tuple[int, ...]:
    """Give an attribute that has so many entries; the default for each where it is left out."""
    found = tuple(step.setting(name, ())) or (default,) * number
    if len(found) != number:
        raise step.refuse(f"the attribute {name} has {number} entries, not {len(found)}: {found}")
    return found


def pairs(pads: Sequence[int]) -> Pads:
    """Turn all befores followed by all afters into a pair for each axis.

    Examples
    --------
    >>> pairs((0, 1, 2, 3))
    ((0, 2), (1, 3))
    """
    axes = len(pads) // 2
    return tuple(zip(pads[:axes], pads[axes:], strict=True))


def halves(total: Size, word: str) -> tuple[Size, Size]:
    """Split padding in two: the odd one goes to the end for SAME_UPPER, else to the beginning.

    Examples
    --------
    >>> halves(3, "SAME_UPPER"), halves(3, "SAME_LOWER")
    ((1, 2), (2, 1))
    """
    less = total // 2
    return (less, total - less) if word == "SAME_UPPER" else (total - less, less)
