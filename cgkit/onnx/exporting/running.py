"""What runs along an axis: sums and products by their own operators, the rest step by step.

    cumsum(x)          CumSum
    recurrence(a, b)   Scan along the axis, whose body is  y, a, b ─> a * y + b

A Scan walks along the first axis, so ours is brought there. One more step stands before the first,
whose result is cut off: a Scan over nothing stops some runtimes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.dtypes import as_number
from cgkit.onnx.exporting.draft import Draft, write
from cgkit.onnx.exporting.movement import FIRST, LAST
from cgkit.onnx.exporting.schemas import fitting
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.settings import normal_axis
from cgkit.symbolic import GraphBuilder
from cgkit.types import Dim, Shape, TensorType

if TYPE_CHECKING:
    from onnx import GraphProto

Line = tuple[Term, float]
"""What is walked along, and what stands before its first element."""


def _running(operator: str) -> Rule:
    def rule(
        draft: Draft, a: Term, axis: int, exclusive: bool = False, reverse: bool = False
    ) -> Term:
        wide = draft.cast(a, fitting(operator, draft.dtype, draft.opset))
        at = draft.constant(normal_axis(axis, len(draft.shape)), np.int64)
        return draft.add(operator, wide, at, exclusive=int(exclusive), reverse=int(reverse))

    return rule


def _recurrence(draft: Draft, a: Term, b: Term, axis: int, reverse: bool = False) -> Term:
    def step(y: Any, before: Any, factor: Any, added: Any) -> tuple[Any, ...]:
        first = ops.less_equal(before, 0)  # then the factor is not read, whatever it is
        y = ops.where(first, added, added + factor * y)
        return y, before + 1, y

    states = [(0, draft.dtype), (-1, np.dtype("int64"))]
    lines = [(draft.cast(x, draft.dtype), 0) for x in (a, b)]
    return _scan(draft, step, states, lines, axis, reverse=reverse)


def _logcumsumexp(draft: Draft, a: Term, axis: int) -> Term:
    def step(y: Any, x: Any) -> tuple[Any, ...]:
        y = ops.logaddexp(y, x)
        return y, y

    line = (draft.cast(a, draft.dtype), -np.inf)
    return _scan(draft, step, [(-np.inf, draft.dtype)], [line], axis)


def _running_place(largest: bool) -> Rule:
    def step(best: Any, place: Any, here: Any, x: Any) -> tuple[Any, ...]:
        reached = ops.greater_equal(x, best) if largest else ops.less_equal(x, best)
        if x.dtype.kind == "f":
            reached = ops.logical_or(reached, ops.isnan(x))
        best = ops.maximum(best, x) if largest else ops.minimum(best, x)
        place = ops.where(reached, here, place)
        return best, place, here + 1, place

    def rule(draft: Draft, a: Term, axis: int) -> Term:
        a = draft.cast(a, fitting("Less", a.dtype, draft.opset))
        limits: Any = np.iinfo(a.dtype) if a.dtype.kind != "f" else None
        ends = (-np.inf, np.inf) if limits is None else (limits.min, limits.max)
        worst = ends[0 if largest else 1]
        states = [(worst, a.dtype), (0, np.dtype("int64")), (-1, np.dtype("int64"))]
        return _scan(draft, step, states, [(a, worst)], axis)

    return rule


def _scan(
    draft: Draft,
    step: Callable[..., tuple[Any, ...]],
    states: Sequence[tuple[float, np.dtype]],
    lines: Sequence[Line],
    axis: int,
    *,
    reverse: bool = False,
) -> Term:
    """Walk along an axis: `step(*state, *elements)` gives the next state and what comes out.

    A state begins with one number everywhere; it has the shape of one step, and its dtype.
    """
    at = normal_axis(axis, len(draft.shape))
    rest = (*draft.shape[:at], *draft.shape[at + 1 :])
    first = [draft.zeros(rest, dtype, value) for value, dtype in states]
    walked = [_laid(draft, line, at, reverse) for line in lines]
    kinds = [TensorType(rest, term.dtype) for term in (*first, *walked)]
    body = _body(draft, step, kinds)
    out = draft.dtype
    found = draft.several(
        "Scan", *first, *walked, gives=[*(dtype for _, dtype in states), out], body=body,
        num_scan_inputs=len(walked),
    )[-1]  # fmt: skip
    found = draft.add("Slice", found, *map(draft.sizes, ((1,), (LAST,), (0,))))
    found = turned(draft, found) if reverse else found
    return draft.transpose(found, (*range(1, at + 1), 0, *range(at + 1, len(draft.shape))))


def _laid(draft: Draft, line: Line, axis: int, reverse: bool) -> Term:
    """Bring an axis to the front, in the direction of walking, after one more element."""
    term, before = line
    rank = len(draft.shape)
    term = draft.transpose(term, (axis, *(i for i in range(rank) if i != axis)))
    term = turned(draft, term) if reverse else term
    rest = (*draft.shape[:axis], *draft.shape[axis + 1 :])
    return draft.add("Concat", draft.zeros((1, *rest), term.dtype, before), term, axis=0)


def turned(draft: Draft, term: Term) -> Term:
    """Give a tensor with its first axis from the last to the first."""
    return draft.add("Slice", term, *map(draft.sizes, ((-1,), (FIRST,), (0,), (-1,))))


def _body(draft: Draft, step: Callable[..., Any], kinds: Sequence[TensorType]) -> GraphProto:
    """Write one step as the body of a Scan; it reads nothing from around it."""
    from onnx import helper

    inner = draft.writer.inside(alone=True)
    stem = f"{draft.stem}/step"
    builder = GraphBuilder()
    values = [builder.placeholder(kind.shape, kind.dtype) for kind in kinds]
    outputs = step(*values)
    given = [Term(inner.fresh(stem), kind.dtype, kind.shape) for kind in kinds]
    terms = write(inner, builder.graph(outputs, values), given, within=stem)
    ends = [
        inner.add("Identity", [terms[y.edge.key]], [y.dtype], f"{stem}/out")[0] for y in outputs
    ]
    begin = [_info(term, kind.shape) for term, kind in zip(given, kinds, strict=True)]
    end = [_info(term, y.shape) for term, y in zip(ends, outputs, strict=True)]
    return helper.make_graph(inner.nodes, stem, begin, end)


def _info(term: Term, shape: Shape) -> Any:
    from onnx import helper

    sizes = [str(size) if isinstance(size, Dim) else int(size) for size in shape]
    return helper.make_tensor_value_info(term.name, as_number(term.dtype), sizes)


RULES: Mapping[str, Rule] = MappingProxyType({
    "cumsum": _running("CumSum"), "cumprod": _running("CumProd"), "recurrence": _recurrence,
    "logcumsumexp": _logcumsumexp, "argcummax": _running_place(True),
    "argcummin": _running_place(False),
})  # fmt: skip
