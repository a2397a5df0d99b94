"""Enter an assignment into the gradebook, as nbgrader does when it releases one.

    solutions/01_graphs/01_graphs.ipynb ──nbgrader's own steps──► cells and points in the gradebook

`nbgrader generate_assignment` does this too, and writes into assignments/ while it does. Here no
notebook is written. It is nbgrader's code that works, so both ways give the same rows.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cgkit.errors import EnvironmentFault, NotebookError
from cgkit.grading.gradebook import Desk, Gradebook, Name
from cgkit.grading.master import Master

STEPS = ("LockCells", "ClearSolutions", "ClearOutput", "CheckCellMetadata", "ComputeChecksums")


def fits(desk: Desk, master: Master) -> bool:
    """Tell whether the gradebook knows an assignment with these cells and points."""
    wanted = {
        cell.cell: (cell.points, cell.kind)
        for cell in master.cells
        if cell.role in ("test", "written")
    }
    answers = {cell.cell for cell in master.cells if cell.role in ("solution", "written")}
    known = {cell.name: (cell.points, cell.kind) for cell in desk.graded}
    return known == wanted and set(desk.written) == answers


def desk_for(
    url: str, course: str, name: Name, master: Master, notebook: Mapping[str, Any]
) -> tuple[Desk, bool]:
    """Get ready to write marks; enter the assignment first where the gradebook has none of it.

    Parameters
    ----------
    url
        The address of the gradebook; it is made if it is not there.
    course
        The name of the course in it.
    name
        Which notebook of which assignment.
    master
        What the notebook holds.
    notebook
        Format 4, as JSON holds it, with answers and hidden tests.

    Returns
    -------
    tuple of Desk and bool
        Whether the assignment was entered just now, with it.

    Raises
    ------
    NotebookError
        Work was handed in already, for an assignment with other cells.
    EnvironmentFault
        The gradebook cannot be used.
    """
    desk = _desk(url, name)
    if desk is not None and fits(desk, master):
        return desk, False
    enter(url, course, name, notebook)
    desk = _desk(url, name)
    if desk is None:
        raise EnvironmentFault(f"{name} cannot be entered into the gradebook")
    return desk, True


def _desk(url: str, name: Name) -> Desk | None:
    with Gradebook(url) as book:
        return book.desk(name.assignment, name.sheet)


def enter(url: str, course: str, name: Name, notebook: Mapping[str, Any]) -> None:
    """Enter a notebook of an assignment, or new points for one that is there.

    A gradebook that is only half made, since its making was stopped, is made whole first.

    Raises
    ------
    NotebookError
        Work was handed in already, for an assignment with other cells.
    EnvironmentFault
        An older nbgrader made the gradebook.
    """
    import nbformat
    from nbgrader import api, preprocessors

    made = nbformat.reads(json.dumps(notebook), as_version=4)  # type: ignore[no-untyped-call]
    named = {"assignment": name.assignment, "notebook": name.notebook, "db_url": url}
    resources = {"nbgrader": named}
    with _alembic_found(), api.Gradebook(url, course) as gradebook:
        _complete(gradebook)
        gradebook.update_or_create_assignment(name.assignment)
    gradebook.engine.dispose()  # behind the block, which gives its connection back
    quiet = logging.getLogger("cgkit.register")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False
    try:
        for step in (*STEPS, "SaveCells"):
            made, resources = getattr(preprocessors, step)(log=quiet).preprocess(made, resources)
    except RuntimeError as error:
        what = f"{name} has other cells now than when work was handed in"
        attempt = "a new name for the new version, or a new folder for the class"
        raise NotebookError(what, why=str(error), attempt=attempt) from error


def _complete(gradebook: Any) -> None:
    """Note the version of a gradebook whose making was stopped before nbgrader could note it.

    Raises
    ------
    EnvironmentFault
        It has other columns: an older nbgrader made it.
    """
    import sqlalchemy as sql
    from nbgrader import api

    found = sql.inspect(gradebook.engine)
    version = sql.table("alembic_version", sql.column("version_num"))
    with gradebook.engine.begin() as connection:
        there = found.has_table(version.name)
        if there and connection.execute(sql.select(version)).first():
            return
        for name, known in api.Base.metadata.tables.items():
            lacking = set(known.columns.keys()) - {
                column["name"] for column in found.get_columns(name)
            }
            if lacking:
                what = f"the gradebook {gradebook.engine.url} is of an older nbgrader"
                why = f"its table {name} has no {', '.join(sorted(lacking))}"
                raise EnvironmentFault(what, why=why, attempt="nbgrader db upgrade")
        if not there:
            made = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"
            connection.execute(sql.text(made))
        connection.execute(sql.insert(version), {"version_num": api.get_alembic_version()})


@contextlib.contextmanager
def _alembic_found() -> Iterator[None]:
    """Let nbgrader find `alembic`, which it runs by name when it makes a gradebook."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before
