"""Functions that are traced once for each sort of call, and then run as graphs.

    step = compile(step)
    step(x, y)      traced, made ready, run
    step(x, y)      run
    step(z, y)      z of another dtype: traced again
    step.explain()  says what was traced, on what it depends, and what failed to hold

A size seen for the second time with another value becomes an open one. Whoever causes too many
forms gets the function as it is written, with a warning.
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import is_
from typing import Any, cast

from cgkit.compiler.calls import key_of
from cgkit.compiler.entry import Entry
from cgkit.compiler.executable import Executable
from cgkit.compiler.explanation import Explanation, Miss
from cgkit.compiler.facts import PLAIN, Call, Fact, call_of, facts_of, is_tensor
from cgkit.compiler.lending import loan_here
from cgkit.compiler.reads import MOST, Reads, reads_of
from cgkit.compiler.tracing import Traced, check_sizes, trace_call
from cgkit.errors import CaptureError, CgkitError, CompileWarning, OperandError
from cgkit.graph import Graph
from cgkit.symbolic import Value
from cgkit.tensor import Tensor

Pass = Callable[[Graph], Graph]
MOST_SERVED = 256
"""For how many sorts of calls the form that serves them is known at once."""
LIMIT = 8
"""How many forms of a function are made; then it runs as it is written."""

TOO_MUCH = "the function reads too much by itself"


class Served:
    """A sort of call, and the form that serves it while nothing that is read has changed."""

    def __init__(self, entry: Entry, reads: Reads, call: Call, given: Sequence[Any]) -> None:
        self.entry = entry
        self.reads = reads
        places = {id(x): number for number, x in enumerate(given)}
        order = [places.get(id(x)) for x in entry.arguments(call)]
        self.order = None if None in order else cast("list[int]", order)
        self._found = entry.inputs((), reads.tensors)

    def holds(self, given: Sequence[Any]) -> bool:
        """Say whether the form still serves such a call."""
        if not self.reads.snapshot.holds():
            return False
        numbers = self.reads.numbers
        if numbers and not numbers.isdisjoint(map(id, given)):
            return False
        return not self.entry.traced.written or not self.entry.shares(self._inputs(given))

    def _inputs(self, given: Sequence[Any]) -> list[Any]:
        assert self.order is not None
        return [given[i] for i in self.order] + self._found

    def __call__(self, given: Sequence[Any]) -> Any:
        """Do what the function does."""
        return self.entry(self._inputs(given), self.reads.generators)


class Compiled:
    """A function that runs as graphs; `compile` makes it."""

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        passes: Sequence[Pass],
        dynamic: bool | None,
        limit: int,
        ready: Callable[[Graph], Executable],
    ) -> None:
        functools.update_wrapper(self, fn, updated=())
        self.fn = fn
        self.entries: list[Entry] = []
        self.misses: list[Miss] = []
        self.as_written: Counter[str] = Counter()
        """Why calls ran as the function is written, and how many."""
        inspect.signature(fn)  # whoever has none is refused now
        self._passes = tuple(passes)
        self._dynamic = dynamic
        self._limit = limit
        self._ready = ready
        self._opened: set[tuple[str, int]] = set()
        self._shut: set[tuple[str, int]] = set()
        self._served: dict[Any, Served] = {}
        self._read: dict[Entry, Reads] = {}
        self._warned = self._too_much = False
        self._lock = threading.RLock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do what the function does."""
        key, given = key_of(args, kwargs)
        if loan_here() is None:
            served = self._served.get(key)
            if served is not None and served.holds(given):
                return served(given)
        else:
            return self.fn(*args, **kwargs)  # a part of another function, which is traced
        return self._looked_up(key, given, args, kwargs)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """Be a method, where a function would be one."""
        return self if owner is None else types.MethodType(self, owner)

    def _looked_up(self, key: Any, given: list[Any], args: Any, kwargs: Any) -> Any:
        """Find the form that serves a call, or make one."""
        bound = inspect.signature(self.fn).bind(*args, **kwargs)  # defaults may have changed
        bound.apply_defaults()
        call = call_of(bound.arguments)
        if any(isinstance(leaf, Value) for leaf in call.leaves):
            return self.fn(*args, **kwargs)  # it becomes a part of another graph
        with self._lock:
            found = self._entry_for(call)
        if isinstance(found, str):
            self.as_written[found] += 1
            return self.fn(*args, **kwargs)
        entry, reads = found[0], self._as_before(*found)
        served = Served(entry, reads, call, given)
        inputs = entry.inputs(entry.arguments(call), reads.tensors)
        if entry.shares(inputs):
            self.as_written["a tensor that is written to shares memory with another"] += 1
            return self.fn(*args, **kwargs)
        if served.order is not None and served.holds(given):
            if len(self._served) >= MOST_SERVED:
                self._served.clear()
            self._served[key] = served
        return entry(inputs, reads.generators)

    def _as_before(self, entry: Entry, reads: Reads) -> Reads:
        """Give what a form read last, where that is all the same: arrays are copied once."""
        before = self._read.get(entry, reads)
        same = before.facts == reads.facts and before.snapshot.holds()
        if same and all(map(is_, before.tensors, reads.tensors)):
            reads = before
        self._read[entry] = reads
        return reads

    def _entry_for(self, call: Call) -> tuple[Entry, Reads] | str:
        """Give the form that serves a call; the reason if none does and none is made."""
        if self._too_much:
            return TOO_MUCH
        reads = self._reads(call)
        if not reads.whole:
            self._too_much = True
            self._warn(f"reads more than {MOST} things by itself")
            return TOO_MUCH
        facts = {**facts_of(call), **reads.facts}
        if any(what == "device" and value != "cpu" for (_, what), value in facts.items()):
            return "a tensor lies on another device"  # operators say where each operand lies
        reasons: list[list[str]] = []
        for entry in self.entries:
            wrong = entry.failures(call, facts)
            if not wrong:
                return entry, reads
            reasons.append(wrong)
        if len(self.entries) >= self._limit:
            nearest = min(reasons, key=len, default=[""])[0]
            why = f". The last one: {nearest}" if nearest else ""
            if ": value was" in nearest:
                what = "Tuples, lists and dicts" if "is another" in nearest else "A Tensor"
                why += f". {what} may have other numbers in each call"
            self._warn(f"has {len(self.entries)} compiled forms, the most that are made", why)
            return "too many forms"
        return self._compiled(call, facts, reads, reasons)

    def _reads(self, call: Call) -> Reads:
        """Look at all that the function reads beside its tensors."""
        objects = {
            place: leaf for place, leaf in zip(call.places, call.leaves, strict=True)
            if not is_tensor(leaf) and not isinstance(leaf, PLAIN)
        }  # fmt: skip
        given: dict[int, str] = {}
        for i in call.tensors:
            if isinstance(call.leaves[i], Tensor):  # an array that is found, too, is read there
                given.setdefault(id(call.leaves[i]), call.places[i])
        return reads_of(self.fn, objects, given, call.structure.keys)

    def _warn(self, what: str, why: str = "") -> None:
        """Say once why calls run as the function is written."""
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.name} {what}; from now on other calls run as it is written{why}",
                CompileWarning,
                stacklevel=5,
            )

    def _compiled(
        self,
        call: Call,
        facts: Mapping[Fact, Any],
        reads: Reads,
        reasons: Sequence[Sequence[str]],
    ) -> tuple[Entry, Reads]:
        """Trace the function for calls of this sort."""
        self._open_sizes(call, facts)
        reasons = [*reasons]
        try:
            traced = self._traced(call, reads, reasons)
        finally:
            kept = reads.snapshot.restore(lambda thing: isinstance(thing, Value))
        if kept:
            raise CaptureError(
                f"{self.name} keeps a value in {', '.join(kept)}, which has numbers only while the "
                "graph runs",
                why="it was assigned while the function was traced; what was there is back",
                attempt="giving it as a result; or x.copy_(...), which writes to a tensor",
            )
        open_facts = {
            (call.places[i], f"size {axis}") for spots in traced.sizes.values() for i, axis in spots
        }
        # what tracing itself has changed is an effect of the function, not a reason to trace again;
        # what it has made, or imported, is read like anything else
        after = self._reads(call)
        effects = {f for f, value in reads.facts.items() if after.facts.get(f) != value}
        facts = {**facts, **after.facts, **facts}
        guards = {f: value for f, value in facts.items() if f not in open_facts | effects}
        graph = traced.graph
        for act in self._passes:
            graph = act(graph)
        changed = tuple(sorted({place for place, _ in effects}))
        entry = Entry(traced, graph, guards, self.name, self._ready, changed, facts, reads.places)
        self.entries.append(entry)
        nearest: Sequence[str] = min(reasons, key=len) if reasons else ()
        self.misses.append(Miss(len(self.entries), tuple(nearest)))
        same = len(after.tensors) == len(reads.tensors) and all(
            map(is_, after.tensors, reads.tensors)
        )
        return entry, after if same else reads

    def _traced(self, call: Call, reads: Reads, reasons: list[Sequence[str]]) -> Traced:
        """Trace the function; with fixed sizes if it cannot be done with open ones."""
        act = partial(trace_call, self.fn, inspect.signature(self.fn), call)
        spots = {
            (call.places[i], axis)
            for i in call.tensors
            for axis in range(len(call.leaves[i].shape))
        }
        opened = {spot for spot in spots if self._is_open(*spot)}
        found = [
            *reads.tensors,
            *(call.leaves[i] for i in call.tensors if id(call.leaves[i]) in reads.numbers),
        ]
        try:
            traced = act(lambda *spot: spot in opened, found, reads.generators)
            check_sizes(traced, {
                name: call.leaves[i].shape[axis] for name, ((i, axis), *_) in traced.sizes.items()
            })  # fmt: skip
            return traced
        except CgkitError as error:
            if not opened:
                raise
            traced = act(lambda *spot: False, found, reads.generators)
            self._shut |= opened
            places = ", ".join(sorted({f"{place}: size {axis}" for place, axis in opened}))
            reasons[:] = [[f"{places} cannot be open: {error.what}"]]
            return traced

    @property
    def eager_calls(self) -> int:
        """How many calls ran as the function is written."""
        return self.as_written.total()

    @property
    def name(self) -> str:
        """What messages call the function."""
        name: str = getattr(self.fn, "__name__", type(self.fn).__name__)
        return name

    def _is_open(self, place: str, axis: int) -> bool:
        if (place, axis) in self._shut:
            return False
        if self._dynamic is not None:
            return self._dynamic
        return (place, axis) in self._opened

    def _open_sizes(self, call: Call, facts: Mapping[Fact, Any]) -> None:
        """Open the sizes that alone keep an earlier form from serving this call."""
        for entry in self.entries:
            wrong = [f for f, expected in entry.guards.items() if facts.get(f) != expected]
            if not all(what.startswith("size ") for _, what in wrong):
                continue
            for place, what in wrong:
                if facts[place, what] not in (0, 1) and entry.guards[place, what] not in (0, 1):
                    self._opened.add((place, int(what.removeprefix("size "))))

    def explain(self) -> Explanation:
        """Say what was compiled, on what each form depends, and why there are several."""
        return Explanation(
            self.name, tuple(self.entries), tuple(self.misses), dict(self.as_written)
        )

    def __reduce__(self) -> Any:
        made = functools.partial(
            compile, passes=self._passes, dynamic=self._dynamic, limit=self._limit,
            ready=self._ready,
        )  # fmt: skip
        return made, (self.fn,)  # a copy makes forms of its own

    def __repr__(self) -> str:
        return f"<compiled {self.name}: {len(self.entries)} forms>"


