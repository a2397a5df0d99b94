"""How each task of an assignment stands, read from a notebook that was run.

    executed notebook ──► Task("test_sum", given=0, out_of=5, message="✗ sum ...")
                      └─► Broken("sum", "SyntaxError ...")     cells that do not even run

Points are counted as nbgrader counts them, except that what is no number from zero to the points of
the task gives nothing.
"""

from __future__ import annotations

import ast
import html
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgkit.errors import NotebookError, UsageFault
from cgkit.notebooks.compose import load
from cgkit.notebooks.handout import Handout, hand_out
from cgkit.notebooks.outputs import html_words, plain_text
from cgkit.notebooks.run import EXIT, KERNEL_DIED, TIME_LIMIT, Limits, Step, error_of, run
from cgkit.score import heading, indented

if TYPE_CHECKING:
    from nbformat import NotebookNode

UNTOUCHED = "YOUR ANSWER HERE"
"""What stands in a written answer that nobody has begun."""
UNWRITTEN = ("NotImplementedError", "NotAnswered")
"""Errors of a task that nobody has begun."""

ANSI = re.compile(r"\x1b\[[0-9;]*m")
LONG_TRACEBACK = re.compile(r"^(-{20,}|Traceback \(most recent call last\))", re.MULTILINE)
CARD = re.compile(
    r"<div class='cgkit-score'.*?<strong>(?P<sign>.) (?P<task>.*?)</strong>"
    r"<span[^>]*>(?P<points>.*?)</span>(?P<words>.*)</div>",
    re.DOTALL,
)
"""What `cgkit.score.Score` shows in a notebook."""
NO_NAME = re.compile(r"name '(\w+)' is not defined")
FIRST = 40
"""Letters of a cell's first line that are shown in place of a name."""
LEFT = "raise NotImplementedError() still stands below the answer: take it away, or Run All stops"
CHANGED = "this check cell was changed, so it counts nothing; take a fresh copy of the assignment"
LOST = "this check cell is missing; take a fresh copy of the assignment, with your answers in it"
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
    """Its id in the gradebook, or the first line of the cell."""
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
    notes: tuple[str, ...] = ()
    """What was odd about the notebook, and cost nothing."""

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
    handout = hand_out(path, notebook)
    if not any(_role(cell, "grade") for cell in handout.notebook.cells):
        why = "a notebook of an assignment has cells with points; a chapter has none"
        raise NotebookError(f"no task in {path}", why=why)
    found = report(run(handout.notebook, path.absolute().parent, limits, step=step))
    tasks = [*_believed(found.tasks, handout), *_lost(handout)]
    return replace(found, tasks=tuple(tasks), notes=(*handout.notes, *found.notes))


def _believed(tasks: Iterable[Task], handout: Handout) -> Iterator[Task]:
    """Give nothing for a check cell that says another thing than what was handed out."""
    for task in tasks:
        if task.name in handout.changed:
            task = Task(task.name, task.out_of, message=CHANGED, error="Changed")
        yield task


def _lost(handout: Handout) -> Iterator[Task]:
    for name, points in handout.lost:
        yield Task(name, points, message=LOST, error="Missing")


def report(notebook: NotebookNode) -> Report:
    """Read how the tasks of a notebook stand that was run already."""
    cells = list(notebook.cells)
    counts = {cell.execution_count: _title(cell) for cell in cells if cell.get("execution_count")}
    tasks = {id(cell): _task(cell, counts) for cell in cells if _role(cell, "grade")}
    return Report(
        tasks=tuple(_shortened(tasks.values())),
        broken=tuple(_broken(cells, counts)),
        notes=tuple(_left_over(cells, tasks)),
    )


def _shortened(tasks: Iterable[Task]) -> Iterator[Task]:
    """Say once that a name is missing or taken, however many checks need it."""
    told: dict[str, str] = {}
    for task in tasks:
        name, what = _lacking(task)
        if not name:
            yield task
        elif name in told:
            yield replace(task, message=f"{name} is missing here too, as in {told[name]}")
        else:
            told[name] = task.name
            yield replace(task, message=f"{name} {what}")


def _lacking(task: Task) -> tuple[str, str]:
    """Name what the cell of a check itself does not find, and say why."""
    if not task.message.endswith(f" of the cell {task.name}"):
        return "", ""
    if task.error == "NameError" and (name := NO_NAME.search(task.message)):
        return name[1], "is not there: the cell that makes it does not run, or is missing"
    if task.error == "AttributeError" and f"'{task.name.removeprefix('test_')}'\n" in task.message:
        return "check", "is no longer what it was: a cell above gives another value to this name"
    return "", ""


