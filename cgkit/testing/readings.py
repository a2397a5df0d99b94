"""Laws of values: what a graph, a Tensor, infer and scalar say must be what compute gives.

    compute ─┬─ interpreter, trace, Tensor      same bits
             ├─ infer, with open sizes too      same shape and dtype
             └─ scalar                          same elements, within some units in the last place

A law takes an operator and a sample, and raises LawBroken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.cost import flops
from cgkit.errors import CgkitError, ShapeError
from cgkit.interpret import bind, run
from cgkit.node import Kind, Operator, Sample
from cgkit.order import verify
from cgkit.symbolic import trace
from cgkit.tensor import Tensor
from cgkit.testing.cases import (
    broken,
    built,
    computed,
    is_array,
    listed,
    open_shapes,
    run_on,
    same,
    type_of,
)
from cgkit.types import DTYPES, Dim


def readings_agree(operator: Operator, sample: Sample) -> None:
    """Demand that Tensors, a built graph and a traced function give what arrays give."""
    expected = computed(operator, sample)
    with np.errstate(all="ignore"):
        handles = [Tensor.wrap(x) if is_array(x) else x for x in sample.operands]
        eager = listed(operator, operator(*handles, **sample.params))
        traced = trace(lambda *xs: operator(*xs, **sample.params), *sample.operands).graph
        ways = {
            "a Tensor": tuple(y.data for y in eager),
            "the interpreter": run_on(built(operator, sample), sample),
            "a traced function": run(traced, *sample.operands),
        }
    verify(traced)
    for way, found in ways.items():
        for got, want in zip(found, expected, strict=True):
            if not same(got, want):
                raise broken(operator, sample, f"{way} gives {got!r}", f"not {want!r}")


def inferred(operator: Operator, sample: Sample) -> None:
    """Demand that infer foretells the shapes and dtypes of the results."""
    types = [type_of(x) for x in sample.operands]
    found = listed(operator, operator.infer(*types, **sample.params))
    actual = [type_of(y) for y in computed(operator, sample)]
    if list(found) != actual:
        raise broken(operator, sample, f"infer gives {found}", f"compute {actual}")


def open_sizes(operator: Operator, sample: Sample) -> None:
    """Demand the same results from a graph whose sizes are known only when it runs.

    A graph may be refused where a size cannot be told; a built one must run and give the same.
    """
    expected = computed(operator, sample)
    for shapes in open_shapes([x.shape for x in sample.operands if is_array(x)]):
        try:
            graph = built(operator, sample, shapes)
        except ShapeError as error:
            if "known" not in str(error):
                raise
            continue
        verify(graph)
        for got, want in zip(run_on(graph, sample), expected, strict=True):
            if not same(got, want):
                raise broken(operator, sample, f"with shapes {shapes} it gives {got!r}")


def scalar_agrees(operator: Operator, sample: Sample, ulps: int = 4) -> None:
    """Demand that the function of single numbers gives each element, within some units of it.

    Parameters
    ----------
    operator, sample
        What to check.
    ulps
        How many units in the last place the two may be apart: libraries round differently.
    """
    if operator.scalar is None:
        return
    (result,) = computed(operator, sample)
    spread = np.broadcast_arrays(*sample.operands)
    for place in np.ndindex(result.shape):
        numbers = [x[place].item() for x in spread]
        single = operator.scalar(*numbers, **sample.params)
        expected = _as_element(single, result.dtype)
        if _both_zero(result[place], expected, numbers):
            continue
        if not _near(result[place], expected, ulps):
            raise broken(
                operator, sample, f"scalar{tuple(numbers)} is {single}", f"compute {result[place]}"
            )


def _as_element(number: Any, dtype: np.dtype) -> Any:
    """Give a plain number as an element: floats are rounded, whole numbers wrap."""
    if isinstance(number, int) and dtype.kind in "iu":
        bits = 8 * dtype.itemsize
        return np.array(number % 2**bits, f"uint{bits}").astype(dtype)[()]
    with np.errstate(all="ignore"):
        return np.float64(number).astype(dtype)


def _near(got: Any, expected: Any, ulps: int) -> bool:
    if same(got, expected):
        return True
    if got.dtype.kind != "f" or not np.isfinite(got) or not np.isfinite(expected):
        return False
    return bool(abs(got - expected) <= ulps * np.spacing(max(abs(got), abs(expected))) and got != 0)


def _both_zero(got: Any, expected: Any, numbers: list[Any]) -> bool:
    """Whether all are zeros: of two with unlike signs a maximum may give either."""
    return len(numbers) > 1 and all(x == 0 for x in (got, expected, *numbers))


def pure(operator: Operator, sample: Sample) -> None:
    """Demand that computing changes no operand, repeats itself, and shares memory only in a view.

    A result that is an operand itself would be changed behind its back by an in-place write.
    """
    before = [np.array(x) for x in sample.operands]
    first, second = computed(operator, sample), computed(operator, sample)
    for x, old in zip(sample.operands, before, strict=True):
        if not same(x, old):
            raise broken(operator, sample, "compute changed an operand")
    for one, two in zip(first, second, strict=True):
        if not same(one, two):
            raise broken(operator, sample, "a second compute gave another result")
        for x in sample.operands:
            if one is x:
                raise broken(operator, sample, "the result is the operand itself")
            if operator.kind is not Kind.MOVEMENT and np.shares_memory(one, np.asarray(x)):
                raise broken(operator, sample, "the result shares memory with an operand")


def counted(operator: Operator, sample: Sample) -> None:
    """Demand a count of floating-point operations: a whole number, not negative, open or known."""
    arrays = [x for x in sample.operands if is_array(x)]
    for shapes in [[x.shape for x in arrays], *open_shapes([x.shape for x in arrays])]:
        try:
            graph = built(operator, sample, shapes)
        except ShapeError:
            continue
        found = flops(graph.outputs[0].node or graph.nodes[-1])
        number = found.at(bind(graph, arrays)) if isinstance(found, Dim) else found
        if type(number) is not int or number < 0:
            raise broken(operator, sample, f"it counts {found!r} operations")


def dtypes_agree(operator: Operator, sample: Sample) -> None:
    """Demand that infer and compute take, and refuse, the same dtypes."""
    for dtype in sorted(DTYPES, key=str):
        operands = [x.astype(dtype) if is_array(x) and _plain(x) else x for x in sample.operands]
        other = Sample(tuple(operands), sample.params)
        expected, got = _type_or_error(operator, other), _computed_or_error(operator, other)
        if expected != got:
            raise broken(operator, other, f"infer says {expected}, compute {got}")


def _plain(x: np.ndarray) -> bool:
    return x.dtype.kind == "f" and bool(np.isfinite(x).all())


def _type_or_error(operator: Operator, sample: Sample) -> Any:
    try:
        found = operator.infer(*(type_of(x) for x in sample.operands), **sample.params)
    except CgkitError:
        return "refused"
    return listed(operator, found)


def _computed_or_error(operator: Operator, sample: Sample) -> Any:
    try:
        return tuple(type_of(x) for x in computed(operator, sample))
    except (TypeError, ValueError, CgkitError):
        return "refused"
