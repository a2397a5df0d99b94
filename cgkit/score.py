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
import textwrap
from dataclasses import dataclass

WIDTH = 83
"""Columns of a message: nbgrader indents by 4 and cuts beyond 87."""
COLUMN = 11
"""Where the words begin, after `called`, `got`, `why`."""


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
    worth
        What stands in place of the points of a task that gives none itself.

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
    ✓ backward                                                            4 of 4 points
       right on 200 graphs
    """

    points: float
    out_of: float
    sentence: str = ""
    task: str = ""
    missing: str = ""
    worth: str = ""

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
        >>> print(Score(1, 2, "half of it holds", missing="got        3").message)
        so far     half of it holds
        got        3
        """
        if not self.missing:
            return self.sentence
        so_far = textwrap.wrap(
            self.sentence,
            WIDTH,
            initial_indent="so far".ljust(COLUMN),
            subsequent_indent=" " * COLUMN,
        )
        return "\n".join([*so_far, self.missing])

    @property
    def heading(self) -> str:
        """The tick, the task and the points, as one line.

        Examples
        --------
        >>> Score(1, 2, task="forward").heading.split()
        ['½', 'forward', '1', 'of', '2', 'points']
        """
        right = self.worth or points_of(self.points, self.out_of)
        return heading(self._tick(), self.task or "check", right)

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
        if self.missing:  # laid out as what a check says that fails
            return f"{self.heading}\n\n{self.message}"
        return "\n".join([self.heading, *indented(self.message)])

    def _repr_html_(self) -> str:
        """Give the card that a notebook shows; it takes its colors from the page, dark or light."""
        edge = "#009e73" if self.points == self.out_of else "#e69f00"
        name = html.escape(self.task or "check")
        right = html.escape(self.worth or points_of(self.points, self.out_of))
        head = f"<strong>{self._tick()} {name}</strong><span style='float:right'>{right}</span>"
        words = html.escape(self.message)
        body = f"<div>{words}</div>" if words else ""
        if self.missing:
            # the words have their line ends; a page that broke lines once more would cut words
            body = f"<pre style='margin:0.5em 0 0;white-space:pre;overflow-x:auto'>{words}</pre>"
        style = f"border-left:4px solid {edge};padding:0.3em 0.8em;max-width:56em"
        return f"<div class='cgkit-score' style='{style}'>{head}{body}</div>"


def indented(sentence: str) -> list[str]:
    """Set what was established below a heading.

    Examples
    --------
    >>> indented("right on 200 graphs")
    ['   right on 200 graphs']
    """
    return textwrap.wrap(sentence, WIDTH, initial_indent="   ", subsequent_indent="   ")


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


def heading(mark: str, task: str, right: str) -> str:
    """Write the first line of every answer of a check: mark and task left, points right.

    Examples
    --------
    >>> heading("✗", "kahn", points_of(0, 4)).split("  ")[0], len(heading("✓", "", "")) == WIDTH
    ('✗ kahn', True)
    """
    left = f"{mark} {task}"
    return f"{left} {right:>{max(0, WIDTH - len(left) - 1)}}"
