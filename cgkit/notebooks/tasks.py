"""How each task of an assignment stands, read from a notebook that was run.

    executed notebook ──► Task("test_sum", given=0, out_of=5, message="✗ sum ...")
                      └─► Broken("sum", "SyntaxError ...")     cells that do not even run

Points are counted as nbgrader counts them, except that what is no number from zero to the points of
the task gives nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgkit.errors import NotebookError, UsageFault
from cgkit.notebooks.compose import load
from cgkit.notebooks.outputs import html_words, plain_text
from cgkit.notebooks.run import KERNEL_DIED, TIME_LIMIT, Limits, Step, error_of, run

if TYPE_CHECKING:
    from nbformat import NotebookNode

UNWRITTEN = ("NotImplementedError", "NotAnswered")
"""Errors of a task that nobody has begun."""

ANSI = re.compile(r"\x1b\[[0-9;]*m")
LONG_TRACEBACK = re.compile(r"^(-{20,}|Traceback \(most recent call last\))", re.MULTILINE)
PLACE = re.compile(r"Cell In\[(?P<count>\d+)\], line (?P<line>\d+)")


@dataclass(frozen=True)
class Task:
    """One graded cell."""

    name: str
    """Its id in the gradebook."""
    out_of: float
    """Points it can give."""
    given: float = 0
    """Points it gave; 0 for a written answer, which a person reads."""
    message: str = ""
    """What the check said, in plain text."""
    error: str = ""
    """Name of the error that ended it, or ""."""
    by_hand: bool = False
    """Whether the points are given later: by a person, or by hidden tests alone."""

    @property
    def passed(self) -> bool:
        """Whether its check found nothing wrong and gave all its points."""
        return not self.error and self.given == self.out_of


@dataclass(frozen=True)
class Broken:
    """A cell without points that ended in an error."""

    name: str
    """Its id in the gradebook, or the number of the cell."""
    message: str
    """What Python said, with the line."""
    error: str
    """Name of the error."""


@dataclass(frozen=True)
class Report:
    """How a notebook stands."""

    tasks: tuple[Task, ...]
    """All graded cells, in order."""
    broken: tuple[Broken, ...]
    """All other cells that ended in an error, in order."""

    @property
    def given(self) -> float:
        """Points given by checks."""
        return sum(task.given for task in self.tasks if not task.by_hand)

    @property
    def out_of(self) -> float:
        """Points that checks can give."""
        return sum(task.out_of for task in self.tasks if not task.by_hand)


def inspect_notebook(
    path: Path, limits: Limits | None = None, *, step: Step | None = None
) -> Report:
    """Run a copy of a notebook and say how each of its tasks stands.

    Parameters
    ----------
    path
        A notebook of an assignment; it is not written to.
    limits
        When to give up on a cell.
    step
        Told which cell begins.

    Returns
    -------
    Report
        Every task, passed or not.

    Raises
    ------
    UsageFault
        There is no such file.
    NotebookError
        The file is no notebook, or holds no task.
    """
    try:
        notebook = load(path)
    except FileNotFoundError as error:
        raise UsageFault(f"there is no file {path}") from error
    if not any(_role(cell, "grade") for cell in notebook.cells):
        why = "a notebook of an assignment has cells with points; a chapter has none"
        raise NotebookError(f"no task in {path}", why=why)
    return report(run(notebook, path.absolute().parent, limits, step=step))


def report(notebook: NotebookNode) -> Report:
    """Read how the tasks of a notebook stand that was run already."""
    cells = list(notebook.cells)
    counts = {
        cell.execution_count: _title(cell, index)
        for index, cell in enumerate(cells, start=1)
        if cell.get("execution_count")
    }
    return Report(
        tasks=tuple(_task(cell, counts) for cell in cells if _role(cell, "grade")),
        broken=tuple(_broken(cells, counts)),
    )


def _role(cell: NotebookNode, role: str) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get(role, False))


def _name(cell: NotebookNode, index: int) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", f"cell {index}"))


def _title(cell: NotebookNode, index: int) -> str:
    name = _name(cell, index)
    return name if name == f"cell {index}" else f"the cell {name}"


def _number(points: object) -> float:
    return float(points) if isinstance(points, int | float) and math.isfinite(points) else 0.0


def _task(cell: NotebookNode, counts: dict[int, str]) -> Task:
    """Read one graded cell."""
    nbgrader = cell.metadata["nbgrader"]
    name, out_of = str(nbgrader.get("grade_id", "?")), _number(nbgrader.get("points"))
    if _role(cell, "solution") or cell.cell_type != "code":
        return Task(name, out_of, message="read by a person", by_hand=True)
    if not cell.source.strip():
        return Task(name, out_of, message="checked after you hand it in", by_hand=True)
    if error := error_of(cell):
        return Task(name, out_of, message=_message(error, counts), error=str(error.ename))
    if cell.get("execution_count") is None:
        message = "not run, because the kernel stopped in a cell above"
        return Task(name, out_of, message=message, error="NotRun")
    return _counted(cell, name, out_of)


def _counted(cell: NotebookNode, name: str, out_of: float) -> Task:
    """Count the points of a graded cell that ended without an error."""
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            words = f"nothing counts when a check writes to stderr: {output.text.strip()}"
            return Task(name, out_of, message=words, error="Stderr")
    results = [output for output in cell.outputs if output.output_type == "execute_result"]
    if not results:
        return Task(name, out_of, given=out_of)
    plain = str(results[0].data.get("text/plain", ""))
    try:
        given = float(plain)
    except ValueError:
        given = math.nan
    if not 0 <= given <= out_of:
        words = f"the check gave {plain}, which is no number from 0 to {out_of:g}"
        return Task(name, out_of, message=words, error="NoPoints")
    return Task(name, out_of, given, _sentence(results[0].data.get("text/html", "")))


def _sentence(markup: str) -> str:
    """Take the words of a Score from its HTML, without the heading."""
    card = markup.partition("</span>")[2] or markup
    return html_words(card)


def _broken(cells: list[Any], counts: dict[int, str]) -> Iterator[Broken]:
    """Find cells without points that ended in an error other than being unwritten."""
    for index, cell in enumerate(cells, start=1):
        error = error_of(cell) if cell.cell_type == "code" else None
        if error and not _role(cell, "grade") and error.ename not in UNWRITTEN:
            yield Broken(_name(cell, index), _message(error, counts), str(error.ename))


def _message(error: NotebookNode, counts: dict[int, str]) -> str:
    """Say what an error output says: a check's block whole, a traceback in short."""
    text = ANSI.sub("", plain_text(error)).strip("\n")
    if error.ename == "NotImplementedError":
        return f"not written yet{_where(text, counts)}"
    if error.ename in (TIME_LIMIT, KERNEL_DIED):
        return str(error.evalue)
    if not LONG_TRACEBACK.search(text):
        return PLACE.sub(lambda place: f"line {place['line']}", text)
    return f"{error.ename}: {error.evalue}{_where(text, counts)}"


def _where(traceback: str, counts: dict[int, str]) -> str:
    """Name the innermost line of the notebook in a traceback."""
    places = list(PLACE.finditer(traceback))
    if not places:
        return ""
    cell = counts.get(int(places[-1]["count"]), "")
    return f"\n  at line {places[-1]['line']} of {cell}" if cell else ""
