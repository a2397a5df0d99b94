"""Values that are more than plain data and still cross: exact numbers and drawings.

    Fraction(1, 3)     ──►  {"fraction": [1, 3]}                ──►  Fraction(1, 3)
    graphviz.Digraph  ──►  {"drawing": "digraph { x -> z }"}  ──►  graphviz.Source

A kind is a type with a written form in plain data. To let TensorType, Graph or Schedule cross, add
one `Kind` here: how to write it as plain data, how to read and *check* it again. Inside, the
student edition has its own class of that name, so `owners` names the modules a value may come from
on either side, and nothing is imported to find out.

Invariant: reading runs no code of the sender's, and checks what it reads.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

LONGEST_DRAWING = 1 << 20
"""Characters of DOT text that may cross."""
MOST_DIGITS = 3_000
"""Decimal digits of an exact number that may cross, before and behind the point."""


@dataclass(frozen=True)
class Kind:
    """One type that crosses."""

    mark: str
    """Its name in messages."""
    owners: tuple[tuple[str, str], ...]
    """The types it stands for, as (module, name)."""
    write: Callable[[Any], Any]
    """Gives plain data for a value."""
    read: Callable[[Any], Any]
    """Gives a value for plain data, or raises ValueError or TypeError."""


def _write_drawing(drawing: Any) -> str:
    text = drawing.source
    if type(text) is not str or len(text) > LONGEST_DRAWING:
        raise ValueError("a drawing whose source is no text, or too long")
    return text


def _read_drawing(text: Any) -> Any:
    import graphviz

    if type(text) is not str or len(text) > LONGEST_DRAWING:
        raise ValueError("a drawing is a text")
    return graphviz.Source(text)


DRAWING = Kind(
    mark="drawing",
    owners=(
        ("graphviz.graphs", "Digraph"),
        ("graphviz.graphs", "Graph"),
        ("graphviz.sources", "Source"),
    ),
    write=_write_drawing,
    read=_read_drawing,
)


def _read_fraction(parts: Any) -> Any:
    from fractions import Fraction

    above, below = parts
    if type(above) is not int or type(below) is not int or below < 1:
        raise ValueError("a fraction is two whole numbers")
    if max(abs(above), below) >= 10**MOST_DIGITS:
        raise ValueError(f"a fraction of more than {MOST_DIGITS:,} digits")
    return Fraction(above, below)


def _write_decimal(number: Any) -> str:
    text = str(number)
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a decimal number of more than {MOST_DIGITS:,} digits")
    return text


def _read_decimal(text: Any) -> Any:
    from decimal import Decimal, InvalidOperation

    if type(text) is not str or len(text) > MOST_DIGITS:
        raise ValueError("a decimal number is a text")
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise ValueError("no decimal number") from error
    if number.is_finite() and abs(number.adjusted()) > MOST_DIGITS:
        raise ValueError(f"a decimal number of more than {MOST_DIGITS:,} digits")
    return number


FRACTION = Kind(
    mark="fraction",
    owners=(("fractions", "Fraction"),),
    write=lambda number: [number.numerator, number.denominator],
    read=_read_fraction,
)
DECIMAL = Kind(
    mark="decimal", owners=(("decimal", "Decimal"),), write=_write_decimal, read=_read_decimal
)

KINDS: tuple[Kind, ...] = (DRAWING, FRACTION, DECIMAL)
BY_MARK = {kind.mark: kind for kind in KINDS}


class _ByType:
    """Finds the kind of a type by module and name; a type not yet imported costs nothing."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._named = {owner: kind for kind in kinds for owner in kind.owners}

    def _real(self, kind: type) -> bool:
        """Tell whether a type is the one its module holds, and no namesake made by a student."""
        module = sys.modules.get(kind.__module__)
        return module is not None and vars(module).get(kind.__name__) is kind

    def __contains__(self, kind: type) -> bool:
        name = (getattr(kind, "__module__", None), getattr(kind, "__name__", None))
        return name in self._named and self._real(kind)

    def __getitem__(self, kind: type) -> Kind:
        return self._named[kind.__module__, kind.__name__]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._named)


BY_TYPE = _ByType(KINDS)
