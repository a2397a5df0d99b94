"""The answers of an assignment, tried in both places where its tests will run.

    grade_answers("01_graphs", built) ──► as graded: answers inside, tests outside
    with_offers(notebook, master)     ──► in a kernel: what grading offers to tests is there, too

A test that passes in one place only is unfair to students: it tells them one thing, and marks them
by another.
"""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import TYPE_CHECKING

from cgkit.grading.judge import definition
from cgkit.grading.master import Master
from cgkit.grading.rebuild import Plan, PlanCell
from cgkit.grading.workers import Order, Worker
from cgkit.notebooks.fence import best

if TYPE_CHECKING:
    from nbformat import NotebookNode

_OFFERS = """\
import contextlib


def source(name, _texts={texts!r}):
    return _texts.get(name, "")


@contextlib.contextmanager
def patch(name, value):
    before = globals()[name]
    globals()[name] = value
    try:
        yield
    finally:
        globals()[name] = before
"""


def grade_answers(name: str, built: Path) -> None:
    """Grade the answers of an assignment as those of a student, by a process of its own.

    Where nothing can be graded, as on Windows, nothing is done.

    Parameters
    ----------
    name
        Such as "01_graphs".
    built
        The notebook with answers and hidden tests.

    Raises
    ------
    CgkitError
        They do not get all points, or cannot be graded.
    """
    if not hasattr(os, "fork"):
        return
    worker = Worker(Order(name, built, best(), b""))
    try:
        worker.begin()
        worker.ready()
    finally:
        worker.end()


def with_offers(notebook: NotebookNode, master: Master) -> NotebookNode:
    """Give a notebook that begins by making what grading offers to tests.

    Parameters
    ----------
    notebook
        With answers and hidden tests; it is not changed.
    master
        The same, read.
    """
    from nbformat.v4 import new_code_cell

    answers = [cell for cell in master.cells if cell.role == "solution"]
    plan = Plan(
        tuple(PlanCell("solution", cell.cell, cell.source) for cell in answers), master.exported
    )
    texts = {name: definition(plan, name) for name in sorted(master.exported)}
    made = copy.deepcopy(notebook)
    made.cells.insert(0, new_code_cell(_OFFERS.format(texts=texts)))  # type: ignore[no-untyped-call]
    return made
