"""Loops that run as long as a test holds: how often is known only when the graph runs.

while_loop(test, body, init)       init ─> body ─> body ─> ... ─> the first carry that fails
while_scan(test, body, init)       the same, and what each step gave, stacked
fori(low, high, body, init)        once for each whole number from low up to high
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from cgkit.control.inner import stacked, types_of
from cgkit.control.scanning import scan
from cgkit.control.trips import BODY, TEST, WHAT, run_while
from cgkit.errors import CaptureError, DtypeError, OperandError
from cgkit.operators import ALL
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import TensorType

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
    called = leaf_names(body, [structure])
    return _looped(Loop(test, lambda c: (body(c), None), leaves, structure, called, False))[0]


def while_scan(
    test: Callable[[Any], Any], body: Callable[[Any], tuple[Any, Any]], init: Any
) -> tuple[Any, Any]:
    """Run a body as long as a test of the carry holds, and keep what each step gives.

    Parameters
    ----------
    test
        `test(carry)` gives a tensor of one bool.
    body
        `body(carry)` gives the next carry and what to keep of this step, which may be None.
    init
        The first carry, nested if you like; at least one tensor.

    Returns
    -------
    tuple
        The last carry, and what the steps gave, stacked along a new first axis: its size is told
        by the run.

    Raises
    ------
    OperandError, ShapeError, DtypeError
        As for while_loop; the body does not give two things.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> while_scan(lambda x: x < 100.0, lambda x: (x * x, x), Tensor(2.0))
    (Tensor(256.), Tensor([ 2.,  4., 16.]))
    """
    check_functions({TEST: test, BODY: body})
    leaves, structure = tree.flatten(init)
    if not leaves:
        raise OperandError("while_scan needs a carry", attempt="a number that counts the steps")
    return _looped(Loop(test, body, leaves, structure, leaf_names(body, [structure]), True))


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
    start = first if hasattr(first, "edge") else np.int64(first)
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


@dataclass(frozen=True)
class Loop:
    """A loop as the user wrote it, its carry taken apart."""

    test: Callable[[Any], Any]
    body: Callable[[Any], Any]
    leaves: Sequence[Any]
    """The first carry, and how it is nested."""
    structure: tree.Structure
    called: Sequence[str]
    """What the leaves of the carry are called in the body."""
    keeps: bool
    """Whether what steps give beside the carry is wanted."""

    def holds(self, *carry: Any) -> Any:
        """Say whether there is another step, as one bool."""
        verdict = self.test(tree.unflatten(self.structure, carry))
        check_predicate(verdict, GIVEN)
        return verdict

    def step(self, carry: Sequence[Any]) -> Step:
        """Take one step; numbers that come out have the dtypes of what goes in."""
        found = self.body(tree.unflatten(self.structure, carry))
        if not isinstance(found, tuple) or len(found) != 2:
            raise OperandError(
                f"{BODY} gives {type(found).__name__}, not two things",
                attempt="return carry, y   (or carry, None)",
            )
        new = alike(self.structure, found[0], BODY, "its carry")
        kept, nesting = ([], None) if found[1] is None else tree.flatten(found[1])
        for x in (*new, *kept):
            check_tensor(x, BODY)
        return settled(new, types_of(carry)), kept, nesting


Step = tuple[list[Any], list[Any], tree.Structure | None]
"""What one step gave: the leaves of the next carry, those to keep, and how these are nested."""


def _looped(loop: Loop) -> tuple[Any, Any]:
    """Run a loop, on Tensors or as a node of a graph."""
    found: Any = builder_of(*loop.leaves)
    if found is None:
        found = _by_hand(loop)
    if isinstance(found, GraphBuilder):
        found = _as_node(loop, found)
    carry, kept, nesting = found
    ys = None if nesting is None else tree.unflatten(nesting, kept)
    return tree.unflatten(loop.structure, carry), ys


def _by_hand(loop: Loop) -> Any:
    """Run the loop as Python does; give a builder if it turns out to belong to its graph."""
    carry = [as_tensor(x) for x in loop.leaves]
    rows: list[list[Any]] = []
    nesting: tree.Structure | None = None
    first = True
    while True:
        verdict = loop.holds(*carry)
        if isinstance(verdict, Value):
            return builder_of(verdict)
        if not bool(verdict):
            break
        new, kept, nesting = loop.step(carry)
        new = [as_tensor(x) for x in new]
        if first and builder_of(*new, *kept) is not None:
            return builder_of(*new, *kept)
        again = [as_tensor(x) for x in settled(loop.leaves, types_of(new))] if first else carry
        first = False
        if types_of(again) != types_of(carry):  # the first step told the dtypes of numbers
            carry = again
            continue
        same_types(types_of(carry), types_of(new), loop.structure, WHAT, "goes in", "comes out")
        carry = new
        rows.append([as_tensor(x) for x in kept])
    if first:
        return _nothing(loop, carry)
    columns = zip(*rows, strict=True)
    return carry, [ALL["stack"](*column, axis=0) for column in columns], nesting


def _nothing(loop: Loop, carry: Sequence[Any]) -> Any:
    """Give the results of no step at all: the body tells only the types of what it would keep."""
    if not loop.keeps:
        return carry, [], None
    try:
        _, bodies, nesting = _built(loop, GraphBuilder(capturing=True))
    except CaptureError:  # it took values of a graph, and nothing of it is needed
        return carry, [], None
    types = [edge.type for edge in bodies.graphs[1].outputs[len(carry) :]]
    empty = [TensorType((0, *t.shape), t.dtype) for t in types]
    return carry, [as_tensor(x) for x in stacked([], empty, BODY)], nesting


def _as_node(loop: Loop, builder: GraphBuilder) -> Any:
    """Turn test and body into graphs, and the loop into one node that holds them."""
    start, bodies, nesting = _built(loop, builder)
    carries = len(start)
    test, body = bodies.graphs
    found = run_while([*start, *bodies.taken], test, body, carries)
    return found[:carries], found[carries:], nesting


def _built(loop: Loop, builder: GraphBuilder) -> tuple[list[Value], Bodies, tree.Structure | None]:
    """Build both graphs; again, if the body tells the dtype of a number in the first carry."""
    leaves = list(loop.leaves)
    for _ in range(2):
        start = [as_value(builder, x) for x in leaves]
        nested: list[tree.Structure | None] = []

        def step(*carry: Any, nested: Any = nested) -> Any:
            new, kept, nesting = loop.step(carry)
            nested.append(nesting)
            return new, kept

        called = [leaf_names(loop.test, [loop.structure]), loop.called]
        bodies = build(builder, {TEST: loop.holds, BODY: step}, types_of(start), called)
        found = [edge.type for edge in bodies.graphs[1].outputs[: len(start)]]
        again = settled(leaves, found)
        if types_of([as_value(builder, x) for x in again]) == types_of(start):
            break
        leaves = again
    same_types(types_of(start), found, loop.structure, WHAT, "goes in", "comes out")
    return start, bodies, nested[-1]
