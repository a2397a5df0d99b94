"""Turn cells into a notebook, the same bytes every time.

    Cell(role="test", points=5, grade_id="test_sum")
      ──► {"id": "test_sum", "metadata": {"nbgrader": {"grade": true, "points": 5, ...}}, ...}

The notebook carries the digest of the text it was made from, so that one glance tells whether it is
current.  Ids come from grade ids or from the text of a cell, never from chance.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgkit.cells import Cell
from cgkit.errors import NotebookError

if TYPE_CHECKING:
    from nbformat import NotebookNode

BUILDER = 1
"""Raised whenever the same text would give another notebook; every notebook is then out of date."""

VOLATILE = "volatile"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# for each role: is it graded, is it the student's, is it locked
FLAGS = {
    "solution": (False, True, False),
    "test": (True, False, True),
    "manual": (True, True, False),
    "readonly": (False, False, True),
}


def digest(text: str) -> str:
    r"""Give the fingerprint of a text, the same on every system.

    Examples
    --------
    >>> digest("# %%\r\n1\r\n") == digest("# %%\n1\n")
    True
    """
    plain = "\n".join(text.removeprefix("\ufeff").splitlines())
    return hashlib.sha256(f"{BUILDER}\n{plain}".encode()).hexdigest()


def compose(cells: Iterable[Cell], *, source: str, fingerprint: str) -> NotebookNode:
    """Make the notebook of a text.

    Parameters
    ----------
    cells
        The cells in order.
    source
        Name of the text, as in ``"course/01_graphs.py"``.
    fingerprint
        The `digest` of the text.

    Returns
    -------
    NotebookNode
        A notebook of format 4.5 without outputs.
    """
    from nbformat import from_dict

    twins: Counter[str] = Counter()
    notebook: dict[str, Any] = {
        "cells": [_cell(cell, twins) for cell in cells],
        "metadata": {
            "cgkit": {"fingerprint": fingerprint, "source": source},
            "kernelspec": dict(KERNEL),
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return from_dict(notebook)  # type: ignore[no-any-return, no-untyped-call]


def dump(notebook: NotebookNode) -> str:
    """Write a notebook as text, ending with a newline."""
    from nbformat import validate, writes

    validate(notebook)
    text: str = writes(notebook, version=4)  # type: ignore[no-untyped-call]
    return text.rstrip("\n") + "\n"


def load(path: Path) -> NotebookNode:
    """Read a notebook.

    Raises
    ------
    NotebookError
        The file is no notebook that Jupyter could open; the message says why.
    FileNotFoundError
        There is no such file.
    """
    from nbformat import ValidationError, reads

    text = _notebook_text(path)
    try:
        data = json.loads(text)
    except ValueError as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise _broken(path, f"its JSON breaks off or is damaged at {where}") from error
    version = data.get("nbformat") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise _broken(path, "it is JSON, but not a notebook")
    if version != 4:
        raise _broken(path, f"it has notebook format {version}, and only 4 is understood")
    try:
        with warnings.catch_warnings():  # ids that are missing or doubled are mended, and no matter
            warnings.simplefilter("ignore")
            return reads(text, as_version=4)  # type: ignore[no-any-return, no-untyped-call]
    except (ValidationError, AttributeError, KeyError, TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise _broken(path, f"its parts do not fit together: {reason}") from error


def fingerprint_of(path: Path) -> str:
    """Give the fingerprint stored in a built notebook, or "" when there is none to read."""
    try:
        data = json.loads(path.read_bytes())
        return str(data["metadata"]["cgkit"]["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _notebook_text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _broken(path, "it is not text in UTF-8") from error
    except IsADirectoryError as error:
        raise NotebookError(f"{path} is a folder, not a notebook") from error
    if not text.strip():
        raise _broken(path, "it is empty")
    return text


def _broken(path: Path, reason: str) -> NotebookError:
    attempt = "an older copy: in JupyterLab, File > Revert; or take a fresh copy of the assignment"
    return NotebookError(
        f"{path} is not a notebook that can be opened", why=reason, attempt=attempt
    )


def _cell(cell: Cell, twins: Counter[str]) -> dict[str, Any]:
    """Make one cell of a notebook."""
    name = cell.grade_id or _identity(cell, twins)
    made: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": name,
        "metadata": _metadata(cell, name),
        "source": cell.text,
    }
    if cell.kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def _identity(cell: Cell, twins: Counter[str]) -> str:
    """Name a cell after what it holds; equal cells get a number too."""
    name = "t" + hashlib.sha256(f"{cell.kind}\n{cell.text}".encode()).hexdigest()[:12]
    twins[name] += 1
    return name if twins[name] == 1 else f"{name}-{twins[name]}"


def _metadata(cell: Cell, name: str) -> dict[str, Any]:
    """Tell nbgrader and the builder what a cell is for."""
    if cell.volatile:
        return {"tags": [VOLATILE]}
    if cell.role == "plain":
        return {}
    grade, solution, locked = FLAGS[cell.role]
    nbgrader: dict[str, Any] = {
        "cell_type": cell.kind,
        "grade": grade,
        "grade_id": name,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if grade:
        nbgrader["points"] = cell.points
    return {"nbgrader": nbgrader}
