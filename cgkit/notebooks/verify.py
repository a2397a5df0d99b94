"""Say whether what was built is current, right, and keeps its secrets.

    text ──made again──► equal to what is stored?       chapters: run again, outputs compared
    answers ──run, and graded──► every check gives all its points?   checks fair?
    release ──run──► nothing but NotImplementedError, 0 points?  no hidden line in it?

Nothing is written outside build/. Times in volatile cells and the bytes of pictures may differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from cgkit.cells import Cell, read
from cgkit.errors import CgkitError, NotebookError
from cgkit.grading.lint import lint
from cgkit.grading.master import Master, read_master
from cgkit.notebooks import outputs, release
from cgkit.notebooks.build import Tell, is_current, make, place_of, untold
from cgkit.notebooks.compose import dump, load
from cgkit.notebooks.project import Project, Text
from cgkit.notebooks.run import Limits, run
from cgkit.notebooks.tasks import UNWRITTEN, Report, report
from cgkit.notebooks.trial import grade_answers, with_offers

if TYPE_CHECKING:
    from nbformat import NotebookNode

RUN_OF_LINES = 3
"""So many lines of an answer in a row give it away in a chapter, which may share single ones."""

NAMELESS = "; where a class is the answer, a region in each of its methods keeps its name"


@dataclass(frozen=True)
class Finding:
    """What is known about one built file."""

    name: str
    """The file, as one would type it from the root."""
    fault: str = ""
    """What is wrong and what to run, or "" when all is well."""


def verify(project: Project, names: Iterable[str] = (), *, tell: Tell = untold) -> list[Finding]:
    """Check everything that was built from some texts.

    Parameters
    ----------
    project
        The course.
    names
        Which texts; all of them when empty.
    tell
        Told what happens now.

    Returns
    -------
    list of Finding
        At least one for each built file; several for a file with several faults.
    """
    texts = project.select(names)
    findings: list[Finding] = []
    for text in texts:
        tell(text.source)
        name = project.relative(text.built)
        findings += _named(name, _built_faults(project, text, tell))
    for text, faults in _release_faults(project, texts, tell):
        assert text.released is not None
        findings += _named(project.relative(text.released), faults)
    return findings


def _named(name: str, faults: Iterable[str]) -> list[Finding]:
    found = [Finding(name, fault) for fault in faults]
    return found or [Finding(name)]


def _built_faults(project: Project, text: Text, tell: Tell) -> Iterator[str]:
    """Find what is wrong with the notebook made from a text."""
    try:
        cells = read(text.path, text.source)
        if not text.built.is_file():
            yield f"not built yet; run: cgkit build {text.source}"
            return
        if not is_current(text):
            yield f"older than {text.source}; run: cgkit build {text.source}"
            return
        fresh = make(project, text, tell)
        stored = load(text.built)
    except NotebookError as error:
        yield str(error)
        return
    again = f"run: cgkit build --force {text.source}"
    if text.kind == "assignment":
        if dump(fresh) != text.built.read_text(encoding="utf-8"):
            yield f"not what its text gives; was it edited? {again}"
            return
        yield from _assignment_faults(text, cells, fresh, tell)
        return
    pairs = zip_longest(cells, outputs.comparable(stored), outputs.comparable(fresh))
    for cell, before, now in pairs:
        if before != now:
            place = place_of(text, cell) if cell else "the last cell"
            yield f"stored outputs differ from those of a new run ({place}); {again}"
            return


def _assignment_faults(
    text: Text, cells: Sequence[Cell], made: NotebookNode, tell: Tell
) -> Iterator[str]:
    """Find what is wrong with the tests of an assignment, by their text and by two runs."""
    master = read_master(json.loads(text.built.read_text(encoding="utf-8")))
    yield from _lint_faults(text, cells, master)
    tell(f"{text.source}: run with the answers")
    ran = run(with_offers(made, master), text.built.parent, Limits())
    faults = list(_answer_faults(text, cells, report(ran)))
    yield from faults
    if not faults:
        tell(f"{text.source}: graded as a student's")
        try:
            grade_answers(text.name, text.built)
        except CgkitError as fault:
            yield str(fault)


def _lint_faults(text: Text, cells: Sequence[Cell], master: Master) -> Iterator[str]:
    """Find test cells that would judge unfairly, or tell secrets, when work is graded."""
    places = {cell.grade_id: place_of(text, cell) for cell in cells}
    for finding in lint(master):
        place = places.get(finding.where, finding.where)
        yield f"{place}, line {finding.line} of {finding.where}: {finding.what}"


def _answer_faults(text: Text, cells: Sequence[Cell], result: Report) -> Iterator[str]:
    """Find checks that do not give all their points to the answers of the text itself."""
    places = {cell.grade_id: place_of(text, cell) for cell in cells}
    for broken in result.broken:
        yield f"{places.get(broken.name, broken.name)} fails: {broken.message}"
    for task in result.tasks:
        if not task.by_hand and not task.passed:
            points = f"{task.given:g} of {task.out_of:g} points"
            yield f"{places[task.name]} gives {points} to the right answer: {task.message}"


def _release_faults(
    project: Project, texts: Iterable[Text], tell: Tell
) -> Iterator[tuple[Text, list[str]]]:
    """Find what is wrong with what students receive, for each assignment that is built."""
    ready = [text for text in texts if text.released is not None and _is_ready(text)]
    if not ready:
        return
    tell("releases")
    names = dict.fromkeys(text.assignment for text in ready)
    with release.releases(project, names) as folder:
        for text in ready:
            made = folder / text.assignment
            tell(f"{project.relative(project.assignments / text.assignment)}: run as released")
            siblings = {one.built.name for one in project.lessons[text.assignment]}
            faults = [
                f"{fault}; run: cgkit build --force {text.source}"
                for name, fault in _differing_files(made, project.assignments / text.assignment)
                if name not in siblings - {text.built.name}
            ]
            faults += _unwritten_faults(made / text.built.name)
            yield text, faults + list(_leak_faults(project, text))


def _is_ready(text: Text) -> bool:
    try:
        return is_current(text)
    except NotebookError:
        return False


def _differing_files(made: Path, place: Path) -> Iterator[tuple[str, str]]:
    """Name files that are not what nbgrader makes of the solution, and say what is wrong."""
    wanted, found = release.files(made), release.files(place)
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            yield name, f"{name} is missing"
        elif name not in wanted:
            yield name, f"{name} does not belong there"
        elif wanted[name] != found[name]:
            yield name, f"{name} is not what its solution gives"


def _unwritten_faults(path: Path) -> Iterator[str]:
    """Find what a release says or gives beyond "not written yet"."""
    result = report(run(load(path), path.parent, Limits()))
    for broken in result.broken:
        yield f"as released, the cell {broken.name} fails: {broken.message}"
    for task in result.tasks:
        if task.given:
            yield f"as released, {task.name} gives {task.given:g} points for nothing"
        elif task.error and task.error not in UNWRITTEN:
            error = f"{task.error}, not NotImplementedError"
            cure = NAMELESS if task.error == "NameError" else ""
            yield f"as released, {task.name} fails with {error}{cure}"


def _leak_faults(project: Project, text: Text) -> Iterator[str]:
    """Find answers and hidden tests in what students receive."""
    cells = read(text.path, text.source)
    siblings = {one.released for one in project.lessons[text.assignment]} - {text.released}
    own = [
        path
        for path in _all(project.assignments / text.assignment)
        if path.is_file() and path not in siblings
    ]
    others = [
        path
        for folder in (project.assignments, project.root / "course")
        for path in _all(folder)
        if path.is_file() and path not in own
    ]
    found = [*release.leaks(cells, own), *release.leaks(cells, others, run=RUN_OF_LINES)]
    for path, line in found:
        yield f"{project.relative(path)} holds a hidden line of {text.source}: {line}"


def _all(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))
