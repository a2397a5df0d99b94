"""Tell a wrong value from one that an earlier call left behind.

    smallest case that fails ──► its nodes renamed ──► right now? then the old names were remembered

Invariant: only a wrong value is looked at again; what stopped with an error stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cgkit.checks.runner import Exam
from cgkit.checks.task import Fault


def search_for_leftovers(
    exam: Exam,
    strategy: Any,
    probe: Callable[[Any], Fault | None],
    tries: int,
    *,
    call: str = "call",
) -> None:
    """Look for a case that fails, as `Exam.search` does, and say so if new names mend it.

    Parameters
    ----------
    exam
        One student's answer.
    strategy
        For cases that have a method `renamed`.
    probe
        Gives the fault of a case, or None.
    tries
        How many cases to look at.
    call
        What the task calls one call of the function.

    Raises
    ------
    CheckFailed
        With the smallest case found.
    """
    last: list[Any] = []

    def remembering(case: Any) -> Fault | None:
        last[:] = [case]
        return probe(case)

    fault = exam.smallest(strategy, remembering, tries)
    if fault and fault.stage == "values" and probe(last[0].renamed()) is None:
        why = (
            f"With names that no graph before had, the answer is right. Values of an earlier {call}"
            " are still there: make the place for them anew in each call."
        )
        fault = replace(fault, why=why, misconception=f"values kept from an earlier {call}")
    exam.require(fault)
