"""What grading one submission gives: frozen, plain, and the same whoever graded it.

    Result(student="ada", cells=(CellResult("test_mean", 5, 5, ...), ...), notes=(...), flags=(...))

Results are compared and stored: everything in them but the times is decided by the submission, the
assignment and the secret alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Flag:
    """Something for a teacher to look at; never a mark by itself."""

    what: str
    """What kind of thing, in a few words."""
    evidence: str
    """The line, the file, the call."""
    where: str = ""
    """The cell, or "" for the whole file."""
    how: str = "text"
    """``"text"`` when it stands in the code, ``"run"`` when it was seen to happen."""


@dataclass(frozen=True)
class CellResult:
    """How one cell of the assignment came out."""

    cell: str
    """Its id."""
    kind: str
    """``"test"``, ``"solution"``, ``"given"`` or ``"extra"``."""
    score: float = 0.0
    """Points given; 0 for cells that give none."""
    out_of: float = 0.0
    """Points that can be had."""
    message: str = ""
    """What a check says to the student."""
    printed: str = ""
    """What the student's code wrote to stdout."""
    warned: str = ""
    """What it wrote to stderr."""
    error: str = ""
    """Name of the error that ended the cell, or ""."""
    by_hand: str = ""
    """Why a person must look before the score counts, or ""."""
    seconds: float = field(default=0.0, compare=False)
    """How long it took."""


@dataclass(frozen=True)
class Result:
    """How one submission came out."""

    student: str
    cells: tuple[CellResult, ...] = ()
    notes: tuple[str, ...] = ()
    """What did not match the assignment, in sentences."""
    flags: tuple[Flag, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    """For each cell that students write, and each cell of their own, the text that was graded."""
    label: str = ""
    """``"UNSANDBOXED"`` or ``"ONE FENCE"`` where a fence was missing."""
    failed: str = ""
    """Why nothing could be graded, or ""; all scores are 0 then, and a person must look."""
    forks: int = field(default=0, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def score(self) -> float:
        """Points given by checks."""
        return sum(cell.score for cell in self.cells)

    @property
    def out_of(self) -> float:
        """Points that checks can give."""
        return sum(cell.out_of for cell in self.cells)

    def by_cell(self) -> dict[str, CellResult]:
        """Give the results by the id of their cell."""
        return {cell.cell: cell for cell in self.cells}


def to_body(result: Result) -> dict[str, Any]:
    """Give a result as JSON can hold it.

    Examples
    --------
    >>> from_body(to_body(Result("ada", notes=("renamed",)))).notes
    ('renamed',)
    """
    return dataclasses.asdict(result)


def from_body(body: Mapping[str, Any]) -> Result:
    """Read a result that `to_body` gave, after its way through JSON or not."""
    cells = tuple(CellResult(**cell) for cell in body["cells"])
    flags = tuple(Flag(**flag) for flag in body["flags"])
    return Result(**{**body, "cells": cells, "flags": flags, "notes": tuple(body["notes"])})
