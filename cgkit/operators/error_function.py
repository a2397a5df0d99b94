"""The error function of arrays, which NumPy has not.

    erf(x)                    erfc(x) = 1 - erf(x)
     1 │     .───               the part of a bell curve outside x deviations (times sqrt 2),
     0 │---+----                with all its digits where it is tiny: erfc(10) is 2e-45, and
    -1 │───'                    1 - erf(10) would be 0

Three quotients of polynomials: one near 0, one to 4, one in 1/x² beyond. Everything is computed in
float64; the error is at most 4 units in the last place of erf, 7 of erfc.

References
----------
W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation
23 (107), 1969.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cgkit.operators.elementwise import as_floats

NEAR = 0.46875
"""Up to here erf is small and gets its own quotient; from here erfc does."""
FAR = 4.0
ROOT = 0.5641895835477563  # 1 / sqrt(pi)

# coefficients from the highest power down
NEAR_OVER = (
    0.185777706184603153, 3.16112374387056560, 113.864154151050156, 377.485237685302021,
    3209.37758913846947,
)  # fmt: skip
NEAR_UNDER = (
    1.0, 23.6012909523441209, 244.024637934444173, 1282.61652607737228, 2844.23683343917062,
)  # fmt: skip
MIDDLE_OVER = (
    2.15311535474403846e-8, 0.564188496988670089, 8.88314979438837594, 66.1191906371416295,
    298.635138197400131, 881.952221241769090, 1712.04761263407058, 2051.07837782607147,
    1230.33935479799725,
)  # fmt: skip
MIDDLE_UNDER = (
    1.0, 15.7449261107098347, 117.693950891312499, 537.181101862009858, 1621.38957456669019,
    3290.79923573345963, 4362.61909014324716, 3439.36767414372164, 1230.33935480374942,
)  # fmt: skip
FAR_OVER = (
    0.0163153871373020978, 0.305326634961232344, 0.360344899949804439, 0.125781726111229246,
    0.0160837851487422766, 0.000658749161529837803,
)  # fmt: skip
FAR_UNDER = (
    1.0, 2.56852019228982242, 1.87295284992346725, 0.527905102951428412, 0.0605183413124413191,
    0.00233520497626869185,
)  # fmt: skip


def erf(x: Any) -> Any:
    """Give the error function of each element, in the dtype that `np.exp` would give.

    Examples
    --------
    >>> erf(np.array([0.0, 0.5, np.inf]))
    array([0.        , 0.52049988, 1.        ])
    """
    return _by_distance(x, _near, lambda far, size: np.copysign(1 - _tail(size), far))


def erfc(x: Any) -> Any:
    """Give 1 - erf of each element, with all its digits where that is tiny.

    Examples
    --------
    >>> erfc(np.array([-np.inf, 0.0, 10.0]))
    array([2.00000000e+00, 1.00000000e+00, 2.08848758e-45])
    """
    return _by_distance(
        x,
        lambda near: 1 - _near(near),
        lambda far, size: np.where(far < 0, 2 - _tail(size), _tail(size)),
    )


def _by_distance(
    x: Any,
    near: Callable[[np.ndarray], Any],
    far: Callable[[np.ndarray, np.ndarray], Any],
) -> Any:
    """Compute elements near 0 by one formula, others by another that is given their size too."""
    array = as_floats(x)
    wide = array.astype(np.float64)
    size = np.abs(wide)
    close = size <= NEAR
    result = np.empty(wide.shape)
    result[close] = near(wide[close])
    result[~close] = far(wide[~close], size[~close])
    return result.astype(array.dtype)


def _near(x: np.ndarray) -> Any:
    square = x * x
    return x * (_polynomial(NEAR_OVER, square) / _polynomial(NEAR_UNDER, square))


def _tail(size: np.ndarray) -> Any:
    """Give erfc of numbers from NEAR on."""
    result = np.empty(size.shape)
    middle = size <= FAR
    y = size[middle]
    result[middle] = _polynomial(MIDDLE_OVER, y) / _polynomial(MIDDLE_UNDER, y)
    y = np.minimum(size[~middle], 30.0)  # from 27 on erfc is 0; nan stays
    z = 1 / (y * y)
    quotient = z * _polynomial(FAR_OVER, z) / _polynomial(FAR_UNDER, z)
    result[~middle] = (ROOT - quotient) / y
    return result * _bell(np.minimum(size, 30.0))


def _bell(y: np.ndarray) -> Any:
    """Give e to the -y², with the digits that rounding y² would lose brought back."""
    coarse = np.trunc(y * 16) / 16  # its square is exact
    return np.exp(-coarse * coarse) * np.exp(-(y - coarse) * (y + coarse))


def _polynomial(coefficients: Sequence[float], x: np.ndarray) -> Any:
    total: Any = np.full(x.shape, coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total
