"""What is known of a tensor before it is computed: its shape and its dtype.

    Dim("N") ─┐
        784  ─┴─> TensorType((N, 784), float32)       N stays open until a graph is run

A size is an int or a `Dim`, a polynomial in named sizes with integer coefficients: a batch is N,
two batches joined are 2*N, a flattened image is N*784. Invariants:

- A Dim is never constant: arithmetic that cancels gives a plain int.
- Unlike sizes that meet where a rule needs equal ones are *taken as equal* if either is a Dim. Each
  run checks this: it infers the types again with Dims that know their value (`Dim.bind`), and the
  error names both. Only unequal ints fail when the graph is built.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias, Union

import numpy as np
from numpy.typing import DTypeLike

from cgkit.errors import ShapeError

Monomial: TypeAlias = tuple[tuple[str, int], ...]
Size: TypeAlias = Union[int, "Dim"]
Shape: TypeAlias = tuple[Size, ...]


class Dim:
    """A size that is not known yet: an integer polynomial of named sizes.

    Parameters
    ----------
    symbol
        The name of the size.

    Examples
    --------
    >>> n = Dim("N")
    >>> n * 784, n + n, n - n, (n * 784) // 28
    (784*N, 2*N, 0, 28*N)
    >>> (n * 2).at({"N": 5})
    10
    """

    __slots__ = ("terms", "value")

    terms: Mapping[Monomial, int]
    """Each product of powers with its coefficient, never 0; not empty, not constant."""
    value: int | None
    """The size once it is bound, for the checks of a run; equality does not look at it."""

    def __init__(self, symbol: str) -> None:
        if not symbol:
            raise ShapeError("a Dim needs a name", attempt='Dim("N")')
        self.terms = {((symbol, 1),): 1}
        self.value = None

    @property
    def symbols(self) -> frozenset[str]:
        """The named sizes that this one is made of."""
        return frozenset(name for monomial in self.terms for name, _ in monomial)

    def at(self, binding: Mapping[str, int]) -> int:
        """Compute the size when each symbol has the given value; KeyError when one is missing."""
        return sum(
            coefficient * math.prod(binding[name] ** power for name, power in monomial)
            for monomial, coefficient in self.terms.items()
        )

    def bind(self, binding: Mapping[str, int]) -> Dim:
        """Give the same Dim with its value known."""
        bound = object.__new__(Dim)
        bound.terms = self.terms
        bound.value = self.at(binding)
        return bound

    def __add__(self, other: Size) -> Size:
        if not isinstance(other, Dim | int):
            return NotImplemented
        terms = dict(self.terms)
        for monomial, coefficient in _terms(other).items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return _size(terms, self, other, lambda a, b: a + b)

    def __mul__(self, other: Size) -> Size:
        if not isinstance(other, Dim | int):
            return NotImplemented
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in _terms(other).items():
                product = _multiply(left, right)
                terms[product] = terms.get(product, 0) + a * b
        return _size(terms, self, other, lambda a, b: a * b)

    def __floordiv__(self, other: Size) -> Size:
        if not isinstance(other, Dim | int):
            return NotImplemented
        divided = _divide(self.terms, _terms(other))
        if divided is None:
            raise ShapeError(
                f"{self} cannot be divided by {other} before its value is known",
                attempt="a fixed size for this dimension",
            )
        return _size(divided, self, other, lambda a, b: a // b)

    def __rfloordiv__(self, other: int) -> Size:
        raise ShapeError(f"{other} cannot be divided by {self} before its value is known")

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + (-other)

    def __rsub__(self, other: int) -> Size:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __repr__(self) -> str:
        parts = [
            _show(monomial, coefficient)
            for monomial, coefficient in sorted(
                self.terms.items(), key=lambda term: (-sum(p for _, p in term[0]), term[0])
            )
        ]
        return " + ".join(parts).replace("+ -", "- ")

    def __index__(self) -> int:
        if self.value is None:
            raise ShapeError(
                f"the size {self} is not known before the graph runs",
                attempt="keeping it in shapes, or building the graph with a fixed size",
            )
        return self.value


def _terms(size: Size) -> Mapping[Monomial, int]:
    return size.terms if isinstance(size, Dim) else {(): size}


def _size(
    terms: Mapping[Monomial, int], left: Size, right: Size, act: Callable[[int, int], int]
) -> Size:
    kept = {monomial: coefficient for monomial, coefficient in terms.items() if coefficient}
    if not kept:
        return 0
    if tuple(kept) == ((),):
        return kept[()]
    result = object.__new__(Dim)
    result.terms = kept
    a, b = value_of(left), value_of(right)
    result.value = None if a is None or b is None else act(a, b)
    return result


def _multiply(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _divide(
    terms: Mapping[Monomial, int], divisor: Mapping[Monomial, int]
) -> Mapping[Monomial, int] | None:
    """Divide by one term exactly, or by an equal polynomial; None where that leaves a rest."""
    if terms == divisor:
        return {(): 1}
    if len(divisor) != 1:
        return None
    ((under, by),) = divisor.items()
    result = {}
    for monomial, coefficient in terms.items():
        powers = dict(monomial)
        for name, power in under:
            powers[name] = powers.get(name, 0) - power
        if by == 0 or coefficient % by or min(powers.values(), default=0) < 0:
            return None
        rest = tuple(sorted((name, power) for name, power in powers.items() if power))
        result[rest] = coefficient // by
    return result


def _show(monomial: Monomial, coefficient: int) -> str:
    factors = [name if power == 1 else f"{name}^{power}" for name, power in monomial]
    if coefficient == -1 and factors:
        return "-" + "*".join(factors)
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return "*".join(factors)


def value_of(size: Size) -> int | None:
    """Give the value of a size, or None for a Dim that is not bound."""
    return size.value if isinstance(size, Dim) else size


def meet(left: Size, right: Size) -> Size:
    """Join two sizes that a rule needs to be equal.

    Parameters
    ----------
    left, right
        Two sizes.

    Returns
    -------
    Size
        The one that is known better: an int before a Dim.

    Raises
    ------
    ShapeError
        Both are known and differ.

    Examples
    --------
    >>> meet(Dim("N"), 784)
    784
    >>> meet(Dim("N").bind({"N": 3}), 784)
    Traceback (most recent call last):
    cgkit.errors.ShapeError: N = 3 and 784 were taken as equal when the graph was built
    """
    if isinstance(left, int) and isinstance(right, int):
        if left != right:
            raise ShapeError(f"the sizes {left} and {right} differ")
        return left
    a, b = value_of(left), value_of(right)
    if a is not None and b is not None and a != b:
        raise ShapeError(
            f"{_named(left)} and {_named(right)} were taken as equal when the graph was built"
        )
    return right if isinstance(left, Dim) and isinstance(right, int) else left


def _named(size: Size) -> str:
    return f"{size} = {size.value}" if isinstance(size, Dim) else str(size)


def broadcast_sizes(left: Size, right: Size) -> Size:
    """Join two sizes of one axis by NumPy's rule: a 1 stretches, others must be equal."""
    if isinstance(left, int) and left == 1:
        return right
    if isinstance(right, int) and right == 1:
        return left
    return meet(left, right)


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Give the shape that operands of these shapes broadcast to.

    Examples
    --------
    >>> broadcast_shapes((3, 1), (4,), ())
    (3, 4)
    >>> broadcast_shapes((Dim("N"), 784), (784,))
    (N, 784)

    Raises
    ------
    ShapeError
        Two sizes of one axis are known, differ, and neither is 1.
    """
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    try:
        return tuple(reduce(broadcast_sizes, sizes) for sizes in zip(*padded, strict=True))
    except ShapeError as error:
        raise ShapeError(
            "cannot broadcast " + " with ".join(show_shape(shape) for shape in shapes),
            why=error.what,
            attempt="reshape, so that unequal sizes stand over a 1",
        ) from None


def count(shape: Iterable[Size]) -> Size:
    """Give the number of elements of a shape: 1 for the empty shape."""
    total: Size = 1
    for size in shape:
        total = total * size
    return total


def show_shape(shape: Sequence[Size]) -> str:
    """Write a shape as Python does: `(3, N)`."""
    return str(tuple(shape))


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
    >>> TensorType((Dim("N"), 784), "float32")
    float32[N, 784]
    >>> TensorType((2, 3), "float64").nbytes
    48
    """

    shape: Shape
    dtype: np.dtype

    def __init__(self, shape: Iterable[Size], dtype: DTypeLike) -> None:
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "dtype", np.dtype(dtype))

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


