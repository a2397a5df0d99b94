"""Read arrays in what a student gave: a number is an array of no axes, wherever it stands.

    np.float64(3.0)   3   array(3.0)   ──arrays──►  array(3.0), shape ()

NumPy gives a bare number for 0-d results, and a student need not know when. Invariants: what comes
out is plain data; whole numbers of Python become floats, arrays of whole numbers stay as they are.
"""

from __future__ import annotations

import numpy as np

from cgkit.checks.plain import plain


def arrays(value: object) -> object:
    """Rebuild a value from exact built-in types, numbers being arrays of no axes.

    Raises
    ------
    NotPlainError
        The value, or a part of it, is no plain data.

    Examples
    --------
    >>> arrays((np.float64(3.0), [2]))
    (array(3.), [array(2.)])
    """
    return _deep(plain(value))


def _deep(value: object) -> object:
    if type(value) in (int, float):
        return np.asarray(_float(value))
    if isinstance(value, tuple):
        return tuple(map(_deep, value))
    if isinstance(value, list):
        return [*map(_deep, value)]
    if isinstance(value, dict):
        return {key: _deep(item) for key, item in value.items()}
    return value


def _float(value: object) -> float:
    """Give a number as a float; a whole number larger than any float is infinite.

    Examples
    --------
    >>> _float(10**400)
    inf
    """
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return float("inf")
