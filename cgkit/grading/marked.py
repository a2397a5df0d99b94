"""The marked notebook: what formgrader shows a teacher, and what feedback is made from.

    the assignment + Result ──► marked_notebook(...) ──► classes/autograded/ada/01_graphs/...
    the assignment + Result ──► marks_of(...)        ──► the gradebook

    | For the teacher   flags and their evidence        (feedback leaves this cell out)
    | About this file   notes for the student
    | cells of the assignment, with the student's answers and their own cells where they stood
    |   under a test: points, the check's message, and behind │ what the student's code printed

- Nothing of the submitted file but its sources gets here, and no source is ever taken for HTML.
- What code printed is behind a bar on every line: it cannot pass for the words of a check.
- Hidden tests are in here, between their marks: teachers see them, and feedback cuts them out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from cgkit.files import write_whole
from cgkit.grading.gradebook import Mark
from cgkit.grading.master import Master, MasterCell
from cgkit.grading.result import CellResult, Flag, Result
from cgkit.grading.shown import barred, harmless, has_pictures, plain, shortened
from cgkit.grading.situation import MEANINGS

Json: TypeAlias = dict[str, Any]

TEACHER = "teacher"
"""The audience of cells that students must not get."""
_HEADED = ("CheckFailed", "NotAnswered")
"""Errors whose words begin with the points; whatever else begins so is a student's."""
_UNREAD = (  # as cgkit.grading.submission puts it
    "the file is empty",
    "the file is larger",
    "the file is no notebook",
    "the notebook has no cells",
    "no answer to this assignment was found",
)


def marks_of(master: Master, result: Result, *, read: bool = True) -> dict[str, Mark]:
    """Give the marks of a result, by id of the cell.

    Parameters
    ----------
    master
        The assignment.
    result
        How a submission came out.
    read
        Whether its file could be read at all; a person looks at everything where it could not.
    """
    found = result.by_cell()
    suspect = bool(result.failed) or not read
    marks = {}
    for cell in master.cells:
        if cell.role == "test":
            one = found.get(cell.cell)
            look = one is None or bool(one.by_hand)
            marks[cell.cell] = Mark(one.score if one else 0.0, look or suspect)
        elif cell.role == "written":
            empty = cell.cell in unanswered(master, result)
            marks[cell.cell] = Mark(0.0, suspect) if empty else Mark(None, look=True)
    return marks


def unread(result: Result) -> bool:
    """Tell whether the submitted file was no notebook that could be read.

    Examples
    --------
    >>> unread(Result("ada", notes=("the file is empty",))), unread(Result("ada"))
    (True, False)
    """
    return any(note.startswith(_UNREAD) for note in result.notes)


def unanswered(master: Master, result: Result) -> frozenset[str]:
    """Name the cells that students write and that are as they were handed out."""
    return frozenset(
        cell.cell
        for cell in master.cells
        if cell.role in ("solution", "written")
        and result.sources.get(cell.cell, cell.released).strip() == cell.released.strip()
    )


