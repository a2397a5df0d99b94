"""`cgkit check`: say how each task of a notebook stands."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from cgkit.cli.report import (
    SIGNS,
    Item,
    Progress,
    colors_wanted,
    explain,
    finish,
    json_option,
    spoken,
)
from cgkit.errors import NotebookError, UsageFault
from cgkit.notebooks.run import Limits
from cgkit.notebooks.tasks import Report, Task, inspect_notebook
from cgkit.score import heading, points_of

SECONDS = 20.0


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=SECONDS,
    show_default=True,
    help="Time limit for one cell.",
)
@json_option
def command(paths: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Run your notebooks and say how each task stands.

    PATH is a notebook of an assignment, or the folder of one. A copy is run from top to bottom;
    your file stays as it is. Save it before, in JupyterLab.
    """
    files = [file for path in paths for file in _notebooks(Path(path))]
    found: list[Item] = []
    for file in files:
        items = _inspect(file, Limits(cell=seconds))
        if not as_json:
            _show(file.as_posix() if len(files) > 1 else "", items)
        prefix = f"{file.as_posix()}: " if len(files) > 1 else ""
        found += [Item(prefix + item.name, item.status, item.detail) for item in items]
    if as_json:
        finish("check", found, as_json=True)
    sys.exit(int(any(item.status == "failed" for item in found)))


def _show(title: str, items: list[Item]) -> None:
    """Print the items of one notebook."""
    if title:
        click.echo(title)
    for item in items:
        click.echo(_text(item))


def _notebooks(path: Path) -> list[Path]:
    """Name the notebooks that a path stands for."""
    if path.is_dir():
        found = sorted(path.glob("*.ipynb"))
        if not found:
            raise UsageFault(f"no notebook in the folder {path}")
        return found
    if not path.exists():
        near = sorted(path.parent.glob("*.ipynb")) if path.parent.is_dir() else []
        attempt = ", ".join(map(str, near)) or spoken("check assignments/01_graphs")
        raise UsageFault(f"there is no file {path}", attempt=attempt)
    return [path]


def _inspect(file: Path, limits: Limits) -> list[Item]:
    """Run one notebook; one that cannot be opened is a failed item, not the end."""
    with Progress(file.name) as progress:

        def step(number: int, total: int) -> None:
            progress.total = total
            progress.step()

        try:
            report = inspect_notebook(file, limits, step=step)
        except NotebookError as error:
            return [Item("notebook", "failed", explain(error))]
    return list(_items(report))


def _items(report: Report) -> Iterator[Item]:
    """Turn a report into items: broken cells, tasks, and the sum."""
    for note in report.notes:
        yield Item("notebook", "note", note)
    for broken in report.broken:
        yield Item(broken.name, "failed", f"this cell does not run\n{broken.message}")
    for task in report.tasks:
        yield _item(task)
    points = f"{report.given:g} of {report.out_of:g} points"
    waiting = sum(task.out_of for task in report.tasks if task.by_hand)
    more = f"; {waiting:g} more are given later" if waiting else ""
    yield Item("sum", "note", points + more)


def _item(task: Task) -> Item:
    """Turn one task into an item."""
    if task.by_hand:
        return Item(task.name, "note", f"{task.out_of:g} points, {task.message}")
    points = points_of(task.given, task.out_of)
    detail = f"{points}\n{task.message}".rstrip("\n")
    return Item(task.name, "ok" if task.passed else "failed", detail)


def _text(item: Item) -> str:
    """Write an item; a check's own block keeps its width, and brings its own first line."""
    head, *rest = item.detail.splitlines()
    sign, color = SIGNS[item.status]
    own = bool(rest) and rest[0][:2] in ("✗ ", "½ ", "✓ ")
    if own:
        first = rest.pop(0)
    elif item.status == "note" or not head.endswith("points"):
        first = f"{sign} {item.name}  {head}"
    else:
        first = heading(sign, item.name.removeprefix("test_"), head)
    if colors_wanted():
        first = click.style(first[0], fg=color) + first[1:]
    indent = "" if own else "   "
    lines = [first, *((indent + line).rstrip() for line in rest)]
    return "\n".join([*lines, ""] if rest else lines)
