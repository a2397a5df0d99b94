"""Tasks 1 to 3 of notebook 02a: rules of operators on arrays.

    matmul_rule(upstream, a, b)
    sum_rule(upstream, a, axis, keepdims)
    take_rule(upstream, a, index)              each gives a tuple, one gradient for each operand

Invariants: right answers come from differences, not from formulas: each operator is linear in each
operand, so moving one number by 1 gives its slope exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cgkit.checks import cases
from cgkit.checks.arrays import arrays
from cgkit.checks.dynamic.programs import fill
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_TRIES = 80
_SUMS = 120
#: axes of a sum as one may write them: counted from the end too, and in any order
_AXES = ((0,), (-1,), (1, 0), (0, 1), (-2, -1), (2, 0), (1, -1), (-1, 0), (-2,), (0, 1, 2))
_AXIS = (
    "Shapes line up at their right ends, so a lost axis must first come back with size 1 at its "
    "own place."
)
_ONE_BY_ONE = (
    "Where an axis stands depends on those that are back already. Put back all at once, or the "
    "first one first, counted from the front."
)
_UPSTREAM = "The rule must scale by the upstream gradient, which is not always 1."


def slopes(
    function: Callable[..., np.ndarray], upstream: np.ndarray, operands: list[np.ndarray], at: int
) -> np.ndarray:
    """Give the gradient of sum(upstream * function(*operands)) for one operand, by differences.

    Examples
    --------
    >>> slopes(lambda a: 3 * a, np.array([1.0, 2.0]), [np.array([5.0, 7.0])], 0)
    array([3., 6.])
    """
    before = function(*operands)
    found = np.zeros(operands[at].shape)
    for place in np.ndindex(found.shape):
        moved = [operand.copy() for operand in operands]
        moved[at][place] += 1
        found[place] = np.sum(upstream * (function(*moved) - before))
    return found


# what the well-known mistakes return


def _matmul_not_transposed(upstream: Any, a: Any, b: Any) -> Any:
    return upstream @ b, a @ upstream


def _matmul_turned(upstream: Any, a: Any, b: Any) -> Any:
    return b.T @ upstream, upstream @ a.T


def _matmul_exchanged(upstream: Any, a: Any, b: Any) -> Any:
    return a.T @ upstream, upstream @ b.T


def _matmul_elementwise(upstream: Any, a: Any, b: Any) -> Any:
    return upstream * b, upstream * a


def _matmul_ones(upstream: Any, a: Any, b: Any) -> Any:
    ones = np.ones_like(upstream)
    return ones @ b.T, a.T @ ones


def _sum_right(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    kept = np.reshape(upstream, np.sum(a, axis=axis, keepdims=True).shape)
    return np.broadcast_to(kept, a.shape)


def _sum_not_stretched(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    return (upstream,)


def _sum_axis_lost(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    return (np.broadcast_to(upstream, a.shape),)


def _sum_one_by_one(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    for place in () if keepdims or axis is None else np.atleast_1d(axis):
        upstream = np.expand_dims(upstream, place % a.ndim)
    return (np.broadcast_to(upstream, a.shape),)


def _sum_from_the_end(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    for place in () if keepdims or axis is None else np.sort(np.atleast_1d(axis)):
        upstream = np.expand_dims(upstream, place)
    return (np.broadcast_to(upstream, a.shape),)


def _sum_stretched_anyhow(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    return (upstream * np.ones_like(a),)


def _sum_ones(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    return (np.ones_like(a),)


def _sum_as_mean(upstream: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    right = _sum_right(upstream, a, axis, keepdims)
    return (right * (np.size(upstream) / a.size if a.size else 1.0),)


def _take_last(upstream: Any, a: Any, index: Any) -> Any:
    gradient = np.zeros_like(a)
    gradient[index] += upstream
    return (gradient,)


def _take_again(upstream: Any, a: Any, index: Any) -> Any:
    return (upstream[index],)


def _take_into_a(upstream: Any, a: Any, index: Any) -> Any:
    gradient = a.copy()
    np.add.at(gradient, index, upstream)
    return (gradient,)


def _take_ones(upstream: Any, a: Any, index: Any) -> Any:
    gradient = np.zeros_like(a)
    np.add.at(gradient, index, 1.0)
    return (gradient,)


MATMUL = Task(
    "02_static_dynamic",
    "matmul_rule",
    4,
    (
        "Which shape must the gradient of a have, and which shapes have upstream and b? In which "
        "way can the two be multiplied so that this shape comes out?",
        "Row 0 of the result is row 0 of a, times b. So which row of upstream feels row 0 of a?",
    ),
    (
        Mistake(
            "factors not transposed",
            _matmul_not_transposed,
            "The other factor must be transposed: the sizes that meet are those of the result.",
        ),
        Mistake(
            "factors in the wrong order",
            _matmul_turned,
            "A matrix product is not symmetric: look at the shapes, and at which side each "
            "factor stands.",
        ),
        Mistake(
            "the two gradients exchanged",
            _matmul_exchanged,
            "The gradient of a comes first, and it has the shape of a.",
        ),
        Mistake(
            "multiplied element by element",
            _matmul_elementwise,
            "That is the rule of a * b. In a @ b each number of a meets a whole row of b.",
        ),
        Mistake("upstream gradient ignored", _matmul_ones, _UPSTREAM),
    ),
)
SUM = Task(
    "02_static_dynamic",
    "sum_rule",
    4,
    (
        "If one number of a grows by 1, by how much does the sum that holds it grow?",
        "upstream has one number for each sum. To which numbers of a does each of them belong?",
        "Without keepdims an axis has vanished. How does upstream get it back, with size 1?",
    ),
    (
        Mistake(
            "not stretched",
            _sum_not_stretched,
            "The gradient of a has the shape of a: each number of a sum feels all of its upstream.",
        ),
        Mistake("the lost axis is not put back", _sum_axis_lost, _AXIS),
        Mistake("the lost axis is not put back", _sum_stretched_anyhow, _AXIS),
        Mistake("lost axes put back in the wrong order", _sum_one_by_one, _ONE_BY_ONE),
        Mistake("lost axes put back in the wrong order", _sum_from_the_end, _ONE_BY_ONE),
        Mistake("upstream gradient ignored", _sum_ones, _UPSTREAM),
        Mistake(
            "the rule of mean",
            _sum_as_mean,
            "A sum passes the upstream gradient on undivided; a mean divides it.",
        ),
    ),
)
TAKE = Task(
    "02_static_dynamic",
    "take_rule",
    3,
    (
        "a[[0, 0, 2]] reads a[0] twice. What do two readers of one value do with their gradients?",
        "After g = np.zeros(3) and g[[0, 0]] += 1, what is g[0]? Try it.",
    ),
    (
        Mistake(
            "a repeated index counted once",
            _take_last,
            "NumPy's g[index] += upstream writes each place once, so of two readers one is lost.",
        ),
        Mistake(
            "indexed a second time",
            _take_again,
            "The gradient goes the other way: from the places of the result to those of a.",
        ),
        Mistake(
            "begins at a instead of zeros",
            _take_into_a,
            "The gradient begins at zeros: the numbers of a are no part of it.",
        ),
        Mistake("upstream gradient ignored", _take_ones, _UPSTREAM),
    ),
)
TASKS = (MATMUL, SUM, TAKE)


# the cases


def _products() -> Any:
    from hypothesis import strategies as st

    size, start = cases.sizes(), st.integers(0, 6)

    @st.composite
    def build(draw: Any) -> tuple[np.ndarray, ...]:
        rows, inner, columns = draw(size), draw(size), draw(size)
        shapes = ((rows, columns), (rows, inner), (inner, columns))
        # other numbers in each: whoever reads the message can tell the operands apart
        return tuple(fill(shape, draw(start) + at) for at, shape in enumerate(shapes))

    return build()


def _sums() -> Any:
    from hypothesis import strategies as st

    shapes, flag, start = cases.shapes(most=3), st.booleans(), st.integers(0, 6)
    several, forms = st.sampled_from(_AXES), st.sampled_from(("one", "several", "all"))

    @st.composite
    def build(draw: Any) -> tuple[np.ndarray, np.ndarray, object, bool]:
        shape, form, keepdims = draw(shapes), draw(forms), draw(flag)
        rank = len(shape)
        axes = tuple(at for at in draw(several) if -rank <= at < rank)
        axes = axes if len({at % rank for at in axes}) == len(axes) else axes[:1]
        axis: Any = axes if form == "several" and axes else None
        if form == "one" and axes:
            axis = axes[0]
        a = fill(shape, draw(start))
        result = np.asarray(np.sum(a, axis=axis, keepdims=keepdims))
        return fill(result.shape, draw(start) + 1), a, axis, keepdims

    return build()


def _takes() -> Any:
    from hypothesis import strategies as st

    size, width = st.sampled_from((3, 1, 4)), st.sampled_from((-1, 2, 1, 0))
    start, places = st.integers(0, 6), st.lists(st.integers(-12, 11), max_size=4)

    @st.composite
    def build(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        count, columns = draw(size), draw(width)
        rest = () if columns < 0 else (columns,)
        wanted = draw(places)
        index = np.array([at % count - count * (at < 0) for at in wanted], dtype=np.int64)
        upstream = fill((len(wanted), *rest), draw(start) + 1)
        return upstream, fill((count, *rest), draw(start)), index

    return build()


# the checks


def matmul_rule(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `matmul_rule(upstream, a, b)`.

    Parameters
    ----------
    candidate
        Gives a tuple of two arrays.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest matrices found on which it is wrong.
    """
    exam = Exam(MATMUL, candidate, seed)

    def probe(case: tuple[np.ndarray, ...]) -> Fault | None:
        upstream, *operands = case
        right = tuple(slopes(np.matmul, upstream, operands, at) for at in (0, 1))
        why = "Move one number of a by 1, and see by how much sum(upstream * (a @ b)) moves."
        return exam.examine(case, right, read=arrays, why=why)

    exam.search(_products(), probe, tries=_TRIES)
    return MATMUL.passed(f"right on {_TRIES} products, some of them with no rows or columns")


