"""Stand-ins for what a student's cells defined.

    Function   called like the real one          Object     attributes, methods, len, iteration
    Class      makes objects, knows its own      Iterator   one item a call
                                                 Odd        anything else: can only be refused

A stand-in never hands a trusted value to a student's operator: it is not compared with data, not
added to them, not looked for among them. Whoever tries gets `NotData`, with a sentence. Two objects
of the student's may be compared with each other: neither is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator as AnyIterator
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

from cgkit.grading.outcomes import NotData
from cgkit.grading.parcels import OBJECTS
from cgkit.grading.policy import Policy, called, reached

_COMPARED = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
_COMBINED = tuple(f"__{side}{name}__" for name in _SIGNS for side in ("", "r", "i"))


class Conversation(Protocol):
    """What stand-ins ask of those who made them; `cgkit.grading.link.Link` is one."""

    policy: Policy

    def call(
        self,
        proxy: Proxy,
        arguments: Sequence[object],
        named: dict[str, object],
        changes: Sequence[int],
        key: str = "",
    ) -> Any:
        """Call what the stand-in stands for."""

    def make(self, proxy: Proxy, arguments: Sequence[object], named: dict[str, object]) -> Any:
        """Make an object of a class."""

    def attribute(self, proxy: Proxy, name: str) -> Any:
        """Read an attribute."""

    def assign(self, proxy: Proxy, name: str, value: object) -> None:
        """Set an attribute."""

    def operate(self, proxy: Proxy, name: str, operands: Sequence[object]) -> Any:
        """Let an operator work."""

    def iterate(self, proxy: Proxy) -> Any:
        """Begin to walk through an object."""

    def following(self, proxy: Proxy) -> Any:
        """Give the next item in a list, or an empty list."""

    def is_instance(self, proxy: Proxy, kind: Proxy) -> bool:
        """Tell whether an object is one of a class."""


class Proxy:
    """What all stand-ins share: a number inside, a name, and a way of naming (the key)."""

    kind = "object"
    __hash__ = object.__hash__
    __array_ufunc__ = None

    _link: Conversation
    _number: int
    _name: str
    _type: str
    _key: str
    _owner: Proxy | None

    def __init__(self, link: Conversation, number: int, name: str, type_name: str) -> None:
        for field, value in (
            ("_link", link),
            ("_number", number),
            ("_name", name),
            ("_type", type_name),
            ("_key", name or type_name),
            ("_owner", None),
        ):
            object.__setattr__(self, field, value)

    def _refuse(self, how: str) -> NoReturn:
        raise NotData(f"this is {self._said()}, and a check reads plain data only ({how})")

    def _said(self) -> str:
        shown = self._name or self._type.removeprefix("__main__.")
        if self.kind == "iterator":
            return "an iterator"
        return f"{'an' if self.kind[0] in 'aeiou' else 'a'} {self.kind} ({shown})"

    def __array__(self, *_: object, **__: object) -> NoReturn:
        self._refuse("as an array")

    def __bool__(self) -> bool:
        self._refuse("as yes or no")

    def __contains__(self, item: object) -> bool:
        self._refuse("in")

    def __index__(self) -> int:
        self._refuse("as a number")

    def __float__(self) -> float:
        self._refuse("as a number")

    def __deepcopy__(self, memo: object) -> Proxy:
        return self

    def __repr__(self) -> str:
        return f"<{self._said()} of the student's>"


def name_it(value: object, key: str, owner: Proxy | None = None) -> Any:
    """Tell a stand-in how it was reached; other values pass."""
    if isinstance(value, Proxy):
        object.__setattr__(value, "_key", key)
        object.__setattr__(value, "_owner", owner)
    return value


def _operator(name: str) -> Any:
    def operate(self: Proxy, other: object) -> Any:
        if name in ("__eq__", "__ne__") and (other is self or other is None):
            return (other is self) == (name == "__eq__")
        if isinstance(self, Object) and isinstance(other, Object):
            value = self._link.operate(self, name, (other,))
            if name in _COMPARED and type(value) is not bool:
                self._refuse(name)
            return value
        return self._refuse(name.strip("_"))

    operate.__name__ = name
    return operate


for _name in (*_COMPARED, *_COMBINED):
    setattr(Proxy, _name, _operator(_name))


class Function(Proxy):
    """A function of the student's."""

    kind = "function"

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call it; arguments it changes stay as they are, unless the reference changes them too."""
        changes = self._link.policy.changes(self._key, len(arguments))
        return self._link.call(self, arguments, named, changes)

    def watched(self, *arguments: Any, **named: Any) -> Any:
        """Call it on arguments that are copies: whatever it does to them is seen afterwards."""
        return self._link.call(self, arguments, named, (OBJECTS, *range(len(arguments))))

    @property
    def __name__(self) -> str:
        return self._name


class Class(Function):
    """A class of the student's."""

    kind = "class"

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Make an object."""
        made = self._link.make(self, arguments, named)
        if not isinstance(made, Object):
            raise NotData(f"{self._name}(...) did not make an object of its own")
        return name_it(made, called(self._key))

    def __instancecheck__(self, thing: object) -> bool:
        return isinstance(thing, Object) and self._link.is_instance(thing, self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._link.attribute(self, name)


class Object(Proxy):
    """An object of a class of the student's."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._link.attribute(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        self._link.assign(self, name, value)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call it."""
        key = reached(self._key, ".__call__")
        changes = self._link.policy.changes(key, len(arguments))
        return self._link.call(self, arguments, named, changes, key=key)

    def __iter__(self) -> AnyIterator[Any]:
        return iter(self._link.iterate(self))

    def __enter__(self) -> Any:
        return self._plain("__enter__")

    def __exit__(self, *_: object) -> None:
        self._plain("__exit__", None, None, None)

    def __contains__(self, item: object) -> bool:
        return self._exact("__contains__", bool, item)  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        return self._exact("__bool__", bool)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return self._exact("__len__", int)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self._exact("__str__", str)  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._exact("__float__", float)  # type: ignore[no-any-return]

    def __int__(self) -> int:
        return self._exact("__int__", int)  # type: ignore[no-any-return]

    def __getitem__(self, key: object) -> Any:
        return self._plain("__getitem__", key)

    def __setitem__(self, key: object, value: object) -> None:
        self._plain("__setitem__", key, value)

    def __delitem__(self, key: object) -> None:
        self._plain("__delitem__", key)

    def __neg__(self) -> Any:
        return self._plain("__neg__")

    def __abs__(self) -> Any:
        return self._plain("__abs__")

    def _plain(self, name: str, *operands: object) -> Any:
        return self._link.operate(self, name, operands)

    def _exact(self, name: str, kind: type, *operands: object) -> Any:
        value = self._link.operate(self, name, operands)
        if type(value) is not kind:
            raise NotData(f"{name} gave {type(value).__name__}, not {kind.__name__}")
        return value


class Iterator(Proxy):
    """A generator or another iterator of the student's; its work stays lazy."""

    kind = "iterator"

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        items = self._link.following(self)
        if type(items) is not list or not items:
            raise StopIteration
        return items[0]


class Odd(Proxy):
    """Anything else."""


BY_NAME: dict[str, type[Proxy]] = {
    "function": Function,
    "class": Class,
    "object": Object,
    "iterator": Iterator,
}
