"""nbgrader's own commands and buttons, working through the same engine.

    nbgrader autograde ──► GradingExporter ──► GradeInside ──► gradebook, marked notebook
    formgrader's button ──┘      │ intake first: names, links, sizes
                                 └ refuses where there is no sandbox
    nbgrader generate_feedback ──► ForStudents: no hidden tests, nothing that is for teachers
    nbgrader export            ──► SafeCsv

nbgrader_config.py names these classes. Only nbgrader imports this module; what changes of it then
is said in `cgkit.grading.folders`.

- A file that nbgrader could not open is graded like any other: it is never opened here.
- Nothing beside a notebook is copied, and no link is followed.
"""

from __future__ import annotations

import atexit
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters.base import NbGraderException
from nbgrader.plugins.export import ExportPlugin
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from cgkit.errors import CgkitError, EnvironmentFault
from cgkit.grading.batch import Graded, Lesson, lessons_of
from cgkit.grading.folders import places_of, quiet
from cgkit.grading.grades import grades, table
from cgkit.grading.marked import TEACHER
from cgkit.grading.sandbox import Situation, find
from cgkit.grading.workers import Worker

Notebook: TypeAlias = Any
Resources: TypeAlias = Any

ASK = (
    "a Linux machine where namespaces are allowed; or, if you trust every submission, "
    "c.GradingExporter.unsandboxed = True in nbgrader_config.py: their code then runs with your "
    "rights"
)


class GradingExporter(NotebookExporter):
    """Hands notebooks over by their place, so that it never fails on one.

    nbgrader makes one of these when it has looked for notebooks and before it opens any.
    """

    unsandboxed = Bool(
        False, help="Grade without a sandbox: students' code runs with your rights."
    ).tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)  # type: ignore[no-untyped-call]
        self.converter = cast(Any, self.parent)
        given = self.converter.coursedir
        try:
            self.situation = self._situation()
            for lesson in lessons_of(places_of(given), given.assignment_id, self.situation):
                lesson.desk()
        except CgkitError as fault:
            self.converter.log.error("%s", fault)
            raise NbGraderException(str(fault)) from fault
        self.converter.coursedir = quiet(given)
        for line in self.situation.told:
            self.converter.log.warning("%s", line)

    def _situation(self) -> Situation:
        if self.unsandboxed:
            return find("none")
        try:
            return find()
        except EnvironmentFault as fault:
            raise EnvironmentFault(fault.what, why=fault.why, attempt=ASK) from fault

    def from_filename(self, filename: str, resources: Any = None, **words: Any) -> tuple[Any, Any]:
        """Turn one notebook into a marked one; the submitted file itself is not opened here."""
        if not self.converter._sanitizing:
            return super().from_filename(filename, resources=resources, **words)
        empty = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
        made: tuple[Any, Any] = self.from_notebook_node(empty, resources)  # type: ignore[no-untyped-call]
        return made


class GradeInside(NbGraderPreprocessor):  # type: ignore[misc]
    """Grades one submission and writes its marks; gives the marked notebook."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Grade the submission that `resources` names."""
        named = resources["nbgrader"]
        exporter = self.parent
        places = places_of(exporter.converter.coursedir)
        name, notebook = named["assignment"], named["notebook"]
        sheet = notebook if notebook != name else ""
        lesson = Lesson(places, name, exporter.situation, sheet)
        graded = BENCH.grade(lesson, named["student"])
        asked = lesson.places.handed_in(graded.student, name) / f"{notebook}.ipynb"
        if not asked.exists():  # nbgrader has set its marks to 0, since it misses the file
            graded = replace(graded, recorded=replace(graded.recorded, changes=()))
        for remark in graded.remarks():
            self.log.warning("%s: %s", graded.student, remark)
        path = lesson.places.marked(graded.student, name, sheet)
        return nbformat.read(path, as_version=4), resources  # type: ignore[no-untyped-call]


class Bench:
    """Keeps one worker for each notebook of the assignment that was graded last.

    Examples
    --------
    >>> Bench().end()
    """

    def __init__(self) -> None:
        self._workers: dict[str, tuple[Any, Worker]] = {}
        self._assignment = ""

    def grade(self, lesson: Lesson, student: str) -> Graded:
        """Grade one submission and write its marks; what is known is found anew.

        Raises
        ------
        CgkitError
            The gradebook, the assignment or this machine is at fault.
        """
        desk, _ = lesson.desk()
        handed = lesson.take_in(student)
        result = lesson.without_notebook(handed)
        if handed.raw is not None:
            result = self._worker_for(lesson).grade(student, handed.raw)
            if not result.failed:
                key = lesson.key(student, handed.raw)
                lesson.kept.put(student, lesson.title, key, result)
        return lesson.write(desk, handed, result)

    def _worker_for(self, lesson: Lesson) -> Worker:
        order = lesson.order()
        mark = (lesson.key("", b""), order.source)
        if lesson.name != self._assignment:
            self.end()
        known, worker = self._workers.get(lesson.title, (None, None))
        if worker is not None and known == mark:
            return worker
        if worker is not None:
            worker.end()
        worker, self._assignment = Worker(order), lesson.name
        self._workers[lesson.title] = mark, worker
        worker.begin()
        try:
            worker.ready()
        except CgkitError:
            self.end()
            raise
        if worker.learned:
            lesson.kept.put_learned(lesson.title, lesson.fixed, worker.learned)
        return worker

    def end(self) -> None:
        """End the workers."""
        for _, worker in self._workers.values():
            worker.end()
        self._workers.clear()


BENCH = Bench()
atexit.register(BENCH.end)


class ForStudents(NbGraderPreprocessor):  # type: ignore[misc]
    """Leaves out of feedback what only teachers may see."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Drop the cells for teachers; hidden tests are nbgrader's to cut out."""
        nb.cells = [
            cell for cell in nb.cells if cell.metadata.get("cgkit", {}).get("audience") != TEACHER
        ]
        return nb, resources


class SafeCsv(ExportPlugin):  # type: ignore[misc]
    """Writes the columns of nbgrader's own table, quoted, and no formula survives."""

    def export(self, gradebook: Any) -> None:
        """Write the table to ``--to``, or to grades.csv."""
        path = Path(self.to or "grades.csv")
        self.log.info("Exporting grades to %s", path)
        rows = grades(gradebook.engine, map(str, self.student), map(str, self.assignment))
        path.write_text(table(rows), encoding="utf-8", newline="")
