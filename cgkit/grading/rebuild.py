"""The assignment with a student's answers in it, as a plan of cells to run.

    master + submitted bytes ──► Plan(cells, exported, notes, sources)

    given     the instructor's text, inside and outside
    solution  the student's text, inside
    extra     cells the student added or changed, inside, where they stood
    test      the instructor's text with its hidden part, outside

Rebuilt, not repaired: nothing of the submitted file but sources is believed. Deleted, copied, split
and edited test cells make no difference. Invariant: `rebuild` never raises, whatever the bytes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cgkit.grading.differences import Difference, differences, told
from cgkit.grading.master import Master, MasterCell
from cgkit.grading.matching import Match, match
from cgkit.grading.names import bound
from cgkit.grading.submission import Submission, SubmittedCell, read_submission, squeezed

PlanKind: TypeAlias = Literal["given", "solution", "extra", "test"]

_ALIKE = 0.8
_PART = 12
_MOST_EXTRAS = 300
_MOST_NAMED = 8
_MOST_NOTES = 60


@dataclass(frozen=True)
class PlanCell:
    """One step."""

    kind: PlanKind
    cell: str
    source: str
    points: float = 0.0
    limit: float = 0.0
    live: bool = True
    """For given cells: whether their outside part must run for each submission anew."""
    released: str = ""
    """For test cells: the part of it that students received."""


@dataclass(frozen=True)
class Plan:
    """Everything to run for one submission, in order."""

    cells: tuple[PlanCell, ...]
    exported: frozenset[str]
    notes: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    """For each cell that students write, the text that is graded; what was released if none."""
    edited: tuple[Difference, ...] = ()
    """What is different in test cells."""


def rebuild(master: Master, raw: bytes) -> Plan:
    """Put the answers of a submission into the assignment.

    Parameters
    ----------
    master
        The assignment.
    raw
        The submitted file, any bytes.
    """
    return plan_of(master, read_submission(raw))


def plan_of(master: Master, submission: Submission) -> Plan:
    """Put the answers of a submission that was read into the assignment."""
    found = match(master, submission.cells)
    notes, edited = [*submission.notes], tuple[Difference, ...]()
    notes += found.notes if submission.cells else []
    if submission.cells and (found.found or not master.exported):
        edited = tuple(differences(master, submission.cells))
        notes += told(edited)
    extras = _extras(master, submission.cells, found, notes)
    cells: list[PlanCell] = [*extras.get(-1, ())]
    sources: dict[str, str] = {}
    for place, cell in enumerate(master.cells):
        if cell.role in ("solution", "written"):
            answer = found.found.get(cell.cell)
            sources[cell.cell] = answer.source if answer else cell.released
            if cell.cell in found.elsewhere:
                sources[cell.cell] = f"# answered in the cell of {found.elsewhere[cell.cell]}"
        if cell.role == "solution":
            cells.append(PlanCell("solution", cell.cell, sources[cell.cell], limit=cell.limit))
        elif cell.role in ("given", "test"):
            cells.append(_own(cell))
        cells += extras.get(place, ())
    return Plan(tuple(cells), master.exported, _few(notes), sources, edited)


def _few(notes: Iterable[str]) -> tuple[str, ...]:
    """Give the first notes, and say how many more there are."""
    found = tuple(dict.fromkeys(notes))
    more = len(found) - _MOST_NOTES
    return found if more <= 0 else (*found[:_MOST_NOTES], f"and {more:,} more notes")


def own_cells(plan: Plan) -> dict[str, str]:
    """Give the text of the student's own cells, by the name they have in the plan."""
    return {cell.cell: cell.source for cell in plan.cells if cell.kind == "extra"}


def _own(cell: MasterCell) -> PlanCell:
    kind: PlanKind = "test" if cell.role == "test" else "given"
    seen = cell.released if kind == "test" else ""
    return PlanCell(kind, cell.cell, cell.source, cell.points, cell.limit, released=seen)


