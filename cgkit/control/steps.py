"""The operator scan: a graph once for each slice of some operands, with a carry along.

    SCAN(carry, xs, same, body=graph)  ─>  carry, ys

    back:   repeat with the body `recording`  ─>  the carry that each step began with
            SCAN from the last step to the first, with the body `accumulated`

Everything that goes back is a scan, so it goes back in turn. A scan over segments, each of which is
a scan, keeps only the carries at the starts of segments; nothing else is needed for checkpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from operator import index
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.control.agreement import same_types
from cgkit.control.inner import (
    Told,
    apart,
    arrived,
    at_places,
    filled,
    float_places,
    outputs_of,
    steady,
    told_by_parts,
    types_of,
    with_told,
    work,
)  # fmt: skip
from cgkit.control.pulls import accumulated, recording
from cgkit.control.samples import of_scan
from cgkit.graph import Graph
from cgkit.interpret import ready, symbols
from cgkit.node import Kind, MultiOperator
from cgkit.operators import ALL
from cgkit.symbolic import GraphBuilder
from cgkit.types import Size, TensorType, meet, value_of


def repeat(
    operands: Sequence[Any], body: Graph, carries: int, sliced: int, length: Size, reverse: bool
) -> Sequence[Any]:
    """Apply the operator scan."""
    told = tuple(
        (number, axis + 1, size)
        for number, axis, size in told_by_parts([body])
        if number >= carries
    )
    return SCAN(
        *operands, body=body, carries=carries, sliced=sliced, length=length, reverse=reverse,
        **({"told": told} if told else {}),
    )  # fmt: skip


def segmented(
    operands: Sequence[Any], body: Graph, carries: int, sliced: int, length: Size, reverse: bool
) -> Sequence[Any]:
    """Apply a scan over segments, each of them a scan: only the starts of segments are kept."""
    length = index(length)
    if length < 4:
        return repeat(operands, body, carries, sliced, length, reverse)
    size = isqrt(length)
    count = length // size
    rest = length - count * size
    start, slices = operands[:carries], operands[carries : carries + sliced]
    same = operands[carries + sliced :]
    cut = slice(rest, None) if reverse else slice(None, count * size)
    left = slice(None, rest) if reverse else slice(count * size, None)
    whole = [ALL["reshape"](x[cut], shape=(count, size, *x.shape[1:])) for x in slices]
    segment = _segment(body, carries, sliced, size, reverse)
    found = repeat([*start, *whole, *same], segment, carries, sliced, count, reverse)
    kept = [ALL["reshape"](y, shape=(count * size, *y.shape[2:])) for y in found[carries:]]
    if not rest:
        return [*found[:carries], *kept]
    parts = [x[left] for x in slices]
    last = repeat([*found[:carries], *parts, *same], body, carries, sliced, rest, reverse)
    pairs = zip(kept, last[carries:], strict=True)
    joined = [ALL["concat"](*((b, a) if reverse else (a, b)), axis=0) for a, b in pairs]
    return [*last[:carries], *joined]


def _segment(body: Graph, carries: int, sliced: int, size: int, reverse: bool) -> Graph:
    builder = GraphBuilder(reserved=symbols(body))
    inputs = []
    for i, edge in enumerate(body.inputs):
        is_slice = carries <= i < carries + sliced
        name = "" if edge.node is None else edge.node.name
        shape = (size,) * is_slice + edge.shape
        inputs.append(builder.placeholder(shape, edge.dtype, name=name))
    return builder.graph(list(repeat(inputs, body, carries, sliced, size, reverse)), inputs)


def _infer(
    *operands: TensorType, body: Graph, carries: int, sliced: int, length: Size, reverse: bool,
    told: Told = (),
) -> tuple[TensorType, ...]:  # fmt: skip
    slices = operands[carries : carries + sliced]
    for known in slices:
        length = meet(length, known.shape[0])
    parts = [TensorType(known.shape[1:], known.dtype) for known in slices]
    inner = [*operands[:carries], *parts, *operands[carries + sliced :]]
    found = outputs_of(body, inner, "the body of scan")
    structure = tree.flatten(list(found[:carries]))[1]
    carry = same_types(
        operands[:carries], found[:carries], structure, "the carry of scan", "goes in", "comes out"
    )
    kept = (TensorType((length, *t.shape), t.dtype) for t in found[carries:])
    return with_told((*carry, *kept), told)


def _compute(
    *arrays: Any, body: Graph, carries: int, sliced: int, length: int, reverse: bool,
    told: Told = (),
) -> tuple[Any, ...]:  # fmt: skip
    carry = list(arrays[:carries])
    slices, same = arrays[carries : carries + sliced], arrays[carries + sliced :]
    step = ready(body)
    stacks: list[np.ndarray] | None = None
    for i in range(length)[::-1] if reverse else range(length):
        found = step(*carry, *(np.asarray(x[i]) for x in slices), *same)
        carry = [steady(a, b, "the carry of scan") for a, b in zip(carry, found, strict=False)]
        kept = found[carries:]
        if stacks is None:
            stacks = [np.empty((length, *y.shape), y.dtype) for y in kept]
        for stack, y in zip(stacks, kept, strict=True):
            if y.shape != stack.shape[1:]:
                steady(stack[i], y, "what scan keeps")
            stack[i] = y
    if stacks is None:  # no step was taken, so only the types tell what would have been kept
        types = _infer(
            *types_of(arrays), body=body, carries=carries, sliced=sliced, length=length,
            reverse=reverse, told=told,
        )  # fmt: skip
        stacks = [np.empty(_known(t.shape), t.dtype) for t in types[carries:]]
    return (*apart(carry, arrays), *stacks)


def _known(shape: Sequence[Size]) -> list[int]:
    """Give a shape as numbers; what only a step would have told is 0."""
    return [value_of(size) or 0 for size in shape]


def _back(
    g: Any, y: Any, *operands: Any, body: Graph, carries: int, sliced: int, length: Size,
    reverse: bool, told: Told = (),
) -> tuple[Any, ...]:  # fmt: skip
    places, given = float_places(body)
    if not places:
        return (None,) * len(operands)
    types = _infer(
        *types_of(operands), body=body, carries=carries, sliced=sliced, length=length,
        reverse=reverse, told=told,
    )  # fmt: skip
    stored = repeat(operands, recording(body, carries), carries, sliced, length, reverse)[carries:]
    seeds = arrived(g, given, types, operands[0])
    return through_steps(operands, seeds, stored, body, carries, sliced, length, not reverse)


def through_steps(
    operands: Sequence[Any], seeds: Sequence[Any], stored: Sequence[Any], body: Graph,
    carries: int, sliced: int, length: Size, reverse: bool, kept: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """Go back through the steps of a loop.

    Parameters
    ----------
    operands
        Those of the loop: the first carry, the slices, and what is the same in every step.
    seeds
        The gradients of the loop's floating results, the last carry first; where `kept`, those of
        the carries that the steps began with.
    stored
        The carry that each step began with, stacked.
    body, carries, sliced, length
        The loop's.
    reverse
        Whether to begin with the last step.
    kept
        What `seeds` are.

    Returns
    -------
    tuple
        A gradient for each operand; None for what is not floating.
    """
    places, _ = float_places(body)
    moving = [i for i in places if i < carries]
    same = [i for i in places if i >= carries + sliced]
    types = types_of(operands)
    starts = [filled(operands[0], types[i]) for i in moving] if kept else seeds[: len(moving)]
    sums = [filled(operands[0], types[i]) for i in same]
    arriving = seeds if kept else seeds[len(moving) :]
    slices = operands[carries : carries + sliced]
    found = SCAN(
        *starts, *sums, *stored, *slices, *arriving, *operands[carries + sliced :],
        body=accumulated(body, carries, sliced, kept), carries=len(moving) + len(same),
        sliced=carries + sliced + len(arriving), length=length, reverse=reverse,
    )  # fmt: skip
    ends, totals = found[: len(moving)], found[len(moving) : len(moving) + len(same)]
    gradients = [*ends, *found[len(moving) + len(same) :], *totals]
    return at_places(places, gradients, len(operands))


def _runs(body: Graph, length: Size, **_: Any) -> tuple[tuple[Graph, Size], ...]:
    return ((body, length),)


SCAN = MultiOperator(
    "scan", _compute, _infer, gradient=_back, saves=("*",), kind=Kind.OPAQUE, family="control",
    samples=of_scan, runs=_runs, flops=work(_runs), tells=("told",),
    doc="a graph once for each slice of some operands, with a carry along",
)  # fmt: skip
