"""Well-known mistakes with shapes: what each gives, and one sentence why it is wrong.

    broadcast_shape((2,), (2, 3))   aligned from the left ──► (2, 3)       right: ValueError

Invariants: every function here is wrong on some case and takes what the student's function takes.
"""

from __future__ import annotations

import math
from itertools import zip_longest

from cgkit.checks.task import Mistake

Shape = tuple[int, ...]


def _meet(one: int, other: int) -> int:
    if one != other and 1 not in (one, other):
        raise ValueError("they do not fit")
    return other if one == 1 else one


def _from_right(a: Shape, b: Shape) -> list[tuple[int, int]]:
    return list(zip_longest(a[::-1], b[::-1], fillvalue=1))[::-1]


def broadcast(a: Shape, b: Shape) -> Shape:
    """Broadcast as one should; the mistakes below differ from it in one thing each.

    Examples
    --------
    >>> broadcast((3, 1), (4,))
    (3, 4)
    """
    return tuple(_meet(one, other) for one, other in _from_right(a, b))


# broadcast


def aligned_left(a: Shape, b: Shape) -> Shape:
    """Line the shapes up at their left ends."""
    return tuple(_meet(one, other) for one, other in zip_longest(a, b, fillvalue=1))


def largest_wins(a: Shape, b: Shape) -> Shape:
    """Take the larger of two sizes, whether they fit or not."""
    return tuple(max(pair) for pair in _from_right(a, b))


def largest_of_fitting(a: Shape, b: Shape) -> Shape:
    """Take the larger of two sizes that fit, so that 1 beats 0."""
    return tuple(max(pair) for pair in _from_right(a, b) if _meet(*pair) >= 0)


def cut_to_shorter(a: Shape, b: Shape) -> Shape:
    """Forget the sizes that only the longer shape has."""
    pairs = list(zip(a[::-1], b[::-1], strict=False))[::-1]
    return tuple(_meet(one, other) for one, other in pairs)


def cut_on_the_left(a: Shape, b: Shape) -> Shape:
    """Line up from the left, as zip does, and forget what only the longer shape has."""
    return tuple(_meet(one, other) for one, other in zip(a, b, strict=False))


def same_rank_only(a: Shape, b: Shape) -> Shape:
    """Refuse shapes of different length."""
    if len(a) != len(b):
        raise ValueError("different ranks")
    return broadcast(a, b)


def only_second_stretches(a: Shape, b: Shape) -> Shape:
    """Stretch a 1 of the second shape, but not of the first."""
    if any(one != other and other != 1 for one, other in _from_right(a, b)):
        raise ValueError("they do not fit")
    return tuple(one for one, _ in _from_right(a, b))


def never_refuses(a: Shape, b: Shape) -> Shape:
    """Take the first size where two do not fit."""
    return tuple(other if one == 1 else one for one, other in _from_right(a, b))


def equal_only(a: Shape, b: Shape) -> Shape:
    """Refuse whatever is not equal."""
    if a != b:
        raise ValueError("not equal")
    return a


BROADCAST = (
    Mistake(
        "aligned from the left",
        aligned_left,
        "Shapes are lined up at their right ends, not at their left ends.",
    ),
    Mistake(
        "the larger size wins",
        largest_wins,
        "Two sizes fit only if they are equal or one of them is 1; the larger one is no answer.",
    ),
    Mistake(
        "1 beats 0",
        largest_of_fitting,
        "A 1 is stretched to the other size, and that size may be 0: nothing is left then.",
    ),
    Mistake(
        "cut to the shorter shape",
        cut_to_shorter,
        "The sizes that only the longer shape has stay in the result.",
    ),
    Mistake(
        "cut to the shorter shape",
        cut_on_the_left,
        "zip stops at the end of the shorter shape, and it begins at the left ends: the sizes that "
        "only the longer shape has stay, and the right ends meet.",
    ),
    Mistake(
        "only equal ranks",
        same_rank_only,
        "The shorter shape is filled up with 1 on its left; that is no error.",
    ),
    Mistake(
        "only the second shape is stretched",
        only_second_stretches,
        "Either shape may hold the 1 that is stretched.",
    ),
    Mistake("never refuses", never_refuses, "Sizes that differ, neither being 1, must be refused."),
    Mistake("only equal shapes", equal_only, "A size of 1 fits every other size."),
)


# matmul


def batch_of_first(a: Shape, b: Shape) -> Shape:
    """Take the sizes before the last two from the first shape."""
    if a[-1] != b[-2]:
        raise ValueError("inner sizes differ")
    return (*a[:-2], a[-2], b[-1])


def inner_not_compared(a: Shape, b: Shape) -> Shape:
    """Multiply matrices whose inner sizes differ."""
    return (*broadcast(a[:-2], b[:-2]), a[-2], b[-1])


def second_transposed(a: Shape, b: Shape) -> Shape:
    """Take the second matrix as (columns, inner)."""
    if a[-1] != b[-1]:
        raise ValueError("inner sizes differ")
    return (*broadcast(a[:-2], b[:-2]), a[-2], b[-2])


def product_transposed(a: Shape, b: Shape) -> Shape:
    """Turn rows and columns of the result."""
    if a[-1] != b[-2]:
        raise ValueError("inner sizes differ")
    return (*broadcast(a[:-2], b[:-2]), b[-1], a[-2])


def two_sizes_only(a: Shape, b: Shape) -> Shape:
    """Forget the sizes before the last two."""
    if a[-1] != b[-2]:
        raise ValueError("inner sizes differ")
    return (a[-2], b[-1])


