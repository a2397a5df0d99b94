"""Pooling: one number for what lies under a window, channel by channel.

    (N, C, 6, 6) ─ avg_pool(kernel=(2, 2)) ─> (N, C, 3, 3)       the mean of each 2 x 2 window

Windows slide over the last axes, one for each size of the kernel; a single number as kernel stands
for all axes after the first two, batch and channels. They stand side by side unless a stride says
otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import DtypeError, OperandError, ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import abs_, cast, equal, pow_, quiet, sign, where
from cgkit.operators.linalg import matmul
from cgkit.operators.movement import transpose
from cgkit.operators.operands import as_operand
from cgkit.operators.pool_windows import (
    Kernel,
    Pooling,
    axes_of,
    folded_windows,
    infer_pool,
    last_sizes,
    pool_windows,
    reach,
    seen,
    spread_windows,
)
from cgkit.operators.reduction import mean
from cgkit.operators.samples import apart, with_params
from cgkit.operators.settings import as_whole, normal_axes
from cgkit.operators.windows import Setting, Windows, inner, padded
from cgkit.speech import spelled
from cgkit.types import Shape, TensorType, meet, show_shape


def _counts(sizes: Shape, place: Windows, include: bool, divisor: int | None) -> Any:
    """Give by what each window's sum is divided: how many elements it sees."""
    if divisor is not None:
        return divisor
    result: Any = 1
    for size, k, s, d, (low, high), n in zip(sizes, *place, strict=True):
        at = np.arange(int(n))[:, None] * s + np.arange(int(k)) * d - low
        first, end = (-low, size + high) if include else (0, size)
        inside = (at >= first) & (at < end)
        result = np.multiply.outer(result, inside.sum(axis=1))
    return result


def _mean_type(name: str, dtype: np.dtype) -> np.dtype:
    if dtype.kind not in "fiu":
        raise DtypeError(f"{name} cannot take {dtype}", attempt="a cast to a number first")
    return dtype if dtype.kind == "f" else np.dtype("float64")


