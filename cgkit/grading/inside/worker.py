"""One student's code, run on request: cells, calls, attributes; the answer is data or a number.

    {"do": "cell", "id": "mean", "source": "def mean(a): ..."}      ──►  {"value": null, ...}
    {"do": "call", "of": 0, "arguments": [[1, 2]], "named": {}}     ──►  {"value": 1.5, ...}
    student's code calls what it was given                          ──►  {"callback": 0, ...}

- Every request gets one answer: a value or an error, with what was printed since the last one.
- An exception of the student's, of any kind, is an answer and never the end.
- Nothing here is trusted outside: a student may replace all of it.
"""

from __future__ import annotations

import builtins
import contextlib
import linecache
import os
import random
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from cgkit.grading.classes import Form, forms_in
from cgkit.grading.codec import Decoder, Refused
from cgkit.grading.frames import Channel, Closed
from cgkit.grading.inside.bars import real
from cgkit.grading.inside.capture import Capture
from cgkit.grading.inside.complaint import complaint
from cgkit.grading.inside.handles import Callback, Handles
from cgkit.grading.inside.magics import plain_python
from cgkit.grading.inside.standins import Inert
from cgkit.grading.parcels import OBJECTS, Held, Packer, Parcel, Unpacker

MUTABLE = (list, dict, set, bytearray, np.ndarray)
MODULES = ("builtins", "math", "operator", "numpy")
"""Modules whose functions cross by name."""
_KEPT = 50
_AS_BUILTIN: Mapping[str, Callable[[Any], Any]] = {
    "__len__": len,
    "__bool__": bool,
    "__str__": str,
    "__repr__": repr,
    "__float__": float,
    "__int__": int,
}
_LONGEST = 20_000


