"""`cgkit demo`: grade the sample class and compare its marks with those expected."""

from collections.abc import Iterable
from pathlib import Path

import click

from cgkit.cli.report import SIGNS, Item, Progress, Status, colors_wanted, finish, json_option
from cgkit.notebooks.demo import Mark, Outcome, demo, steps
from cgkit.notebooks.project import Project, find_project


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Grade a sample class, from release to feedback.

    Releases the assignments, hands in what the students of tests/classroom/ wrote, grades it as
    `cgkit grade` does, and compares each mark with the one expected. Afterwards build/demo/ holds
    all of it: the gradebook, the feedback that students get, and grades.csv.
    """
    project = find_project(Path.cwd())
    with Progress("grading", total=steps(project)) as progress:
        outcome = demo(project, tell=progress.step)
    if as_json:
        finish("demo", [_item(mark) for mark in outcome.marks], as_json=True)
    for line in outcome.situation.told:
        click.echo(f"{line}\n")
    for line in _table(outcome.marks):
        click.echo(line)
    click.echo()
    for line in _summary(project, outcome):
        click.echo(line)
    raise SystemExit(int(any(mark.faults for mark in outcome.marks)))


def _item(mark: Mark) -> Item:
    """Turn a mark into an item."""
    expected, given = _points(mark)
    words = [f"expected {expected}, given {given}", *filter(None, [_remark(mark)])]
    return Item(
        f"{mark.student.assignment}/{mark.student.name}",
        _status(mark),
        "\n".join([*words, *_lines(mark), *mark.faults]),
    )


def _status(mark: Mark) -> Status:
    if mark.faults:
        return "failed"
    return "skipped" if mark.skipped else "ok"


def _points(mark: Mark) -> tuple[str, str]:
    """Write the points expected and given, or a dash for no mark."""
    expected = f"{sum(mark.expected.values()):g}"
    if mark.given is None:
        return expected, "-"
    return expected, f"{sum(mark.given[name] for name in mark.expected):g}"


def _remark(mark: Mark) -> str:
    """Say what is special about a student's notebook, and what kept it apart, if nothing did."""
    why = mark.why if mark.skipped else mark.label
    return "; ".join(part for part in (mark.student.about, why) if part)


def _lines(mark: Mark) -> list[str]:
    """Give the notes on the file and the flags for the teacher, a line each."""
    return [*(f"note: {note}" for note in mark.notes), *(f"look: {flag}" for flag in mark.flags)]


def _table(marks: Iterable[Mark]) -> list[str]:
    """Lay out all marks, one line a student, with what is wrong below it."""
    marks = list(marks)
    names = [mark.student.name for mark in marks]
    width = max(*map(len, names), *(len(mark.student.assignment) - 2 for mark in marks))
    lines: list[str] = []
    assignment = ""
    for mark in marks:
        if mark.student.assignment != assignment:
            assignment = mark.student.assignment
            title = f"{assignment:<{width + 2}}"
            lines += ([""] if lines else []) + [f"{title}  expected   given"]
        sign, color = SIGNS[_status(mark)]
        shown = click.style(sign, fg=color) if colors_wanted() else sign
        expected, given = _points(mark)
        row = f"{mark.student.name:<{width}}  {expected:>8} {given:>7}   {_remark(mark)}"
        lines.append(f"{shown} {row}".rstrip())
        lines += [f"    {line}" for line in [*_lines(mark), *mark.faults]]
    return lines


def _summary(project: Project, outcome: Outcome) -> list[str]:
    """Say how it went and where everything lies."""
    wrong = sum(bool(mark.faults) for mark in outcome.marks)
    skipped = sum(mark.skipped for mark in outcome.marks)
    total = len(outcome.marks) - skipped
    verdict = f"{wrong} of {total} marks not as expected" if wrong else f"{total} of {total} marks"
    missing = f"; {skipped} skipped, which need a sandbox" if skipped else ""
    return [
        (verdict if wrong else f"{verdict} as expected") + missing,
        f"grades    {project.relative(outcome.grades)}",
        f"feedback  {project.relative(outcome.home / 'feedback')}",
    ]
