"""Read the texts that notebooks are built from.

A text is ordinary Python, split into cells by lines that begin with ``# %%``.  The words after it
say what a cell is for::

    # %% [markdown]                        words for the reader, each line behind a "#"
    # %% readonly id=setup                 code the student cannot change
    # %% solution id=evaluate              code the student writes
    # %% test points=5 id=test_evaluate    code that gives points

`parse` turns a text into `Cell` values and knows nothing of notebooks: what nbgrader and Jupyter
want to see is added by ``cgkit.notebooks``.

- Parsing either gives every cell or raises `CellError`, which names the file and the line.
- A cell that is graded or written by students has an id, and no two cells share one.
- What is outside the markers ``### BEGIN SOLUTION`` and ``### END SOLUTION`` reaches students.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from cgkit.errors import NotebookError

Kind: TypeAlias = Literal["code", "markdown"]
Role: TypeAlias = Literal["plain", "readonly", "solution", "test", "manual"]

ROLES: tuple[Role, ...] = ("readonly", "solution", "test", "manual")
GRADED: tuple[Role, ...] = ("test", "manual")
WRITTEN: tuple[Role, ...] = ("solution", "manual")
WORDS = ("[markdown]", *ROLES, "volatile")
KEYS = ("id", "points")

MARK = re.compile(r"# %%(?P<words>(\s.*)?)$")
NEAR_MARK = re.compile(r"\s*#+\s*%%")
GRADE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
REGION = re.compile(r"\s*### (?P<edge>BEGIN|END) (?P<name>SOLUTION|HIDDEN TESTS)")
LOOSE_REGION = re.compile(r"\b(BEGIN|END)\s+(SOLUTION|HIDDEN\s+TESTS)\b", re.IGNORECASE)


class CellError(NotebookError):
    """A text that cannot be split into cells.

    Parameters
    ----------
    source
        Name of the text, as the author would type it.
    line
        Number of the line at fault, counted from 1.
    message
        What is wrong there, and what to write instead.
    """

    def __init__(self, source: str, line: int, message: str) -> None:
        super().__init__(f"{source}, line {line}: {message}")
        self.source = source
        self.line = line


@dataclass(frozen=True, slots=True)
class Cell:
    r"""One cell of a text.

    Examples
    --------
    >>> (cell,) = parse("# %% test points=2 id=check_sum\nassert 1 + 1 == 2\n")
    >>> cell.role, cell.points, cell.grade_id, cell.text
    ('test', 2, 'check_sum', 'assert 1 + 1 == 2')
    """

    kind: Kind
    """Whether the cell holds code or markdown."""
    role: Role
    """What the cell is for; ``"plain"`` cells belong to nobody in particular."""
    text: str
    """What the cell holds, without its mark, and for markdown without the leading ``# ``."""
    line: int
    """Line of the mark in the text, counted from 1."""
    grade_id: str = ""
    """Name of the cell in the gradebook; empty only where nothing is graded or written."""
    points: int = 0
    """Points the cell can give; 0 for a stretch task and for the roles not in `GRADED`."""
    volatile: bool = False
    """Whether the stored outputs may differ from one run to the next, as times do."""


def parse(text: str, source: str = "<text>") -> tuple[Cell, ...]:
    r"""Split a text into its cells.

    Parameters
    ----------
    text
        The whole text. Comments and empty lines before the first mark are left out.
    source
        Name of the text for error messages.

    Returns
    -------
    tuple of Cell
        The cells in order; at least one.

    Raises
    ------
    CellError
        The text breaks a rule; the message names the line.

    Examples
    --------
    >>> cells = parse("# %% [markdown]\n# Two plus two:\n\n# %%\n2 + 2\n")
    >>> [(cell.kind, cell.text) for cell in cells]
    [('markdown', 'Two plus two:'), ('code', '2 + 2')]

    >>> parse("# %% solutoin id=mean\n", "mean.py")
    Traceback (most recent call last):
    ...
    cgkit.cells.CellError: mean.py, line 1: unknown word 'solutoin'; did you mean 'solution'?
    """
    cells = tuple(_cell(source, *part) for part in _split(source, text))
    if not cells:
        raise CellError(source, 1, "no cell here; a cell begins with a line '# %%'")
    _check_ids(source, cells)
    return cells


