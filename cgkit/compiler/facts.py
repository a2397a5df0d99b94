"""What a call is like: the facts that a compiled function may depend on.

    f(x, scale=2.0)   ─>   ("x", "dtype") float32   ("x", "rank") 2   ("x", "size 0") 32
                           ("scale", "value") 2.0   ("the arguments", "nesting") ...
                           ("grad mode", "on") True

A fact is a place, a property and a value that can be compared. Tensors count by type, never by
their numbers; everything else counts by value, or by being the same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.compiler.snapshot import same_numbers
from cgkit.control.agreement import shown
from cgkit.symbolic import Value
from cgkit.tensor import Tensor
from cgkit.tensor.modes import grad_enabled

Fact = tuple[str, str]
Facts = dict[Fact, Any]
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.dtype, np.generic)


class Same:
    """A value that is equal to nothing but itself: a function, a module, an object."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __repr__(self) -> str:
        name = getattr(self.thing, "__name__", "")
        return f"{type(self.thing).__name__} {name}".strip()


@dataclass(frozen=True)
class Exact:
    """A plain value with its type: 0.0 is not -0.0, True is not 1, nan is nan."""

    kind: str
    text: str

    def __repr__(self) -> str:
        return self.text


def exact(value: Any) -> Exact:
    """Give a plain value as a fact.

    Examples
    --------
    >>> exact(1) == exact(True), exact(0.0) == exact(-0.0), exact(float("nan"))
    (False, False, nan)
    """
    return Exact(type(value).__name__, repr(value))


class Numbers:
    """An array by its numbers, to the last bit."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbers) and same_numbers(self.array, other.array)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return np.array2string(self.array, threshold=6, edgeitems=2).replace("\n", "")


@dataclass(frozen=True)
class Nesting:
    """How the arguments of a call are nested."""

    structure: tree.Structure

    def __repr__(self) -> str:
        return shown(self.structure)


@dataclass(frozen=True, eq=False)
class Call:
    """The arguments of a call, taken apart."""

    leaves: tuple[Any, ...]
    structure: tree.Structure
    places: tuple[str, ...]
    """What an error calls each leaf: "x", "batch['image']"."""

    @property
    def tensors(self) -> list[int]:
        """The numbers of the leaves that are tensors or arrays."""
        return [i for i, leaf in enumerate(self.leaves) if is_tensor(leaf)]


def is_tensor(leaf: Any) -> bool:
    """Say whether a leaf is read by type, not by value."""
    return isinstance(leaf, Tensor | np.ndarray | Value)


def call_of(bound: Mapping[str, Any]) -> Call:
    """Take apart the arguments of a call, by parameter name."""
    leaves, structure = tree.flatten(dict(bound))
    places = []
    for name, value in bound.items():
        places += [f"{name}{path}" for path in tree.paths(tree.flatten(value)[1])]
    return Call(tuple(leaves), structure, tuple(places))


def facts_of(call: Call) -> Facts:
    """Give the facts of a call's arguments, and the grad mode."""
    facts: Facts = {
        ("grad mode", "on"): grad_enabled(),
        ("the arguments", "nesting"): Nesting(call.structure),
    }
    seen: dict[int, str] = {}
    for place, leaf in zip(call.places, call.leaves, strict=True):
        if not is_tensor(leaf):
            facts[place, "value"] = exact(leaf) if isinstance(leaf, PLAIN) else Same(leaf)
            continue
        facts.update(type_facts(place, leaf))
        facts[place, "the same as"] = seen.setdefault(id(leaf), place)
    return facts


def type_facts(place: str, x: Any) -> Facts:
    """Give the facts of a tensor's type."""
    facts: Facts = {
        (place, "dtype"): x.dtype,
        (place, "rank"): len(x.shape),
        (place, "requires grad"): bool(getattr(x, "requires_grad", False)),
        (place, "device"): str(getattr(x, "device", "cpu")),
    }
    for axis, size in enumerate(x.shape):
        facts[place, f"size {axis}"] = size
    return facts


def difference(fact: Fact, expected: Any, facts: Mapping[Fact, Any]) -> str:
    """Say how a fact differs from what was expected.

    Examples
    --------
    >>> difference(("x", "rank"), 2, {("x", "rank"): 3})
    'x: rank was 2, is 3'
    """
    place, what = fact
    if fact not in facts:
        return f"{place}: {what} was {expected}, is not there"
    other = "another " * (str(facts[fact]) == str(expected))
    return f"{place}: {what} was {expected}, is {other}{facts[fact]}"
