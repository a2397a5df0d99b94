"""Nested lists, tuples and dicts of numbers, as autograd's functions take and give them.

    {"a": [1.0, (2.0,)]}  ─ leaves ─>  [1.0, 2.0]  ─ rebuilt ─>  {"a": [1.0, (2.0,)]}

Dicts are read in the order of their keys as text, so that equal dicts have equal leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Leaf = Callable[[Any], Any]


def mapped(x: Any, act: Leaf) -> Any:
    """Apply a function to each leaf.

    Examples
    --------
    >>> mapped({"b": 1, "a": [2, (3,)]}, lambda leaf: -leaf)
    {'b': -1, 'a': [-2, (-3,)]}
    """
    if isinstance(x, dict):
        found = {key: mapped(x[key], act) for key in _keys(x)}
        return {key: found[key] for key in x}
    if isinstance(x, list | tuple):
        return type(x)(mapped(each, act) for each in x)
    return act(x)


def leaves(x: Any) -> list[Any]:
    """Give the leaves, in order.

    Examples
    --------
    >>> leaves({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]
    """
    found: list[Any] = []
    mapped(x, found.append)
    return found


def rebuilt(like: Any, leaves_of: Sequence[Any]) -> Any:
    """Put leaves into the structure of another value.

    Examples
    --------
    >>> rebuilt({"b": 1, "a": [2, (3,)]}, ["x", "y", "z"])
    {'b': 'z', 'a': ['x', ('y',)]}
    """
    rest: Iterator[Any] = iter(leaves_of)
    return mapped(like, lambda _: next(rest))


def form(x: Any, of_leaf: Leaf) -> Any:
    """Describe a structure, so that equal ones compare equal.

    Examples
    --------
    >>> form((1.0, [2]), type) == form((5.0, [7]), type)
    True
    """
    if isinstance(x, dict):
        return ("dict", tuple((key, form(x[key], of_leaf)) for key in _keys(x)))
    if isinstance(x, list | tuple):
        return (type(x).__name__, tuple(form(each, of_leaf) for each in x))
    return of_leaf(x)


def _keys(x: dict[Any, Any]) -> list[Any]:
    return sorted(x, key=str)
