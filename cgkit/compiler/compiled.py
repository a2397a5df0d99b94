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
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cgkit.compiler.entry import Entry
from cgkit.compiler.executable import Executable
from cgkit.compiler.explanation import Explanation, Miss
from cgkit.compiler.facts import Call, Fact, call_of, facts_of
from cgkit.compiler.reads import reads_of
from cgkit.compiler.tracing import trace_call
from cgkit.errors import CompileWarning, OperandError
from cgkit.graph import Graph
from cgkit.symbolic import Value

Pass = Callable[[Graph], Graph]
LIMIT = 8
"""How many forms of a function are made; then it runs as it is written."""


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
        self.eager_calls = 0
        self._signature = inspect.signature(fn)
        self._passes = tuple(passes)
        self._dynamic = dynamic
        self._limit = limit
        self._ready = ready
        self._opened: set[tuple[str, int]] = set()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do what the function does."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        call = call_of(bound.arguments)
        if any(isinstance(leaf, Value) for leaf in call.leaves):
            return self.fn(*args, **kwargs)  # it is traced already, as a part of another
        facts = {**facts_of(call), **reads_of(self.fn)}
        if any(what == "device" and value != "cpu" for (_, what), value in facts.items()):
            return self.fn(*args, **kwargs)  # operators say where each operand lies
        reasons: list[list[str]] = []
        for entry in self.entries:
            wrong = entry.failures(call, facts)
            if not wrong:
                return entry(call)
            reasons.append(wrong)
        if len(self.entries) >= self._limit:
            return self._as_written(reasons, args, kwargs)
        return self._compiled(call, facts, reasons)(call)

    def _as_written(self, reasons: Sequence[Sequence[str]], args: Any, kwargs: Any) -> Any:
        if not self.eager_calls:
            nearest = min(reasons, key=len)
            warnings.warn(
                f"{self.name} has {len(self.entries)} compiled forms, the most that are made; "
                f"from now on other calls run as it is written. The last one: {nearest[0]}",
                CompileWarning,
                stacklevel=3,
            )
        self.eager_calls += 1
        return self.fn(*args, **kwargs)

    def _compiled(
        self, call: Call, facts: Mapping[Fact, Any], reasons: Sequence[Sequence[str]]
    ) -> Entry:
        """Trace the function for calls of this sort."""
        self._open_sizes(call, facts)
        traced = trace_call(self.fn, self._signature, call, self._is_open)
        open_facts = {
            (call.places[i], f"size {axis}") for spots in traced.sizes.values() for i, axis in spots
        }
        # what tracing itself has changed is an effect of the function, not a reason to trace again
        read = reads_of(self.fn)
        effects = {fact for fact, value in facts.items() if read.get(fact, value) != value}
        guards = {f: value for f, value in facts.items() if f not in open_facts | effects}
        graph = traced.graph
        for act in self._passes:
            graph = act(graph)
        changed = tuple(sorted({place for place, _ in effects}))
        entry = Entry(traced, graph, guards, self.name, self._ready, changed)
        self.entries.append(entry)
        nearest: Sequence[str] = min(reasons, key=len) if reasons else ()
        self.misses.append(Miss(len(self.entries), tuple(nearest)))
        return entry

    @property
    def name(self) -> str:
        """What messages call the function."""
        name: str = getattr(self.fn, "__name__", type(self.fn).__name__)
        return name

    def _is_open(self, place: str, axis: int) -> bool:
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
        return Explanation(self.name, tuple(self.entries), tuple(self.misses), self.eager_calls)

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
        It is called as fn is; `explain()` says what was done.

    Raises
    ------
    OperandError
        fn cannot be called, or a setting is unknown.
    CaptureError
        When called: fn looks at a number of a tensor, as a Python `if` does.

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
    return Compiled(fn, passes=passes, dynamic=dynamic, limit=limit, ready=ready)
