"""Sizes that are not known yet: integer polynomials of named sizes.

n = Dim("N")        n * 784 is 784*N, n + n is 2*N, n - n is 0
(n - 1) // 2        rounded down, as numbers are: (N - 1)//2 is a factor like N
n.bind({"N": 5})    the same size, known to be 5: two that were taken as equal can be compared

A Dim is never constant, so that a plain int always means a known size.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TypeAlias, Union

from cgkit.errors import OpenSize, ShapeError
from cgkit.types import terms as polynomial
from cgkit.types.terms import LARGEST, Factor, Floor, Terms

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
    >>> (n - 1) // 2, (n + 4) // 2, n // 2 // 2, n % 2
    ((N - 1)//2, N//2 + 2, N//4, N - 2*(N//2))
    >>> (n * 2).at({"N": 5})
    10
    """

    __slots__ = ("terms", "value")

    terms: Terms
    """Each product of powers with its coefficient, never 0; not empty, not constant."""
    value: int | None
    """The size once it is bound, for the checks of a run; equality does not look at it."""

    def __init__(self, symbol: str) -> None:
        if not isinstance(symbol, str) or not symbol:
            raise ShapeError("a Dim needs a name", attempt='Dim("N")')
        self.terms = {((symbol, 1),): 1}
        self.value = None

    @property
    def symbols(self) -> frozenset[str]:
        """The named sizes that this one is made of."""
        return polynomial.symbols(self.terms)

    def at(self, binding: Mapping[str, int]) -> int:
        """Compute the size when each symbol has the given value; KeyError when one is missing."""
        return polynomial.at(self.terms, binding)

    def put(self, sizes: Mapping[str, Size]) -> Size:
        """Give the size with others, open or known, in the place of its symbols.

        Examples
        --------
        >>> (Dim("N") * 2 + 1).put({"N": Dim("M") + 3}), (Dim("N") * Dim("M")).put({"N": 4})
        (2*M + 7, 4*M)
        """
        return _put(self.terms, sizes)

    def is_line(self, symbol: str) -> bool:
        """Say whether the size is so many times a symbol, and a rest without it.

        Examples
        --------
        >>> n, m = Dim("N"), Dim("M")
        >>> (n * m + m // 2).is_line("N"), (n * m + m // 2).is_line("M"), (n * n).is_line("N")
        (True, False, False)
        """
        return all(
            (factor, power) == (symbol, 1) or symbol not in polynomial.symbols({((factor, 1),): 1})
            for monomial in self.terms
            for factor, power in monomial
        )

    def bind(self, binding: Mapping[str, int]) -> Dim:
        """Give the same Dim with its value known; itself while a symbol has none."""
        if not self.symbols <= binding.keys():
            return self
        bound = object.__new__(Dim)
        bound.terms = self.terms
        bound.value = self.at(binding)
        return bound

    def __add__(self, other: Size) -> Size:
        if not isinstance(other, Dim | int):
            return NotImplemented
        return _size(polynomial.add(self.terms, _terms(other)), operator.add, self, other)

    def __mul__(self, other: Size) -> Size:
        if not isinstance(other, Dim | int):
            return NotImplemented
        return _size(polynomial.multiply(self.terms, _terms(other)), operator.mul, self, other)

    def __floordiv__(self, other: Size) -> Size:
        if not isinstance(other, Dim | int):
            return NotImplemented
        if isinstance(other, int) and other < 0:
            return -self // -other
        if isinstance(other, int) and other:
            divided: Terms | None = polynomial.floor(self.terms, other)
        else:
            divided = polynomial.divide(self.terms, _terms(other))
        if divided is None:
            raise OpenSize(
                f"{self} cannot be divided by {other} before its value is known",
                self.symbols,
                attempt="a fixed size for this dimension",
            )
        return _size(divided, operator.floordiv, self, other)

    def __rfloordiv__(self, other: int) -> Size:
        raise OpenSize(
            f"{other} cannot be divided by {self} before its value is known", self.symbols
        )

    def __mod__(self, other: Size) -> Size:
        return self - Dim.__floordiv__(self, other) * other

    def __rmod__(self, other: int) -> Size:
        return self.__rfloordiv__(other)

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
        return polynomial.show(self.terms)

    def __bool__(self) -> bool:
        return least(self) > 0 or self.__index__() != 0

    def __index__(self) -> int:
        if self.value is None:
            raise OpenSize(
                f"the size {self} is not known before the graph runs",
                self.symbols,
                attempt="keeping it in shapes, or building the graph with a fixed size",
            )
        return self.value


