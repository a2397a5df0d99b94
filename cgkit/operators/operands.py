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
        return x
    try:
        array = np.asarray(x)
    except ValueError:
        raise ShapeError("nested lists of unlike lengths make no tensor") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"a tensor holds real numbers, not {x!r:.60}")
    return array
