"""Task 5 of notebook 02a: take back what broadcasting did.

    x (3, 1) ──stretched──► (2, 3, 4)          unbroadcast(gradient (2, 3, 4), (3, 1)) ──► (3, 1)

Invariants: right answers are summed number by number; sizes may be 0, and a 1 stretched to 0 gets
the sum of nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.checks import cases
from cgkit.checks.arrays import arrays
from cgkit.checks.dynamic.programs import fill
from cgkit.checks.dynamic.programs import unbroadcast as right_unbroadcast
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_TRIES = 120
_KEEPDIMS = "An axis of size 1 that the value has stays, with size 1: keepdims."
_IN_FULL = "Every copy of a number is felt in full, so gradients are added, not averaged."


def _stretched(gradient: Any, shape: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Give the axes that the value lacked, and those that it had with size 1."""
    lacking = gradient.ndim - len(shape)
    ones = (
        lacking + at
        for at, size in enumerate(shape)
        if size == 1 and gradient.shape[lacking + at] != 1
    )
    return tuple(range(lacking)), tuple(ones)


def _as_it_is(gradient: Any, shape: Any) -> Any:
    return gradient


def _lacking_only(gradient: Any, shape: Any) -> Any:
    return np.sum(gradient, axis=_stretched(gradient, shape)[0])


def _ones_only(gradient: Any, shape: Any) -> Any:
    return np.sum(gradient, axis=_stretched(gradient, shape)[1], keepdims=True)


def _ones_vanish(gradient: Any, shape: Any) -> Any:
    lacking, ones = _stretched(gradient, shape)
    return np.sum(gradient, axis=lacking + ones)


def _ones_vanish_in_turn(gradient: Any, shape: Any) -> Any:
    found = np.sum(gradient, axis=_stretched(gradient, shape)[0])
    for axis, size in enumerate(shape):
        found = np.sum(found, axis=axis) if size == 1 else found
    return found


def _from_the_right(gradient: Any, shape: Any) -> Any:
    found = np.sum(gradient, axis=tuple(range(len(shape), gradient.ndim)))
    ones = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return np.sum(found, axis=ones, keepdims=True)


def _all_kept(gradient: Any, shape: Any) -> Any:
    lacking, ones = _stretched(gradient, shape)
    return np.sum(gradient, axis=lacking + ones, keepdims=True)


def _mean(gradient: Any, shape: Any) -> Any:
    found, count = right_unbroadcast(gradient, shape), np.size(gradient)
    return found * (np.prod(shape) / count) if count else found


def _mean_of_nothing(gradient: Any, shape: Any) -> Any:
    total = right_unbroadcast(gradient, shape)
    with np.errstate(invalid="ignore"):  # as np.mean does it: of nothing it is nan
        return total / np.prod([gradient.shape[at] for at in sum(_stretched(gradient, shape), ())])


def _one_copy(gradient: Any, shape: Any) -> Any:
    lacking, ones = _stretched(gradient, shape)
    first = gradient[(0,) * len(lacking)]
    for axis in ones:
        first = np.take(first, [0], axis=axis - len(lacking))
    return first


def _reshaped(gradient: Any, shape: Any) -> Any:
    return np.reshape(gradient, shape)


def _resized(gradient: Any, shape: Any) -> Any:
    return np.resize(gradient, shape)


def _everything(gradient: Any, shape: Any) -> Any:
    if gradient.shape == tuple(shape):
        return gradient
    return np.full(shape, np.sum(gradient))


