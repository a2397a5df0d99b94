"""Take in what a student handed in, whatever lies there, without trusting any of it.

    classes/submitted/ada/01_graphs/          ──►  HandedIn(raw=b'{"cells": ...', notes=(...))
        my graphs (2).ipynb                          "handed in as 'my graphs (2).ipynb'"
        cgkit.py  data.csv -> /etc/passwd            "cgkit.py: kept beside it, not used"

nbgrader wants one name, follows links and copies all that lies beside a notebook; so this step
comes before it.

- It never raises, and it gives something for every folder.
- No link is followed, nothing but ordinary files is opened, and no more is read than a notebook
  may have.
- Every oddity is noted in words for the student.
"""

from __future__ import annotations

import contextlib
import datetime
import difflib
import errno
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cgkit.grading.places import safe_id
from cgkit.grading.stamps import read_timestamp
from cgkit.grading.submission import LARGEST

MOST_ENTRIES = 2_000
"""Files of one submission that are looked at."""
DEEPEST = 4
"""Folders in folders that are looked into."""
MOST_READ = 3 * LARGEST
"""Bytes of all notebooks of one submission that are read; the likeliest one is, whatever it has."""
MOST_COMPARED = 10
"""Notebooks under other names that are compared with those of the same assignment."""
MOST_NAMED = 5
"""Odd files that a note names one by one."""

BARE = (".json", ".txt")
"""Endings that a browser or a mail gives to a notebook."""
PASSED_OVER = (".ipynb_checkpoints", "__pycache__", "__MACOSX", ".git")
OURS = ("timestamp.txt", "submission_secret.txt", ".DS_Store", "Thumbs.db", "desktop.ini")
"""Files that belong to nbgrader or to a system, not to the student."""

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_OPEN = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_REASONS = {
    errno.ELOOP: "is a link, and links are not followed",
    errno.EACCES: "cannot be read: permission denied",
    errno.ENAMETOOLONG: "has too long a name",
}


@dataclass(frozen=True)
class HandedIn:
    """What one student handed in."""

    student: str
    raw: bytes | None = None
    """The notebook; None when there is none that can be read."""
    name: str = ""
    """The name of its file, below the student's folder."""
    notes: tuple[str, ...] = ()
    """What was odd, in sentences."""
    files: tuple[str, ...] = ()
    """Other files that lie there; they are not used."""
    when: datetime.datetime | None = None
    """When it was handed in, in UTC, if a timestamp says so."""
    secret: str = ""
    """What nbgrader's list of assignments left there, under which it gives feedback back."""


@dataclass(frozen=True)
class _File:
    """One entry of a folder."""

    name: str
    """Below the student's folder, with slashes."""
    kind: str
    """``"file"``, ``"link"``, or ``"other"``."""
    size: int = 0

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]


@dataclass
class _Taking:
    """One folder being looked through."""

    folder: Path
    wanted: str
    cells: Sequence[str]
    siblings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    compared: int = 0
    """How many were read to tell whose notebook they are."""
    unfit: set[str] = field(default_factory=set)
    """Names of notebooks that cannot be read; a note says why."""


def take_in(
    folder: Path,
    student: str,
    notebook: str,
    cells: Iterable[str] = (),
    siblings: Mapping[str, Sequence[str]] | None = None,
) -> HandedIn:
    r"""Look through the folder of one student.

    Parameters
    ----------
    folder
        Where the work lies.
    student
        Who.
    notebook
        The name that the notebook should have.
    cells
        Ids of the assignment's cells; of several notebooks the one that holds most of them is
        taken.
    siblings
        Other notebooks of the same assignment, with the ids of their cells; they are left alone.

    Examples
    --------
    >>> take_in(Path("/nowhere/ada/01_graphs"), "ada", "01_graphs").notes
    ('nothing was handed in',)
    """
    taking = _Taking(folder, f"{notebook}.ipynb", tuple(cells), siblings or {})
    if (known := safe_id(student)) != student:
        taking.notes.append(f"the folder {_shown(student)} has a name to avoid; here it is {known}")
    try:
        return _taken(taking, student)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return HandedIn(student, notes=(f"what was handed in cannot be looked at: {why}",))


