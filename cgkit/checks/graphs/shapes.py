"""Tasks 4 to 7 of assignment 01: the shape of a result, inferred from shapes alone.

    broadcast_shape((3, 1), (4,))              ──►  (3, 4)
    matmul_shape((5, 3, 2), (2, 4))            ──►  (5, 3, 4)
    reduce_shape((2, 3, 4), (0, -1), False)    ──►  (3,)
    reshape_shape((2, 6), (-1, 4))             ──►  (3, 4)

Invariants: what does not fit raises ValueError; sizes may be larger than any array, so that making
arrays and asking them is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cgkit.checks import cases
from cgkit.checks.graphs import shape_drawings, shape_mistakes
from cgkit.checks.judge import Raises
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Task
from cgkit.score import Score
from cgkit.words import counted

_HUGE = 10**20
_TRIES = 200
_NO_ARRAYS = (
    "No array is that large, and its shape can be known all the same. Work with the shapes only."
)

BROADCAST = Task(
    "01_graphs",
    "broadcast_shape",
    6,
    (
        "Write the two shapes below each other so that their right ends stand in one column. "
        "Which sizes meet?",
        "Two sizes meet. In which three cases do they fit, and which size comes out?",
        "One shape is shorter. Which size would its missing places have to have?",
    ),
    shape_mistakes.BROADCAST,
)
MATMUL = Task(
    "01_graphs",
    "matmul_shape",
    6,
    (
        "(rows, inner) times (inner, columns): which sizes must be equal, and which stay?",
        "What are the sizes before the last two? What did you do with such sizes in task 4?",
    ),
    shape_mistakes.MATMUL,
)
REDUCE = Task(
    "01_graphs",
    "reduce_shape",
    5,
    (
        "A sum over axis 0 of a (2, 3) array: which numbers are added, and how many sums come out?",
        "Axis -1 of a shape with three sizes: which axis is it, counted from the left?",
        "You remove axis 0. What is the number of the axis that was number 2?",
    ),
    shape_mistakes.REDUCE,
)
RESHAPE = Task(
    "01_graphs",
    "reshape_shape",
    5,
    (
        "What is the one thing that a reshape must not change?",
        "One size is -1. If you multiply all the others, what must the missing one be?",
        "When is there no such whole number? And when are there too many?",
    ),
    shape_mistakes.RESHAPE,
)
TASKS = (BROADCAST, MATMUL, REDUCE, RESHAPE)


# the right answers, from shapes alone


def right_broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | Raises:
    """Give the shape that two shapes broadcast to.

    Examples
    --------
    >>> right_broadcast((3, 1), (4,))
    (3, 4)
    """
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + a
    right = (1,) * (rank - len(b)) + b
    result = []
    for place, (one, other) in enumerate(zip(left, right, strict=True)):
        if one != other and 1 not in (one, other):
            where = rank - place
            return Raises(ValueError, f"{one} meets {other}, counted {where} from the right.")
        result.append(other if one == 1 else one)
    return tuple(result)


def right_matmul(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | Raises:
    """Give the shape of a matrix product of two shapes of two or more sizes.

    Examples
    --------
    >>> right_matmul((5, 3, 2), (2, 4))
    (5, 3, 4)
    """
    if a[-1] != b[-2]:
        return Raises(ValueError, f"The inner sizes {a[-1]} and {b[-2]} differ.")
    batch = right_broadcast(a[:-2], b[:-2])
    return batch if isinstance(batch, Raises) else (*batch, a[-2], b[-1])


def right_reduce(
    shape: tuple[int, ...], axis: int | tuple[int, ...] | None, keepdims: bool
) -> tuple[int, ...]:
    """Give the shape of a reduction.

    Examples
    --------
    >>> right_reduce((2, 3, 4), (0, -1), False), right_reduce((2, 3), None, True)
    ((3,), (1, 1))
    """
    rank = len(shape)
    axes = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    gone = {place % rank for place in axes}
    kept = [(place, size) for place, size in enumerate(shape) if keepdims or place not in gone]
    return tuple(1 if place in gone else size for place, size in kept)


def right_reshape(shape: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...] | Raises:
    """Give the shape of a reshape, -1 filled in.

    Examples
    --------
    >>> right_reshape((2, 6), (-1, 4))
    (3, 4)
    """
    held = math.prod(shape)
    known = math.prod(size for size in new if size != -1)
    if new.count(-1) > 1:
        return Raises(ValueError, "Only one size can be left open by -1.")
    if -1 in new:
        if known == 0:
            return Raises(ValueError, "With a size of 0 beside it, -1 could be any number.")
        if held % known:
            why = f"{counted(held, 'element')} cannot be shared out evenly among {known}."
            return Raises(ValueError, why)
        return tuple(held // known if size == -1 else size for size in new)
    if known != held:
        verb = "does" if held == 1 else "do"
        return Raises(ValueError, f"{counted(held, 'element')} {verb} not become {known}.")
    return new


# the cases


def _pairs() -> Any:
    """Give pairs of shapes that fit more often than not."""
    from hypothesis import strategies as st

    bases, cuts, changes = cases.shapes(most=3), st.integers(0, 3), st.integers(0, 3)

    @st.composite
    def build(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        base = draw(bases)
        sides = []
        for _ in range(2):
            cut = base[draw(cuts) % (len(base) + 1) :]
            sides.append(tuple((size, size, 1, 3)[draw(changes)] for size in cut))
        return sides[0], sides[1]

    return build()


def _products() -> Any:
    from hypothesis import strategies as st

    batches, sizes, odd = _pairs(), cases.sizes(), st.integers(0, 3)

    @st.composite
    def build(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        first, second = draw(batches)
        inner = draw(sizes)
        other = (inner, inner, inner, 4)[draw(odd)]
        return (*first, draw(sizes), inner), (*second, other, draw(sizes))

    return build()


def _reductions() -> Any:
    from hypothesis import strategies as st

    shapes, flags = cases.shapes(most=4), st.booleans()
    places = st.lists(st.integers(-4, 3), max_size=3)
    forms = st.sampled_from(("one", "several", "all"))

    @st.composite
    def build(draw: Any) -> tuple[tuple[int, ...], object, bool]:
        shape, form = draw(shapes), draw(forms)
        rank = len(shape)
        named = {at % rank: at for at in draw(places) if -rank <= at < rank}
        axes = tuple(named.values())
        axis: object = axes if form == "several" else None
        if form == "one" and axes:
            axis = axes[0]
        return shape, axis, draw(flags)

    return build()


def _reshapes() -> Any:
    """Give reshapes: even ones, uneven ones, with no open size, one, or two."""
    from hypothesis import strategies as st

    shapes, flags, place = cases.shapes(most=4), st.booleans(), st.integers(0, 3)
    more = st.sampled_from((0, 0, 3, 4, -1))

    @st.composite
    def build(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        shape = draw(shapes)
        new = list(shape[::-1] if draw(flags) else shape)
        if len(new) > 1 and draw(flags):
            new[:2] = [new[0] * new[1]]
        if new and draw(flags):
            new[draw(place) % len(new)] = -1
        extra = draw(more)
        return shape, (*new, extra) if extra else tuple(new)

    return build()


# the checks


def _check(
    task: Task,
    candidate: object,
    seed: int,
    strategy: Any,
    right: Callable[..., object],
    draw: Callable[..., str],
    huge: tuple[object, ...],
) -> Score:
    """Check one shape function on random cases, then on sizes that no array has."""
    exam = Exam(task, candidate, seed)

    def probe(case: tuple[object, ...]) -> Fault | None:
        return exam.examine(case, right(*case), drawing=draw(*case), tolerance=0)

    exam.search(strategy, probe, tries=_TRIES)
    exam.require(exam.examine(huge, right(*huge), why=_NO_ARRAYS, insist=True, tolerance=0))
    return task.passed(
        f"right on {_TRIES} random cases, 0-d and empty ones among them, and on sizes no array has"
    )


def broadcast_shape(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `broadcast_shape(a, b)`.

    Parameters
    ----------
    candidate
        Takes two shapes, gives a shape, or raises ValueError.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest pair found on which it is wrong.
    """
    huge = ((_HUGE, 1, 3), (_HUGE + 1, 1))
    return _check(
        BROADCAST, candidate, seed, _pairs(), right_broadcast, shape_drawings.broadcast, huge
    )