def compile(  # the builtin of this name is not used here
    fn: Callable[..., Any] | None = None,
    *,
    capture: str = "trace",
    passes: Sequence[Pass] = (),
    fuse: bool = True,
    dynamic: bool | None = None,
    limit: int = LIMIT,
    ready: Callable[[Graph], Executable] = Executable,
) -> Any:
    """Compile a function: trace it for each sort of call, and run the graph.

    Parameters
    ----------
    fn
        A function of Tensors and anything else, or an object that can be called. What it gives
        may be nested. Left out, a decorator is given.
    capture
        How a function becomes a graph: "trace", by running it on values without numbers.
    passes
        Functions from Graph to Graph, applied to each form before it is run.
    fuse
        Whether operators may be joined into one; there is none yet that could be.
    dynamic
        True leaves all sizes open but 0 and 1, False none, None those that change.
    limit
        How many forms are made, before other calls run as the function is written.
    ready
        Makes a graph an executable.

    Returns
    -------
    Compiled
        It is called as fn is; `explain()` says what was done. An array counts as a Tensor without
        gradient, results are Tensors with memory of their own. Tensors that fn finds by itself, in
        globals, closures and objects, are looked up anew in each call; what it writes to in place
        is written to; keys of a Generator are drawn anew. All other effects happen while it is
        traced: a print, an append, a step of an iterator. While it is traced tensors are of other
        classes, so `isinstance(x, Tensor)` says nothing of an argument, nor `type(w) is Tensor` of
        a tensor that fn finds; threads that fn starts compute once.

    Raises
    ------
    OperandError
        fn cannot be called, or a setting is unknown.
    CaptureError
        When called: fn looks at a number of a tensor, as a Python `if` does; or keeps, or changes,
        what would have a number when the graph runs only.

    Examples
    --------
    >>> from cgkit import Tensor, ops
    >>> area = compile(lambda r: r * r * 3.0)
    >>> area(Tensor(2.0)), area(Tensor(3.0))
    (Tensor(12.), Tensor(27.))
    >>> area
    <compiled <lambda>: 1 forms>
    """
    if capture != "trace":
        raise OperandError(f"capture is 'trace', not {capture!r:.40}")
    if fn is None:
        return functools.partial(
            compile, capture=capture, passes=passes, fuse=fuse, dynamic=dynamic, limit=limit,
            ready=ready,
        )  # fmt: skip
    if not callable(fn):
        raise OperandError(f"compile takes a function, not {type(fn).__name__}: {fn!r:.60}")
    if inspect.isgeneratorfunction(fn) or inspect.iscoroutinefunction(fn):
        raise OperandError(
            f"compile takes a function that runs to its end, and {fn!r:.60} stops half-way",
            attempt="a function that gives all results at once, in a list",
        )
    return Compiled(fn, passes=passes, dynamic=dynamic, limit=limit, ready=ready)
