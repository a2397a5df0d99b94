"""How the test cells of a submission differ from those that were handed out.

    a copy to run it again, a half of it, a line to look at a value     said, and nobody's business
    a line of it that is gone or another, points that are others        said, for a teacher to judge
    the hidden part, which no student was given                         likewise

None of it changes a mark: the assignment's own tests are run. So the words inform and blame nobody.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cgkit.grading.master import Master, MasterCell
from cgkit.grading.names import bound, read, tree_of
from cgkit.grading.submission import SubmittedCell, squeezed

DELETED = "the test cell was deleted"
EARLIER = "the test cell is that of an earlier release"
COPIED = "the test cell was copied"
SPLIT = "the test cell was split"
ADDED = "lines were added to the test cell"
AS_TEXT = "the test cell was turned into text"
CHANGED = "the test cell is not as it was handed out"
POINTS = "the test cell names other points"
HIDDEN = "the test cell shows its hidden part"
_CUT = "\0"


@dataclass(frozen=True)
class Difference:
    """One thing that is different in a test cell."""

    cell: str
    what: str
    evidence: str = ""
    """The line that is gone, the points, or how much of the hidden part stands there."""

    @property
    def telling(self) -> bool:
        """Whether a teacher may want to look."""
        return self.what in (CHANGED, POINTS, HIDDEN)


def differences(master: Master, cells: Sequence[SubmittedCell]) -> Iterator[Difference]:
    """Say which test cells are not there as they were handed out, and what is different.

    Parameters
    ----------
    master
        The assignment.
    cells
        What was handed in.
    """
    texts = {squeezed(cell.source) for cell in cells}
    for test in master.cells:
        if test.role != "test":
            continue
        same = [cell for cell in cells if cell.grade_id == test.cell]
        if not same and squeezed(test.released) not in texts:
            yield Difference(test.cell, DELETED)
        yield from _of_text(master, test, same, cells)
        if any(cell.kind != "code" for cell in same):
            yield Difference(test.cell, AS_TEXT)
        for cell in same:
            if cell.points is not None and cell.points != test.points and not cell.intact:
                told = str(cell.points)[:40]
                yield Difference(test.cell, POINTS, f"{told} instead of {test.points:g}")
                break


def _of_text(
    master: Master,
    test: MasterCell,
    same: Sequence[SubmittedCell],
    cells: Sequence[SubmittedCell],
) -> Iterator[Difference]:
    """Compare the text of a test with the cells that carry its name."""
    others = [cell for cell in same if not _alike(cell.source, test.released)]
    if len(same) > 1 and len(others) < len(same):
        yield Difference(test.cell, COPIED)
    if not others:
        return
    if all(cell.intact for cell in others):
        yield Difference(test.cell, EARLIER)
        return
    wanted = _lines(test.released)
    whole = len(others) < len(same)
    nearby = [cell.source for cell in cells if not cell.grade_id and cell.kind == "code"]
    if not whole and _makes_up(test.released, [cell.source for cell in others], nearby):
        yield Difference(test.cell, SPLIT)
        return
    found = {line for text in (*(c.source for c in same), *nearby) for line in _lines(text)}
    lost = next((line for line in wanted if line not in found), "")
    added = [line for cell in others for line in _lines(cell.source) if line not in wanted]
    hidden = [line for line in _lines(test.source) if line not in wanted]
    if hidden and {*hidden} <= {*added}:
        yield Difference(test.cell, HIDDEN, f"all {len(hidden)} of its hidden lines")
    elif lost and not whole:
        yield Difference(test.cell, CHANGED, f"not there: {lost[:120]}")
    elif bound("\n".join(added)) & (master.exported | read(test.released)):
        yield Difference(test.cell, CHANGED, f"added: {added[0][:120]}")
    elif added:
        yield Difference(test.cell, ADDED)
    elif not whole:
        yield Difference(test.cell, SPLIT)


def _makes_up(whole: str, parts: Iterable[str], others: Iterable[str]) -> bool:
    """Tell whether some parts make up a text, together with other cells for what is between."""
    left = squeezed(whole)
    for part in map(squeezed, parts):
        if part not in left:
            return False
        left = left.replace(part, _CUT, 1)
    known = {squeezed(other) for other in others}
    return all(piece in known for piece in left.split(_CUT) if piece)


def _lines(text: str) -> list[str]:
    """Give the lines that do something, without their place in the text."""
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith("#")]


def _alike(one: str, other: str) -> bool:
    """Tell whether two texts do the same, however they are laid out."""
    if squeezed(one) == squeezed(other):
        return True
    mine, theirs = tree_of(one), tree_of(other)
    return mine is not None and theirs is not None and ast.dump(mine) == ast.dump(theirs)


def told(found: Iterable[Difference]) -> list[str]:
    """Write differences as notes for the student."""
    return [f"{one.cell}: {one.what}; the assignment's own text was used" for one in found]
