"""Maximum pooling: the largest element under each window, and where it stood.

    1 5 2 2
    0 3 9 4   ─ max_pool(kernel=(2, 2)) ─>  5 9        max_pool_places  ─>  1 6
    ...

Going backward, each window's gradient goes whole to the place its maximum came from. Where elements
under a window tie, the first in reading order has it: here a maximum is a choice of one element,
as in every framework, while a maximum over an axis shares evenly (`ops.max`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator, Sample
from cgkit.operators.operands import as_operand
from cgkit.operators.pool_windows import (
    Kernel,
    Pooling,
    folded_windows,
    infer_pool,
    last_sizes,
    reach,
    seen,
)
from cgkit.operators.pooling import SETTINGS, after_channels
from cgkit.operators.reduction import max_
from cgkit.operators.samples import backward_view, variations, with_params
from cgkit.operators.settings import as_shape
from cgkit.operators.windows import Windows, padded, tap, volume
from cgkit.speech import spelled
from cgkit.types import Shape, Size, TensorType, meet, show_shape


def _infer(x: TensorType, **settings: Any) -> TensorType:
    shape, _ = infer_pool("max_pool", x, Pooling(**settings))
    return TensorType(shape, x.dtype)


def _infer_places(x: TensorType, **settings: Any) -> TensorType:
    return TensorType(_infer(x, **settings).shape, "int64")


def _least(dtype: np.dtype) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _ready(x: Any, settings: dict[str, Any]) -> tuple[np.ndarray, Windows]:
    """Give an array with padding that never wins, and where the windows stand on it."""
    x = np.asarray(x)
    _, place = infer_pool("max_pool", TensorType(x.shape, x.dtype), Pooling(**settings))
    pads = reach(x.shape[x.ndim - len(place.kernel) :], place)
    return padded(x, pads, _least(x.dtype)), place


def _compute(x: Any, **settings: Any) -> np.ndarray:
    wide, place = _ready(x, settings)
    return folded_windows(wide, place, np.maximum)


def _compute_places(x: Any, **settings: Any) -> np.ndarray:
    wide, place = _ready(x, settings)
    sizes = np.shape(x)[wide.ndim - len(place.kernel) :]
    taps = list(np.ndindex(*(int(k) for k in place.kernel)))
    first = _first_taps(wide, sizes, place, taps)
    corners, steps = np.zeros((1,) * len(sizes), np.int64), np.zeros(len(taps), np.int64)
    for i, (n, s, d, (low, _)) in enumerate(
        zip(place.places, place.stride, place.dilation, place.pads, strict=True)
    ):
        each = volume(sizes[i + 1 :])
        begin = (np.arange(int(n)) * s - int(low)) * each
        corners = corners + begin.reshape(-1, *(1,) * (len(sizes) - i - 1))
        steps += np.array([at[i] * d * each for at in taps])
    return np.asarray(corners + steps[first])


def _first_taps(
    wide: np.ndarray, sizes: tuple[int, ...], place: Windows, taps: list[tuple[int, ...]]
) -> np.ndarray:
    """Give which element of each window is the first that equals its maximum."""
    best = folded_windows(wide, place, np.maximum)
    unordered = bool(np.isnan(best).any())
    inside = padded(np.ones(sizes, np.bool_), reach(sizes, place))
    rank = np.zeros(best.shape, np.min_scalar_type(len(taps)))
    for i, at in enumerate(taps):
        value = wide[tap(place, at)]
        reached = value == best
        if unordered:
            reached |= np.isnan(value)
        if wide.shape[-len(sizes) :] != sizes:
            reached &= inside[tap(place, at)]
        np.maximum(rank, reached * rank.dtype.type(len(taps) - i), out=rank)
    return len(taps) - rank.astype(np.int64)


def _flops(result: TensorType, x: TensorType, kernel: Kernel, **params: Any) -> Size:
    return result.size * seen(x, kernel)


max_pool_places: Operator = Operator(
    "max_pool_places", _compute_places, spelled(_infer_places, Pooling), operands=1,
    kind=Kind.OPAQUE, family="indexing", flops=_flops,
    samples=with_params(*SETTINGS),
    doc="where the maximum under each window stands, counted along the pooled axes as if they were "
    "one; the first of those that tie",
)  # fmt: skip


def _back(g: Any, y: Any, x: Any, kernel: Kernel, **settings: Any) -> Any:
    places = max_pool_places(x, kernel=kernel, **settings)
    return max_unpool(g, places, size=last_sizes(x, kernel))


max_pool: Operator = Operator(
    "max_pool", _compute, spelled(_infer, Pooling), operands=1, kind=Kind.OPAQUE,
    family="reduction", flops=_flops,
    doc="the largest element under each window; padding never wins; where elements tie, the first "
    "has the gradient",
    gradient=(_back,), saves=("a",), samples=with_params(*SETTINGS),
)  # fmt: skip


def _check_places(name: str, x: TensorType, places: TensorType, axes: int) -> Shape:
    """Give the axes in front, which x and the places share."""
    if places.dtype.kind not in "iu":
        raise DtypeError(f"{name} needs places that are whole numbers, got {places.dtype}")
    lead = x.ndim - axes
    try:
        if places.ndim != x.ndim or not 1 <= axes <= x.ndim:
            raise ShapeError(f"there are {x.ndim} and {places.ndim} axes, {axes} of them pooled")
        return tuple(map(meet, x.shape[:lead], places.shape[:lead]))
    except ShapeError as error:
        raise ShapeError(
            f"{name} cannot use places {show_shape(places.shape)} for {show_shape(x.shape)}",
            why=error.what,
        ) from None


def _infer_unpool(a: TensorType, places: TensorType, size: Shape) -> TensorType:
    size = as_shape(size)
    lead = _check_places("max_unpool", a, places, len(size))
    for have, want in zip(a.shape, places.shape, strict=True):
        meet(have, want)
    return TensorType((*lead, *size), a.dtype)


def _flat(places: Any, rows: int, each: int, size: int) -> np.ndarray:
    """Give places as positions in an array of (rows, size), each checked."""
    flat = np.asarray(places).reshape(rows, each)
    if flat.size and not (flat.min() >= 0 and flat.max() < size):
        wrong = flat[(flat < 0) | (flat >= size)][0]
        raise ShapeError(f"the place {wrong} lies outside {size} elements")
    return flat.astype(np.int64) + np.arange(rows)[:, None] * size


def _unpool(a: Any, places: Any, size: Any) -> np.ndarray:
    a, size = np.asarray(a), as_shape(size)
    known = TensorType(np.shape(places), np.asarray(places).dtype)
    shape = _infer_unpool(TensorType(a.shape, a.dtype), known, size).shape
    lead = len(shape) - len(size)
    rows, each = volume(shape[:lead]), volume(size)
    result = np.zeros(rows * each, a.dtype)
    np.add.at(result, _flat(places, rows, volume(a.shape[lead:]), each).ravel(), a.ravel())
    return result.reshape([int(n) for n in shape])


def _infer_taken(x: TensorType, places: TensorType, axes: int) -> TensorType:
    lead = _check_places("max_pool_taken", x, places, axes)
    return TensorType((*lead, *places.shape[len(lead) :]), x.dtype)


def _taken(x: Any, places: Any, axes: int) -> np.ndarray:
    x = np.asarray(x)
    known = TensorType(np.shape(places), np.asarray(places).dtype)
    shape = _infer_taken(TensorType(x.shape, x.dtype), known, axes).shape
    lead = x.ndim - axes
    rows, each = volume(x.shape[:lead]), volume(x.shape[lead:])
    flat = _flat(places, rows, volume(np.shape(places)[lead:]), each)
    return np.asarray(x.ravel()[flat.ravel()].reshape(shape))


def _placed(rng: np.random.Generator) -> Iterator[tuple[Sample, np.ndarray]]:
    """Draw images with the places of their maxima, which may stand twice."""
    cases: tuple[tuple[Any, ...], ...] = (
        ((1, 2, 3, 4), {"kernel": (2, 2), "stride": 1}),
        ((2, 5), {"kernel": (3,), "stride": 1, "padding": 1}),
        ((0, 1, 3), {"kernel": (2,)}),
    )
    for shape, params in cases:
        for dtype in ("float64", "float32"):
            x = rng.normal(size=shape).astype(dtype)
            yield Sample((x,), params), _compute_places(x, **params)


def _unpool_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for sample, places in _placed(rng):
        a = rng.normal(size=places.shape).astype(sample.operands[0].dtype)
        size = last_sizes(sample.operands[0], sample.params["kernel"])
        yield Sample((a, places), {"size": size})
    turned = backward_view(np.array([[0, 2, 2], [1, 0, 3]]))
    yield from variations(rng, Sample((rng.normal(size=(2, 3)), turned), {"size": (4,)}))


def _taken_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for sample, places in _placed(rng):
        yield Sample((*sample.operands, places), {"axes": len(sample.params["kernel"])})
    turned = backward_view(np.array([[0, 2, 2], [1, 0, 3]]))
    yield from variations(rng, Sample((rng.normal(size=(2, 4)), turned), {"axes": 1}))


max_unpool: Operator = Operator(
    "max_unpool", _unpool, _infer_unpool, operands=2, kind=Kind.OPAQUE, family="indexing",
    flops=lambda result, a, places, size: a.size,
    doc="zeros of a size to which a is added at places: the gradient of max_pool",
    gradient=(lambda g, y, a, places, size: max_pool_taken(g, places, axes=len(size)), None),
    saves=("b", ""), samples=_unpool_samples,
)  # fmt: skip
max_pool_taken: Operator = Operator(
    "max_pool_taken", _taken, _infer_taken, operands=2, kind=Kind.OPAQUE, family="indexing",
    flops=lambda result, x, places, axes: 0,
    doc="the elements at places, counted along the last axes as if they were one",
    gradient=(
        lambda g, y, x, places, axes: max_unpool(g, places, size=x.shape[len(x.shape) - axes :]),
        None,
    ),
    saves=("b", ""), samples=_taken_samples,
)  # fmt: skip


def global_max_pool(x: Any) -> Any:
    """Give the largest element of each channel, over all axes after batch and channels.

    Elements that tie share the gradient evenly, as in any maximum over axes.

    Examples
    --------
    >>> global_max_pool(np.arange(8.0).reshape(1, 2, 4)).tolist()
    [[[3.0], [7.0]]]
    """
    x = as_operand(x)
    return max_(x, axis=after_channels("global_max_pool", x), keepdims=True)


COMPOSED = (global_max_pool,)
