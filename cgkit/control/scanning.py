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

from cgkit import tree
from cgkit.control.agreement import same_structure, same_types, settled
from cgkit.control.bodies import (
    Bodies,
    as_tensor,
    as_value,
    build,
    builder_of,
    eager,
    elsewhere,
)  # fmt: skip
from cgkit.control.inner import types_of
from cgkit.control.steps import repeat, segmented
from cgkit.errors import CaptureError, OperandError, ShapeError
from cgkit.operators import ALL
from cgkit.symbolic import GraphBuilder
from cgkit.types import Size, TensorType, meet

Body = Callable[[Any, Any], tuple[Any, Any]]
WHAT = "the carry of scan"


@dataclass(frozen=True)
class Steps:
    """A loop as the user wrote it, its nested values taken apart."""

    call: Callable[[Sequence[Any], Sequence[Any]], tuple[list[Any], list[Any], tree.Structure]]
    """From the leaves of a carry and of a slice: those of the next carry, and what to keep."""
    leaves: Sequence[Any]
    """The first carry, and how it is nested."""
    structure: tree.Structure
    slices: Sequence[Any]
    number: Size
    """Of steps."""
    reverse: bool


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
    leaves, structure = tree.flatten(init)
    slices, nesting = tree.flatten(xs) if xs is not None else ([], tree.flatten([])[1])
    slices = [as_tensor(x) for x in slices]
    number = steps_of(slices, length)

    def call(
        carry: Sequence[Any], parts: Sequence[Any]
    ) -> tuple[list[Any], list[Any], tree.Structure]:
        x = None if xs is None else tree.unflatten(nesting, parts)
        return apart(body(tree.unflatten(structure, carry), x), structure)

    steps = Steps(call, leaves, structure, slices, number, reverse)
    builder = builder_of(*leaves, *slices)
    found = None
    if builder is None and not checkpoint and isinstance(number, int) and number:
        found = _by_hand(steps, int(number))
        if isinstance(found, GraphBuilder):
            builder, found = found, None
    carry, kept, kept_as = found or _as_node(steps, builder, checkpoint)
    return tree.unflatten(structure, carry), tree.unflatten(kept_as, kept) if kept else None


def steps_of(slices: Sequence[Any], length: Size | None) -> Size:
    """Give the number of steps: the length of all slices, and the one that was said."""
    number = length
    for x in slices:
        if not x.shape:
            raise ShapeError("scan reads slices along the first axis, but an x is a single number")
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


def apart(found: Any, structure: tree.Structure) -> tuple[list[Any], list[Any], tree.Structure]:
    """Take apart what a body gives: the leaves of the carry, those to keep and their nesting."""
    if not isinstance(found, tuple) or len(found) != 2:
        raise OperandError(
            f"the body of scan gives {type(found).__name__}, not two things",
            attempt="return carry, y   (or carry, None)",
        )
    carry, carried = tree.flatten(found[0])
    same_structure(structure, carried, "the body of scan", "its carry")
    if found[1] is None:
        return carry, [], tree.flatten([])[1]
    kept, nesting = tree.flatten(found[1])
    return carry, kept, nesting


def _by_hand(steps: Steps, number: int) -> Any:
    """Run the steps as Python does; give a builder if the body turns out to belong to its graph."""
    carry, rows, nesting = _first(steps, number)
    if isinstance(carry, GraphBuilder):
        return carry
    order = range(number - 2, -1, -1) if steps.reverse else range(1, number)
    for i in order:
        new, kept, _ = steps.call(carry, [x[i] for x in steps.slices])
        new = [as_tensor(x) for x in new]
        same_types(types_of(carry), types_of(new), steps.structure, WHAT, "goes in", "comes out")
        carry = new
        rows.append([as_tensor(x) for x in kept])
    columns = zip(*(rows[::-1] if steps.reverse else rows), strict=True)
    return carry, [ALL["stack"](*column, axis=0) for column in columns], nesting


def _first(steps: Steps, number: int) -> tuple[Any, list[list[Any]], tree.Structure]:
    """Take the first step, which tells the dtypes of numbers in the first carry."""
    parts = [x[number - 1 if steps.reverse else 0] for x in steps.slices]
    carry = [as_tensor(x) for x in steps.leaves]
    new, kept, nesting = steps.call(carry, parts)
    builder = builder_of(*new, *kept)
    if builder is not None:
        return builder, [], nesting
    again = [as_tensor(x) for x in settled(steps.leaves, types_of([*map(as_tensor, new)]))]
    if types_of(again) != types_of(carry):
        carry = again
        new, kept, nesting = steps.call(carry, parts)
    new = [as_tensor(x) for x in new]
    same_types(types_of(carry), types_of(new), steps.structure, WHAT, "goes in", "comes out")
    return new, [[as_tensor(x) for x in kept]], nesting


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
    if builder is None:  # nothing of a graph was met: the node is for Tensors
        operands = [eager(outer, x) for x in operands]
    carries, sliced = len(start), len(slices)
    act = segmented if checkpoint else repeat
    results = act(operands, bodies.graphs[0], carries, sliced, steps.number, steps.reverse)
    return list(results[:carries]), list(results[carries:]), nesting


def _built(steps: Steps, builder: GraphBuilder) -> tuple[Any, Any, Bodies, tree.Structure]:
    """Build the body's graph; again, if it tells the dtype of a number in the first carry."""
    slices = [as_value(builder, x) for x in steps.slices]
    leaves = list(steps.leaves)
    for _ in range(2):
        start = [as_value(builder, x) for x in leaves]
        parts = [TensorType(x.shape[1:], x.dtype) for x in slices]
        nested: list[tree.Structure] = []

        def step(carry: Any, x: Any, nested: Any = nested) -> Any:
            new, kept, nesting = steps.call(carry, x)
            nested.append(nesting)
            return new, kept

        bodies = build(builder, {"the body of scan": step}, [types_of(start), parts])
        found = [edge.type for edge in bodies.graphs[0].outputs[: len(start)]]
        again = settled(leaves, found)
        if types_of([as_value(builder, x) for x in again]) == types_of(start):
            break
        leaves = again
    same_types(types_of(start), found, steps.structure, WHAT, "goes in", "comes out")
    return start, slices, bodies, nested[-1]
