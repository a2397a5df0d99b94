"""What a function reads beside its arguments: globals, closures, attributes.

    def f(x): return x * SCALE + config.shift       the global SCALE, config.shift
    class Net: def __call__(self, x): self.w ...    what the object holds

They are found in the function's code, and in that of the functions it calls. A compiled function
looks at them again with each call, so that a changed one is noticed: plain values by value, objects
by what they hold, tensors by being the same ones, since their numbers are read anew anyway.
"""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cgkit.compiler.facts import PLAIN, Facts, Same, exact, type_facts
from cgkit.graph import Graph
from cgkit.node import Node, Operator
from cgkit.tensor import Tensor

LIBRARY = ("cgkit", "numpy", "builtins", "math", "functools", "itertools", "typing")
"""Packages whose functions are taken as fixed."""
FIXED = (Operator, Graph, Node)
"""Kinds of objects that never change."""
MOST = 5000
"""How many values are looked at in all."""
DEEPEST = 8
ROOTS = ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "LOAD_CLASSDEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def reads_of(fn: Any) -> Facts:
    """Give the facts of all that a function reads beside its arguments, as they are now."""
    facts: Facts = {}
    _Reader(facts).function(fn)  # the defaults of fn itself are arguments of the call
    return facts


class _Reader:
    """Walks from function to function and from object to object, each once."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.seen: set[int] = set()

    def function(self, fn: Any, depth: int = 0) -> None:
        """Note what a function's code reads."""
        plain, owner = unwrapped(fn)
        if plain is None or id(plain) in self.seen or depth > DEEPEST or is_library(plain):
            if owner is not None:
                self.value("self", owner, depth)
            return
        self.seen.add(id(plain))
        if owner is not None:
            self.value("self", owner, depth)
        if depth:
            self.defaults(plain, depth)
        for name, path, value in chains(plain):
            self.value(".".join((name, *path)), value, depth)

    def defaults(self, fn: types.FunctionType, depth: int) -> None:
        """Note a function's default arguments, which may be anything."""
        for number, value in enumerate(fn.__defaults__ or ()):
            self.value(f"default {number} of {fn.__name__}", value, depth)

    def value(self, place: str, value: Any, depth: int) -> None:
        """Note one value, and what it holds."""
        if len(self.facts) >= MOST:
            return
        if isinstance(value, PLAIN):
            self.facts[place, "value"] = exact(value)
        elif isinstance(value, Tensor | np.ndarray):
            self.facts[place, "object"] = Same(value)
            self.facts.update(type_facts(place, value))
        elif isinstance(value, types.FunctionType | types.MethodType):
            self.facts[place, "object"] = Same(getattr(value, "__func__", value))
            self.function(value, depth + 1)
        elif isinstance(value, (type, types.ModuleType, *FIXED)) or is_library(value):
            self.facts[place, "object"] = Same(value)
        else:
            self.inside(place, value, depth)

    def inside(self, place: str, value: Any, depth: int) -> None:
        """Note what a container or an object holds."""
        self.facts[place, "type"] = type(value).__qualname__
        if id(value) in self.seen or depth > DEEPEST:
            return
        self.seen.add(id(value))
        if not isinstance(value, dict | list | tuple | set | frozenset):
            self.facts[place, "object"] = Same(value)
            call = getattr(type(value), "__call__", None)  # noqa: B004
            if isinstance(call, types.FunctionType) and not is_library(call):
                self.function(types.MethodType(call, value), depth + 1)
        for key, part in members(value):
            self.value(f"{place}{key}", part, depth + 1)


def members(value: Any) -> Iterator[tuple[str, Any]]:
    """Walk over what a container or an object holds, with what stands behind its name."""
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{number}]", part) for number, part in enumerate(value))
    elif isinstance(value, set | frozenset):
        yield "", tuple(sorted(map(repr, value)))
    else:
        names = [*getattr(value, "__dict__", {})]
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            names += [slots] if isinstance(slots, str) else list(slots)
        for name in dict.fromkeys(names):
            if not name.startswith("__") and hasattr(value, name):
                yield f".{name}", getattr(value, name)


def unwrapped(fn: Any) -> tuple[types.FunctionType | None, Any]:
    """Give the plain function behind a callable, and the object it is bound to."""
    owner = None
    fn = inspect.unwrap(fn) if callable(fn) else fn
    if isinstance(fn, types.MethodType):
        owner, fn = fn.__self__, fn.__func__
    elif not isinstance(fn, types.FunctionType) and callable(fn) and not isinstance(fn, type):
        owner, fn = fn, getattr(type(fn), "__call__", None)  # noqa: B004
    return (fn, owner) if isinstance(fn, types.FunctionType) else (None, owner)


def is_library(thing: Any) -> bool:
    """Say whether something belongs to a package that is taken as fixed.

    Examples
    --------
    >>> is_library(np.exp), is_library(exact), is_library(np.ones(2))
    (True, True, False)
    """
    if isinstance(thing, np.ufunc | types.BuiltinFunctionType):
        return True
    if not isinstance(thing, types.FunctionType | type | types.ModuleType):
        return type(thing).__module__.split(".")[0] in ("numpy", "builtins") and callable(thing)
    name = thing.__name__ if isinstance(thing, types.ModuleType) else thing.__module__
    return (name or "").split(".")[0] in LIBRARY


def chains(fn: types.FunctionType) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """Walk over the names that a function's code loads, with the attributes taken of them.

    Yields
    ------
    tuple
        The name, the attributes, and the value that they lead to now. Names that have no value
        yet are left out.
    """
    around = closure(fn)
    for loads in loaded(fn.__code__):
        yield from _found(loads, fn, around)


@lru_cache(maxsize=1024)
def loaded(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    """Give the names that code loads, each with the attributes that are taken of it.

    Examples
    --------
    >>> import math
    >>> loaded((lambda x: math.pi * x).__code__)
    (('math', 'pi'),)
    """
    found: dict[tuple[str, ...], None] = {}
    for part in codes(code):
        loads: list[str] = []
        for step in dis.get_instructions(part):
            if step.opname in ATTRIBUTES and loads:
                loads.append(str(step.argval))
                continue
            if loads:
                found[tuple(loads)] = None
            loads = [str(step.argval)] if step.opname in ROOTS else []
    return tuple(found)


def _found(
    loads: Sequence[str], fn: types.FunctionType, around: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    name, *path = loads
    if name in around:
        value = around[name]
    elif name in fn.__globals__:
        value = fn.__globals__[name]
    else:
        return  # a builtin, or not there yet: calling it will say so
    done: list[str] = []
    for attribute in path:
        if is_plain_object(value) or not hasattr(value, attribute):
            break
        value = getattr(value, attribute)
        done.append(attribute)
    yield name, tuple(done), value


def is_plain_object(value: Any) -> bool:
    """Say whether attributes of a value are methods, of no matter here."""
    return isinstance(value, (*PLAIN, Tensor, np.ndarray, dict, list, tuple))


def closure(fn: types.FunctionType) -> dict[str, Any]:
    """Give the values of the names that a function has from the functions around it."""
    found = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Walk over a function's code, and that of the functions written inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)
