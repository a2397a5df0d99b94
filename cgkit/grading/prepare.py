"""What is the same for every student, done once: given cells outside, tests that read no answer.

    prepare(master) ──► Prepared(names, steady)      then `lightened(plan)` leaves them out

A given cell is *steady* when it reads nothing of a student's and nothing that could have been
changed by a cell that does, and when what it binds is bound by it alone. Steady cells are run once
in the lane, with the same random numbers in any lane; each judge, being a fork, has their names.
They still run inside for each student.

A test cell is *constant* when it reads nothing but steady names: it gives everybody what it gave to
the reference.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cgkit.grading.master import Master, MasterCell
from cgkit.grading.names import bound, read
from cgkit.grading.rebuild import Plan
from cgkit.grading.result import CellResult, Result

BY_TEXT = frozenset(
    ("eval", "exec", "compile", "globals", "locals", "vars", "dir", "__import__", "__builtins__")
)
"""What reads names that do not stand in a cell as names; such a cell may read an answer."""


@dataclass(frozen=True)
class Prepared:
    """What needs no doing again."""

    names: Mapping[str, Any] = field(default_factory=dict)
    """Bound by steady cells."""
    steady: frozenset[str] = frozenset()
    """Ids of given cells that need not run outside again."""
    constant: frozenset[str] = frozenset()
    """Ids of test cells that read no answer."""
    results: Mapping[str, CellResult] = field(default_factory=dict)
    """What the constant ones gave."""

    @property
    def done(self) -> frozenset[str]:
        """Ids of cells that give everybody the same."""
        return self.steady | self.constant

    def lightened(self, plan: Plan) -> Plan:
        """Give a plan whose steady cells run inside only."""
        cells = tuple(
            replace(cell, live=False) if cell.cell in self.steady else cell for cell in plan.cells
        )
        return replace(plan, cells=cells)

    def with_results(self, reference: Result) -> Prepared:
        """Give what is prepared, with the results of constant test cells."""
        results = {cell.cell: cell for cell in reference.cells if cell.cell in self.constant}
        return replace(self, results=results)


def prepare(master: Master) -> Prepared:
    """Run the steady cells of an assignment, in this process.

    Parameters
    ----------
    master
        The assignment; its given cells are trusted.
    """
    steady = _steady(master)
    random.seed(0)
    np.random.seed(0)
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    for cell in steady:
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            exec(compile(cell.source, f"<cell {cell.cell}>", "exec"), names)
    known = frozenset(names) | frozenset(vars(builtins))
    constant = frozenset(cell.cell for cell in master.cells if _is_constant(cell, master, known))
    return Prepared(names, frozenset(cell.cell for cell in steady), constant)


def _is_constant(cell: MasterCell, master: Master, known: frozenset[str]) -> bool:
    """Tell whether a test cell reads nothing but known names, and binds nothing for others."""
    names = bound(cell.source)
    if cell.role != "test" or not read(cell.source) <= (known | names) - BY_TEXT:
        return False
    others = [read(one.source) for one in master.cells if one.cell != cell.cell]
    return not names & master.exported and not any(names & used for used in others)


def rehearse(master: Master, prepared: Prepared) -> None:
    """Run the author's own answers and tests in this process, for what it leaves in memory.

    Packages that checks load lazily are loaded then, and the cases that they draw are drawn: each
    judge, being a fork, finds them there.

    Parameters
    ----------
    master
        The assignment; all of it is trusted here.
    prepared
        From `prepare`; what it holds may be changed by tests, so prepare anew afterwards.
    """
    names = dict(prepared.names)
    for cell in master.cells:
        if cell.role not in ("given", "solution", "test") or cell.cell in prepared.done:
            continue
        quiet = io.StringIO()
        with (
            contextlib.redirect_stdout(quiet),
            contextlib.redirect_stderr(quiet),
            contextlib.suppress(Exception),  # whatever is wrong is said by the reference run
        ):
            exec(compile(cell.source, f"<cell {cell.cell}>", "exec"), names)


def _steady(master: Master) -> list[MasterCell]:
    """Find the given cells that come out the same for everybody."""
    runs = [cell for cell in master.cells if cell.role in ("given", "test")]
    times = Counter(name for cell in runs for name in bound(cell.source))
    loose = set(master.exported)
    steady = []
    for cell in runs:
        alone = all(times[name] == 1 for name in bound(cell.source))
        if cell.role == "given" and alone and not read(cell.source) & (loose | BY_TEXT):
            steady.append(cell)
        else:
            loose |= bound(cell.source)
    return steady
