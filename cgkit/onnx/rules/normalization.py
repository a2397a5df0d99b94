"""Rules of normalization: by batch, layer, group, instance, root mean square, neighbors, length.

    BatchNormalization(x, scale, b, mean, var)   ─>  batch_norm, with the statistics given
      training                                   ─>  batch_norm_train, and the running ones blended

Old versions of BatchNormalization train when a node asks for more than its first output, or has
`is_test` not set; from 14 on an attribute says so. A first stage that ONNX wants in float32,
whatever x is (`stash_type`), is computed so.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.onnx.rules.elementwise import in_dtype_of
from cgkit.onnx.step import Rule, Step
from cgkit.operators.settings import normal_axis
from cgkit.types import broadcast_shapes, count, meet_shapes

EPSILON = 1e-5


def batch_normalization(
    step: Step, x: Any, scale: Any, shift: Any, center: Any, spread: Any
) -> Any:
    """Bring each channel to mean 0 and variance 1, by given statistics or by its own."""
    wide, vectors = _channels_second(step, x, [scale, shift, center, spread])
    epsilon = step.setting("epsilon", EPSILON)
    if not _trains(step):
        return _like(x, ops.batch_norm(wide, *vectors, epsilon=epsilon))
    y, *own = ops.batch_norm_train(wide, *vectors[:2], epsilon=epsilon)
    momentum = step.setting("momentum", 0.9)
    statistics = list(zip((center, spread), own, strict=True))
    own = [_like(old, new) for old, new in statistics]
    running = [
        ops.add(ops.mul(old, momentum), ops.mul(_like(old, new), 1 - momentum))
        for old, new in statistics
    ]
    return (_like(x, y), *running, *own)


def _like(x: Any, y: Any) -> Any:
    """Give y in the dtype and the shape of x, which has as many elements."""
    y = in_dtype_of(x, y)
    return y if tuple(y.shape) == tuple(x.shape) else ops.reshape(y, shape=tuple(x.shape))


def _trains(step: Step) -> bool:
    """Whether a node normalizes by the statistics of its batch."""
    if step.opset >= 14:
        return bool(step.setting("training_mode", 0))
    return any(step.wanted[1:]) and not step.setting("is_test", 0)


def _channels_second(step: Step, x: Any, vectors: list[Any]) -> tuple[Any, list[Any]]:
    """Give x with an axis of channels, and a number for each of them."""
    if len(x.shape) == 1:
        return ops.reshape(x, shape=(*x.shape, 1)), vectors
    if step.opset < 9 and not step.setting("spatial", 1):  # each place is a channel of its own
        flat = [ops.reshape(vector, shape=(-1,)) for vector in vectors]
        return ops.reshape(x, shape=(x.shape[0], count(x.shape[1:]))), flat
    return x, vectors


def instance_normalization(step: Step, x: Any, scale: Any, shift: Any) -> Any:
    """Bring each channel of each example to mean 0 and variance 1."""
    return ops.instance_norm(x, scale, shift, epsilon=step.setting("epsilon", EPSILON))


def layer_normalization(step: Step, x: Any, scale: Any, shift: Any = None) -> Any:
    """Bring what lies along the last axes to mean 0 and variance 1; give mean and 1/deviation."""
    axes = _last_axes(step, x)
    wide = _stashed(step, x)
    center = ops.mean(wide, axis=axes, keepdims=True)
    apart = ops.sub(wide, center)
    spread = ops.mean(ops.square(apart), axis=axes, keepdims=True)
    inverse = ops.rsqrt(ops.add(spread, step.setting("epsilon", EPSILON)))
    y = _scaled(in_dtype_of(x, ops.mul(apart, inverse)), scale, shift)
    return y, center, inverse


def rms_normalization(step: Step, x: Any, scale: Any) -> Any:
    """Divide what lies along the last axes by the root of its mean square."""
    axis, epsilon = _last_axes(step, x)[0], step.setting("epsilon", EPSILON)
    unit = ops.rms_norm(_stashed(step, x), axis=axis, epsilon=epsilon)
    return _scaled(in_dtype_of(scale, in_dtype_of(x, unit)), scale)


def _scaled(x: Any, scale: Any, shift: Any = None) -> Any:
    """Scale and shift by what stretches to x, and does not stretch it."""
    for other in (scale, shift):
        if other is not None:
            wide = broadcast_shapes(tuple(x.shape), tuple(other.shape))
            meet_shapes(wide, tuple(x.shape), "that of what is scaled")
    y = ops.mul(x, scale)
    return y if shift is None else ops.add(y, shift)


def _last_axes(step: Step, x: Any) -> tuple[int, ...]:
    ndim = len(x.shape)
    return tuple(range(normal_axis(step.setting("axis", -1), ndim), ndim))


def _stashed(step: Step, x: Any) -> Any:
    """Give x in the dtype that the first stage is computed in."""
    wanted = step.dtype(step.setting("stash_type", 1))
    return x if x.dtype == wanted else ops.cast(x, dtype=wanted.name)


def group_normalization(step: Step, x: Any, scale: Any, shift: Any) -> Any:
    """Bring each group of channels to mean 0 and variance 1.

    Scale and shift are for each group up to opset 20, for each channel from 21 on.
    """
    groups, channels = step.setting("num_groups"), x.shape[1]
    wide = _stashed(step, x) if step.opset >= 21 else x
    unit = ops.group_norm(wide, groups, epsilon=step.setting("epsilon", EPSILON))
    if step.opset < 21:
        scale, shift = (ops.repeat(v, repeats=channels // groups, axis=0) for v in (scale, shift))
    for vector in (scale, shift):
        meet_shapes(tuple(vector.shape), (channels,), "one number for each channel")
    beside = (1,) * (len(x.shape) - 2)
    scale, shift = (ops.reshape(v, shape=(*v.shape, *beside)) for v in (scale, shift))
    return ops.add(ops.mul(in_dtype_of(x, unit), scale), shift)


def local_response_normalization(step: Step, x: Any) -> Any:
    """Divide each element by a power of the mean square of its neighbors among the channels."""
    return ops.local_response_norm(
        x, step.setting("size"), alpha=step.setting("alpha", 1e-4), beta=step.setting("beta", 0.75),
        bias=step.setting("bias", 1.0),
    )  # fmt: skip


def lp_normalization(step: Step, x: Any) -> Any:
    """Divide the vectors along an axis by their length; those of zeros stay zeros."""
    length = ops.norm(x, order=step.setting("p", 2), axis=step.setting("axis", -1), keepdims=True)
    none = ops.equal(length, 0)
    return ops.where(none, 0.0, ops.div(x, ops.where(none, 1.0, length)))


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "BatchNormalization": batch_normalization,
        "GroupNormalization": group_normalization,
        "InstanceNormalization": instance_normalization,
        "LRN": local_response_normalization,
        "LayerNormalization": layer_normalization,
        "LpNormalization": lp_normalization,
        "RMSNormalization": rms_normalization,
    }
)
