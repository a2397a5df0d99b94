"""How fast a class is graded, beside plain nbgrader on the same submissions.

    python tests/classroom/throughput.py [ASSIGNMENT] [STUDENTS] [WORKERS]

    plain nbgrader   one kernel a submission, one after the other, nothing kept apart
    cgkit, cold      from the start of the command to its end: sandboxes, reference run and all
    cgkit, steady    from the first submission written to the last

Nothing is asserted about time; the marks must be the same.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from cgkit.grading.batch import Lesson, grade_class
from cgkit.grading.master import read_master
from cgkit.grading.places import Places
from cgkit.grading.sandbox import find

ROOT = Path(__file__).resolve().parents[2]
PLAIN = """
c = get_config()
c.CourseDirectory.course_id = "cgkit"
c.CourseDirectory.root = {root!r}
c.CourseDirectory.db_url = "sqlite:///{root}/gradebook.db"
c.CourseDirectory.source_directory = "solutions"
c.Exchange.root = {root!r}
c.Execute.timeout = 60
for manager in ("KernelManager", "AsyncKernelManager"):
    c[manager].transport_encryption = "auto"
"""


@dataclass(frozen=True)
class Measured:
    """What one run of one of the two gave."""

    seconds: float
    steady: float
    """Submissions per second once it is under way; 0 when that is not known."""
    marks: dict


def source_of(assignment):
    """Give the place of an assignment with its answers."""
    return ROOT / "solutions" / assignment / f"{assignment}.ipynb"


def hand_in(places, assignment, count):
    """Hand in the author's answers many times, each file another one."""
    master = read_master(json.loads(source_of(assignment).read_text(encoding="utf-8")))
    answers = {cell.cell: cell.source for cell in master.cells if cell.role == "solution"}
    release = ROOT / "assignments" / assignment / f"{assignment}.ipynb"
    made = json.loads(release.read_text(encoding="utf-8"))
    for cell in made["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    for number in range(count):
        who = {"cell_type": "markdown", "id": "who", "metadata": {}, "source": f"{number}"}
        path = places.handed_in(f"student{number:03}", assignment) / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({**made, "cells": [*made["cells"], who]}), encoding="utf-8")


def course_at(folder, assignment, count):
    """Make a course with one assignment and a class that has handed in."""
    (folder / "solutions" / assignment).mkdir(parents=True)
    shutil.copy(source_of(assignment), folder / "solutions" / assignment)
    places = Places(
        root=folder,
        solutions=folder / "solutions",
        submitted=folder / "submitted",
        autograded=folder / "autograded",
        gradebook=f"sqlite:///{folder / 'gradebook.db'}",
    )
    hand_in(places, assignment, count)
    return places


def by_nbgrader(folder, assignment, count):
    """Let plain nbgrader grade it, in students' own kernels."""
    places = course_at(folder, assignment, count)
    (folder / "nbgrader_config.py").write_text(PLAIN.format(root=str(folder)), encoding="utf-8")
    bin_ = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ.get('PATH', '')}"}

    def nbgrader(*words):
        subprocess.run(
            [sys.executable, "-m", "nbgrader", *words],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
        )

    nbgrader("generate_assignment", assignment)
    start = time.perf_counter()
    nbgrader("autograde", assignment)
    seconds = time.perf_counter() - start
    return Measured(seconds, 0.0, marks_in(places, assignment))


def by_cgkit(folder, assignment, count, workers):
    """Let the engine grade it."""
    places = course_at(folder, assignment, count)
    lesson = Lesson(places, assignment, find())
    lesson.desk()  # the gradebook knows the assignment, as it does for nbgrader
    times = []
    start = time.perf_counter()
    grade_class(lesson, workers=workers, tell=lambda *_: times.append(time.perf_counter()))
    seconds = time.perf_counter() - start
    first = min(workers, count - 1)  # each worker's first one may still warm it up
    steady = (count - first) / (times[-1] - times[first - 1]) if count > first else 0.0
    return Measured(seconds, steady, marks_in(places, assignment))


def marks_in(places, assignment):
    """Read the automatic marks of everybody."""
    from cgkit.grading.gradebook import Gradebook

    with Gradebook(places.gradebook) as book:
        desk = book.desk(assignment)
        return {student: desk.points(student) for student in places.students(assignment)}


def measure(assignment, count, workers):
    """Grade the same class both ways.

    Returns
    -------
    tuple of Measured
        By plain nbgrader, and by cgkit.
    """
    with tempfile.TemporaryDirectory(prefix="throughput-") as place:
        plain = by_nbgrader(Path(place, "plain"), assignment, count)
        ours = by_cgkit(Path(place, "ours"), assignment, count, workers)
    if plain.marks != ours.marks:
        raise SystemExit("the marks are not the same")
    return plain, ours


def report(assignment, count, workers, plain, ours):
    """Write the figures as lines."""
    rate = count / plain.seconds
    return [
        f"{assignment}: {count} submissions, {workers} workers, the same marks both ways",
        f"plain nbgrader   {plain.seconds:7.1f} s   {rate:6.2f} submissions/s",
        f"cgkit, cold      {ours.seconds:7.1f} s   {count / ours.seconds:6.2f} submissions/s   "
        f"{count / ours.seconds / rate:5.1f} times as many",
        f"cgkit, steady              {ours.steady:6.2f} submissions/s   "
        f"{ours.steady / rate:5.1f} times as many",
    ]


def main(words):
    """Measure as the words say."""
    assignment = words[0] if words else "00_start"
    count = int(words[1]) if len(words) > 1 else 20
    workers = int(words[2]) if len(words) > 2 else os.cpu_count() or 1
    lines = report(assignment, count, workers, *measure(assignment, count, workers))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
