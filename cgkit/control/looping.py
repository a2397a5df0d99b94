"""Loops that run as long as a test holds: how often is known only when the graph runs.

    while_loop(test, body, init)       init ─> body ─> body ─> ... ─> the first carry that fails
    fori(low, high, body, init)        once for each whole number from low up to high

Going backward needs the carry that each step began with. A second operator, `while_steps`, runs the
loop again and gives these, stacked: how many there are is a size that only its run tells. A scan
then goes through them from the last to the first. The loop that ran forward never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.control.agreement import (
    alike,
    check_functions,
    check_predicate,
    same_types,
    settled,
)  # fmt: skip
from cgkit.control.bodies import (
    Bodies,
    as_tensor,
    as_value,
    build,
    builder_of,
    check_tensor,
    leaf_names,
)  # fmt: skip
from cgkit.control.inner import (
    arrived,
    filled,
    float_places,
    outputs_of,
    steady,
    types_of,
    work,
)  # fmt: skip
from cgkit.control.scanning import scan
from cgkit.control.steps import through_steps
from cgkit.errors import DtypeError, GraphError, OperandError
from cgkit.graph import Graph
from cgkit.interpret import ready
from cgkit.node import Kind, MultiOperator
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import OPEN, Size, TensorType

WHAT = "the carry of while_loop"
TEST, BODY = "the test of while_loop", "the body of while_loop"
GIVEN = "what the test of while_loop gives"


def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Run a body as long as a test of the carry holds.

    Parameters
    ----------
    test
        `test(carry)` gives a tensor of one bool.
    body
        `body(carry)` gives the next carry, of the same types and nesting.
    init
        The first carry, nested in tuples, lists and dicts if you like.

    Returns
    -------
    Any
        The first carry that fails the test: the first one of all, if it does.

    Raises
    ------
    OperandError
        The test gives a plain bool or no tensor; the body nests the carry in another way.
    ShapeError, DtypeError
        The body changes a shape or a dtype; the test gives more than one bool.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> while_loop(lambda x: x < 100.0, lambda x: x * x, Tensor(2.0))
    Tensor(256.)
    """
    check_functions({TEST: test, BODY: body})
    leaves, structure = tree.flatten(init)
    builder = builder_of(*leaves)
    if builder is None:
        found = _by_hand(test, body, leaves, structure)
        if not isinstance(found, GraphBuilder):
            return tree.unflatten(structure, found)
        builder = found
    return tree.unflatten(structure, _as_node(test, body, leaves, structure, builder))


