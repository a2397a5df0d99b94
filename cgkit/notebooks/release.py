"""What students receive: made by nbgrader elsewhere, then put in place at once.

    solutions/NN/ ──nbgrader, --no-db──► build/release-*/NN/ ──rename──► assignments/NN/

nbgrader deletes a release before it makes the new one, and may then fail; so it never works in
assignments/. No gradebook is touched here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from cgkit.cells import Cell, hidden_lines
from cgkit.errors import NotebookError
from cgkit.notebooks.project import Project

SECONDS = 300
"""How long nbgrader may take for all releases."""
SHORTEST_SECRET = 12
"""Shorter lines, such as ``return x``, give nothing away and stand anywhere."""
IGNORED = (".ipynb_checkpoints", "__pycache__")

Leak: TypeAlias = tuple[Path, str]


@contextmanager
def releases(project: Project, names: Iterable[str]) -> Iterator[Path]:
    """Make releases in a folder of their own.

    Parameters
    ----------
    project
        The course; its solutions must be current.
    names
        The assignments to release.

    Yields
    ------
    Path
        A folder with one folder for each assignment; it is removed at the end.

    Raises
    ------
    NotebookError
        nbgrader refuses an assignment; the message holds its last words.
    """
    project.build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=project.build, prefix="release-") as folder:
        for name in names:
            source = Path(folder, "source", name)
            shutil.copytree(
                project.solutions / name, source, ignore=shutil.ignore_patterns(*IGNORED)
            )
        _generate(Path(folder))
        yield Path(folder, "release")


def replace(made: Path, place: Path) -> None:
    """Put a folder in the place of another, so that one of the two is always there whole.

    Parameters
    ----------
    made
        The new folder, on the same disk; it is moved.
    place
        Where it goes; what was there is removed.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = made.with_name(made.name + ".old")
    if place.exists():
        place.rename(aside)
    try:
        made.rename(place)
    except OSError:
        if aside.exists():
            aside.rename(place)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def files(folder: Path) -> dict[str, bytes]:
    """Read all files below a folder, by relative name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part in IGNORED for part in path.parts)
    }


def leaks(cells: Iterable[Cell], received: Iterable[Path], *, run: int = 1) -> Iterator[Leak]:
    """Find secret lines of a text in files that students receive.

    Parameters
    ----------
    cells
        The cells of an assignment's text.
    received
        Files that its students can read: notebooks, Python files, anything that is text.
    run
        How many secret lines must follow one another to count. One in the release itself; more
        where the same idea may be written down honestly, as in a chapter.

    Yields
    ------
    tuple of Path and str
        The file and the first of the lines in it.
    """
    secret = _secrets(tuple(cells), run)
    for path in received:
        lines = [line for line in _lines(path) if line and not line.startswith("#")]
        for window in _windows(lines, run):
            if window in secret:
                yield path, window[0]


def _windows(lines: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(lines[index : index + size]) for index in range(len(lines) - size + 1))


def _secrets(cells: tuple[Cell, ...], run: int) -> set[tuple[str, ...]]:
    """Collect the runs of hidden lines of a text that do not also stand in the open."""
    secret: set[tuple[str, ...]] = set()
    shown: set[tuple[str, ...]] = set()
    for cell in cells:
        inside = hidden_lines(cell)
        secret |= set(_windows(inside, run))
        open_lines = [line.strip() for line in cell.text.splitlines()]
        shown |= set(_windows([line for line in open_lines if line not in inside], run))
    return {lines for lines in secret - shown if len("".join(lines)) >= SHORTEST_SECRET}


def _lines(path: Path) -> Iterator[str]:
    """Give the stripped lines of a file; of a notebook those of its cells and outputs."""
    try:
        text = path.read_text(encoding="utf-8")
        lines = _strings(json.loads(text)) if path.suffix == ".ipynb" else text.splitlines()
        yield from (line.strip() for line in lines)
    except (OSError, ValueError):
        return


def _strings(data: object) -> Iterator[str]:
    """Give every line of every string in nested data."""
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield from item.splitlines()
        elif isinstance(item, dict):
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


def _generate(folder: Path) -> None:
    """Let nbgrader make the release of every assignment in ``folder/source``."""
    settings = {
        "root": folder,
        "source_directory": "source",
        "release_directory": "release",
        "db_url": f"sqlite:///{folder / 'unused.db'}",
    }
    words = [sys.executable, "-m", "nbgrader", "generate_assignment", "--assignment=*"]
    words += ["--no-db", "--force", *(f"--CourseDirectory.{k}={v}" for k, v in settings.items())]
    words += ["--GenerateAssignment.exporter_class=cgkit.grading.folders.ReleaseExporter"]
    environment = dict(os.environ, JUPYTER_CONFIG_DIR=str(folder), JUPYTER_NO_CONFIG="1")
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotebookError(f"nbgrader did not end within {SECONDS} seconds") from error
    if done.returncode != 0 or not (folder / "release").is_dir():
        words_said = (done.stderr or done.stdout).strip().splitlines()
        raise NotebookError("nbgrader could not make the release", why="\n  ".join(words_said[-6:]))
