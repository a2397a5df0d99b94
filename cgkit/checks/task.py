"""What a task is: its name, its points, its hints, and the well-known mistakes it looks for.

    Task("01_graphs", "evaluate", points=10, hints=("...?", "...?"))
      └ mistakes: name ──► what the mistaken algorithm would return

Invariants: hints are questions, mildest first; a mistake takes the same arguments as the student's
function and returns what one would return who made it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cgkit.checks.failure import CheckFailed, NotAnswered
from cgkit.score import Score


@dataclass(frozen=True)
class Mistake:
    """A wrong solution with a name.

    Parameters
    ----------
    name
        How a teacher would call it.
    algorithm
        The mistaken function; it may raise, as the student's would.
    why
        One sentence that says what is wrong with it.
    """

    name: str
    algorithm: Callable[..., object]
    why: str


@dataclass(frozen=True)
class Fault:
    """One thing found wrong on one case; the smallest of them becomes a `CheckFailed`."""

    stage: str
    called: str
    got: str
    expected: str
    why: str
    misconception: str = ""
    drawing: str = ""
    #: the student's own exception, if that is what came instead of an answer
    error: BaseException | None = None
    #: nobody has begun: a stub's NotImplementedError, or None where an answer belongs
    unanswered: bool = False


@dataclass(frozen=True)
class Task:
    """One graded question.

    Parameters
    ----------
    assignment
        Such as "01_graphs".
    name
        The name of the test, and of the task in `cgkit hint`.
    points
        Points that can be had, 0 for a stretch task.
    hints
        Questions that lead on, mildest first.
    mistakes
        Wrong solutions that are recognized by name.
    calls
        The name of the student's function in messages, when it is not the task's.
    worth
        What a heading says in place of points, for a task that gives none itself.
    """

    assignment: str
    name: str
    points: float
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = field(default=())
    calls: str = ""
    worth: str = ""

    @property
    def function(self) -> str:
        """The name of the student's function."""
        return self.calls or self.name

    def passed(self, sentence: str) -> Score:
        """Give all points, and say what was established."""
        return Score(self.points, self.points, sentence, task=self.name, worth=self.worth)

    def partly(self, right: int, of: int, sentence: str, fault: Fault) -> Score:
        """Give points for the part that is right, and show the first thing that is not.

        Parameters
        ----------
        right, of
            How many sub-questions are right, of how many.
        sentence
            What is right so far.
        fault
            The first thing that is wrong.

        Raises
        ------
        CheckFailed
            Nothing is right.
        """
        if right == 0 or fault.unanswered:
            raise self.failed(fault)
        points = round(self.points * right / of, 2)
        words = "\n".join(self.failed(fault).rows())
        return Score(points, self.points, sentence, self.name, missing=words, worth=self.worth)

    def failed(self, fault: Fault) -> CheckFailed:
        """Turn a fault into the exception that shows it."""
        kind = NotAnswered if fault.unanswered else CheckFailed
        return kind(
            fault.stage,
            called=self.function if fault.unanswered else fault.called,
            got="nothing yet" if fault.unanswered else fault.got,
            expected="" if fault.unanswered else fault.expected,
            why=fault.why,
            misconception=fault.misconception,
            hints=self.hints,
            drawing="" if fault.unanswered else fault.drawing,
            task=self.name,
            assignment=self.assignment,
            out_of=self.points,
            worth=self.worth,
            error=fault.error,
        )


def table(*tasks: Task) -> Mapping[str, Task]:
    """Make tasks findable by name.

    Examples
    --------
    >>> sorted(table(Task("01_graphs", "b", 1, ()), Task("01_graphs", "a", 1, ())))
    ['a', 'b']
    """
    return {task.name: task for task in tasks}
