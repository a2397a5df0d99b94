"""Modules that are not there, and what stands for them.

    inert    matplotlib, cgkit.checks ...   everything can be called and gives nothing
    missing  networkx, cgkit.Tensor ...     imports, and says why it is left out when it is *used*

Invariants: an import of a known name never fails, so that an import at the top of a cell costs no
honest student the cell; nothing here does anything; each use of a missing name is noted.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Note = Callable[[str, str], None]
"""Told (what kind of thing, which) when something worth a look is used."""


class ReferenceUsed(ImportError):
    """A name that is left out when work is graded was used."""


class Inert:
    """Can be called, read and walked through, and does nothing.

    Examples
    --------
    >>> plot = Inert("matplotlib.pyplot")
    >>> plot.figure(figsize=(3, 2)).gca().set_title("x"), list(plot.lines)
    (<matplotlib.pyplot.figure.gca.set_title: does nothing here>, [])
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert(f"{self._name}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Do nothing."""
        if self._name.endswith(".subplots"):  # the one call whose result is always taken apart
            return Inert(self._name), Inert(self._name)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __getitem__(self, key: object) -> Any:
        return self

    def __setitem__(self, key: object, value: object) -> None:
        return None

    def __delitem__(self, key: object) -> None:
        return None

    def __contains__(self, item: object) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<{self._name}: does nothing here>"


class Missing:
    """A name that says why it is left out as soon as it is used."""

    def __init__(self, name: str, note: Note) -> None:
        self._name, self._note = name, note

    def _refuse(self) -> Any:
        self._note("left out", self._name)
        raise ReferenceUsed(f"{self._name} is left out when your work is graded: write it yourself")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Say why it is left out."""
        return self._refuse()

    def __mro_entries__(self, bases: object) -> Any:
        return self._refuse()

    def __iter__(self) -> Iterator[Any]:
        return self._refuse()  # type: ignore[no-any-return]


class _Module(types.ModuleType):
    """A module whose every public name is made on demand."""

    def __init__(self, name: str, make: Callable[[str], Any]) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._make(f"{self.__name__}.{name}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules that are not there.

    Parameters
    ----------
    inert, missing
        Names of modules; what lies below them goes with them.
    note
        Told of each import and use of a missing one.
    """

    def __init__(self, inert: Iterable[str], missing: Iterable[str], note: Note) -> None:
        self._inert, self._missing, self._note = tuple(inert), tuple(missing), note

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Give a spec for a name that this finder stands for."""
        stands_for = (*self._missing, *self._inert)
        if _below(fullname, stands_for) or (_below(fullname, ("cgkit",)) and path is not None):
            # what the edition holds of cgkit comes first, what it does not hold is missing
            if fullname.startswith("cgkit.") and not _below(fullname, self._inert):
                found = importlib.machinery.PathFinder.find_spec(fullname, path)
                if found is not None:
                    return found
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def missing_name(self, name: str) -> Any:
        """Give the stand-in of one name of a module that is there otherwise."""
        if _below(name, self._inert):
            return importlib.import_module(name)
        return Missing(name, self._note)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Make the module."""
        if not _below(spec.name, self._inert):
            self._note("imported", spec.name)
            return _Module(spec.name, lambda name: Missing(name, self._note))
        return _Module(spec.name, Inert)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: there is nothing in it."""


def _below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def install(inert: Iterable[str], missing: Iterable[str], note: Note) -> None:
    """Let imports of names that are not there find their stand-ins, before anything else."""
    sys.meta_path.insert(0, Finder(inert, missing, note))
