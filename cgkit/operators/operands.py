"""What functions that are made of operators take: handles as they are, all else as arrays.

Tensor, Value, ndarray ─> itself        2.0, [1, 2, 3] ─> array
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, OperandError, ShapeError


def as_operand(x: Any) -> Any:
    """Give an operand that has a shape and a dtype.

    Parameters
    ----------
    x
        A Tensor, a Value, an array, or numbers in lists.

    Raises
    ------
    ShapeError, DtypeError
        Lists of unlike lengths, or something that is no number.

    Examples
    --------
    >>> as_operand([[1.0, 2.0]]).shape
    (1, 2)
    """
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return x
    try:
        array = np.asarray(x)
    except ValueError:
        raise ShapeError("nested lists of unlike lengths make no tensor") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"a tensor holds real numbers, not {x!r:.60}")
    return array


def as_number(what: str, x: Any, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Give a setting that is a number between two others, they included.

    Parameters
    ----------
    what
        What it is called in an error.
    x
        The setting.
    least, most
        Its bounds.

    Raises
    ------
    OperandError
        It is no number, or lies outside.

    Examples
    --------
    >>> as_number("the margin", 0.5, least=0)
    0.5
    >>> as_number("the margin", "wide", least=0)
    Traceback (most recent call last):
    cgkit.errors.OperandError: the margin is a number of at least 0, not 'wide'
    """
    number = isinstance(x, int | float | np.number) and not isinstance(x, bool)
    if number and least <= x <= most:
        return x if isinstance(x, int | float) else float(x)
    bound = "" if least == -math.inf else f" of at least {least}"
    bound = bound if most == math.inf else f" from {least} to {most}"
    raise OperandError(f"{what} is a number{bound}, not {x!r:.60}")
