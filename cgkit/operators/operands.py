"""What functions that are made of operators take: handles as they are, all else as arrays.

Tensor, Value, ndarray ─> itself        2.0, [1, 2, 3] ─> array
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError


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
        array = x
    else:
        try:
            array = np.asarray(x)
        except ValueError:
            raise ShapeError("nested lists of unlike lengths make no tensor") from None
    if array.dtype.kind not in "fiub":
        what = f"{array.dtype}: {x!r:.60}" if array is x else f"{x!r:.60}"
        raise DtypeError(f"a tensor holds real numbers, not {what}")
    return array


def as_places(places: Any) -> Any:
    """Give places as an operand; a list of none is a list of ints.

    Examples
    --------
    >>> as_places([]).dtype, as_places([2, 0]).dtype
    (dtype('int64'), dtype('int64'))

    Raises
    ------
    DtypeError
        They are no whole numbers.
    """
    found = as_operand(places)
    if isinstance(places, list | tuple) and not found.size:
        found = found.astype(np.int64)
    if found.dtype.kind not in "iu":
        raise DtypeError(
            f"places are whole numbers, not {found.dtype}", attempt='ops.cast(x, dtype="int64")'
        )
    return found
