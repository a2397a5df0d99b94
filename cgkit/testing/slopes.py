"""Laws of gradients: what differences give, by every way back, reading only what was saved.

    gradient ─┬─ differences                       to second order
              ├─ arrays, create_graph, static      same bits, same shape and dtype as the operand
              └─ saves                             nothing is kept that no rule reads

Each operand may want a gradient alone or with others, and each such choice is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from cgkit.errors import CgkitError, ShapeError
from cgkit.interpret import run
from cgkit.node import Operator, Sample
from cgkit.order import verify
from cgkit.symbolic import GraphBuilder, Value, gradients
from cgkit.tensor import Tensor, grad
from cgkit.testing.cases import (
    SEED,
    broken,
    computed,
    is_array,
    listed,
    open_shapes,
    same,
    samples_of,
    type_of,
)
from cgkit.testing.differences import LawBroken, check_gradient
from cgkit.types import Shape


def slopes_right(operator: Operator, sample: Sample) -> None:
    """Demand that gradients are what differences give, to second order, in float64."""
    places = _floating(sample)
    exact = all(sample.operands[i].dtype == np.float64 for i in places)
    if operator.gradient is None or not sample.differentiable or not places or not exact:
        return
    try:
        check_gradient(
            lambda *xs: _total(_applied(operator, sample, dict(zip(places, xs, strict=True)))),
            *(sample.operands[i] for i in places),
        )
    except LawBroken as error:
        raise broken(operator, sample, error.what) from None


def _floating(sample: Sample) -> list[int]:
    return [i for i, x in enumerate(sample.operands) if is_array(x) and x.dtype.kind == "f"]


def _applied(operator: Operator, sample: Sample, handles: Mapping[int, Any]) -> tuple[Any, ...]:
    operands = [handles.get(i, x) for i, x in enumerate(sample.operands)]
    return listed(operator, operator(*operands, **sample.params))


def _total(results: tuple[Any, ...]) -> Any:
    """Give one result as it is, several as the sum of all their elements, each weighted."""
    if len(results) == 1:
        return results[0]
    return sum(((y * float(i + 1)).sum() for i, y in enumerate(results[1:], 1)), results[0].sum())


def _subsets(places: list[int]) -> Iterator[tuple[int, ...]]:
    for number in range(1, len(places) + 1):
        yield from combinations(places, number)


def gradients_agree(operator: Operator, sample: Sample) -> None:
    """Demand one gradient from all ways back, and that it is like its operand.

    Backward on arrays, backward that records, and a static graph, with sizes known or open, run the
    same rule and must give the same bits. Each operand may want a gradient alone or with others.
    """
    if operator.gradient is None:
        return
    for wanted in _subsets(_floating(sample)):
        eager = _eager_gradients(operator, sample, wanted, create=False)
        if eager is None:
            continue
        _check_alike(operator, sample, wanted, eager)
        ways = {
            "create_graph": _eager_gradients(operator, sample, wanted, create=True),
            "a static graph": _static_gradients(operator, sample, wanted, opened=False),
            "a graph of open sizes": _static_gradients(operator, sample, wanted, opened=True),
        }
        for way, found in ways.items():
            for got, want in zip(found or eager, eager, strict=True):
                if not same(got, want):
                    what = f"the gradient by {way} for operands {wanted} is {got!r}"
                    raise broken(operator, sample, what, f"backward gives {want!r}")


def _seed(result: Any) -> np.ndarray:
    drawn = np.random.default_rng(SEED).normal(size=result.shape)
    return np.asarray(drawn, dtype=result.dtype)


def _eager_gradients(
    operator: Operator, sample: Sample, wanted: tuple[int, ...], *, create: bool
) -> list[np.ndarray] | None:
    handles = {i: Tensor.wrap(x) for i, x in enumerate(sample.operands) if is_array(x)}
    points = [handles[i].requires_grad_() for i in wanted]
    with np.errstate(all="ignore"):
        y = _total(_applied(operator, sample, handles))
        if not y.requires_grad:
            return None
        found = grad(y, points, _seed(y), create_graph=create, materialize_grads=True)
    return [x.data for x in found]


def _static_gradients(
    operator: Operator, sample: Sample, wanted: tuple[int, ...], *, opened: bool
) -> list[np.ndarray] | None:
    shapes: list[Shape] = [x.shape if is_array(x) else () for x in sample.operands]
    if opened:
        shapes = next(open_shapes(shapes))
    builder = GraphBuilder()
    handles = {
        i: builder.placeholder(shapes[i], x.dtype)
        for i, x in enumerate(sample.operands)
        if is_array(x)
    }
    try:
        y = _total(_applied(operator, sample, handles))
        seed = builder.placeholder(y.shape, y.dtype)
        found = gradients(y, [handles[i] for i in wanted], seed)
    except ShapeError:
        if not opened:
            raise
        return None
    given = [*(sample.operands[i] for i in handles), _seed(_computed_total(operator, sample))]
    return _run_gradients(builder, found, [*handles.values(), seed], given, sample, wanted)


def _computed_total(operator: Operator, sample: Sample) -> Any:
    with np.errstate(all="ignore"):
        return np.asarray(_total(listed(operator, operator(*sample.operands, **sample.params))))


def _run_gradients(
    builder: GraphBuilder,
    found: list[Value | None],
    inputs: list[Value],
    arrays: list[np.ndarray],
    sample: Sample,
    wanted: tuple[int, ...],
) -> list[np.ndarray]:
    there = [x for x in found if x is not None]
    graph = builder.graph(there, inputs)
    verify(graph)
    with np.errstate(all="ignore"):
        results = iter(run(graph, *arrays))
    return [
        next(results) if x is not None else np.zeros_like(sample.operands[i])
        for i, x in zip(wanted, found, strict=True)
    ]


def _check_alike(
    operator: Operator, sample: Sample, wanted: tuple[int, ...], found: list[np.ndarray]
) -> None:
    for i, x in zip(wanted, found, strict=True):
        if type_of(x) != type_of(sample.operands[i]):
            what = f"the gradient of operand {i} is {type_of(x)}, not {type_of(sample.operands[i])}"
            raise broken(operator, sample, what)


def saves_are_read(operator: Operator) -> None:
    """Demand that each saved operand or result changes some gradient: else it is kept for nothing.

    That what is not saved is not read needs no law of its own: a rule then meets an Edge and fails
    (gradients_agree).
    """
    saved: set[tuple[tuple[int, ...], int]] = set()
    read: set[tuple[tuple[int, ...], int]] = set()
    for sample in samples_of(operator):
        if operator.gradient is None:
            continue
        for wanted in _subsets(_floating(sample)):
            y = computed(operator, sample)
            there = [kept for kept in operator.kept(wanted) if kept < len(sample.operands)]
            saved |= {(wanted, kept) for kept in there}
            read |= {(wanted, k) for k in there if _matters(operator, sample, wanted, k, y)}
    for wanted, kept in sorted(saved - read):
        what = "its result" if kept < 0 else f"operand {kept}"
        raise LawBroken(f"{operator.name}: {what} is saved for operands {wanted} but never read")


def _matters(
    operator: Operator,
    sample: Sample,
    wanted: tuple[int, ...],
    kept: int,
    y: tuple[np.ndarray, ...],
) -> bool:
    """Whether the gradients change, or fail, when other numbers stand in a saved array."""
    other = list(sample.operands)
    if kept >= 0:
        other[kept] = _changed(other[kept])
    right = _rules(operator, sample, wanted, y, sample.operands)
    try:
        result = (_changed(y[0]), *y[1:]) if kept < 0 else y
        found = _rules(operator, sample, wanted, result, tuple(other))
    except CgkitError:
        return True
    return not all(same(a, b) for a, b in zip(found, right, strict=True))


def _changed(x: Any) -> np.ndarray:
    array = np.asarray(x)
    return ~array if array.dtype.kind in "bu" else -1 - array


def _rules(
    operator: Operator,
    sample: Sample,
    wanted: tuple[int, ...],
    y: tuple[np.ndarray, ...],
    operands: tuple[Any, ...],
) -> list[Any]:
    rules = operator.gradient
    g: Any = {i: _seed(part) for i, part in enumerate(y)} if operator.several else _seed(y[0])
    with np.errstate(all="ignore"):
        if callable(rules):
            parts = rules(g, y[0], *operands, **sample.params)
            return [parts[i] for i in wanted]
        each = [(rules or ())[min(i, len(rules or ()) - 1)] for i in wanted]
        return [r(g, y[0], *operands, **sample.params) for r in each if r is not None]
