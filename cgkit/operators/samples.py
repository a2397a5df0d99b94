"""Operands on which the laws of the operators are tested, a generator for each sort of operand.

    pairs(rng) ─> (3, 4) with (4,), () with (2,), (0, 3) with (3,), float32, nan, ... as Samples

Every sort holds 0-d, empty, broadcast and negatively strided arrays and every dtype the operators
support; samples at kinks, at poles or of integers are marked as not differentiable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from cgkit.node import Sample, Samples

SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (5,), (2, 3), (0, 3), (2, 1, 4))
BROADCASTS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((), ()), ((3,), ()), ((2, 3), (3,)), ((3, 1), (4,)), ((0, 3), (3,)), ((1,), (5, 4)),
)  # fmt: skip
FLOATS = ("float64", "float32")
INTEGERS = ("int32", "int64")
SPECIAL = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-310, 1e300])

Draw = Callable[["np.random.Generator", tuple[int, ...]], np.ndarray]


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers around 0."""
    return np.asarray(rng.normal(size=shape))


def apart(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers at least 0.1 away from 0."""
    x = normal(rng, shape)
    return np.asarray(x + np.where(x < 0, -0.1, 0.1))


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers between 0.3 and 3."""
    return np.asarray(rng.uniform(0.3, 3.0, size=shape))


def inside(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers between -0.9 and 0.9."""
    return np.asarray(rng.uniform(-0.9, 0.9, size=shape))


def beyond(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers between 1.2 and 4."""
    return np.asarray(rng.uniform(1.2, 4.0, size=shape))


def backward_view(x: np.ndarray) -> np.ndarray:
    """Give the same numbers with negative strides."""
    flipped = tuple(slice(None, None, -1) for _ in range(x.ndim))
    return np.array(x[flipped])[flipped]


def _one(rng: np.random.Generator, draw: Draw) -> Iterator[Sample]:
    for dtype in FLOATS:
        for shape in SHAPES:
            yield Sample((draw(rng, shape).astype(dtype),))
    yield Sample((backward_view(draw(rng, (4, 3))),))
    for dtype in INTEGERS:
        yield Sample((rng.integers(1, 9, size=(2, 3)).astype(dtype),), differentiable=False)
    yield Sample((SPECIAL,), differentiable=False)


def _two(rng: np.random.Generator, left: Draw, right: Draw) -> Iterator[Sample]:
    for dtype in FLOATS:
        for a, b in BROADCASTS:
            yield Sample((left(rng, a).astype(dtype), right(rng, b).astype(dtype)))
    yield Sample((backward_view(left(rng, (4, 3))), right(rng, (3,))))
    yield Sample((left(rng, (3,)).astype("float32"), right(rng, (3,))))
    for dtype in INTEGERS:
        a, b = rng.integers(1, 5, size=(2, 2, 3)).astype(dtype)
        yield Sample((a, b), differentiable=False)
    special = np.meshgrid(SPECIAL, SPECIAL)
    yield Sample((special[0], special[1]), differentiable=False)


def values(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw operands of smooth functions."""
    return _one(rng, normal)


def reals(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw operands of functions with a kink at 0."""
    return _one(rng, apart)


def positives(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw operands of functions of positive numbers."""
    return _one(rng, positive)


def insides(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw operands of functions of numbers between -1 and 1."""
    return _one(rng, inside)


def beyonds(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw operands of functions of numbers from 1."""
    return _one(rng, beyond)


def whole(rng: np.random.Generator, count: int) -> Iterator[Sample]:
    """Draw `count` operands whose bits mean something: whole numbers and booleans."""
    for dtype in ("int32", "int64", "uint8", "bool"):
        for shapes in (((), ()), ((2, 3), (3,)), ((0, 3), (3,)), ((3, 1), (4,))):
            drawn = [rng.integers(0, 7, size=shape) for shape in shapes[:count]]
            yield Sample(tuple(x.astype(dtype) for x in drawn))
    ends = np.array([-(2**31), 2**31 - 1, -1, 0, 1, 5], np.int32)
    yield Sample((backward_view(ends), *[x[::-1] for x in (ends,) if count == 2]))


def wholes(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw a whole operand."""
    return whole(rng, 1)


def whole_pairs(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw two whole operands that broadcast."""
    return whole(rng, 2)


def pairs(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw two operands that broadcast."""
    return _two(rng, normal, apart)


def apart_pairs(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw two operands that broadcast, neither near 0."""
    return _two(rng, apart, apart)


def positive_pairs(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw two positive operands that broadcast."""
    return _two(rng, positive, positive)


def triples(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw a gradient and the two operands it belongs to."""
    for sample in pairs(rng):
        a, b = sample.operands
        g = normal(rng, np.broadcast_shapes(a.shape, b.shape)).astype(np.result_type(a, b, "f4"))
        yield Sample((g, a, b), differentiable=sample.differentiable)


def conditions(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw a condition and two operands to choose from."""
    for sample in pairs(rng):
        a, b = sample.operands
        condition = np.asarray(rng.random(np.broadcast_shapes(a.shape, b.shape)) < 0.5)
        yield Sample((condition, a, b), differentiable=sample.differentiable)


def keyed(*each: Mapping[str, Any]) -> Samples:
    """Draw keys, with each of these params."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for params in each:
            yield Sample((np.array(rng.integers(2**63), np.uint64),), params, False)

    return samples


def seeds(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw seeds: whole numbers, negative and large ones among them."""
    for number, dtype in ((7, "int64"), (-3, "int32"), (2**64 - 1, "uint64")):
        yield Sample((np.array(number, dtype),))


def fold_ins(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw a key and a number to fold in."""
    for sample in seeds(rng):
        yield Sample((np.array(rng.integers(2**63), np.uint64), *sample.operands))


def probabilities(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw a key and chances."""
    for dtype in FLOATS:
        for shape in SHAPES:
            chances = rng.random(shape).astype(dtype)
            yield Sample((np.array(rng.integers(2**63), np.uint64), chances))
    key = np.array(5, np.uint64)
    yield Sample((key, backward_view(rng.random((4, 3)))), {"shape": (2, 4, 3)})
    yield Sample((key, SPECIAL), differentiable=False)
    for integer in INTEGERS:
        yield Sample((key, np.array([0, 1, 1], integer)), differentiable=False)


def with_key(*each: Mapping[str, Any]) -> Samples:
    """Draw an operand and a key, with each of these params."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for params in each:
            for sample in values(rng):
                key = np.array(rng.integers(2**63), np.uint64)
                yield Sample((*sample.operands, key), params, sample.differentiable)

    return samples


def casts(rng: np.random.Generator) -> Iterator[Sample]:
    """Draw an operand and another dtype."""
    for shape in SHAPES:
        yield Sample((normal(rng, shape),), {"dtype": "float64"})
    yield Sample((normal(rng, (2,)).astype("float32"),), {"dtype": "float64"}, False)
    yield Sample((normal(rng, (2,)),), {"dtype": "float32"}, False)
    yield Sample((rng.integers(0, 9, size=(2, 3)),), {"dtype": "float32"}, False)
    yield from variations(rng, Sample((normal(rng, (3, 3)),), {"dtype": "float64"}))


def settings(sort: Samples, *each: Mapping[str, Any]) -> Samples:
    """Draw operands of a sort without params, then again with each of these params.

    Examples
    --------
    >>> samples = settings(values, {"alpha": 0.5})
    >>> [sample.params for sample in samples(np.random.default_rng(0))][-1]
    {'alpha': 0.5}
    """

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        yield from sort(rng)
        for params in each:
            drawn = [s for s in sort(rng) if s.operands[0].dtype == np.float64]
            for sample in drawn[2:4] + drawn[-1:]:
                yield Sample(sample.operands, params, sample.differentiable)

    return samples


def with_params(*cases: tuple[Any, ...], draw: Draw = normal) -> Callable[..., Iterator[Sample]]:
    """Make samples of given shapes and params: each case is (shapes..., params).

    Examples
    --------
    >>> samples = with_params(((2, 3), {"axis": 0}))
    >>> [s.operands[0].dtype.name for s in samples(np.random.default_rng(0))]
    ['float64', 'float32', 'float64', 'int32', 'int64', 'float64']
    """

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for *shapes, params in cases:
            for dtype in FLOATS:
                yield Sample(tuple(draw(rng, shape).astype(dtype) for shape in shapes), params)
        *shapes, params = cases[0]
        drawn = tuple(draw(rng, shape) for shape in shapes)
        yield from variations(rng, Sample(drawn, params))

    return samples


def variations(rng: np.random.Generator, sample: Sample) -> Iterator[Sample]:
    """Give a sample with negative strides, with integers, and with inf and nan among its floats."""

    def varied(vary: Callable[[np.ndarray], np.ndarray], differentiable: bool = False) -> Sample:
        operands = [vary(x) if x.dtype.kind == "f" else x for x in sample.operands]
        return Sample(tuple(operands), sample.params, differentiable)

    def whole(x: np.ndarray) -> np.ndarray:
        return rng.integers(-4, 5, size=x.shape)

    yield varied(backward_view, sample.differentiable)
    yield varied(lambda x: whole(x).astype("int32"))
    yield varied(lambda x: whole(x).astype("int64"))
    yield varied(lambda x: np.resize(rng.permutation(SPECIAL), x.shape))
