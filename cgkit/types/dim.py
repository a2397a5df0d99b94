"""Sizes that are not known yet: integer polynomials of named sizes.

n = Dim("N")        n * 784 is 784*N, n + n is 2*N, n - n is 0
n.bind({"N": 5})    the same size, known to be 5: two that were taken as equal can be compared

A Dim is never constant, so that a plain int always means a known size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias, Union

from cgkit.errors import OpenSize, ShapeError

Monomial: TypeAlias = tuple[tuple[str, int], ...]
Size: TypeAlias = Union[int, "Dim"]
Shape: TypeAlias = tuple[Size, ...]
MOST_TERMS = 4096
"""Sizes of more terms would take longer to multiply than graphs take to build."""
LARGEST = 2**63 - 1
"""The largest coefficient of a size: what NumPy counts with."""


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
        if not isinstance(symbol, str) or not symbol:
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

    def put(self, sizes: Mapping[str, Size]) -> Size:
        """Give the size with others, open or known, in the place of its symbols.

        Examples
        --------
        >>> (Dim("N") * 2 + 1).put({"N": Dim("M") + 3}), (Dim("N") * Dim("M")).put({"N": 4})
        (2*M + 7, 4*M)
        """
        total: Size = 0
        for monomial, coefficient in self.terms.items():
            product: Size = coefficient
            for name, power in monomial:
                for _ in range(power):
                    product = product * sizes.get(name, Dim(name))
            total = total + product
        return total

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
        terms = dict(self.terms)
        for monomial, coefficient in _terms(other).items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return _size(terms, self, other, lambda a, b: a + b)

    def __mul__(self, other: Size) -> Size:
        if not isinstance(other, Dim | int):
            return NotImplemented
        terms: dict[Monomial, int] = {}
        if len(self.terms) * len(_terms(other)) > MOST_TERMS:
            raise ShapeError(f"a size of more than {MOST_TERMS:,} terms is none that can be meant")
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
            raise OpenSize(
                f"{self} cannot be divided by {other} before its value is known",
                self.symbols,
                attempt="a fixed size for this dimension",
            )
        return _size(divided, self, other, lambda a, b: a // b)

    def __rfloordiv__(self, other: int) -> Size:
        raise OpenSize(
            f"{other} cannot be divided by {self} before its value is known", self.symbols
        )

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
            raise OpenSize(
                f"the size {self} is not known before the graph runs",
                self.symbols,
                attempt="keeping it in shapes, or building the graph with a fixed size",
            )
        return self.value


OPEN = Dim("?")
"""A size that only a run tells, before a builder has given it a name of its own."""


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
    if max(max(kept.values()), -min(kept.values())) > LARGEST:
        raise ShapeError(f"a size with a coefficient beyond {LARGEST:,} is none that can be meant")
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
            f"{_named(left)} and {_named(right)} were taken as equal when the graph was built"
        )
    return right if isinstance(left, Dim) and isinstance(right, int) else left


def _named(size: Size) -> str:
    return f"{size} = {size.value}" if isinstance(size, Dim) else str(size)