def marked_notebook(source: Json, master: Master, result: Result, key: str) -> Json:
    """Put a result into the assignment's notebook.

    Parameters
    ----------
    source
        The assignment, format 4, as JSON holds it.
    master
        The same, read.
    result
        How a submission came out.
    key
        Says what was graded by what; stored, so that one glance tells whether it is current.
    """
    result = replace(result, sources=shortened(result.sources))
    cells = [*_front(result)]
    own = _own_cells(master, result)
    cells += own.get("", ())
    for written, cell in zip(source["cells"], master.cells, strict=True):
        if cell.role != "plain":
            cells.append(_cell(written, cell, result))
        cells += own.get(cell.cell, ())
    known = source.get("metadata", {})
    kept = {name: known[name] for name in ("kernelspec", "language_info") if name in known}
    return {
        "cells": cells,
        "metadata": {**kept, "cgkit": {"key": key, "label": result.label}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(written: Json, cell: MasterCell, result: Result) -> Json:
    """Make one cell of the assignment."""
    made: Json = {
        "cell_type": cell.kind,
        "id": cell.cell_id,
        "metadata": json.loads(json.dumps(written.get("metadata", {}))),
        "source": _text(written, cell, result),
    }
    if "nbgrader" in made["metadata"]:
        made["metadata"]["nbgrader"]["cell_type"] = cell.kind
    if cell.kind == "code":
        one = result.by_cell().get(cell.cell)
        made |= {"execution_count": None, "outputs": list(_outputs(one)) if one else []}
    return made


def _text(written: Json, cell: MasterCell, result: Result) -> str:
    """Give what stands in a cell: a student's words harmless, a test with its hidden part."""
    if cell.role == "written":
        text = result.sources.get(cell.cell, cell.released)
        return harmless(text) if cell.kind == "markdown" else text
    if cell.role == "solution":
        return result.sources.get(cell.cell, cell.released)
    source = written["source"]
    return "".join(source) if isinstance(source, list) else str(source)


def _own_cells(master: Master, result: Result) -> dict[str, list[Json]]:
    """Give the student's own cells by the cell of the assignment that they stand behind."""
    known = {cell.cell for cell in master.cells}
    places = {cell.cell: number for number, cell in enumerate(master.cells)}
    found: dict[str, list[Json]] = {}
    behind = ""
    for cell in result.cells:
        if cell.cell in known and cell.kind != "extra":
            behind = _last_of(master, places[cell.cell])
        elif cell.kind == "extra":
            found.setdefault(behind, []).append(_own(cell, result.sources.get(cell.cell, "")))
    return found


def _last_of(master: Master, place: int) -> str:
    """Name the cell after which what follows `place` is shown: behind the unlocked ones there."""
    for cell in master.cells[place + 1 :]:
        if cell.role != "plain":
            break
        place += 1
    return master.cells[place].cell


def _own(cell: CellResult, source: str) -> Json:
    return {
        "cell_type": "code",
        "id": cell.cell,
        "metadata": {"cgkit": {"own": True}},
        "source": source,
        "execution_count": None,
        "outputs": list(_outputs(cell)),
    }


# outputs


def _outputs(cell: CellResult) -> Iterator[Json]:
    """Give the outputs of a code cell: what grading says, then what the student's code said."""
    if cell.kind == "test":
        yield _verdict(cell)
    elif cell.error:
        yield _error(cell.error, plain(cell.message or cell.error))
    if cell.printed:
        yield _stream("stdout", barred("printed by your code", cell.printed))
    if cell.warned:
        yield _stream("stderr", barred("warnings from your code", cell.warned))


def _verdict(cell: CellResult) -> Json:
    """Say how many points a test gave, and why."""
    right = not cell.error and cell.score == cell.out_of
    points = f"{cell.score:g} of {cell.out_of:g} points" if cell.out_of else "no points"
    lines = [cell.message] if cell.message else []
    if not (cell.error in _HEADED and cell.message.startswith("✗")):
        lines.insert(0, f"{'✓' if right else '✗'} {points}")
    if cell.by_hand:
        lines.append("A teacher looks at this before it counts.")
    text = plain("\n".join(lines))
    return _error(cell.error, text) if cell.error else _stream("stdout", text + "\n")


def _stream(name: str, text: str) -> Json:
    return {"output_type": "stream", "name": name, "text": text}


def _error(name: str, text: str) -> Json:
    head = text.partition("\n")[0]
    return {
        "output_type": "error", "ename": name, "evalue": head, "traceback": text.split("\n"),
    }  # fmt: skip


# the first cells


def _front(result: Result) -> Iterator[Json]:
    """Give what stands above the assignment."""
    about = [*result.notes]
    if result.failed:
        about.insert(0, "this notebook could not be graded; a teacher will look at it")
    if any(map(has_pictures, result.sources.values())):
        about.append("a picture was pasted into a text; it is in the file handed in, not here")
    lines = [f"- {flag_line(flag)}" for flag in result.flags]
    lines += [f"- {result.label}: {MEANINGS.get(result.label, '')}"] if result.label else []
    if result.failed:
        lines.append(plain(f"- not graded: {result.failed}"))
    if lines:
        title = "For the teacher, to judge; feedback leaves this out."
        yield _front_cell("teachers-view", title, lines, TEACHER)
    if about:
        yield _front_cell("notes", "About this file:", [f"- {note}" for note in about], "")


def flag_line(flag: Flag) -> str:
    """Write a flag as one line.

    Examples
    --------
    >>> flag_line(Flag("uses the network", "line 1: import socket", "mean"))
    'mean: uses the network (line 1: import socket)'
    """
    place = f"{flag.where}: " if flag.where else ""
    seen = ", seen to happen" if flag.how == "run" else ""
    text = f"{place}{flag.what}{seen} ({flag.evidence})"
    return plain(text.replace("\n", " "))


def _front_cell(name: str, title: str, lines: list[str], audience: str) -> Json:
    metadata = {"cgkit": {"audience": audience}} if audience else {}
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata,
        "source": f"# {title}",
        "execution_count": None,
        "outputs": [_stream("stdout", "\n".join(lines) + "\n")],
    }


# on disk


def key_of(path: Path) -> str:
    """Give the key stored in a marked notebook, or "" when there is none to read."""
    try:
        found = json.loads(path.read_bytes())["metadata"]["cgkit"]["key"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return found if isinstance(found, str) else ""


def _split(value: Any) -> Any:
    """Store texts as lists of lines, as nbformat does: nbgrader then writes the same bytes."""
    if isinstance(value, list):
        return [_split(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: one.splitlines(True)
        if name in ("source", "text") and isinstance(one, str)
        else _split(one)
        for name, one in value.items()
    }


def write_notebook(path: Path, notebook: Json) -> bool:
    """Write a notebook so that the old or the new one is there, and never half of one.

    Returns
    -------
    bool
        Whether it is another than the one that was there.
    """
    text = json.dumps(
        _split(notebook), indent=1, ensure_ascii=False, sort_keys=True, separators=(",", ": ")
    )
    data = text.encode("utf-8", "replace") + b"\n"
    if path.is_file() and path.read_bytes() == data:
        return False
    write_whole(path, data)
    return True
