"""Learning rates that change: each is a pure function of the number of updates so far.

    ──────        StepDecay(0.1, every=30, factor=0.1)
          ──────      Cosine(0.1, steps=100)    WarmUp(10, then=Cosine(0.1, steps=90))
                ──

A schedule is a frozen value that is called with the step, 0 at the first update: a number, an
array, a Tensor or a Value. It is written with operators, so that it may stand in a graph. Any
function of that form serves as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from cgkit import operators as ops
from cgkit.errors import OperandError
from cgkit.operators.settings import as_number, as_whole

Schedule = Callable[[Any], Any]


@dataclass(frozen=True)
class Constant:
    """The same learning rate at each step.

    Examples
    --------
    >>> Constant(0.1)(7)
    0.1
    """

    rate: float

    def __post_init__(self) -> None:
        """Check the settings."""
        as_number("the learning rate", self.rate, least=0)

    def __call__(self, step: Any) -> Any:
        """Give the learning rate at a step."""
        return self.rate


@dataclass(frozen=True)
class StepDecay:
    """A learning rate that is multiplied by a factor, again and again.

    Parameters
    ----------
    rate
        The learning rate at first.
    every
        After how many steps it changes.
    factor
        What it is multiplied by.

    Examples
    --------
    >>> [round(float(StepDecay(1.0, every=2, factor=0.5)(step)), 3) for step in range(5)]
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    rate: float
    _: KW_ONLY
    every: int
    factor: float = 0.1

    def __post_init__(self) -> None:
        """Check the settings."""
        as_number("the learning rate", self.rate, least=0)
        as_whole("the number of steps", self.every, least=1)
        as_number("the factor", self.factor, least=0)

    def __call__(self, step: Any) -> Any:
        """Give the learning rate at a step."""
        times = ops.floor_div(step, self.every)
        return ops.mul(ops.pow(float(self.factor), times), self.rate)


@dataclass(frozen=True)
class Cosine:
    """A learning rate that falls along half a wave of the cosine, then stays.

    Parameters
    ----------
    rate
        The learning rate at first.
    steps
        After how many steps it has fallen.
    least
        To what it falls.

    Examples
    --------
    >>> [round(float(Cosine(1.0, steps=4)(step)), 3) for step in range(6)]
    [1.0, 0.854, 0.5, 0.146, 0.0, 0.0]

    References
    ----------
    I. Loshchilov, F. Hutter, "SGDR: stochastic gradient descent with warm restarts", ICLR 2017.
    """

    rate: float
    _: KW_ONLY
    steps: int
    least: float = 0.0

    def __post_init__(self) -> None:
        """Check the settings."""
        as_number("the learning rate", self.rate, least=0)
        as_whole("the number of steps", self.steps, least=1)
        as_number("the least learning rate", self.least, least=0)

    def __call__(self, step: Any) -> Any:
        """Give the learning rate at a step."""
        turned = ops.minimum(step, self.steps) * (math.pi / self.steps)
        return (ops.cos(turned) + 1.0) * ((self.rate - self.least) / 2) + self.least


@dataclass(frozen=True)
class WarmUp:
    """A learning rate that rises in a straight line, then follows another schedule.

    Parameters
    ----------
    steps
        For how many steps it rises.
    then
        The schedule that follows, counted from the end of the rise.
    start
        With what part of the first rate of `then` it begins, from 0 to 1.

    Examples
    --------
    >>> rate = WarmUp(2, Constant(1.0), start=0.5)
    >>> [round(float(rate(step)), 3) for step in range(4)]
    [0.5, 0.75, 1.0, 1.0]
    """

    steps: int
    then: Schedule
    _: KW_ONLY
    start: float = 0.1

    def __post_init__(self) -> None:
        """Check the settings."""
        as_whole("the number of steps", self.steps, least=1)
        as_number("the start", self.start, least=0, most=1)
        if not callable(self.then):
            raise OperandError(
                f"what follows a warm-up is a schedule, not {self.then!r:.60}",
                attempt=f"WarmUp({self.steps}, Constant(0.1))",
            )

    def __call__(self, step: Any) -> Any:
        """Give the learning rate at a step."""
        later = ops.maximum(step - self.steps, 0)
        risen = ops.minimum(step, self.steps) * ((1.0 - self.start) / self.steps)
        return self.then(later) * (risen + self.start)
