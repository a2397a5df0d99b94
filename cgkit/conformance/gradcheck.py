"""torch's judge of gradients, given cgkit's operators as if they were torch's own.

    operator, sample ─> wrapped ─> torch.autograd.gradcheck        slopes by differences
                                   torch.autograd.gradgradcheck    and those of the slopes

Each operator that has a gradient is judged on all of its own samples of float64 away from kinks,
with respect to all floating operands at once; functions made of operators on those of
`composed.SAMPLES`. One without a sample counts as not tried.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.conformance.bridge import torch
from cgkit.conformance.composed import SAMPLES
from cgkit.conformance.opinfo import versions
from cgkit.conformance.suite import Case, Suite, said
from cgkit.conformance.tally import Outcome, not_tried
from cgkit.conformance.wrapped import Function, wrapped
from cgkit.node import Operator, Sample
from cgkit.operators import ALL, COMPOSED
from cgkit.testing.cases import is_array, listed, samples_of

READINGS = ("gradcheck", "gradgradcheck")


def prepare(folder: Path) -> list[Case]:
    """Make a case of each sample of each operator and function that has a gradient."""
    cases = [case for operator in ALL.values() for case in _cases(operator)]
    for name, function in COMPOSED.items():
        calls = SAMPLES.get(name, ())
        for number, (shapes, call) in enumerate(calls):
            rng = np.random.default_rng(number)
            arrays = [rng.normal(size=shape) for shape in shapes]
            run = partial(judged, name, partial(_called, call, function), arrays)
            cases.append(Case(f"{name} {number}", name, run))
        if not calls:
            cases.append(_untried(name))
    return cases


def _untried(name: str) -> Case:
    return Case(
        f"{name} 0", name, lambda: not_tried(name, READINGS, 1, "it has no sample for this")
    )


def _cases(operator: Operator) -> Iterator[Case]:
    if operator.gradient is None:
        return  # a constant, or a cut: on purpose not what differences give
    fitting = list(_fitting(operator))
    if not fitting:
        yield _untried(operator.name)
    for number, (sample, places) in enumerate(fitting):
        arrays = [sample.operands[i] for i in places]
        function = partial(_applied, operator, sample, places)
        run = partial(judged, operator.name, function, arrays)
        yield Case(f"{operator.name} {number}", operator.name, run)


def _fitting(operator: Operator) -> Iterator[tuple[Sample, list[int]]]:
    """Give the samples on which differences are exact enough, and where floats stand in them."""
    for sample in samples_of(operator):
        floats = [i for i, x in enumerate(sample.operands) if is_array(x) and x.dtype.kind == "f"]
        exact = all(sample.operands[i].dtype == np.float64 for i in floats)
        if sample.differentiable and floats and exact:
            yield sample, floats


def _applied(operator: Operator, sample: Sample, places: list[int], *xs: Any) -> tuple[Any, ...]:
    """Apply an operator to a sample with these in place of its floats; give floating results."""
    given = dict(zip(places, xs, strict=True))
    operands = [given.get(i, x) for i, x in enumerate(sample.operands)]
    return _floats(listed(operator, operator(*operands, **sample.params)))


def _called(call: Any, function: Any, *xs: Any) -> tuple[Any, ...]:
    found = call(function, *xs)
    return _floats(found if isinstance(found, tuple) else (found,))


def _floats(results: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(y for y in results if y.dtype.kind == "f")


def judged(group: str, function: Function, arrays: Sequence[np.ndarray]) -> Sequence[Outcome]:
    """Let torch judge one function at one place."""
    pytorch = torch()
    xs = [_leaf(x) for x in arrays]
    failed, reason = [], ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name in READINGS:
            try:
                getattr(pytorch.autograd, name)(wrapped(function), xs)
            except Exception as error:
                failed.append(name)
                reason = reason or f"{name}: {said(error)}"
    return [Outcome(group, tuple(failed), reason)]


def _leaf(x: np.ndarray) -> Any:
    """Give a tensor whose strides are never 0, not of empty arrays either: gradcheck minds."""
    pytorch = torch()
    fresh = pytorch.empty(x.shape, dtype=pytorch.float64)
    return fresh.copy_(pytorch.tensor(np.array(x))).requires_grad_()


GRADCHECK = Suite(
    "gradcheck",
    "torch's judge of gradients, on every operator that has one",
    prepare,
    READINGS,
    needs=("torch",),
    versions=versions,
)
