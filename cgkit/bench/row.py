"""What is measured: a row, its peers, its sizes, and what equal outputs are.

    Row ─┬─ peers: Peer("cgkit", ours), Peer("torch", theirs), ...   the first is ours
         ├─ sizes: "2x3", ...                                         what the set-ups are given
         └─ agree: what is wrong with a peer's outputs, or nothing

    a set-up, called with a size in its peer's own process, gives Work: run it, read what it gave

A set-up is a plain function of a module, since only its name crosses to the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from cgkit.words import counted

Form = Literal["allocating", "reusing"]
"""Whether results lie in fresh memory, or in memory that was given: out=, donated, in place."""
Size = Mapping[str, Any]
"""What a set-up is called with: names and values that JSON can write."""
Outputs = Mapping[str, np.ndarray]
SetUp = Callable[..., "Work"]
THREADS = (2, 1)


@dataclass(frozen=True)
class Work:
    """What a peer has made ready.

    Examples
    --------
    >>> work = Work(run=lambda: 1.0 + 1.0, read=lambda result: {"sum": np.asarray(result)})
    >>> work.read(work.run())
    {'sum': array(2.)}
    """

    run: Callable[[], Any]
    """Does it once; this is what is timed."""
    read: Callable[[Any], Mapping[str, Any]]
    """Turns what one run gave into named arrays, to be compared."""
    seconds: Callable[[Any], float] | None = None
    """Where a run times itself: how long it says that it took."""


@dataclass(frozen=True)
class Peer:
    """Somebody who does the work of a row.

    Raises
    ------
    ValueError
        A set-up cannot be found by its name from another process.

    Examples
    --------
    >>> Peer("torch", allocating=Peer, package="torch").forms
    {'allocating': <class 'cgkit.bench.row.Peer'>}
    """

    name: str
    allocating: SetUp | None = None
    """Makes ready the form whose results lie in fresh memory."""
    reusing: SetUp | None = None
    """Makes ready the form that writes into memory which was given to it."""
    package: str = ""
    """The package it needs; nothing for what comes with Python."""

    def __post_init__(self) -> None:
        for form, set_up in self.forms.items():
            if "<" in set_up.__qualname__:
                raise ValueError(
                    f"the {form} set-up of {self.name} is no function of a module, "
                    "so another process cannot find it by its name"
                )

    @property
    def forms(self) -> dict[Form, SetUp]:
        """The set-ups it has."""
        both: dict[Form, SetUp | None] = {"allocating": self.allocating, "reusing": self.reusing}
        return {form: set_up for form, set_up in both.items() if set_up is not None}


@dataclass(frozen=True)
class Row:
    """One thing to measure.

    Examples
    --------
    >>> row = Row("sum", "adding up", (), {"small": {"n": 3}}, agree=lambda *_: "", threads=(1,))
    >>> [case.title for case in row.cases()]
    ['small']
    """

    name: str
    what: str
    """What is measured, in half a sentence."""
    peers: tuple[Peer, ...]
    """Who does it; the first is ours."""
    sizes: Mapping[str, Size]
    """The sizes by name; neighbors of the one that counts are among them."""
    agree: Callable[[Outputs, Outputs, Size], str]
    """`agree(ours, theirs, size)` says what is wrong with their outputs, or nothing."""
    target: str = ""
    """What is aimed at, in words: told beside the figures, never judged."""
    threads: tuple[int, ...] = THREADS
    """With how many threads it is measured, one after the other."""
    remark: Callable[[Mapping[str, float]], str] | None = None
    """What the medians, by peer, say beyond their ratios."""

    @property
    def ours(self) -> Peer:
        """Who the others are compared with."""
        return self.peers[0]

    def cases(self, threads: Sequence[int] = ()) -> Iterator[Case]:
        """Walk over its sizes, each with each number of threads."""
        for count in [count for count in self.threads if not threads or count in threads]:
            for size in self.sizes:
                yield Case(self, size, count)


@dataclass(frozen=True)
class Case:
    """A row at one size, with so many threads."""

    row: Row
    size: str
    threads: int

    @property
    def title(self) -> str:
        """What tells it from the other cases of its row."""
        if len(self.row.threads) == 1:
            return self.size
        return f"{self.size}, {counted(self.threads, 'thread')}"

    @property
    def values(self) -> Size:
        """What the set-ups are called with."""
        return self.row.sizes[self.size]


def address(set_up: SetUp) -> str:
    """Name a set-up so that another process finds it.

    Examples
    --------
    >>> address(address)
    'cgkit.bench.row:address'
    """
    return f"{set_up.__module__}:{set_up.__qualname__}"
