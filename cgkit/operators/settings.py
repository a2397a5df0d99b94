"""Settings of operators, checked: axes, shapes, numbers.

    -1 of 3 axes ─ normal_axes ─> (2,)        3 ─ as_shape ─> (3,)        np.int8(2) ─ as_whole ─> 2

A setting that is none is an error that says what it is for and what it was.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cgkit.errors import OperandError, ShapeError
from cgkit.types import Dim, Shape, show_shape


def normal_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Give axes counted from the front, each once.

    Parameters
    ----------
    axes
        None for all, one axis, or several; negative ones count from the back.
    ndim
        The number of axes there are.

    Raises
    ------
    ShapeError
        An axis does not exist or stands twice.

    Examples
    --------
    >>> normal_axes(None, 2), normal_axes(-1, 2)
    ((0, 1), (1,))
    """
    if axes is None:
        return tuple(range(ndim))
    listed = tuple(axes) if isinstance(axes, tuple | list) else (axes,)
    for axis in listed:
        if not is_whole(axis):
            raise ShapeError(f"an axis is a whole number, not {axis!r}")
        if not -ndim <= axis < ndim:
            raise ShapeError(
                f"axis {axis} does not exist in a tensor of {ndim} axes",
                attempt=f"an axis from {-ndim} to {ndim - 1}" if ndim else "leaving axis out",
            )
    normal = tuple(int(axis) % ndim for axis in listed)
    if len(set(normal)) < len(normal):
        raise ShapeError(f"the axes {listed} name one axis twice")
    return normal


def normal_axis(axis: Any, ndim: int) -> int:
    """Give one axis counted from the front.

    Raises
    ------
    ShapeError
        It does not exist, or it is no single axis.

    Examples
    --------
    >>> normal_axis(-1, 3)
    2
    """
    if not is_whole(axis):
        raise ShapeError(
            f"one axis is needed here, not {axis!r:.60}",
            attempt="an axis such as -1" * (ndim > 0),
        )
    return normal_axes(axis, ndim)[0]


def as_shape(shape: Any, least: int = 0) -> Shape:
    """Give a param as a shape: one size stands for itself.

    Examples
    --------
    >>> as_shape(3), as_shape([2, 3])
    ((3,), (2, 3))

    Raises
    ------
    ShapeError
        A size is no whole number, or is smaller than `least`.
    """
    listed = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    for size in listed:
        if not isinstance(size, Dim) and (not is_whole(size) or size < least):
            raise ShapeError(f"{show_shape(listed)} is no shape: {size!r} is no size")
    return tuple(size if isinstance(size, Dim) else int(size) for size in listed)


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
    number = is_whole(x) or isinstance(x, float | np.floating)
    if number and least <= x <= most:
        return x if isinstance(x, int | float) else x.item()
    bound = "" if least == -math.inf else f" of at least {least}"
    bound = bound if most == math.inf else f" from {least} to {most}"
    raise OperandError(f"{what} is a number{bound}, not {x!r:.60}")


def as_whole(what: str, x: Any, *, least: int | None = None) -> int:
    """Give a setting that is a whole number, and not too small.

    Examples
    --------
    >>> as_whole("the number of groups", np.int8(2), least=1)
    2
    >>> as_whole("the number of groups", 1.5, least=1)
    Traceback (most recent call last):
    cgkit.errors.OperandError: the number of groups is a whole number of at least 1, not 1.5

    Raises
    ------
    OperandError
        It is no whole number, or too small.
    """
    if is_whole(x) and (least is None or x >= least):
        return int(x)
    bound = "" if least is None else f" of at least {least}"
    raise OperandError(f"{what} is a whole number{bound}, not {x!r:.60}")


def is_whole(x: Any) -> bool:
    """Whether a setting is a whole number; a truth value is none.

    Examples
    --------
    >>> is_whole(np.int8(2)), is_whole(2.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(x, int | np.integer) and not isinstance(x, bool)
