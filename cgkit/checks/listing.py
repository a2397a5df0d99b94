"""Draw a small graph as lines of text, the node to look at marked.

      x   input
      s   add        ◄── x, x
    ▶ z   multiply   ◄── s, s        called 4 times

Invariants: one line a node, in the order given; a long graph is shown around its marked nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cgkit.checks.dot import DotGraph
from cgkit.checks.parts import PlainGraph, quoted

_ROWS = 14


def list_graph(
    graph: PlainGraph, marked: Sequence[str] = (), notes: Mapping[str, str] | None = None
) -> str:
    """Draw a plain graph.

    Parameters
    ----------
    graph
        Name to ("constant", value), (operation, *operand names), or a source such as ("input",).
    marked
        The nodes to point at.
    notes
        Words to put behind a node.

    Examples
    --------
    >>> print(list_graph({"x": ("input",), "z": ("add", "x", "x")}, ["z"], {"z": "should be 4"}))
      x   input
    ▶ z   add     ◄── x, x   should be 4
    """
    rows = []
    for name, (kind, *rest) in graph.items():
        reads = f"◄── {', '.join(map(str, rest))}" if rest and kind != "constant" else ""
        word = f"constant {rest[0]}" if kind == "constant" else str(kind)
        rows.append((name in marked, name, word, reads, (notes or {}).get(name, "")))
    return _table(rows)


def list_drawing(read: DotGraph, marked: Sequence[str] = ()) -> str:
    """Draw what a student's drawing says, node by node.

    Examples
    --------
    >>> from cgkit.checks.dot import read_dot
    >>> print(list_drawing(read_dot('digraph { a [label="+"]; x -> a; x -> a }'), ["a"]))
    ▶ "+"   ◄── "x", "x"
      "x"
    """
    reads: dict[str, list[str]] = {node: [] for node in read.nodes}
    for edge in read.edges:
        reads[edge.head].append(quoted(read.label(edge.tail)))
    rows = [
        (node in marked, quoted(read.label(node)), "", f"◄── {', '.join(into)}" if into else "", "")
        for node, into in reads.items()
    ]
    return _table(rows)


def _table(rows: Sequence[tuple[bool, str, str, str, str]]) -> str:
    rows = _window(rows)
    columns = list(zip(*(cells[:3] for _, *cells in rows), strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for marked, *cells in rows:
        parts = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False) if width]
        line = "   ".join([*parts, *cells[3:]])
        lines.append(("▶ " if marked else "  ") + line.rstrip())
    return "\n".join(lines)


def _window(
    rows: Sequence[tuple[bool, str, str, str, str]],
) -> Sequence[tuple[bool, str, str, str, str]]:
    if len(rows) <= _ROWS:
        return rows
    first = next((place for place, row in enumerate(rows) if row[0]), len(rows) - 1)
    start = max(0, min(first - _ROWS // 2, len(rows) - _ROWS))
    more = (False, "...", f"{len(rows)} nodes in all", "", "")
    return [*rows[start : start + _ROWS], more]
