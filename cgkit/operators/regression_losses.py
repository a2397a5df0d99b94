"""Losses of numbers: how far predictions lie from what they should be.

    prediction ─┐
                ├─> one loss each ─ mean, sum or none ─> a number to make small
    target ─────┘

          mse_loss  d²        l1_loss  |d|        huber_loss  d²/2 near 0, then a line

All are made of operators. The reduction is "mean", "sum" or "none"; a mean over no elements is nan.
"""

from __future__ import annotations

from typing import Any

from cgkit.errors import OperandError, ShapeError
from cgkit.operators.elementwise import (
    abs_,
    div,
    equal,
    exp,
    less,
    log,
    maximum,
    not_equal,
    relu,
    sub,
    where,
)
from cgkit.operators.operands import as_operand
from cgkit.operators.powers import square
from cgkit.operators.reduction import cast_count, mean, sum_
from cgkit.operators.settings import as_number
from cgkit.operators.statistics import norm
from cgkit.types import broadcast_shapes, meet, show_shape

REDUCTIONS = ("mean", "sum", "none")


def reduced(name: str, losses: Any, reduction: str) -> Any:
    """Fold the losses of all elements as a reduction says.

    Raises
    ------
    OperandError
        There is no such reduction.

    Examples
    --------
    >>> import numpy as np
    >>> reduced("l1_loss", np.array([1.0, 3.0]), "mean").item()
    2.0
    """
    if not isinstance(reduction, str) or reduction not in REDUCTIONS:
        raise OperandError(
            f"{name} has no reduction {reduction!r}", attempt=", ".join(map(repr, REDUCTIONS))
        )
    if reduction == "none":
        return losses
    return mean(losses) if reduction == "mean" else sum_(losses)


def meet_target(name: str, x: Any, target: Any) -> tuple[Any, Any]:
    """Give both as operands; a target stretches no prediction: (N,) and (N, 1) would give N * N.

    Raises
    ------
    ShapeError
        The shapes differ.
    """
    x, target = as_operand(x), as_operand(target)
    shapes = tuple(x.shape), tuple(target.shape)
    try:
        for have, want in zip(*shapes, strict=True):
            meet(have, want)
    except ValueError:  # zip's for unlike ranks, or the ShapeError of sizes that differ
        raise ShapeError(
            f"{name} cannot compare {show_shape(shapes[0])} with a target of "
            f"{show_shape(shapes[1])}",
            attempt="a target of the shape of the prediction",
        ) from None
    return x, target


