"""Whole numbers made of sizes that are open until a graph runs: what ONNX's Shape gives.

    x: float32[N, 784]      Shape ─> Sizes [N, 784] ─ Gather 0 ─> Sizes N ─ Mul 2 ─> Sizes 2*N
                            Reshape(y, Sizes [N, -1])  ─>  the operator reshape, shape=(N, -1)

Sizes are operands of a higher rank than Values: an operator that only moves, joins, adds or
multiplies them gives Sizes, any other sees them as a Value, which the graph measures when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.arithmetic import Arithmetic
from cgkit.errors import ShapeError
from cgkit.node import Operator
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import Dim, Size, least

NUMBERS = (np.dtype("int64"), np.dtype("int32"))
"""The whole numbers that sizes may be."""


class Undecided(Exception):
    """Whether two sizes are equal, or which is larger, depends on what they will be."""


def at_run(size: Size, like: Any) -> Any:
    """Give a size as a number to compute with; an open one is measured by the graph of a Value.

    Examples
    --------
    >>> at_run(3, None)
    3
    """
    return ops.measure(like, size=size) if isinstance(size, Dim) else size


def _less(a: Size, b: Size) -> bool:
    """Say whether a < b, where that holds for whatever the sizes will be."""
    if isinstance(a, int) and isinstance(b, int):
        return a < b
    difference = b - a
    if least(difference) > 0:
        return True
    if least(a - b) >= 0:
        return False
    raise Undecided


def _equal(a: Size, b: Size) -> bool:
    """Say whether a = b, where that holds for whatever the sizes will be."""
    if a == b:
        return True
    if (isinstance(a, int) and isinstance(b, int)) or least(b - a) > 0 or least(a - b) > 0:
        return False
    raise Undecided


def _rest(a: Size, b: Size) -> Size:
    """Give what a division toward 0 leaves, where that holds for whatever the sizes will be."""
    rest = a % b
    if (isinstance(rest, int) and rest == 0) or min(least(a), least(b)) >= 0:
        return rest
    raise Undecided


def _each(act: Callable[..., Any], dtype: Any = object) -> Callable[..., Any]:
    """Apply a function of sizes to arrays of them, element by element."""

    def apply(*arrays: Any) -> np.ndarray:
        found = np.frompyfunc(act, len(arrays), 1)(*(np.asarray(x, object) for x in arrays))
        return np.asarray(found, dtype)

    return apply


READINGS: Mapping[str, Callable[..., Any]] = MappingProxyType({
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative,
    "floor_div": np.floor_divide, "mod": np.mod, "fmod": _each(_rest),
    "cast": lambda sizes, dtype: sizes,
    "concat": lambda *parts, axis=0: np.concatenate(parts, axis),
    "prod": lambda a, axis=None, keepdims=False: np.prod(a, axis, keepdims=keepdims),
    "sum": lambda a, axis=None, keepdims=False: np.sum(a, axis, keepdims=keepdims),
    "equal": _each(_equal, bool), "not_equal": _each(lambda a, b: not _equal(a, b), bool),
    "less": _each(_less, bool), "greater": _each(lambda a, b: _less(b, a), bool),
    "less_equal": _each(lambda a, b: not _less(b, a), bool),
    "greater_equal": _each(lambda a, b: not _less(a, b), bool),
    "maximum": _each(lambda a, b: b if _less(a, b) else a),
    "minimum": _each(lambda a, b: a if _less(a, b) else b),
    "where": lambda condition, a, b: np.where(
        condition, np.asarray(a, object), np.asarray(b, object)
    ),
})  # fmt: skip
"""What operators do on arrays of sizes, where that is not what they compute on numbers."""
MOVING = frozenset(
    (
        "reshape", "transpose", "slice", "index", "squeeze", "unsqueeze", "gather_elements",
        "split", "stack", "flip", "broadcast_to", "tile", "repeat",
    )
)  # fmt: skip
"""Operators that move elements whatever they are."""


def _is_whole(x: Any) -> bool:
    """Say whether an operand is known to consist of whole numbers or truth values."""
    return isinstance(x, Sizes) or (
        not isinstance(x, Value) and np.asarray(x).dtype.kind in "iub"
    )  # fmt: skip


class Sizes(Arithmetic):
    """An array of sizes, at least one of them open.

    Parameters
    ----------
    array
        An array of ints and Dims.
    builder
        Of the graph in which these sizes are open.
    dtype
        As which whole numbers the model has them.
    """

    __slots__ = ("array", "builder", "dtype")
    rank = 3

    def __init__(
        self, array: np.ndarray, builder: GraphBuilder, dtype: np.dtype = NUMBERS[0]
    ) -> None:
        self.array = array
        self.builder = builder
        self.dtype = dtype

    @staticmethod
    def of(sizes: Any, builder: GraphBuilder | None, dtype: np.dtype = NUMBERS[0]) -> Any:
        """Give sizes as Sizes, or as an array of numbers when none is open."""
        array = np.asarray(sizes, object)
        if builder is None or not any(isinstance(size, Dim) for size in array.flat):
            return array.astype(dtype)
        return Sizes(array, builder, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of sizes."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """The number of axes of that array."""
        return self.array.ndim

    def listed(self) -> tuple[Size, ...]:
        """Give the sizes in order."""
        return tuple(self.array.flat)

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Apply an operator: on sizes as far as it goes, else on the Value of them."""
        act = READINGS.get(operator.name)
        if act is None and operator.name in MOVING:
            act = operator.compute
        dtype = np.dtype(params["dtype"]) if operator.name == "cast" else self.dtype
        if act is not None and dtype in NUMBERS and all(map(_is_whole, inputs)):
            with suppress(ShapeError, Undecided):  # a rest, a question: the graph will know
                plain = [x.array if isinstance(x, Sizes) else x for x in inputs]
                return self._results(act(*plain, **params), dtype)
        return operator(*(x.value() if isinstance(x, Sizes) else x for x in inputs), **params)

    def _results(self, found: Any, dtype: np.dtype) -> Any:
        if isinstance(found, tuple):
            return tuple(self._results(part, dtype) for part in found)
        array = np.asarray(found)
        return array if array.dtype == bool else Sizes.of(array, self.builder, dtype)

    def value(self) -> Value:
        """Give a Value that the graph measures when it runs."""
        zero = self.builder.constant(0, self.dtype)
        parts = [
            ops.measure(zero, size=size) if isinstance(size, Dim)
            else self.builder.constant(int(size), self.dtype)
            for size in self.listed()
        ]  # fmt: skip
        found: Value = ops.reshape(ops.stack(*parts), shape=self.shape)
        return found

    def __repr__(self) -> str:
        return f"Sizes({self.array.tolist()})"
