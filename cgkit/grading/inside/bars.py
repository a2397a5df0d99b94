"""Names of modules that must stay: libraries use them as ever, and a student's code may not.

    numpy.linalg.lstsq   called by numpy's own code  ──►  works, as for a given cell
                         called by a student's cell  ──►  ReferenceUsed, and a note

A student can run around this, as around everything in the same process. It tells honest students
what is not to be used, and whoever runs around it writes lines that a teacher is shown.
"""

from __future__ import annotations

import builtins
import importlib
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from cgkit.grading.inside.standins import Note, ReferenceUsed

_TRUSTED = ("<frozen ", "<__array_function__", "<warm>", "<given ")
"""Code that lies in no file, and is not a student's."""


class Barred:
    """A function or class that refuses when a student's code uses it.

    Parameters
    ----------
    name
        As ``"module:name"``.
    real
        What it stands for.
    note
        Told of each use.
    own
        Folders whose code may use it.
    """

    def __init__(self, name: str, real: Any, note: Note, own: tuple[str, ...]) -> None:
        self._name, self.real, self._note, self._own = name, real, note, own
        self.__name__ = self.__qualname__ = name.rpartition(":")[2]
        self.__doc__ = getattr(real, "__doc__", None)

    def _used(self) -> None:
        file = sys._getframe(2).f_code.co_filename
        # the worker itself calls nothing but what a student defined
        if not file.startswith(self._own) or file.endswith("/inside/worker.py"):
            self._refuse()

    def _refuse(self) -> NoReturn:
        self._note("barred", self._name)
        shown = self._name.replace(":", ".").removeprefix("builtins.")
        raise ReferenceUsed(f"{shown} is not to be used in this assignment: write it yourself")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Do what it stands for, unless a student's code asks."""
        self._used()
        return self.real(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            return getattr(self.real, name)
        self._used()
        return getattr(self.real, name)

    def __instancecheck__(self, thing: object) -> bool:
        return isinstance(thing, self.real)

    def __subclasscheck__(self, kind: type) -> bool:
        return issubclass(kind, self.real)

    def __mro_entries__(self, bases: object) -> tuple[Any, ...]:
        self._used()
        return (self.real,)

    def __repr__(self) -> str:
        return f"<{self._name}: not to be used here>"


class _Module(types.ModuleType):
    """A module of the standard library that is there already, and is not to be used."""

    def __init__(self, real: types.ModuleType, bar: Callable[[str, Any], Any]) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__spec__, self.__file__ = real.__spec__, getattr(real, "__file__", None)
        self._real, self._bar = real, bar

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        return self._bar(name, found) if callable(found) and name[:2] != "__" else found


def put_up(missing: Iterable[str], barred: Iterable[str], note: Note, own: Iterable[str]) -> None:
    """Bar names, and modules that are loaded already; cannot be undone.

    Parameters
    ----------
    missing
        Modules; those that are not loaded are left to `standins`.
    barred
        Names of modules, as ``"module:name"``.
    note
        Told ("barred", which) when a student's code uses one.
    own
        Folders whose code may use them, beside Python's.
    """
    places = (*own, sys.prefix, sys.base_prefix, *_TRUSTED)
    for name in missing:
        for module in (name, f"_{name}"):
            if module in sys.modules and module in sys.stdlib_module_names:
                sys.modules[module] = _module(sys.modules[module], note, places)
    for name in barred:
        module, _, inner = name.partition(":")
        place = builtin_names() if module == "builtins" else importlib.import_module(module)
        real = getattr(place, inner)
        if not isinstance(real, Barred):
            setattr(place, inner, Barred(name, real, note, places))


def _module(real: types.ModuleType, note: Note, places: tuple[str, ...]) -> types.ModuleType:
    return _Module(real, lambda name, found: Barred(f"{real.__name__}:{name}", found, note, places))


def builtin_names() -> types.ModuleType:
    """Give the built-in names as students see them; libraries keep the real ones."""
    found = sys.modules["builtins"]
    if found is builtins:
        found = types.ModuleType("builtins", builtins.__doc__)
        vars(found).update(vars(builtins))
        sys.modules["builtins"] = found
    return found


def real(thing: Any) -> Any:
    """Give what a barred name stands for; other things as they are."""
    return thing.real if isinstance(thing, Barred) else thing
