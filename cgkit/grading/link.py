"""The conversation with one worker: questions out, answers in, callbacks between.

    link.get("mean") ──► Function        link.call(mean, ([1, 2],)) ──► 1.5, or StudentError

- One deadline holds for everything until it is set again; what is late is `TimedOut`, once and for
  every later question.
- What the other side says is checked word by word; nonsense ends the worker.
- Functions that go in come back as callbacks with data; their own errors go in by name and text.
  An array that one is called with and gives back is, inside, that array and no copy of it.
"""

from __future__ import annotations

import functools
import select
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from cgkit.grading.arrivals import NONSENSE, Met, look_inside, taken
from cgkit.grading.classes import Given
from cgkit.grading.codec import Refused
from cgkit.grading.frames import Closed, OutOfTime
from cgkit.grading.lent import Lent, complaint
from cgkit.grading.outcomes import (
    Died,
    NotData,
    StudentError,
    TimedOut,
    base_of,
    error_class,
    error_of,
)
from cgkit.grading.parcels import OBJECTS, Held, Packer, Parcel, Unpacker
from cgkit.grading.policy import Policy, called, put_back, reached
from cgkit.grading.proxies import BY_NAME, Odd, Proxy, name_it
from cgkit.grading.sandbox import Sandbox
from cgkit.grading.signatures import signature

MOST_QUESTIONS = 500_000
_LOOK = 0.1


