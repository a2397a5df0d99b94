"""Wrong `broadcast_shape` functions for a student's own test to find, from plain to subtle.

    the mistakes of `shape_mistakes`, and 16 that are right on most pairs of shapes

Invariants: each takes two shapes and is wrong on some pair of at most four sizes from 0 to 5; the
only error that one raises is ValueError. A few listed pairs find a third of them; a property that
is tried on many pairs finds all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from cgkit.checks.graphs.shape_mistakes import BROADCAST, Shape, broadcast, cut_on_the_left
from cgkit.checks.task import Mistake

Function = Callable[[Shape, Shape], Shape]


def _pairs(a: Shape, b: Shape) -> list[tuple[int, int]]:
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    return [*zip(left, right, strict=True)]


def _lenient(fits: Callable[[int, int], bool], size: Callable[[int, int], int]) -> Function:
    """Make a function that lets some sizes meet that do not fit."""

    def function(a: Shape, b: Shape) -> Shape:
        met = (
            size(one, other) if fits(one, other) else broadcast((one,), (other,))[0]
            for one, other in _pairs(a, b)
        )
        return tuple(met)

    return function


def _harsh(refuses: Callable[[Shape, Shape], bool]) -> Function:
    """Make a function that also refuses some pairs that fit."""

    def function(a: Shape, b: Shape) -> Shape:
        if refuses(a, b):
            raise ValueError("refused")
        return broadcast(a, b)

    return function


def _blind(compared: Callable[[int], Collection[int]]) -> Function:
    """Make a function that compares the sizes at some places only, told the number of axes."""

    def function(a: Shape, b: Shape) -> Shape:
        pairs = _pairs(a, b)
        seen = compared(len(pairs))
        met = (
            broadcast((one,), (other,))[0] if at in seen else (other if one == 1 else one)
            for at, (one, other) in enumerate(pairs)
        )
        return tuple(met)

    return function


def _divides(one: int, other: int) -> bool:
    return min(one, other) > 1 and max(one, other) % min(one, other) == 0


def _far_apart(one: int, other: int) -> bool:
    return min(one, other) > 1 and abs(one - other) > 1


def _zero_meets_one(a: Shape, b: Shape) -> bool:
    return any({*pair} == {0, 1} for pair in _pairs(a, b))


def _both_stretch(a: Shape, b: Shape) -> bool:
    pairs = _pairs(a, b)
    first = any(one == 1 != other for one, other in pairs)
    return len(pairs) > 2 and first and any(other == 1 != one for one, other in pairs)


def _stretched(a: Shape, b: Shape) -> list[int]:
    """Name the places, counted from the right, at which a 1 is stretched."""
    return [at for at, (one, other) in enumerate(_pairs(a, b)[::-1]) if one != other]


def left_from_first(a: Shape, b: Shape) -> Shape:
    """With three axes or more, never stretch the left part of the first shape."""
    right = broadcast(a, b)
    return a[:-2] + right[-2:] if len(a) > 2 and len(a) >= len(b) else right


def filled_on_the_right(a: Shape, b: Shape) -> Shape:
    """Fill a shape that lacks two or more sizes at its right end."""
    long, short = (a, b) if len(a) >= len(b) else (b, a)
    gap = len(long) - len(short)
    return broadcast(long, short + (1,) * gap) if gap > 1 else broadcast(a, b)


def same_count(a: Shape, b: Shape) -> Shape:
    """Take the second shape when both hold equally many elements."""
    return b if math.prod(a) == math.prod(b) else broadcast(a, b)


def leading_ones_dropped(a: Shape, b: Shape) -> Shape:
    """Drop what is 1 at the left end of a result of three or more sizes."""
    shape = broadcast(a, b)
    while len(shape) > 2 and shape[0] == 1:
        shape = shape[1:]
    return shape


def three_sizes(a: Shape, b: Shape) -> Shape:
    """Keep the last three sizes only."""
    return broadcast(a, b)[-3:]


SUBTLE = (
    Mistake("multiples fit", _lenient(_divides, max), "It lets 2 meet 4, and takes the larger."),
    Mistake(
        "only neighbors refused", _lenient(_far_apart, max), "It refuses 2 with 3, not with 5."
    ),
    Mistake("0 fits everything", _lenient(lambda *pair: 0 in pair, min), "It lets 0 meet 3."),
    Mistake("0 refused against 1", _harsh(_zero_meets_one), "A 1 may be stretched to 0 as well."),
    Mistake(
        "only the last axis compared",
        _blind(lambda rank: {rank - 1}),
        "It looks for sizes that do not fit on the last axis only.",
    ),
    Mistake(
        "the last axis not compared",
        _blind(lambda rank: range(rank - 1) if rank > 1 else {0}),
        "With two axes or more, it does not compare the sizes on the last one.",
    ),
    Mistake(
        "the middle not compared",
        _blind(lambda rank: {0, rank - 1}),
        "With three axes or more, it compares the sizes on the first and the last one only.",
    ),
    Mistake(
        "the left part of the first shape",
        left_from_first,
        "With three axes or more, it never stretches a 1 on the left of the first shape.",
    ),
    Mistake(
        "two missing sizes filled on the right",
        filled_on_the_right,
        "When two sizes are missing, it fills in the 1s at the right end.",
    ),
    Mistake(
        "a short first shape refused",
        _harsh(lambda a, b: len(b) - len(a) > 1),
        "It refuses a first shape that is two sizes shorter than the second.",
    ),
    Mistake(
        "equal counts fit",
        same_count,
        "When both shapes hold equally many elements, it takes the second and compares nothing.",
    ),
    Mistake("ones at the left dropped", leading_ones_dropped, "An axis of size 1 is an axis."),
    Mistake("three axes at most", three_sizes, "A result may have more than three sizes."),
    Mistake(
        "two stretches at most",
        _harsh(lambda a, b: len(_stretched(a, b)) > 2),
        "It refuses when more than two axes are stretched.",
    ),
    Mistake(
        "one shape stretched at a time",
        _harsh(_both_stretch),
        "With three axes or more, it refuses when each shape stretches a 1 of the other.",
    ),
    Mistake(
        "only the last two axes stretched",
        _harsh(lambda a, b: len(a) == len(b) and any(at > 1 for at in _stretched(a, b))),
        "In shapes of equally many axes, it stretches only the last two.",
    ),
)

WRONG = (*(mistake for mistake in BROADCAST if mistake.algorithm is not cut_on_the_left), *SUBTLE)