UNBROADCAST = Task(
    "02_static_dynamic",
    "unbroadcast",
    7,
    (
        "A value of shape (3,) was used for both rows of a (2, 3) result. How often does the "
        "result feel each of its three numbers?",
        "Write the two shapes below each other, right ends in one column. Along which axes was "
        "the value stretched?",
        "Some of those axes the value has, with size 1, and some it does not have at all. What "
        "must become of each kind?",
    ),
    (
        Mistake(
            "missing un-broadcast",
            _as_it_is,
            "A gradient has the shape of its value, and that one was stretched.",
        ),
        Mistake(
            "only missing axes summed",
            _lacking_only,
            "An axis of size 1 that was stretched is summed as well.",
        ),
        Mistake(
            "only axes of size 1 summed",
            _ones_only,
            "Axes that the value does not have at all are summed, too, and vanish.",
        ),
        Mistake("axes of size 1 vanish", _ones_vanish, _KEEPDIMS),
        Mistake("axes of size 1 vanish", _ones_vanish_in_turn, _KEEPDIMS),
        Mistake(
            "missing axes taken from the right",
            _from_the_right,
            "Shapes line up at their right ends, so the axes that the value lacks are on the left.",
        ),
        Mistake(
            "all summed axes kept",
            _all_kept,
            "An axis that the value does not have must vanish; only its own stay with size 1.",
        ),
        Mistake("the mean instead of the sum", _mean, _IN_FULL),
        Mistake("the mean instead of the sum", _mean_of_nothing, _IN_FULL),
        Mistake(
            "one copy instead of the sum",
            _one_copy,
            "Each copy of a number sends a gradient back, and all of them count.",
        ),
        Mistake(
            "reshaped instead of summed",
            _reshaped,
            "A reshape cannot do it: there are more numbers in the gradient than in the value.",
        ),
        Mistake(
            "cut to size instead of summed",
            _resized,
            "What is cut away was felt as well: the copies of one number are added.",
        ),
        Mistake(
            "summed over everything",
            _everything,
            "Only the axes along which the value was stretched are summed.",
        ),
    ),
)
TASKS = (UNBROADCAST,)


def _stretches() -> Any:
    """Give gradients with a shape that broadcasts to theirs."""
    from hypothesis import strategies as st

    shapes, cut, start = cases.shapes(most=3), st.integers(0, 3), st.integers(0, 6)
    ones = st.lists(st.booleans(), min_size=3, max_size=3)

    @st.composite
    def build(draw: Any) -> tuple[np.ndarray, tuple[int, ...]]:
        whole, first = draw(shapes), draw(cut)
        own = whole[first % (len(whole) + 1) :]
        shape = tuple(1 if one else size for size, one in zip(own, draw(ones), strict=False))
        return fill(whole, draw(start)), shape

    return build()


def unbroadcast(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `unbroadcast(gradient, shape)`.

    Parameters
    ----------
    candidate
        Gives an array of the shape.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest case found on which it is wrong.
    """
    exam = Exam(UNBROADCAST, candidate, seed)

    def probe(case: tuple[np.ndarray, tuple[int, ...]]) -> Fault | None:
        gradient, shape = case
        right = np.asarray(right_unbroadcast(gradient, shape))
        why = "Each number of the value was used several times; add what comes back to it."
        return exam.examine(case, right, read=arrays, why=why, drawing=_drawing(gradient, shape))

    exam.search(_stretches(), probe, tries=_TRIES)
    return UNBROADCAST.passed(
        f"right on {_TRIES} pairs: axes missing, axes of size 1, both, neither, and sizes of 0"
    )


def _drawing(gradient: np.ndarray, shape: tuple[int, ...]) -> str:
    """Set both shapes below each other, the stretched axes marked.

    Examples
    --------
    >>> print(_drawing(np.ones((2, 3)), (1,)))
    gradient   2   3
    value          1
               ▲   ▲   stretched
    """
    lacking, ones = _stretched(gradient, shape)
    width = max((len(str(size)) for size in gradient.shape), default=1) + 3
    own = [""] * len(lacking) + [str(size) for size in shape]
    marks = ["▲" if at in lacking + ones else "" for at in range(gradient.ndim)]
    rows = [("gradient", [*map(str, gradient.shape)]), ("value", own), ("", marks)]
    lines = [head.ljust(8) + "".join(cell.rjust(width) for cell in cells) for head, cells in rows]
    lines = [line.rstrip() for line in lines]
    return "\n".join([*lines[:2], lines[2] + "   stretched"] if any(marks) else lines[:2])