def _taken(taking: _Taking, student: str) -> HandedIn:
    reason = _unfit(taking.folder)
    if reason:
        return HandedIn(student, notes=(reason,))
    found = [one for one in _files(taking.folder, taking.notes) if not _is_sibling(taking, one)]
    raw, name = _chosen(taking, found)
    rest = tuple(
        file.name
        for file in found
        if file.name != name and file.base not in OURS and file.name not in taking.unfit
    )
    if raw is not None and rest:
        verb = "lies" if len(rest) == 1 else "lie"
        taking.notes.append(f"{_listed(rest)} {verb} beside the notebook; not used")
    elif raw is None and not taking.unfit:
        there = f"; there is {_listed(rest)}" if rest else ""
        what = f"{taking.wanted} was not" if taking.siblings else "no notebook was"
        taking.notes.append(f"{what} handed in{there}")
    when, secret = _timestamp(taking.folder), _secret(taking.folder)
    return HandedIn(student, raw, name, tuple(taking.notes), rest, when, secret)


def _unfit(folder: Path) -> str:
    """Say why a folder cannot be looked into, or nothing."""
    for place in (folder.parent, folder):
        if place.is_symlink():
            return "the folder handed in is a link, and links are not followed"
    if not os.path.lexists(folder):
        return "nothing was handed in"
    if not folder.is_dir():
        return "a file lies where a folder with a notebook should be"
    if not os.access(folder, os.R_OK | os.X_OK):
        return "the folder handed in cannot be read: permission denied"
    return ""


def _files(folder: Path, notes: list[str]) -> Iterator[_File]:
    """Walk over all that lies in a folder, sorted, bounded, following nothing."""
    waiting = [(folder, "", 0)]
    count = 0
    while waiting:
        place, prefix, depth = waiting.pop(0)
        for entry in _entries(place):
            count += 1
            if count > MOST_ENTRIES:
                notes.append(f"only the first {MOST_ENTRIES:,} files were looked at")
                return
            name = prefix + entry.name
            if entry.is_symlink():
                yield _File(name, "link")
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in PASSED_OVER and depth < DEEPEST:
                    waiting.append((Path(entry.path), f"{name}/", depth + 1))
            elif entry.is_file(follow_symlinks=False):
                yield _File(name, "file", entry.stat(follow_symlinks=False).st_size)
            else:
                yield _File(name, "other")


def _entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _chosen(taking: _Taking, found: Sequence[_File]) -> tuple[bytes | None, str]:
    """Give the notebook to grade and its name; note whatever stood in the way."""
    exact = [file for file in found if _plain(file.name) == taking.wanted]
    others = [file for file in found if file not in exact and ".ipynb" in file.base.lower()]
    raw, name = _fittest(taking, exact)
    if raw is None:
        raw, name = _fittest(taking, others) if exact or others else _without_suffix(taking, found)
        if raw is not None:
            taking.notes.append(f"handed in as {_shown(name)}, not as {taking.wanted}")
    if len(taking.unfit) > MOST_NAMED:
        more = len(taking.unfit) - MOST_NAMED
        taking.notes.append(f"{more:,} more notebooks cannot be read")
    return raw, name


def _without_suffix(taking: _Taking, found: Sequence[_File]) -> tuple[bytes | None, str]:
    """Take a file that is a notebook by what is in it, if there is only one."""
    fitting = []
    for file in [one for one in found if one.kind == "file" and _is_bare(one.base)][:MOST_COMPARED]:
        with contextlib.suppress(OSError):
            raw = read_plain(taking.folder / file.name, LARGEST)
            if b'"nbformat"' in raw and _is_mine(taking, raw):
                fitting.append((raw, file.name))
    return fitting[0] if len(fitting) == 1 else (None, "")


def _is_bare(name: str) -> bool:
    return "." not in name or name.lower().endswith(BARE)


def _is_mine(taking: _Taking, raw: bytes) -> bool:
    """Tell whether a notebook holds more of this one's cells than of any other's beside it."""
    mine = _cells_in(raw, taking.cells)
    return all(_cells_in(raw, cells) < mine for cells in taking.siblings.values())