class Link:
    """One worker and all that was exchanged with it.

    Parameters
    ----------
    sandbox
        Gives the worker.
    policy
        What answers may be.
    given
        Classes of given cells; whoever made the link may add to them.
    """

    def __init__(self, sandbox: Sandbox, policy: Policy, given: Given | None = None) -> None:
        self.policy = policy
        self.seen: list[tuple[str, str]] = []
        self.deadline = time.monotonic() + 10
        self.questions = 0
        self._next_look = time.monotonic() + _LOOK
        self._sandbox = sandbox
        self._worker = sandbox.fork()
        self._channel = self._worker.channel
        self._given = given or Given()
        self._held = Held()
        self._depth = self._lent = 0
        self._functions = Lent()
        self._proxies: dict[int, Proxy] = {}
        self._met = Met()
        self._errors: dict[int, type[StudentError]] = {}
        self._ended: BaseException | None = None

    @property
    def alive(self) -> bool:
        """Whether it still answers; a worker that speaks unasked or is gone does not."""
        if self._ended is None and self._channel.waiting():
            self._lost(Died("the process running your code ended"))
        return self._ended is None

    def end(self) -> None:
        """End the worker."""
        if self._ended is None:
            self._lost(Died("the worker was ended"))

    def _lost(self, why: BaseException) -> BaseException:
        self._ended = self._ended or why
        self._worker.end()
        return self._ended

    # questions

    def run(self, cell: str, source: str, seed: int, *, given: bool = False) -> None:
        """Run one cell.

        Raises
        ------
        StudentError, TimedOut, Died
            As it ends.
        """
        request = {"do": "cell", "id": cell, "source": source, "seed": seed, "given": given}
        self._ask(request)

    def get(self, name: str) -> Any:
        """Give what a name of the student's holds now."""
        return self._taken(self._ask({"do": "get", "name": name}), f"{name}=", name)

    def set(self, name: str, value: object) -> None:
        """Let a name of the student's hold a value."""
        packer = self._packer()
        self._ask({"do": "set", "name": name, "value": packer(value)}, packer)

    def call(
        self,
        proxy: Proxy,
        arguments: Sequence[object],
        named: dict[str, object],
        changes: Sequence[int],
        key: str = "",
    ) -> Any:
        """Call a function of the student's."""
        key = key or proxy._key
        request = {"do": "call", "of": proxy._number, "watch": list(changes)}
        value = self._called(request, arguments, named, key)
        return self._taken(value, key, called(key), (*arguments, *named.values(), proxy._owner))

    def make(self, proxy: Proxy, arguments: Sequence[object], named: dict[str, object]) -> Any:
        """Make an object of a class of the student's."""
        request = {"do": "call", "of": proxy._number, "watch": []}
        return self._called(request, arguments, named, proxy._key)

    def _called(
        self,
        request: dict[str, Any],
        arguments: Sequence[object],
        named: dict[str, object],
        key: str,
    ) -> Any:
        packer = self._packer()
        request["arguments"] = [packer(value) for value in arguments]
        request["named"] = {name: packer(value) for name, value in named.items()}
        return self._ask(request, packer, arguments, key)

    def attribute(self, proxy: Proxy, name: str) -> Any:
        """Read an attribute."""
        value = self._ask({"do": "attribute", "of": proxy._number, "name": name})
        key = reached(proxy._key, f".{name}")
        return self._taken(value, f"{key}=", key, owner=proxy)

    def assign(self, proxy: Proxy, name: str, value: object) -> None:
        """Set an attribute."""
        packer = self._packer()
        request = {"do": "assign", "of": proxy._number, "name": name, "value": packer(value)}
        self._ask(request, packer)

    def operate(self, proxy: Proxy, name: str, operands: Sequence[object]) -> Any:
        """Let an operator of the student's work."""
        packer = self._packer()
        marks = [packer(value) for value in operands]
        request = {"do": "operate", "of": proxy._number, "name": name, "arguments": marks}
        key = reached(proxy._key, f".{name}")
        return self._taken(self._ask(request, packer), key, called(key), (*operands, proxy))

    def iterate(self, proxy: Proxy) -> Any:
        """Begin to walk through an object."""
        return name_it(self._ask({"do": "iterate", "of": proxy._number}), proxy._key)

    def following(self, proxy: Proxy) -> Any:
        """Give the next item in a list, or an empty list."""
        items = self._ask({"do": "next", "of": proxy._number})
        key = reached(proxy._key, "[]")
        return [self._taken(item, key, key) for item in items[:1]] if type(items) is list else []

    def is_instance(self, proxy: Proxy, kind: Proxy) -> bool:
        """Tell whether an object is one of a class."""
        request = {"do": "instance", "of": proxy._number, "kind": kind._number}
        return self._ask(request) is True

    def _taken(
        self, value: Any, key: str, named: str, known: Sequence[Any] = (), owner: Any = None
    ) -> Any:
        return taken(self.policy, value, self._met, key, named, known, owner)

    # the exchange

    def _ask(
        self,
        request: dict[str, Any],
        packer: Packer | None = None,
        sent: Sequence[object] = (),
        key: str = "",
    ) -> Any:
        if self._ended is not None:
            raise self._ended
        self.questions += 1
        if self.questions > MOST_QUESTIONS:
            raise self._lost(Died("too many questions were asked"))
        if packer is None:
            self._forget()
        self._depth += 1
        try:
            self._send(request, packer)
            answer, raw = self._answer()
            return self._value(answer, raw, sent, request, key)
        except StudentError:
            raise
        except NONSENSE as error:  # of a worker that says what none of ours says
            raise NotData(f"what it gave cannot be looked at: {error}"[:300]) from None
        except OutOfTime:
            raise self._lost(TimedOut("it did not come to an end")) from None
        except Closed:
            raise self._lost(Died("the process running your code ended")) from None
        finally:
            self._depth -= 1

    def _packer(self, arguments: Sequence[object] = ()) -> Packer:
        self._forget()
        forms = self._given.forms
        return Packer(self._outward, forms, self._held, lends=True, arguments=arguments)

    def _forget(self) -> None:
        """Forget objects that no pending question sent."""
        self._lent = self._lent if self._depth else 0
        self._held.cut(self._lent)

    def _unpacker(
        self, answer: dict[str, Any], raw: bytes, met: Met, sent: Sequence[object] = ()
    ) -> Unpacker:
        """Read one message; note each stand-in in it."""
        parcel = Parcel(raw, answer.get("objects", ()), sent)
        inward = functools.partial(self._inward, met=met)
        return Unpacker(parcel, inward, self._given.forms, self._held)

    def _send(self, message: dict[str, Any], packer: Packer | None) -> None:
        if packer is not None and packer.objects:
            message = {**message, "objects": packer.objects}
            self._lent = len(self._held.things)
        self._channel.send(message, bytes(packer.raw) if packer else b"", self.deadline)

    def _answer(self) -> tuple[dict[str, Any], bytes]:
        while True:
            self._wait()
            answer, raw = self._channel.receive(self.deadline)
            if type(answer) is not dict:
                raise Closed("no answer")
            self._take_news(answer)
            if "callback" not in answer:
                return answer, raw
            self._call_back(answer, raw)

    def _wait(self) -> None:
        """Wait for an answer; where the kernel bounds no group, look at what is used meanwhile."""
        while self._sandbox.watched:
            left = self.deadline - time.monotonic()
            ready, _, _ = select.select([self._channel.end], [], [], max(0, min(_LOOK, left)))
            if time.monotonic() > self._next_look:  # whatever it says, and however often
                if excess := self._sandbox.excess():
                    raise self._lost(Died(excess))
                self._next_look = time.monotonic() + _LOOK
            if ready or left <= 0:
                return

    def _take_news(self, answer: dict[str, Any]) -> None:
        for name, stream in (("printed", sys.stdout), ("warned", sys.stderr)):
            if text := answer.get(name):
                stream.write(str(text)[:70_000])
        seen = answer.get("seen")
        if isinstance(seen, list) and len(self.seen) < 200:
            pairs = (item for item in seen[:200] if isinstance(item, list) and len(item) == 2)
            self.seen += [(str(what)[:100], str(which)[:300]) for what, which in pairs]
        if answer.get("depth"):  # a check that looks at the limit of recursion sees it changed
            sys.setrecursionlimit(sys.getrecursionlimit() + 1)

    def _value(
        self,
        answer: dict[str, Any],
        raw: bytes,
        sent: Sequence[object],
        request: dict[str, Any],
        key: str,
    ) -> Any:
        met = Met()
        if "refused" in answer:  # it is no error of the student's: a test may wait for one
            raise Refused(str(answer["refused"])[:300])
        decode = self._unpacker(answer, raw, met, sent)
        if "error" in answer:
            body = answer["error"]
            if type(body) is not dict:
                raise Closed("no error")
            error = error_of(body, self._error_class(body.get("kind")), self._given.errors, decode)
            look_inside(self.policy, met, f"{key}: its error[]")
            raise error
        value = decode(answer.get("value"))
        met.empty = decode.met_empty
        for number, changed in self._changes(answer, decode, request):
            put_back(sent[number], changed)
            self.policy.note_change(key, number)
        if OBJECTS in request.get("watch", ()) and decode.renew(answer.get("renewed", ())):
            self.policy.note_change(key, OBJECTS)
        self._met = met
        return value

    @staticmethod
    def _changes(
        answer: dict[str, Any], decode: Unpacker, request: dict[str, Any]
    ) -> list[tuple[int, Any]]:
        """Give the arguments that were asked for and changed, with their new values."""
        told = answer.get("changed", [])
        pairs = told if isinstance(told, list) else []
        return [
            (pair[0], decode(pair[1]))
            for pair in pairs
            if isinstance(pair, list) and len(pair) == 2 and pair[0] in request.get("watch", ())
        ]

    def _call_back(self, answer: dict[str, Any], raw: bytes) -> None:
        packer = self._packer()
        try:
            number = answer["callback"]
            name = getattr(self._functions[number], "__name__", "function")
            met = Met()
            decode = self._unpacker(answer, raw, met)
            arguments = [decode(mark) for mark in answer["arguments"]]
            named = {key: decode(mark) for key, mark in answer["named"].items()}
            look_inside(self.policy, met, f"{name}(...)[]")
            before = [_content(one) for one in arguments]
            value = self._functions.call(number, arguments, named)
            packer = self._packer(_unchanged(arguments, before))
            body = {"return": packer(value)}
        except Exception as error:  # of the callback itself, or of its arguments
            packer, body = self._packer(), complaint(error)
        self._send(body, packer)

    # what is no data

    def _outward(self, value: object) -> Any:
        if isinstance(value, Proxy):
            return {"handle": value._number}
        for number, kind in self._errors.items():
            if value is kind:
                return {"handle": number}
        if callable(value):
            return self._functions.mark(value)
        raise Refused(
            f"a {type(value).__name__} cannot be given to a student's code; plain data can, "
            "functions, and objects of dataclasses, NamedTuples and Enums of given cells"
        )

    def _inward(self, name: str, body: Any, met: Met) -> Any:
        if name == "callback":
            return self._functions[body[0]]
        if name != "handle":
            raise Refused(f"no value: {name[:40]}")
        number, kind = body["at"], body["is"]
        if type(number) is not int:
            raise Refused("no handle")
        if kind == "exception":
            return self._error_class({"handle": body})
        fresh = number not in self._proxies
        if fresh:
            made = BY_NAME.get(kind, Odd)
            proxy = made(self, number, str(body["name"])[:80], str(body["type"])[:80])
            if kind == "function":
                object.__setattr__(proxy, "__doc__", str(body.get("doc", ""))[:2000])
                object.__setattr__(proxy, "__signature__", signature(str(body.get("takes", ""))))
            self._proxies[number] = proxy
        met.append((self._proxies[number], fresh))
        return self._proxies[number]

    def _error_class(self, mark: Any) -> type[StudentError] | None:
        try:
            body = mark["handle"]
            number, name = int(body["at"]), str(body["name"])
        except (KeyError, TypeError, ValueError):
            return None
        if number not in self._errors:
            self._errors[number] = error_class(name, base_of(body, self._given.errors))
        return self._errors[number]


def _content(value: object) -> object:
    """Give what an array holds, so that a change is seen; None for anything else."""
    return (value.dtype, value.shape, value.tobytes()) if type(value) is np.ndarray else None


def _unchanged(values: Sequence[object], before: Sequence[object]) -> tuple[object, ...]:
    """Give the arrays that still hold what they held, and None in place of the others."""
    pairs = zip(values, before, strict=True)
    return tuple(one if was is not None and _content(one) == was else None for one, was in pairs)
