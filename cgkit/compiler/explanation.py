"""What `explain` says: the forms of a compiled function, and why there are several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cgkit.cost import cost
from cgkit.types import Dim


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
    eager_calls: int
    """How many calls ran as the function is written, because there were too many forms."""

    def __str__(self) -> str:
        lines = [f"{self.name}: {_count(len(self.entries), 'form')}"]
        for number, entry in enumerate(self.entries, 1):
            lines += [f"form {number}, called {_count(entry.calls, 'time')}", *_form(entry)]
        for miss in self.misses:
            for reason in miss.reasons:
                lines.append(f"form {miss.form} was made because  {reason}")
        if self.eager_calls:
            calls = _count(self.eager_calls, "call")
            lines.append(f"{calls} ran as written: too many forms")
        return "\n".join(lines)

    __repr__ = __str__


def _form(entry: Any) -> list[str]:
    graph = entry.graph
    takes = [f"{e.node.name or 'captured'}: {e.type}" for e in graph.inputs]
    work = cost(graph).flops
    return [
        f"  takes    {', '.join(takes) or 'no tensor'}",
        f"  runs     {_count(entry.executable.launches, 'operator')}, {_count(work, 'FLOP')}; "
        f"{_count(entry.executable.allocated, 'array')} allocated in the last run",
        *(f"  changes  {place}, but only while it is traced" for place in entry.changed),
        *(f"  asks     {look} is {look.answer}" for look in entry.traced.looks),
        *(
            f"  depends  {place}: {what} {expected}"
            for (place, what), expected in entry.guards.items()
            if what == "value" or place == "grad mode"
        ),
    ]


def _count(number: Any, thing: str) -> str:
    """Count things in words; a size that is open is many."""
    if isinstance(number, Dim):
        return f"{number} {thing}s"
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
