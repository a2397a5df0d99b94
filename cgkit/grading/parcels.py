"""Objects of given classes as part of a message: written once, shared, and never run.

    inside   [Node("a"), Node("b", (a,))]
      ──►  objects [["Node", ["a", ()]], ["Node", ["b", ({"new": 0},)]]]   value [{"new": 0}, ...]
    outside  ◄── this side's own Nodes, their fields set

- An object that was handed in and comes back is that object: nodes of a graph stay themselves.
- Shared objects stay shared, and a chain may be long; a circle is refused with a sentence.
- Each object comes behind those that it holds, so that none can be in a circle on arrival.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from cgkit.grading.classes import Form
from cgkit.grading.codec import Decoder, Encoder, Mark, Refused

OBJECTS = -1
"""Stands for "the objects handed in" where arguments of a call have numbers."""
_PLAIN = (list, tuple, set, frozenset)


class Held:
    """The objects that were handed in, by number, as long as one question lasts."""

    def __init__(self) -> None:
        self.things: list[Any] = []
        self.forms: list[Form] = []
        self._numbers: dict[int, int] = {}

    def cut(self, count: int) -> None:
        """Forget all but the first."""
        for thing in self.things[count:]:
            del self._numbers[id(thing)]
        del self.things[count:], self.forms[count:]

    def add(self, thing: Any, form: Form) -> int:
        """Take one more; give its number."""
        self._numbers[id(thing)] = len(self.things)
        self.things.append(thing)
        self.forms.append(form)
        return len(self.things) - 1

    def parts(self, number: int) -> list[Any]:
        """Give what the fields of an object hold now."""
        return self.forms[number].parts(self.things[number])

    def number(self, thing: Any) -> int | None:
        """Give the number of an object, or None."""
        return self._numbers.get(id(thing))


class Packer(Encoder):
    """An encoder that knows classes.

    Parameters
    ----------
    other
        Given what is neither plain nor of a known class, gives a mark or raises `Refused`.
    forms
        The classes by name.
    held
        Objects that the other side can be told by number.
    lends
        Whether objects that are sent are held from then on.
    arguments
        As `Encoder` takes them.
    """

    def __init__(
        self,
        other: Callable[[object], Mark],
        forms: Mapping[str, Form],
        held: Held,
        *,
        lends: bool = False,
        arguments: Sequence[object] = (),
    ) -> None:
        super().__init__(self._object, arguments)
        self._further, self._forms, self._held, self._lends = other, forms, held, lends
        self.objects: list[Mark] = []
        self.named_held = False
        """Whether an object was told by its number."""
        self._kept: list[Any] = []
        self._sent: dict[int, int] = {}
        self._open: set[int] = set()

    def twin(self) -> Self:
        """Give a packer for the same message that does not know its arguments."""
        made = type(self)(self._further, self._forms, self._held, lends=self._lends)
        made.raw, made.objects, made._sent, made._kept = (
            self.raw, self.objects, self._sent, self._kept,
        )  # fmt: skip
        return made

    def _object(self, value: Any) -> Mark:
        form = self._form(value)
        if form is None:
            return self._further(value)
        if form.how == "member":
            whole = isinstance(value, enum.Flag)
            return {"member": [form.name, value.value if whole else value.name]}
        known = self._known_object(value)
        if known is None:
            self._send(value, form)
            known = self._known_object(value)
        return known

    def _form(self, value: Any) -> Form | None:
        form = self._forms.get(type(value).__name__)
        return form if form is not None and form.fits(value) else None

    def _known_object(self, value: Any) -> Mark:
        number = self._held.number(value)
        if number is not None:
            self.named_held = True
            return {"held": number}
        number = self._sent.get(id(value))
        return None if number is None else {"new": number}

    def _send(self, value: Any, form: Form) -> None:
        """Write an object behind those that it holds; a chain of them may be long."""
        waiting = [self._opened(value, form)]
        while waiting:
            one, form, inner = waiting[-1]
            following = next(inner, None)
            if following is None:
                waiting.pop()
                self._write(one, form)
                self._open.discard(id(one))
            elif self._known_object(following[0]) is None:
                waiting.append(self._opened(*following))

    def _opened(self, value: Any, form: Form) -> tuple[Any, Form, Iterator[tuple[Any, Form]]]:
        """Begin an object that is not written yet."""
        if id(value) in self._open:
            what = f"{form.name} objects that hold each other in a circle"
            raise Refused(f"{what} cannot be handed over")
        self._open.add(id(value))
        return value, form, self._inner(value, form)

    def _write(self, value: Any, form: Form) -> None:
        if self._known_object(value) is not None:
            return
        marks = [self(part) for part in form.parts(value)]
        self.count(len(marks))
        self.objects.append([form.name, marks])
        self._kept.append(value)  # so that its id stays its own
        if self._lends:
            self._held.add(value, form)
        else:
            self._sent[id(value)] = len(self.objects) - 1

    def _inner(self, value: Any, form: Form) -> Iterator[tuple[Any, Form]]:
        """Give the objects of known classes that an object holds, through plain containers."""
        waiting, seen = form.parts(value)[::-1], set[int]()
        while waiting:
            one = waiting.pop()
            if type(one) in _PLAIN and id(one) not in seen:
                seen.add(id(one))
                waiting += [*one][::-1]
            elif type(one) is dict and id(one) not in seen:
                seen.add(id(one))
                waiting += [*one.values(), *one][::-1]
            else:
                found = self._form(one)
                if found is not None and found.how != "member":
                    yield one, found


@dataclass
class Parcel:
    """What comes with a message, beside its marks."""

    raw: bytes
    objects: Any = ()
    arguments: Sequence[object] = ()


class Unpacker(Decoder):
    """A decoder that knows classes.

    Parameters
    ----------
    parcel
        What came with the message.
    other
        Given a mark that is neither plain nor an object, gives its value or raises `Refused`.
    forms
        The classes by name.
    held
        Objects that marks name by number.
    borrows
        Whether objects that come are held from then on.

    Raises
    ------
    Refused
        The objects of the message are none.
    """

    def __init__(
        self,
        parcel: Parcel,
        other: Callable[[str, Any], Any],
        forms: Mapping[str, Form],
        held: Held,
        *,
        borrows: bool = False,
    ) -> None:
        super().__init__(parcel.raw, self._object, parcel.arguments)
        self._further, self._forms, self._held = other, forms, held
        self._new: list[Any] = []
        self.met_empty = False
        """Whether an array without a number in it was read."""
        if type(parcel.objects) not in (list, tuple):
            raise Refused("no list of objects")
        for entry in parcel.objects:
            form, made = self._made(entry)
            if borrows:
                held.add(made, form)
            else:
                self._new.append(made)

    def array(self, dtype: Any, shape: Any, start: Any, length: Any) -> np.ndarray:
        """Give an array of its own, and take notice of an empty one."""
        made = super().array(dtype, shape, start, length)
        self.met_empty |= made.size == 0
        return made

    def _made(self, entry: Any) -> tuple[Form, Any]:
        try:
            name, marks = entry
            form = self._forms[name]
            return form, form.make(self.many(marks, 0))
        except KeyError:
            raise Refused(f"an object of {str(name)[:80]}, which no given cell defines") from None
        except (TypeError, ValueError, AttributeError):
            raise Refused("an object that does not fit its class") from None

    def renew(self, entries: Any) -> bool:
        """Let held objects hold what is told of their fields; tell whether anything was told.

        Raises
        ------
        Refused
            It does not fit them.
        """
        try:
            for number, marks in entries:
                place = _place(number)
                self._held.forms[place].renew(self._held.things[place], self.many(marks, 0))
        except (TypeError, ValueError, IndexError):
            raise Refused("an object that does not fit its class") from None
        return bool(entries)

    def _object(self, name: str, body: Any) -> Any:
        if name == "held":
            return self._held.things[_place(body)]
        if name == "new":
            return self._new[_place(body)]
        if name == "member":
            kind, member = body
            return self._forms[kind].member(member)
        return self._further(name, body)


def _place(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError("no number of an object")
    return number
