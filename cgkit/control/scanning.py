"""Loops over slices: the same body once for each step, with a carry from step to step.

    scan(body, carry, xs)          (carry, ys)

    xs[0]      xs[1]      xs[2]
      │          │          │
    body ──────> body ────> body ──> carry       what goes from step to step keeps its type
      │          │          │
    ys[0]      ys[1]      ys[2]                  stacked along a new first axis

Going backward is a scan from the last step to the first. Its body is the gradient of the body, and
it needs the carry that each step began with: a forward scan stores these anew, all of them or, with
checkpoints, only those at the starts of sqrt(n) segments, inside which they are computed once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.control.agreement import alike, check_functions, same_types, settled
from cgkit.control.bodies import (
    Bodies,
    as_tensor,
    as_value,
    build,
    builder_of,
    check_tensor,
    eager,
    elsewhere,
    leaf_names,
)  # fmt: skip
from cgkit.control.inner import types_of
from cgkit.control.steps import repeat, segmented
from cgkit.errors import CaptureError, OperandError, ShapeError
from cgkit.node import Operand
from cgkit.operators import ALL
from cgkit.symbolic import GraphBuilder
from cgkit.types import Dim, Size, TensorType, meet

Body = Callable[[Any, Any], tuple[Any, Any]]
WHAT, BODY = "the carry of scan", "the body of scan"


@dataclass(frozen=True)
class Steps:
    """A loop as the user wrote it, its nested values taken apart."""

    body: Body
    leaves: Sequence[Any]
    """The first carry, and how it is nested."""
    structure: tree.Structure
    slices: Sequence[Any]
    """What is read slice by slice, and how it is nested; None where there is nothing."""
    nesting: tree.Structure | None
    number: Size
    """Of steps."""
    reverse: bool

    def call(self, carry: Sequence[Any], parts: Sequence[Any]) -> Any:
        """Call the body with the leaves of a carry and of a slice."""
        x = None if self.nesting is None else tree.unflatten(self.nesting, parts)
        return self.body(tree.unflatten(self.structure, carry), x)

    def apart(self, found: Any, types: Sequence[TensorType]) -> Step:
        """Take apart what the body gave; numbers in the carry have the dtypes that are given."""
        if not isinstance(found, tuple) or len(found) != 2:
            raise OperandError(
                f"{BODY} gives {type(found).__name__}, not two things",
                attempt="return carry, y   (or carry, None)",
            )
        carry = alike(self.structure, found[0], BODY, "its carry")
        kept, nesting = ([], None) if found[1] is None else tree.flatten(found[1])
        for x in (*carry, *kept):
            check_tensor(x, BODY)
        return settled(carry, types), kept, nesting


Step = tuple[list[Any], list[Any], tree.Structure | None]
"""What one step gave: the leaves of the next carry, those to keep, and how these are nested."""


def scan(
    body: Body,
    init: Any,
    xs: Any = None,
    *,
    length: Size | None = None,
    reverse: bool = False,
    checkpoint: bool = False,
) -> tuple[Any, Any]:
    """Run a body once for each slice of some tensors, and carry a state along.

    Parameters
    ----------
    body
        `body(carry, x)` gives the next carry and what to keep of this step, which may be None. x
        is nested as xs; None where there is none.
    init
        The first carry, nested in tuples, lists and dicts if you like.
    xs
        Tensors of one length, which are read slice by slice along their first axis.
    length
        The number of steps, where xs do not tell it.
    reverse
        Whether to begin with the last slice; results keep the places of their slices.
    checkpoint
        Whether to keep only about sqrt(n) carries for the gradient, and to compute the body once
        more instead.

    Returns
    -------
    tuple
        The last carry, and what the steps gave, stacked along a new first axis.

    Raises
    ------
    ShapeError
        The lengths differ, or nothing tells them; the body changes the shape of the carry.
    DtypeError, OperandError
        The body changes a dtype or the nesting of the carry, or does not give two things.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> total, sums = scan(lambda c, x: (c + x, c + x), Tensor(0.0), Tensor([1.0, 2.0, 3.0]))
    >>> total, sums
    (Tensor(6.), Tensor([1., 3., 6.]))
    """
    check_functions({BODY: body})
    leaves, structure = tree.flatten(init)
    slices, nesting = ([], None) if xs is None else tree.flatten(xs)
    slices = [x if isinstance(x, Operand) else as_tensor(x).data for x in slices]
    steps = Steps(
        body, leaves, structure, slices, nesting, steps_of(slices, length), reverse
    )  # fmt: skip
    builder = builder_of(*leaves, *slices)
    found = None
    if builder is None and not checkpoint and isinstance(steps.number, int) and steps.number:
        found = _by_hand(steps, steps.number)
        if isinstance(found, GraphBuilder):
            builder, found = found, None
    carry, kept, kept_as = found or _as_node(steps, builder, checkpoint)
    ys = None if kept_as is None else tree.unflatten(kept_as, kept)
    return tree.unflatten(structure, carry), ys


def steps_of(slices: Sequence[Any], length: Size | None) -> Size:
    """Give the number of steps: the length of all slices, and the one that was said."""
    number = length
    if not isinstance(length, Dim | None):
        if isinstance(length, bool) or not isinstance(length, int | np.integer):
            raise OperandError(
                f"the length of scan is {length!r:.40}, not one whole number",
                attempt="while_loop or fori, where a tensor says how many steps there are",
            )
        number = int(length)
    for x in slices:
        if not x.shape:
            raise ShapeError(
                "scan reads slices along the first axis, but an x is a single number",
                attempt="np.array([...]), if a list stands for one tensor",
            )
        try:
            number = x.shape[0] if number is None else meet(number, x.shape[0])
        except ShapeError:
            raise ShapeError(
                f"scan reads slices of tensors of unlike lengths: {number} and {x.shape[0]}",
                attempt="tensors of one length along their first axis",
            ) from None
    if number is None:
        raise ShapeError("nothing tells how many steps scan takes", attempt="length=10")
    if isinstance(number, int) and number < 0:
        raise ShapeError(f"scan cannot take {number} steps")
    return number


def _by_hand(steps: Steps, number: int) -> Any:
    """Run the steps as Python does; give a builder if the body turns out to belong to its graph."""
    carry = [as_tensor(x) for x in steps.leaves]
    columns = [_cut(x, number) for x in steps.slices]
    parts = [*zip(*columns, strict=True)] if columns else [()] * number
    order = range(number - 1, -1, -1) if steps.reverse else range(number)
    new, kept, nesting = _one(steps, carry, parts[order[0]])
    builder = builder_of(*new, *kept)
    if builder is not None:
        return builder
    again = [as_tensor(x) for x in settled(steps.leaves, types_of(new))]
    if types_of(again) != types_of(carry):  # the first step told the dtypes of numbers
        carry = again
        new, kept, nesting = _one(steps, carry, parts[order[0]])
    rows = [kept]
    for i in order[1:]:
        carry = _checked(steps, carry, new)
        new, kept, found = _one(steps, carry, parts[i])
        if found != nesting:
            raise OperandError(f"{BODY} keeps other things in step {i} than before")
        rows.append(kept)
    carry = _checked(steps, carry, new)
    results = zip(*(rows[::-1] if steps.reverse else rows), strict=True)
    return carry, [ALL["stack"](*result, axis=0) for result in results], nesting


def _cut(x: Any, number: int) -> list[Any]:
    """Give the slices of a Tensor or an array.

    They are cut all at once: going back through one slice after another would make a gradient of
    the size of the whole for each.
    """
    if not isinstance(x, Operand):
        return [as_tensor(part) for part in x]
    parts = ALL["split"](x, sections=number, axis=0)
    return [ALL["squeeze"](part, axis=0) for part in parts]


def _one(steps: Steps, carry: Sequence[Any], parts: Sequence[Any]) -> Step:
    """Take one step on Tensors."""
    found = steps.call(carry, parts)
    new, kept, nesting = steps.apart(found, types_of(carry))
    return [as_tensor(x) for x in new], [as_tensor(x) for x in kept], nesting


def _checked(steps: Steps, carry: Sequence[Any], new: list[Any]) -> list[Any]:
    """Give the next carry, whose types must be those of the one before."""
    same_types(types_of(carry), types_of(new), steps.structure, WHAT, "goes in", "comes out")
    return new


def _as_node(steps: Steps, builder: GraphBuilder | None, checkpoint: bool) -> Any:
    """Turn the body into a graph, and the loop into one node that holds it."""
    if checkpoint and not isinstance(steps.number, int):
        raise ShapeError(
            f"checkpoints are laid along a known number of steps, not {steps.number}",
            attempt="a fixed length, or checkpoint=False",
        )
    outer = GraphBuilder(capturing=True) if builder is None else builder
    try:
        start, slices, bodies, nesting = _built(steps, outer)
    except CaptureError as error:
        found = elsewhere(error, outer)
        if builder is not None or found is None:
            raise
        return _as_node(steps, found, checkpoint)  # the body took a value of that graph
    operands = [*start, *slices, *bodies.taken]
    carries, sliced = len(start), len(slices)
    if builder is None:  # nothing of a graph was met: the node is for Tensors
        operands = [eager(outer, x) for x in operands]
    act = segmented if checkpoint else repeat
    results = act(operands, bodies.graphs[0], carries, sliced, steps.number, steps.reverse)
    return list(results[:carries]), list(results[carries:]), nesting


def _built(steps: Steps, builder: GraphBuilder) -> tuple[Any, Any, Bodies, tree.Structure | None]:
    """Build the body's graph; again, if it tells the dtype of a number in the first carry."""
    slices = [as_value(builder, x) for x in steps.slices]
    leaves = list(steps.leaves)
    for _ in range(2):
        start = [as_value(builder, x) for x in leaves]
        parts = [TensorType(x.shape[1:], x.dtype) for x in types_of(slices)]
        nested: list[tree.Structure | None] = []

        def step(carry: Any, x: Any, start: Any = start, nested: Any = nested) -> Any:
            new, kept, nesting = steps.apart(steps.call(carry, x), types_of(start))
            nested.append(nesting)
            return new, kept

        nothing = tree.flatten([])[1]
        called = leaf_names(steps.body, [steps.structure, steps.nesting or nothing])
        bodies = build(builder, {BODY: step}, [types_of(start), parts], [called])
        found = [edge.type for edge in bodies.graphs[0].outputs[: len(start)]]
        again = settled(leaves, found)
        if types_of([as_value(builder, x) for x in again]) == types_of(start):
            break
        leaves = again
    same_types(types_of(start), found, steps.structure, WHAT, "goes in", "comes out")
    return start, slices, bodies, nested[-1]
