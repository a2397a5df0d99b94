"""A step of training as a part of the graph.

    minimize(loss, SGD(0.1))

        loss ─ gradients ─> g ─┐
        w ─────────────────────┴─ update ─> assign(w, ...)
        state ────────────────────┘    └──> assign(state, ...)

The optimizer's rule is pure; its state lies in variables of the graph, in a scope of its own such
as "Adam", so it is saved and restored with the others. All reads are of the values before the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from cgkit import tree
from cgkit.errors import CaptureError, GradientError, OperandError
from cgkit.optimizers import Optimizer
from cgkit.order import topological_order
from cgkit.symbolic import Effect, GraphBuilder, Value, full_name, gradients


def minimize(
    loss: Value, optimizer: Optimizer, variables: Sequence[Value] | Value | None = None
) -> Effect:
    """Add to a graph a step of training.

    Parameters
    ----------
    loss
        What shall become smaller; the sum of its elements if it has several.
    optimizer
        A pure rule, such as SGD(0.1) or Adam(0.001).
    variables
        What to move; by default all trainable variables that the loss depends on.

    Returns
    -------
    Effect
        Fetching it makes the step and gives None.

    Raises
    ------
    GradientError
        There is no variable to move, or the loss does not depend on one of them.
    CaptureError
        The loss is no value of a graph.
    OperandError
        There is no optimizer, or a variable is to be moved twice.

    Examples
    --------
    >>> from cgkit import GraphBuilder, Session
    >>> from cgkit.optimizers import SGD
    >>> builder = GraphBuilder()
    >>> w = builder.variable(5.0, name="w")
    >>> step = minimize(w * w, SGD(0.25))
    >>> session = Session(builder)
    >>> session.run([w * w, step])[0].item(), session.run(w).item()
    (25.0, 2.5)
    """
    if not isinstance(loss, Value) or not isinstance(loss.builder, GraphBuilder):
        raise CaptureError(f"minimize takes a value of a graph, not {type(loss).__name__}")
    if not isinstance(optimizer, Optimizer):
        raise OperandError(
            f"minimize takes an optimizer, not {optimizer!r:.60}", attempt="SGD(0.1) or Adam(0.001)"
        )
    builder = loss.builder
    wanted = [variables] if isinstance(variables, Value) else variables
    if wanted is None:
        reached = set(topological_order(loss.node))
        wanted = [v for v in builder.variables if v.trainable and v.node in reached]
    if not wanted:
        raise GradientError(
            "there is nothing to minimize by: the loss depends on no trainable variable",
            attempt="builder.variable(...) for what shall be learned",
        )
    if len({v.edge.key for v in wanted if isinstance(v, Value)}) < len(wanted):
        raise OperandError("a variable stands twice among those to minimize by")
    slopes = gradients(loss, wanted)
    with builder.scope(_scope(builder, type(optimizer).__name__)):
        assigns: list[Value] = []
        for variable, slope in zip(wanted, slopes, strict=True):
            if slope is None:
                raise GradientError(
                    f"the loss does not depend on the variable {full_name(variable.node)}",
                    attempt="leaving it out of `variables`",
                )
            assigns += _step(builder, optimizer, variable, slope)
    return Effect(tuple(assigns), "minimize")


def _scope(builder: GraphBuilder, name: str) -> str:
    """Give a scope that no variable lies in: "Adam", or "Adam 2" where that is taken."""
    taken = {part for v in builder.variables for part in v.node.scope.split("/")}
    names = (name if i == 1 else f"{name} {i}" for i in count(1))
    return next(name for name in names if name not in taken)


def _step(
    builder: GraphBuilder, optimizer: Optimizer, variable: Value, slope: Value
) -> list[Value]:
    """Add what moves one variable: an assign for it, and one for each part of its state."""
    first = optimizer.initial(variable)
    leaves, structure = tree.flatten(first)
    names = [path.strip("[]'") for path in tree.paths(structure)]
    kept = [
        builder.variable(
            leaf, name=f"{full_name(variable.node) or 'variable'}/{name}", trainable=False
        )
        for leaf, name in zip(leaves, names, strict=True)
    ]  # fmt: skip
    moved, after = optimizer.update(variable, slope, tree.unflatten(structure, kept))
    new: list[Any] = tree.flatten(after)[0]
    return [
        builder.assign(variable, moved),
        *(builder.assign(old, value) for old, value in zip(kept, new, strict=True)),
    ]
