r"""Any bytes at all as cells; what is odd is noted, nothing is refused by an exception.

    read_submission(b'{"cells": [...]}') ──► Submission(cells, notes)
    read_submission(b"\x00garbage")      ──► Submission((), ("the file is no notebook: ...",))

Only sources, ids and nbgrader's names are read. A byte order mark, format 3, missing metadata, null
characters, lone surrogates and sources as lists are all taken as what was meant.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LARGEST = 20 << 20
"""Bytes of a notebook that are read."""
MOST_CELLS = 5_000
LONGEST = 1 << 20
"""Characters of one cell that are read."""


@dataclass(frozen=True)
class SubmittedCell:
    """One cell of a submission."""

    number: int
    """Its place in the file, from 0."""
    kind: str
    """``"code"``, ``"markdown"``, or what the file says."""
    source: str
    grade_id: str = ""
    """nbgrader's name for it, or ""."""
    cell_id: str = ""
    """The notebook's name for it, or ""."""
    points: object = None
    """The points it claims to give."""
    intact: bool = False
    """Whether it fits its own checksum: so it was handed out, now or in an earlier release."""


@dataclass(frozen=True)
class Submission:
    """What could be read of a file."""

    cells: tuple[SubmittedCell, ...] = ()
    notes: tuple[str, ...] = ()


def read_submission(raw: bytes) -> Submission:
    r"""Read a submitted notebook.

    Parameters
    ----------
    raw
        The whole file; what is longer than `LARGEST` is not read.

    Examples
    --------
    >>> read_submission(b'\xef\xbb\xbf{"cells": [{"source": ["a = 1"]}]}').cells[0].source
    'a = 1'
    >>> read_submission(b"").notes
    ('the file is empty',)
    """
    if len(raw) > LARGEST:
        return Submission((), (f"the file is larger than {LARGEST >> 20} MB and was not read",))
    if not raw.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        return Submission((), ("the file is empty",))
    notes: list[str] = []
    try:
        data = json.loads(_text(raw, notes), strict=False)
    except (ValueError, RecursionError) as error:
        return Submission((), (f"the file is no notebook: {_short(error)}",))
    found = list(_cells(data, notes))
    if len(found) > MOST_CELLS:
        notes.append(f"only the first {MOST_CELLS:,} of {len(found):,} cells were read")
    cells = tuple(_cell(number, cell, notes) for number, cell in enumerate(found[:MOST_CELLS]))
    if not cells:
        notes.append("the notebook has no cells")
    ids = [cell.cell_id for cell in cells if cell.cell_id]
    if len(set(ids)) < len(ids):
        notes.append("several cells have the same id")
    return Submission(cells, tuple(dict.fromkeys(notes)))


def squeezed(text: str) -> str:
    """Give a text without its white space, which means nothing where texts are compared.

    Examples
    --------
    >>> squeezed("a = 1 ") == squeezed("a=1")
    True
    """
    return "".join(text.split())


def _text(raw: bytes, notes: list[str]) -> str:
    if raw.startswith(b"\xef\xbb\xbf"):
        notes.append("the file begins with a byte order mark")
    found = json.detect_encoding(raw)
    encoding = found if found.startswith("utf-16") or found.startswith("utf-32") else "utf-8-sig"
    if encoding != "utf-8-sig":
        notes.append(f"the file is written in {encoding[:6].upper()}")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        notes.append("the file is not UTF-8; what could not be read was replaced")
        return raw.decode(encoding, "replace")


def _short(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"its JSON breaks off or is damaged at line {error.lineno}"
    if isinstance(error, RecursionError):
        return "its JSON is nested too deeply"
    return "a number in its JSON is too long"


def _cells(data: Any, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Walk over the cells of a notebook of any format."""
    if not isinstance(data, dict):
        return
    cells = data.get("cells")
    if not isinstance(cells, list):
        sheets = data.get("worksheets")
        sheets = sheets if isinstance(sheets, list) else []
        cells = [cell for sheet in sheets for cell in _list(sheet, "cells")]
        if cells:
            form = data.get("nbformat")
            known = form if isinstance(form, int) and 0 < form < 4 else 3
            notes.append(f"the notebook has format {known}")
    yield from (cell for cell in cells if isinstance(cell, dict))


def _list(holder: Any, key: str) -> list[Any]:
    found = holder.get(key) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def _dict(holder: Any, key: str) -> dict[str, Any]:
    found = holder.get(key)
    return found if isinstance(found, dict) else {}


def _cell(number: int, cell: dict[str, Any], notes: list[str]) -> SubmittedCell:
    nbgrader = _dict(_dict(cell, "metadata"), "nbgrader")
    if nbgrader and nbgrader.get("schema_version") != 3:
        notes.append("some cells carry nbgrader metadata of another version")
    kind, source = _word(cell.get("cell_type")) or "code", _source(cell, number, notes)
    return SubmittedCell(
        number=number,
        kind=kind,
        source=source,
        grade_id=_word(nbgrader.get("grade_id")),
        cell_id=_word(cell.get("id")),
        points=nbgrader.get("points"),
        intact=_fits(nbgrader, kind, source),
    )


def _fits(nbgrader: dict[str, Any], kind: str, source: str) -> bool:
    """Tell whether a locked cell is as nbgrader handed it out, by the checksum it has in it."""
    if not nbgrader.get("locked") or nbgrader.get("solution"):
        return False
    grade = nbgrader.get("grade") is True
    parts = [source, kind, str(grade), "False", "True", _word(nbgrader.get("grade_id"))]
    if grade:
        parts.append(_decimal(nbgrader.get("points")))
    whole = hashlib.md5("".join(parts).encode(), usedforsecurity=False)
    return whole.hexdigest() == nbgrader.get("checksum")


def _decimal(points: object) -> str:
    """Write points as nbgrader does, or give nothing where they are none."""
    try:
        return str(float(points)) if isinstance(points, int | float) else ""
    except OverflowError:
        return ""


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _source(cell: dict[str, Any], number: int, notes: list[str]) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return ""
    if "\x00" in source:
        notes.append(f"cell {number + 1} holds null characters; they were left out")
        source = source.replace("\x00", "")
    if len(source) > LONGEST:
        notes.append(f"cell {number + 1} is too long; only its beginning was read")
        source = source[:LONGEST]
    source = source.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    return source.replace("\r\n", "\n").replace("\r", "\n")
