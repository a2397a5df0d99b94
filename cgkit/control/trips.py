"""The operators of loops whose number of steps only a run tells.

    WHILE(carry, same, test=graph, body=graph)   ─>  the last carry, and what the steps kept
    STEPS(carry, same, test=graph, body=graph)   ─>  the carry that each step began with

    back:   STEPS runs the loop again and stores where each step began
            SCAN from the last step to the first, with the body `accumulated`

How many steps there were is the size of an axis that only the run tells. Both have gradients made
of these operators, so to any order; the loop that ran forward never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cgkit import tree
from cgkit.control.agreement import same_types
from cgkit.control.inner import (
    Told,
    apart,
    filled,
    float_places,
    outputs_of,
    stacked,
    steady,
    told_by_parts,
    types_of,
    with_told,
    work,
)  # fmt: skip
from cgkit.control.samples import of_steps, of_while
from cgkit.control.steps import through_steps
from cgkit.errors import GraphError, OperandError
from cgkit.graph import Graph
from cgkit.interpret import ready
from cgkit.node import Kind, MultiOperator
from cgkit.types import OPEN, Dim, Size, TensorType

WHAT = "the carry of while_loop"
TEST, BODY = "the test of while_loop", "the body of while_loop"


def run_while(operands: Sequence[Any], test: Graph, body: Graph, carries: int) -> Sequence[Any]:
    """Apply the operator while_loop; what the body gives beyond the carry is kept."""
    kept = range(carries, len(body.outputs))
    told: Told = tuple((number, 0, Dim("?trips")) for number in kept)
    told += tuple(
        (number, axis + 1, size)
        for number, axis, size in told_by_parts([body])
        if number >= carries
    )
    return WHILE(
        *operands, test=test, body=body, carries=carries, **({"told": told} if told else {})
    )


def _carry(
    operands: Sequence[TensorType], test: Graph, body: Graph, carries: int
) -> tuple[tuple[TensorType, ...], tuple[TensorType, ...]]:
    """Give the types of the carry, and those of what each step keeps."""
    (verdict,) = outputs_of(test, operands, TEST)
    if verdict != TensorType((), "bool"):
        raise GraphError(f"{TEST} gives {verdict}, not one bool")
    found = outputs_of(body, operands, BODY)
    if len(found) < carries:
        raise OperandError(f"{BODY} gives {len(found)} tensors, its carry has {carries}")
    carry, kept = found[:carries], found[carries:]
    structure = tree.flatten(list(carry))[1]
    return same_types(operands[:carries], carry, structure, WHAT, "goes in", "comes out"), kept


def _infer(
    *operands: TensorType, test: Graph, body: Graph, carries: int, told: Told = ()
) -> tuple[TensorType, ...]:
    carry, kept = _carry(operands, test, body, carries)
    stacks = (TensorType((OPEN, *t.shape), t.dtype) for t in kept)
    return with_told((*carry, *stacks), told)


def _infer_steps(
    *operands: TensorType, test: Graph, body: Graph, carries: int, trips: Size = OPEN
) -> tuple[TensorType, ...]:
    carry, _ = _carry(operands, test, body, carries)
    return tuple(TensorType((trips, *t.shape), t.dtype) for t in carry)


def _walk(
    arrays: Sequence[Any], test: Graph, body: Graph, carries: int
) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """Give for each step the carry that it began with, and all that it gave."""
    carry, same = arrays[:carries], arrays[carries:]
    holds, step = ready(test), ready(body)
    while bool(holds(*carry, *same)[0]):
        found = step(*carry, *same)
        yield carry, found
        carry = [steady(a, b, WHAT) for a, b in zip(carry, found, strict=False)]


def _compute(
    *arrays: Any, test: Graph, body: Graph, carries: int, told: Told = ()
) -> tuple[Any, ...]:
    last: Sequence[Any] = arrays[:carries]
    rows = []
    for _, found in _walk(arrays, test, body, carries):
        last = found[:carries]
        if found[carries:]:
            rows.append(found[carries:])
    types = _infer(
        *types_of(arrays), test=test, body=body, carries=carries, told=told
    ) if not rows else ()  # fmt: skip
    return (*apart(last, arrays), *stacked(rows, types[carries:], "what while_loop keeps"))


def _compute_steps(
    *arrays: Any, test: Graph, body: Graph, carries: int, trips: Size = OPEN
) -> tuple[Any, ...]:
    rows = [begin for begin, _ in _walk(arrays, test, body, carries)]
    empty = [TensorType((0, *x.shape), x.dtype) for x in types_of(arrays[:carries])]
    return tuple(stacked(rows, empty, WHAT))


def _back(
    g: Any, y: Any, *operands: Any, test: Graph, body: Graph, carries: int, told: Told = ()
) -> tuple[Any, ...]:
    places, given = float_places(body)
    if not places or not given:
        return (None,) * len(operands)
    stored = STEPS(*operands, test=test, body=_without_kept(body, carries), carries=carries)
    length = stored[0].shape[0]
    carry, kept = _carry(types_of(operands), test, body, carries)
    types = [*carry, *(TensorType((length, *t.shape), t.dtype) for t in kept)]
    seeds = [g[i] if i in g else filled(stored[0], types[i]) for i in given]
    return through_steps(operands, seeds, stored, body, carries, 0, length, True)


def _without_kept(body: Graph, carries: int) -> Graph:
    return Graph(body.inputs, body.nodes, body.outputs[:carries], body.sizes)


def _back_steps(
    g: Any, y: Any, *operands: Any, test: Graph, body: Graph, carries: int, trips: Size = OPEN
) -> tuple[Any, ...]:
    places, given = float_places(body)
    if not places or not given:
        return (None,) * len(operands)
    stored = STEPS(*operands, test=test, body=body, carries=carries)
    types = types_of(stored)
    seeds = [g[i] if i in g else filled(stored[i], types[i]) for i in given]
    length = stored[0].shape[0]
    return through_steps(operands, seeds, stored, body, carries, 0, length, True, kept=True)


def _runs(test: Graph, body: Graph, **_: Any) -> tuple[tuple[Graph, Size], ...]:
    return (test, 1), (body, 1)


WHILE = MultiOperator(
    "while_loop", _compute, _infer, gradient=_back, saves=("*",), kind=Kind.OPAQUE,
    family="control", samples=of_while, runs=_runs, flops=work(_runs), tells=("told",),
    doc="a graph as long as another one's test holds; counted for one step",
)  # fmt: skip
STEPS = MultiOperator(
    "while_steps", _compute_steps, _infer_steps, gradient=_back_steps, saves=("*",),
    kind=Kind.OPAQUE, family="control", samples=of_steps, runs=_runs, flops=work(_runs),
    tells=("trips",),
    doc="the carry that each step of a while_loop began with, stacked; counted for one step",
)  # fmt: skip
