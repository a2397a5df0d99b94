"""What an author says about one assignment, in lines of its locked code cells.

    # grading: give cgkit.errors:CycleError      definitions of cgkit that are there inside
    # grading: forbid heapq, functools:cache     modules, and names of modules, that are not
    # grading: allow numba                       a package beside NumPy and graphviz
    # grading: warm                              this given cell is run once before all students

      ──► edition_of(master) ──► Edition(names=..., missing=..., barred=..., packages=..., warm=...)

Students see these lines, and so know what is not to be used. In their own notebooks they are
comments.

Invariant: a word that is not known, or a name that is not there, is an error with cell and line.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from cgkit.errors import CgkitError, NotebookError
from cgkit.grading.edition import INERT, PACKAGES, READY_MADE, Edition
from cgkit.grading.excerpt import excerpts
from cgkit.grading.master import Master, MasterCell

_LINE = re.compile(r"^[ \t]*#+\s*grading\b\s*:?(?P<rest>.*)$", re.IGNORECASE)
_EXACT = re.compile(r"^# grading: (?P<word>[a-z]+)(?P<names>( .*)?)$")
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*(:[^\W\d]\w*)?")
_STANDARD = ("numpy", "graphviz")


@dataclass(frozen=True)
class Setting:
    """One line of an author's."""

    cell: str
    line: int
    word: str
    names: tuple[str, ...]

    def fault(self, what: str, attempt: str = "") -> NotebookError:
        """Make an error that says where."""
        return NotebookError(f"cell {self.cell}, line {self.line}: {what}", attempt=attempt)


def settings_of(master: Master) -> tuple[Setting, ...]:
    """Read all such lines of an assignment.

    Raises
    ------
    NotebookError
        A line is not understood, or stands where a student could change it.
    """
    return tuple(setting for cell in master.cells for setting in _in_cell(cell))


def _in_cell(cell: MasterCell) -> Iterator[Setting]:
    if cell.kind != "code":
        return
    for number, line in enumerate(cell.source.split("\n"), start=1):
        if not _LINE.match(line):
            continue
        found = _EXACT.match(line.rstrip())
        word = found["word"] if found else ""
        names = tuple(name.strip() for name in found["names"].split(",")) if found else ()
        setting = Setting(cell.cell, number, word, tuple(name for name in names if name))
        if cell.role not in ("given", "test"):
            raise setting.fault("'# grading:' belongs into a locked cell, marked readonly")
        if word == "warm" and cell.role == "test":  # its text is read by a student's code
            what = "'# grading: warm' runs the cell where students' code runs"
            raise setting.fault(what, "a given cell of its own for what is to be warm")
        if word not in _WORDS:
            near = difflib.get_close_matches(word, _WORDS, n=1)
            known = ", ".join(f"'# grading: {one}'" for one in _WORDS)
            attempt = f"# grading: {near[0]}" if near else ""
            raise setting.fault(f"{line.strip()!r} is not understood; known: {known}", attempt)
        yield setting


def edition_of(master: Master) -> Edition:
    """Give what an assignment lets its students import.

    Parameters
    ----------
    master
        The assignment.

    Raises
    ------
    NotebookError
        A line is not understood, or names what is not there; the message names cell and line.
    """
    edition = Edition()
    sources = {cell.cell: cell.source for cell in master.cells}
    for setting in settings_of(master):
        if bool(setting.names) == (setting.word == "warm"):
            wrong = "takes no names" if setting.names else "needs names behind it"
            raise setting.fault(f"'# grading: {setting.word}' {wrong}")
        for name in setting.names:
            if not _NAME.fullmatch(name):
                attempt = "names with commas between them: heapq, functools:cache"
                raise setting.fault(f"{name!r} is no name", attempt)
        edition = _WORDS[setting.word](edition, setting, sources[setting.cell])
    return edition


def _give(edition: Edition, setting: Setting, source: str) -> Edition:
    try:
        excerpts(setting.names)
    except CgkitError as error:
        raise setting.fault(str(error)) from error
    return _with(edition, names=setting.names)


def _forbid(edition: Edition, setting: Setting, source: str) -> Edition:
    for name in setting.names:
        module, colon, inner = name.partition(":")
        if module.split(".")[0] == "cgkit":
            raise setting.fault(f"{name}: nothing of cgkit is there but what you give")
        if not colon and module in _STANDARD:
            raise setting.fault(f"{name} cannot be missing; forbid names of it: {name}:NAME")
        if colon:
            _expect_function(setting, module, inner)
        elif module not in READY_MADE:
            _expect_module(setting, module)
    whole = tuple(name for name in setting.names if ":" not in name)
    return _with(edition, missing=whole, barred=tuple(n for n in setting.names if ":" in n))


def _expect_module(setting: Setting, module: str) -> None:
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise setting.fault(f"there is no module {module} here, so nobody could use it")
    if "." in module:
        attempt = f"# grading: forbid {module.partition('.')[0]}, or names: {module}:NAME"
        raise setting.fault(f"only a whole package can be missing, not {module}", attempt)
    if module in sys.builtin_module_names or module in _NEEDED:
        attempt = f"names of it: # grading: forbid {module}:NAME"
        raise setting.fault(f"Python itself needs {module}", attempt)


def _expect_function(setting: Setting, module: str, name: str) -> None:
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        raise setting.fault(f"there is no module {module}") from None
    if found is None:
        raise setting.fault(f"{module} has no {name}")
    if not callable(found):
        raise setting.fault(f"{module}:{name} is neither a function nor a class")


def _allow(edition: Edition, setting: Setting, source: str) -> Edition:
    for name in setting.names:
        known = name in READY_MADE and (name in PACKAGES or name in sys.stdlib_module_names)
        if known:
            continue
        if name in (*_STANDARD, *INERT) or name in sys.stdlib_module_names:
            raise setting.fault(f"{name} is there already, as far as it is of use")
        able = ", ".join(sorted({*PACKAGES, *(set(READY_MADE) & sys.stdlib_module_names)}))
        raise setting.fault(f"{name} cannot be shown inside; what can: {able}")
    missing = tuple(name for name in edition.missing if name not in setting.names)
    packages = tuple(name for name in setting.names if name in PACKAGES)
    return _with(replace(edition, missing=missing), packages=packages)


def _warm(edition: Edition, setting: Setting, source: str) -> Edition:
    return _with(edition, warm=(source,))


_WORDS: Mapping[str, Callable[[Edition, Setting, str], Edition]] = {
    "give": _give,
    "forbid": _forbid,
    "allow": _allow,
    "warm": _warm,
}
_NEEDED = frozenset(("os", "io", "abc", "codecs", "encodings", "importlib", "types", "warnings"))


def _with(edition: Edition, **more: tuple[str, ...]) -> Edition:
    """Add to some fields, each thing once."""
    whole = {name: (*getattr(edition, name), *new) for name, new in more.items()}
    return replace(edition, **{name: tuple(dict.fromkeys(all_)) for name, all_ in whole.items()})
