"""What a check says when it fails: one clean block, never a traceback through the library.

    ✗ evaluate                                                  0 of 10 points

    called     evaluate(graph, {'x': 2}, 'z')
    got        2
    expected   4
    why        ...
    looks like "..."
    drawing      x   input
               ▶ z   add     ◄── x, x   should be 4, not 2
    hint 1 of 3: ...   (more: cgkit hint 01 evaluate 2)

Invariants: no line is wider than `WIDTH` (nbgrader cuts there); rendering never raises; the block
shows no hidden input but the one smallest case that it is about.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from cgkit.errors import CgkitError
from cgkit.score import COLUMN, WIDTH, heading, points_of

STAGES = ("type", "shape", "values", "invariants", "cost")
_LONGEST = 6


class CheckFailed(CgkitError):
    """A check that did not pass, with all that a student needs in order to act.

    Parameters
    ----------
    stage
        One of `STAGES`: how far the answer came.
    called
        What was called, as one would write it.
    got, expected
        What came back and what should have; already text.
    why
        The reason, in one sentence.
    misconception
        The name of the well-known mistake that gives exactly this answer, or "".
    hints
        Questions that lead on, mildest first.
    drawing
        Lines of text with the offending node or step marked, or "".
    task, assignment, out_of, worth
        What the heading and the hint line name; `worth` in place of points, where there are none.
    error
        The student's own exception, if it was one.

    Examples
    --------
    >>> failed = CheckFailed("values", called="f(2)", got="5", expected="4", why="2 + 2 is 4.",
    ...                      task="f", out_of=3)
    >>> print(failed)
    ✗ f                                                                   0 of 3 points
    <BLANKLINE>
    called     f(2)
    got        5
    expected   4
    why        2 + 2 is 4.
    """

    def __init__(
        self,
        stage: str,
        *,
        called: str = "",
        got: str = "",
        expected: str = "",
        why: str = "",
        misconception: str = "",
        hints: Sequence[str] = (),
        drawing: str = "",
        task: str = "check",
        assignment: str = "",
        out_of: float = 0,
        worth: str = "",
        error: BaseException | None = None,
    ) -> None:
        if stage not in STAGES:
            raise ValueError(f"{stage!r} is no stage of a check; one of {', '.join(STAGES)}")
        self.stage = stage
        self.called = called
        self.got = got
        self.expected = expected
        self.misconception = misconception
        self.hints = tuple(hints)
        self.drawing = drawing
        self.task = task
        self.assignment = assignment
        self.out_of = out_of
        self.worth = worth
        self.error = error
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return "\n".join(self._render_traceback_())

    def _render_traceback_(self) -> list[str]:
        """Give the block as lines; IPython, nbclient and nbgrader show them as they are."""
        try:
            return self._block()
        except Exception as error:  # a broken message must not bring the long traceback back
            return [f"✗ {self.task}", f"why        {self.why}", f"(message cut: {error!r})"]

    def _block(self) -> list[str]:
        right = self.worth or points_of(0, self.out_of)
        return [heading("✗", self.task, right), "", *self.rows()]

    def rows(self) -> list[str]:
        """Give the block without its first line."""
        lines: list[str] = []
        for label in ("called", "got", "expected", "why"):
            lines += _row(label, str(getattr(self, label)))
        if self.misconception:
            lines += _row("looks like", f'"{self.misconception}"')
        if self.drawing:
            lines += _picture(self.drawing)
        if self.hints:
            lines += self._hint_line()
        return lines

    def _hint_line(self) -> list[str]:
        number = self.assignment.split("_")[0]
        text = f"hint 1 of {len(self.hints)}: {self.hints[0]}"
        more = f"(more: cgkit hint {number} {self.task} 2)" if len(self.hints) > 1 else ""
        if more and len(text) + len(more) + 3 <= WIDTH:
            return [f"{text}   {more}"]
        lines = textwrap.wrap(text, WIDTH, subsequent_indent=" " * COLUMN)
        return [*lines, " " * COLUMN + more] if more else lines


class NotAnswered(CheckFailed, NotImplementedError):
    """A task that nobody has begun: the stub still raises NotImplementedError, or gives None.

    Examples
    --------
    >>> issubclass(NotAnswered, NotImplementedError)
    True
    """


def _row(label: str, text: str) -> list[str]:
    """Lay out one label and its text, wrapped, a long text cut in its middle."""
    if not text:
        return []
    room = WIDTH - COLUMN
    lines = [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, room, replace_whitespace=False) or [""]
    ]
    if len(lines) > _LONGEST:
        lines = [*lines[: _LONGEST - 2], "...", lines[-1]]
    heads = [label.ljust(COLUMN), *[" " * COLUMN] * (len(lines) - 1)]
    return [(head + line).rstrip() for head, line in zip(heads, lines, strict=True)]


def _picture(drawing: str) -> list[str]:
    """Set a drawing below the words; what is too wide is cut and says so by an ellipsis."""
    lines = [line.rstrip() for line in drawing.splitlines()]
    room = WIDTH - COLUMN
    cut = [line if len(line) <= room else line[: room - 1] + "…" for line in lines]
    heads = ["drawing".ljust(COLUMN), *[" " * COLUMN] * (len(cut) - 1)]
    return ["", *[(head + line).rstrip() for head, line in zip(heads, cut, strict=True)], ""]