MATMUL = (
    Mistake(
        "broadcasts like addition",
        broadcast,
        "The last two sizes of a matrix product follow their own rule, not that of addition.",
    ),
    Mistake(
        "batch taken from the first",
        batch_of_first,
        "The sizes before the last two broadcast; both shapes have a say.",
    ),
    Mistake(
        "inner sizes not compared",
        inner_not_compared,
        "Each row of the first meets each column of the second: they must be equally long.",
    ),
    Mistake(
        "second matrix transposed",
        second_transposed,
        "Here weights are stored so that x @ W fits: the inner size is the last but one of W.",
    ),
    Mistake(
        "result transposed",
        product_transposed,
        "Rows come from the first matrix, columns from the second.",
    ),
    Mistake(
        "batch sizes lost", two_sizes_only, "The sizes before the last two belong to the result."
    ),
)


# reduce


def _axes(axis: int | Shape | None, rank: int) -> Shape:
    if axis is None:
        return tuple(range(rank))
    return (axis,) if isinstance(axis, int) else tuple(axis)


def negative_ignored(shape: Shape, axis: int | Shape | None, keepdims: bool) -> Shape:
    """Compare axes without counting negative ones from the end."""
    gone = _axes(axis, len(shape))
    kept = [(place, size) for place, size in enumerate(shape) if keepdims or place not in gone]
    return tuple(1 if place in gone else size for place, size in kept)


def keepdims_ignored(shape: Shape, axis: int | Shape | None, keepdims: bool) -> Shape:
    """Remove the axes, whatever keepdims says."""
    gone = {place % len(shape) for place in _axes(axis, len(shape))}
    return tuple(size for place, size in enumerate(shape) if place not in gone)


def always_kept(shape: Shape, axis: int | Shape | None, keepdims: bool) -> Shape:
    """Keep the axes with size 1, whatever keepdims says."""
    gone = {place % len(shape) for place in _axes(axis, len(shape))}
    return tuple(1 if place in gone else size for place, size in enumerate(shape))


def one_after_the_other(shape: Shape, axis: int | Shape | None, keepdims: bool) -> Shape:
    """Remove axes one by one, so that later numbers point elsewhere."""
    rest = list(shape)
    for place in _axes(axis, len(shape)):
        if keepdims:
            rest[place] = 1
        else:
            del rest[place]
    return tuple(rest)


def none_means_nothing(shape: Shape, axis: int | Shape | None, keepdims: bool) -> Shape:
    """Take axis None as no axis."""
    return (
        always_kept(shape, () if axis is None else axis, keepdims)
        if keepdims
        else (keepdims_ignored(shape, () if axis is None else axis, keepdims))
    )


REDUCE = (
    Mistake(
        "negative axes not counted from the end",
        negative_ignored,
        "Axis -1 is the last one; it must be turned into its number from the left first.",
    ),
    Mistake(
        "keepdims ignored", keepdims_ignored, "With keepdims a reduced axis stays, with size 1."
    ),
    Mistake("axes always kept", always_kept, "Without keepdims a reduced axis goes away."),
    Mistake(
        "axes removed one after the other",
        one_after_the_other,
        "Once an axis is gone, those behind it have other numbers.",
    ),
    Mistake("None means no axis", none_means_nothing, "Axis None means all axes."),
)


# reshape


def minus_one_kept(shape: Shape, new: Shape) -> Shape:
    """Give the wanted shape back as it is."""
    return new


def rounds_down(shape: Shape, new: Shape) -> Shape:
    """Fill in -1 by a division that rounds down."""
    known = math.prod(size for size in new if size != -1)
    if (
        new.count(-1) > 1
        or (known == 0 and -1 in new)
        or (-1 not in new and known != math.prod(shape))
    ):
        raise ValueError("no")
    return tuple(math.prod(shape) // known if size == -1 else size for size in new)


def count_not_compared(shape: Shape, new: Shape) -> Shape:
    """Check nothing unless there is a -1."""
    if -1 not in new:
        return new
    known = math.prod(size for size in new if size != -1)
    if new.count(-1) > 1 or known == 0 or math.prod(shape) % known:
        raise ValueError("no")
    return tuple(math.prod(shape) // known if size == -1 else size for size in new)


def minus_one_multiplied(shape: Shape, new: Shape) -> Shape:
    """Multiply the -1 with the other sizes."""
    known = math.prod(new)
    if -1 not in new and known != math.prod(shape):
        raise ValueError("no")
    return tuple(math.prod(shape) // known if size == -1 else size for size in new)


def divides_to_float(shape: Shape, new: Shape) -> tuple[float, ...]:
    """Divide by / and give a float."""
    known = math.prod(size for size in new if size != -1)
    if new.count(-1) > 1 or (-1 in new and (known == 0 or math.prod(shape) % known)):
        raise ValueError("no")
    if -1 not in new and known != math.prod(shape):
        raise ValueError("no")
    return tuple(math.prod(shape) / known if size == -1 else size for size in new)


RESHAPE = (
    Mistake(
        "the wanted shape is given back",
        minus_one_kept,
        "The wanted shape comes back as it is: nothing is compared, and a -1 is not filled in.",
    ),
    Mistake(
        "the open size rounded down",
        rounds_down,
        "If the division does not come out even, no size fits, and that is an error.",
    ),
    Mistake(
        "element counts not compared",
        count_not_compared,
        "A reshape keeps every element, so the counts before and after must be equal.",
    ),
    Mistake(
        "-1 multiplied with the rest",
        minus_one_multiplied,
        "-1 stands for an open size; it is not a factor.",
    ),
    Mistake("a size that is a float", divides_to_float, "Sizes are whole numbers: divide by //."),
)
