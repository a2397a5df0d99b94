"""Small drawings of shapes for messages: sizes in columns, the ones to look at marked.

    a    2   3
    b        2          reduce:   axis     0   1   2
             ▲                    shape    2   3   5
                                           ▲       ▲

Invariants: drawn from the arguments of the call alone; never from a student's answer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from cgkit.words import counted

Shape = tuple[int, ...]


def _columns(rows: Sequence[tuple[str, Sequence[object]]], marked: Collection[int]) -> str:
    """Set rows of sizes below each other, right ends in one column, and mark some columns."""
    rank = max((len(cells) for _, cells in rows), default=0)
    texts = [(name, ["", *map(str, cells)]) for name, cells in rows]
    filled = [(name, [""] * (rank + 1 - len(cells)) + cells) for name, cells in texts]
    filled.append(("", ["", *("▲" if place in marked else "" for place in range(rank))]))
    widths = [max(len(cells[place]) for _, cells in filled) for place in range(rank + 1)]
    edge = max(len(name) for name, _ in filled)
    lines = []
    for name, cells in filled:
        text = "   ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{name.ljust(edge)} {text}".rstrip())
    return "\n".join(line for line in lines if line)


def broadcast(a: Shape, b: Shape) -> str:
    """Draw two shapes as they meet; marked are the sizes that differ.

    Examples
    --------
    >>> print(broadcast((2, 3), (2,)))
    a    2   3
    b        2
         ▲   ▲
    """
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    marked = [place for place in range(rank) if left[place] != right[place]]
    return _columns([("a", a or ["()"]), ("b", b or ["()"])], marked)


def matmul(a: Shape, b: Shape) -> str:
    """Draw two shapes as a product reads them; marked are the inner sizes.

    Examples
    --------
    >>> print(matmul((5, 2, 3), (3, 4)))
    a   5   2   [3]
    b      [3]   4
    """
    shown_a = [*map(str, a[:-1]), f"[{a[-1]}]"]
    shown_b = [*map(str, b[:-2]), f"[{b[-2]}]", f" {b[-1]} "]
    return _columns([("a", shown_a), ("b", shown_b)], ())


def reduce(shape: Shape, axis: int | Shape | None, keepdims: bool) -> str:
    """Draw a shape with its axes numbered; marked are those that are reduced.

    Examples
    --------
    >>> print(reduce((2, 3), -1, False))
    axis     0   1
    shape    2   3
                 ▲
    """
    rank = len(shape)
    axes = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    marked = {place % rank for place in axes}
    return _columns([("axis", list(range(rank))), ("shape", shape or ["()"])], marked)


def reshape(shape: Shape, new: Shape) -> str:
    """Count the elements before and after.

    Examples
    --------
    >>> print(reshape((2, 6), (-1, 4)))
    before   2 * 6 = 12 elements
    after    ? * 4, and that must make 12
    """
    before = " * ".join(map(str, shape)) or "1"
    known, held = math.prod(size for size in new if size != -1), math.prod(shape)
    after = " * ".join("?" if size == -1 else str(size) for size in new) or "1"
    total = f", and that must make {held}" if -1 in new else f" = {counted(known, 'element')}"
    return f"before   {before} = {counted(held, 'element')}\nafter    {after}{total}"
