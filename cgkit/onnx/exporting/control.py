"""Branches and loops, which hold graphs: If, Loop and Scan.

    cond(p, xs)         If        both branches read what is around them, as ours do their operands
    switch(i, xs)       If within If: each halves the branches that are left
    scan(carry, xs)     Scan; Loop where there may be no step, over which some runtimes fall
    while_loop(carry)   Loop, which is told whether there is a first step
    while_steps(carry)  Loop that keeps the carry with which each step begins

What only waits is nothing in ONNX, where data alone say what comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from cgkit.graph import Graph
from cgkit.interpret import own_symbols
from cgkit.onnx.dtypes import as_number
from cgkit.onnx.exporting import open_sizes
from cgkit.onnx.exporting.draft import Draft, write
from cgkit.onnx.exporting.running import turned
from cgkit.onnx.exporting.writer import Rule, Term, Writer
from cgkit.types import Dim, Shape, Size

if TYPE_CHECKING:
    from onnx import GraphProto

INT64, BOOL = np.dtype("int64"), np.dtype("bool")
Told = Any
Terms = Sequence[Term]


def _waiting(draft: Draft, x: Term, *tellers: Term) -> Term:
    """Give the operand itself: sizes are computed from whatever tells them."""
    return x


def _cond(
    draft: Draft, pred: Term, *operands: Term, then: Graph, otherwise: Graph, told: Told = ()
) -> tuple[Term, ...]:
    return draft.several(
        "If", pred, gives=_dtypes(then),
        then_branch=_part(draft, "then", lambda inner: _written(inner, then, operands)),
        else_branch=_part(draft, "otherwise", lambda inner: _written(inner, otherwise, operands)),
    )  # fmt: skip


def _switch(
    draft: Draft, index: Term, *operands: Term, branches: tuple[Graph, ...], told: Told = ()
) -> tuple[Term, ...]:
    last = len(branches) - 1
    if index.dtype == np.uint64:  # a large one would be below 0 as int64
        index = draft.add("Min", index, last)
    index = draft.cast(index, INT64)

    def choose(inner: Draft, first: int, last: int) -> Terms:
        if first == last:
            return _written(inner, branches[first], operands)
        half = (first + last) // 2
        return inner.several(
            "If", inner.add("LessOrEqual", index, half, gives=bool), gives=_dtypes(branches[0]),
            then_branch=_part(inner, f"from_{first}", lambda deep: choose(deep, first, half)),
            else_branch=_part(inner, f"from_{half + 1}", lambda deep: choose(deep, half + 1, last)),
        )  # fmt: skip

    return tuple(choose(draft, 0, last))


def _scan(
    draft: Draft, *operands: Term, body: Graph, carries: int, sliced: int, length: Size,
    reverse: bool, told: Told = (),
) -> tuple[Term, ...]:  # fmt: skip
    first, same = operands[:carries], operands[carries + sliced :]
    xs: Terms = operands[carries : carries + sliced]
    if length == 0:
        kept = (draft.node.results or ())[carries:]
        empty = [[0 if isinstance(n, Dim) else n for n in t.shape] for t in kept]
        return (*first, *(draft.zeros(n, t.dtype) for n, t in zip(empty, kept, strict=True)))
    if not sliced or isinstance(length, Dim):
        return _counted(draft, body, first, xs, same, length, reverse)
    inner = draft.writer.inside()
    given = _inputs(inner, draft, body, carries + sliced)
    held = _graph(draft, inner, given, lambda one: _written(one, body, [*given, *same]))
    xs = [turned(draft, x) for x in xs] if reverse else xs
    found = draft.several(
        "Scan", *first, *xs, gives=_dtypes(body), body=held, num_scan_inputs=sliced
    )
    return _in_order(draft, found, carries, reverse)


def _counted(
    draft: Draft, body: Graph, first: Terms, xs: Terms, same: Terms, length: Size, reverse: bool
) -> tuple[Term, ...]:
    """Write a scan as a loop over the numbers of its steps."""
    carries, number = len(first), draft.size(length)
    last = draft.add("Sub", number, 1) if reverse else None
    inner = draft.writer.inside()
    step, go = (Term(inner.fresh(f"{draft.stem}/step"), d, ()) for d in (INT64, BOOL))
    given = _inputs(inner, draft, body, carries)

    def act(one: Draft) -> Terms:
        at = step if last is None else one.add("Sub", last, step)
        parts = [_known(one.add("Gather", x, at), edge.shape)
                 for x, edge in zip(xs, body.inputs[carries:], strict=False)]  # fmt: skip
        return [one.add("Identity", go), *_written(one, body, [*given, *parts, *same])]

    held = _graph(draft, inner, [step, go, *given], act)
    yes = draft.constant(True, bool)
    found = draft.several("Loop", number, yes, *first, gives=_dtypes(body), body=held)
    return _in_order(draft, found, carries, reverse)


def _in_order(draft: Draft, found: Terms, carries: int, reverse: bool) -> tuple[Term, ...]:
    kept = found[carries:]
    return (*found[:carries], *(turned(draft, y) if reverse else y for y in kept))


def _while(
    draft: Draft, *operands: Term, test: Graph, body: Graph, carries: int, told: Told = ()
) -> tuple[Term, ...]:
    return _tested(draft, operands, test, body, carries, lambda given, found: found)


def _steps(
    draft: Draft, *operands: Term, test: Graph, body: Graph, carries: int, trips: Size
) -> tuple[Term, ...]:
    def keep(given: Terms, found: Terms) -> Terms:
        return [*found[:carries], *given]

    return _tested(draft, operands, test, body, carries, keep)[carries:]


def _tested(
    draft: Draft, operands: Terms, test: Graph, body: Graph, carries: int,
    outputs: Callable[[Terms, Terms], Terms],
) -> tuple[Term, ...]:  # fmt: skip
    """Write a loop that goes on as long as a test of the carry holds."""
    first, same = operands[:carries], operands[carries:]
    (begins,) = _written(draft, test, operands)
    inner = draft.writer.inside()
    step, go = (Term(inner.fresh(f"{draft.stem}/step"), d, ()) for d in (INT64, BOOL))
    given = _inputs(inner, draft, body, carries)
    dtypes: list[np.dtype] = []

    def act(one: Draft) -> Terms:
        found = outputs(given, _written(one, body, [*given, *same]))
        dtypes.extend(x.dtype for x in found)
        (goes,) = _written(one, test, [*found[:carries], *same])
        return [goes, *found]

    held = _graph(draft, inner, [step, go, *given], act)
    endless = draft.constant(np.iinfo(INT64).max, INT64)  # some runtimes want a number
    return draft.several("Loop", endless, begins, *first, gives=dtypes, body=held)


def _written(draft: Draft, graph: Graph, operands: Terms) -> Terms:
    """Write the nodes of a graph where a draft stands; give its outputs."""
    open_sizes.forget(draft.writer, own_symbols(graph))
    given = [_known(x, e.shape) for x, e in zip(operands, graph.inputs, strict=True)]
    terms = write(draft.writer, graph, given, within=draft.stem)
    return [
        Term(terms[edge.key].name, edge.dtype, edge.shape) for edge in graph.outputs
    ]  # fmt: skip


def _known(term: Term, shape: Shape) -> Term:
    return Term(term.name, term.dtype, shape)


def _part(draft: Draft, name: str, act: Callable[[Draft], Terms]) -> GraphProto:
    """Write a branch: a graph without inputs, which reads what is around it."""
    inner = draft.writer.inside()
    return _graph(draft, inner, [], act, f"{draft.stem}/{name}")


def _inputs(inner: Writer, draft: Draft, body: Graph, count: int) -> list[Term]:
    """Declare what a body is given in each step."""
    return [
        Term(inner.fresh(f"{draft.stem}/{edge.node.name if edge.node else ''}"), edge.dtype,
             edge.shape)
        for edge in body.inputs[:count]
    ]  # fmt: skip


def _graph(
    draft: Draft, inner: Writer, given: Terms, act: Callable[[Draft], Terms], stem: str = ""
) -> GraphProto:
    """Write a graph inside a node; its outputs have names of their own."""
    from onnx import helper

    stem = stem or f"{draft.stem}/body"
    one = Draft(inner, draft.node, stem)
    for term in given:
        open_sizes.note(inner, term)
    ends = []
    for found in act(one):
        (end,) = inner.add("Identity", [found], [found.dtype], f"{stem}/out")
        ends.append(Term(end.name, found.dtype, found.shape))
    return helper.make_graph(
        inner.nodes, stem, [_info(x) for x in given], [_info(x) for x in ends],
        [inner.store(value, name) for name, value in inner.variables.items()],
    )  # fmt: skip


def _info(term: Term) -> Any:
    from onnx import helper

    shape = None
    if term.shape is not None:
        shape = [str(size) if isinstance(size, Dim) else int(size) for size in term.shape]
    return helper.make_tensor_value_info(term.name, as_number(term.dtype), shape)


def _dtypes(graph: Graph) -> list[np.dtype]:
    return [edge.dtype for edge in graph.outputs]


RULES: Mapping[str, Rule] = MappingProxyType({
    "sized": _waiting, "after": _waiting, "cond": _cond, "switch": _switch, "scan": _scan,
    "while_loop": _while, "while_steps": _steps,
})  # fmt: skip
