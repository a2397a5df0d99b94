"""Which cell of a submission answers which cell of the assignment.

    by nbgrader's name  ►  by the notebook's id  ►  by the names it defines  ►  by position

Students copy cells, split them, strip metadata, turn code into text and paste old notebooks. Each
answer is looked for in the best place first; one that is found in another way than the first is
noted.
Invariant: a submitted cell answers at most one cell, and is never dropped for being odd.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cgkit.grading.master import Master, MasterCell
from cgkit.grading.names import bound, defined
from cgkit.grading.submission import SubmittedCell, squeezed

NOTHING = "no answer to this assignment was found; is it the work on another one?"
_UNWRITTEN = "NotImplementedError"


@dataclass
class Match:
    """Which submitted cell stands for which of the assignment's."""

    found: dict[str, SubmittedCell] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)
    """For answers without a cell of their own, the one in whose cell they stand."""

    def taken(self) -> set[int]:
        """Give the numbers of the cells that answer something."""
        return {cell.number for cell in self.found.values()}


def match(master: Master, cells: Sequence[SubmittedCell]) -> Match:
    """Find the answers in a submission.

    Parameters
    ----------
    master
        The assignment.
    cells
        The submission.

    Returns
    -------
    Match
        For each answer that was found its cell, and notes on the ways it was found.
    """
    made = Match()
    wanted = [cell for cell in master.cells if cell.role in ("solution", "written")]
    for cell in wanted:
        _by_name(made, cell, cells)
    for find in (_by_id, _by_definition, _by_position):
        for cell in wanted:
            if cell.cell not in made.found:
                find(made, master, cell, cells)
    if wanted and cells and not made.found:
        made.notes.append(NOTHING)
        return made
    for cell in wanted:
        _note_way(made, cell)
    return made


def _note_way(made: Match, cell: MasterCell) -> None:
    """Note what became of an answer that has no cell of its own, or an odd one."""
    answer = made.found.get(cell.cell)
    names = bound(cell.released) if cell.role == "solution" else frozenset()
    if answer is not None:
        if answer.kind != cell.kind:
            made.notes.append(f"{cell.cell}: the cell was turned into {answer.kind}")
        return
    others = (name for name, one in made.found.items() if names and names <= bound(one.source))
    other = next(others, None)
    if other is None:
        made.notes.append(f"{cell.cell}: no answer was found")
    else:
        made.elsewhere[cell.cell] = other
        made.notes.append(f"{cell.cell}: the answer was found in the cell of {other}")


def _names(cell: MasterCell) -> frozenset[str]:
    return bound(cell.source) if cell.role == "solution" else frozenset()


def _by_name(made: Match, cell: MasterCell, cells: Sequence[SubmittedCell]) -> None:
    """Take the cell of that name; of several the one that defines most, then the last written."""
    same = [one for one in cells if one.grade_id == cell.cell]
    if not same:
        return
    names = _names(cell)
    best = max(same, key=lambda one: _worth(one, names))
    if names and not names & bound(best.source) and _defined_elsewhere(names, cells):
        return  # an emptied cell; its answer moved to a cell of the student's own
    made.found[cell.cell] = best
    if len(same) > 1:
        made.notes.append(f"{cell.cell}: the best of {len(same)} copies was taken")


def _worth(cell: SubmittedCell, names: frozenset[str]) -> tuple[int, bool, bool, int]:
    written = bool(cell.source.strip())
    return len(bound(cell.source) & names), written, _UNWRITTEN not in cell.source, cell.number


def _defined_elsewhere(names: frozenset[str], cells: Sequence[SubmittedCell]) -> bool:
    return any(not one.grade_id and names & defined(one.source) for one in cells)


def _free(made: Match, cells: Sequence[SubmittedCell]) -> list[SubmittedCell]:
    taken = made.taken()
    return [one for one in cells if one.number not in taken]


def _by_id(made: Match, master: Master, cell: MasterCell, cells: Sequence[SubmittedCell]) -> None:
    same = [one for one in _free(made, cells) if one.cell_id == cell.cell_id and not one.grade_id]
    if same:
        names = _names(cell)
        made.found[cell.cell] = max(same, key=lambda one: _worth(one, names))
        made.notes.append(f"{cell.cell}: the answer was found by the id of its cell")


def _by_definition(
    made: Match, master: Master, cell: MasterCell, cells: Sequence[SubmittedCell]
) -> None:
    names = _names(cell)
    others = {one.cell for one in master.cells if one.cell != cell.cell}
    free = [one for one in _free(made, cells) if one.grade_id not in others]
    defining = [one for one in free if names & bound(one.source)]
    if defining:
        made.found[cell.cell] = max(defining, key=lambda one: _worth(one, names))
        made.notes.append(f"{cell.cell}: the answer was found by the names it defines")


def _by_position(
    made: Match, master: Master, cell: MasterCell, cells: Sequence[SubmittedCell]
) -> None:
    """Take the only nameless cell of the right kind between two neighbors that are known."""
    place = master.cells.index(cell)
    before = _anchor(made, master.cells[:place][::-1], cells, -1)
    after = _anchor(made, master.cells[place + 1 :], cells, len(cells))
    texts = {squeezed(one.released) for one in master.cells if one.cell != cell.cell}
    between = [
        one
        for one in _free(made, cells)
        if before < one.number < after
        and not one.grade_id
        and one.kind == cell.kind
        and squeezed(one.source) not in texts
    ]
    if len(between) == 1 and between[0].source.strip():
        made.found[cell.cell] = between[0]
        made.notes.append(f"{cell.cell}: the answer was found by its position")


def _anchor(
    made: Match, neighbors: Sequence[MasterCell], cells: Sequence[SubmittedCell], otherwise: int
) -> int:
    """Give the number of the submitted cell that stands for the nearest known neighbor."""
    for neighbor in neighbors:
        if neighbor.cell in made.found:
            return made.found[neighbor.cell].number
        for one in cells:
            same = one.grade_id == neighbor.cell or (
                not one.grade_id and squeezed(one.source) == squeezed(neighbor.released)
            )
            if same:
                return one.number
    return otherwise