OPEN = Dim("?")
"""A size that only a run tells, before a builder has given it a name of its own."""


def of_terms(terms: Terms, value: int | None = None) -> Size:
    """Give a polynomial as a size, an int if it is constant.

    Raises
    ------
    ShapeError
        A coefficient is larger than sizes can be.

    Examples
    --------
    >>> of_terms({(("N", 1),): 2, (): 1}), of_terms({(): 3}), of_terms({})
    (2*N + 1, 3, 0)
    """
    if not terms.keys() - {()}:
        return terms.get((), 0)
    if max(map(abs, terms.values())) > LARGEST:
        raise ShapeError(f"a size with a coefficient beyond {LARGEST:,} is none that can be meant")
    result = object.__new__(Dim)
    result.terms = terms
    result.value = value
    return result


def _terms(size: Size) -> Terms:
    return size.terms if isinstance(size, Dim) else {(): size} if size else {}


def _size(terms: Terms, act: Callable[[int, int], int], left: Dim, right: Size) -> Size:
    a, b = left.value, value_of(right)
    return of_terms(terms, None if a is None or b is None else act(a, b))


def _put(terms: Terms, sizes: Mapping[str, Size]) -> Size:
    total: Size = 0
    for monomial, coefficient in terms.items():
        product: Size = coefficient
        for factor, power in monomial:
            for _ in range(power):
                product = product * _put_factor(factor, sizes)
        total = total + product
    return total


def _put_factor(factor: Factor, sizes: Mapping[str, Size]) -> Size:
    if isinstance(factor, Floor):
        return _put(factor.terms, sizes) // factor.by
    return sizes.get(factor, Dim(factor))


def least(size: Size) -> float:
    """Give what a size is at least, no symbol being negative; -inf where that is not plain.

    Examples
    --------
    >>> least(Dim("N") * 2 + 1), least((Dim("N") - 1) // 2), least(Dim("N") - 1), least(3)
    (1, -1, -1, 3)
    >>> least(Dim("N") - Dim("M"))
    -inf
    """
    return polynomial.least(_terms(size))


def value_of(size: Size) -> int | None:
    """Give the value of a size, or None for a Dim that is not bound."""
    return size.value if isinstance(size, Dim) else size


def show_size(size: Size) -> str:
    """Write a size, with its value where it is open and bound.

    Examples
    --------
    >>> show_size(3), show_size(Dim("N")), show_size(Dim("N").bind({"N": 5}))
    ('3', 'N', 'N = 5')
    """
    known = isinstance(size, Dim) and size.value is not None
    return f"{size} = {value_of(size)}" if known else str(size)


def size_at(size: Size, binding: Mapping[str, int]) -> int:
    """Give a size as a plain number, with the values of its symbols.

    Examples
    --------
    >>> size_at(Dim("N") * 2, {"N": 3}), size_at(7, {})
    (6, 7)

    Raises
    ------
    ShapeError
        A symbol has no value; it is named.
    """
    if not isinstance(size, Dim):
        return size
    missing = sorted(size.symbols - binding.keys())
    if missing:
        raise ShapeError(
            f"the size {size} is not known without a value for {', '.join(missing)}",
            attempt=str(dict.fromkeys(missing, 1)),
        )
    return size.at(binding)


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
            f"{show_size(left)} and {show_size(right)} were taken as equal when the graph was built"
        )
    return right if isinstance(left, Dim) and isinstance(right, int) else left
