"""Rules of chance: RandomNormal, RandomUniform, and their forms like another tensor; Dropout, ...

    seed=7.0 ─> key ─ uniform(shape=(2, 3)) ─> numbers in [low, high)

A graph is a pure function, so a node draws the same numbers at every run: those of its seed, or of
its name where it has no seed. ONNX does not say which numbers a seed gives; these are cgkit's.
Dropout passes on what it is given, unless a node asks for training.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.rules.shape import lasting
from cgkit.onnx.step import Rule, Step
from cgkit.types import Shape


def _key(step: Step) -> Any:
    """Give the key of a node: of its seed, or of its name."""
    seed = step.setting("seed", None)
    bits = zlib.crc32(step.name.encode()) if seed is None else np.float64(seed).view(np.uint64)
    return step.value(ops.key(int(bits)))


def _drawn(step: Step, draw: Any, shape: Shape, dtype: str) -> Any:
    """Draw numbers of a shape, at once if no graph is built."""
    if step.builder is None:
        step.allow(shape, dtype)
    return draw(_key(step), shape=shape, dtype=dtype)


def _dtype(step: Step, like: Any = None, default: int = 1) -> str:
    number = step.setting("dtype", None)
    if number is None and like is not None:
        return str(like.dtype.name)
    return step.dtype(default if number is None else number).name


def _uniform(step: Step, shape: Shape, dtype: str) -> Any:
    low, high = step.setting("low", 0.0), step.setting("high", 1.0)
    drawn = _drawn(step, ops.uniform, shape, dtype)
    return ops.add(ops.mul(drawn, high - low), low)


def _normal(step: Step, shape: Shape, dtype: str) -> Any:
    drawn = _drawn(step, ops.normal, shape, dtype)
    return ops.add(ops.mul(drawn, step.setting("scale", 1.0)), step.setting("mean", 0.0))


def random_uniform(step: Step) -> Any:
    """Draw numbers from low up to but without high."""
    return _uniform(step, tuple(step.setting("shape")), _dtype(step))


def random_uniform_like(step: Step, x: Any) -> Any:
    """Draw numbers from low up to but without high, in the shape of another tensor."""
    return _uniform(step, tuple(x.shape), _dtype(step, x))


def random_normal(step: Step) -> Any:
    """Draw numbers from a bell curve."""
    return _normal(step, tuple(step.setting("shape")), _dtype(step))


def random_normal_like(step: Step, x: Any) -> Any:
    """Draw numbers from a bell curve, in the shape of another tensor."""
    return _normal(step, tuple(x.shape), _dtype(step, x))


def bernoulli(step: Step, x: Any) -> Any:
    """Draw ones with the chances given, else zeros."""
    return ops.cast(ops.bernoulli(_key(step), x), dtype=_dtype(step, x))


def multinomial(step: Step, x: Any) -> Any:
    """Draw classes, each as likely as e to its score says."""
    shape = (x.shape[0], step.setting("sample_size", 1), 1)
    shares = ops.cumsum(ops.softmax(x, axis=-1), axis=-1)
    drawn = _drawn(step, ops.uniform, shape, shares.dtype.name)
    passed = ops.less_equal(shares[:, None, :-1], drawn)
    return ops.cast(ops.sum(passed, axis=-1), dtype=_dtype(step, default=6))


def dropout(step: Step, x: Any, ratio: Any = None, training: Any = None) -> tuple[Any, Any]:
    """Pass elements on; in training put some to 0, and say which are left."""
    wants_mask = len(step.wanted) > 1 and step.wanted[1]
    ones = np.ones((), x.dtype if step.opset < 10 else np.bool_)
    if not _trains(step, training):
        return x, _spread(step, ones, x) if wants_mask else None
    rate, key = _rate(step, ratio), _key(step)
    if not wants_mask:
        return ops.dropout(x, key, rate=rate), None
    grown = ops.dropout(_spread(step, np.ones((), x.dtype), x), key, rate=rate)
    kept = ops.cast(ops.not_equal(grown, 0), dtype=ones.dtype.name)
    return ops.dropout(x, key, rate=rate), kept


def _trains(step: Step, training: Any) -> bool:
    if step.opset < 7:
        return not step.setting("is_test", 0)
    return training is not None and bool(step.known(training, "training_mode"))


def _rate(step: Step, ratio: Any) -> float:
    if step.opset < 12:
        return float(step.setting("ratio", 0.5))
    return 0.5 if ratio is None else float(step.known(ratio, "the ratio"))


def _spread(step: Step, number: np.ndarray, x: Any) -> Any:
    shape = tuple(x.shape)
    return ops.broadcast_to(lasting(step, number, shape), shape=shape)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "Bernoulli": bernoulli,
        "Dropout": dropout,
        "Multinomial": multinomial,
        "RandomNormal": random_normal,
        "RandomNormalLike": random_normal_like,
        "RandomUniform": random_uniform,
        "RandomUniformLike": random_uniform_like,
    }
)