def _wide(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Give an array in a dtype in which sums do not outgrow float16."""
    return x.astype(np.dtype("float32") if dtype.itemsize < 4 else dtype, copy=False)


def _check_divisor(divisor: Any) -> None:
    if divisor is not None and as_whole("the divisor of avg_pool", divisor) == 0:
        raise OperandError("avg_pool cannot divide by 0")


def _infer_avg(
    x: TensorType, *, count_include_pad: bool = True, divisor: int | None = None, **settings: Any
) -> TensorType:
    _check_divisor(divisor)
    shape, _ = infer_pool("avg_pool", x, Pooling(**settings))
    return TensorType(shape, _mean_type("avg_pool", x.dtype))


def _avg(
    x: Any, *, count_include_pad: bool = True, divisor: int | None = None, **settings: Any
) -> np.ndarray:
    x = np.asarray(x)
    made = _infer_avg(TensorType(x.shape, x.dtype), divisor=divisor, **settings)
    _, place = infer_pool("avg_pool", TensorType(x.shape, x.dtype), Pooling(**settings))
    sizes = x.shape[x.ndim - len(place.kernel) :]
    total = folded_windows(padded(_wide(x, made.dtype), reach(sizes, place)), place, np.add)
    total /= _counts(sizes, place, count_include_pad, divisor)
    return total.astype(made.dtype, copy=False)


def _infer_unpool(
    g: TensorType,
    size: Shape,
    *,
    count_include_pad: bool = True,
    divisor: int | None = None,
    **settings: Any,
) -> TensorType:
    _check_divisor(divisor)
    lead = g.shape[: g.ndim - len(size)]
    shape, _ = infer_pool("avg_pool", TensorType((*lead, *size), g.dtype), Pooling(**settings))
    try:
        for found, expected in zip(g.shape, shape, strict=True):
            meet(found, expected)
    except (ShapeError, ValueError) as error:
        raise ShapeError(
            f"avg_pool gives {show_shape(shape)}, and its gradient has {show_shape(g.shape)}",
            why=str(error),
        ) from None
    return TensorType((*lead, *size), _mean_type("avg_pool", g.dtype))


def _unpool(
    g: Any,
    size: tuple[int, ...],
    *,
    count_include_pad: bool = True,
    divisor: int | None = None,
    **settings: Any,
) -> np.ndarray:
    g = np.asarray(g)
    made = _infer_unpool(TensorType(g.shape, g.dtype), size, divisor=divisor, **settings)
    place = pool_windows("avg_pool", size, Pooling(**settings))
    pads: Any = reach(size, place)
    wide = [n + low + high for n, (low, high) in zip(size, pads, strict=True)]
    share = _wide(g, made.dtype) / _counts(size, place, count_include_pad, divisor)
    spread = spread_windows(_wide(share, made.dtype), place, wide)[inner(size, pads)]
    return np.array(spread, made.dtype)


SETTINGS: tuple[tuple[Any, ...], ...] = (
    ((1, 2, 4, 4), {"kernel": 2}),
    ((1, 5, 5), {"kernel": (3, 2), "stride": (2, 1), "padding": (1, 0)}),
    ((1, 1, 5), {"kernel": 2, "ceil_mode": True}),
    ((1, 1, 6, 4), {"kernel": (3, 3), "stride": 2, "padding": 1, "ceil_mode": True}),
    ((7,), {"kernel": (2,), "dilation": 2, "stride": 1}),
    ((1, 2, 3, 2, 3), {"kernel": (2, 1, 2), "stride": 1, "padding": "same"}),
    ((0, 1, 3, 3), {"kernel": 2}),
)
COUNTED: tuple[tuple[Any, ...], ...] = (
    ((1, 1, 4, 5), {"kernel": 3, "padding": 1, "stride": 2, "count_include_pad": False}),
    ((1, 1, 4, 5), {"kernel": (2, 3), "divisor": 3}),
    ((1, 1, 7), {"kernel": 3, "padding": ((0, 1),), "stride": 2, "ceil_mode": True}),
)
avg_pool: Operator = Operator(
    "avg_pool", quiet(_avg), spelled(_infer_avg, Pooling), operands=1, kind=Kind.OPAQUE,
    family="reduction",
    flops=lambda result, x, kernel, **params: result.size * (seen(x, kernel) + 1),
    doc="the mean under each window; padding counts as zeros unless count_include_pad=False, and "
    "divisor takes the place of the number of elements",
    gradient=(
        lambda g, y, x, kernel, **params: avg_unpool(
            g, size=last_sizes(x, kernel), kernel=kernel, **params
        ),
    ),
    samples=with_params(*SETTINGS, *COUNTED),
)  # fmt: skip


def _unpool_case(case: tuple[Any, ...]) -> tuple[Any, ...]:
    shape, params = case
    found = _infer_avg(TensorType(shape, "float64"), **params)
    return found.shape, {
        "size": last_sizes(TensorType(shape, "float64"), params["kernel"]),
        **params,
    }


avg_unpool: Operator = Operator(
    "avg_unpool", quiet(_unpool), spelled(_infer_unpool, Pooling), operands=1, kind=Kind.OPAQUE,
    family="reduction",
    flops=lambda result, g, size, kernel, **params: g.size * (seen(g, kernel) + 1),
    doc="each element shared evenly among what its window sees: the gradient of avg_pool",
    gradient=(lambda g, y, x, size, **params: avg_pool(g, **params),),
    samples=with_params(*map(_unpool_case, (*SETTINGS, *COUNTED))),
)  # fmt: skip


def _infer_lp(x: TensorType, *, p: float = 2, **settings: Any) -> TensorType:
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 < p < np.inf:
        raise OperandError(f"the power p of lp_pool is a positive number, not {p!r}")
    shape, _ = infer_pool("lp_pool", x, Pooling(**settings))
    return TensorType(shape, _mean_type("lp_pool", x.dtype))


def _lp(x: Any, *, p: float = 2, **settings: Any) -> np.ndarray:
    x = np.asarray(x)
    made = _infer_lp(TensorType(x.shape, x.dtype), p=p, **settings)
    _, place = infer_pool("lp_pool", TensorType(x.shape, x.dtype), Pooling(**settings))
    sizes = x.shape[x.ndim - len(place.kernel) :]
    powers = np.abs(_wide(x, made.dtype)) ** p
    total = folded_windows(padded(powers, reach(sizes, place)), place, np.add)
    return (total ** (1 / p)).astype(made.dtype, copy=False)


def _lp_back(g: Any, y: Any, x: Any, *, kernel: Kernel, p: float = 2, **settings: Any) -> Any:
    zero = equal(y, 0)  # a window of zeros has a kink: its gradient is 0, as that of any norm
    share = where(zero, 0.0, g * pow_(where(zero, 1.0, y), 1.0 - p))
    spread = avg_unpool(share, size=last_sizes(x, kernel), kernel=kernel, divisor=1, **settings)
    return spread * sign(x) * pow_(abs_(x), p - 1.0)


lp_pool: Operator = Operator(
    "lp_pool", quiet(_lp), spelled(_infer_lp, Pooling), operands=1, kind=Kind.OPAQUE,
    family="reduction",
    flops=lambda result, x, kernel, **params: x.size * 2
    + result.size * (seen(x, kernel) + 1),
    doc="the p-norm of what lies under each window: (sum of |x|^p) ^ (1/p)",
    gradient=(_lp_back,), saves=("ay",),
    samples=with_params(
        ((1, 2, 4, 4), {"kernel": 2}), ((1, 1, 7), {"kernel": 3, "p": 3, "stride": 2}),
        ((5, 4), {"kernel": (2, 2), "p": 1, "padding": 1, "stride": 1}),
        ((1, 1, 5), {"kernel": 2, "p": 1.5, "ceil_mode": True}), ((0, 1, 2), {"kernel": 2}),
        draw=apart,
    ),
)  # fmt: skip


def global_avg_pool(x: Any) -> Any:
    """Give the mean of each channel, over all axes after batch and channels.

    Parameters
    ----------
    x
        Images of shape (N, C, ...).

    Returns
    -------
    Of shape (N, C, 1, ...).

    Examples
    --------
    >>> global_avg_pool(np.arange(8.0).reshape(1, 2, 4)).tolist()
    [[[1.5], [5.5]]]
    """
    x = as_operand(x)
    return mean(x, axis=after_channels("global_avg_pool", x), keepdims=True)


def global_lp_pool(x: Any, *, p: float = 2) -> Any:
    """Give the p-norm of each channel, over all axes after batch and channels.

    Examples
    --------
    >>> global_lp_pool(np.array([[[3.0, 4.0]]])).tolist()
    [[[5.0]]]
    """
    x = as_operand(x)
    after_channels("global_lp_pool", x)
    return lp_pool(x, kernel=tuple(x.shape[2:]), stride=1, p=p)


def after_channels(name: str, x: Any) -> tuple[int, ...]:
    """Give the axes after batch and channels; ShapeError where there are none."""
    if len(x.shape) < 3:
        raise ShapeError(
            f"{name} takes images (N, C, ...), got {show_shape(x.shape)}",
            attempt="x.mean(axis=...) for other axes",
        )
    return tuple(range(2, len(x.shape)))


def adaptive_avg_pool(x: Any, size: Setting) -> Any:
    """Give means over windows that are chosen so that the result has a size.

    Place i of n sees the elements from floor(i * size / n) to ceil((i + 1) * size / n).

    Parameters
    ----------
    x
        A tensor; its last axes are pooled.
    size
        A size for each of the last axes; a number stands for all axes after the first two.

    Raises
    ------
    ShapeError
        A size is no size, or an axis is open and not pooled to 1.

    Examples
    --------
    >>> adaptive_avg_pool(np.array([[[1.0, 2.0, 3.0]]]), 2).tolist()
    [[[1.5, 2.5]]]
    """
    x = as_operand(x)
    axes = axes_of(size, len(x.shape))
    wanted = tuple(size) if isinstance(size, tuple | list) else (size,) * axes
    if not 1 <= axes <= len(x.shape) or not all(isinstance(n, int) and n > 0 for n in wanted):
        raise ShapeError(f"adaptive_avg_pool cannot make {size!r} of {show_shape(x.shape)}")
    for axis, n in zip(normal_axes(tuple(range(-axes, 0)), len(x.shape)), wanted, strict=True):
        x = _adapt(x, axis, n)
    return x


def _adapt(x: Any, axis: int, n: int) -> Any:
    size = x.shape[axis]
    if n == 1:
        return mean(x, axis=axis, keepdims=True)
    if not isinstance(size, int):
        raise ShapeError(
            f"adaptive_avg_pool cannot make {n} of axis {axis} before its size {size} is known"
        )
    places = np.arange(n)
    first, end = places * size // n, -(-(places + 1) * size // n)
    under = (np.arange(size)[:, None] >= first) & (np.arange(size)[:, None] < end)
    matrix = under / (end - first)
    turned = list(range(len(x.shape)))
    turned[axis], turned[-1] = turned[-1], turned[axis]
    wide = x if x.dtype.kind == "f" else cast(x, dtype="float64")
    product = matmul(transpose(wide, axes=tuple(turned)), matrix.astype(wide.dtype))
    return transpose(product, axes=tuple(turned))


COMPOSED = (global_avg_pool, global_lp_pool, adaptive_avg_pool)
