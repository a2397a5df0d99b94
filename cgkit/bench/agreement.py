"""When are the outputs of two peers equal? What every row asks before anything is timed.

    close(1e-9)(ours, theirs, size)    ""                          they agree
                                       "y differs by 0.5 at (1, 2): 3.0, expected 2.5"

A nan agrees with a nan. What is wrong is said of the peer: what it gives, and what was expected.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cgkit.bench.row import Outputs, Size


def close(relative: float, absolute: float = 0.0) -> Callable[[Outputs, Outputs, Size], str]:
    """Give a judge that demands the same names, shapes and dtypes, and values that are near.

    A peer that computes with shorter numbers has less to do.

    Parameters
    ----------
    relative, absolute
        How far a value may be from ours: `absolute + relative * abs(ours)`. A nan equals a nan.

    Returns
    -------
    callable
        `agree(ours, theirs, size)`, which says what differs, or nothing.

    Examples
    --------
    >>> agree = close(1e-9)
    >>> agree({"y": np.array([1.0, 2.0])}, {"y": np.array([1.0, 2.5])}, {})
    'y differs by 0.5 at (1,): 2.5, expected 2.0'
    >>> agree({"y": np.ones(2)}, {"y": np.ones(2)}, {})
    ''
    """

    def agree(ours: Outputs, theirs: Outputs, size: Size) -> str:
        if set(ours) != set(theirs):
            return f"it gives {_listed(theirs)}, expected {_listed(ours)}"
        found = (_difference(name, ours[name], theirs[name], relative, absolute) for name in ours)
        return next(filter(None, found), "")

    return agree


def _listed(outputs: Outputs) -> str:
    return ", ".join(sorted(outputs)) or "nothing"


def _difference(
    name: str, ours: np.ndarray, theirs: np.ndarray, relative: float, absolute: float
) -> str:
    if ours.shape != theirs.shape:
        return f"{name} has shape {theirs.shape}, expected {ours.shape}"
    if ours.dtype != theirs.dtype:
        return f"{name} is {theirs.dtype}, expected {ours.dtype}"
    near = np.isclose(theirs, ours, rtol=relative, atol=absolute, equal_nan=True)
    if near.all():
        return ""
    place = tuple(int(i) for i in np.argwhere(~near)[0])
    expected, got = ours[place].item(), theirs[place].item()
    by = "" if ours.dtype.kind == "b" else f" by {abs(got - expected):.3g}"
    return f"{name} differs{by} at {place}: {got}, expected {expected}"
