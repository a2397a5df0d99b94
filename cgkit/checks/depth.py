"""Hold recursion to what Python allows by itself, while a deep graph is tried.

    with shallow() as raised:
        ...                 a student's function runs
        raised()            ──►  True, if it asked Python for more, put back meanwhile or not

Invariant: the limit from before comes back, however the call ends.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from cgkit.checks.task import Fault

DEPTH = 100_000
"""Nodes of a chain that is deeper than any recursion."""
#: how deep Python goes when nobody has asked for more
_LIMIT = 1_000
_BLOCKS = 10


@contextmanager
def shallow() -> Iterator[Callable[[], bool]]:
    """Set Python's own limit of recursion; a cell may have raised it before.

    Examples
    --------
    >>> with shallow() as raised:
    ...     raised()
    False
    """
    before, really = sys.getrecursionlimit(), sys.setrecursionlimit
    asked = [False]

    def noted(limit: int, /) -> None:
        really(limit)
        asked[0] |= limit > _LIMIT  # put back before the end, it was raised still

    names = vars(sys)
    really(_LIMIT)
    names["setrecursionlimit"] = noted
    try:
        yield lambda: asked[0] or sys.getrecursionlimit() != _LIMIT
    finally:
        names["setrecursionlimit"] = really
        really(before)


def deep_fault(fault: Fault | None, called: str, drawing: str, *, raised: bool) -> Fault | None:
    """Give what is wrong on a deep graph; recursion is called by its name.

    Parameters
    ----------
    fault
        What was found, or None.
    called, drawing
        Of the call.
    raised
        Whether the limit of recursion was raised meanwhile.
    """
    if raised and fault is None:
        why = "The recursion limit was raised. A graph can always be deeper than any limit."
        fault = Fault("cost", called, "recursion with a raised limit", "a loop", why)
    if fault is not None and (raised or isinstance(fault.error, RecursionError)):
        fault = replace(fault, misconception="naive recursion")
    return fault and replace(fault, drawing=drawing)


def in_blocks(draw: random.Random, graph: Mapping[str, Any]) -> dict[str, Any]:
    """Cut a dict into blocks and turn their order; one pass is not enough, and ten are.

    Parameters
    ----------
    draw
        Decides the order.
    graph
        Its first block, where the inputs are, comes last.

    Examples
    --------
    >>> list(in_blocks(random.Random(1), dict.fromkeys("abcdefghij")))[-1]
    'a'
    """
    names = list(graph)
    size = -(-len(names) // _BLOCKS)
    blocks = [names[start : start + size] for start in range(0, len(names), size)]
    first, *rest = blocks
    draw.shuffle(rest)
    return {name: graph[name] for block in (*rest, first) for name in block}
