"""Arrays whose computing is watched, so that a small file cannot ask for endless memory or time.

    w: Known ─ ops.tile(w, (10**6, 10**6)) ─> its type is inferred first: "would take ... bytes"
                 └── Room: what one array, all arrays, and all the arithmetic may take

A Known array is an array in every way; operators of `cgkit.ops` see it as an operand of the highest
rank, which computes on plain arrays when there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cgkit.node import Operand, Operator
from cgkit.onnx.reading import Limits
from cgkit.types import Size, TensorType


class Room:
    """What may still be computed on arrays.

    Parameters
    ----------
    limits
        What the model may ask for.
    building
        Whether arrays are computed while a graph is built; otherwise a model is evaluated.
    """

    def __init__(self, limits: Limits, building: bool = False) -> None:
        self.limits = limits
        self.most = "folded" if building else "total"
        self.total = 0
        self.work = 0

    def allow(self, what: str, shape: Iterable[Size], dtype: np.dtype) -> None:
        """Take room for one array.

        Raises
        ------
        OnnxError
            There is no room for it, by itself or after all that was made before.
        """
        sizes = [size for size in shape if isinstance(size, int)]
        self.total += self.limits.check_tensor(what, sizes, dtype.itemsize)
        self.limits.check(self.most, self.total, "bytes of arrays that the model makes")

    def compute(self, operator: Operator, arrays: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Compute an operator on arrays, if what it gives and takes is within the limits."""
        types = [_type_of(x, arrays) for x in arrays]
        results = operator.types(types, params)
        for found in results:
            self.allow(f"the result of {operator.name}", found.shape, found.dtype)
        if operator.flops is not None:
            work = operator.flops(results if operator.several else results[0], *types, **params)
            self.work += work if isinstance(work, int) else 0
            self.limits.check("work", self.work, "floating-point operations on known arrays")
        found = operator.computed(arrays, params)
        return tuple(map(self.known, found)) if isinstance(found, tuple) else self.known(found)

    def known(self, x: Any) -> Known:
        """Give an array as one whose computing is watched."""
        found = np.asarray(x).view(Known)
        found.room = self
        return found


class Known(np.ndarray, Operand):
    """An array that a model holds, or what is computed of such alone."""

    rank = 4
    room: Room | None

    def __array_finalize__(self, source: Any) -> None:
        self.room = getattr(source, "room", None)

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Compute within the room there is; an operand that is no array decides instead."""
        plain = [np.asarray(x) if isinstance(x, Known) else x for x in inputs]
        if self.room is None or any(isinstance(x, Operand) for x in plain):
            return operator(*plain, **params)
        return self.room.compute(operator, plain, params)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        """Compute what NumPy is asked for, where the result has room."""
        if any(isinstance(x, Operand) and not isinstance(x, Known) for x in inputs):
            return NotImplemented  # a Value among them records
        plain = [np.asarray(x) if isinstance(x, Known) else x for x in inputs]
        if self.room is not None and method == "__call__" and ufunc.signature is None:
            shape = np.broadcast_shapes(*(np.shape(x) for x in plain))
            self.room.allow(f"the result of {ufunc.__name__}", shape, self.dtype)
        found = getattr(ufunc, method)(*plain, **settings)
        if self.room is None or isinstance(found, tuple):
            return found
        return self.room.known(found)


def _type_of(x: Any, others: Sequence[Any]) -> TensorType:
    """Give the type of an operand; a plain number takes that of the arrays beside it."""
    if isinstance(x, bool | int | float) and not isinstance(x, np.generic):
        dtypes = [other.dtype for other in others if hasattr(other, "dtype")]
        return TensorType((), np.result_type(*dtypes, x))
    array = np.asarray(x)
    return TensorType(array.shape, array.dtype)