def read(path: Path, source: str | None = None) -> tuple[Cell, ...]:
    """Read a file and split it into its cells.

    Parameters
    ----------
    path
        The text, in UTF-8.
    source
        Name of the text for error messages; the path if left out.

    Returns
    -------
    tuple of Cell
        The cells in order.

    Raises
    ------
    CellError
        The text breaks a rule or is not UTF-8.
    NotebookError
        The file cannot be read.
    """
    name = source if source is not None else str(path)
    try:
        return parse(path.read_text(encoding="utf-8"), name)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise CellError(name, line, "not UTF-8; save the file in that encoding") from error
    except OSError as error:
        raise NotebookError(f"cannot read {name}: {error.strerror}") from error


def by_id(cells: Iterable[Cell]) -> dict[str, Cell]:
    """Give the cells that have an id, by that id."""
    return {cell.grade_id: cell for cell in cells if cell.grade_id}


def hidden_lines(cell: Cell) -> tuple[str, ...]:
    r"""List the lines of a cell that students must never see.

    Returns
    -------
    tuple of str
        The stripped lines inside the cell's regions, without comments and empty lines.

    Examples
    --------
    >>> text = "# %% solution id=a\n### BEGIN SOLUTION\nanswer = 6 * 7\n### END SOLUTION\n"
    >>> hidden_lines(parse(text)[0])
    ('answer = 6 * 7',)
    """
    lines: list[str] = []
    inside = False
    for line in cell.text.splitlines():
        if edge := REGION.fullmatch(line):
            inside = edge["edge"] == "BEGIN"
        elif inside and line.strip() and not (cell.kind == "code" and _is_comment(line)):
            lines.append(line.strip())
    return tuple(lines)


# --- from lines to cells ---------------------------------------------------------------------


def _split(source: str, text: str) -> Iterator[tuple[int, str, Sequence[str]]]:
    """Yield for each cell the line of its mark, the words of the mark and the lines below it."""
    start, words, body = 0, "", list[str]()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if mark := MARK.match(line):
            if start:
                yield start, words, body
            start, words, body = number, mark["words"], []
        elif NEAR_MARK.match(line):
            raise CellError(source, number, f"a cell mark begins with '# %%', not {line[:12]!r}")
        elif start:
            body.append(line)
        elif line.strip() and not _is_comment(line):
            raise CellError(source, number, "code before the first cell mark '# %%'")
    if start:
        yield start, words, body


def _cell(source: str, line: int, words: str, body: Sequence[str]) -> Cell:
    """Make one cell from its mark and its lines."""
    kind, role, volatile, values = _read_mark(source, line, words)
    first, lines = _trim(line + 1, body)
    if not lines:
        raise CellError(source, line, "this cell is empty; write something or remove its mark")
    if kind == "markdown":
        lines = tuple(_uncomment(source, first + index, text) for index, text in enumerate(lines))
    cell = Cell(
        kind=kind,
        role=role,
        text="\n".join(lines),
        line=line,
        grade_id=values.get("id", ""),
        points=_points(source, line, role, values.get("points")),
        volatile=volatile,
    )
    _check_cell(source, cell)
    _check_regions(source, cell, first)
    return cell


def _read_mark(source: str, line: int, words: str) -> tuple[Kind, Role, bool, dict[str, str]]:
    """Read the words of a mark: kind, role, volatile, and the values given by name."""
    values: dict[str, str] = {}
    roles: list[Role] = []
    seen: set[str] = set()
    for word in words.split():
        key, equals, value = word.partition("=")
        if key in seen:
            raise CellError(source, line, f"{key!r} stands twice in this cell mark")
        seen.add(key)
        if value and key in KEYS:
            values[key] = value
        elif not equals and word in WORDS:
            roles.extend(role for role in ROLES if role == word)
        else:
            raise CellError(source, line, _unknown(word))
    if len(roles) > 1:
        raise CellError(source, line, f"a cell is either {' or '.join(roles)}, not both")
    kind: Kind = "markdown" if "[markdown]" in seen else "code"
    return kind, roles[0] if roles else "plain", "volatile" in seen, values


