"""Count outcomes: passed and tried for each operator and each reading, and why the rest failed.

    Outcome("add", failed=("gradient",), reason="...")  ─┐
    Outcome("add")                                      ─┴─> Row: 1 of 2, gradient 1 of 2, reasons

An outcome passes when it passes in every reading. What was never tried is an outcome too, failed in
all of them: `not_tried` makes up the difference to what a suite promised.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

NOT_TRIED = "not tried"
LONGEST = 100


@dataclass(frozen=True)
class Outcome:
    """What came of one sample or test."""

    group: str
    """What is tested: an operator, or a file of tests."""
    failed: tuple[str, ...] = ()
    """The readings in which it failed."""
    reason: str = ""
    """Why, in one line; empty when it passed."""
    way: str = field(default="", repr=False)
    """How it was done, where a suite can do it in several ways."""


@dataclass
class Row:
    """The counts of one group."""

    passed: int = 0
    tried: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """How many failed in each reading."""
    reasons: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    """How many passed in which way, where a suite tells."""

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        self.tried += 1
        self.passed += not outcome.failed
        self.failed.update(outcome.failed)
        if outcome.failed:
            self.reasons[grouped(outcome.reason)] += 1
        elif outcome.way:
            self.ways[outcome.way] += 1

    def share(self) -> float:
        """Give which part passed, in percent; of nothing, all.

        Examples
        --------
        >>> Row(3, 4).share()
        75.0
        """
        return 100.0 * self.passed / self.tried if self.tried else 100.0

    def reading(self, name: str) -> int:
        """Count what passed in one reading."""
        return self.tried - self.failed[name]


class Tally:
    """The rows of a suite, in the order in which their groups were met.

    Parameters
    ----------
    readings
        In which ways each sample is looked at; the same for all groups.
    outcomes
        What to count.

    Examples
    --------
    >>> tally = Tally(("forward",), [Outcome("add"), Outcome("add", ("forward",), "3 is not 4")])
    >>> tally.rows["add"].passed, tally.rows["add"].reasons
    (1, Counter({'# is not #': 1}))
    """

    def __init__(self, readings: tuple[str, ...], outcomes: Iterable[Outcome] = ()) -> None:
        self.readings = readings
        self.rows: dict[str, Row] = {}
        for outcome in outcomes:
            self.rows.setdefault(outcome.group, Row()).add(outcome)

    def total(self) -> Row:
        """Give the sum of all rows."""
        total = Row()
        for row in self.rows.values():
            total.passed += row.passed
            total.tried += row.tried
            total.failed.update(row.failed)
            total.reasons.update(row.reasons)
            total.ways.update(row.ways)
        return total


def grouped(reason: str) -> str:
    """Give a reason without its numbers, so that like ones are counted together.

    Examples
    --------
    >>> grouped("at (0, 12): 1.5e-07 is not 2")
    'at (#): # is not #'
    >>> grouped("cgkit.errors.DtypeError: conv2d takes no array([[1.0, 2.0],")
    'DtypeError: conv2d takes no array(...)'
    """
    line = reason.strip().splitlines()[0] if reason.strip() else ""
    line = re.sub(r"\barray\(.*", "array(...)", re.sub(r"\bcgkit\.errors\.", "", line))
    line = re.sub(r"(?<![\w.])[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(?![\w])", "#", line)
    line = re.sub(r"#(, ?#)*,?(?=\))|#(, ?#)+", "#", line)
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def not_tried(group: str, readings: tuple[str, ...], number: int, why: str = "") -> list[Outcome]:
    """Make outcomes for what a suite promised and nobody tried.

    Examples
    --------
    >>> not_tried("add", ("forward",), 1, "no samples")
    [Outcome(group='add', failed=('forward',), reason='not tried: no samples')]
    """
    reason = f"{NOT_TRIED}: {why}" if why else NOT_TRIED
    return [Outcome(group, readings, reason)] * number
