"""`cgkit grade`: mark what a class handed in, behind fences, several at once.

    classes/submitted/STUDENT/ASSIGNMENT/ ──► gradebook, marked notebooks, grades.csv

What is written stays written: after Ctrl-C, or worse, a second run goes on where the first stopped.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from cgkit.bench.machine import usable
from cgkit.cli.report import SIGNS, Item, Progress, Status, colors_wanted, emit, fail, json_option
from cgkit.errors import EnvironmentFault, NotebookError, UsageFault
from cgkit.grading.batch import Graded, grade_class, lessons_of
from cgkit.grading.gradebook import Change
from cgkit.grading.places import Places, read_places, safe_id
from cgkit.grading.sandbox import Situation, find
from cgkit.grading.shown import plain
from cgkit.grading.situation import MEANINGS
from cgkit.notebooks.build import is_current
from cgkit.notebooks.project import Project, find_project
from cgkit.words import counted

_NAMED = 6
"""How many of the cells that wait are named."""


@dataclass(frozen=True)
class GradedItem(Item):
    """One submission in the report of --json, with the figures a program wants."""

    points: float = 0.0
    """Points that count now, those given by hand among them."""
    out_of: float = 0.0
    """Points that there are, those that only a person can give among them."""
    changed: bool = False
    changes: tuple[Change, ...] = ()
    """Marks that are others than before, old and new."""
    known: bool = False
    """Whether the result was kept from an earlier run."""
    waiting: tuple[str, ...] = ()
    """Cells that a person must look at."""
    notes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    label: str = ""


@click.command()
@click.argument("assignment", required=False)
@click.option("--student", "students", multiple=True, metavar="ID", help="Only this student.")
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=64),
    help="How many to grade at once; as many as this machine has processors by itself.",
)
@click.option("--again", is_flag=True, help="Grade what is known already once more.")
@click.option(
    "--unsandboxed",
    is_flag=True,
    help="Without a sandbox: students' code then runs with your rights.",
)
@json_option
def command(
    assignment: str | None,
    students: tuple[str, ...],
    workers: int | None,
    again: bool,
    unsandboxed: bool,
    as_json: bool,
) -> None:
    """Grade what students handed in.

    Reads classes/submitted/STUDENT/ASSIGNMENT/ and writes the gradebook, the marked notebooks that
    formgrader shows, and classes/grades.csv. Without ASSIGNMENT, every assignment that something
    was handed in for. Stop at any time: nothing is lost, and the next run goes on from there.
    """
    project = find_project(Path.cwd())
    places = read_places(project.root)
    names = _assignments(project, places, assignment, students)
    situation = _situation(unsandboxed)
    for line in situation.told:
        click.echo(line, err=True)
    graded: list[Graded] = []
    for lesson in (one for name in names for one in lessons_of(places, name, situation)):
        whose = students if assignment else _whose(places, lesson.name, students)
        with Progress(lesson.title) as progress:
            teller = Teller(progress)
            try:
                done = grade_class(
                    lesson,
                    students=whose,
                    workers=workers or usable(),
                    again=again,
                    tell=teller,
                )
            except KeyboardInterrupt:
                fail(teller.stopped(), 130)
        graded += done
        if not as_json:
            for line in _table(lesson.title, done):
                click.echo(line)
    if as_json:
        emit("grade", [_item(one) for one in graded], as_json=True)
    else:
        for line in _summary(project, places, graded):
            click.echo(line)
    sys.exit(int(any(one.result.failed for one in graded)))


class Teller:
    """Says on a terminal how far the work has come and how long the rest may take.

    Parameters
    ----------
    progress
        The line that is rewritten.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._start = time.monotonic()
        self._slow = 0
        self.done = 0
        self.total = 0

    def __call__(self, graded: Graded, done: int, total: int) -> None:
        """Take notice of one submission that is written."""
        self.done, self.total = done, total
        self._progress.total = total
        self._slow += not graded.known
        words = [safe_id(graded.student)]
        if self._slow:
            seconds = (time.monotonic() - self._start) / self._slow * (total - done)
            words.append(f"about {lasting(seconds)} left")
        self._progress.step("  ".join(words))

    def stopped(self) -> str:
        """Say what stands after Ctrl-C."""
        of = f" of {self.total}" if self.total else ""
        return f"stopped: {self.done}{of} are written; the same command goes on from here"


def lasting(seconds: float) -> str:
    """Write a time as one says it.

    Examples
    --------
    >>> lasting(0.4), lasting(50), lasting(4000)
    ('1 s', '50 s', '67 min')
    """
    return f"{seconds / 60:.0f} min" if seconds > 60 * 1.05 else f"{max(1, seconds):.0f} s"


def _whose(places: Places, name: str, students: Sequence[str]) -> tuple[str, ...]:
    """Name those of some students who handed an assignment in."""
    there = places.students(name)
    return tuple(student for student in students if student in there)