def _fittest(taking: _Taking, files: Sequence[_File]) -> tuple[bytes | None, str]:
    """Read some notebooks, the likeliest names first, one at a time; give the one that fits best.

    It fits by the cells of the assignment in it, then by its name, then by its size.
    """
    alike = {file.name: _alike(_plain(file.base), taking.wanted) for file in files}
    best: tuple[tuple[int, float, int], bytes, str] | None = None
    left, skipped = MOST_READ, 0
    for file in sorted(files, key=lambda one: (-alike[one.name], one.name)):
        if best is not None and left < file.size <= LARGEST:
            skipped += 1
            continue
        raw = _read(taking, file)
        if raw is not None:
            left -= len(raw)
            fitness = (_cells_in(raw, taking.cells), alike[file.name], file.size)
            if best is None or fitness > best[0]:
                best = (fitness, raw, file.name)
    if skipped:
        taking.notes.append(f"{skipped:,} of {len(files):,} notebooks were not read")
    return (None, "") if best is None else best[1:]


def _is_sibling(taking: _Taking, file: _File) -> bool:
    """Tell whether a file is another notebook of the same assignment, under whatever name.

    What it holds decides; names may have been exchanged.
    """
    name = _plain(file.name)
    possible = ".ipynb" in file.base.lower() or (_is_bare(file.base) and file.base not in OURS)
    if not taking.siblings or not possible:
        return False
    mine = theirs = 0
    if file.kind == "file" and taking.compared < MOST_COMPARED:
        taking.compared += 1
        with contextlib.suppress(OSError):
            raw = read_plain(taking.folder / file.name, LARGEST)
            mine = _cells_in(raw, taking.cells)
            theirs = max(_cells_in(raw, cells) for cells in taking.siblings.values())
    named = name != taking.wanted and name.removesuffix(".ipynb") in taking.siblings
    return theirs > mine or (theirs == mine and named)


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _cells_in(raw: bytes, cells: Iterable[str]) -> int:
    return sum(f'"{cell}"'.encode() in raw for cell in cells)


def _read(taking: _Taking, file: _File) -> bytes | None:
    """Read one file; what cannot be read is noted."""
    if file.kind != "file":
        what = "is a link, and links are not followed" if file.kind == "link" else "is no file"
        _note_unfit(taking, file, what)
        return None
    try:
        return read_plain(taking.folder / file.name, LARGEST)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or "cannot be read")
        _note_unfit(taking, file, reason)
        return None


def _note_unfit(taking: _Taking, file: _File, why: str) -> None:
    taking.unfit.add(file.name)
    if len(taking.unfit) <= MOST_NAMED:
        taking.notes.append(f"{_shown(file.name)} {why}")


def read_plain(path: Path, most: int) -> bytes:
    """Read an ordinary file without following a link.

    Parameters
    ----------
    path
        The file.
    most
        Bytes that it may have.

    Raises
    ------
    OSError
        It is a link, no file, too large, or cannot be read.
    """
    if not _NOFOLLOW and path.is_symlink():
        raise OSError(errno.ELOOP, "is a link, and links are not followed", str(path))
    handle = os.open(path, _OPEN)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "is no file", str(path))
        if status.st_size <= most:
            data = file.read(most + 1)
            if len(data) <= most:
                return data
        size = f"has {max(status.st_size, most) / 1e6:,.0f} MB"
        raise OSError(errno.EFBIG, f"{size}, and at most {most >> 20} are read", str(path))


def _timestamp(folder: Path) -> datetime.datetime | None:
    """Read when it was handed in, as nbgrader's list of assignments writes it."""
    try:
        return read_timestamp(read_plain(folder / "timestamp.txt", 200).decode())
    except (OSError, ValueError):
        return None


def _secret(folder: Path) -> str:
    try:
        return read_plain(folder / "submission_secret.txt", 200).decode("ascii")
    except (OSError, ValueError):
        return ""


def _plain(name: str) -> str:
    """Give a name as most systems write it; some take letters and their accents apart."""
    return unicodedata.normalize("NFC", name)


def _shown(name: str) -> str:
    """Quote a name so that nothing in it can be taken for something else."""
    text = name.encode("utf-8", "replace").decode("utf-8")
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return f"'{text}'" if len(text) <= 120 else f"'{text[:100]}...'"


def _listed(names: Sequence[str]) -> str:
    """Name some files, or count them when they are many."""
    shown = ", ".join(_shown(name) for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more:,} more" if more > 0 else shown
