"""What functions read beside their arguments: globals, closures, attributes.

    def f(x): return x * SCALE + config.shift       the global SCALE, config.shift
    class Net: def __call__(self, x): self.w ...    what the object holds, and its class

They are found in the function's code, in that of the functions it calls, and in the objects that it
reaches. Plain values count by value, arrays by their numbers, objects by what they hold. Tensors
count by type: a compiled function takes them as further inputs, found anew at their places.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit.compiler.code import ANY_NAME, cells, is_library, loaded, mentioned
from cgkit.compiler.facts import PLAIN, Facts, Numbers, Same, exact, type_facts
from cgkit.compiler.snapshot import MISSING, Snapshot
from cgkit.graph import Graph
from cgkit.node import Node, Operator
from cgkit.symbolic import Value
from cgkit.tensor import Generator, Tensor

FIXED = (Operator, Graph, Node, Value)
"""Kinds of objects that never change."""
MOST = 5000
"""How many values are looked at in all."""
DEEPEST = 40
Functions = (types.FunctionType, types.MethodType, staticmethod, classmethod, property)


@dataclass(frozen=True, eq=False)
class Reads:
    """What a function reads beside its arguments, as it is now."""

    facts: Facts
    tensors: tuple[Tensor, ...]
    """Each once, in the order in which they were found; those of the arguments are left out."""
    numbers: frozenset[int]
    """The identity of each tensor and array that was found, those of the arguments included."""
    generators: tuple[Generator, ...]
    """What hands out keys, each once."""
    snapshot: Snapshot


def reads_of(
    fn: Any, objects: Mapping[str, Any] | None = None, given: Mapping[int, str] | None = None
) -> Reads:
    """Give what a function reads beside its arguments.

    Parameters
    ----------
    fn
        The function, or an object that can be called.
    objects
        Arguments that are no tensors and may hold anything, by the places where they stand.
    given
        The place of each argument that is a tensor, by identity.
    """
    reader = _Reader(dict(given or {}))
    reader.value("self", fn, 0)
    for place, thing in (objects or {}).items():
        reader.value(place, thing, 1)
    return reader.finished()


class _Reader:
    """Walks from function to function and from object to object, each once."""

    def __init__(self, seen: dict[int, str]) -> None:
        self.facts: Facts = {}
        self.seen = seen
        self.snapshot = Snapshot()
        self.tensors: list[Tensor] = []
        self.generators: list[Generator] = []
        self.found: set[int] = set()
        self.names: set[str] = set()
        self.waiting: list[tuple[str, str, Any, Any]] = []
        self.places: dict[str, Any] = {}

    def place(self, name: str, origin: Any) -> str:
        """Give a place to something: its name, told apart from others of that name."""
        place, number = name, 1
        while self.places.setdefault(place, origin) != origin:
            number += 1
            place = f"{name} ({number})"
        return place

    def finished(self) -> Reads:
        """Note those plain attributes that some code mentions, and give everything."""
        anything = bool(self.names & ANY_NAME)
        wanted: dict[int, tuple[Any, list[str]]] = {}
        for name, place, value, table in self.waiting:
            if anything or name in self.names:
                self.facts[place, "value"] = exact(value)
                wanted.setdefault(id(table), (table, []))[1].append(name)
        for table, names in wanted.values():
            self.snapshot.table(table, names)
        if len(self.facts) >= MOST:
            self.facts["what it reads", "value"] = exact("too much: what comes later is fixed")
        return Reads(
            self.facts, tuple(self.tensors), frozenset(self.found), tuple(self.generators),
            self.snapshot,
        )  # fmt: skip

    def value(self, place: str, value: Any, depth: int) -> None:
        """Note one value, and what it holds."""
        if len(self.facts) >= MOST or value is MISSING:
            return
        if isinstance(value, PLAIN):
            self.facts[place, "value"] = exact(value)
        elif isinstance(value, Tensor | np.ndarray | Generator):
            self.numbers(place, value)
        elif isinstance(value, Functions):
            self.function(place, value, depth)
        elif isinstance(value, type) and not is_library(value):
            self.kind(place, value, depth)
        elif isinstance(value, (type, types.ModuleType, *FIXED)) or is_library(value):
            self.facts[place, "object"] = Same(value)
        else:
            self.inside(place, value, depth)

    def first(self, place: str, thing: Any, depth: int = 0) -> bool:
        """Say whether a thing is seen for the first time; where else it was seen is a fact."""
        before = self.seen.setdefault(id(thing), place)
        if before is not place:
            self.facts[place, "the same as"] = before
            return False
        self.snapshot.keep(thing)
        return depth <= DEEPEST

    def numbers(self, place: str, x: Any) -> None:
        """Note a tensor, an array, or what hands out keys."""
        self.found.add(id(x))
        if not self.first(place, x):
            return
        if isinstance(x, Generator):
            self.generators.append(x)
            self.facts[place, "type"] = "Generator"
        elif isinstance(x, Tensor):
            self.tensors.append(x)
            self.snapshot.tensor(x)
            self.facts.update(type_facts(place, x))
        else:
            self.facts[place, "numbers"] = Numbers(self.snapshot.array(x))

    def function(self, place: str, fn: Any, depth: int) -> None:
        """Note what a function's code reads."""
        if isinstance(fn, types.MethodType):
            if not isinstance(fn.__self__, type):
                self.value(place if place == "self" else f"{place}.self", fn.__self__, depth + 1)
            fn = fn.__func__
        elif isinstance(fn, staticmethod | classmethod):
            fn = fn.__func__
        elif isinstance(fn, property):
            fn = fn.fget
        if not isinstance(fn, types.FunctionType) or is_library(fn):
            self.facts[place, "object"] = Same(fn)
            return
        self.facts[place, "code"] = Same(self.snapshot.attribute(fn, "__code__"))
        if self.first(f"the function {place}", fn, depth):
            self.names |= mentioned(fn.__code__)
            self.defaults(fn, depth)
            for name, origin, value in self.loads(fn):
                self.value(self.place(name, origin), value, depth + 1)

    def defaults(self, fn: types.FunctionType, depth: int) -> None:
        """Note a function's default arguments, which may be anything.

        Plain ones of the compiled function itself are arguments of the call.
        """
        for number, value in enumerate(self.snapshot.attribute(fn, "__defaults__") or ()):
            place = self.place(f"default {number} of {fn.__name__}", id(fn))
            if not depth and isinstance(value, PLAIN):
                continue
            self.value(place, value, depth + 1)
        for name, value in (self.snapshot.attribute(fn, "__kwdefaults__") or {}).items():
            place = self.place(f"default {name} of {fn.__name__}", id(fn))
            if not depth and isinstance(value, PLAIN):
                continue
            self.value(place, value, depth + 1)

    def loads(self, fn: types.FunctionType) -> Iterator[tuple[str, Any, Any]]:
        """Walk over the names that a function's code loads, as far as they lead through modules."""
        around = cells(fn)
        for name, *path in loaded(fn.__code__):
            if name in around:
                value, origin = self.snapshot.cell(around[name]), id(around[name])
            else:
                value, origin = self.snapshot.name(fn.__globals__, name), id(fn.__globals__)
            done = [name]
            for attribute in path:
                if not isinstance(value, types.ModuleType):
                    break
                value = self.snapshot.attribute(value, attribute)
                done.append(attribute)
            yield ".".join(done), (origin, *done), value

    def kind(self, place: str, kind: type, depth: int) -> None:
        """Note what a class and those it is made from hold."""
        self.facts[place, "object"] = Same(kind)
        if not self.first(f"the class {place}", kind, depth):
            return
        for part in kind.__mro__:
            for value in vars(part).values():
                if part is not object and isinstance(value, types.FunctionType):
                    self.names |= mentioned(value.__code__)
            if not is_library(part):
                self.attributes(f"{place}.", vars(part), depth)

    def attributes(
        self, place: str, table: Mapping[str, Any], depth: int, every: bool = False
    ) -> None:
        """Note the attributes of an object or a class; plain ones wait for being mentioned."""
        wanted = []
        for name, value in table.items():
            if isinstance(value, PLAIN) and name.startswith("__"):
                continue  # such as the name of a class
            if isinstance(value, PLAIN) and not every:
                self.waiting.append((name, f"{place}{name}", value, table))
            elif not name.startswith("__") or isinstance(value, Functions):
                wanted.append(name)
        self.snapshot.table(table, wanted)
        for name in wanted:
            self.value(f"{place}{name}", table[name], depth + 1)

    def inside(self, place: str, value: Any, depth: int) -> None:
        """Note what a container or an object holds."""
        self.facts[place, "type"] = type(value).__qualname__
        if not self.first(place, value, depth):
            return
        if isinstance(value, dict | list | tuple | set | frozenset | deque):
            self.container(place, value, depth)
            return
        self.facts[place, "object"] = Same(value)
        self.snapshot.attribute(value, "__class__")
        if not is_library(type(value)):
            kind = type(value)
            self.kind(self.place(kind.__name__, id(kind)), kind, depth + 1)
        if isinstance(value, functools.partial):
            for name in ("func", "args", "keywords"):
                self.value(f"{place}.{name}", getattr(value, name), depth + 1)
        if hasattr(value, "__dict__"):
            self.attributes(f"{place}.", value.__dict__, depth, is_library(type(value)))
        for name in slots(type(value)):
            self.value(f"{place}.{name}", self.snapshot.attribute(value, name), depth + 1)

    def container(self, place: str, value: Any, depth: int) -> None:
        """Note what stands in a list, a tuple, a dict or a set."""
        self.facts[place, "length"] = len(value)
        if isinstance(value, dict):
            self.snapshot.table(value)
            self.facts[place, "keys"] = tuple(map(repr, value))
            members: Any = value.items()
        elif isinstance(value, set | frozenset):
            self.snapshot.members(value)
            self.facts[place, "members"] = tuple(sorted(map(repr, value)))
            return
        else:
            if not isinstance(value, tuple):
                self.snapshot.items(value)
            members = enumerate(value)
        for key, part in members:
            self.value(f"{place}[{key!r}]", part, depth + 1)


def slots(kind: type) -> tuple[str, ...]:
    """Give the names of the slots that the objects of a class have.

    Examples
    --------
    >>> slots(Tensor)
    ('data', 'edge', 'version')
    """
    found: list[str] = []
    for part in kind.__mro__:
        names = part.__dict__.get("__slots__", ())
        found += [names] if isinstance(names, str) else list(names)
    return tuple(name for name in dict.fromkeys(found) if not name.startswith("__"))
