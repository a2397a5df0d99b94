"""Writing in place while a function is traced: a value becomes another one.

    x.add_(1.0)      x is from now on the sum; what was made of the old x keeps it
    x ─ view ─> v    a write to x would have to change v too: it is refused while v is in use

Who traced takes the new values of arguments as further outputs, and copies them back.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from cgkit.arithmetic import call
from cgkit.errors import CaptureError, GradientError
from cgkit.node import CONSTANT, Edge, Kind, Operator
from cgkit.operators import ALL
from cgkit.operators.elementwise import no_flops
from cgkit.writing import check_fits

VIEWS = frozenset(("reshape", "slice", "split", "squeeze", "transpose", "unsqueeze"))
"""Operators whose result lies in the memory of their operand, where it can."""
Key = tuple[Any, int]
INSTEAD = Operator(
    "instead", lambda a, b: b, lambda a, b: b, operands=2, kind=Kind.ELEMENTWISE,
    gradient=(lambda g, y, a, b: g, None), flops=no_flops, scalar=lambda a, b: b,
    doc="the numbers of b, with the way back of a: what a becomes if it is written to where "
    "nothing is recorded",
)  # fmt: skip
STOP = ALL["stop_gradient"]


def apart(edges: Sequence[Edge], operator: Operator, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Cut results from what gradients go through, as is done where nothing is recorded."""
    if operator is STOP or operator is INSTEAD or operator.gradient is None:
        return values
    ends = all(
        edge.dtype.kind != "f" or edge.node is None or edge.node.operator in (STOP, CONSTANT)
        for edge in edges
    )
    return values if ends else tuple(STOP(x) if x.dtype.kind == "f" else x for x in values)


def recorded_edge(edge: Edge) -> Edge:
    """Give the edge that gradients go back from: writes that were not recorded have no part in it.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder((2,))
    >>> recorded_edge(INSTEAD(INSTEAD(x, x + 1.0), x * 2.0).edge).key == x.edge.key
    True
    """
    while edge.node is not None and edge.node.operator is INSTEAD:
        edge = edge.node.inputs[0]
    return edge


class Writes:
    """What is written to, and what must not be, while a function is traced.

    Parameters
    ----------
    recorded
        Says whether operators are recorded for gradients now; None where that never matters.
    back
        Whether what is written to tensors that were not given, but found, comes back to them.
    """

    def __init__(self, recorded: Callable[[], bool] | None = None, *, back: bool = False) -> None:
        self.recorded = recorded
        self.back = back
        self.first: dict[int, tuple[Any, Edge]] = {}
        """By identity: each value that was written to, and its edge before that."""
        self.leaves: set[Key] = set()
        """The keys of values that stand for leaves that require grad."""
        self._views: dict[Key, list[weakref.ref[Any]]] = {}
        self._shown: dict[Key, Key] = {}

    def __contains__(self, operator: Operator) -> bool:
        return operator.name in VIEWS

    def view(self, base: Edge, views: tuple[Any, ...]) -> None:
        """Note that values lie in the memory of another one."""
        root = self._shown.get(base.key, base.key)
        for value in views:
            self._shown[value.edge.key] = root
            self._views.setdefault(root, []).append(weakref.ref(value))

    def write(self, x: Any, act: Any, others: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Let a value become the result of an operator."""
        self._check(x)
        old = type(x)(x.edge, x.builder)
        y = call(act, old, *others, **params)
        check_fits(x, y, act)
        if y.dtype != x.dtype:
            y = ALL["cast"](y, dtype=x.dtype.name)
        if self.recorded is not None and not self.recorded():
            y = INSTEAD(old, y)
        if x.edge.key in self.leaves:
            self.leaves.add(y.edge.key)
        self.first.setdefault(id(x), (x, x.edge))
        x.edge = y.edge
        return x

    def before(self, x: Any) -> Edge:
        """Give the edge that a value had before it was written to."""
        return self.first[id(x)][1] if id(x) in self.first else x.edge

    def _check(self, x: Any) -> None:
        if x.edge.key in self._shown:
            raise GradientError(
                f"cannot write in place to a view of shape {x.shape}",
                why="its memory belongs to another tensor",
                attempt="x = x + ..., or a copy: x * 1",
            )
        if any(view() is not None for view in self._views.get(x.edge.key, ())):
            raise GradientError(
                "cannot write in place to a tensor that has views, such as x.reshape or x[1:]",
                why="in a graph the views would keep the old numbers",
                attempt="x = x + ...",
            )
        if x.edge.key in self.leaves and self.recorded is not None and self.recorded():
            raise GradientError(
                "a leaf that requires grad cannot be written to in place",
                why="its old value is what the gradient belongs to",
                attempt="no_grad() around an update, or x = x + ...",
            )


def refuse(x: Any) -> CaptureError:
    """Say why a value cannot be written to."""
    return CaptureError(
        f"{x!r} cannot be written to in place",
        why="it belongs to a graph that is only being built, or is used inside a branch or a loop; "
        "only a function that is compiled or traced may write to its tensors",
        attempt="x = x + ..., ops.where(condition, new, x), or ops.put for a part of it",
    )
