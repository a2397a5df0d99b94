"""Random numbers from keys: the same key gives the same numbers, in eager and in static graphs.

    key(seed) ─ split_key ─┬─> key ─ uniform(shape=(2, 3)) ─> numbers in [0, 1)
                           └─> key ─ dropout(x, key) ───────> x with elements put to 0

A key is a uint64 and an ordinary operand, so every operator here is a pure function: computing a
dropout again, as backward does and as recomputation to save memory does, replays the mask. Use a
key once; for more, `split_key` it, or `fold_in` a number such as the step of a training.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit.errors import DtypeError, OperandError, ShapeError
from cgkit.node import Operator, Rule, Samples
from cgkit.operators import philox
from cgkit.operators.elementwise import no_flops, one_each
from cgkit.operators.samples import fold_ins, keyed, probabilities, seeds, with_key
from cgkit.operators.settings import as_number, as_shape, is_whole
from cgkit.types import Size, TensorType, as_dtype, broadcast_shapes, promote, show_shape

KEY = np.dtype("uint64")
DIGITS = 53
"""The binary digits of a float64."""


def _random(
    name: str,
    compute: Callable[..., Any],
    infer: Rule,
    samples: Samples,
    doc: str,
    *,
    operands: int = 1,
    flops: Callable[..., Size] = one_each,
) -> Operator:
    """Define an operator without a gradient: bits have no slope."""
    return Operator(
        name, compute, infer, operands=operands, family="random", samples=samples, doc=doc,
        flops=flops,
    )  # fmt: skip


def _expect_key(key: TensorType) -> None:
    if key.dtype != KEY or key.shape:
        raise DtypeError(
            f"a key is one uint64, got {key}",
            attempt="ops.key(7) for a key, ops.split_key(key, number=9)[i] for one of several",
        )


def _expect_whole(number: TensorType) -> None:
    if number.dtype.kind not in "iu" or number.shape:
        raise DtypeError(f"a seed is one whole number, got {number}", attempt="ops.key(7)")


def _plain(number: Any) -> int:
    """Give a whole number below 2**64; negative ones count from there."""
    if isinstance(number, int) and not isinstance(number, bool):
        return number % 2**64
    array = np.asarray(number)
    _expect_whole(TensorType(array.shape, array.dtype))
    return int(array) % 2**64


def _bits(key: Any, count: int, domain: int = philox.DRAW) -> np.ndarray:
    array = np.asarray(key)
    _expect_key(TensorType(array.shape, array.dtype))
    return philox.bits(int(array), count, domain)


def _fractions(key: Any, count: int, digits: int = DIGITS) -> np.ndarray:
    """Draw numbers in [0, 1) that have so many binary digits."""
    drawn: np.ndarray = (_bits(key, count) >> np.uint64(64 - digits)) * 2.0**-digits
    return drawn


def _sizes(shape: Any) -> tuple[tuple[int, ...], int]:
    """Give a shape whose sizes are known, and the number of its elements."""
    sizes = tuple(size.__index__() for size in as_shape(shape))
    return sizes, math.prod(sizes)


def _infer_key(seed: TensorType) -> TensorType:
    _expect_whole(seed)
    return TensorType((), KEY)


def _infer_split(key: TensorType, number: Size = 2) -> TensorType:
    _expect_key(key)
    return TensorType(as_shape(number), KEY)


def _fold_in(key: Any, number: Any) -> np.uint64:
    array = np.asarray(key)
    _infer_fold_in(TensorType(array.shape, array.dtype), TensorType((), "int64"))
    return philox.fold(int(array), _plain(number))


def _infer_fold_in(key: TensorType, number: TensorType) -> TensorType:
    _expect_key(key)
    return _infer_key(number)


key: Operator = _random(
    "key", lambda seed: np.uint64(_plain(seed)), _infer_key, seeds,
    "a key made of a seed, any whole number", flops=no_flops,
)  # fmt: skip
split_key: Operator = _random(
    "split_key", lambda key, number=2: _bits(key, _sizes(number)[1], philox.SPLIT), _infer_split,
    keyed({}, {"number": 5}, {"number": 0}),
    "so many new keys, two if not said, whose numbers have nothing to do with each other",
    flops=no_flops,
)  # fmt: skip
fold_in: Operator = _random(
    "fold_in", _fold_in, _infer_fold_in, fold_ins,
    "a new key made of a key and a whole number, such as a step or the number of a layer",
    operands=2, flops=no_flops,
)  # fmt: skip


def _floats(name: str, dtype: DTypeLike) -> np.dtype:
    found = as_dtype(dtype)
    if found.kind != "f":
        raise DtypeError(f"{name} draws floats, not {found}", attempt="ops.randint for integers")
    return found


def _infer_floats(name: str) -> Rule:
    def infer(key: TensorType, shape: Any = (), dtype: DTypeLike = "float64") -> TensorType:
        _expect_key(key)
        return TensorType(as_shape(shape), _floats(name, dtype))

    return infer


def _uniform(key: Any, shape: Any = (), dtype: DTypeLike = "float64") -> np.ndarray:
    sizes, count = _sizes(shape)
    made = _floats("uniform", dtype)
    digits = min(np.finfo(made).nmant + 1, DIGITS)  # rounding more of them would give 1
    return _fractions(key, count, digits).astype(made).reshape(sizes)


def _normal(key: Any, shape: Any = (), dtype: DTypeLike = "float64") -> np.ndarray:
    """Draw by the method of Box and Muller: two fractions give a radius and an angle."""
    sizes, count = _sizes(shape)
    made = _floats("normal", dtype)
    pairs = _fractions(key, count + count % 2).reshape(-1, 2)
    radius, angle = np.sqrt(-2 * np.log1p(-pairs[:, 0])), 2 * np.pi * pairs[:, 1]
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return both.reshape(-1)[:count].astype(made).reshape(sizes)


SHAPES: tuple[dict[str, Any], ...] = (
    {}, {"shape": (2, 3)}, {"shape": (5,), "dtype": "float32"}, {"shape": (0, 3)},
    {"shape": (3,), "dtype": "float16"},
)  # fmt: skip
uniform: Operator = _random(
    "uniform", _uniform, _infer_floats("uniform"), keyed(*SHAPES),
    "numbers of a shape, from 0 up to but without 1, all equally likely",
)  # fmt: skip
normal: Operator = _random(
    "normal", _normal, _infer_floats("normal"), keyed(*SHAPES),
    "numbers of a shape from a bell curve of mean 0 and variance 1",
)  # fmt: skip


def _bernoulli(key: Any, p: Any, shape: Any = None) -> np.ndarray:
    chance = np.asarray(p)
    array = np.asarray(key)
    made = _infer_bernoulli(
        TensorType(array.shape, array.dtype), TensorType(chance.shape, chance.dtype), shape
    )
    sizes, count = _sizes(made.shape)
    drawn: np.ndarray = np.less(_fractions(key, count).reshape(sizes), chance)
    return drawn


def _infer_bernoulli(key: TensorType, p: TensorType, shape: Any = None) -> TensorType:
    _expect_key(key)
    if p.dtype.kind not in "fiub":
        raise DtypeError(f"bernoulli cannot take chances of {p.dtype}")
    wanted = p.shape if shape is None else as_shape(shape)
    if broadcast_shapes(p.shape, wanted) != wanted:
        raise ShapeError(f"chances of shape {show_shape(p.shape)} do not fit {show_shape(wanted)}")
    return TensorType(wanted, "bool")


def _randint(
    key: Any, low: int, high: int, shape: Any = (), dtype: DTypeLike = "int64"
) -> np.ndarray:
    sizes, count = _sizes(shape)
    made = _integers(low, high, dtype)
    drawn = _bits(key, count) % np.uint64(high - low) + np.uint64(low % 2**64)
    return drawn.astype(made).reshape(sizes)


def _integers(low: Any, high: Any, dtype: DTypeLike) -> np.dtype:
    found = as_dtype(dtype)
    if found.kind not in "iu":
        raise DtypeError(f"randint draws integers, not {found}", attempt="ops.uniform for floats")
    whole = all(map(is_whole, (low, high)))
    if not whole or low >= high:
        raise OperandError(f"randint draws whole numbers from low to below high, not {low}, {high}")
    least, most = np.iinfo(found).min, np.iinfo(found).max
    if low < least or high > int(most) + 1:
        raise DtypeError(f"{found} does not hold all numbers from {low} to below {high}")
    return found


def _infer_randint(
    key: TensorType, low: int, high: int, shape: Any = (), dtype: DTypeLike = "int64"
) -> TensorType:
    _expect_key(key)
    return TensorType(as_shape(shape), _integers(low, high, dtype))


def _permutation(key: Any, size: int) -> np.ndarray:
    return np.argsort(_bits(key, _sizes(size)[1]), kind="stable").astype(np.int64)


def _infer_permutation(key: TensorType, size: Size) -> TensorType:
    _expect_key(key)
    return TensorType(as_shape(size), "int64")


bernoulli: Operator = _random(
    "bernoulli", _bernoulli, _infer_bernoulli, probabilities,
    "true with chance p each; of p's shape if no other is said", operands=2,
)  # fmt: skip
randint: Operator = _random(
    "randint", _randint, _infer_randint,
    keyed(
        {"low": 0, "high": 6, "shape": (2, 3)}, {"low": -5, "high": 5},
        {"low": 0, "high": 256, "shape": (4,), "dtype": "uint8"},
    ),
    "whole numbers from low up to but without high; none is likelier by more than 1 in 2**64 / "
    "(high - low)",
)  # fmt: skip
permutation: Operator = _random(
    "permutation", _permutation, _infer_permutation, keyed({"size": 5}, {"size": 0}),
    "the numbers from 0 up to but without size, in random order",
)  # fmt: skip


def _check_rate(rate: Any) -> None:
    as_number("the rate of dropout", rate, least=0, most=1)


def _dropout(a: Any, key: Any, rate: float = 0.5) -> np.ndarray:
    _check_rate(rate)
    array = np.asarray(a)
    stays = _fractions(key, array.size).reshape(array.shape) >= rate
    with np.errstate(all="ignore"):
        scaled = np.divide(array, 1.0 - rate)
    return np.where(stays, scaled, np.zeros((), scaled.dtype))


def _infer_dropout(a: TensorType, key: TensorType, rate: float = 0.5) -> TensorType:
    _check_rate(rate)
    _expect_key(key)
    if a.dtype.kind not in "fiub":
        raise DtypeError(f"dropout cannot take {a.dtype}")
    return TensorType(a.shape, promote(a.dtype, 1.0))


dropout: Operator = Operator(
    "dropout", _dropout, _infer_dropout, operands=2, family="random", flops=one_each,
    gradient=(lambda g, y, a, key, rate=0.5: dropout(g, key, rate=rate), None), saves=("b", ""),
    samples=with_key({}, {"rate": 0.2}),
    doc="a with each element put to 0 with chance rate, the others divided by 1 - rate",
)  # fmt: skip
