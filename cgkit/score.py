"""What a check gives back when it did not fail: points, and what was established.

    check.evaluate(evaluate)  ──►  Score(points=10, out_of=10, sentence="right on 200 graphs ...")
                                     │ text/plain   10                        (nbgrader reads this)
                                     └ text/html    ✓ evaluate  10 of 10 points, and the sentence

Invariants: both numbers are finite and 0 <= points <= out_of. The plain form is the bare number of
points and nothing else, because nbgrader gives *full* marks to an output that is not a number.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass


def _finite(name: str, value: float) -> float:
    """Give `value` as a plain float; whatever is not a finite number is the author's mistake."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} of a Score must be a finite number, not {value!r}")
    return float(value)


def _figure(value: float) -> str:
    """Write 4.0 as 4 and 2.5 as 2.5."""
    return str(int(value)) if value == int(value) else repr(value)


@dataclass(frozen=True, repr=False)
class Score:
    """Points given by one check.

    Parameters
    ----------
    points
        Points given, 0 to `out_of`.
    out_of
        Points that can be had; 0 for a stretch task.
    sentence
        What was established, in plain words.
    task
        The name of the task, for the heading.
    missing
        For partial credit: the block that says what the first wrong part was.

    Raises
    ------
    ValueError
        A number is not finite, is negative, or is more than there is.

    Examples
    --------
    >>> score = Score(4, 4, "right on 200 graphs", task="backward")
    >>> score
    4
    >>> print(score.text())
    ✓ backward                                                                4 of 4 points
       right on 200 graphs
    """

    points: float
    out_of: float
    sentence: str = ""
    task: str = ""
    missing: str = ""

    def __post_init__(self) -> None:
        points = _finite("points", self.points)
        out_of = _finite("out_of", self.out_of)
        if not 0 <= points <= out_of:
            raise ValueError(
                f"a Score of {_figure(points)} out of {_figure(out_of)} cannot be given"
            )
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "out_of", out_of)

    def __repr__(self) -> str:
        return _figure(self.points)

    def __float__(self) -> float:
        return self.points

    @property
    def message(self) -> str:
        """The words that go with the number.

        Examples
        --------
        >>> Score(1, 2, "half of it holds").message
        'half of it holds'
        """
        return "\n\n".join(part for part in (self.sentence, self.missing) if part)

    @property
    def heading(self) -> str:
        """The tick, the task and the points, as one line.

        Examples
        --------
        >>> Score(1, 2, task="forward").heading.split()
        ['½', 'forward', '1', 'of', '2', 'points']
        """
        return heading(self._tick(), self.task or "check", self.points, self.out_of)

    def _tick(self) -> str:
        if self.points == self.out_of:
            return "✓"
        return "½" if self.points else "✗"

    def text(self) -> str:
        """Give heading and sentence as text, for a terminal.

        Examples
        --------
        >>> Score(2, 2, "both hold", task="t").text().splitlines()[1]
        '   both hold'
        """
        lines = [self.heading]
        lines += [f"   {line}" if line else "" for line in self.message.splitlines()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Give the card that a notebook shows; it takes its colors from the page, dark or light."""
        edge = "#009e73" if self.points == self.out_of else "#e69f00"
        name = html.escape(self.task or "check")
        head = (
            f"<strong>{self._tick()} {name}</strong>"
            f"<span style='float:right'>{points_of(self.points, self.out_of)}</span>"
        )
        body = f"<div>{html.escape(self.sentence)}</div>" if self.sentence else ""
        if self.missing:
            body += f"<pre style='margin:0.5em 0 0'>{html.escape(self.missing)}</pre>"
        style = f"border-left:4px solid {edge};padding:0.3em 0.8em;max-width:46em"
        return f"<div class='cgkit-score' style='{style}'>{head}{body}</div>"


def points_of(points: float, out_of: float) -> str:
    """Say how many points of how many.

    Examples
    --------
    >>> points_of(2.5, 4), points_of(0, 0)
    ('2.5 of 4 points', 'no points')
    """
    if not out_of:
        return "no points"
    return f"{_figure(points)} of {_figure(out_of)} points"


def heading(mark: str, task: str, points: float, out_of: float, width: int = 87) -> str:
    """Write the first line of every answer of a check: mark and task left, points right.

    Examples
    --------
    >>> heading("✗", "kahn", 0, 4, width=30)
    '✗ kahn           0 of 4 points'
    """
    left, right = f"{mark} {task}", points_of(points, out_of)
    return f"{left} {right:>{max(0, width - len(left) - 1)}}"