class Worker:
    """Serves one conversation.

    Parameters
    ----------
    channel
        Where requests come from.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._handles = Handles()
        self._printed, self._warned = Capture(), Capture()
        self._seen: list[tuple[str, str]] = []
        self._named: dict[int, Any] = {}
        self._given: dict[str, Any] = {}
        self._forms: dict[str, Form] = {}
        self._held = Held()
        self._usual = self._depth = sys.getrecursionlimit()
        self._raised = False
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        self._names = main.__dict__
        self._names["__builtins__"] = builtins

    def settle(self) -> None:
        """Take over standard streams and what only a notebook has."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 (stays open)
        sys.stdout, sys.stderr = self._printed, self._warned
        extra: dict[str, Any] = {
            "input": lambda *_: "",
            "display": Inert("display"),
            "get_ipython": Inert("get_ipython"),
            "help": Inert("help"),
        }
        vars(builtins).update(extra)
        really = sys.setrecursionlimit

        def setrecursionlimit(limit: int, /) -> None:
            really(limit)
            self._raised |= limit > self._usual  # put back before the end, it was raised still

        sys.setrecursionlimit = setrecursionlimit

    def note(self, what: str, which: str) -> None:
        """Remember something a teacher should look at."""
        if len(self._seen) < _KEPT and (what, which) not in self._seen:
            self._seen.append((what, which))

    # conversation

    def serve(self) -> None:
        """Answer requests until the other side is gone."""
        self._names["__builtins__"] = sys.modules["builtins"]  # some may be barred by now
        while True:
            try:
                request, raw = self._channel.receive()
                self._held.cut(0)
                self._answer(request, raw)
            except Closed:
                os._exit(0)

    def _answer(self, request: Any, raw: bytes) -> None:
        try:
            self._do(request, raw)
        except Closed:
            raise
        except Refused as error:  # what cannot cross is no exception of the student's
            self._channel.send({"refused": str(error), **self._news()})
        except BaseException as error:
            packer = self._packer()
            self._send({"error": complaint(error, self._handles, packer)}, packer)

    def _news(self) -> dict[str, Any]:
        """Give what happened beside the answer itself."""
        news: dict[str, Any] = {}
        for name, capture in (("printed", self._printed), ("warned", self._warned)):
            if text := capture.take():
                news[name] = text
        if self._seen:
            news["seen"], self._seen = self._seen, []
        if sys.getrecursionlimit() != self._depth or self._raised:
            self._depth, self._raised = sys.getrecursionlimit(), False
            news["depth"] = True
        return news

    def _packer(self, arguments: tuple[Any, ...] = ()) -> Packer:
        return Packer(self._handles.mark, self._forms, self._held, arguments=arguments)

    def _send(self, message: dict[str, Any], packer: Packer) -> None:
        objects = {"objects": packer.objects} if packer.objects else {}
        self._channel.send({**message, **objects, **self._news()}, bytes(packer.raw))

    def _reply(
        self,
        value: Any,
        arguments: tuple[Any, ...] = (),
        changed: Sequence[int] = (),
        renewed: Sequence[int] = (),
        *,
        stale: Callable[[int], bool] = lambda number: False,
        moved: Callable[[], bool] = lambda: False,
    ) -> None:
        packer = self._packer(arguments)
        message = {"value": packer(value)}
        if packer.named_held and moved():  # what was handed in is another now: tell all by value
            packer = Packer(self._handles.mark, self._forms, Held(), arguments=arguments)
            message = {"value": packer(value)}
        if others := {number for number in packer.told if stale(number)}:
            kept = (None if number in others else one for number, one in enumerate(arguments))
            packer = self._packer(tuple(kept))
            message = {"value": packer(value)}
        if changed or renewed:
            whole = packer.twin()
            message["changed"] = [[number, whole(arguments[number])] for number in changed]
            message["renewed"] = [
                [number, [whole(part) for part in self._held.parts(number)]] for number in renewed
            ]
        self._send(message, packer)

    def _ask(self, number: int, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function that lies outside, and serve whoever asks on its behalf meanwhile."""
        packer = self._packer()
        message = {
            "callback": number,
            "arguments": [packer(value) for value in arguments],
            "named": {str(name): packer(value) for name, value in named.items()},
        }
        self._send(message, packer)
        while True:
            request, raw = self._channel.receive()
            if "raise" in request:
                kind = getattr(builtins, str(request["raise"]), RuntimeError)
                raise kind(request["text"])
            if "return" in request:
                return self._decoder(request, raw, arguments)(request["return"])
            self._answer(request, raw)

    def _decoder(
        self, request: dict[str, Any], raw: bytes, arguments: tuple[Any, ...] = ()
    ) -> Decoder:
        parcel = Parcel(raw, request.get("objects", ()), arguments)
        return Unpacker(parcel, self._known, self._forms, self._held, borrows=True)

    def _known(self, name: str, body: Any) -> Any:
        if name == "handle":
            return self._handles[body]
        if name == "callback":
            return Callback(self._ask, body[0], body[1])
        if name == "function" and body[0] in MODULES:
            function = real(getattr(sys.modules[body[0]], body[1]))
            self._named[id(function)] = {"function": body}
            return function
        raise Refused(f"no value: {name}")

    # requests

    def _do(self, request: dict[str, Any], raw: bytes) -> None:
        handler = getattr(self, f"_do_{request['do']}")
        handler(request, self._decoder(request, raw), raw)

    def _do_cell(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        kind = "given" if request["given"] else "cell"
        source, place = plain_python(request["source"]), f"<{kind} {request['id']}>"
        seed = request["seed"]
        random.seed(seed)
        np.random.seed(seed % 2**32)
        lines = source.splitlines(keepends=True)
        linecache.cache[place] = (len(source), None, lines, place)
        before = dict(self._names)
        try:
            exec(compile(source, place, "exec"), self._names)
        finally:
            if request["given"]:  # what the assignment itself defines comes back when deleted
                self._given |= {name: self._names[name] for name in self._names.keys() - before}
                fresh = (n for n, v in self._names.items() if before.get(n, Held) is not v)
                self._forms |= forms_in(self._names, fresh)
            self._names |= {n: v for n, v in self._given.items() if n not in self._names}
        self._reply(None)

    def _do_get(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        name = request["name"]
        if name not in self._names:
            raise NameError(f"name {name!r} is not defined")
        self._reply(self._names[name])

    def _do_set(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        self._names[request["name"]] = decode(request["value"])
        self._reply(None)

    def _do_call(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        arguments = tuple(decode(mark) for mark in request["arguments"])
        named = {name: decode(mark) for name, mark in request["named"].items()}
        with contextlib.suppress(RecursionError):  # each call begins with the usual limit
            sys.setrecursionlimit(self._usual)
            self._depth, self._raised = self._usual, False
        states = self._states() if OBJECTS in request["watch"] else []
        value = self._handles[request["of"]](*arguments, **named)
        watched = [number for number in request["watch"] if 0 <= number < len(arguments)]
        changed = [
            number
            for number in watched
            if self._differs(arguments[number], request["arguments"][number], raw)
        ]
        now = self._states()[: len(states)] if states else []
        pairs = enumerate(zip(states, now, strict=True))
        renewed = [number for number, (old, new) in pairs if old != new]

        def stale(number: int) -> bool:  # it was changed, and outside it stays as it was
            told = request["arguments"][number]
            return number not in watched and self._other(arguments[number], decode(told))

        def moved() -> bool:  # the same, for objects of given classes
            return OBJECTS not in request["watch"] and self._moved(request, raw)

        self._reply(value, arguments, changed, renewed, stale=stale, moved=moved)

    def _differs(self, argument: Any, mark: Any, raw: bytes) -> bool:
        if type(argument) not in MUTABLE:
            return False
        packer = self._comparing()
        return packer(argument) != mark or (len(packer.raw) > 0 and bytes(packer.raw) != raw)

    def _other(self, now: Any, before: Any) -> bool:
        """Tell whether two values would be written differently."""
        packers = self._comparing(), self._comparing()
        marks = [packer(value) for packer, value in zip(packers, (now, before), strict=True)]
        return marks[0] != marks[1] or packers[0].raw != packers[1].raw

    def _compared(self, thing: object) -> Any:
        return self._named.get(id(thing)) or self._handles.mark(thing)

    def _comparing(self) -> Packer:
        return Packer(self._compared, self._forms, self._held)

    def _moved(self, request: dict[str, Any], raw: bytes) -> bool:
        """Tell whether an object that came with a request holds other things than it did."""
        if all(form.frozen for form in self._held.forms):
            return False
        before = Held()
        Unpacker(
            Parcel(raw, request.get("objects", ())), self._known, self._forms, before, borrows=True
        )
        return self._states(before) != self._states(self._held)[-len(before.things) :]

    def _states(self, held: Held | None = None) -> list[Any]:
        """Write down what all objects hold that were handed in."""
        held, states = held or self._held, []
        for number in range(len(held.things)):
            packer = Packer(self._compared, self._forms, held)
            marks = [packer(part) for part in held.parts(number)]
            states.append((marks, packer.objects, bytes(packer.raw)))
        return states

    def _do_attribute(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        self._reply(getattr(self._handles[request["of"]], request["name"]))

    def _do_assign(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        setattr(self._handles[request["of"]], request["name"], decode(request["value"]))
        self._reply(None)

    def _do_next(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        self._reply(list(islice(self._handles[request["of"]], 1)))

    def _do_iterate(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        self._reply(iter(self._handles[request["of"]]))

    def _do_instance(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        self._reply(isinstance(self._handles[request["of"]], self._handles[request["kind"]]))

    def _do_operate(self, request: dict[str, Any], decode: Decoder, raw: bytes) -> None:
        thing, name = self._handles[request["of"]], request["name"]
        operands = [decode(mark) for mark in request["arguments"]]
        if name in _AS_BUILTIN:
            value = _AS_BUILTIN[name](thing)
            self._reply(value[:_LONGEST] if type(value) is str else value)
            return
        method = getattr(type(thing), name, None)
        if method is None:
            raise TypeError(f"{type(thing).__name__} does not define {name}")
        value = method(thing, *operands)
        if value is NotImplemented:
            raise TypeError(f"{name} of {type(thing).__name__} does not take these operands")
        self._reply(value)
