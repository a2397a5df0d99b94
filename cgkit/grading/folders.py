"""What nbgrader works on: found by names as they are, never by a pattern of the shell.

    nbgrader autograde 01_graphs --student="ada[1]"   ──►  submitted/ada[1]/01_graphs
    formgrader's button on a folder without notebook  ──►  that folder, with a notebook to be missed

nbgrader looks for folders with `glob`, to which ``[1]`` means "1", and stops where a folder holds
no notebook; and a course may itself lie in a folder such as "graphs [2030]". So one step of its
converters, and its word on which files are left out, are replaced as soon as a configuration names
an exporter of this module or of `cgkit.grading.bridge`. `look_by_name` does it, and nothing else of
nbgrader is changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter, NotebookExporter
from nbgrader import utils
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.coursedir import CourseDirectory

from cgkit.grading.intake import read_plain
from cgkit.grading.places import Places
from cgkit.grading.stamps import read_timestamp


class QuietCourse(CourseDirectory):  # type: ignore[misc]
    """A course whose submissions hold notebooks and nothing to copy, and no link is followed."""

    def get_existing_timestamp(self, dest_path: str) -> datetime | None:
        """Read when something was handed in; what is no time counts as none."""
        try:
            text = read_plain(Path(dest_path, "timestamp.txt"), 200).decode()
            return read_timestamp(text)
        except (OSError, ValueError):
            return None


def literal_paths(course: CourseDirectory) -> None:
    """Let a course give its own place, in patterns too, as what it is and no pattern itself."""
    usual = type(course).format_path

    def format_path(step: str, student: str, assignment: str, escape: bool = False) -> str:
        place = re.escape(step) if escape else step
        made: str = usual(course, place, student, assignment, escape=escape)
        return made

    course.format_path = format_path


def quiet(given: CourseDirectory) -> QuietCourse:
    """Give the same course as one that is quiet."""
    traits = {name: getattr(given, name) for name in given.trait_names(config=True)}
    made = QuietCourse(parent=given.parent, **{**traits, "ignore": ["*"]})
    literal_paths(made)
    return made


def places_of(course: CourseDirectory) -> Places:
    """Give the places of a class as nbgrader knows them."""
    root = Path(course.root)
    return Places(
        root=root,
        solutions=root / course.source_directory,
        submitted=root / course.submitted_directory,
        autograded=root / course.autograded_directory,
        gradebook=course.db_url,
        course=course.course_id,
    )


def named(names: Iterable[str], wanted: str) -> list[str]:
    """Choose the name that is meant; a pattern means all that fit, if none is called like it.

    Examples
    --------
    >>> named(["a[1]", "a1", "b"], "a[1]"), named(["a1", "a2", "b"], "a*")
    (['a[1]'], ['a1', 'a2'])
    """
    known = [*names]
    if wanted in known:
        return [wanted]
    return [name for name in known if fnmatchcase(name, wanted)]


def submitted(converter: Any) -> Iterator[tuple[str, list[str]]]:
    """Give each submitted folder with the notebooks it should hold, under whatever names."""
    course = converter.coursedir
    places, assignment = places_of(course), course.assignment_id
    sheets = named(places.notebooks(assignment), course.notebook_id)
    for student in named(places.students(assignment), course.student_id):
        folder = converter._format_source(assignment, student)
        yield folder, [str(Path(folder, f"{name}.ipynb")) for name in sheets]


def marked(converter: Any) -> Iterator[tuple[str, list[str]]]:
    """Give each folder of marked notebooks with what it holds."""
    course = converter.coursedir
    assignment, top = course.assignment_id, places_of(course).autograded
    students = sorted(path.name for path in top.iterdir()) if top.is_dir() else []
    for student in named(students, course.student_id):
        yield from _with_notebooks(converter, assignment, student)


def written(converter: Any) -> Iterator[tuple[str, list[str]]]:
    """Give each folder of an assignment with its notebooks."""
    course = converter.coursedir
    top = Path(course.root, course.source_directory)
    names = sorted(path.name for path in top.iterdir()) if top.is_dir() else []
    for assignment in named(names, course.assignment_id):
        yield from _with_notebooks(converter, assignment, ".")


def _with_notebooks(
    converter: Any, assignment: str, student: str
) -> Iterator[tuple[str, list[str]]]:
    folder = converter._format_source(assignment, student)
    there = [path.name for path in Path(folder).iterdir()] if Path(folder).is_dir() else []
    names = [name.removesuffix(".ipynb") for name in there if name.endswith(".ipynb")]
    found = sorted(named(names, converter.coursedir.notebook_id))
    if found:
        yield folder, [f"{folder}{os.sep}{name}.ipynb" for name in found]


def is_ignored(filename: str, ignore_globs: Iterable[str] | None = None) -> bool:
    """Tell whether a file is left out, by its own name; its folder is no pattern.

    Else marked notebooks, with their hidden tests, are copied into the feedback of ``ada[1]``.

    Examples
    --------
    >>> is_ignored("/class/ada[1]/01/01.ipynb", ["*.ipynb"]), is_ignored("/class/.link", ["*"])
    (True, True)
    """
    return any(fnmatchcase(Path(filename).name, pattern) for pattern in ignore_globs or ())


def look_by_name() -> None:
    """Let nbgrader's own commands and buttons find folders by their names."""
    utils.is_ignored = is_ignored
    ways = ((GenerateAssignment, written), (Autograde, submitted), (GenerateFeedback, marked))
    for kind, find in ways:
        if kind.init_notebooks.__name__ != "looked_up":
            kind.init_notebooks = _looked_up(find, kind.init_notebooks)


def _looked_up(
    find: Callable[[Any], Iterator[tuple[str, list[str]]]], usual: Callable[[Any], None]
) -> Callable[[Any], None]:
    def looked_up(converter: Any) -> None:
        converter.notebooks = []
        literal_paths(converter.coursedir)
        converter.assignments = dict(find(converter))
        if not converter.assignments:
            usual(converter)  # says what there is instead

    return looked_up


class ReleaseExporter(NotebookExporter):
    """Writes releases as nbgrader does; named in a configuration, so that folders are found."""


class FeedbackExporter(HTMLExporter):
    """Writes feedback as nbgrader does; named in a configuration, so that folders are found."""


look_by_name()
