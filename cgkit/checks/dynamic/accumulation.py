"""Task 9 of notebook 02a: add gradients up over several times.

    accumulate(kept, fresh)  ──►  {"W": kept + fresh, "b": whichever there is, "c": None}

Invariants: what nobody has reached stays as it was; whoever changes an array that others hold is
told so, whatever it gives back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.checks.arrays import arrays
from cgkit.checks.dynamic.programs import fill
from cgkit.checks.dynamic.sweep import IN_PLACE
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_TRIES = 80


def _fresh_only(kept: Any, fresh: Any) -> Any:
    return {name: fresh.get(name, kept[name]) for name in kept}


def _fresh_or_nothing(kept: Any, fresh: Any) -> Any:
    return {name: fresh.get(name) for name in kept}


def _all_kept(kept: Any, fresh: Any) -> Any:
    result = dict(kept)
    for name, gradient in fresh.items():
        before = result.get(name)
        result[name] = gradient if before is None else before + gradient
    return result


def _forgets_unreached(kept: Any, fresh: Any) -> Any:
    right = _right_sum(kept, fresh)
    return {name: right[name] if name in fresh else None for name in kept}


def _none_as_zero(kept: Any, fresh: Any) -> Any:
    right = _right_sum(kept, fresh)
    return {name: np.asarray(0.0) if value is None else value for name, value in right.items()}


def _right_sum(kept: Any, fresh: Any) -> dict[str, Any]:
    result = {}
    for name, before in kept.items():
        gradient = fresh.get(name)
        both = before is not None and gradient is not None
        one = gradient if before is None else before
        result[name] = np.asarray(before + gradient) if both else one
    return result


ACCUMULATE = Task(
    "02_static_dynamic",
    "accumulate",
    3,
    (
        "Two batches go backward, one after the other, before the parameters are changed. Which "
        "gradient should then be there?",
        "A parameter is not there in `fresh`. Did it lose what it had?",
    ),
    (
        Mistake(
            "replaced instead of added",
            _fresh_only,
            "The gradient of an earlier time is lost: the fresh one must be added to it.",
        ),
        Mistake(
            "replaced instead of added",
            _fresh_or_nothing,
            "What was kept is lost, also where nothing fresh has come.",
        ),
        Mistake(
            "every node kept",
            _all_kept,
            "Only the names in kept are parameters; other nodes keep no gradient.",
        ),
        Mistake(
            "what was not reached is forgotten",
            _forgets_unreached,
            "A parameter that this backward did not reach keeps what it has.",
        ),
        Mistake(
            "nothing counted as 0",
            _none_as_zero,
            "None says that no gradient ever came. That is another thing than a gradient of 0.",
        ),
    ),
)
TASKS = (ACCUMULATE,)


def _stores() -> Any:
    from hypothesis import strategies as st

    shape = st.sampled_from(((2,), (), (2, 2), (0,)))
    start, held = st.integers(0, 6), st.sampled_from(("both", "kept", "fresh", "none"))
    more = st.booleans()

    @st.composite
    def build(draw: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        kept: dict[str, Any] = {}
        fresh: dict[str, np.ndarray] = {}
        for name in ("W", "b", "c"):
            own, where = draw(shape), draw(held)
            kept[name] = fill(own, draw(start)) if where in ("both", "kept") else None
            if where in ("both", "fresh"):
                fresh[name] = fill(own, draw(start) + 2)
        if draw(more):
            fresh["z"] = fill((2,), 1)
        return kept, fresh

    return build()


def accumulate(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `accumulate(kept, fresh)`.

    Parameters
    ----------
    candidate
        Gives a dict with the names of `kept`.
    seed
        Decides the hidden gradients.

    Raises
    ------
    CheckFailed
        With the smallest case found on which it is wrong.
    """
    exam = Exam(ACCUMULATE, candidate, seed)

    def probe(case: tuple[dict[str, Any], dict[str, np.ndarray]]) -> Fault | None:
        why = "Each parameter keeps the sum of all gradients that have come for it."
        fault = exam.examine(case, _right_sum(*case), read=arrays, why=why)
        if fault is not None and fault.stage == "invariants":
            what = "An array that was handed in is another now. Whoever else holds it relies on it."
            return replace(fault, misconception=IN_PLACE, why=f"{what} Make a new one: `a + b`.")
        return fault

    exam.search(_stores(), probe, tries=_TRIES)
    return ACCUMULATE.passed(
        f"right on {_TRIES} cases: first gradients, later ones, none at all, and no array changed"
    )
