"""What `explain` says: the forms of a compiled function, and why there are several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cgkit.cost import cost
from cgkit.types import Dim
from cgkit.words import counted

SHOWN = 40
"""How many values that a form depends on are listed."""


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
        for why, number in self.as_written.items():
            lines.append(f"{counted(number, 'call')} ran as written: {why}")
        return "\n".join(lines)

    __repr__ = __str__


def _form(entry: Any) -> list[str]:
    graph = entry.graph
    named = zip(entry.takes, graph.inputs, strict=True)
    takes = [f"{name or 'a tensor'}: {edge.type}" for name, edge in named]
    depends = [
        f"  depends  {place}: {what} {expected}"
        for (place, what), expected in entry.guards.items()
        if what == "value" or place == "grad mode"
    ]
    more = len(depends) - SHOWN
    work = cost(graph).flops
    return [
        f"  takes    {', '.join(takes) or 'no tensor'}",
        f"  runs     {counted(entry.executable.launches, 'operator')}, {_flops(work)}; "
        f"{counted(entry.executable.allocated, 'array')} allocated in the last run",
        *(f"  changes  {place}, but only while it is traced" for place in entry.changed),
        *(f"  asks     {look} is {look.answer}" for look in entry.traced.looks),
        *depends[:SHOWN],
        *([f"  depends  and on {more} other values"] if more > 0 else []),
    ]


def _flops(work: int | Dim) -> str:
    return f"{work} FLOPs" if isinstance(work, Dim) else counted(work, "FLOP")
