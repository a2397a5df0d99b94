"""Nested tuples, lists and dicts of values, taken apart and put together again.

    {"w": a, "b": [c, d]}  ─ flatten ─>  [a, c, d] and a structure  ─ unflatten ─>  the same

A leaf is anything that is no tuple, list or dict; None is a leaf too. Dicts keep their own order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


class StructureError(ValueError):
    """Two nested structures that should be alike are not."""


@dataclass(frozen=True)
class Structure:
    """The shape of a nested value, without its leaves."""

    kind: type | None
    """tuple, list, dict or a named tuple's class; None for a leaf."""
    keys: tuple[Any, ...] = ()
    """The keys of a dict, in order."""
    parts: tuple[Structure, ...] = ()
    """The structure of each member."""

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(part.size for part in self.parts)


LEAF = Structure(None)


def flatten(value: Any) -> tuple[list[Any], Structure]:
    """Take a nested value apart.

    Examples
    --------
    >>> leaves, structure = flatten({"w": 1, "b": [2, 3]})
    >>> leaves
    [1, 2, 3]
    >>> unflatten(structure, "xyz")
    {'w': 'x', 'b': ['y', 'z']}
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves)


def _flatten(value: Any, leaves: list[Any]) -> Structure:
    if isinstance(value, dict):
        parts = tuple(_flatten(part, leaves) for part in value.values())
        return Structure(dict, tuple(value), parts)
    if isinstance(value, tuple | list):
        return Structure(type(value), (), tuple(_flatten(part, leaves) for part in value))
    leaves.append(value)
    return LEAF


def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """Put leaves into a structure.

    Raises
    ------
    StructureError
        The number of leaves does not fit.
    """
    if len(leaves) != structure.size:
        raise StructureError(f"the structure has {structure.size} leaves, got {len(leaves)}")
    return _unflatten(structure, iter(leaves))


def _unflatten(structure: Structure, leaves: Iterator[Any]) -> Any:
    if structure.kind is None:
        return next(leaves)
    parts = [_unflatten(part, leaves) for part in structure.parts]
    if structure.kind is dict:
        return dict(zip(structure.keys, parts, strict=True))
    if hasattr(structure.kind, "_fields"):
        return structure.kind(*parts)
    return structure.kind(parts)


def map_leaves(act: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to each leaf.

    Examples
    --------
    >>> map_leaves(abs, (-1, [-2]))
    (1, [2])
    """
    leaves, structure = flatten(value)
    return unflatten(structure, [act(leaf) for leaf in leaves])