def mse_loss(x: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Give the squared error.

    Parameters
    ----------
    x, target
        Prediction and target, of one shape.
    reduction
        "mean", "sum" or "none".

    Examples
    --------
    >>> import numpy as np
    >>> mse_loss(np.array([1.0, 2.0]), np.array([1.0, 4.0])).item()
    2.0
    """
    x, target = meet_target("mse_loss", x, target)
    return reduced("mse_loss", square(sub(x, target)), reduction)


def l1_loss(x: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Give the absolute error; its slope is 0 where the two are equal.

    Examples
    --------
    >>> import numpy as np
    >>> l1_loss(np.array([1.0, 2.0]), np.array([1.0, 4.0])).item()
    1.0
    """
    x, target = meet_target("l1_loss", x, target)
    return reduced("l1_loss", abs_(sub(x, target)), reduction)


def huber_loss(x: Any, target: Any, *, delta: float = 1.0, reduction: str = "mean") -> Any:
    """Give half the squared error up to an error of delta, from there on delta times it.

    Parameters
    ----------
    x, target
        Prediction and target, of one shape.
    delta
        Where the line begins; more than 0.
    reduction
        "mean", "sum" or "none".

    Examples
    --------
    >>> import numpy as np
    >>> huber_loss(np.array([0.5, 3.0]), np.zeros(2), reduction="none").tolist()
    [0.125, 2.5]

    References
    ----------
    P. J. Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35,
    1964.
    """
    x, target = meet_target("huber_loss", x, target)
    if as_number("delta of huber_loss", delta, least=0) == 0:
        raise OperandError("delta of huber_loss is more than 0: the line begins beside the target")
    return reduced("huber_loss", _rounded(sub(x, target), delta) * delta, reduction)


def smooth_l1_loss(x: Any, target: Any, *, beta: float = 1.0, reduction: str = "mean") -> Any:
    """Give the absolute error with its kink rounded: huber_loss over beta; l1_loss for beta=0.

    Examples
    --------
    >>> import numpy as np
    >>> smooth_l1_loss(np.array([0.5, 3.0]), np.zeros(2), reduction="none").tolist()
    [0.125, 2.5]
    """
    x, target = meet_target("smooth_l1_loss", x, target)
    if as_number("beta of smooth_l1_loss", beta, least=0) == 0:
        return l1_loss(x, target, reduction=reduction)
    return reduced("smooth_l1_loss", _rounded(sub(x, target), beta), reduction)


def _rounded(apart: Any, corner: float) -> Any:
    """Give the size of an error with its kink rounded, by a parabola that reaches to a corner.

    What is left of the parabola beyond the corner has slope 0, and the slope of the line is 1 of
    the infinite errors too: no line is chosen after the fact, with 0 times inf on the way back.
    """
    far = abs_(apart)
    near = where(less(far, corner), far, corner)
    return square(near) * (0.5 / corner) + (far - near)


def hinge_loss(x: Any, target: Any, *, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Give how far a score falls short of a margin on its right side: max(0, margin - target * x).

    Parameters
    ----------
    x
        Scores.
    target
        1 or -1 for each.
    margin
        From where on a right score costs nothing.
    reduction
        "mean", "sum" or "none".

    Examples
    --------
    >>> import numpy as np
    >>> hinge_loss(np.array([0.3, 2.0]), np.array([-1.0, 1.0]), reduction="none").tolist()
    [1.3, 0.0]
    """
    x, target = meet_target("hinge_loss", x, target)
    short = as_number("margin of hinge_loss", margin) - x * target
    return reduced("hinge_loss", relu(short), reduction)


def cosine_similarity(a: Any, b: Any, *, axis: int = -1, epsilon: float = 1e-8) -> Any:
    """Give the cosine of the angle between vectors along an axis; 0 where one has no length.

    Parameters
    ----------
    a, b
        Tensors that broadcast.
    axis
        Along which the vectors lie.
    epsilon
        The least length that is divided by.

    Examples
    --------
    >>> import numpy as np
    >>> cosine_similarity(np.array([3.0, 4.0]), np.array([4.0, 3.0])).round(6).item()
    0.96
    """
    a, b = as_operand(a), as_operand(b)
    broadcast_shapes(tuple(a.shape), tuple(b.shape))
    least = as_number("epsilon of cosine_similarity", epsilon, least=0)
    lengths = [maximum(norm(x, axis=axis, keepdims=True), least) for x in (a, b)]
    return sum_(div(a, lengths[0]) * div(b, lengths[1]), axis=axis)


def cosine_loss(
    a: Any, b: Any, target: Any, *, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """Give 1 - cosine for pairs that belong together, what exceeds a margin for pairs that do not.

    Parameters
    ----------
    a, b
        Vectors along the last axis.
    target
        For each pair 1, if they belong together, or -1.
    margin
        A cosine that costs nothing to pairs that do not.
    reduction
        "mean", "sum" or "none".

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([[1.0, 0.0], [1.0, 0.0]])
    >>> cosine_loss(a, a, np.array([1, -1]), reduction="none").tolist()
    [0.0, 1.0]
    """
    cosine = cosine_similarity(a, b)
    _, target = meet_target("cosine_loss", cosine, target)
    over = cosine - as_number("margin of cosine_loss", margin)
    losses = where(equal(target, 1), 1.0 - cosine, relu(over))
    return reduced("cosine_loss", losses, reduction)


def kl_divergence(x: Any, target: Any, *, log_target: bool = False, reduction: str = "mean") -> Any:
    """Give the divergence of a distribution from its target: target * (log(target) - x).

    A target of 0 costs nothing; what is no probability, below 0, costs nan.

    Parameters
    ----------
    x
        Logarithms of probabilities.
    target
        Probabilities, or their logarithms with log_target=True.
    reduction
        "mean", "sum", "none", or "batchmean": the sum over the size of the first axis.

    Examples
    --------
    >>> import numpy as np
    >>> kl_divergence(np.log([0.25, 0.75]), np.array([0.5, 0.5]), reduction="sum").round(4).item()
    0.1438
    """
    x, target = meet_target("kl_divergence", x, target)
    if log_target:
        losses = exp(target) * sub(target, x)
    else:
        there = not_equal(target, 0)
        losses = where(there, target * (log(where(there, target, 1.0)) - x), 0.0)
    if isinstance(reduction, str) and reduction == "batchmean":
        total = sum_(losses)
        return div(total, cast_count(x.shape[0] if x.shape else 1, total))
    return reduced("kl_divergence", losses, reduction)


COMPOSED = (
    mse_loss, l1_loss, huber_loss, smooth_l1_loss, hinge_loss, cosine_similarity, cosine_loss,
    kl_divergence,
)  # fmt: skip
