"""Whole numbers made of sizes that are open until a graph runs: what ONNX's Shape gives.

    x: float32[N, 784]      Shape ─> Sizes [N, 784] ─ Gather 0 ─> Sizes N ─ Mul 2 ─> Sizes 2*N
                            Reshape(y, Sizes [N, -1])  ─>  the operator reshape, shape=(N, -1)

Sizes are operands of a higher rank than Values: an operator that only moves, joins, adds or
multiplies them gives Sizes, any other sees them as a Value, which the graph measures when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.arithmetic import Arithmetic
from cgkit.errors import ShapeError
from cgkit.node import Operator
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import Dim, Size


def _as_cast(sizes: Any, dtype: Any) -> Any:
    """Whole numbers stay what they are in any whole dtype; None leaves the cast to a Value."""
    return sizes if np.dtype(dtype).kind == "i" else None


READINGS: Mapping[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative,
    "floor_div": np.floor_divide, "cast": _as_cast,
    "concat": lambda *parts, axis=0: np.concatenate(parts, axis),
    "prod": lambda a, axis=None, keepdims=False: np.prod(a, axis, keepdims=keepdims),
    "sum": lambda a, axis=None, keepdims=False: np.sum(a, axis, keepdims=keepdims),
}  # fmt: skip
"""What operators do on arrays of sizes, where that is not what they compute on numbers."""
MOVING = frozenset(
    (
        "reshape", "transpose", "slice", "index", "take", "squeeze", "unsqueeze", "flatten",
        "gather_elements", "gather_nd", "split", "stack", "flip", "broadcast_to", "tile",
    )
)  # fmt: skip
"""Operators that move elements whatever they are."""


class Sizes(Arithmetic):
    """An array of sizes, at least one of them open.

    Parameters
    ----------
    array
        An array of ints and Dims.
    builder
        Of the graph in which these sizes are open.
    """

    __slots__ = ("array", "builder")
    rank = 3
    dtype = np.dtype("int64")

    def __init__(self, array: np.ndarray, builder: GraphBuilder) -> None:
        self.array = array
        self.builder = builder

    @staticmethod
    def of(sizes: Any, builder: GraphBuilder | None) -> Any:
        """Give sizes as Sizes, or as an array of int64 when none is open."""
        array = np.asarray(sizes, object)
        if builder is None or not any(isinstance(size, Dim) for size in array.flat):
            return array.astype(np.int64)
        return Sizes(array, builder)

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
        if act is not None and not any(isinstance(x, Value) for x in inputs):
            try:
                found = act(*(x.array if isinstance(x, Sizes) else x for x in inputs), **params)
            except ShapeError:  # a division that leaves a rest: the graph will know
                found = None
            if found is not None:
                return self._results(found)
        return operator(*(x.value() if isinstance(x, Sizes) else x for x in inputs), **params)

    def _results(self, found: Any) -> Any:
        if isinstance(found, tuple):
            return tuple(Sizes.of(part, self.builder) for part in found)
        return Sizes.of(found, self.builder)

    def value(self) -> Value:
        """Give a Value that the graph measures when it runs."""
        zero = self.builder.constant(0, np.int64)
        parts = [
            ops.measure(zero, size=size) if isinstance(size, Dim)
            else self.builder.constant(int(size), np.int64)
            for size in self.listed()
        ]  # fmt: skip
        found: Value = ops.reshape(ops.stack(*parts), shape=self.shape)
        return found

    def __repr__(self) -> str:
        return f"Sizes({self.array.tolist()})"