def promote(*operands: DTypeLike | bool | int | float | complex) -> np.dtype:
    """Give the dtype of a result by NumPy 2's rule: a plain Python number is weak.

    Examples
    --------
    >>> promote(np.dtype("float32"), 2.0), promote(np.dtype("int32"), 2.0)
    (dtype('float32'), dtype('float64'))
    """
    return np.result_type(*operands)


def solve(shape: Shape, sizes: Sequence[int], binding: dict[str, int]) -> None:
    """Read off the values of symbols from one shape and the sizes it met, into `binding`.

    Raises
    ------
    ShapeError
        The ranks differ, a size differs, or a symbol would have two values.
    """
    if len(shape) != len(sizes):
        raise ShapeError(f"expected shape {show_shape(shape)}, got {show_shape(sizes)}")
    for size, actual in zip(shape, sizes, strict=True):
        expected = _solve_size(size, actual, binding)
        if expected != actual:
            raise ShapeError(
                f"expected shape {show_shape(shape)}, got {show_shape(sizes)}",
                why=f"{size} is {expected}, not {actual}" if isinstance(size, Dim) else "",
            )


def _solve_size(size: Size, actual: int, binding: dict[str, int]) -> int:
    if isinstance(size, int):
        return size
    unknown = [name for name in size.symbols if name not in binding]
    if len(unknown) == 1:
        with_it = [monomial for monomial in size.terms if unknown[0] in dict(monomial)]
        slope = size.terms.get(((unknown[0], 1),))
        if len(with_it) == 1 and slope:
            rest = actual - size.at({**binding, unknown[0]: 0})
            binding[unknown[0]] = rest // slope
    if size.symbols <= binding.keys():
        return size.at(binding)
    raise ShapeError(f"{size} cannot be read off the size {actual}: several symbols are unknown")
