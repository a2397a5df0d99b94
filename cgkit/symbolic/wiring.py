"""What a run shall do beside computing, as plain nodes: write a variable, and keep an order.

    assign(w, new)       ordinary node whose value is `new`; it marks the next value of w
    after(x, *tokens)    ordinary node whose value is x, when the tokens are there
    Effect(values)       what is run for what it does, and gives nothing: a step of training
    sized(x, *tellers)   ordinary node whose value is x, when the run has told some open sizes

All operators are pure. A Session takes a part of the graph, reads off the first two which variable
gets which value, takes them away and runs what is left: no pass and no executor knows them. The
last one stays: a param such as the shape of a broadcast_to is no operand, so nothing else says that
a size in it is known only when the node that tells it has run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cgkit.errors import DtypeError, GraphError
from cgkit.node import VARIABLE, Edge, Kind, Node, Operator
from cgkit.operators.elementwise import no_flops
from cgkit.types import TensorType, meet_shapes


@dataclass(frozen=True, eq=False)
class Effect:
    """Something that a run does: fetching it gives None."""

    values: tuple[Any, ...]
    """The Values to compute for it, assignments among them."""
    name: str = ""

    def __repr__(self) -> str:
        return f"<effect {self.name or 'of'} {len(self.values)} values>"


def _infer_assign(old: TensorType, new: TensorType) -> TensorType:
    if old.dtype != new.dtype:
        raise DtypeError(
            f"a variable of {old.dtype} cannot be given {new.dtype}",
            attempt=f'ops.cast(x, dtype="{old.dtype.name}")',
        )
    return TensorType(
        meet_shapes(new.shape, old.shape, "that of the variable that it is for"), old.dtype
    )


def _infer_after(x: TensorType, *tokens: TensorType) -> TensorType:
    return x


ASSIGN = Operator(
    "assign", lambda old, new: new, _infer_assign, operands=2, kind=Kind.OPAQUE, family="control",
    flops=no_flops, gradient=(None, lambda g, y, old, new: g),
    doc="the next value of a variable; a Session writes it when the run has succeeded",
)  # fmt: skip
AFTER = Operator(
    "after", lambda x, *tokens: x, _infer_after, kind=Kind.OPAQUE, family="control",
    flops=no_flops, gradient=(lambda g, y, x, *tokens: g, None),
    doc="x, once all tokens are computed",
)  # fmt: skip
SIZED = Operator(
    "sized", lambda x, *tellers: x, _infer_after, kind=Kind.OPAQUE, family="control",
    flops=no_flops, gradient=(lambda g, y, x, *tellers: g, None),
    doc="x, once open sizes are told by the computing of others",
)  # fmt: skip
WIRING = (ASSIGN, AFTER)
"""What a Session takes away."""


def written(node: Node) -> Node:
    """Give the variable that an assign writes.

    Raises
    ------
    GraphError
        It writes something else.
    """
    edge: Any = Edge(node, 0, (), node.edges[0].dtype)
    while edge.node.operator in WIRING:
        edge = edge.node.inputs[0]
    if edge.node.operator is not VARIABLE:
        raise GraphError(
            f"only a variable can be assigned to, not {edge.node.name or edge.node.operator.name}",
            attempt="outside of a branch or a body: assign(w, cond(...)); in a loop, a carry",
        )
    found: Node = edge.node
    return found
