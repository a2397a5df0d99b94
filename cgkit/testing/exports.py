"""A law of ONNX: a graph that is written as a model gives there what it gives here.

    operator, sample ─> a graph of one node ─> a model ─> onnx's own reference ─┐
                    └─> compute ────────────────────────────────────────────────┴─ within tolerance

Another runtime may be asked instead: `evaluate(model, arrays)` gives its results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from cgkit.node import Operator, Sample
from cgkit.onnx.exporter import to_model
from cgkit.onnx.exporting.schemas import NEWEST
from cgkit.testing.cases import broken, built, computed, is_array
from cgkit.types import Shape

if TYPE_CHECKING:
    import onnx

Evaluate = Callable[["onnx.ModelProto", Sequence[np.ndarray]], Sequence[Any]]
TOLERANCES: Mapping[str, tuple[float, float]] = MappingProxyType({
    "float16": (1e-3, 1e-3), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
})  # fmt: skip
"""How far elements of a dtype may be apart: a part of the number, and so much besides."""


def by_reference(model: onnx.ModelProto, arrays: Sequence[np.ndarray]) -> Sequence[Any]:
    """Evaluate a model by the reference that comes with the `onnx` package; it is checked first."""
    from onnx import checker
    from onnx.reference import ReferenceEvaluator

    checker.check_model(model, full_check=True)
    feeds = {given.name: x for given, x in zip(model.graph.input, arrays, strict=True)}
    with np.errstate(all="ignore"):
        return list(ReferenceEvaluator(model).run(None, feeds))


def difference(got: Any, expected: np.ndarray) -> str:
    """Say how an array differs from what is expected of it; "" if it does not.

    Examples
    --------
    >>> difference(np.float32([1, 2]), np.float32([1, 2.1]))
    '2.0, not 2.1, at (1,)'
    """
    array = np.asarray(got)
    if array.dtype != expected.dtype or array.shape != expected.shape:
        return f"{array.dtype}{list(array.shape)}, not {expected.dtype}{list(expected.shape)}"
    part, besides = TOLERANCES.get(expected.dtype.name, (0.0, 0.0))
    near = (
        np.isclose(array, expected, rtol=part, atol=besides, equal_nan=True)
        if expected.dtype.kind == "f"
        else array == expected
    )
    if near.all():
        return ""
    place = tuple(np.argwhere(~near)[0].tolist())
    return f"{array[place]!s}, not {expected[place]!s}, at {place}"


def exported(
    operator: Operator,
    sample: Sample,
    *,
    evaluate: Evaluate = by_reference,
    shapes: Sequence[Shape] | None = None,
    opset: int = NEWEST,
) -> None:
    """Demand that an exported operator gives what it computes.

    Parameters
    ----------
    operator, sample
        What to check.
    evaluate
        What runs the model.
    shapes
        Those with which the graph is built; they may hold open sizes.
    opset
        The operator set of the model.

    Raises
    ------
    LawBroken
        A result has another shape or dtype, or an element lies too far off.
    """
    graph = built(operator, sample, shapes)
    arrays = [x for x in sample.operands if is_array(x)]
    results = evaluate(to_model(graph, opset=opset), arrays)
    for got, expected in zip(results, computed(operator, sample), strict=True):
        why = difference(got, expected)
        if why:
            raise broken(operator, sample, f"in ONNX it gives {why}")