def matmul_shape(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `matmul_shape(a, b)`.

    Parameters
    ----------
    candidate
        Takes two shapes of two or more sizes, gives a shape, or raises ValueError.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest pair found on which it is wrong.
    """
    huge = ((7, _HUGE, _HUGE + 1), (_HUGE + 1, 3))
    return _check(MATMUL, candidate, seed, _products(), right_matmul, shape_drawings.matmul, huge)


def reduce_shape(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `reduce_shape(shape, axis, keepdims)`.

    Parameters
    ----------
    candidate
        Takes a shape, an axis (None, a number or a tuple of them) and a bool; gives a shape.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest case found on which it is wrong.
    """
    huge = ((_HUGE, 2, _HUGE + 3), (1,), False)
    return _check(REDUCE, candidate, seed, _reductions(), right_reduce, shape_drawings.reduce, huge)


def reshape_shape(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `reshape_shape(shape, new)`.

    Parameters
    ----------
    candidate
        Takes a shape and a wanted shape with at most one -1; gives a shape, or raises ValueError.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest case found on which it is wrong.
    """
    huge = ((_HUGE, 6), (-1, 2 * _HUGE))
    return _check(
        RESHAPE, candidate, seed, _reshapes(), right_reshape, shape_drawings.reshape, huge
    )
