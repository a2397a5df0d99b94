"""Pooling as ONNX's AveragePool, LpPool and MaxPool, and the gradients of pooling.

    (7,)  kernel (2,)      ONNX pools images (N, C, ...): the axes in front are laid into N
    avg_unpool             each element shared among what its window saw, tap by tap along each axis
    max_unpool             ScatterElements of the sum, at places counted along the pooled axes

Where an operator of ONNX takes no such dtype, or has no such setting, windows are folded tap by
tap, axis by axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.exporting.convolution import attributes, known, padded_apart
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.reduction import floats
from cgkit.onnx.exporting.schemas import takes
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.indices import Span
from cgkit.operators.pool_windows import Pooling, axes_of, pool_windows
from cgkit.operators.windows import Pads, Windows
from cgkit.types import Shape, Size, count


def _stand(name: str, shape: Shape, settings: Mapping[str, Any]) -> tuple[Windows, Shape]:
    """Give where the windows of a pooling stand, and the sizes of the axes that it pools."""
    pooling = Pooling(**settings)
    sizes = shape[len(shape) - axes_of(pooling.kernel, len(shape)) :]
    return pool_windows(name, sizes, pooling), sizes


def _pooled(
    draft: Draft,
    operator: str,
    x: Term,
    settings: Mapping[str, Any],
    fill: float | None,
    **more: Any,
) -> Term:
    """Write one of ONNX's poolings over images, and give the result our shape.

    Open padding is filled by itself; None as `fill` where padding counts as nothing.
    """
    shape = x.shape or ()
    place, sizes = _stand(draft.node.operator.name, shape, settings)
    kernel = known(draft, "a window", place.kernel)
    images, pads = _as_images(draft, x, len(sizes)), place.pads
    if fill is not None:
        images, pads = padded_apart(draft, images, pads, fill)
    each = attributes(draft, place.stride, pads, place.dilation, kernel)
    ceil = int(bool(settings.get("ceil_mode", False)))
    made = draft.add(operator, images, ceil_mode=ceil, **each, **more)
    return made if len(shape) == len(sizes) + 2 else draft.reshape(made, draft.shape)


def _as_images(draft: Draft, x: Term, axes: int) -> Term:
    shape = x.shape or ()
    if len(shape) == axes + 2:
        return x
    lead = shape[: len(shape) - axes]
    return draft.reshape(x, (count(lead), 1, *shape[len(lead) :]))


def _avg(
    draft: Draft, x: Term, count_include_pad: bool = True, divisor: Any = None, **settings: Any
) -> Any:
    x = draft.cast(x, draft.dtype)
    if divisor is None:
        include = int(bool(count_include_pad))
        fill = 0.0 if include else None
        return _pooled(draft, "AveragePool", x, settings, fill, count_include_pad=include)

    def shared(x: Any) -> Any:
        return ops.div(_folded("avg_pool", x, settings, ops.add, 0), float(divisor))

    return draft.express(shared, x)


def _lp(draft: Draft, x: Term, p: float = 2, **settings: Any) -> Any:
    x = draft.cast(x, draft.dtype)
    if p == int(p):
        return _pooled(draft, "LpPool", x, settings, 0.0, p=int(p))

    def length(x: Any) -> Any:
        powers = ops.pow(ops.abs(x), float(p))
        return ops.pow(_folded("lp_pool", powers, settings, ops.add, 0), 1 / p)

    return draft.express(length, x)


def _max(draft: Draft, x: Term, **settings: Any) -> Any:
    least = -np.inf if draft.dtype.kind == "f" else np.iinfo(draft.dtype).min
    if draft.dtype in takes("MaxPool", draft.opset):
        return _pooled(draft, "MaxPool", x, settings, least)

    def largest(x: Any) -> Any:
        return _folded("max_pool", x, settings, ops.maximum, least)

    return draft.express(largest, x)


def _max_places(draft: Draft, x: Term, **settings: Any) -> Term:
    if x.dtype not in takes("MaxPool", draft.opset):
        x = draft.cast(x, np.float64)
    shape = x.shape or ()
    place, sizes = _stand("max_pool", shape, settings)
    kernel = known(draft, "a window", place.kernel)
    each = attributes(draft, place.stride, place.pads, place.dilation, kernel)
    ceil = int(bool(settings.get("ceil_mode", False)))
    _, places = draft.several(
        "MaxPool", _as_images(draft, x, len(sizes)), gives=(None, np.int64), ceil_mode=ceil, **each
    )
    one = draft.add("Mod", places, draft.size(count(sizes)))  # ONNX counts through all images
    return draft.reshape(Term(one.name, one.dtype), draft.shape)


def _folded(name: str, x: Any, settings: Mapping[str, Any], fold: Any, fill: float) -> Any:
    """Fold what lies under each window, axis by axis; padding is filled with a number."""
    place, sizes = _stand(name, x.shape, settings)
    lead = x.ndim - len(sizes)
    x = ops.pad(x, pads=((0, 0),) * lead + _room(place, settings), value=fill)
    return _under(x, place, fold)


def _room(place: Windows, settings: Mapping[str, Any]) -> Pads:
    """Give padding in which all windows lie: they hang over its end by less than a stride."""
    hang = [(s - 1) * bool(settings.get("ceil_mode")) for s in place.stride]
    return tuple((low, high + more) for (low, high), more in zip(place.pads, hang, strict=True))


def _under(x: Any, place: Windows, fold: Any) -> Any:
    """Fold what lies under each window of padded axes, the last ones."""
    lead = x.ndim - len(place.kernel)
    for i, (k, s, d, _, n) in enumerate(zip(*place, strict=True)):
        spans = [Span(t * d, t * d + (n - 1) * s + 1, s) for t in range(int(k))]
        front = (Span(),) * (lead + i)
        x = reduce(fold, [ops.slice(x, index=(*front, each)) for each in spans])
    return x


def _unpool(
    g: Any, size: Shape, count_include_pad: bool = True, divisor: Any = None, **settings: Any
) -> Any:
    """Share each element among what its window saw."""
    lead = g.ndim - len(size)
    place = pool_windows("avg_pool", size, Pooling(**settings))
    g = floats(g)
    g = ops.div(g, _counts(g, size, place, settings, count_include_pad, divisor))
    pads = _room(place, settings)
    for i, (n, k, s, d, (low, high), places) in enumerate(
        zip(size, place.kernel, place.stride, place.dilation, pads, place.places, strict=True)
    ):
        wide = n + low + high
        g = _spread_axis(_apart(g, lead + i, places, s), lead + i, int(k), d, wide)
        g = ops.slice(g, index=(*(Span(),) * (lead + i), Span(low, low + n)))
    return g


def _apart(g: Any, axis: int, places: Size, stride: int) -> Any:
    """Put zeros between the elements of an axis, so that they stand a stride apart."""
    if stride == 1:
        return g
    behind = g.ndim - axis
    column = ops.unsqueeze(g, axis=axis + 1)
    filled = ops.pad(
        column, pads=((0, 0),) * (axis + 1) + ((0, stride - 1),) + ((0, 0),) * (behind - 1)
    )
    line = ops.reshape(filled, shape=(*g.shape[:axis], places * stride, *g.shape[axis + 1 :]))
    return ops.slice(line, index=(*(Span(),) * axis, Span(0, (places - 1) * stride + 1)))


def _spread_axis(g: Any, axis: int, kernel: int, dilation: int, wide: Size) -> Any:
    """Add each element to all that its window sees along an axis."""
    behind = ((0, 0),) * (g.ndim - axis - 1)
    parts = [
        ops.pad(
            g,
            pads=((0, 0),) * axis + ((t * dilation, wide - g.shape[axis] - t * dilation),) + behind,
        )
        for t in range(kernel)
    ]
    return reduce(ops.add, parts)


def _counts(
    g: Any, size: Shape, place: Windows, settings: Mapping[str, Any], include: bool, divisor: Any
) -> Any:
    """Give by what the sum of each window is divided."""
    if divisor is not None:
        return float(divisor)
    padded = any(pair != (0, 0) for pair in place.pads)
    if not settings.get("ceil_mode") and (include or not padded):
        return float(np.prod([int(k) for k in place.kernel]))
    ones = ops.broadcast_to(g.builder.constant(np.ones((), g.dtype)), shape=size)
    seen = ops.pad(ones, pads=place.pads, value=float(include))
    room = zip(_room(place, settings), place.pads, strict=True)
    hang = tuple((0, end - high) for (_, end), (_, high) in room)
    return _under(ops.pad(seen, pads=hang), place, ops.add)


def _max_unpool(draft: Draft, a: Term, places: Term, size: Any) -> Term:
    lead = (a.shape or ())[: len(draft.shape) - len(size)]
    dtype = np.dtype("int32") if draft.dtype == np.bool_ else draft.dtype
    flat = draft.zeros((*lead, count(draft.shape[len(lead) :])), dtype)
    rest = count((a.shape or ())[len(lead) :])
    at = draft.reshape(draft.cast(places, np.int64), (*lead, rest))
    given = draft.reshape(draft.cast(a, dtype), (*lead, rest))
    made = draft.add("ScatterElements", flat, at, given, axis=len(lead), reduction="add")
    return draft.reshape(Term(made.name, dtype), draft.shape)


def _taken(draft: Draft, x: Term, places: Term, axes: int) -> Term:
    lead = (x.shape or ())[: len(draft.shape) - axes]
    flat = draft.reshape(x, (*lead, count((x.shape or ())[len(lead) :])))
    at = draft.cast(places, np.int64)
    at = draft.reshape(at, (*lead, count(draft.shape[len(lead) :])))
    found = draft.add("GatherElements", flat, at, axis=len(lead))
    return draft.reshape(Term(found.name, found.dtype), draft.shape)


RULES: Mapping[str, Rule] = MappingProxyType({
    "avg_pool": _avg, "lp_pool": _lp, "max_pool": _max, "max_pool_places": _max_places,
    "max_unpool": _max_unpool, "max_pool_taken": _taken,
})  # fmt: skip
FORMULAS: Mapping[str, Rule] = MappingProxyType({"avg_unpool": _unpool})
