"""Things that stay inside, by number: functions, classes, objects, iterators.

    Handles().mark(function) ──► {"handle": {"at": 0, "is": "function", "name": ..., ...}}

Invariant: a thing keeps its number as long as the worker lives, so that two marks are the same
thing exactly when their numbers are.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

_FUNCTIONS = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    functools.partial,
    np.ufunc,
    np.vectorize,
)
_ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed)


class Callback:
    """A function that lies outside; calling it asks there."""

    def __init__(self, ask: Callable[[int, tuple[Any, ...], dict[str, Any]], Any], number: int,
                 name: str) -> None:  # fmt: skip
        self._ask = ask
        self.number = number
        self.__name__ = self.__qualname__ = name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Ask outside."""
        return self._ask(self.number, arguments, named)

    def __deepcopy__(self, memo: object) -> Callback:
        return self


class Handles:
    """Numbers things and finds them again."""

    def __init__(self) -> None:
        self._things: list[Any] = []
        self._numbers: dict[int, int] = {}

    def __getitem__(self, number: int) -> Any:
        return self._things[number]

    def number(self, thing: Any) -> int:
        """Give the number of a thing, a new one if it has none."""
        if id(thing) not in self._numbers:
            self._numbers[id(thing)] = len(self._things)
            self._things.append(thing)
        return self._numbers[id(thing)]

    def mark(self, thing: Any) -> Any:
        """Give the mark of a thing that stays inside."""
        if type(thing) is Callback:
            return {"callback": [thing.number, thing.__name__]}
        kind = type(thing)
        body: dict[str, Any] = {
            "at": self.number(thing),
            "is": _is(thing),
            "type": f"{kind.__module__}.{kind.__qualname__}"[:200],
            "name": _text(thing, "__name__", 100),
        }
        if body["is"] == "function":
            body["doc"] = _text(thing, "__doc__", 2_000)
            body["takes"] = _signature(thing)
        if body["is"] == "exception":
            body["bases"] = builtin_bases(thing)
            body["kinds"] = kinds(thing)
        return {"handle": body}


def builtin_bases(kind: type) -> list[str]:
    """Name the built-in classes an exception is made from, nearest first."""
    return [base.__name__ for base in kind.__mro__ if base.__module__ == "builtins"]


def kinds(kind: type) -> list[str]:
    """Name all classes an exception is made from, nearest first, itself included."""
    return [str(base.__name__)[:100] for base in kind.__mro__][:20]


def _is(thing: Any) -> str:
    kind = type(thing)
    if isinstance(thing, type):
        return "exception" if issubclass(thing, BaseException) else "class"
    if isinstance(thing, _FUNCTIONS):
        return "function"
    if isinstance(thing, _ITERATORS) or hasattr(kind, "__next__"):
        return "iterator"
    if kind.__module__ == "__main__":
        return "object"
    return "function" if callable(thing) else "odd"


def _text(thing: Any, name: str, most: int) -> str:
    try:
        return str(getattr(thing, name, "") or "")[:most]
    except Exception:  # a student's own attribute may fail
        return ""


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))[:500]
    except Exception:  # many callables have none
        return ""
