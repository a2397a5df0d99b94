"""What functions read beside their arguments: globals, closures, attributes.

    def f(x): return x * SCALE + config.shift       the global SCALE, config.shift
    class Net: def __call__(self, x): self.w ...    what the object holds, and its class

They are found in the function's code, in that of the functions it calls, and in the objects that it
reaches, however deep. Plain values count by value, arrays by their numbers, objects by what they
hold, modules and the user's own objects by those of their names that some code mentions. Tensors
count by type: a compiled function takes them as further inputs, found anew at their places.

No two things have one place, and none that of an argument: what is read never hides what is given.
"""

from __future__ import annotations

import functools
import gc
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, is_dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from cgkit.compiler.code import (
    ALL_GLOBALS,
    ANY_NAME,
    cells,
    imported,
    is_library,
    loaded,
    mentioned,
)
from cgkit.compiler.facts import PLAIN, Facts, Numbers, Same, exact, type_facts
from cgkit.compiler.snapshot import MISSING, Snapshot
from cgkit.graph import Graph
from cgkit.node import Node, Operator
from cgkit.symbolic import Value
from cgkit.tensor import Generator, Tensor

FIXED = (Operator, Graph, Node, Value)
"""Kinds of objects that never change."""
MOST = 50_000
"""How many facts are noted. Who reads more is not compiled: a change might go unseen."""
BARE = ("abc", "typing")
"""Where the classes stand that look at no attribute of what is made from them."""
ROOT = "self"
"""The place of the function itself."""
BUILTIN = (dict, list, tuple, set, frozenset, deque)


def owner_of(method: Any) -> Any:
    """Give the object whose method it is; `MISSING` for a function of a module or a class."""
    owner = method.__self__
    return MISSING if owner is None or isinstance(owner, type | types.ModuleType) else owner


HOLDERS: Mapping[type, Callable[[Any], Any]] = {
    types.MappingProxyType: lambda view: gc.get_referents(view)[0],
    weakref.ReferenceType: lambda reference: reference(),
    ContextVar: lambda variable: variable.get(MISSING),
    types.BuiltinMethodType: owner_of,
    types.MethodWrapperType: owner_of,
}
"""Objects of Python's own through which another one is read, and how it is come by."""
Functions = (types.FunctionType, types.MethodType, staticmethod, classmethod, property)


@dataclass(frozen=True, eq=False)
class Reads:
    """What a function reads beside its arguments, as it is now."""

    facts: Facts
    tensors: tuple[Tensor, ...]
    """Each once, in the order in which they were found; those of the arguments are left out."""
    places: tuple[str, ...]
    """Where each of them was found."""
    numbers: frozenset[int]
    """The identity of each tensor that was found, those of the arguments included."""
    generators: tuple[Generator, ...]
    """What hands out keys, each once."""
    snapshot: Snapshot
    whole: bool
    """Whether all was looked at."""


