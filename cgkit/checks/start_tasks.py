"""The tasks of assignment 00_start: points, hints, and mistakes that are recognized.

    TABLE ──► "counted from 0", "no column", ...        what each mistake gives is computed here

Invariants: only `EVERYTHING` gives points.
"""

from __future__ import annotations

import numpy as np

from cgkit.checks.task import Mistake, Task


def _table_by_rows(count: int) -> np.ndarray:
    return np.arange(1, count + 1) * np.ones((count, 1), dtype=int)


def _table_from_zero(count: int) -> np.ndarray:
    return np.arange(count)[:, None] * np.arange(count)


def _table_flat(count: int) -> np.ndarray:
    return np.arange(1, count + 1) * np.arange(1, count + 1)


def _center_rows(a: np.ndarray) -> np.ndarray:
    return np.asarray(a - a.mean(axis=1, keepdims=True))


def _center_all(a: np.ndarray) -> np.ndarray:
    return np.asarray(a - a.mean())


def _scale_first(a: np.ndarray) -> np.ndarray:
    return np.asarray(a / a.sum(axis=0))


def _scale_wrong(a: np.ndarray) -> np.ndarray:
    return np.asarray(a / a.sum(axis=1))


_WORTH = "counts for the 100"

DOCTOR = Task(
    "00_start", "doctor", 0, ("Which line of the report has a cure behind it?",), worth="no points"
)
TABLE = Task(
    "00_start",
    "times_table",
    0,
    (
        "Which shape has a column, and which has a row? What shape comes out when they meet?",
        "How do you turn np.arange(1, n + 1) into a column?",
    ),
    (
        Mistake("only one operand is a column", _table_by_rows, "Row r is r times the first row."),
        Mistake("counted from 0", _table_from_zero, "The table begins with 1 times 1."),
        Mistake("no column", _table_flat, "Two rows meet element by element; make one a column."),
    ),
    worth=_WORTH,
)
CENTER = Task(
    "00_start",
    "center",
    0,
    (
        "a.mean(axis=0) has one number for each of what: rows or columns?",
        "Which of the two axes goes away in that mean?",
    ),
    (
        Mistake("rows centered", _center_rows, "Axis 0 runs down the rows: it gives column means."),
        Mistake("one mean for all", _center_all, "Each column has its own mean."),
    ),
    worth=_WORTH,
)
STRIDES = Task(
    "00_start",
    "strides",
    0,
    (
        "a holds 3 rows of 4 numbers, 8 bytes each. How many bytes is it to the next column?",
        "And how many to the next row?",
    ),
    worth=_WORTH,
)
SCALE = Task(
    "00_start",
    "scale",
    0,
    (
        "Read the message: what was called, and what is the shape of the sums there?",
        "a.sum(axis=1) has shape (rows,). Against which axis of a does it line up?",
        "What does keepdims=True do to that shape?",
    ),
    (
        Mistake(
            "the sums meet the wrong axis",
            _scale_wrong,
            "The sums of the rows have shape (rows,), which lines up with the columns.",
        ),
        Mistake("columns scaled", _scale_first, "Each row should sum to 1, not each column."),
    ),
    worth=_WORTH,
)
DRAWING = Task(
    "00_start",
    "first_drawing",
    0,
    (
        "The graph has two inputs and one operator. How many arrows end in the operator?",
        'The example has edge("x", "n"). Which two lines like it does your drawing need?',
    ),
    worth=_WORTH,
)
EVERYTHING = Task(
    "00_start",
    "everything",
    100,
    (
        "Which of the checks above does not pass yet? Begin there.",
        "Have you run the cells above since you changed them? Run all of them once more.",
    ),
)

TASKS = (DOCTOR, TABLE, CENTER, STRIDES, SCALE, DRAWING, EVERYTHING)
