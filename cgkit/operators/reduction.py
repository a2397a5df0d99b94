"""Reductions: whole axes are folded into one element each.

    (2, 3) ─ sum(axis=1) ─> (2,)       keepdims=True leaves (2, 1), which broadcasts against (2, 3)

Going backward, what was folded is repeated: `spread` brings a result back over the axes that were
folded. A maximum that several elements reach shares its gradient evenly among them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator, Rule
from cgkit.operators.elementwise import cast, div, equal, quiet
from cgkit.operators.movement import broadcast_to, reshape
from cgkit.operators.samples import with_params
from cgkit.operators.settings import normal_axes
from cgkit.types import Shape, Size, TensorType, count, show_shape

_fold: Callable[..., Any] = np.add.reduce
Axis = int | tuple[int, ...] | None


def kept_shape(shape: Shape, axis: Axis) -> Shape:
    """Give the shape of a reduction that keeps its axes.

    Examples
    --------
    >>> kept_shape((2, 3), -1)
    (2, 1)
    """
    axes = normal_axes(axis, len(shape))
    return tuple(1 if i in axes else size for i, size in enumerate(shape))


def reduced_shape(shape: Shape, axis: Axis, keepdims: bool) -> Shape:
    """Give the shape of a reduction."""
    if keepdims:
        return kept_shape(shape, axis)
    axes = normal_axes(axis, len(shape))
    return tuple(size for i, size in enumerate(shape) if i not in axes)


def spread(x: Any, like: Any, axis: Axis) -> Any:
    """Repeat a reduced tensor over the axes that were folded away, to the shape of `like`."""
    if axis is not None:
        x = reshape(x, shape=kept_shape(like.shape, axis))
    return broadcast_to(x, shape=like.shape)


def folded(shape: Shape, axis: Axis) -> Size:
    """Count the elements that are folded into one."""
    return count(shape[i] for i in normal_axes(axis, len(shape)))


def infer_reduction(name: str, dtype: Any, nonempty: bool = False) -> Rule:
    """Infer a reduction of this name: its shape, and its dtype by a function of the operand's."""

    def infer(a: TensorType, axis: Axis = None, keepdims: bool = False) -> TensorType:
        if nonempty and any(
            isinstance(a.shape[i], int) and a.shape[i] == 0 for i in normal_axes(axis, a.ndim)
        ):
            raise nothing_to_reduce(name, a.shape, axis)
        return TensorType(reduced_shape(a.shape, axis, keepdims), dtype(a.dtype))

    return infer


def nothing_to_reduce(name: str, shape: Any, axis: Axis) -> ShapeError:
    """Make the error of a reduction over no elements."""
    return ShapeError(
        f"{name} over no elements has no value: shape {show_shape(shape)}, axis {axis}",
        attempt=f"a check for empty tensors before {name}",
    )


def _sum_dtype(dtype: np.dtype) -> np.dtype:
    return np.asarray(np.sum(np.empty((0,), dtype))).dtype


