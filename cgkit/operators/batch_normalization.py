"""Batch normalization: each channel brought to mean 0 and variance 1 over the whole batch.

    x (N, C, H, W) ─┐
    scale, shift (C,)┴─> batch_norm_train ─> y, mean, var        statistics of this batch
    mean, var (C,) ─────> batch_norm ──────> y                   statistics kept from training

Both are pure: a layer that keeps running statistics blends them with `mean` and `var` itself. The
variance is the biased one, over N*H*W numbers. `batch_norm` is one affine map for each channel, so
a pass may fold it into the convolution before it; `batch_norm_train` may not be folded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, MultiOperator, Operator, Sample, Samples
from cgkit.operators.elementwise import div, mul, quiet
from cgkit.operators.movement import broadcast_to, reshape
from cgkit.operators.powers import rsqrt, square
from cgkit.operators.reduction import as_wide, cast_count, float_dtype, folded, mean, sum_
from cgkit.operators.samples import FLOATS, variations
from cgkit.operators.settings import as_number, normal_axis
from cgkit.types import Shape, Size, TensorType, meet, show_shape


def _check(name: str, x: TensorType, epsilon: Any, axis: int, **vectors: TensorType) -> np.dtype:
    """Check that there is one number for each channel; give the dtype of the result."""
    at = _channel_axis(x.ndim, axis)
    as_number(f"the epsilon of {name}", epsilon, least=0)
    for role, vector in vectors.items():
        if vector.dtype.kind not in "fiub":
            raise DtypeError(f"{name} cannot take a {role} of {vector.dtype}")
        try:
            if vector.ndim != 1:
                raise ShapeError(f"it has {vector.ndim} axes")
            meet(x.shape[at], vector.shape[0])
        except ShapeError as error:
            raise ShapeError(
                f"{name} needs a {role} of shape ({x.shape[at]},), one for each channel of "
                f"{show_shape(x.shape)}, got {show_shape(vector.shape)}",
                why=error.what,
                attempt="images as (N, C, ...), with channels second, or axis=-1",
            ) from None
    return np.result_type(
        float_dtype(name, x.dtype), *(float_dtype(name, v.dtype) for v in vectors.values())
    )


def _channel_axis(ndim: int, axis: int) -> int:
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise ShapeError(f"the channels lie along one axis, not along {axis!r}")
    return normal_axis(axis, ndim)


def _infer_norm(
    x: TensorType,
    scale: TensorType,
    shift: TensorType,
    center: TensorType,
    spread: TensorType,
    epsilon: float = 1e-5,
    axis: int = 1,
) -> TensorType:
    vectors = {"scale": scale, "shift": shift, "mean": center, "var": spread}
    return TensorType(x.shape, _check("batch_norm", x, epsilon, axis, **vectors))


def _types(*arrays: Any) -> list[Any]:
    return [TensorType(np.shape(a), np.asarray(a).dtype) for a in arrays]


def _across(vector: np.ndarray, ndim: int, axis: int) -> np.ndarray:
    """Give a vector the axes of x, so that it stands along the channels."""
    at = _channel_axis(ndim, axis)
    return vector.reshape((1,) * at + (-1,) + (1,) * (ndim - at - 1))


def _norm(
    x: Any, scale: Any, shift: Any, center: Any, spread: Any, epsilon: float = 1e-5, axis: int = 1
) -> np.ndarray:
    dtype = _infer_norm(*[*_types(x, scale, shift, center, spread), epsilon, axis]).dtype
    x, a, b, m, v = (as_wide("batch_norm", each)[0] for each in (x, scale, shift, center, spread))
    a = a / np.sqrt(v + v.dtype.type(epsilon))
    found = (x - _across(m, x.ndim, axis)) * _across(a, x.ndim, axis) + _across(b, x.ndim, axis)
    return np.asarray(found.astype(dtype, copy=False))


def _infer_train(
    x: TensorType, scale: TensorType, shift: TensorType, epsilon: float = 1e-5, axis: int = 1
) -> tuple[TensorType, ...]:
    dtype = _check("batch_norm_train", x, epsilon, axis, scale=scale, shift=shift)
    channels = (x.shape[_channel_axis(x.ndim, axis)],)
    vector = TensorType(channels, float_dtype("batch_norm_train", x.dtype))
    return TensorType(x.shape, dtype), vector, vector


def _train(
    x: Any, scale: Any, shift: Any, epsilon: float = 1e-5, axis: int = 1
) -> tuple[np.ndarray, ...]:
    known = _infer_train(*[*_types(x, scale, shift), epsilon, axis])
    wide, a, b = (as_wide("batch_norm_train", each)[0] for each in (x, scale, shift))
    axes = _others(wide.ndim, axis)
    number = wide.dtype.type(int(folded(wide.shape, axes)))
    center = np.add.reduce(wide, axes) / number
    apart = wide - _across(center, wide.ndim, axis)
    spread = np.add.reduce(np.square(apart), axes) / number
    a = a / np.sqrt(spread + spread.dtype.type(epsilon))
    y = apart * _across(a, wide.ndim, axis) + _across(b, wide.ndim, axis)
    results = zip((y, center, spread), known, strict=True)
    return tuple(np.asarray(found).astype(kind.dtype, copy=False) for found, kind in results)


def _others(ndim: int, axis: int) -> tuple[int, ...]:
    """Give all axes but that of the channels."""
    at = _channel_axis(ndim, axis)
    return tuple(i for i in range(ndim) if i != at)


def _stand(vector: Any, x: Any, axis: int) -> Any:
    """Let a vector stand along the channels of x."""
    at = _channel_axis(x.ndim, axis)
    shape: Shape = (1,) * at + (vector.shape[0],) + (1,) * (x.ndim - at - 1)
    return reshape(vector, shape=shape)


def _x(g: Any, y: Any, x: Any, a: Any, b: Any, m: Any, v: Any, epsilon: float = 1e-5,
       axis: int = 1) -> Any:  # fmt: skip
    return g * _stand(a * rsqrt(v + epsilon), x, axis)


def _scale(g: Any, y: Any, x: Any, a: Any, b: Any, m: Any, v: Any, epsilon: float = 1e-5,
           axis: int = 1) -> Any:  # fmt: skip
    return sum_(g * (x - _stand(m, x, axis)), axis=_others(x.ndim, axis)) * rsqrt(v + epsilon)


def _shift(g: Any, y: Any, x: Any, *vectors: Any, epsilon: float = 1e-5, axis: int = 1) -> Any:
    return sum_(g, axis=_others(g.ndim, axis))


def _mean(g: Any, y: Any, x: Any, a: Any, b: Any, m: Any, v: Any, epsilon: float = 1e-5,
          axis: int = 1) -> Any:  # fmt: skip
    return sum_(g, axis=_others(g.ndim, axis)) * a * rsqrt(v + epsilon) * -1.0


def _var(g: Any, y: Any, x: Any, a: Any, b: Any, m: Any, v: Any, epsilon: float = 1e-5,
         axis: int = 1) -> Any:  # fmt: skip
    inverse = rsqrt(v + epsilon)
    total = sum_(g * (x - _stand(m, x, axis)), axis=_others(x.ndim, axis))
    return total * a * inverse * inverse * inverse * -0.5


def _samples(vectors: int) -> Samples:
    cases: tuple[tuple[Any, ...], ...] = (
        ((3, 2, 2), {}), ((4, 3), {"axis": -1, "epsilon": 0.1}), ((2, 0, 3), {}),
    )  # fmt: skip

    def samples(rng: np.random.Generator) -> Any:
        drawn = []
        for shape, params in cases:
            channels = shape[params.get("axis", 1)]
            x = rng.normal(size=shape)
            rest = [rng.normal(size=channels) for _ in range(min(vectors, 3))]
            rest += [rng.uniform(0.5, 2.0, size=channels) for _ in range(vectors - 3)]
            drawn.append(Sample((x, *rest), params))
        for sample in drawn:
            for dtype in FLOATS:
                yield Sample(tuple(x.astype(dtype) for x in sample.operands), sample.params)
        yield from variations(rng, drawn[0])

    return samples


batch_norm: Operator = Operator(
    "batch_norm", quiet(_norm), _infer_norm, operands=5, kind=Kind.OPAQUE, family="reduction",
    flops=lambda result, x, *vectors, **params: result.size * 3 + vectors[0].size * 4,
    doc="(x - mean) / sqrt(var + epsilon) * scale + shift for each channel, with given statistics",
    gradient=(_x, _scale, _shift, _mean, _var), saves=("be", "ade", "", "be", "abde"),
    samples=_samples(4),
)  # fmt: skip


def _train_x(
    g: Mapping[int, Any], y: Any, x: Any, a: Any, b: Any, epsilon: float = 1e-5, axis: int = 1
) -> Any:
    axes = _others(x.ndim, axis)
    apart, inverse = _standard(x, axes, epsilon)
    parts = []
    if 0 in g:
        unit = apart * inverse
        rest = mean(g[0], axis=axes, keepdims=True)
        along = unit * mean(g[0] * unit, axis=axes, keepdims=True)
        parts.append((g[0] - rest - along) * (_stand(a, x, axis) * inverse))
    if 1 in g:
        share = div(_stand(g[1], x, axis), cast_count(folded(x.shape, axes), g[1]))
        parts.append(broadcast_to(share, shape=x.shape))
    if 2 in g:
        share = div(_stand(g[2] + g[2], x, axis), cast_count(folded(x.shape, axes), g[2]))
        parts.append(apart * share)
    return sum(parts[1:], parts[0])


def _standard(x: Any, axes: tuple[int, ...], epsilon: float) -> tuple[Any, Any]:
    """Give x without its mean, and 1 over its standard deviation."""
    apart = x - mean(x, axis=axes, keepdims=True)
    return apart, rsqrt(mean(square(apart), axis=axes, keepdims=True) + epsilon)


def _train_scale(
    g: Mapping[int, Any], y: Any, x: Any, a: Any, b: Any, epsilon: float = 1e-5, axis: int = 1
) -> Any:
    axes = _others(x.ndim, axis)
    return sum_(mul(g[0], mul(*_standard(x, axes, epsilon))), axis=axes) if 0 in g else None


def _train_shift(
    g: Mapping[int, Any], y: Any, x: Any, a: Any, b: Any, epsilon: float = 1e-5, axis: int = 1
) -> Any:
    return sum_(g[0], axis=_others(g[0].ndim, axis)) if 0 in g else None


def _train_flops(
    y: TensorType, x: TensorType, scale: TensorType, *rest: Any, **params: Any
) -> Size:
    return x.size * 6 + scale.size * 5


batch_norm_train: Operator = MultiOperator(
    "batch_norm_train", quiet(_train), _infer_train, operands=3, kind=Kind.OPAQUE,
    family="reduction", flops=_train_flops,
    doc="batch_norm with the mean and variance of x itself; gives y, mean and var",
    gradient=(_train_x, _train_scale, _train_shift), saves=("ab", "a", ""), samples=_samples(2),
)  # fmt: skip
