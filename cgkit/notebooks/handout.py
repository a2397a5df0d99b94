"""The given cells of an assignment, in place of those that a student lost or changed.

    student's notebook ──restore──► the same answers, with the check cells that were handed out
             release ───┘       └─► sentences about what was missing, changed or renamed

Students work in a copy of the release, or in the release itself; then there is nothing to take a
cell from, and the checksums that nbgrader left in the cells tell which of them were changed.
Invariants: the notebook given stays as it is; no task of the assignment is lost from the sum.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgkit.errors import CgkitError
from cgkit.notebooks.compose import load
from cgkit.notebooks.project import find_project

if TYPE_CHECKING:
    from nbformat import NotebookNode


@dataclass(frozen=True)
class Handout:
    """A notebook ready to be run, and what was odd about its given cells."""

    notebook: NotebookNode
    """A copy with the cells that were handed out."""
    notes: tuple[str, ...] = ()
    """What was put back, one sentence for each kind."""
    lost: tuple[tuple[str, float], ...] = ()
    """Check cells that are missing and could not be put back, with their points."""
    changed: frozenset[str] = frozenset()
    """Check cells that were changed and could not be put back; they count nothing."""


def hand_out(path: Path, notebook: NotebookNode) -> Handout:
    """Put the check cells of the assignment into a student's notebook.

    Parameters
    ----------
    path
        Where the notebook lies.
    notebook
        What it holds.
    """
    release = find_release(path, notebook)
    if release is None:
        return Handout(notebook)
    if path.exists() and release.samefile(path):
        return compare(notebook, release.stem)
    handout = restore(notebook, load(release))
    renamed = _renamed(path, release)
    return Handout(handout.notebook, (*renamed, *handout.notes))


def find_release(path: Path, notebook: NotebookNode) -> Path | None:
    """Find the notebook that was handed out, of which this one is a copy.

    Its name says which, or that of its folder, or the text it was built from; and it shares the
    names of cells. If none of these fits, the release does that shares most check cells.
    """
    try:
        folder = find_project(path.absolute().parent).assignments
    except CgkitError:
        return None
    built_from = Path(_source_of(notebook)).stem
    named = (path.stem, built_from, path.absolute().parent.name)
    mine = {name for cell in notebook.cells if (name := name_of(cell)).startswith("test_")}
    best, most = None, 0
    for release in sorted(folder.glob("*/*.ipynb")):
        handed_out = load(release)
        if release.parent.name != release.stem and not _is_built(handed_out, release.stem):
            continue
        theirs = {name_of(cell) for cell in handed_out.cells}
        shared = len(mine & theirs)
        if release.stem in named and (shared or theirs & {*map(name_of, notebook.cells)}):
            return release
        if shared > max(most, len(mine) // 2):
            best, most = release, shared
    return best


def _is_built(notebook: NotebookNode, name: str) -> bool:
    """Tell whether a notebook was built from a text of its name, as one of several is."""
    return _source_of(notebook) == f"solutions/{name}.py"


def _source_of(notebook: NotebookNode) -> str:
    found = notebook.metadata.get("cgkit", {})
    return str(found.get("source", "")) if isinstance(found, dict) else ""


def _renamed(path: Path, release: Path) -> Iterator[str]:
    if path.name != release.name:
        yield (
            f"this notebook is called {path.name}: hand it in as {release.name}, the name it was "
            "handed out under"
        )


def name_of(cell: NotebookNode) -> str:
    """Give nbgrader's name of a cell; the builder gives it to the notebook's id as well."""
    return str(settings(cell).get("grade_id") or cell.get("id", ""))


def settings(cell: NotebookNode) -> dict[str, Any]:
    """Give what nbgrader noted about a cell; nothing, if that was damaged."""
    found = cell.metadata.get("nbgrader", {})
    return found if isinstance(found, dict) else {}


def is_check(cell: NotebookNode) -> bool:
    """Tell whether a cell is one whose points a check gives."""
    found = settings(cell)
    return bool(found.get("grade")) and not found.get("solution")


def _is_given(cell: NotebookNode) -> bool:
    """Tell whether a cell must be there for the others to run or to count."""
    found = settings(cell)
    return bool(found.get("grade") or (found.get("locked") and cell.cell_type == "code"))


# from the release


def restore(notebook: NotebookNode, released: NotebookNode) -> Handout:
    """Put back check cells as they were handed out, and given code cells that are missing.

    Parameters
    ----------
    notebook
        A student's notebook; stays as it is.
    released
        What was handed out.
    """
    mended = copy.deepcopy(notebook)
    missing, changed, doubled = list[str](), list[str](), list[str]()
    for place, cell in enumerate(released.cells):
        if not _is_given(cell):
            continue
        name = name_of(cell)
        same = [one for one in mended.cells if name_of(one) == name]
        same = same or [one for one in mended.cells if _is_bare_copy(one, cell)]
        if not same:
            missing.append(name)
            mended.cells.insert(_place(mended, released.cells[:place]), copy.deepcopy(cell))
        elif is_check(cell):
            doubled += [name] * (len(same) > 1)
            changed += [name] * any(_squeezed(one) != _squeezed(cell) for one in same)
            _replace(mended, same, cell)
        elif settings(cell).get("solution") and not settings(same[0]):
            same[0].metadata["nbgrader"] = copy.deepcopy(cell.metadata["nbgrader"])
    return Handout(mended, tuple(_notes(missing, changed, doubled)))


def _is_bare_copy(one: NotebookNode, cell: NotebookNode) -> bool:
    return not settings(one) and _squeezed(one) == _squeezed(cell) and bool(cell.source.strip())


def _squeezed(cell: NotebookNode) -> tuple[str, str]:
    return cell.cell_type, "".join(str(cell.source).split())


def _replace(mended: NotebookNode, same: Sequence[NotebookNode], cell: NotebookNode) -> None:
    """Let the first of some cells be the given one; what a copy of it says counts no more."""
    places = [at for at, one in enumerate(mended.cells) if any(one is other for other in same)]
    mended.cells[places[0]] = copy.deepcopy(cell)
    for at in reversed(places[1:]):
        del mended.cells[at]


def _place(mended: NotebookNode, before: Sequence[NotebookNode]) -> int:
    """Find the place behind the nearest cell that stands before in the release."""
    names = [name_of(cell) for cell in mended.cells]
    for cell in reversed(before):
        if name_of(cell) in names:
            return len(names) - names[::-1].index(name_of(cell))
    return 0


def _notes(missing: list[str], changed: list[str], doubled: list[str]) -> Iterator[str]:
    ours = "the cells that were handed out were used"
    if missing:
        yield f"missing: {', '.join(missing)}; {ours}"
    if changed:
        yield f"changed: {', '.join(changed)}; {ours}"
    if doubled:
        yield f"there more than once: {', '.join(doubled)}; each was run once"


# without a release


def compare(notebook: NotebookNode, assignment: str) -> Handout:
    """Look for check cells that are missing or changed, where nothing else holds them.

    Parameters
    ----------
    notebook
        The notebook that was handed out, and worked in.
    assignment
        Its name, such as "01_graphs" or "02a_dynamic".
    """
    from cgkit.checks import NOTEBOOKS, tasks

    checks = [cell for cell in notebook.cells if is_check(cell)]
    changed = frozenset(
        name_of(cell)
        for cell in checks
        if "checksum" in settings(cell) and settings(cell)["checksum"] != checksum(cell)
    )
    found = {name_of(cell) for cell in checks}
    wanted = tasks(assignment) if assignment in NOTEBOOKS else ()
    named = ((f"test_{task.name}", float(task.points)) for task in wanted)
    return Handout(notebook, (), tuple(task for task in named if task[0] not in found), changed)


def checksum(cell: NotebookNode) -> str:
    """Give the checksum that nbgrader leaves in the given cells of a release.

    nbgrader's own function takes two seconds to import.
    """
    found = settings(cell)
    grade, solution = bool(found.get("grade")), bool(found.get("solution"))
    locked = not solution and (grade or bool(found.get("locked")))
    words = [cell.source, cell.cell_type, str(grade), str(solution), str(locked)]
    words += [str(found.get("grade_id", ""))]
    if grade:
        words.append(str(float(found.get("points") or 0)))
    return hashlib.md5("".join(words).encode(), usedforsecurity=False).hexdigest()
