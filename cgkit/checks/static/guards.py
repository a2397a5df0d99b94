"""A stretch task of notebook 02b: the key under which a compiled function keeps its graphs.

    guard_key([array of 3 floats, 2])  ==  guard_key([array of 5 floats, 2])
    guard_key([array of 3 floats, 2])  !=  guard_key([array of 3 floats, 2.0])

Invariants: only which keys are equal counts, not what is in them; keys are compared as plain data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.checks.judge import Returned, exception_fault, judge_by
from cgkit.checks.judge import Words as Wanted
from cgkit.checks.plain import show
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Task
from cgkit.score import Score

GUARD = Task(
    "02_static_dynamic",
    "guard_key",
    0,
    (
        "Which facts about an array does a trace use, and which are only numbers that flow in?",
        "1 == True and 1 == 1.0 in Python. Do they give the same graph?",
        "A list of two arrays and a tuple of two arrays: which facts of them must the key hold?",
    ),
    worth="stretch task",
)
TASKS = (GUARD,)
Pair = tuple[str, Sequence[Any], Sequence[Any]]


def _array(*shape: int, dtype: str = "float64") -> np.ndarray:
    return np.zeros(shape, dtype)


def _alike(draw: np.random.Generator) -> list[Pair]:
    """Give pairs of calls that one graph serves."""
    some = draw.normal(size=(2, 3))
    return [
        ("other numbers", [some], [some + 1]),
        ("other sizes, none of them 0 or 1", [_array(3)], [_array(5)]),
        ("other sizes, none of them 0 or 1", [_array(2, 1, 7)], [_array(4, 1, 2)]),
        ("the same number", [_array(3), 2], [_array(3), 2]),
        ("nan twice", [float("nan")], [float("nan")]),
        ("the same nest", [{"w": _array(2), "n": [1]}], [{"w": _array(3), "n": [1]}]),
        ("nothing", [], []),
        ("None", [None], [None]),
    ]


def _different(draw: np.random.Generator) -> list[Pair]:
    """Give pairs of calls that need a graph each."""
    one = _array(3)
    return [
        ("another dtype", [one], [_array(3, dtype="float32")]),
        ("another dtype of the same size", [_array(3, dtype="int64")], [one]),
        ("another rank", [one], [_array(3, 3)]),
        ("rank 0 and rank 1", [_array()], [_array(1)]),
        ("a size of 1", [one], [_array(1)]),
        ("a size of 0", [one], [_array(0)]),
        ("0 and 1", [_array(1)], [_array(0)]),
        ("a 1 at another place", [_array(1, 3)], [_array(3, 1)]),
        ("another number", [one, 2], [one, int(draw.integers(3, 9))]),
        ("an int and a float", [1], [1.0]),
        ("an int and a bool", [1], [True]),
        ("0 and False", [0], [False]),
        ("0.0 and -0.0", [0.0], [-0.0]),
        ("a number and a text", [2], ["2"]),
        ("None and 0", [None], [0]),
        ("one argument more", [one], [one, one]),
        ("a list and a tuple", [[1, 2]], [(1, 2)]),
        ("a longer list", [[one]], [[one, one]]),
        ("one list or two", [[1, 2], [3]], [[1], [2, 3]]),
        ("another nest", [[[1], 2]], [[1, [2]]]),
        ("other names in a dict", [{"w": one}], [{"b": one}]),
        ("a dtype deep inside", [{"k": [one]}], [{"k": [_array(3, dtype="float32")]}]),
        ("a 0-d array and a number", [_array()], [0.0]),
    ]


def guard_key(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's guard key on pairs of calls.

    Parameters
    ----------
    candidate
        `guard_key(arguments)`; gives something hashable of plain data.
    seed
        Decides some of the numbers.

    Raises
    ------
    CheckFailed
        Two calls have the same key that need a graph each, or the other way round.
    """
    exam = Exam(GUARD, candidate, seed)
    draw = np.random.default_rng(seed)
    alike, different = _alike(draw), _different(draw)
    for equal, pairs in ((True, alike[:1]), (False, different), (True, alike)):
        for pair in pairs:
            exam.require(_probe(exam, *pair, equal=equal))
    return GUARD.passed(
        f"{len(alike)} pairs of calls share a graph, {len(different)} need one each"
    )


def _probe(
    exam: Exam, what: str, one: Sequence[Any], other: Sequence[Any], *, equal: bool
) -> Fault | None:
    keys = []
    called = f"guard_key({_told(one)})   and   guard_key({_told(other)})"
    for arguments in (one, other):
        outcome = exam.call(([*arguments],), called=called)
        fault = judge_by(outcome, _hashable, "guard_key", Wanted("a key that can be hashed"))
        if fault is not None:
            return replace(fault, called=called)
        if not isinstance(outcome, Returned):
            return exception_fault(outcome, "guard_key")
        keys.append(outcome.value)
    if bool(keys[0] == keys[1]) == equal:  # as a dict compares them
        return None
    got = f"{show(keys[0], 150)}   and   {show(keys[1], 150)}"
    if equal:
        why = f"The calls differ in this: {what}. One graph serves both, so the keys are equal."
        return Fault("values", called, got, "the same key twice", why)
    why = f"The calls differ in this: {what}. A graph traced for one is wrong for the other."
    return Fault("values", called, got, "two keys that differ", why)


def _hashable(value: object) -> Fault | None:
    if isinstance(value, list | dict | np.ndarray):
        why = "A key of a dict must be hashable: tuples, texts and numbers are, lists are not."
        return Fault("type", "", show(value), "", why)
    parts = value if isinstance(value, tuple) else ()
    return next(filter(None, map(_hashable, parts)), None)


def _told(arguments: Sequence[Any]) -> str:
    return f"[{', '.join(map(_tell, arguments))}]"


def _tell(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {_tell(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return _told(value)
    return repr(value)