def sum_rule(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `sum_rule(upstream, a, axis, keepdims)`.

    Parameters
    ----------
    candidate
        Gives a tuple of one array.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest array found on which it is wrong.
    """
    exam = Exam(SUM, candidate, seed)

    def probe(case: tuple[np.ndarray, np.ndarray, Any, bool]) -> Fault | None:
        upstream, a, axis, keepdims = case
        right = slopes(lambda one: np.sum(one, axis=axis, keepdims=keepdims), upstream, [a], 0)
        why = "Each number of a grows its own sum by as much as it grows itself."
        return exam.examine(case, (right,), read=arrays, why=why)

    exam.search(_sums(), probe, tries=_SUMS)
    words = "over one axis, several and all, with keepdims and without"
    return SUM.passed(f"right on {_SUMS} sums, {words}")


def take_rule(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `take_rule(upstream, a, index)`.

    Parameters
    ----------
    candidate
        Gives a tuple of one array.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the smallest case found on which it is wrong.
    """
    exam = Exam(TAKE, candidate, seed)

    def probe(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Fault | None:
        upstream, a, index = case
        right = slopes(lambda one: one[index], upstream, [a], 0)
        why = "Each place of a feels all places of the result that were read from it."
        return exam.examine(case, (right,), read=arrays, why=why)

    exam.search(_takes(), probe, tries=_TRIES)
    return TAKE.passed(f"right on {_TRIES} cases, with places read twice, never, or from the end")