def _assignments(
    project: Project, places: Places, wanted: str | None, students: Sequence[str]
) -> list[str]:
    """Name what is to be graded; its notebook must be that of its text."""
    if wanted is not None:
        names = [wanted.rstrip("/").rpartition("/")[2]]
        if names[0] not in places.assignments():
            known = ", ".join(places.assignments()) or "none"
            what = f"there is no assignment {wanted!r}"
            raise UsageFault(what, why=f"assignments here: {known}")
    else:
        names = [name for name in places.assignments() if places.students(name)]
        if students and names:
            _refuse_strangers(places, names, students)
            names = [name for name in names if _whose(places, name, students)]
    if not names:
        example = places.handed_in("STUDENT", next(iter(places.assignments()), "ASSIGNMENT"))
        what = f"nothing has been handed in: there is no {project.relative(places.submitted)}"
        if places.submitted.is_dir():
            what = f"nothing has been handed in: {project.relative(places.submitted)} holds no work"
        raise UsageFault(what, attempt=f"put what comes back into {project.relative(example)}/")
    for text in project.texts:
        if text.kind == "assignment" and text.assignment in names and not is_current(text):
            reason = f"{project.relative(text.built)} is older than {text.source}"
            raise NotebookError(reason, attempt=f"cgkit build {text.source}")
    return names


def _refuse_strangers(places: Places, names: Sequence[str], students: Sequence[str]) -> None:
    known = sorted({one for name in names for one in places.students(name)})
    strangers = [student for student in dict.fromkeys(students) if student not in known]
    if strangers:
        what = f"{', '.join(strangers)} handed nothing in"
        raise UsageFault(what, why=f"in {places.submitted}: {', '.join(known[:20])}")


def _situation(unsandboxed: bool) -> Situation:
    """Find the fence; without one, go on only if that was asked for."""
    if unsandboxed:
        return find("none")
    try:
        return find()
    except EnvironmentFault as fault:
        attempt = (
            "a Linux machine where namespaces are allowed; or, if you trust every submission, "
            "--unsandboxed: their code then runs with your rights"
        )
        raise EnvironmentFault(fault.what, why=fault.why, attempt=attempt) from fault


def _status(graded: Graded) -> Status:
    if graded.result.failed:
        return "failed"
    return "note" if graded.result.notes or graded.result.flags else "ok"


def _points(graded: Graded) -> str:
    return f"{graded.recorded.points:g} of {graded.recorded.out_of:g}"


def _item(graded: Graded) -> GradedItem:
    """Turn a submission into an item."""
    result = graded.result
    return GradedItem(
        name=f"{graded.assignment}/{safe_id(graded.student)}",
        status=_status(graded),
        detail="\n".join([f"{_points(graded)} points", *graded.remarks()]),
        points=graded.recorded.points,
        out_of=graded.recorded.out_of,
        changed=graded.changed,
        changes=graded.recorded.changes,
        known=graded.known,
        waiting=graded.waiting,
        notes=result.notes,
        flags=tuple(f"{flag.where}: {flag.what}: {flag.evidence}" for flag in result.flags),
        label=result.label,
    )


def _table(name: str, graded: Iterable[Graded]) -> list[str]:
    """Lay out one assignment, one line a student, with what is special below it."""
    graded = list(graded)
    width = max(len(name) - 2, *(len(safe_id(one.student)) for one in graded))
    lines = [f"{name:<{width + 2}}  points"]
    for one in graded:
        sign, color = SIGNS[_status(one)]
        shown = click.style(sign, fg=color) if colors_wanted() else sign
        waiting = f"   waits for a person: {_listed(one.waiting)}" if one.waiting else ""
        label = f"   {one.result.label}" if one.result.label else ""
        lines.append(f"{shown} {safe_id(one.student):<{width}}  {_points(one)}{label}{waiting}")
        lines += [plain(f"    {remark}") for remark in one.remarks()]
    return [*lines, ""]


def _listed(cells: Sequence[str]) -> str:
    """Name some cells, and count the rest of many."""
    rest = len(cells) - _NAMED
    more = [f"and {rest} more"] if rest > 1 else cells[_NAMED:]
    return ", ".join([*cells[:_NAMED], *more])


def _summary(project: Project, places: Places, graded: list[Graded]) -> list[str]:
    """Say what this run did and where everything lies."""
    fresh = sum(not one.known for one in graded)
    changed = sum(one.changed for one in graded)
    flagged = sum(bool(one.result.flags) for one in graded)
    lost = sum(bool(one.result.failed) for one in graded)
    all_of_them = counted(len(graded), "submission")
    head = f"{all_of_them}: {fresh} graded, {len(graded) - fresh} known already"
    if not changed:
        head = f"nothing has changed: {all_of_them} marked as before"
    lines = [head]
    labels = Counter(one.result.label for one in graded if one.result.label)
    lines += [f"{many} {label}: {MEANINGS.get(label, '')}" for label, many in labels.items()]
    if flagged:
        have = "has" if flagged == 1 else "have"
        lines.append(f"{flagged} {have} something for you to judge; a flag is no verdict")
    if lost:
        lines.append(f"{lost} could not be graded; run this again, or look at them in formgrader")
    lines.append(f"grades    {project.relative(places.grades)}")
    lines.append(f"notebooks {project.relative(places.autograded)}")
    return lines
