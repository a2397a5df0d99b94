"""The instructor's notebook as cells with one role each, and as what students received.

    read_master({"cells": [...]}) ──► Master(cells, exported)

    given      locked code: runs inside and outside      solution   the student's, defines names
    plain      unlocked code: the student's own copy     test       runs outside, gives points
    written    read by a person                          text       words

Invariant: a name is exported when a solution cell of the instructor's binds it; nothing else of a
student's can be seen by a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from cgkit.cells import REGION
from cgkit.errors import NotebookError
from cgkit.grading.names import bound

Role: TypeAlias = Literal["given", "plain", "solution", "test", "written", "text"]

STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
WRITTEN_STUB = "YOUR ANSWER HERE"
_LIMIT = re.compile(r"^# limit: (\d+) seconds$", re.MULTILINE)


@dataclass(frozen=True)
class MasterCell:
    """One cell of the assignment."""

    cell: str
    """nbgrader's name for it, or the notebook's."""
    cell_id: str
    role: Role
    source: str
    """With the answer and the hidden tests, without the marks around them."""
    released: str
    """What students received."""
    points: float = 0.0
    limit: float = 0.0
    """Seconds it may take by its own word, or 0."""

    @property
    def kind(self) -> str:
        """``"code"`` or ``"markdown"``."""
        return "markdown" if self.role in ("written", "text") else "code"


@dataclass(frozen=True)
class Master:
    """An assignment as its author wrote it."""

    cells: tuple[MasterCell, ...]
    exported: frozenset[str]
    """Names that solution cells bind."""


def read_master(notebook: Mapping[str, Any]) -> Master:
    """Read the source notebook of an assignment.

    Parameters
    ----------
    notebook
        Format 4, as JSON holds it, with answers and hidden tests.

    Raises
    ------
    NotebookError
        Two cells share a name, or it is no notebook.
    """
    try:
        cells = tuple(_cell(cell, place) for place, cell in enumerate(notebook["cells"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NotebookError("the assignment is no notebook", why=repr(error)) from error
    names = [cell.cell for cell in cells]
    twins = {name for name in names if names.count(name) > 1}
    if twins:
        raise NotebookError(f"two cells of the assignment are named {', '.join(sorted(twins))}")
    exported = {name for cell in cells if cell.role == "solution" for name in bound(cell.source)}
    return Master(cells, frozenset(exported))


def answered(master: Master) -> dict[str, Any]:
    """Give the notebook that a student would hand in who gave the author's own answers."""
    return _notebook(master, lambda cell: cell.source)


def unanswered(master: Master) -> dict[str, Any]:
    """Give the notebook that students received."""
    return _notebook(master, lambda cell: cell.released)


def _notebook(master: Master, text: Any) -> dict[str, Any]:
    cells = [
        {
            "cell_type": cell.kind,
            "id": cell.cell_id,
            "metadata": {"nbgrader": {"grade_id": cell.cell, "schema_version": 3}},
            "source": cell.released if cell.role == "test" else text(cell),
        }
        for cell in master.cells
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def _cell(cell: Mapping[str, Any], place: int) -> MasterCell:
    nbgrader = cell.get("metadata", {}).get("nbgrader", {})
    source = cell["source"]
    text = "".join(source) if isinstance(source, list) else str(source)
    cell_id = str(cell.get("id") or f"cell{place}")
    role = _role(cell["cell_type"], nbgrader)
    limit = _LIMIT.search(text)
    return MasterCell(
        cell=str(nbgrader.get("grade_id") or cell_id),
        cell_id=cell_id,
        role=role,
        source=unmarked(text.splitlines()),
        released=released(text.splitlines(), role),
        points=float(nbgrader.get("points", 0)) if role in ("test", "written") else 0.0,
        limit=float(limit[1]) if limit else 0.0,
    )


def _role(kind: str, nbgrader: Mapping[str, Any]) -> Role:
    if kind != "code":
        return "written" if nbgrader.get("solution") or nbgrader.get("task") else "text"
    if nbgrader.get("solution"):
        return "written" if nbgrader.get("grade") else "solution"
    if nbgrader.get("grade"):
        return "test"
    return "given" if nbgrader.get("locked") else "plain"


def unmarked(lines: Iterable[str]) -> str:
    """Leave out the marks around answers and hidden tests.

    Examples
    --------
    >>> unmarked(["### BEGIN SOLUTION", "a = 1", "### END SOLUTION"])
    'a = 1'
    """
    return "\n".join(line for line in lines if not REGION.fullmatch(line))


def released(lines: Iterable[str], role: Role) -> str:
    """Give the text that students received, as nbgrader makes it.

    Examples
    --------
    >>> text = ["def f():", "    ### BEGIN SOLUTION", "    return 1", "    ### END SOLUTION"]
    >>> print(released(text, "solution"))
    def f():
        # YOUR CODE HERE
        raise NotImplementedError()
    """
    kept: list[str] = []
    inside = ""
    for line in lines:
        edge = REGION.fullmatch(line)
        if edge is None:
            kept += [] if inside else [line]
        elif edge["edge"] == "END":
            inside = ""
        else:
            inside = edge["name"]
            if inside == "SOLUTION":
                indent = line[: len(line) - len(line.lstrip())]
                stub = STUB if role == "solution" else WRITTEN_STUB
                kept += [indent + part for part in stub.split("\n")]
    return "\n".join(kept)
