"""Results that need not be found again.

    key_for(raw, student, ...)  ──►  "3f0c..."
    Kept(folder).get("ada", "01_graphs", key)  ──►  Result, or None
    Kept(folder).put("ada", "01_graphs", key, result)

A key sums up all that decides a result: the bytes handed in, the assignment with its hidden tests,
the files of cgkit that grade it, Python and packages, the fence, the limits, and the secret behind
the seeds. One file for
each submission, written whole; a file that is damaged or of another key counts as not there.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cgkit.files import write_whole
from cgkit.grading.edition import GUEST
from cgkit.grading.evidence import called_as
from cgkit.grading.master import Master
from cgkit.grading.names import read
from cgkit.grading.policy import Behavior, Policy
from cgkit.grading.reach import TOP, imports_in, reached
from cgkit.grading.result import Result, from_body, to_body
from cgkit.grading.settings import edition_of

GRADING = ("cgkit.grading.lane", "cgkit.grading.workers")
"""Where the ways to a mark begin."""
FORM = 2
"""Raised whenever stored results would be read in another way."""


def digest(*parts: bytes | str) -> str:
    """Sum up some parts; where one ends matters.

    Examples
    --------
    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()


def environment(modules: Iterable[str] = ()) -> str:
    """Sum up what does the grading: files of cgkit, Python, packages, the machine.

    Parameters
    ----------
    modules
        Those of cgkit that the assignment's cells import. With what grades, and what runs inside,
        they decide a mark; a file that none of them reaches does not.
    """
    import numpy as np

    parts: list[bytes | str] = [str(FORM), sys.version, np.__version__, platform.machine()]
    inside = [f"cgkit.{name.removesuffix('.py').replace('/', '.')}" for name in GUEST]
    for path in (*reached([*GRADING, *inside, *modules]), TOP / "requirements.lock"):
        if path.is_file():
            parts += [path.relative_to(TOP).as_posix(), path.read_bytes()]
    return digest(*parts)


def modules_of(master: Master) -> set[str]:
    """Name the modules of cgkit that the cells of an assignment stand on.

    What a given cell imports to show pictures, and no test reads, decides no mark.
    """
    code = [cell for cell in master.cells if cell.kind == "code"]
    read_by_tests = {name for cell in code if cell.role == "test" for name in read(cell.source)}
    found = {name.partition(":")[0] for name in edition_of(master).names}
    known = called_as(cell.source for cell in code if cell.role == "given")
    shows = {name for name, what in known.items() if what.startswith("cgkit.render")}
    for cell in code:
        unread = cell.role == "given" and not shows & read_by_tests
        names = imports_in(cell.source)
        found |= {name for name in names if not (unread and name.startswith("cgkit.render"))}
    return found


@dataclass(frozen=True)
class Learned:
    """What the reference run of an assignment taught."""

    policy: Policy
    reference: Result


@dataclass(frozen=True)
class Kept:
    """A folder of results.

    Parameters
    ----------
    folder
        Made when something is put into it.
    """

    folder: Path

    def get(self, student: str, assignment: str, key: str) -> Result | None:
        """Give the result with this key, or None."""
        body = self._read(self._place(student, assignment), key)
        try:
            return from_body(body["result"]) if body else None
        except (KeyError, TypeError, AttributeError):
            return None

    def put(self, student: str, assignment: str, key: str, result: Result) -> None:
        """Store a result in the place of the last one."""
        body = {"key": key, "result": to_body(result)}
        self._write(self._place(student, assignment), body)

    def learned(self, assignment: str, key: str) -> Learned | None:
        """Give what was learned from the reference, or None."""
        body = self._read(self._lesson(assignment), key)
        try:
            return learned_from(body["learned"]) if body else None
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def put_learned(self, assignment: str, key: str, learned: Learned) -> None:
        """Store what was learned from the reference."""
        self._write(self._lesson(assignment), {"key": key, "learned": learned_body(learned)})

    def _lesson(self, assignment: str) -> Path:
        return self.folder / assignment / "reference.json"

    def _place(self, student: str, assignment: str) -> Path:
        # not the student's name itself: it may be too long for a file, or ".."
        return self.folder / assignment / f"{digest(student)[:24]}.json"

    def _read(self, path: Path, key: str) -> dict[str, Any] | None:
        try:
            body = json.loads(path.read_bytes())
        except (OSError, ValueError):
            return None
        return body if isinstance(body, dict) and body.get("key") == key else None

    def _write(self, path: Path, body: Mapping[str, Any]) -> None:
        write_whole(path, json.dumps(body))


def learned_body(learned: Learned) -> dict[str, Any]:
    """Give what was learned as JSON can hold it."""
    behaviors = {
        name: [sorted(one.kinds), sorted(one.changes)]
        for name, one in learned.policy.behaviors.items()
    }
    seconds = dict(learned.policy.seconds)
    return {"behaviors": behaviors, "seconds": seconds, "reference": to_body(learned.reference)}


def learned_from(body: Mapping[str, Any]) -> Learned:
    """Read what `learned_body` gave."""
    behaviors = {
        name: Behavior(frozenset(kinds), frozenset(changes))
        for name, (kinds, changes) in body["behaviors"].items()
    }
    seconds = {name: float(one) for name, one in body["seconds"].items()}
    return Learned(Policy(behaviors, seconds), from_body(body["reference"]))
