"""Stretch task of assignment 01: the shape of a convolution's result.

    image (8, 3, 32, 32) NCHW, weights (16, 3, 5, 5), stride 2, padding 1  ──►  (8, 16, 15, 15)

Invariants: weights are (outputs, inputs, height, width) in both layouts; what does not fit raises
ValueError.
"""

from __future__ import annotations

from typing import Any

from cgkit.checks.judge import Raises
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score
from cgkit.words import counted

Shape = tuple[int, ...]


def right_conv(
    image: Shape, weights: Shape, stride: int, padding: int, layout: str
) -> Shape | Raises:
    """Give the shape of a convolution's result.

    Examples
    --------
    >>> right_conv((8, 3, 32, 32), (16, 3, 5, 5), 2, 1, "NCHW")
    (8, 16, 15, 15)
    """
    batch, channels, height, width = _to_nchw(image, layout)
    outputs, inputs, rows, columns = weights
    if channels != inputs:
        has = counted(channels, "channel")
        return Raises(ValueError, f"The image has {has}, the weights take {inputs}.")
    if height + 2 * padding < rows or width + 2 * padding < columns:
        return Raises(ValueError, "The weights are larger than the padded image.")
    down = (height + 2 * padding - rows) // stride + 1
    across = (width + 2 * padding - columns) // stride + 1
    return (batch, outputs, down, across) if layout == "NCHW" else (batch, down, across, outputs)


def _to_nchw(image: Shape, layout: str) -> Shape:
    batch, *rest = image
    return image if layout == "NCHW" else (batch, rest[2], rest[0], rest[1])


def _variant(places: Any, around: int = 2) -> Any:
    """Make a function that counts places in another way; it refuses as if padded `around` times."""

    def mistaken(image: Shape, weights: Shape, stride: int, padding: int, layout: str) -> Shape:
        _refuse(image, weights, around * padding, layout)
        _, _, height, width = _to_nchw(image, layout)
        down = places(height, weights[2], stride, padding)
        across = places(width, weights[3], stride, padding)
        batch, outputs = image[0], weights[0]
        return (
            (batch, outputs, down, across) if layout == "NCHW" else (batch, down, across, outputs)
        )

    return mistaken


def _refuse(image: Shape, weights: Shape, padding: int, layout: str) -> None:
    """Refuse what does not fit, with `padding` places added to each axis in all."""
    _, channels, height, width = _to_nchw(image, layout)
    if channels != weights[1] or height + padding < weights[2] or width + padding < weights[3]:
        raise ValueError("no fit")


def _always_nchw(image: Shape, weights: Shape, stride: int, padding: int, layout: str) -> Shape:
    nchw = _to_nchw(image, layout)
    right = right_conv(nchw, weights, stride, padding, "NCHW")
    if isinstance(right, Raises):
        raise ValueError(right.because)
    return right


def _layout_ignored(image: Shape, weights: Shape, stride: int, padding: int, layout: str) -> Shape:
    right = right_conv(image, weights, stride, padding, "NCHW")
    if isinstance(right, Raises):
        raise ValueError(right.because)
    return right


CONV = Task(
    "01_graphs",
    "conv_shape",
    0,
    (
        "A window of 3 over a row of 5, step 1: at how many places can it stand? And step 2?",
        "Padding adds places on both ends. How many in all?",
        "Where do the channels stand in NHWC, and where must they stand in the result?",
    ),
    (
        Mistake(
            "padding on one side",
            _variant(lambda size, rows, stride, pad: (size + pad - rows) // stride + 1),
            "Padding is added on both sides.",
        ),
        Mistake(
            "padding on one side",
            _variant(lambda size, rows, stride, pad: (size + pad - rows) // stride + 1, around=1),
            "Padding is added on both sides.",
        ),
        Mistake(
            "1 added before the division",
            _variant(lambda size, rows, stride, pad: (size + 2 * pad - rows + 1) // stride),
            "Count the steps first, by a division that rounds down; the first place comes on top.",
        ),
        Mistake(
            "the result in the other layout",
            _always_nchw,
            "The result has the layout of the image: in NHWC the channels stand last.",
        ),
        Mistake(
            "the first place not counted",
            _variant(lambda size, rows, stride, pad: (size + 2 * pad - rows) // stride),
            "The window also stands at its first place, before any step: add 1.",
        ),
        Mistake(
            "rounded up",
            _variant(lambda size, rows, stride, pad: -(-(size + 2 * pad - rows) // stride) + 1),
            "A window that would hang over the edge is left out: round down.",
        ),
        Mistake(
            "layout ignored", _layout_ignored, "In NHWC the channels stand last, before and after."
        ),
    ),
    worth="stretch task",
)
TASKS = (CONV,)


def conv_shape(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `conv_shape(image, weights, stride, padding, layout)`.

    Parameters
    ----------
    candidate
        Takes two shapes, two numbers and "NCHW" or "NHWC"; gives a shape, or raises ValueError.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest case found on which it is wrong.
    """
    from hypothesis import strategies as st

    exam = Exam(CONV, candidate, seed)

    layouts, few, many = st.sampled_from(("NCHW", "NHWC")), st.integers(1, 4), st.integers(1, 9)
    windows, paddings, other = st.integers(1, 5), st.integers(0, 2), st.integers(0, 3)

    @st.composite
    def build(draw: Any) -> tuple[Shape, Shape, int, int, str]:
        layout = draw(layouts)
        channels, outputs, batch = (draw(few) for _ in range(3))
        inputs = (channels, channels, channels, 5)[draw(other)]
        height, width = draw(many), draw(many)
        rows, columns = draw(windows), draw(windows)
        nchw = (batch, channels, height, width)
        image = nchw if layout == "NCHW" else (batch, height, width, channels)
        stride, padding = draw(few), draw(paddings)
        return image, (outputs, inputs, rows, columns), stride, padding, layout

    def probe(case: tuple[Shape, Shape, int, int, str]) -> Fault | None:
        return exam.examine(case, right_conv(*case), tolerance=0)

    exam.search(build(), probe, tries=200)
    return CONV.passed("right on 200 images and weights, in both layouts")
