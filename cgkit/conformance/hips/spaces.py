"""The space in which a value lies: what can be added to it, and how long it is.

    space = Space({"a": 1.0, "b": array of (2, 1)})      size 3
    space.add(x, y)   space.scalar_mul(x, 2.0)   space.inner_prod(x, y)   space.standard_basis()

Real numbers only: cgkit has no complex ones, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cgkit.conformance.hips.nested import form, leaves, mapped, rebuilt
from cgkit.conformance.hips.tracing import plain
from cgkit.errors import DtypeError


class Space:
    """The values with the structure, shapes and dtypes of a given one."""

    def __init__(self, value: Any) -> None:
        self.like = mapped(value, _zero)
        self.size = sum(x.size for x in leaves(self.like))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._form() == other._form()

    def __hash__(self) -> int:
        return hash(self._form())

    def __repr__(self) -> str:
        return f"Space({self._form()})"

    def _form(self) -> Any:
        return form(self.like, lambda x: (x.shape, x.dtype.name))

    def _filled(self, draw: Callable[[tuple[int, ...]], Any]) -> Any:
        return mapped(self.like, lambda x: np.asarray(draw(x.shape)).astype(x.dtype)[()])

    def zeros(self) -> Any:
        """Give the value that changes nothing when it is added."""
        return self._filled(np.zeros)

    def ones(self) -> Any:
        """Give the sum of the basis."""
        return self._filled(np.ones)

    def randn(self) -> Any:
        """Draw a value, from NumPy's common generator: autograd's tests set its seed."""
        return self._filled(lambda shape: np.random.randn(*shape))

    def standard_basis(self) -> Iterator[Any]:
        """Give values that have one 1 and zeros elsewhere."""
        for number in range(self.size):
            rest = np.zeros(self.size)
            rest[number] = 1.0
            yield self.unflatten(rest)

    def unflatten(self, vector: Any) -> Any:
        """Cut a vector into a value of this space.

        Examples
        --------
        >>> Space([1.0, np.zeros((2, 1))]).unflatten(np.array([7.0, 8.0, 9.0]))
        [np.float64(7.0), array([[8.],
               [9.]])]
        """
        parts, start = [], 0
        for x in leaves(self.like):
            part = vector[start : start + x.size].reshape(x.shape)
            parts.append(part[()] if isinstance(part, np.ndarray) else part)
            start += x.size
        return rebuilt(self.like, parts)

    def add(self, x: Any, y: Any) -> Any:
        """Add two values."""
        pairs = zip(leaves(x), leaves(y), strict=True)
        return rebuilt(self.like, [a + b for a, b in pairs])

    def scalar_mul(self, x: Any, factor: Any) -> Any:
        """Multiply a value by a number."""
        return rebuilt(self.like, [a * factor for a in leaves(x)])

    def inner_prod(self, x: Any, y: Any) -> Any:
        """Give the sum of all products."""
        pairs = zip(leaves(x), leaves(y), strict=True)
        return sum((np.asarray(1.0) * (a * b)).sum() for a, b in pairs)

    def covector(self, x: Any) -> Any:
        """Give the same: of real numbers nothing need be conjugated."""
        return x


def _zero(x: Any) -> np.ndarray:
    array = np.asarray(plain(x))
    if array.dtype.kind == "c":
        raise DtypeError("cgkit has no complex numbers")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"no space holds {x!r:.40}")
    return np.zeros(array.shape, float if array.dtype.kind in "iub" else array.dtype)
