"""The checks of assignment 00_start: the set-up is whole, NumPy is warm.

    from cgkit.checks import start as check
    check.times_table(times_table)      ──►  Score, or CheckFailed

Half an hour, 0 or 100: only `everything` gives points, and only all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cgkit.checks.answers import read_dict
from cgkit.checks.failure import CheckFailed, NotAnswered
from cgkit.checks.graphs.pictures import check_drawing
from cgkit.checks.plain import same, show
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.start_tasks import (
    CENTER,
    DOCTOR,
    DRAWING,
    EVERYTHING,
    SCALE,
    STRIDES,
    TABLE,
    TASKS,
)
from cgkit.checks.task import Fault, Task
from cgkit.score import Score

__all__ = [
    "TASKS",
    "center",
    "doctor",
    "everything",
    "first_drawing",
    "look",
    "scale",
    "strides",
    "times_table",
]

_SUM: Mapping[str, tuple[object, ...]] = {
    "x": ("input",),
    "y": ("input",),
    "z": ("add", "x", "y"),
}
_STRIDES = {"a": (32, 8), "a.T": (8, 32), "a[:, ::2]": (32, 16), "a[::-1]": (-32, 8)}
_STRIDE_WHY = {
    "a": "A step along axis 0 passes a whole row of 4 numbers, 8 bytes each.",
    "a.T": "A transpose moves no number: it only exchanges the two steps.",
    "a[:, ::2]": "Every other column: the step along axis 1 is twice as long.",
    "a[::-1]": "The rows backward: the step along axis 0 goes back.",
}


def doctor(*, seed: int = SEED) -> Score:
    """Ask `cgkit doctor` whether everything the course needs is there.

    Parameters
    ----------
    seed
        Not used.

    Raises
    ------
    CheckFailed
        Something is missing; the message holds the cure.
    """
    words = "from cgkit.cli import main; main()"
    command = [sys.executable, "-c", words, "doctor", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    try:
        report = json.loads(ran.stdout)
    except ValueError:
        got = (ran.stderr or ran.stdout).strip()[-300:] or "nothing"
        why = "cgkit doctor gave no report. Run start.py once more in the folder of the course."
        raise DOCTOR.failed(Fault("type", "cgkit doctor", got, "a report", why)) from None
    bad = [item for item in report["items"] if item["status"] not in ("ok", "skipped")]
    if report["ok"]:
        return DOCTOR.passed(f"{len(report['items'])} things looked at, all of them in order")
    lines = "\n".join(f"{item['name']}: {item['detail']}" for item in bad)
    why = "Your set-up lacks something; each line above says what to do."
    raise DOCTOR.failed(Fault("values", "cgkit doctor", lines, "every line ok", why))


def times_table(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `times_table(n)`.

    Parameters
    ----------
    candidate
        Gives the (n, n) array of products.
    seed
        Decides the sizes.

    Raises
    ------
    CheckFailed
        With the smallest size on which it is wrong.
    """
    from hypothesis import strategies as st

    exam = Exam(TABLE, candidate, seed)

    def probe(count: int) -> Fault | None:
        right = np.array(
            [[row * column for column in range(1, count + 1)] for row in range(1, count + 1)]
        )
        return exam.examine((count,), right.reshape(count, count))

    exam.search(st.integers(1, 15), probe, tries=30)
    return TABLE.passed("right for every size tried, 1 to 15")


def _tables() -> Any:
    """Give arrays of 1 to 4 rows and columns that hold whole numbers from 1 to 9."""
    from hypothesis import strategies as st

    number, size = st.integers(1, 9), st.integers(1, 4)

    @st.composite
    def build(draw: Any) -> np.ndarray:
        rows, columns = draw(size), draw(size)
        return np.array([[float(draw(number)) for _ in range(columns)] for _ in range(rows)])

    return build()


def _array_check(
    task: Task, candidate: object, seed: int, right: Callable[[np.ndarray], np.ndarray], said: str
) -> Score:
    exam = Exam(task, candidate, seed)

    def probe(a: np.ndarray) -> Fault | None:
        return exam.examine((a,), right(a))

    exam.search(_tables(), probe, tries=100)
    return task.passed(said)


