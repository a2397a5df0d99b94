"""How every verb speaks: items on standard output, progress on standard error.

    Item("numpy", "ok", "2.4.6")     ->  ✓ numpy     2.4.6
    Item("disk", "failed", "...")    ->  ✗ disk      ...
                                     or, with --json, one object with a list of items

Results go to standard output, all else to standard error. Colors only on a terminal, and not where
NO_COLOR is set. Progress is silent off a terminal.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Literal, NoReturn, Self, TextIO, TypeVar

import click

from cgkit.errors import CgkitError

Status = Literal["ok", "failed", "skipped", "note"]

SIGNS: dict[str, tuple[str, str]] = {
    "ok": ("✓", "green"),
    "failed": ("✗", "red"),
    "skipped": ("-", "yellow"),
    "note": ("·", "blue"),
}

WIDEST = 80
"""Columns that a line of progress takes at most."""
PATIENCE = 3.0
"""Seconds after which one wants to know how long it will take."""

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Item:
    """One line of a report.

    Examples
    --------
    >>> Item("numpy", "ok", "2.4.6").as_text(width=8)
    '✓ numpy     2.4.6'
    """

    name: str
    status: Status
    detail: str = ""
    """What was found; for a failure also the cure. May have several lines."""

    def as_text(self, width: int) -> str:
        """Write the item with its name padded to a width, further lines indented under it."""
        sign, _ = SIGNS[self.status]
        first, *rest = self.detail.splitlines() or [""]
        line = f"{sign} {self.name:<{width}}  {first}".rstrip()
        return "\n".join([line, *(f"{'':<{width + 4}}{more}" for more in rest)])


def json_option(function: Command) -> Command:
    """Add the flag --json, passed to the verb as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(function)


def colors_wanted() -> bool:
    """Say whether standard output may be colored: a terminal, and no NO_COLOR.

    Examples
    --------
    >>> colors_wanted()
    False
    """
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def emit(command: str, items: Iterable[Item], as_json: bool = False) -> bool:
    """Print a report and say whether nothing in it failed.

    Parameters
    ----------
    command
        The verb that reports.
    items
        What it found, in order.
    as_json
        Print the one object of `--json` and nothing else.

    Returns
    -------
    bool
        True when no item failed.

    Examples
    --------
    >>> emit("doctor", [Item("numpy", "ok", "2.4.6"), Item("disk", "ok")])
    ✓ numpy  2.4.6
    ✓ disk
    True
    >>> emit("doctor", [Item("disk", "failed", "full")], as_json=True)  # doctest: +ELLIPSIS
    {"schema": 1, "command": "doctor", "ok": false, "items": [{"name": "disk", ...}]}
    False
    """
    items = list(items)
    good = all(item.status != "failed" for item in items)
    if as_json:
        report = {"schema": 1, "command": command, "ok": good, "items": [*map(asdict, items)]}
        click.echo(json.dumps(report, ensure_ascii=False))
        return good
    width = max((len(item.name) for item in items), default=0)
    for item in items:
        text = item.as_text(width)
        if colors_wanted():
            text = click.style(text[0], fg=SIGNS[item.status][1]) + text[1:]
        click.echo(text)
    return good


def finish(command: str, items: Iterable[Item], as_json: bool = False, code: int = 1) -> NoReturn:
    """Print a report and leave: 0 when nothing failed, `code` otherwise."""
    good = emit(command, items, as_json=as_json)
    sys.exit(0 if good else code)


def fail(message: str, code: int = 1) -> NoReturn:
    """Leave with one sentence on standard error."""
    click.echo(message, err=True)
    sys.exit(code)


def explain(error: Exception) -> str:
    r"""Turn an error into the sentences a person reads.

    Examples
    --------
    >>> explain(FileNotFoundError(2, "No such file or directory", "a.ipynb"))
    'a.ipynb: no such file or directory'
    >>> explain(CgkitError("the disk is full", attempt="removing build/"))
    'the disk is full\n  try      removing build/'
    """
    if isinstance(error, CgkitError):
        return error.with_place()
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError) and error.strerror:
        reason = error.strerror[0].lower() + error.strerror[1:]
        return f"{error.filename}: {reason}" if error.filename else reason
    return str(error)


def spoken(words: str) -> str:
    """Write a command of ours as it is typed here: by `start.py`, or by `cgkit` itself.

    Examples
    --------
    >>> spoken("hint 01_graphs")
    'cgkit hint 01_graphs'
    """
    return f"{os.environ.get('CGKIT_CALLED') or 'cgkit'} {words}"


class Progress:
    """A line on standard error that says how far long work has come.

    Parameters
    ----------
    title
        What is being done.
    total
        How many steps there are; None when that is not known.
    stream
        Where to write; standard error. Nothing is written unless it is a terminal.

    Examples
    --------
    >>> with Progress("building", total=2) as progress:
    ...     progress.step("00_start")
    ...     progress.step("01_graphs")
    """

    def __init__(self, title: str, total: int | None = None, stream: TextIO | None = None) -> None:
        self.title = title
        self.total = total
        self.done = 0
        self.began = time.monotonic()
        self.stream = stream if stream is not None else sys.stderr
        self.shown = self.stream.isatty()

    def step(self, what: str = "") -> None:
        """Say which step begins now."""
        self.done += 1
        count = f"{self.done:,} of {self.total:,}" if self.total else f"{self.done:,}"
        self._write(f"{self.title}: {count}{self._left()}  {what}")

    def clear(self) -> None:
        """Take the line away, so that something else can be written in its place."""
        self._write("")

    def _left(self) -> str:
        """Guess how long the rest takes, once that is worth saying."""
        spent, before = time.monotonic() - self.began, self.done - 1
        if not self.total or spent < PATIENCE or before < 1:
            return ""
        seconds = round(spent / before * (self.total - before))
        return f", about {seconds} s left" if seconds < 100 else f", about {seconds // 60} min left"

    def _write(self, text: str) -> None:
        if self.shown:
            room = self._room()
            self.stream.write(f"\r{'':<{room}}\r{text[:room]}")
            self.stream.flush()

    def _room(self) -> int:
        """Give how many letters fit a line; one more, and it could not be written over."""
        try:
            columns = os.get_terminal_size(self.stream.fileno()).columns
        except OSError:
            columns = WIDEST
        return min(columns or WIDEST, WIDEST) - 1

    def __enter__(self) -> Self:
        self._write(f"{self.title} ...")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()
