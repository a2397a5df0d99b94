"""Reverse-mode differentiation: one sweep for arrays, Tensors and Values.

    order(root) ─> needed(..., xs) ─> check_saved ─> sweep: each node once, after all its readers
                                                        │
                                                        └─> deliver(leaf, gradient)

What differs between the three is passed in: how a node's operands are read, how a gradient is
brought to an operand's shape and dtype, and what is done with a finished one. This module knows no
operator. Every check stands before the first change, so an error loses nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from cgkit.errors import GradientError, GraphError
from cgkit.node import FREED, LEAF, Edge, Node
from cgkit.order import topological_order, verify_order

Order = Callable[[Node], list[Node]]
Read = Callable[[Node, Any], Sequence[Any]]
Add = Callable[[Any, Any], Any]
Unbroadcast = Callable[[Any, Edge], Any]


def nodes_to_visit(root: Node, order: Order) -> list[Node]:
    """Order the ancestors of a node; an order that is not the library's own is verified.

    Raises
    ------
    GraphError
        The given order is wrong or incomplete.
    """
    if order is topological_order:
        return topological_order(root)
    given = order(root)
    if not isinstance(given, Iterable):
        raise GraphError(f"the order is {given!r}, not a list of nodes")
    nodes = list(given)
    for node in nodes:
        if not isinstance(node, Node):
            raise GraphError(f"the order holds {node!r:.60}, which is no node")
    verify_order(nodes)
    if root not in nodes:
        raise GraphError(
            f"the order leaves out {root!r}, where going back begins",
            attempt="an order of the given node and all that it needs",
        )
    ancestors = set(topological_order(root))
    return [node for node in nodes if node in ancestors]


def needed(nodes: Sequence[Node], targets: Collection[Node]) -> set[Node]:
    """Find the nodes through which a gradient must pass to reach the targets, them included."""
    found = set(targets)
    for node in nodes:
        if node not in found and any(_leads(edge) and edge.node in found for edge in node.inputs):
            found.add(node)
    return found


def _leads(edge: Any) -> bool:
    """Whether a gradient may go back along an operand: only floats have slopes."""
    return edge.__class__ is Edge and edge.node is not None and edge.dtype.kind == "f"


def check_saved(nodes: Sequence[Node]) -> None:
    """Check that all that backward will read is still there and unchanged.

    Raises
    ------
    GradientError
        A node was freed by an earlier backward, or a saved tensor was written to since.
    """
    for node in nodes:
        saved = node.saved
        if not saved:
            continue
        if saved is FREED:
            raise GradientError(
                "Trying to backward through the graph a second time",
                why=f"what {node.operator.name} saved was freed by the first",
                attempt="backward(retain_graph=True) the first time",
            )
        for i in range(0, len(saved), 4):
            if saved[i + 2][0] != saved[i + 3]:
                raise _written(node, saved[i], saved[i + 1], saved[i + 2][0], saved[i + 3])


def _written(node: Node, operand: int, array: Any, version: int, expected: int) -> GradientError:
    edge = node.inputs[operand] if operand >= 0 else None
    what = "its result" if operand < 0 else f"operand {operand}"
    shape = f" of shape {np.shape(array)}"
    maker = edge.node if isinstance(edge, Edge) else None
    made = ""
    if maker is not None:
        by = "of the user's" if maker.operator is LEAF else f"made by {maker.operator.name}"
        made = f", {maker.name or by}"
    return GradientError(
        f"a tensor that {node.operator.name} saved ({what}{shape}{made}) was changed by an "
        f"in-place operation: it is at version {version}; expected version {expected}",
        attempt="x = x + ... instead of x.add_(...), or the write after backward",
    )


def read_arrays(node: Node, gradient: Any) -> Sequence[Any]:
    """Give what rules on plain arrays are called with: the gradient, the result, the operands.

    What was not saved stays None, or an Edge.
    """
    reads = [gradient, None, *node.inputs]
    saved = node.saved
    for i in range(0, len(saved), 4):
        reads[saved[i] + 2] = saved[i + 1]
    return reads


def sweep(  # noqa: C901
    nodes: list[Node],
    grads: dict[Node, Any],
    *,
    read: Read,
    unbroadcast: Unbroadcast,
    deliver: Callable[[Node, Any], Any],
    through: Collection[Node] | None = None,
    retain: bool = False,
    add: Add = operator.add,
) -> None:
    """Go backward over nodes, each after all that read it.

    Parameters
    ----------
    nodes
        Each after the nodes it reads; emptied from the end.
    grads
        The gradients known at the start: for a node its gradient, or for a node with several
        outputs a dict from output to gradient. Emptied too.
    read
        `read(node, gradient)` gives what the rules of a node are called with: the gradient, the
        result and the operands.
    unbroadcast
        Brings a gradient to the shape and dtype of the edge it belongs to.
    deliver
        Called with each node that has extras and its complete gradient; gives the gradient to go
        on with, which a hook may have replaced; None to go no further.
    through
        The nodes worth visiting; None for all.
    retain
        Whether nodes keep what they saved.
    add
        Adds two gradients that meet.
    """
    while nodes:
        node = nodes.pop()
        gradient = grads.pop(node, None)
        if gradient is not None and node.extras is not None:
            gradient = deliver(node, gradient)
        if gradient is None:
            continue
        rules: Any = node.operator.gradient
        params, joint, reads = node.params, None, None
        try:
            for i, edge in enumerate(node.inputs):
                if edge.__class__ is not Edge or (producer := edge.node) is None:
                    continue
                if edge.dtype.kind != "f" or (through is not None and producer not in through):
                    continue
                if reads is None:
                    reads = read(node, gradient)
                    if rules.__class__ is not tuple:
                        if rules is None:
                            break
                        joint = rules(*reads, **params)
                if joint is not None:
                    part = joint[i]
                else:
                    rule = rules[i] if i < len(rules) else rules[-1]
                    part = None if rule is None else rule(*reads, **params)
                if part is None:
                    continue
                if part.shape != edge.shape or part.dtype is not edge.dtype:
                    part = unbroadcast(part, edge)
                if producer in grads or producer.operator.several:
                    add_gradient(grads, producer, edge.index, part, add)
                else:
                    grads[producer] = part
        except Exception as error:
            error.add_note(f"  in the gradient of {node.operator.name}")
            raise
        if reads is not None and not retain and node.saved:
            node.saved = FREED


def add_gradient(
    grads: dict[Node, Any], node: Node, index: int, part: Any, add: Add = operator.add
) -> None:
    """Add a gradient that has arrived for one output of a node."""
    known = grads.get(node)
    if is_single(node):
        grads[node] = part if known is None else add(known, part)
    elif known is None:
        grads[node] = {index: part}
    else:
        known[index] = add(known[index], part) if index in known else part


def is_single(node: Node) -> bool:
    """Whether a node has one output, so that its gradient stands by itself."""
    return not node.operator.several
