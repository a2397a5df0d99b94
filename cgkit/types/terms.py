"""Integer polynomials of named sizes, term by term: what open sizes are made of.

    2*N*M - 3           {(("M", 1), ("N", 1)): 2, (): -3}
    (N - 1)//2 + 1      {((Floor(N - 1, 2), 1),): 1, (): 1}

A polynomial divided by a number and rounded down is a factor, as a named size is. It has one form:
whole multiples of the divisor come out of it, a divisor that all its coefficients share is struck
out, and one inside another is a single one. So (2*N + 4)//2 is N + 2, (2*N)//4 is N//2, and
N//2//2 is N//4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias, Union

from cgkit.errors import ShapeError

Factor: TypeAlias = Union[str, "Floor"]
Monomial: TypeAlias = tuple[tuple[Factor, int], ...]
Terms: TypeAlias = Mapping[Monomial, int]
MOST_TERMS = 4096
"""Sizes of more terms would take longer to multiply than graphs take to build."""
MOST_INSIDE = 100
"""What is divided has no more terms, those that are divided inside it counted too."""
LARGEST = 2**63 - 1
"""The largest coefficient and divisor: what NumPy counts with."""


class Floor(NamedTuple):
    """A polynomial divided by a number and rounded down, as a factor of another."""

    inside: tuple[tuple[Monomial, int], ...]
    """Its terms in order; coefficients lie between 0 and `by`, the constant is the nearest to 0."""
    by: int
    """At least 2, and without a divisor that all coefficients have, up to `LARGEST`."""

    @property
    def terms(self) -> Terms:
        """What is divided."""
        return dict(self.inside)

    def __str__(self) -> str:
        inside = show(self.terms)
        return f"{inside if inside in symbols(self.terms) else f'({inside})'}//{self.by}"


def symbols(terms: Terms) -> frozenset[str]:
    """Give the named sizes that a polynomial is made of."""
    found: set[str] = set()
    for monomial in terms:
        for factor, _ in monomial:
            found |= symbols(factor.terms) if isinstance(factor, Floor) else {factor}
    return frozenset(found)


def at(terms: Terms, binding: Mapping[str, int]) -> int:
    """Compute a polynomial when each symbol has the given value; KeyError when one is missing."""
    return sum(
        coefficient * math.prod(_factor_at(factor, binding) ** power for factor, power in monomial)
        for monomial, coefficient in terms.items()
    )


def _factor_at(factor: Factor, binding: Mapping[str, int]) -> int:
    if isinstance(factor, Floor):
        return at(factor.terms, binding) // factor.by
    return binding[factor]


def add(left: Terms, right: Terms, times: int = 1) -> Terms:
    """Add so many times one polynomial to another.

    Examples
    --------
    >>> add({(): 2}, {(("N", 1),): 1}, times=3)
    {(): 2, (('N', 1),): 3}
    """
    found = dict(left)
    for monomial, coefficient in right.items():
        found[monomial] = found.get(monomial, 0) + coefficient * times
    return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}


def multiply(left: Terms, right: Terms) -> Terms:
    """Multiply two polynomials.

    Raises
    ------
    ShapeError
        The product would have too many terms.

    Examples
    --------
    >>> multiply({(("N", 1),): 1}, {(("N", 1),): 1, (): 2})
    {(('N', 2),): 1, (('N', 1),): 2}
    """
    if len(left) * len(right) > MOST_TERMS:
        raise ShapeError(f"a size of more than {MOST_TERMS:,} terms is none that can be meant")
    found: dict[Monomial, int] = {}
    for one, a in left.items():
        for other, b in right.items():
            powers = dict(one)
            for factor, power in other:
                powers[factor] = powers.get(factor, 0) + power
            product = tuple(sorted(powers.items(), key=lambda item: _rank(item[0])))
            found[product] = found.get(product, 0) + a * b
    return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}


def divide(terms: Terms, divisor: Terms) -> Terms | None:
    """Divide by one term exactly, or by an equal polynomial; None where that leaves a rest.

    Examples
    --------
    >>> n = {(("N", 1),): 6}
    >>> divide(n, {(("N", 1),): 2}), divide(n, {(): 4})
    ({(): 3}, None)
    """
    if terms == divisor:
        return {(): 1}
    if len(divisor) != 1:
        return None
    ((under, by),) = divisor.items()
    result = {}
    for monomial, coefficient in terms.items():
        powers = dict(monomial)
        for factor, power in under:
            powers[factor] = powers.get(factor, 0) - power
        if by == 0 or coefficient % by or min(powers.values(), default=0) < 0:
            return None
        rest = tuple((factor, power) for factor, power in powers.items() if power)
        result[rest] = coefficient // by
    return result


def floor(terms: Terms, by: int) -> Terms:
    """Divide by a number above 0 and round down.

    Raises
    ------
    ShapeError
        What is divided has too many terms.

    Examples
    --------
    >>> show(floor({(("N", 1),): 5, (): -3}, 2))
    '2*N + (N - 1)//2 - 1'
    """
    shared = math.gcd(by, *(coefficient for monomial, coefficient in terms.items() if monomial))
    by //= shared
    whole, rest = {}, {}
    for monomial, coefficient in terms.items():
        whole[monomial], rest[monomial] = divmod(coefficient // shared, by)
    if by == 1:
        return add(whole, {})
    if 2 * rest.get((), 0) >= by:
        whole[()], rest[()] = whole[()] + 1, rest[()] - by
    return add(whole, _rounded(add(rest, {}), by))


def _rounded(rest: Terms, by: int) -> Terms:
    """Round down what no divisor comes out of: as one factor, or as part of a factor in it."""
    floors = [monomial for monomial in rest if rest[monomial] == 1 and _is_floor(monomial)]
    if floors:
        inner = min(floors, key=_place)
        ((factor, _),) = inner
        assert isinstance(factor, Floor)
        around = add(rest, {inner: -1})
        return floor(add(factor.terms, around, times=factor.by), by * factor.by)
    if _weight(rest) > MOST_INSIDE or by > LARGEST:
        raise ShapeError(
            f"a size of more than {MOST_INSIDE} terms that is divided, or divided by more than "
            f"{LARGEST:,}, is none that can be meant"
        )
    inside = sorted(rest.items(), key=lambda term: _place(term[0]))
    return {((Floor(tuple(inside), by), 1),): 1}


def _is_floor(monomial: Monomial) -> bool:
    return len(monomial) == 1 and isinstance(monomial[0][0], Floor) and monomial[0][1] == 1


def _weight(terms: Terms) -> int:
    """Count terms, with those inside of factors."""
    factors = [factor for monomial in terms for factor, _ in monomial if isinstance(factor, Floor)]
    return len(terms) + sum(_weight(factor.terms) for factor in factors)


def least(terms: Terms) -> float:
    """Give what a polynomial is at least while no symbol is negative; -inf where that is not plain.

    Examples
    --------
    >>> n = {(("N", 1),): 1}
    >>> least(floor(add(n, {(): -1}), 2)), least(add(n, floor(n, 2), times=-1))
    (-1, 0)
    """
    total: float = 0
    for monomial, coefficient in terms.items():
        lows = [_least(factor) for factor, power in monomial for _ in range(power)]
        plain = min(lows, default=0) >= 0
        if coefficient < 0 and lows:
            floors = [factor for factor, _ in monomial if isinstance(factor, Floor)]
            return _least_unrounded(terms, monomial, floors[0]) if plain and floors else -math.inf
        if len(lows) > 1 and not plain:
            return -math.inf
        total += coefficient * math.prod(lows)
    return total


def _least(factor: Factor) -> float:
    return _floor_of(least(factor.terms), factor.by) if isinstance(factor, Floor) else 0


def _least_unrounded(terms: Terms, monomial: Monomial, factor: Floor) -> float:
    """Give what a polynomial is at least if what one term takes off is not rounded down."""
    taken = {monomial: terms[monomial]}
    others = add({}, add(terms, taken, times=-1), times=factor.by)
    rest = divide(taken, {((factor, 1),): 1})
    assert rest is not None  # it is a factor of this term
    return -_floor_of(-least(add(others, multiply(rest, factor.terms))), factor.by)


def _floor_of(number: float, by: int) -> float:
    return number // by if math.isfinite(number) else number


def _rank(factor: Factor) -> tuple[Any, ...]:
    """Say where a factor stands in a product: names first, then by divisor and terms."""
    if isinstance(factor, Floor):
        return 1, factor.by, [(_place(m), coefficient) for m, coefficient in factor.inside]
    return 0, factor


def _place(monomial: Monomial) -> tuple[Any, ...]:
    """Say where a product stands in a sum: those of more factors first."""
    powers = [(_rank(factor), power) for factor, power in monomial]
    return -sum(power for _, power in powers), powers


def show(terms: Terms) -> str:
    """Write a polynomial as one would.

    Examples
    --------
    >>> show({(("M", 1), ("N", 2)): 2, (): -3}), show(floor({(("N", 1),): 1, (): 2}, 3))
    ('2*M*N^2 - 3', '(N - 1)//3 + 1')
    """
    parts = [_show(monomial, terms[monomial]) for monomial in sorted(terms, key=_place)]
    return " + ".join(parts).replace("+ -", "- ")


def _show(monomial: Monomial, coefficient: int) -> str:
    if coefficient == 1 and _is_floor(monomial):
        return str(monomial[0][0])
    bases = [f"({factor})" if isinstance(factor, Floor) else factor for factor, _ in monomial]
    powers = zip(bases, (power for _, power in monomial), strict=True)
    factors = [base if power == 1 else f"{base}^{power}" for base, power in powers]
    if coefficient == -1 and factors:
        return "-" + "*".join(factors)
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return "*".join(factors)