def _sum(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    axes = None if axis is None else normal_axes(axis, np.ndim(a))
    return _fold(a, axes, keepdims=keepdims)


def _sum_into(out: np.ndarray, a: Any, axis: Axis = None, keepdims: bool = False) -> None:
    axes = None if axis is None else normal_axes(axis, np.ndim(a))
    _fold(a, axes, keepdims=keepdims, out=out)


def float_dtype(name: str, dtype: np.dtype) -> np.dtype:
    """Give the dtype of a mean and its kin: floats keep theirs, integers become float64.

    Examples
    --------
    >>> float_dtype("mean", np.dtype("int8")), float_dtype("mean", np.dtype("float32"))
    (dtype('float64'), dtype('float32'))

    Raises
    ------
    DtypeError
        It is no dtype of real numbers.
    """
    if dtype.kind not in "fiub":
        raise DtypeError(f"{name} cannot take {dtype}")
    return dtype if dtype.kind == "f" else np.dtype("float64")


def as_wide(name: str, a: Any) -> tuple[np.ndarray, np.dtype]:
    """Give an array to sum in, and the dtype of the result: sums outgrow float16, as in NumPy."""
    array = np.asarray(a)
    dtype = float_dtype(name, array.dtype)
    return array.astype(dtype if dtype.itemsize > 2 else "float32", copy=False), dtype


def _mean(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    array, dtype = as_wide("mean", a)
    axes = None if axis is None else normal_axes(axis, array.ndim)
    total = _fold(array, axes, keepdims=keepdims)
    size = int(folded(array.shape, axis))
    return np.true_divide(total, size, dtype=array.dtype).astype(dtype)


def _mean_into(out: np.ndarray, a: Any, axis: Axis = None, keepdims: bool = False) -> None:
    array = np.asarray(a)
    if array.dtype != out.dtype or out.dtype.itemsize < 4:
        out[...] = _mean(a, axis, keepdims)
        return
    axes = None if axis is None else normal_axes(axis, array.ndim)
    _fold(array, axes, keepdims=keepdims, out=out)
    np.true_divide(out, int(folded(array.shape, axis)), out=out)


def _mean_back(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    share = div(g, cast_count(folded(a.shape, axis), g))
    return spread(share, a, axis)


def cast_count(number: Size, like: Any) -> Any:
    """Give a count for arithmetic with a tensor; an open one is measured when the graph runs."""
    return number if isinstance(number, int) else measure(like, size=number)


measure: Operator = Operator(
    "measure", lambda a, size: np.asarray(size, np.asarray(a).dtype),
    lambda a, size: TensorType((), a.dtype), operands=1, kind=Kind.OPAQUE, family="shape",
    flops=lambda result, a, size: 0,
    samples=with_params(((2, 3), {"size": 3}), ((), {"size": 1}), ((0,), {"size": 0})),
    doc="a size as a number of a's dtype: how a graph reads a size that is open until it runs",
)  # fmt: skip


def _extreme(name: str, ufunc: np.ufunc) -> Operator:
    def compute(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
        array = np.asarray(a)
        if folded(array.shape, axis) == 0:
            raise nothing_to_reduce(name, array.shape, axis)
        axes = None if axis is None else normal_axes(axis, array.ndim)
        return ufunc.reduce(array, axes, keepdims=keepdims)

    def into(out: np.ndarray, a: Any, axis: Axis = None, keepdims: bool = False) -> None:
        axes = None if axis is None else normal_axes(axis, np.ndim(a))
        ufunc.reduce(a, axes, keepdims=keepdims, out=out)

    def back(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
        reached = cast(equal(a, spread(y, a, axis)), dtype=g.dtype.name)
        ties = sum_(reached, axis=axis, keepdims=keepdims)
        return spread(div(g, ties), a, axis) * reached

    word = "largest" if name == "max" else "smallest"
    return Operator(
        name, compute, infer_reduction(name, lambda dtype: dtype, nonempty=True), operands=1,
        kind=Kind.REDUCTION, family="reduction", flops=lambda result, a, **params: a.size,
        gradient=(back,), saves=("ay",), samples=with_params(*AXES), into=into,
        doc=f"the {word} element along axes; elements that tie share the gradient evenly",
    )  # fmt: skip


AXES: tuple[tuple[Any, ...], ...] = (
    ((2, 3), {}), ((), {}), ((2, 3), {"axis": 0}), ((2, 3, 4), {"axis": (0, -1)}),
    ((2, 3), {"axis": -1, "keepdims": True}), ((0, 3), {"axis": 1}), ((1, 4), {"axis": 1}),
)  # fmt: skip
sum_: Operator = Operator(
    "sum", _sum,
    infer_reduction("sum", _sum_dtype), operands=1, kind=Kind.REDUCTION, family="reduction",
    flops=lambda result, a, **params: a.size, samples=with_params(*AXES, ((0,), {})),
    gradient=(lambda g, y, a, axis=None, keepdims=False: spread(g, a, axis),),
    doc="the sum of the elements along axes, of all by default; 0 over none", into=_sum_into,
)  # fmt: skip
mean: Operator = Operator(
    "mean", quiet(_mean), infer_reduction("mean", partial(float_dtype, "mean")),
    operands=1, kind=Kind.REDUCTION, family="reduction",
    flops=lambda result, a, **params: a.size + result.size,
    gradient=(_mean_back,), samples=with_params(*AXES), into=_mean_into,
    doc="the mean of the elements along axes; nan over none",
)  # fmt: skip
max_: Operator = _extreme("max", np.maximum)
min_: Operator = _extreme("min", np.minimum)


def _logical(name: str, ufunc: np.ufunc, doc: str) -> Operator:
    def compute(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
        axes = None if axis is None else normal_axes(axis, np.ndim(a))
        return ufunc.reduce(np.asarray(a) != 0, axes, keepdims=keepdims)

    return Operator(
        name, compute, infer_reduction(name, lambda dtype: np.dtype(bool)), operands=1,
        kind=Kind.REDUCTION, family="reduction", flops=lambda result, a, **params: 0, doc=doc,
        samples=with_params(*AXES, ((0,), {})),
    )  # fmt: skip


any_: Operator = _logical("any", np.logical_or, "whether some element along axes is not 0")
all_: Operator = _logical("all", np.logical_and, "whether no element along axes is 0")
