"""Count calls of operators, so that a check can ask what an answer costs without a clock.

    counter = Counter(limit=100)
    student(graph, ..., counter.operators)  ──►  counter.calls

Invariant: a runaway is stopped at the limit; until then the operators compute what they always do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cgkit.checks.cases import OPERATORS


class TooManyCallsError(RuntimeError):
    """An operator was called far more often than there are nodes."""


class Counter:
    """Operators that count how often they are called, and stop a runaway.

    Examples
    --------
    >>> counter = Counter(limit=10)
    >>> counter.operators["add"](2, 3), counter.calls
    (5, 1)
    """

    def __init__(self, limit: int) -> None:
        self.calls = 0
        self.limit = limit
        self.operators = {name: self._counted(name) for name in OPERATORS}

    def _counted(self, name: str) -> Callable[..., Any]:
        def count(*operands: Any) -> Any:
            self.calls += 1
            if self.calls > self.limit:
                raise TooManyCallsError(f"more than {self.limit:,} calls of operators")
            return OPERATORS[name](*operands)

        count.__name__ = name
        return count
