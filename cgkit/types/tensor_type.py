"""Shape and dtype as one value, and NumPy's rules for dtypes.

TensorType((N, 784), "float32")     prints as float32[N, 784]
promote(float32, 2.0)               float32: a plain Python number is weak
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from cgkit.errors import DtypeError
from cgkit.types.dim import Shape, Size
from cgkit.types.shapes import count

DTYPES = frozenset(
    map(np.dtype, (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64",
    ))
)  # fmt: skip
"""The dtypes that every operator is made for, in this machine's order of bytes."""


@dataclass(frozen=True, slots=True)
class TensorType:
    """The shape and dtype of a tensor, known before its values.

    Parameters
    ----------
    shape
        A size for each axis; () for a single number.
    dtype
        Anything NumPy takes as a dtype.

    Examples
    --------
    >>> from cgkit.types import Dim
    >>> TensorType((Dim("N"), 784), "float32")
    float32[N, 784]
    >>> TensorType((2, 3), "float64").nbytes
    48
    """

    shape: Shape
    dtype: np.dtype

    def __init__(self, shape: Iterable[Size], dtype: DTypeLike) -> None:
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "dtype", _named_dtype(dtype))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Size:
        """The number of elements."""
        return count(self.shape)

    @property
    def nbytes(self) -> Size:
        """The bytes that the elements take."""
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(str(size) for size in self.shape)}]"


def _named_dtype(dtype: DTypeLike) -> np.dtype:
    """Find any dtype of NumPy's; DtypeError where there is none of that name."""
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):  # NumPy reads some texts as if they were a program
        raise DtypeError(
            f"there is no dtype {dtype!r:.60}", attempt='"float32" or "int64"'
        ) from None


def as_dtype(dtype: DTypeLike) -> np.dtype:
    """Give a dtype of numbers or booleans, in this machine's order of bytes.

    Examples
    --------
    >>> as_dtype("float32")
    dtype('float32')

    Raises
    ------
    DtypeError
        There is no such dtype, or it is of something else.
    """
    found = _named_dtype(dtype)
    if found.kind not in "fiub":
        raise DtypeError(f"a tensor holds real numbers, not {found}", attempt='"float32"')
    return found.newbyteorder("=")


def weak_dtype(number: bool | int | float, others: Sequence[np.dtype]) -> np.dtype | None:
    """Give the dtype that a plain number takes among operands of these dtypes; None if alone.

    A truth value stays one: it gives way to every other dtype by itself, and may be a condition.

    Examples
    --------
    >>> weak_dtype(2.0, [np.dtype("float32")])
    dtype('float32')
    """
    if number.__class__ is bool:
        return np.dtype(np.bool_)
    return np.result_type(*others, number) if others else None


def promote(*operands: DTypeLike | bool | int | float | complex) -> np.dtype:
    """Give the dtype of a result by NumPy 2's rule: a plain Python number is weak.

    Examples
    --------
    >>> promote(np.dtype("float32"), 2.0), promote(np.dtype("int32"), 2.0)
    (dtype('float32'), dtype('float64'))
    """
    return np.result_type(*operands)
