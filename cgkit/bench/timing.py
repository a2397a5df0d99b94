"""What is made of measured times: minimum, median, ratios, and their text.

    Timing((3.0, 1.0, 2.0))      minimum 1.0    median 2.0

A ratio is a peer's time divided by ours: above 1, we are faster.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


@dataclass(frozen=True)
class Timing:
    """Seconds for one call, measured once a round.

    Examples
    --------
    >>> timing = Timing((3.0, 1.0, 2.0))
    >>> timing.minimum, timing.median, timing.rounds
    (1.0, 2.0, 3)
    """

    seconds: tuple[float, ...]

    @property
    def minimum(self) -> float:
        """The quickest round: what it takes when nothing disturbs."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The middle round: what it takes as a rule."""
        return statistics.median(self.seconds)

    @property
    def rounds(self) -> int:
        """How often it was measured."""
        return len(self.seconds)


def ratio(theirs: float, ours: float) -> float:
    """Divide a peer's time by ours, to four digits: more would be noise.

    Examples
    --------
    >>> ratio(38.8e-6, 10.0e-6)
    3.88
    """
    return float(f"{theirs / ours:.4g}")


def duration(seconds: float) -> str:
    """Write a time with three digits and its unit.

    Examples
    --------
    >>> [duration(t) for t in (1.149, 0.0719, 9.7e-06, 2.5e-10)]
    ['1.15 s', '71.9 ms', '9.70 us', '0.250 ns']
    """
    scale, unit = next((pair for pair in UNITS if seconds >= pair[0] * 0.9995), UNITS[-1])
    value = seconds / scale
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{3 if value < 0.9995 else digits}f} {unit}"


def times(value: float) -> str:
    """Write a ratio with two or three digits.

    Examples
    --------
    >>> [times(r) for r in (0.0412, 0.75, 3.88, 15.2, 412.4)]
    ['0.041', '0.75', '3.9', '15', '412']
    """
    digits = 3 if value < 0.1 else 2 if value < 1 else 1 if value < 10 else 0
    return f"{value:.{digits}f}"
