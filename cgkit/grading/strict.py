"""What a test cell ended with, as points and words; anything loose is the author's error.

    None ──► all points      3 ──► 3      (3, "half of it") ──► 3 and the words      Score ──► both

Invariants: points are finite, from 0 to what the cell gives. True, nan, -1, a text and anything of
a student's give nothing, and the cell is for a person to look at.
"""

from __future__ import annotations

import math

import numpy as np

from cgkit.errors import CgkitError
from cgkit.score import Score


class AuthorError(CgkitError):
    """A test cell that does not say how many points there are."""


def points_of(value: object, out_of: float) -> tuple[float, str]:
    """Read what a test cell ended with.

    Parameters
    ----------
    value
        The value of its last expression, or None.
    out_of
        Points that the cell can give.

    Returns
    -------
    tuple of float and str
        Points, and words for the student.

    Raises
    ------
    AuthorError
        It is none of what a test cell may end with.

    Examples
    --------
    >>> points_of(None, 4), points_of((2.5, "half"), 4), points_of(Score(4, 4, "all"), 4)
    ((4.0, ''), (2.5, 'half'), (4.0, 'all'))
    >>> points_of(True, 4)
    Traceback (most recent call last):
        ...
    cgkit.grading.strict.AuthorError: the test cell ended with True, which is no number of points
    """
    words = ""
    if value is None:
        return float(out_of), ""
    if isinstance(value, Score) and type(value) is Score:
        words, value = value.message, value.points
    elif type(value) is tuple and len(value) == 2 and type(value[1]) is str:
        value, words = value
    if type(value) not in (int, float) and not _is_numpy_number(value):
        shown = repr(value) if type(value) in (bool, str) else type(value).__name__
        what = f"the test cell ended with {shown[:60]}, which is no number of points"
        raise AuthorError(what)
    points = float(value)  # type: ignore[arg-type]
    if not math.isfinite(points) or not 0 <= points <= out_of:
        raise AuthorError(f"the test cell ended with {points:g}, not with 0 to {out_of:g} points")
    return points, words


def _is_numpy_number(value: object) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and isinstance(value, np.integer | np.floating)
