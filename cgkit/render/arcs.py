"""Small graphs drawn in letters, on one line with arcs below it.

    x ──► b ──► c            nodes in an order that can be run; an arrow between neighbors,
    └────►┘ └──►┘            an arc for every other edge

The only drawing that a validation message can show, since it holds nothing but text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unicodedata import east_asian_width

WIDTH = 87
"""How many letters fit in a line of a message: nbgrader cuts longer ones."""

ROWS = 9
"""How many rows of arcs can be told apart."""

_ARROW, _GAP = " ──► ", "     "
_RIGHT, _LEFT, _UP, _DOWN = 1, 2, 4, 8
_LINES = dict(
    zip(
        (_UP | _RIGHT, _UP | _LEFT, _RIGHT | _LEFT, _UP | _DOWN, 15, 7, 13, 14, 11, _UP, _RIGHT),
        "└┘─│┼┴├┤┬╵╶",
        strict=True,
    )
)


def arcs(
    labels: Sequence[str],
    edges: Sequence[tuple[int, int]],
    notes: Mapping[int, str] | None = None,
) -> str | None:
    """Draw a graph on one line.

    Parameters
    ----------
    labels
        A word for each node, in an order in which each edge goes to the right.
    edges
        (from, to) as places in `labels`; an edge may occur several times.
    notes
        For some nodes, words that point at them from above.

    Returns
    -------
    str or None
        None when the drawing would be too wide, too high, or has an edge to the left.

    Examples
    --------
    >>> print(arcs("xbc", [(0, 1), (0, 1), (1, 2), (1, 2)]))
    x ──► b ──► c
    └────►┘ └──►┘
    >>> print(arcs(["x", "y", "add"], [(0, 2), (1, 2)], {2: "here"}))
                ▼ here
    x     y ──► add
    └──────────►┘
    """
    if any(start >= end for start, end in edges):
        return None
    rest, first = list(edges), ""
    columns = []
    for place, label in enumerate(labels):
        if place:
            near = (place - 1, place) in rest
            if near:
                rest.remove((place - 1, place))
            first += _ARROW if near else _GAP
        columns.append(wide(first))
        first += label
    if wide(first) > WIDTH:
        return None
    ends = [
        (
            max(columns[start] + wide(labels[start]) - 1, columns[start] + 2 * (start > 0)),
            columns[end],
        )
        for start, end in rest
    ]
    rows = _rows(sorted(ends, key=lambda pair: (pair[1] - pair[0], pair)))
    if len(rows) > ROWS:
        return None
    above = [" " * columns[place] + f"▼ {words}" for place, words in sorted((notes or {}).items())]
    return "\n".join([*above, first, *_arc_lines(rows, wide(first))])


def wide(text: str) -> int:
    """Count the columns of a text; Chinese letters take two.

    Examples
    --------
    >>> wide("x→y"), wide("输入")
    (3, 4)
    """
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _rows(ends: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Lay arcs into rows: none overlaps another of its row or stands in its way up."""
    rows: list[list[tuple[int, int]]] = []
    for start, end in ends:
        for row in rows:
            if all(end < other[0] or other[1] < start for other in row):
                row.append((start, end))
                break
        else:
            rows.append([(start, end)])
    return rows


def _arc_lines(rows: Sequence[Sequence[tuple[int, int]]], width: int) -> list[str]:
    """Draw rows of arcs; an arc of a lower row goes up through those above it."""
    grid = [[0] * width for _ in rows]
    heads = set()
    for depth, row in enumerate(rows):
        for start, end in row:
            for column in range(start, end):
                grid[depth][column] |= _RIGHT
                grid[depth][column + 1] |= _LEFT
            heads.add((depth, end - 1))
            for column in (start, end):
                grid[depth][column] |= _UP
                for above in range(depth):
                    grid[above][column] |= _UP | _DOWN
    return [
        "".join(
            "►" if (depth, column) in heads and cell == _RIGHT | _LEFT else _LINES.get(cell, " ")
            for column, cell in enumerate(line)
        ).rstrip()
        for depth, line in enumerate(grid)
    ]