def reads_of(
    fn: Any,
    objects: Mapping[str, Any] | None = None,
    given: Mapping[int, str] | None = None,
    called: Iterable[str] = (),
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
    called
        The names of the arguments.
    """
    reader = _Reader(dict(given or {}))
    for name in (ROOT, *called):
        reader.place(name, None)
    reader.later(ROOT, fn)
    for place, thing in (objects or {}).items():
        reader.later(place, thing)
    return reader.finished()


class _Reader:
    """Walks from function to function and from object to object, each once.

    What one of them holds is looked at later, so that no nesting is too deep.
    """

    def __init__(self, seen: dict[int, str]) -> None:
        self.facts: Facts = {}
        self.seen = seen
        self.snapshot = Snapshot()
        self.tensors: dict[str, Tensor] = {}
        self.generators: list[Generator] = []
        self.found: set[int] = set()
        self.names: set[str] = set()
        """What some code mentions."""
        self.ahead: deque[tuple[str, Any]] = deque()
        """What is still to be looked at: places and values."""
        self.waiting: list[tuple[str, str, Any, Any]] = []
        """Attributes that nobody has mentioned yet: name, place, value and table."""
        self.wanted: dict[int, tuple[Any, list[str]]] = {}
        """Those that somebody has: tables, and names in them."""
        self.modules: list[tuple[str, types.ModuleType]] = []
        self.asked: set[tuple[int, str]] = set()
        """Which names of which modules were looked at."""
        self.places: dict[str, Any] = {}

    def later(self, place: str, value: Any) -> None:
        """Note what is still to be looked at."""
        self.ahead.append((place, value))

    def place(self, name: str, origin: Any) -> str:
        """Give a place to something: its name, told apart from others of that name."""
        place, number = name, 1
        while self.places.setdefault(place, origin) != origin:
            number += 1
            place = f"{name} ({number})"
        return place

    def finished(self) -> Reads:
        """Look at all that is ahead, and at what is mentioned on the way."""
        while self.ahead or self.in_modules() or self.in_objects():
            if len(self.facts) > MOST:
                break
            self.value(*self.ahead.popleft())
        for table, names in self.wanted.values():
            self.snapshot.table(table, names)
        return Reads(
            self.facts, tuple(self.tensors.values()), tuple(self.tensors),
            frozenset(self.found), tuple(self.generators), self.snapshot, len(self.facts) <= MOST,
        )  # fmt: skip

    @property
    def anything(self) -> bool:
        """Whether attributes of any name may be read."""
        return not self.names.isdisjoint(ANY_NAME)

    def in_modules(self) -> bool:
        """Look ahead at those names of modules that some code mentions; say if there are more."""
        for place, module in self.modules:
            table = vars(module)
            names = table.keys() & self.names
            if self.anything and not is_library(module):
                # the type alone: isinstance would ask what may answer with a warning
                names |= {n for n, x in table.items() if issubclass(type(x), (*PLAIN, Tensor))}
            for name in sorted(names):
                if (id(module), name) not in self.asked and not name.startswith("__"):
                    self.asked.add((id(module), name))
                    self.later(f"{place}.{name}", self.snapshot.name(table, name))
        return bool(self.ahead)

    def in_objects(self) -> bool:
        """Look ahead at those attributes that some code mentions; say if there are more."""
        waiting, self.waiting = self.waiting, []
        for name, place, value, table in waiting:
            if self.anything or name in self.names:
                self.later(place, value)
                self.wanted[id(table)][1].append(name)
            else:
                self.waiting.append((name, place, value, table))
        return bool(self.ahead)

    def value(self, place: str, value: Any) -> None:
        """Note one value; what it holds is looked at later."""
        if value is MISSING:
            return
        self.names |= ANY_NAME & {_called(value)}
        holder = _holder(value)
        if isinstance(value, PLAIN):
            self.facts[place, "value"] = exact(value)
        elif isinstance(value, Tensor | np.ndarray | Generator):
            self.numbers(place, value)
        elif isinstance(value, Functions):
            self.function(place, value)
        elif isinstance(value, type) and not is_library(value):
            self.kind(place, value)
        elif isinstance(value, types.ModuleType):
            self.facts[place, "object"] = Same(value)
            if self.first(place, value):
                self.modules.append((place, value))
        elif holder is not None:
            self.facts[place, "read through"] = Same(value)
            self.snapshot.keep(value)
            self.later(place, self.snapshot.answer(holder, value))
        elif isinstance(value, (type, *FIXED)) or is_library(value):
            self.facts[place, "object"] = Same(value)
        else:
            self.inside(place, value)

    def first(self, place: str, thing: Any) -> bool:
        """Say whether a thing is seen for the first time; where else it was seen is a fact."""
        before = self.seen.setdefault(id(thing), place)
        if before is not place:
            self.facts[place, "the same as"] = before
            return False
        self.snapshot.keep(thing)
        return True

    def numbers(self, place: str, x: Any) -> None:
        """Note a tensor, an array, or what hands out keys."""
        if isinstance(x, Tensor):
            self.found.add(id(x))
        if not self.first(place, x):
            return
        if isinstance(x, Generator):
            self.generators.append(x)
            self.facts[place, "type"] = "Generator"
        elif isinstance(x, Tensor):
            self.tensors[place] = x
            self.snapshot.tensor(x)
            self.facts.update(type_facts(place, x))
        else:
            self.facts[place, "numbers"] = Numbers(self.snapshot.array(x))

    def function(self, place: str, fn: Any) -> None:
        """Note what a function's code reads."""
        root = place == ROOT
        if isinstance(fn, types.MethodType):
            plain = root and not isinstance(fn.__self__, Functions)
            self.later(ROOT if plain else f"{place}.self", fn.__self__)
            fn = fn.__func__
        elif isinstance(fn, staticmethod | classmethod):
            fn = fn.__func__
        elif isinstance(fn, property):
            fn = fn.fget
        if not isinstance(fn, types.FunctionType) or is_library(fn):
            self.facts[place, "object"] = Same(fn)
            return
        self.facts[place, "code"] = Same(self.snapshot.attribute(fn, "__code__"))
        if self.first(f"the function {place}", fn):
            self.names |= mentioned(fn.__code__)
            self.defaults(fn, root)
            for name, value in self.loads(fn):
                self.later(name, value)

    def defaults(self, fn: types.FunctionType, root: bool) -> None:
        """Note a function's default arguments, which may be anything.

        Plain ones of the compiled function itself are arguments of the call.
        """
        found = dict(enumerate(self.snapshot.attribute(fn, "__defaults__") or ()))
        found |= self.snapshot.attribute(fn, "__kwdefaults__") or {}
        for name, value in found.items():
            if not (root and isinstance(value, PLAIN)):
                self.later(self.place(f"default {name} of {fn.__name__}", id(fn)), value)

    def loads(self, fn: types.FunctionType) -> Iterator[tuple[str, Any]]:
        """Walk over the names that a function's code loads, and what they stand for."""
        for name, cell in cells(fn).items():
            yield self.place(name, id(cell)), self.snapshot.cell(cell)
        table = fn.__globals__
        for name in loaded(fn.__code__):
            value = self.snapshot.name(table, name)
            everything = value is MISSING and name in ALL_GLOBALS
            yield self.place(name, id(table)), table if everything else value
        for name in imported(fn.__code__, fn.__globals__.get("__package__") or ""):
            yield self.place(name, sys), self.snapshot.name(sys.modules, name)

    def kind(self, place: str, kind: type) -> None:
        """Note what a class, those it is made from and its own class hold."""
        self.facts[place, "object"] = Same(kind)
        if not self.first(f"the class {place}", kind):
            return
        self.facts[place, "order"] = tuple(map(Same, self.snapshot.attribute(kind, "__mro__")))
        own: type = type(kind)
        for part in (*kind.__mro__[:-1], *own.__mro__[:-2]):  # without object, and type
            if part is not kind and not is_library(part):
                self.later(self.place(part.__name__, id(part)), part)
        self.attributes(f"{place}.", vars(kind), kind)

    def attributes(self, place: str, table: Mapping[str, Any], kind: type) -> None:
        """Note the attributes of an object or a class.

        Those of the user's own wait for being mentioned. The library may look at any attribute
        of what is made from its classes, and of dataclasses.
        """
        bases = [part for part in kind.__mro__[:-1] if part.__module__ not in BARE]
        own = not is_dataclass(kind) and not any(map(is_library, bases))
        _, wanted = self.wanted.setdefault(id(table), (table, []))
        for name, value in table.items():
            called = name.startswith("__") and isinstance(value, Functions)
            if name.startswith("__") and not called:
                continue  # such as the name of a class
            if called or not own:
                wanted.append(name)
                self.later(f"{place}{name}", value)
            else:
                self.waiting.append((name, f"{place}{name}", value, table))

    def inside(self, place: str, value: Any) -> None:
        """Note what a container or an object holds."""
        self.facts[place, "type"] = type(value).__qualname__
        if not self.first(place, value):
            return
        if isinstance(value, BUILTIN):
            self.container(place, value)
            if type(value) in BUILTIN:
                return
        else:
            self.facts[place, "object"] = Same(value)
        self.snapshot.attribute(value, "__class__")
        kind = type(value)
        if not is_library(kind):
            self.later(self.place(kind.__name__, id(kind)), kind)
        if isinstance(value, functools.partial):
            for name in ("func", "args", "keywords"):
                self.later(f"{place}.{name}", getattr(value, name))
        if hasattr(value, "__dict__"):
            self.attributes(f"{place}.", value.__dict__, kind)
        for name in slots(kind):
            self.later(f"{place}.{name}", self.snapshot.attribute(value, name))

    def container(self, place: str, value: Any) -> None:
        """Note what stands in a list, a tuple, a dict or a set."""
        self.facts[place, "length"] = len(value)
        if isinstance(value, dict):
            self.snapshot.table(value)
            self.facts[place, "keys"] = tuple(map(repr, value))
            members: Any = value.items()
        elif isinstance(value, set | frozenset):
            self.snapshot.members(value)
            self.facts[place, "members"] = tuple(sorted(map(repr, value)))
            members = enumerate(x for x in sorted(value, key=repr) if not isinstance(x, PLAIN))
        else:
            if not isinstance(value, tuple):
                self.snapshot.items(value)
            members = enumerate(value)
        for number, (key, part) in enumerate(members):
            self.later(self.place(f"{place}[{key!r}]", (id(value), number)), part)


def _called(value: Any) -> str:
    """Say what is called where code calls a value: getattr, or an attrgetter, by another name."""
    builtin = isinstance(value, types.BuiltinFunctionType)
    name: str = value.__name__ if builtin else type(value).__name__
    return name


def _holder(value: Any) -> Callable[[Any], Any] | None:
    """Say how what is read through an object is come by; None if it is read itself."""
    found = next((act for kind, act in HOLDERS.items() if isinstance(value, kind)), None)
    if found is None and is_library(type(value)) and hasattr(value, "__wrapped__"):
        return attrgetter("__wrapped__")  # such as a compiled function
    return found


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
