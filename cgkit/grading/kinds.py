"""Values that are more than plain data and still cross: today drawings; the place for the next.

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

KINDS: tuple[Kind, ...] = (DRAWING,)
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
