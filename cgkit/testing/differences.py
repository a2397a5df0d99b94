"""Check gradients by trying nearby numbers: central differences, to second order.

    slope of f at x  ~  (f(x + eps) - f(x - eps)) / (2 * eps)       for one element of x at a time

Floats of 64 bits are needed, and a point away from kinks. For a function of several numbers the
result is weighted with fixed random numbers, so that one sum tells all elements apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cgkit.errors import CgkitError, DtypeError, OperandError
from cgkit.tensor import Tensor, grad, no_grad

EPS = 1e-6


class LawBroken(CgkitError, AssertionError):
    """Two things that should be the same are not."""


def numeric_gradient(
    fn: Callable[[np.ndarray], float], x: np.ndarray, *, eps: float = EPS
) -> np.ndarray:
    """Measure the gradient of a function at a point.

    Parameters
    ----------
    fn
        Takes an array like x and gives one number.
    x
        Where; it stays as it is.
    eps
        How far to go to either side.

    Returns
    -------
    ndarray
        The slope for each element of x.

    Examples
    --------
    >>> numeric_gradient(lambda x: float(x[0] * x[1]), np.array([2.0, 5.0])).round(6)
    array([5., 2.])
    """
    slopes = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        ends = []
        for step in (eps, -eps):
            moved = np.array(x, np.float64)
            moved[place] += step
            ends.append(fn(moved))
        slopes[place] = (ends[0] - ends[1]) / (2 * eps)
    return slopes


def check_gradient(
    fn: Callable[..., Tensor],
    *arrays: np.ndarray,
    order: int = 2,
    eps: float = EPS,
    rtol: float = 1e-6,
    atol: float = 1e-6,
    seed: int = 0,
) -> None:
    """Check that backward gives the slopes that differences give.

    Parameters
    ----------
    fn
        Takes a Tensor for each array and gives one Tensor.
    arrays
        float64 arrays: where to check.
    order
        1 for gradients, 2 for the gradients of gradients too.
    eps
        How far differences go to either side.
    rtol, atol
        How much may be missing, relative and absolute.
    seed
        Of the random weights.

    Raises
    ------
    LawBroken
        A slope differs; the message names the argument, the place and both numbers.
    DtypeError, OperandError
        An array is not of float64, the function gives no Tensor, or there is no such order.

    Examples
    --------
    >>> check_gradient(lambda x, y: x * y + x, np.array([2.0, 3.0]), np.array(5.0))
    """
    arrays = tuple(_point(i, x) for i, x in enumerate(arrays))
    if order not in (1, 2):
        raise OperandError(f"gradients are checked to order 1 or 2, not to {order!r:.60}")
    rng = np.random.default_rng(seed)
    with no_grad():
        result = fn(*map(Tensor, arrays))
    if not isinstance(result, Tensor):
        raise OperandError(
            f"check_gradient needs a function that gives one Tensor, not {type(result).__name__}",
            attempt="a function that gives one of them, or their sum",
        )
    weights = rng.normal(size=result.shape)

    def total(*points: Tensor) -> Tensor:
        result: Tensor = (fn(*points) * Tensor(weights)).sum()
        return result

    _compare(total, arrays, "gradient", eps, rtol, atol)
    if order > 1:
        pulls = [rng.normal(size=x.shape) for x in arrays]

        def slope(g: Tensor, *points: Tensor) -> Tensor:
            found = _gradients(fn(*points), points, g)
            parts = [(x * Tensor(p)).sum() for x, p in zip(found, pulls, strict=True)]
            return sum(parts, Tensor(0.0))

        _compare(slope, (weights, *arrays), "second gradient", eps, rtol, atol)


def _point(place: int, x: Any) -> np.ndarray:
    """Give an argument as an array, in which a step of eps is no rounding error."""
    array = x.data if isinstance(x, Tensor) else np.asarray(x)
    if array.dtype != np.float64:
        raise DtypeError(
            f"check_gradient needs float64, and argument {place} is {array.dtype}",
            why="differences of shorter numbers are mostly rounding errors",
            attempt='x.astype("float64")',
        )
    return array


def _gradients(y: Tensor, points: Sequence[Tensor], g: Tensor) -> Sequence[Tensor]:
    if not y.requires_grad:
        return [Tensor(np.zeros(x.shape)) for x in points]
    return grad(y, points, g, create_graph=True, materialize_grads=True)


def _compare(
    fn: Callable[..., Tensor],
    arrays: Sequence[np.ndarray],
    what: str,
    eps: float,
    rtol: float,
    atol: float,
) -> None:
    points = [Tensor(x, requires_grad=True) for x in arrays]
    found = _first(fn(*points), points)
    for i, x in enumerate(arrays):

        def at(moved: np.ndarray, i: int = i) -> float:
            fresh = [Tensor(a, requires_grad=True) for a in (*arrays[:i], moved, *arrays[i + 1 :])]
            return float(fn(*fresh))

        expected = numeric_gradient(at, x, eps=eps)
        _report(what, i, found[i], expected, rtol, atol)


def _first(y: Tensor, points: Sequence[Tensor]) -> list[Any]:
    if not y.requires_grad:
        return [np.zeros(x.shape) for x in points]
    return [x.data for x in grad(y, points, materialize_grads=True)]


def _report(
    what: str, argument: int, got: np.ndarray, expected: np.ndarray, rtol: float, atol: float
) -> None:
    if got.shape != expected.shape:
        raise LawBroken(
            f"the {what} of argument {argument} has shape {got.shape}, not {expected.shape}"
        )
    wrong = ~np.isclose(got, expected, rtol=rtol, atol=atol)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0].tolist())
        raise LawBroken(
            f"the {what} of argument {argument} is wrong at {place}: "
            f"got {got[place]}, differences give {expected[place]}",
            attempt="a point away from kinks, if the function has one here",
        )