def _unknown(word: str) -> str:
    """Say that a word of a mark is unknown, and what may have been meant."""
    key, equals, _ = word.partition("=")
    if key in KEYS:
        return f"{key!r} needs a value, as in '{key}={'5' if key == 'points' else 'name'}'"
    if equals and key in WORDS:
        return f"{key!r} takes no value; write it alone"
    near = difflib.get_close_matches(key, (*WORDS, *KEYS), n=1)
    known = f"a cell mark knows {', '.join(WORDS)}, " + ", ".join(f"{key}=..." for key in KEYS)
    return f"unknown word {word!r}; " + (f"did you mean {near[0]!r}?" if near else known)


def _points(source: str, line: int, role: Role, value: str | None) -> int:
    """Read the points of a graded cell; other cells have none."""
    if role not in GRADED:
        if value is not None:
            raise CellError(source, line, "only test and manual cells have points")
        return 0
    if value is None:
        raise CellError(source, line, f"a {role} cell says its points, as in 'points=5'")
    if not value.isdecimal():
        raise CellError(source, line, f"points={value} is not a whole number")
    return int(value)


def _trim(first: int, lines: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Drop empty lines at both ends; give the number of the first line kept, and the lines."""
    kept = [index for index, line in enumerate(lines) if line.strip()]
    if not kept:
        return first, ()
    trimmed = (line.rstrip() for line in lines[kept[0] : kept[-1] + 1])
    return first + kept[0], tuple(trimmed)


def _uncomment(source: str, number: int, line: str) -> str:
    """Take the leading ``# `` from a line of markdown."""
    if line == "#":
        return ""
    if not line.startswith("# "):
        raise CellError(source, number, "a line of markdown begins with '# ', or is '#' alone")
    return line[2:]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


# --- rules -----------------------------------------------------------------------------------


def _check_cell(source: str, cell: Cell) -> None:
    """Check what a role demands of its cell."""
    if cell.grade_id and not GRADE_ID.fullmatch(cell.grade_id):
        rule = "at most 64 letters, digits, '_' and '-'"
        raise CellError(source, cell.line, f"id={cell.grade_id} is not usable: {rule}")
    if not cell.grade_id and cell.role in {*GRADED, *WRITTEN}:
        raise CellError(source, cell.line, f"a {cell.role} cell needs a name, as in 'id=evaluate'")
    if cell.kind == "markdown" and cell.role in {"solution", "test"}:
        raise CellError(source, cell.line, f"a {cell.role} cell holds code, not markdown")
    if cell.volatile and (cell.kind == "markdown" or cell.role != "plain"):
        raise CellError(source, cell.line, "only a plain code cell can be volatile")


def _check_ids(source: str, cells: Iterable[Cell]) -> None:
    """Check that no two cells share an id."""
    lines: dict[str, int] = {}
    for cell in cells:
        if cell.grade_id in lines:
            before = lines[cell.grade_id]
            message = f"id={cell.grade_id} was given to the cell at line {before} already"
            raise CellError(source, cell.line, message)
        if cell.grade_id:
            lines[cell.grade_id] = cell.line


def _check_regions(source: str, cell: Cell, first: int) -> None:
    """Check that BEGIN and END markers pair up and stand where their role allows them."""
    opened, name, regions = 0, "", 0
    for number, line in enumerate(cell.text.splitlines(), start=first):
        edge = REGION.fullmatch(line)
        if edge is None:
            if loose := LOOSE_REGION.search(line):
                strict = " ".join(loose[0].upper().split())
                raise CellError(source, number, f"a marker is a line of its own, '### {strict}'")
            continue
        allowed = WRITTEN if edge["name"] == "SOLUTION" else ("test",)
        if cell.role not in allowed:
            message = f"{edge['name']} belongs into a cell marked {' or '.join(allowed)}"
            raise CellError(source, number, message)
        if (edge["edge"] == "BEGIN") == bool(opened):
            missing = f"END {name}" if opened else f"BEGIN {edge['name']}"
            raise CellError(source, number, f"'### {missing}' is missing before this line")
        opened, name = (number, edge["name"]) if not opened else (0, "")
        regions += 1
    if opened:
        raise CellError(source, opened, f"'### BEGIN {name}' without '### END {name}' below")
    if cell.role == "solution" and not regions:
        message = "a solution cell marks the answer with '### BEGIN SOLUTION', '### END SOLUTION'"
        raise CellError(source, cell.line, message)
