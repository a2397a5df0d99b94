"""Spread and length: how far numbers lie from their mean, and how far a vector reaches.

    1 2 3 4 ─ minus their mean ─> -1.5 -.5 .5 1.5 ─ squared, summed, over 4 - correction ─> var

Where no direction is better than another the gradient is 0: of std for equal numbers, of norm at
zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import (
    abs_,
    cast,
    div,
    equal,
    maximum,
    not_equal,
    pow_,
    quiet,
    sign,
    sub,
)
from cgkit.operators.reduction import (
    AXES,
    Axis,
    as_wide,
    cast_count,
    float_dtype,
    folded,
    infer_reduction,
    mean,
    spread,
    sum_,
)
from cgkit.operators.samples import apart, with_params
from cgkit.operators.settings import normal_axes
from cgkit.types import Size, TensorType

_total: Callable[..., Any] = np.add.reduce
_largest: Callable[..., Any] = np.maximum.reduce


def _var(a: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
    array, dtype = as_wide("var", a)
    axes = normal_axes(axis, array.ndim)
    size = int(folded(array.shape, axis))
    center = _total(array, axes, keepdims=True) / array.dtype.type(size)
    total = _total(np.square(array - center), axes, keepdims=keepdims)
    return np.asarray(total / array.dtype.type(max(size - correction, 0))).astype(dtype)


def _std(a: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
    array, dtype = as_wide("std", a)
    return np.sqrt(_var(array, axis, correction, keepdims)).astype(dtype)


def _degrees(g: Any, a: Any, axis: Axis, correction: float) -> Any:
    """Give how many numbers may vary: the count less the correction, at least 0."""
    size: Size = folded(a.shape, axis)
    if isinstance(size, int):
        return float(max(size - correction, 0))
    return maximum(sub(cast_count(size, g), float(correction)), 0.0)


def _centered(a: Any, axis: Axis) -> Any:
    return a - mean(a, axis=axis, keepdims=True)


def _var_back(
    g: Any, y: Any, a: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False
) -> Any:
    share = div(g + g, _degrees(g, a, axis, correction))
    return spread(share, a, axis) * _centered(a, axis)


def _std_back(
    g: Any, y: Any, a: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False
) -> Any:
    share = div(_over(g, y), _degrees(g, a, axis, correction))
    return spread(share, a, axis) * _centered(a, axis)


def _over(g: Any, y: Any) -> Any:
    """Divide by y, and give 0 where y is 0, to every order."""
    there = cast(not_equal(y, 0), dtype=g.dtype.name)
    return div(g * there, y + (1.0 - there))


def _infer_spread(name: str) -> Any:
    reduced = infer_reduction(name, partial(float_dtype, name))

    def infer(
        a: TensorType, axis: Axis = None, correction: float = 0, keepdims: bool = False
    ) -> Any:
        return reduced(a, axis, keepdims)

    return infer


SPREADS: tuple[tuple[Any, ...], ...] = (
    *(case for case in AXES if case[0] != (1, 4)), ((2, 3), {"correction": 1}),
    ((4, 3), {"axis": 0, "correction": 1, "keepdims": True}),
    ((3, 4), {"axis": -1, "correction": 0.5}),
)  # fmt: skip
var: Operator = Operator(
    "var", quiet(_var), _infer_spread("var"), operands=1, kind=Kind.REDUCTION, family="reduction",
    flops=lambda result, a, **params: a.size * 4 + result.size,
    doc="the mean of squared distances from the mean along axes; the count is less a correction",
    gradient=(_var_back,), saves=("a",), samples=with_params(*SPREADS),
)  # fmt: skip
std: Operator = Operator(
    "std", quiet(_std), _infer_spread("std"), operands=1, kind=Kind.REDUCTION, family="reduction",
    flops=lambda result, a, **params: a.size * 4 + result.size * 2,
    doc="the square root of var; its derivative for equal numbers is 0",
    gradient=(_std_back,), saves=("ay",), samples=with_params(*SPREADS),
)  # fmt: skip


def _order_of(order: Any) -> float:
    if isinstance(order, bool) or not isinstance(order, int | float) or not order > 0:
        raise ShapeError(f"a norm is of a positive number such as 1, 2 or inf, not of {order!r}")
    return float(order)


def _norm(a: Any, order: float = 2, axis: Axis = None, keepdims: bool = False) -> Any:
    p = _order_of(order)
    array, dtype = as_wide("norm", a)
    axes = normal_axes(axis, array.ndim)
    return np.asarray(_length(np.abs(array), p, axes, keepdims)).astype(dtype, copy=False)


def _length(sizes: np.ndarray, p: float, axes: tuple[int, ...], keepdims: bool) -> Any:
    if p == math.inf:
        return _largest(sizes, axes, keepdims=keepdims, initial=0)
    powers = sizes if p == 1 else sizes * sizes if p == 2 else sizes**p
    total = _total(powers, axes, keepdims=keepdims)
    return total if p == 1 else np.sqrt(total) if p == 2 else total ** (1 / p)


def _infer_norm(
    a: TensorType, order: float = 2, axis: Axis = None, keepdims: bool = False
) -> TensorType:
    _order_of(order)
    found: TensorType = _reduced_norm(a, axis, keepdims)
    return found


_reduced_norm = infer_reduction("norm", partial(float_dtype, "norm"))


def _norm_back(
    g: Any, y: Any, a: Any, order: float = 2, axis: Axis = None, keepdims: bool = False
) -> Any:
    p = float(order)
    if p == 2:
        return spread(_over(g, y), a, axis) * a
    direction = spread(g, a, axis) * sign(a)
    if p == 1:
        return direction
    sizes, whole = abs_(a), spread(y, a, axis)
    if p == math.inf:
        reached = cast(equal(sizes, whole), dtype=g.dtype.name)
        return div(direction * reached, spread(_ties(reached, axis), a, axis))
    return direction * pow_(div(_not_zero(sizes), _not_zero(whole)), p - 1)


def _ties(reached: Any, axis: Axis) -> Any:
    return sum_(reached, axis=axis, keepdims=axis is not None)


def _not_zero(x: Any) -> Any:
    """Put 1 for zeros: the sign of 0 takes them away later."""
    return x + cast(equal(x, 0), dtype=x.dtype.name)


norm: Operator = Operator(
    "norm", quiet(_norm), _infer_norm, operands=1, kind=Kind.REDUCTION, family="reduction",
    flops=lambda result, a, **params: a.size * 2,
    doc="the length of the vectors along axes, of an order; its derivative at zeros is 0",
    gradient=(_norm_back,), saves=("ay",),
    samples=with_params(
        *AXES, ((2, 3), {"order": 1, "axis": 1}), ((2, 3), {"order": 3.5, "axis": 0}),
        ((2, 3), {"order": math.inf}), ((4, 3), {"order": math.inf, "axis": -1, "keepdims": True}),
        ((3,), {"order": 0.5}), ((0,), {}), draw=apart,
    ),
)  # fmt: skip