def _extras(
    master: Master, cells: Sequence[SubmittedCell], found: Match, notes: list[str]
) -> dict[int, list[PlanCell]]:
    """Give the student's own cells by the place of the assignment's cell they stand behind."""
    places = {cell.cell: place for place, cell in enumerate(master.cells)}
    answers = {cell.number: name for name, cell in found.found.items()}
    texts = _Texts(master)
    extras: dict[int, list[PlanCell]] = {}
    at, count = -1, 0
    binding: list[int] = []
    for cell in cells:
        place = places.get(answers.get(cell.number, cell.grade_id))
        if place is None:
            place = texts.place(cell.source)
        at = max(at, place) if place is not None else at
        own, behind = cell.source, at
        if cell.number in answers or not _is_own(cell, master, texts, found):
            own, behind = texts.before_test(cell), at - 1
            if not bound(own):
                continue
        count += 1
        if count > _MOST_EXTRAS:
            notes.append(f"only the first {_MOST_EXTRAS} cells of the student's own were run")
            break
        extras.setdefault(behind, []).append(PlanCell("extra", f"own{cell.number + 1}", own))
        if bound(own) and not texts.is_plain(own):
            binding.append(cell.number + 1)
    notes += _run_with(binding)
    return extras


def _run_with(numbers: Sequence[int]) -> Iterable[str]:
    """Name the student's own cells that bind names, in one note."""
    shown, more = [str(number) for number in numbers[:_MOST_NAMED]], len(numbers) - _MOST_NAMED
    if more > 0:
        shown.append(f"{more} more")
    if len(shown) == 1:
        yield f"cell {shown[0]} of the student's own was run with the answers"
    elif shown:
        listed = f"{', '.join(shown[:-1])} and {shown[-1]}"
        yield f"cells {listed} of the student's own were run with the answers"


class _Texts:
    """Recognizes texts of the assignment."""

    def __init__(self, master: Master) -> None:
        self._tests = [
            text for cell in master.cells if cell.role == "test"
            for text in (cell.released, cell.source) if text.strip()
        ]  # fmt: skip
        self._places = {
            squeezed(text): place
            for place, cell in enumerate(master.cells)
            for text in (cell.released, cell.source)
            if cell.kind == "code" and text.strip()
        }
        self._plain = {squeezed(cell.released) for cell in master.cells if cell.role == "plain"}
        self._answers = {
            squeezed(cell.source) for cell in master.cells if cell.role == "solution"
        } - {squeezed(cell.released) for cell in master.cells}
        self._released = {cell.cell: cell.released for cell in master.cells if cell.role == "test"}

    def place(self, source: str) -> int | None:
        """Find the cell of the assignment with this text."""
        return self._places.get(squeezed(source))

    def is_plain(self, source: str) -> bool:
        """Tell whether it is an unlocked cell as it was handed out."""
        return squeezed(source) in self._plain

    def is_handed_out(self, source: str) -> bool:
        """Tell whether it is a text of the assignment, and not an answer like the author's."""
        return self.place(source) is not None and squeezed(source) not in self._answers

    def before_test(self, cell: SubmittedCell) -> str:
        """Give what a student wrote into a test cell, above the text that was handed out."""
        released = self._released.get(cell.grade_id, "").strip()
        above, found, _ = cell.source.partition(released) if released else ("", "", "")
        return above if found and cell.kind == "code" else ""

    def is_test(self, source: str) -> bool:
        """Tell whether it is part of a test cell, or nearly one."""
        text = squeezed(source)
        part = len(text) >= _PART and not bound(source)
        return any(
            (part and text in squeezed(test)) or _alike(source, test) for test in self._tests
        )


def _alike(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > max(len(one), len(other)) // 2:
        return False
    pair = difflib.SequenceMatcher(None, one[:5_000], other[:5_000])
    return pair.quick_ratio() > _ALIKE and pair.ratio() > _ALIKE


def _is_own(cell: SubmittedCell, master: Master, texts: _Texts, found: Match) -> bool:
    """Tell whether a cell is the student's own code, to be run where it stands."""
    if cell.kind != "code" or not cell.source.strip():
        return False
    if texts.is_plain(cell.source):
        return True
    known = next((one for one in master.cells if one.cell == cell.grade_id), None)
    if known is not None and (known.role == "test" or (known.role == "given" and cell.intact)):
        return False
    if known is not None and known.cell in found.found:  # a copy, or the other half of a split cell
        names = bound(cell.source)
        return bool(names) and not names & bound(found.found[known.cell].source)
    if texts.is_handed_out(cell.source):
        return False
    return not texts.is_test(cell.source)