def _left_over(cells: Sequence[Any], tasks: Mapping[int, Task]) -> Iterator[str]:
    """Find answers that count, in cells that still end like a stub."""
    stub = None
    for cell in cells:
        if _role(cell, "solution") and cell.cell_type == "code":
            error = error_of(cell)
            stub = _name(cell) if error and error.ename == "NotImplementedError" else None
        elif stub and id(cell) in tasks and tasks[id(cell)].given:
            yield f"{stub}: {LEFT}"
            stub = None


def _role(cell: NotebookNode, role: str) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get(role, False))


def _name(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", "")) or _first_line(cell)


def _title(cell: NotebookNode) -> str:
    return f"the cell {_name(cell)}"


def _first_line(cell: NotebookNode) -> str:
    """Quote the beginning of a cell; JupyterLab shows no other name for it."""
    lines = [line.strip() for line in cell.source.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    more = "..." if len(first) > FIRST or len(lines) > 1 else ""
    return f'"{first[:FIRST]}{more}"'


def _number(points: object) -> float:
    return float(points) if isinstance(points, int | float) and math.isfinite(points) else 0.0


def _task(cell: NotebookNode, counts: dict[int, str]) -> Task:
    """Read one graded cell."""
    nbgrader = cell.metadata["nbgrader"]
    name, out_of = str(nbgrader.get("grade_id", "?")), _number(nbgrader.get("points"))
    if _role(cell, "solution") or cell.cell_type != "code":
        empty = cell.source.strip() in ("", UNTOUCHED)
        words = "not answered yet" if empty else "read by a person"
        return Task(name, out_of, message=words, by_hand=True)
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
    given, words = _points_and_words(plain)
    if not 0 <= given <= out_of:
        words = f"the check gave {plain}, which is no number from 0 to {out_of:g}"
        return Task(name, out_of, message=words, error="NoPoints")
    return Task(name, out_of, given, words or _sentence(results[0].data.get("text/html", "")))


def _points_and_words(plain: str) -> tuple[float, str]:
    """Read a number of points, alone or with words; what is neither gives nan."""
    try:
        return float(plain), ""
    except ValueError:
        pass
    try:
        pair = ast.literal_eval(plain)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return math.nan, ""
    if type(pair) is tuple and [type(one) for one in pair] in ([int, str], [float, str]):
        return float(pair[0]), pair[1]
    return math.nan, ""


def _sentence(markup: str) -> str:
    """Lay out what a Score shows in a notebook as it stands in a terminal."""
    card = CARD.search(markup)
    if card is None:
        return html_words(markup)
    first = heading(card["sign"], html.unescape(card["task"]), html.unescape(card["points"]))
    if "<pre" in card["words"]:
        return "\n".join([first, "", *html.unescape(_inside(card["words"])).splitlines()])
    return "\n".join([first, *indented(html_words(card["words"]))])


def _inside(markup: str) -> str:
    return markup.partition(">")[2].rpartition("</pre>")[0]


def _broken(cells: list[Any], counts: dict[int, str]) -> Iterator[Broken]:
    """Find cells without points that ended in an error other than being unwritten.

    Of the cells that only lack one and the same name, the first stands for all.
    """
    missing = set[str]()
    for cell in cells:
        error = error_of(cell) if cell.cell_type == "code" else None
        if error and not _role(cell, "grade") and error.ename not in UNWRITTEN:
            name = NO_NAME.search(error.evalue) if error.ename == "NameError" else None
            if name and name[1] in missing:
                continue
            missing |= {name[1]} if name else set()
            yield Broken(_name(cell), _message(error, counts), str(error.ename))


def _message(error: NotebookNode, counts: dict[int, str]) -> str:
    """Say what an error output says: a check's block whole, a traceback in short."""
    text = ANSI.sub("", plain_text(error)).strip("\n")
    if error.ename == "NotImplementedError":
        return f"not written yet{_where(text, counts)}"
    if error.ename in (TIME_LIMIT, KERNEL_DIED, EXIT):
        return str(error.evalue)
    if not LONG_TRACEBACK.search(text):
        return PLACE.sub(lambda place: f"line {place['line']}", text)
    said = f"{error.ename}: {error.evalue}" if error.evalue else str(error.ename)
    return said + _where(text, counts)


def _where(traceback: str, counts: dict[int, str]) -> str:
    """Name the innermost line of the notebook in a traceback."""
    places = list(PLACE.finditer(traceback))
    if not places:
        return ""
    cell = counts.get(int(places[-1]["count"]), "")
    return f"\n  at line {places[-1]['line']} of {cell}" if cell else ""
