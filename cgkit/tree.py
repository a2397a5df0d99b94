"""Nested tuples, lists and dicts of values, taken apart and put together again.

    {"w": a, "b": [c, d]}  ─ flatten ─>  [a, c, d] and a structure  ─ unflatten ─>  the same
    the structure, {"w": {..}, "b": [(..), e]}  ─ flatten_along ─>  [{..}, (..), e]

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


def flatten_along(structure: Structure, value: Any) -> list[Any]:
    """Take a nested value apart as far as a structure goes; what hangs below is a leaf whole.

    Parameters
    ----------
    structure
        Where to stop, from `flatten`.
    value
        Nested in the same way, with anything in the place of a leaf. A list may stand for a tuple,
        and the other way round.

    Raises
    ------
    StructureError
        The value is nested in another way; the message says where.

    Examples
    --------
    >>> _, structure = flatten({"w": 1.0, "b": 2.0})
    >>> flatten_along(structure, {"w": {"step": 3}, "b": {"step": 4}})
    [{'step': 3}, {'step': 4}]
    >>> flatten_along(structure, {"w": 1})
    Traceback (most recent call last):
    cgkit.tree.StructureError: the whole has the keys ['w'], not ['w', 'b']
    """
    found: list[Any] = []
    _along(structure, value, "the whole", found)
    return found


def _along(structure: Structure, value: Any, place: str, found: list[Any]) -> None:
    if structure.kind is None:
        found.append(value)
        return
    if not _alike(type(value), structure.kind):
        kind = structure.kind.__name__
        raise StructureError(f"{place} is of type {type(value).__name__}, not {kind}")
    if structure.kind is dict:
        if set(value) != set(structure.keys):
            raise StructureError(f"{place} has the keys {[*value]}, not {[*structure.keys]}")
        members = [(key, value[key]) for key in structure.keys]
    else:
        if len(value) != len(structure.parts):
            raise StructureError(f"{place} has {len(value)} members, not {len(structure.parts)}")
        members = list(enumerate(value))
    for (key, member), part in zip(members, structure.parts, strict=True):
        _along(part, member, f"{place.removeprefix('the whole')}[{key!r}]", found)


def _alike(given: type, wanted: type) -> bool:
    if wanted is dict:
        return issubclass(given, dict)
    return given is wanted or {given, wanted} == {list, tuple}


def paths(structure: Structure) -> list[str]:
    """Say where each leaf of a structure stands, as one would write it behind a name.

    Examples
    --------
    >>> paths(flatten({"w": 1, "b": [2, 3]})[1])
    ["['w']", "['b'][0]", "['b'][1]"]
    """
    if structure.kind is None:
        return [""]
    keys = structure.keys if structure.kind is dict else range(len(structure.parts))
    return [
        f"[{key!r}]{rest}"
        for key, part in zip(keys, structure.parts, strict=True)
        for rest in paths(part)
    ]
