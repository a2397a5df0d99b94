"""What `explain` says: the forms of a compiled function, and why there are several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cgkit.cost import cost
from cgkit.types import Dim
from cgkit.words import counted


@dataclass(frozen=True)
class Miss:
    """A call that no form served."""

    form: int
    """The number of the form that was made for it, from 1."""
    reasons: tuple[str, ...]
    """What kept the nearest earlier form from serving; nothing for the first."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """An account of a compiled function, to be read."""

    name: str
    entries: tuple[Any, ...]
    misses: tuple[Miss, ...]
    as_written: Mapping[str, int]
    """Why calls ran as the function is written, and how many."""

    def __str__(self) -> str:
        lines = [f"{self.name}: {counted(len(self.entries), 'form')}"]
        for number, entry in enumerate(self.entries, 1):
            lines += [f"form {number}, called {counted(entry.calls, 'time')}", *_form(entry)]
        for miss in self.misses:
            for reason in miss.reasons:
                lines.append(f"form {miss.form} was made because  {reason}")
        if self.eager_calls:
            calls = counted(self.eager_calls, "call")
            lines.append(f"{calls} ran as written: too many forms")
        return "\n".join(lines)

    __repr__ = __str__


def _form(entry: Any) -> list[str]:
    graph = entry.graph
    takes = [f"{e.node.name or 'captured'}: {e.type}" for e in graph.inputs]
    work = cost(graph).flops
    return [
        f"  takes    {', '.join(takes) or 'no tensor'}",
        f"  runs     {counted(entry.executable.launches, 'operator')}, {_flops(work)}; "
        f"{counted(entry.executable.allocated, 'array')} allocated in the last run",
        *(f"  changes  {place}, but only while it is traced" for place in entry.changed),
        *(f"  asks     {look} is {look.answer}" for look in entry.traced.looks),
        *(
            f"  depends  {place}: {what} {expected}"
            for (place, what), expected in entry.guards.items()
            if what == "value" or place == "grad mode"
        ),
    ]


def _flops(work: int | Dim) -> str:
    return f"{work} FLOPs" if isinstance(work, Dim) else counted(work, "FLOP")