def fori(low: Any, high: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """Run a body once for each whole number from low up to high, which is left out.

    Parameters
    ----------
    low, high
        Whole numbers, or tensors of one: with plain numbers the loop is a scan, otherwise a
        while_loop.
    body
        `body(i, carry)` gives the next carry; i is a tensor.
    init
        The first carry, nested if you like.

    Returns
    -------
    Any
        The last carry.

    Raises
    ------
    DtypeError
        A bound is no whole number.
    ShapeError, OperandError
        As for while_loop.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> fori(0, 10, lambda i, total: total + i, 0)
    Tensor(45)
    """
    check_functions({"the body of fori": body})
    bounds = [_bound(low, "low"), _bound(high, "high")]
    if all(isinstance(bound, int) for bound in bounds):
        numbers = np.arange(bounds[0], bounds[1], dtype=np.int64)
        carry, _ = scan(lambda c, i: (body(i, c), None), init, numbers)
        return carry
    first, last = bounds
    start = first if hasattr(first, "edge") else as_tensor(np.int64(first))
    _, carry = while_loop(
        lambda state: state[0] < last,
        lambda state: (state[0] + 1, body(state[0], state[1])),
        (start, init),
    )
    return carry


def _bound(bound: Any, name: str) -> Any:
    if isinstance(bound, int | np.integer) and not isinstance(bound, bool):
        return int(bound)
    if hasattr(bound, "edge") and bound.dtype.kind in "iu" and bound.shape == ():
        return bound
    raise DtypeError(f"{name} of fori is {bound!r:.40}, not one whole number")


def _by_hand(test: Any, body: Any, leaves: Sequence[Any], structure: tree.Structure) -> Any:
    """Run the loop as Python does; give a builder if it turns out to belong to its graph."""
    carry = [as_tensor(x) for x in leaves]
    first = True
    while True:
        verdict = test(tree.unflatten(structure, carry))
        if isinstance(verdict, Value):
            return builder_of(verdict)
        check_predicate(verdict, GIVEN)
        if not bool(verdict):
            return carry
        new = [as_tensor(x) for x in _next(body, carry, structure)]
        if first and builder_of(*new) is not None:
            return builder_of(*new)
        again = [as_tensor(x) for x in settled(leaves, types_of(new))] if first else carry
        first = False
        if types_of(again) != types_of(carry):
            carry = again
            continue
        same_types(types_of(carry), types_of(new), structure, WHAT, "goes in", "comes out")
        carry = new


def _next(body: Any, carry: Sequence[Any], structure: tree.Structure) -> list[Any]:
    """Take one step; numbers that come out have the dtypes of what goes in."""
    leaves = alike(structure, body(tree.unflatten(structure, carry)), BODY, "its carry")
    for x in leaves:
        check_tensor(x, BODY)
    return settled(leaves, types_of(carry))


def _as_node(
    test: Any, body: Any, leaves: Sequence[Any], structure: tree.Structure, builder: GraphBuilder
) -> Sequence[Any]:
    """Turn test and body into graphs, and the loop into one node that holds them."""
    start, bodies = _built(test, body, leaves, structure, builder)
    test_graph, body_graph = bodies.graphs
    return WHILE(
        *start, *bodies.taken, test=test_graph, body=body_graph, carries=len(start)
    )  # fmt: skip


def _built(
    test: Any, body: Any, leaves: Sequence[Any], structure: tree.Structure, builder: GraphBuilder
) -> tuple[list[Value], Bodies]:
    leaves = list(leaves)
    for _ in range(2):
        start = [as_value(builder, x) for x in leaves]
        functions = {
            TEST: lambda *carry: _tested(test(tree.unflatten(structure, carry))),
            BODY: lambda *carry: _next(body, carry, structure),
        }
        called = [leaf_names(function, [structure]) for function in (test, body)]
        bodies = build(builder, functions, types_of(start), called)
        found = [edge.type for edge in bodies.graphs[1].outputs]
        again = settled(leaves, found)
        if types_of([as_value(builder, x) for x in again]) == types_of(start):
            break
        leaves = again
    same_types(types_of(start), found, structure, WHAT, "goes in", "comes out")
    return start, bodies


def _tested(verdict: Any) -> Any:
    check_predicate(verdict, GIVEN)
    return verdict


def _infer(*operands: TensorType, test: Graph, body: Graph, carries: int) -> tuple[TensorType, ...]:
    (verdict,) = outputs_of(test, operands, TEST)
    if verdict != TensorType((), "bool"):
        raise GraphError(f"{TEST} gives {verdict}, not one bool")
    found = outputs_of(body, operands, BODY)
    if len(found) != carries:
        raise OperandError(f"{BODY} gives {len(found)} tensors, its carry has {carries}")
    structure = tree.flatten(list(found))[1]
    return same_types(operands[:carries], found, structure, WHAT, "goes in", "comes out")


def _infer_steps(
    *operands: TensorType, test: Graph, body: Graph, carries: int, trips: Size = OPEN
) -> tuple[TensorType, ...]:
    carry = _infer(*operands, test=test, body=body, carries=carries)
    return tuple(TensorType((trips, *t.shape), t.dtype) for t in carry)


def _walk(arrays: Sequence[Any], test: Graph, body: Graph, carries: int) -> Any:
    """Give one carry after another: each that passes the test, then the one that does not."""
    carry, same = list(arrays[:carries]), arrays[carries:]
    holds, step = ready(test), ready(body)
    while True:
        (verdict,) = holds(*carry, *same)
        yield bool(verdict), carry
        if not verdict:
            return
        found = step(*carry, *same)
        carry = [steady(a, b, WHAT) for a, b in zip(carry, found, strict=True)]


def _compute(*arrays: Any, test: Graph, body: Graph, carries: int) -> tuple[Any, ...]:
    *_, (_, last) = _walk(arrays, test, body, carries)
    return tuple(last)


def _compute_steps(
    *arrays: Any, test: Graph, body: Graph, carries: int, trips: Size = OPEN
) -> tuple[Any, ...]:
    rows = [carry for holds, carry in _walk(arrays, test, body, carries) if holds]
    if not rows:
        return tuple(np.empty((0, *x.shape), x.dtype) for x in map(np.asarray, arrays[:carries]))
    return tuple(np.stack(column) for column in zip(*rows, strict=True))


def _back(
    g: Any, y: Any, *operands: Any, test: Graph, body: Graph, carries: int
) -> tuple[Any, ...]:
    places, given = float_places(body)
    if not places or not given:
        return (None,) * len(operands)
    stored = STEPS(*operands, test=test, body=body, carries=carries)
    types = _infer(*types_of(operands), test=test, body=body, carries=carries)
    seeds = arrived(g, given, types, operands[0])
    length = stored[0].shape[0]
    return through_steps(operands, seeds, stored, body, carries, 0, length, True)


def _back_steps(
    g: Any, y: Any, *operands: Any, test: Graph, body: Graph, carries: int, trips: Size = OPEN
) -> tuple[Any, ...]:
    places, given = float_places(body)
    if not places or not given:
        return (None,) * len(operands)
    stored = STEPS(*operands, test=test, body=body, carries=carries)
    seeds = [
        g[i] if i in g else filled(stored[i], TensorType(stored[i].shape, stored[i].dtype))
        for i in given
    ]
    length = stored[0].shape[0]
    return through_steps(operands, seeds, stored, body, carries, 0, length, True, kept=True)


def _runs(test: Graph, body: Graph, **_: Any) -> tuple[tuple[Graph, Size], ...]:
    return (test, 1), (body, 1)


WHILE = MultiOperator(
    "while_loop", _compute, _infer, gradient=_back, saves=("*",), kind=Kind.OPAQUE,
    family="control", runs=_runs, flops=work(_runs),
    doc="a graph as long as another one's test holds; counted for one step",
)  # fmt: skip
STEPS = MultiOperator(
    "while_steps", _compute_steps, _infer_steps, gradient=_back_steps, saves=("*",),
    kind=Kind.OPAQUE, family="control", runs=_runs, flops=work(_runs), tells=("trips",),
    doc="the carry that each step of a while_loop began with, stacked; counted for one step",
)  # fmt: skip
