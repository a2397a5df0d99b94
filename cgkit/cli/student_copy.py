"""`cgkit student-copy`: the folder that students get, without anything that tells answers."""

from pathlib import Path

import click

from cgkit.cli.report import Item, finish, json_option
from cgkit.notebooks.project import find_project
from cgkit.notebooks.student_copy import copy_for_students


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Write the folder that students get.

    FOLDER must not exist yet, or be empty. It holds the chapters, the assignments, the framework
    and the checks, with which start.py sets a student up; no solutions, no tests, no hidden tests,
    no grading and no history. Pack it, or put it where students fetch it.
    """
    written = copy_for_students(find_project(Path.cwd()), folder)
    assignments = sorted({path.parts[1] for path in written if path.parts[0] == "assignments"})
    chapters = [path.stem for path in written if path.match("course/*.ipynb")]
    items = [
        Item("folder", "ok", f"{folder}: {len(written)} files"),
        Item("chapters", "ok", ", ".join(chapters) or "none"),
        Item("assignments", "ok", ", ".join(assignments) or "none"),
        Item("answers", "ok", "looked for every hidden line, and found none"),
    ]
    finish("student-copy", items, as_json=as_json)
