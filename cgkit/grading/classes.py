"""Classes that given cells define: which cross, and how their objects are taken apart.

    @dataclass(frozen=True)
    class Node:                            form_of(Node)  ──►  Form(Node, "fields", ("name", ...))
        name: str                            .parts(node)      ["a", ()]
        inputs: tuple["Node", ...] = ()      .make(parts)      this side's own Node

Dataclasses, NamedTuples and Enums of given cells cross, and such of cgkit that given cells import.

- An object is put together without running any code of its class.
- A class that a student redefined gives fields like any other: what it does is never asked for.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cgkit.grading.codec import Refused

_HOMES = ("__main__", "cgkit")


@dataclass(frozen=True)
class Form:
    """How objects of one class are taken apart and put together."""

    kind: type
    how: Literal["fields", "tuple", "member"]
    fields: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the class, on both sides."""
        return self.kind.__name__

    @property
    def frozen(self) -> bool:
        """Whether objects stay as they were made."""
        return self.how != "fields" or self.kind.__dataclass_params__.frozen  # type: ignore[attr-defined]

    def fits(self, value: Any) -> bool:
        """Tell whether a value is of this class, or of one that looks like it."""
        kind = type(value)
        if kind is self.kind:
            return True
        if kind.__module__ != "__main__" or kind.__name__ != self.name:
            return False
        if self.how == "member":
            return isinstance(value, enum.Enum)
        if self.how == "tuple":
            return isinstance(value, tuple) and getattr(kind, "_fields", ()) == self.fields
        return dataclasses.is_dataclass(kind)

    def parts(self, value: Any) -> list[Any]:
        """Give the values of the fields.

        Raises
        ------
        Refused
            One was never set.
        """
        if self.how == "tuple":
            return list(value)
        try:
            return [getattr(value, name) for name in self.fields]
        except AttributeError as error:
            raise Refused(f"a {self.name} without all of its fields: {error}") from None

    def make(self, parts: Sequence[Any]) -> Any:
        """Put an object together; no code of the class is run.

        Raises
        ------
        ValueError
            There are not as many values as fields.
        """
        if self.how == "tuple":
            return tuple.__new__(self.kind, self._whole(parts))
        if self.how == "member":
            raise ValueError("an Enum has its members already")
        made: Any = object.__new__(self.kind)
        self.renew(made, parts)
        return made

    def renew(self, thing: Any, parts: Sequence[Any]) -> None:
        """Set all fields of an object."""
        if self.how == "fields":
            for name, value in zip(self.fields, self._whole(parts), strict=True):
                object.__setattr__(thing, name, value)

    def _whole(self, parts: Sequence[Any]) -> Sequence[Any]:
        if len(parts) != len(self.fields):
            raise ValueError("not the fields of this class")
        return parts

    def member(self, name: Any) -> Any:
        """Give the member of an Enum by its name, or of a Flag by its number.

        Raises
        ------
        Refused
            There is none.
        """
        try:
            if type(name) is int and issubclass(self.kind, enum.Flag):
                return self.kind(name)
            return self.kind.__members__[name]  # type: ignore[attr-defined]
        except (KeyError, TypeError, ValueError):
            raise Refused(f"{self.name} has no member {str(name)[:80]}") from None


def form_of(kind: object) -> Form | None:
    """Say how objects of a class cross; None when they do not.

    Examples
    --------
    >>> from collections import namedtuple
    >>> form_of(namedtuple("Point", "x y")).fields
    ('x', 'y')
    >>> form_of(Refused)
    """
    if not isinstance(kind, type):
        return None
    if issubclass(kind, enum.Enum):
        return Form(kind, "member") if kind.__members__ else None
    if issubclass(kind, tuple) and kind.__new__ is not tuple.__new__:
        names = getattr(kind, "_fields", None)
        return Form(kind, "tuple", tuple(names)) if isinstance(names, tuple) else None
    if dataclasses.is_dataclass(kind) and kind.__new__ is object.__new__:
        return Form(kind, "fields", tuple(one.name for one in dataclasses.fields(kind)))
    return None


def forms_in(names: Mapping[str, object], wanted: Iterable[str]) -> dict[str, Form]:
    """Find the classes among some names whose objects cross.

    Parameters
    ----------
    names
        What a cell, or several, have bound.
    wanted
        Those of the names to look at.
    """
    found = {}
    for name in wanted:
        thing = names.get(name)
        form = form_of(thing)
        home = str(getattr(thing, "__module__", "")).partition(".")[0]
        if form is not None and home in _HOMES:
            found[form.name] = form
    return found


@dataclass
class Given:
    """The classes that given cells have defined so far, by name."""

    forms: dict[str, Form] = field(default_factory=dict)
    """Those whose objects cross."""
    errors: dict[str, type[Exception]] = field(default_factory=dict)
    """Kinds of exceptions."""

    def learn(self, names: Mapping[str, object], wanted: Iterable[str]) -> None:
        """Take notice of what a given cell has bound."""
        wanted = tuple(wanted)
        self.forms |= forms_in(names, wanted)
        for name in wanted:
            kind = names.get(name)
            own = str(getattr(kind, "__module__", "")).partition(".")[0] in _HOMES
            if own and isinstance(kind, type) and issubclass(kind, Exception):
                self.errors[kind.__name__] = kind
