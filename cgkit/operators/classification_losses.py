"""Losses of classes: how little probability was given to what is right.

    scores (N, C) ─ log_softmax ─> logarithms ─ the one of the right class ─> minus it
    labels (N,)   ─────────────────────────────┘

    cross_entropy   from scores       nll_loss   from logarithms of probabilities
    binary_cross_entropy_with_logits  and binary_cross_entropy: yes or no for each element

Take the forms from scores: they stay exact where a probability would round to 0 or 1. Classes are
along axis 1 of (N, C, ...), or axis 0 of a single (C,). All are made of operators.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.operators.activation import softplus
from cgkit.operators.elementwise import (
    cast,
    div,
    equal,
    log,
    maximum,
    mul,
    neg,
    not_equal,
    where,
)
from cgkit.operators.gathering import gather_elements, take
from cgkit.operators.movement import reshape
from cgkit.operators.operands import as_operand
from cgkit.operators.probability import log_softmax
from cgkit.operators.reduction import cast_count, sum_
from cgkit.operators.regression_losses import meet_target, reduced
from cgkit.operators.settings import as_number, as_whole
from cgkit.types import Shape, count, meet, show_shape

IGNORED = -100
"""A label that counts for nothing, unless `ignore_index` says another."""


def cross_entropy(
    x: Any,
    target: Any,
    *,
    weights: Any = None,
    ignore_index: int = IGNORED,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Any:
    """Give how little probability scores give to what is right: minus its logarithm.

    Parameters
    ----------
    x
        Scores of shape (N, C, ...) or (C,).
    target
        The right class for each, ints of shape (N, ...) or (); or probabilities of x's shape.
    weights
        A weight for each class, (C,), or None. A mean over labels divides by their weights.
    ignore_index
        A label that counts for nothing, in sum and mean.
    label_smoothing
        How much of the probability all classes share evenly, from 0 to 1.
    reduction
        "mean", "sum" or "none".

    Raises
    ------
    ShapeError, DtypeError, OperandError
        The shapes do not fit, labels are no ints, or a setting is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> cross_entropy(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([1, 0])).round(4).item()
    0.3466
    """
    as_number("label_smoothing of cross_entropy", label_smoothing, least=0, most=1)
    x, target = as_operand(x), as_operand(target)
    axis = _class_axis("cross_entropy", x)
    logs = log_softmax(x, axis=axis)
    if target.dtype.kind == "f":
        _check_shares(x, target, axis)
        return _soft(logs, target, axis, weights, label_smoothing, reduction)
    return _labeled(
        "cross_entropy", logs, target, axis, weights, ignore_index, label_smoothing, reduction
    )


def _check_shares(x: Any, target: Any, axis: int) -> None:
    """Demand a probability for each class; labels that came as floats are told so."""
    if len(target.shape) == len(x.shape) - 1:
        raise DtypeError(
            f"cross_entropy takes labels of an integer dtype, got {target.dtype} of shape "
            f"{show_shape(target.shape)}",
            why=f"floats are probabilities, one for each of {x.shape[axis]} classes",
            attempt='ops.cast(target, dtype="int64"), if these are labels',
        )
    meet_target("cross_entropy", x, target)


def nll_loss(
    x: Any,
    target: Any,
    *,
    weights: Any = None,
    ignore_index: int = IGNORED,
    reduction: str = "mean",
) -> Any:
    """Give minus the logarithm at the right class: cross_entropy of what log_softmax has given.

    Examples
    --------
    >>> import numpy as np
    >>> nll_loss(np.log([[0.5, 0.5], [0.1, 0.9]]), np.array([0, 1]), reduction="none").round(4)
    array([0.6931, 0.1054])
    """
    x, target = as_operand(x), as_operand(target)
    axis = _class_axis("nll_loss", x)
    return _labeled("nll_loss", x, target, axis, weights, ignore_index, 0.0, reduction)


def _class_axis(name: str, x: Any) -> int:
    if not x.shape:
        raise ShapeError(f"{name} takes scores (N, C, ...) or (C,), got a single number")
    return min(1, len(x.shape) - 1)


def _for_classes(name: str, weights: Any, x: Any, axis: int) -> Any:
    """Let weights stand along the classes of x."""
    try:
        if len(weights.shape) != 1:
            raise ShapeError("they are not along one axis")
        meet(weights.shape[0], x.shape[axis])
    except ShapeError as error:
        raise ShapeError(
            f"{name} needs a weight for each of {x.shape[axis]} classes, got "
            f"{show_shape(weights.shape)}",
            why=error.what,
        ) from None
    return reshape(weights, shape=(*weights.shape, *(1,) * (len(x.shape) - axis - 1)))


def _labeled(
    name: str,
    logs: Any,
    target: Any,
    axis: int,
    weights: Any,
    ignore_index: int,
    smoothing: float,
    reduction: str,
) -> Any:
    """Give the loss of logarithms of probabilities at the places that labels name."""
    _check_labels(name, logs, target, axis)
    counted = _counted(target, as_whole(f"ignore_index of {name}", ignore_index))
    places = where(counted, target, cast(0 * counted, dtype=target.dtype.name))
    right = _pick(name, logs, places, axis)
    heavy = cast(counted, dtype=logs.dtype.name)
    if weights is not None:
        weights = as_operand(weights)
        along = _for_classes(name, weights, logs, axis)
        heavy = where(counted, take(weights, places), 0.0)
    losses = where(counted, neg(right) * heavy, 0.0)
    if smoothing:
        spread = sum_(logs if weights is None else logs * along, axis=axis)
        share = div(neg(spread), cast_count(logs.shape[axis], logs))
        losses = losses * (1.0 - smoothing) + where(counted, share * smoothing, 0.0)
    if isinstance(reduction, str) and reduction == "mean":
        return div(sum_(losses), sum_(heavy))
    return reduced(name, losses, reduction)


def _counted(target: Any, ignore_index: int) -> Any:
    """Say which labels count; all do where their dtype does not hold the ignored one."""
    held = np.iinfo(target.dtype)
    if held.min <= ignore_index <= held.max:
        return not_equal(target, ignore_index)
    return equal(target, target)


def _pick(name: str, logs: Any, places: Any, axis: int) -> Any:
    """Take from each line of classes the one that is named."""
    shape: Shape = tuple(places.shape)
    apart = reshape(places, shape=(*shape[:axis], 1, *shape[axis:]))
    try:
        found = gather_elements(logs, apart, axis=axis)
    except ShapeError as error:
        raise ShapeError(
            f"{name} has a label that is none of {logs.shape[axis]} classes",
            why=error.what,
            attempt="labels that count from 0, and ignore_index=... for those that do not count",
        ) from None
    return reshape(found, shape=shape)


def _check_labels(name: str, x: Any, target: Any, axis: int) -> None:
    if target.dtype.kind not in "iu":
        raise DtypeError(
            f"{name} needs labels of an integer dtype, got {target.dtype}",
            attempt='ops.cast(target, dtype="int64"), or probabilities of the shape of the scores',
        )
    expected = (*x.shape[:axis], *x.shape[axis + 1 :])
    try:
        for have, want in zip(target.shape, expected, strict=True):
            meet(have, want)
    except ValueError:
        raise ShapeError(
            f"{name} needs a label of shape {show_shape(expected)} for scores of "
            f"{show_shape(x.shape)}, got {show_shape(target.shape)}",
            attempt="scores as (N, C, ...), with classes second",
        ) from None


def _soft(logs: Any, target: Any, axis: int, weights: Any, smoothing: float, reduction: str) -> Any:
    """Give the loss of logarithms of probabilities against probabilities."""
    if smoothing:
        share = div(smoothing, cast_count(logs.shape[axis], logs))
        target = target * (1.0 - smoothing) + share
    products = logs * target
    if weights is not None:
        products = products * _for_classes("cross_entropy", as_operand(weights), logs, axis)
    losses = neg(sum_(products, axis=axis))
    if isinstance(reduction, str) and reduction == "mean":
        number = count((*logs.shape[:axis], *logs.shape[axis + 1 :]))
        return div(sum_(losses), cast_count(number, logs))
    return reduced("cross_entropy", losses, reduction)


def binary_cross_entropy(
    x: Any, target: Any, *, weights: Any = None, reduction: str = "mean"
) -> Any:
    """Give minus the logarithm of the probability of what is right, for each element by itself.

    Logarithms are at least -100, so that a loss is finite where a probability is 0.

    Parameters
    ----------
    x
        Probabilities.
    target
        1 for yes, 0 for no, or a probability, of x's shape.
    weights
        For each loss, what broadcasts to it, or None.
    reduction
        "mean", "sum" or "none".

    Examples
    --------
    >>> import numpy as np
    >>> binary_cross_entropy(np.array([0.5, 0.0]), np.array([1.0, 1.0]), reduction="none").round(4)
    array([  0.6931, 100.    ])
    """
    x, target = meet_target("binary_cross_entropy", x, target)
    losses = neg(target * _bounded_log(x) + (1.0 - target) * _bounded_log(1.0 - x))
    return reduced("binary_cross_entropy", _weighted(losses, weights), reduction)


def _bounded_log(x: Any) -> Any:
    """Give the logarithm, and -100 with slope 0 at 0."""
    none = equal(x, 0)
    return where(none, -100.0, maximum(log(where(none, 1.0, x)), -100.0))


def _weighted(losses: Any, weights: Any) -> Any:
    return losses if weights is None else mul(losses, weights)


def binary_cross_entropy_with_logits(
    x: Any,
    target: Any,
    *,
    weights: Any = None,
    positive_weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """Give binary_cross_entropy of sigmoid(x), exact for large scores of either sign.

    Parameters
    ----------
    x
        Scores.
    target
        1 for yes, 0 for no, or a probability, of x's shape.
    weights
        For each loss, what broadcasts to it, or None.
    positive_weight
        How much more a yes counts than a no, what broadcasts to x, or None.
    reduction
        "mean", "sum" or "none".

    Examples
    --------
    >>> import numpy as np
    >>> losses = binary_cross_entropy_with_logits(
    ...     np.array([0.0, -800.0]), np.array([1.0, 1.0]), reduction="none"
    ... )
    >>> losses.round(4).tolist()
    [0.6931, 800.0]
    """
    x, target = meet_target("binary_cross_entropy_with_logits", x, target)
    miss = softplus(neg(x))
    if positive_weight is not None:
        more = mul(target, as_operand(positive_weight) - 1.0)
        miss = mul(miss, more + 1.0)
    losses = (1.0 - target) * x + miss
    return reduced("binary_cross_entropy_with_logits", _weighted(losses, weights), reduction)


COMPOSED = (cross_entropy, nll_loss, binary_cross_entropy, binary_cross_entropy_with_logits)
