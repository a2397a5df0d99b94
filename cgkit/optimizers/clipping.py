"""Gradients kept from being too large.

    clip_by_norm    all of them shortened by one factor: their direction stays
    clip_by_value   each element by itself: their direction may change

Gradients are nested in any way; None, where there is no gradient, stays None.
"""

from __future__ import annotations

from typing import Any

from cgkit import operators as ops
from cgkit import tree
from cgkit.operators.operands import as_operand
from cgkit.operators.settings import as_number

TINY = 1e-6
"""Added to the norm, lest it be 0."""


def clip_by_norm(gradients: Any, limit: float) -> tuple[Any, Any]:
    """Shorten gradients that are together longer than a limit.

    Parameters
    ----------
    gradients
        Nested arrays, Tensors or Values.
    limit
        The longest that they may be: the root of the sum of all their squares.

    Returns
    -------
    tuple
        The gradients, and how long they were.

    Raises
    ------
    OperandError
        The limit is below 0 or no number.

    Examples
    --------
    >>> import numpy as np
    >>> clipped, norm = clip_by_norm({"w": np.array([3.0]), "b": np.array([4.0])}, 1.0)
    >>> clipped["w"].round(4).tolist(), clipped["b"].round(4).tolist(), float(norm)
    ([0.6], [0.8], 5.0)
    """
    as_number("the limit", limit, least=0)
    leaves, structure = tree.flatten(gradients)
    found = {i: as_operand(g) for i, g in enumerate(leaves) if g is not None}
    squares = [ops.sum(g * g) for g in found.values()]
    norm = ops.sqrt(as_operand(sum(squares, start=0.0)))
    factor = ops.minimum(ops.div(limit, norm + TINY), 1.0)
    clipped = {i: g * ops.cast_like(factor, g) for i, g in found.items()}
    return tree.unflatten(structure, [clipped.get(i) for i in range(len(leaves))]), norm


def clip_by_value(gradients: Any, limit: float) -> Any:
    """Bring each element of gradients between -limit and limit.

    Parameters
    ----------
    gradients
        Nested arrays, Tensors or Values.
    limit
        The largest that an element may be, of at least 0.

    Raises
    ------
    OperandError
        The limit is below 0 or no number.

    Examples
    --------
    >>> import numpy as np
    >>> clip_by_value([np.array([3.0, -0.5]), None], 1.0)
    [array([ 1. , -0.5]), None]
    """
    as_number("the limit", limit, least=0)
    return tree.map_leaves(
        lambda g: None if g is None else ops.clip(as_operand(g), -limit, limit),
        gradients,
    )