def center(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `center(a)`: from each column its own mean taken away.

    Parameters
    ----------
    candidate
        Takes and gives an array of two axes.
    seed
        Decides the arrays.

    Raises
    ------
    CheckFailed
        With the smallest array on which it is wrong.
    """
    said = "each column centered, on 100 arrays of 1 to 4 rows and columns"
    return _array_check(CENTER, candidate, seed, _centered, said)


def _centered(a: np.ndarray) -> np.ndarray:
    columns = [[value - sum(column) / len(column) for value in column] for column in a.T.tolist()]
    return np.array(columns).T


def scale(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `scale(a)`: each row divided by its sum.

    Parameters
    ----------
    candidate
        Takes and gives an array of two axes.
    seed
        Decides the arrays.

    Raises
    ------
    CheckFailed
        With the smallest array on which it is wrong.
    """
    said = "each row sums to 1, on 100 arrays of 1 to 4 rows and columns"
    return _array_check(SCALE, candidate, seed, _scaled, said)


def _scaled(a: np.ndarray) -> np.ndarray:
    return np.array([[value / sum(row) for value in row] for row in a.tolist()])


def strides(answers: object, *, seed: int = SEED) -> Score:
    """Check the steps in bytes that a student entered.

    Parameters
    ----------
    answers
        A dict: "a", "a.T", "a[:, ::2]" and "a[::-1]", each to a tuple of two numbers.
    seed
        Not used: the array is fixed.

    Raises
    ------
    CheckFailed
        For the first that is wrong.
    """
    why = "strides is a dict: for each of four arrays, the steps along its two axes in bytes."
    given = read_dict(STRIDES, answers, "a dict of tuples", why)
    for name, right in _STRIDES.items():
        if not same(given.get(name), right, 0):
            raise STRIDES.failed(_stride_fault(name, given.get(name), right))
    return STRIDES.passed("all four pairs of steps are right")


def _stride_fault(name: str, given: object, right: tuple[int, int]) -> Fault:
    called = f"strides[{name!r}]"
    if given is None:
        return Fault("values", called, "nothing yet", "a pair of numbers", _STRIDE_WHY[name])
    looks, why = "", _STRIDE_WHY[name]
    if same(given, tuple(step // 8 for step in right), 0):
        looks = "counted in numbers, not in bytes"
        why = "Each number takes 8 bytes, and strides are counted in bytes."
    elif same(given, right[::-1], 0):
        looks = "the axes exchanged"
    elif isinstance(given, list):
        why = "A pair is a tuple, in round brackets."
    expected = "another pair of whole numbers"
    return Fault("values", called, show(given), expected, why, misconception=looks)


def first_drawing(drawing: object, *, seed: int = SEED) -> Score:
    """Check a student's drawing of z = x + y.

    Parameters
    ----------
    drawing
        A `graphviz.Digraph`, `graphviz.Source` or DOT text.
    seed
        Not used: the graph is fixed.

    Raises
    ------
    CheckFailed
        Names the missing or extra node or arrow.
    """
    check_drawing(DRAWING, drawing, _SUM, "z = x + y")
    return DRAWING.passed("the drawing is this graph")


def everything(
    times_table_: object,
    center_: object,
    strides_: object,
    scale_: object,
    drawing: object,
    *,
    seed: int = SEED,
) -> Score:
    """Run all checks of this assignment: 100 points if each passes, 0 otherwise.

    Parameters
    ----------
    times_table_, center_, strides_, scale_, drawing
        The student's answers, in the order of the tasks.
    seed
        Decides the hidden cases.

    Raises
    ------
    CheckFailed
        With the message of the first check that does not pass.
    """
    steps: tuple[tuple[Callable[..., Score], object], ...] = (
        (times_table, times_table_),
        (center, center_),
        (strides, strides_),
        (scale, scale_),
        (first_drawing, drawing),
    )
    for check, answer in steps:
        try:
            check(answer, seed=seed)
        except CheckFailed as error:
            raise _of_everything(error) from None
    return EVERYTHING.passed("five checks pass: you are ready for chapter 1")


def _of_everything(failed: CheckFailed) -> CheckFailed:
    kind = NotAnswered if isinstance(failed, NotAnswered) else CheckFailed
    return kind(
        failed.stage,
        called=failed.called,
        got=failed.got,
        expected=failed.expected,
        why=failed.why,
        misconception=failed.misconception,
        hints=EVERYTHING.hints,
        drawing=failed.drawing,
        task=EVERYTHING.name,
        assignment=EVERYTHING.assignment,
        out_of=EVERYTHING.points,
        error=failed.error,
    )


class Look:
    """A check's answer to be read, not to be graded.

    Examples
    --------
    >>> look(first_drawing, "digraph { x -> z; y -> z }").text.splitlines()[2]
    'called     first_drawing'
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def look(check: Callable[[object], Score], answer: object) -> Look:
    """Show what a check says about an answer, without failing.

    Parameters
    ----------
    check
        One of the checks of this module.
    answer
        What to check.

    Examples
    --------
    >>> print(look(first_drawing, "digraph { x -> add; y -> add }").text.splitlines()[1].strip())
    the drawing is this graph
    """
    try:
        return Look(check(answer).text())
    except CheckFailed as failed:
        return Look(str(failed))
