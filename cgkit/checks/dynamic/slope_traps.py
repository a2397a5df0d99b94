"""Wrong gradient rules for a student's own test to find, from plain to subtle.

    multiply      upstream * a, upstream * b        each operand scaled by itself
    divide        right wherever a is positive      only a negative a tells

Invariants: each takes (upstream, a, b) and is wrong for some arrays of at most two axes, sizes from
1 to 3, numbers between 0.5 and 2 or their negatives; each gives two arrays and raises nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit.checks.dynamic.programs import unbroadcast

Pair = tuple[Any, Any]
Rule = Callable[[Any, Any, Any], Pair]


@dataclass(frozen=True)
class Trap:
    """A function with a rule that is not its own."""

    name: str
    function: Callable[[Any, Any], Any]
    rule: Rule
    why: str


def _fitted(shares: Callable[[Any, Any, Any], Pair]) -> Rule:
    """Make a rule of two shares: each is summed to the shape of its operand."""

    def rule(upstream: Any, a: Any, b: Any) -> Pair:
        one, other = shares(upstream, a, b)
        shape = np.shape(upstream)
        return (
            unbroadcast(np.broadcast_to(one, shape), np.shape(a)),
            unbroadcast(np.broadcast_to(other, shape), np.shape(b)),
        )

    return rule


def _square_times(a: Any, b: Any) -> Any:
    return a * a * b


multiply = _fitted(lambda g, a, b: (g * b, g * a))
subtract = _fitted(lambda g, a, b: (g, -g))
divide = _fitted(lambda g, a, b: (g / b, -g * a / b**2))
square_times = _fitted(lambda g, a, b: (2 * g * a * b, g * a * a))

RIGHT: tuple[tuple[Callable[[Any, Any], Any], Rule], ...] = (
    (operator.mul, multiply),
    (operator.sub, subtract),
    (operator.truediv, divide),
    (_square_times, square_times),
)


def _when(test: Callable[[Any, Any, Any], Any], wrong: Rule, right: Rule) -> Rule:
    """Make a rule that is wrong only where `test` says so."""
    return lambda g, a, b: wrong(g, a, b) if test(g, a, b) else right(g, a, b)


def _as_results(upstream: Any, a: Any, b: Any) -> Pair:
    """Give the shares of a multiplication as they are, in the shape of the result."""
    return upstream * b, upstream * a


def _first_copy(share: Any, shape: tuple[int, ...]) -> Any:
    share = np.asarray(share)[(0,) * (np.ndim(share) - len(shape))]
    return share[tuple(slice(0, size) for size in shape)]


def _averaged(share: Any, shape: tuple[int, ...]) -> Any:
    count = int(np.prod(shape)) / max(1, np.size(share))
    return unbroadcast(np.asarray(share), shape) * count


def _ones_lost(share: Any, shape: tuple[int, ...]) -> Any:
    whole = unbroadcast(np.asarray(share), shape)
    return whole if np.shape(share) == shape else np.squeeze(whole)


def _fitted_by(fit: Callable[[Any, tuple[int, ...]], Any]) -> Rule:
    def rule(upstream: Any, a: Any, b: Any) -> Pair:
        return fit(upstream * b, np.shape(a)), fit(upstream * a, np.shape(b))

    return rule


def _b_dropped(upstream: Any, a: Any, b: Any) -> Pair:
    one, other = multiply(upstream, a, b)
    return (one, np.zeros_like(other)) if np.any(np.asarray(upstream) < 0) else (one, other)


def _turned(upstream: Any, a: Any, b: Any) -> Pair:
    one, other = multiply(upstream, a, b)
    return one[..., ::-1] if np.ndim(one) else one, other


def _transposed(upstream: Any, a: Any, b: Any) -> Pair:
    one, other = multiply(upstream, a, b)
    return one.T, other


def _broadcasts(g: Any, a: Any, b: Any) -> bool:
    return bool(np.shape(a) != np.shape(b))


WRONG = (
    Trap("upstream ignored", operator.mul, _fitted(lambda g, a, b: (b, a)),
          "It takes the upstream gradient for 1 everywhere."),
    Trap("operands exchanged", operator.mul, _fitted(lambda g, a, b: (g * a, g * b)),
          "It scales each operand's gradient by the operand itself."),
    Trap("a product like a sum", operator.mul, _fitted(lambda g, a, b: (g, g)),
          "It passes the upstream gradient on unscaled."),
    Trap("minus sign missing", operator.sub, _fitted(lambda g, a, b: (g, g)),
          "a - b falls when b grows."),
    Trap("minus sign missing in a quotient", operator.truediv,
          _fitted(lambda g, a, b: (g / b, g * a / b**2)), "a / b falls when b grows."),
    Trap("* for /", operator.truediv, _fitted(lambda g, a, b: (g * b, -g * a / b**2)),
          "The slope of a / b for a is 1 / b, not b."),
    Trap("/ for *", operator.mul, _fitted(lambda g, a, b: (g / b, g * a)),
          "The slope of a * b for a is b, not 1 / b."),
    Trap("the square forgotten", operator.truediv,
          _fitted(lambda g, a, b: (g / b, -g * a / b)), "The slope for b is -a / b²."),
    Trap("one path of a square", _square_times, _fitted(lambda g, a, b: (g * a * b, g * a * a)),
          "In a * a * b both factors a send a gradient back."),
    Trap("missing un-broadcast", operator.mul, _as_results,
          "It leaves the gradients in the shape of the result."),
    Trap("first operand not un-broadcast", operator.mul,
          lambda g, a, b: (_as_results(g, a, b)[0], multiply(g, a, b)[1]),
          "It leaves the gradient of a in the shape of the result."),
    Trap("second operand not un-broadcast", operator.mul,
          lambda g, a, b: (multiply(g, a, b)[0], _as_results(g, a, b)[1]),
          "It leaves the gradient of b in the shape of the result."),
    Trap("the mean for the sum", operator.mul, _fitted_by(_averaged),
          "Where an operand is stretched, it averages what comes back."),
    Trap("one copy for the sum", operator.mul, _fitted_by(_first_copy),
          "Where an operand is stretched, it hears the first copy only."),
    Trap("axes of size 1 lost", operator.mul, _fitted_by(_ones_lost),
          "A stretched operand of shape (2, 1) gets a gradient of shape (2,)."),
    Trap("wrong when shapes differ", operator.mul,
          _when(_broadcasts, _fitted(lambda g, a, b: (g * b, g * b)), multiply),
          "It is right for operands of equal shapes only."),
    Trap("upstream made positive", operator.mul,
          lambda g, a, b: multiply(np.abs(g), a, b), "It drops the sign of the upstream gradient."),
    Trap("upstream averaged", operator.mul,
          lambda g, a, b: multiply(np.full(np.shape(g), np.mean(g)), a, b),
          "It uses one number for the whole upstream gradient."),
    Trap("right for positive a", operator.truediv,
          lambda g, a, b: divide(g, np.abs(a), b), "It drops the sign of a."),
    Trap("right for positive b", operator.mul,
          lambda g, a, b: multiply(g, a, np.abs(b)), "It drops the sign of b."),
    Trap("one in a hundred", operator.truediv,
          _fitted(lambda g, a, b: (1.01 * g / b, -g * a / b**2)), "It is off by one hundredth."),
    Trap("turned around", operator.mul, _turned,
          "It gives the gradient of a from its last column to its first."),
    Trap("transposed", operator.mul, _transposed, "It gives the gradient of a transposed."),
    Trap("b dropped for negative upstream", operator.mul, _b_dropped,
          "Where an upstream number is negative, b gets nothing."),
)  # fmt: skip
