"""NumPy's functions said in cgkit: one plain table, for Tensors where NumPy takes arrays.

    CALLS["sum"](x, axis=0, keepdims=True)  ─>  ops.sum(x, axis=0, keepdims=True)

Parameters have NumPy's names. A name that is not here has no cgkit function; shapes, joining and
parting stand in `numpy_shapes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.conformance.hips import numpy_shapes as shapes
from cgkit.conformance.hips.nested import mapped
from cgkit.conformance.hips.numpy_shapes import as_array
from cgkit.conformance.hips.tracing import plain

Call = Callable[..., Any]


def _reduced(name: str) -> Call:
    reduction = getattr(ops, name)

    def call(
        a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False
    ) -> Any:
        axis = tuple(axis) if isinstance(axis, list) else axis
        x = as_array(a) if dtype is None else ops.cast(as_array(a), dtype=np.dtype(dtype).name)
        return reduction(x, axis=axis, keepdims=keepdims)

    return call


def _extreme(name: str) -> Call:
    reduction = getattr(ops, name)

    def call(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Any:
        return reduction(as_array(a), axis=axis, keepdims=keepdims)

    return call


def _spread(name: str) -> Call:
    reduction = getattr(ops, name)

    def call(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        ddof: float = 0,
        keepdims: bool = False,
    ) -> Any:
        return reduction(as_array(a), axis=axis, correction=ddof, keepdims=keepdims)

    return call


def _about(name: str) -> Call:
    """Make a question whose answer has no slope: NumPy answers it."""
    theirs = getattr(np, name)
    return lambda *args, **params: theirs(*mapped(args, plain), **mapped(params, plain))


def _elementwise(name: str) -> Call:
    operator = getattr(ops, name)
    return lambda *xs: operator(*map(as_array, xs))


def _running(name: str) -> Call:
    operator = getattr(ops, name)

    def call(a: Any, axis: int | None = None) -> Any:
        a = as_array(a)
        return operator(a.reshape((-1,)), axis=0) if axis is None else operator(a, axis=axis)

    return call


def _dot(a: Any, b: Any) -> Any:
    a, b = as_array(a), as_array(b)
    return ops.dot(a, b) if a.ndim and b.ndim else a * b


def _inner(a: Any, b: Any) -> Any:
    a, b = as_array(a), as_array(b)
    return _tensordot(a, b, ((-1,), (-1,))) if a.ndim and b.ndim else a * b


def _outer(a: Any, b: Any) -> Any:
    return as_array(a).reshape((-1, 1)) * as_array(b).reshape((1, -1))


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sum products over pairs of axes, by their letters."""
    a, b = as_array(a), as_array(b)
    if isinstance(axes, int):
        axes = (range(a.ndim - axes, a.ndim), range(axes))
    first, second = ([x] if isinstance(x, int) else list(x) for x in axes)
    left = [chr(97 + i) for i in range(a.ndim)]
    right = [chr(65 + i) for i in range(b.ndim)]
    for i, j in zip(first, second, strict=True):
        right[j] = left[i]
    shared = {left[i] for i in first}
    result = [letter for letter in (*left, *right) if letter not in shared]
    return ops.einsum(a, b, equation=f"{''.join(left)},{''.join(right)}->{''.join(result)}")


def _kron(a: Any, b: Any) -> Any:
    a, b = as_array(a), as_array(b)
    ndim = max(a.ndim, b.ndim)
    one, two = ((1,) * (ndim - x.ndim) + tuple(x.shape) for x in (a, b))
    wide = a.reshape([n for size in one for n in (size, 1)])
    tall = b.reshape([n for size in two for n in (1, size)])
    return (wide * tall).reshape([m * n for m, n in zip(one, two, strict=True)])


def _einsum(*operands: Any) -> Any:
    """Take an equation and operands, or operands each with the numbers of its axes."""
    if isinstance(operands[0], str):
        return ops.einsum(*map(as_array, operands[1:]), equation=operands[0].replace(" ", ""))
    arrays, axes = operands[: len(operands) // 2 * 2 : 2], operands[1::2]
    terms = ["".join("..." if n is ... else chr(97 + n) for n in each) for each in axes]
    equation = ",".join(terms)
    if len(operands) % 2:
        equation += "->" + "".join("..." if n is ... else chr(97 + n) for n in operands[-1])
    return ops.einsum(*map(as_array, arrays), equation=equation)


def _cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = ops.moveaxis(as_array(a), axisa, 0), ops.moveaxis(as_array(b), axisb, 0)
    turns = ((1, 2), (2, 0), (0, 1))
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in turns]
    return ops.moveaxis(ops.stack(*parts, axis=0), 0, axisc)


def _clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    return ops.clip(as_array(a), a_min, a_max)


def _where(condition: Any, x: Any, y: Any) -> Any:
    return ops.where(as_array(condition), as_array(x), as_array(y))


def _select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    found = as_array(default)
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        found = _where(condition, choice, found)
    return found


def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    for _ in range(n):
        size = a.shape[axis]
        later = shapes.cut(a, axis, min(1, size), None)
        a = later - shapes.cut(a, axis, 0, size - 1 if size else 0)
    return a


def _gradient(a: Any, axis: Any = None) -> Any:
    """Give central differences, one-sided at the ends."""
    axes = range(a.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    found = []
    for each in axes:
        inside = (shapes.cut(a, each, 2, None) - shapes.cut(a, each, 0, -2)) / 2.0
        first = shapes.cut(a, each, 1, 2) - shapes.cut(a, each, 0, 1)
        last = shapes.cut(a, each, -1, None) - shapes.cut(a, each, -2, -1)
        found.append(ops.concat(first, inside, last, axis=each))
    return found[0] if len(found) == 1 else tuple(found)


def _norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """Give lengths of vectors, and Frobenius' of matrices; other norms of matrices are not here."""
    x = as_array(x)
    matrix = isinstance(axis, tuple) or (axis is None and x.ndim == 2)
    if matrix and ord not in (None, "fro"):
        raise NotImplementedError(f"no norm {ord!r} of matrices")
    if x.ndim == 1 and axis is None:
        axis = 0
    return ops.norm(x, order=2 if matrix or ord is None else float(ord), axis=axis)


def _logaddexp2(a: Any, b: Any) -> Any:
    return ops.logaddexp(as_array(a) * math.log(2), as_array(b) * math.log(2)) / math.log(2)


def _sinc(x: Any) -> Any:
    y = x * math.pi
    zero = ops.equal(y, 0.0)
    return ops.where(zero, 1.0 - y * y / 6.0, ops.sin(y) / ops.where(zero, 1.0, y))


def _nan_to_num(x: Any) -> Any:
    limit = np.finfo(x.dtype).max
    return ops.clip(ops.where(ops.isnan(x), 0.0, x), -limit, limit)


def _linspace(start: Any, stop: Any, num: int = 50) -> Any:
    return start + (stop - start) * (np.arange(num) / max(num - 1, 1))


def _sort(a: Any, axis: int = -1) -> Any:
    return ops.sort(a, axis=axis)


def _imag(x: Any) -> Any:
    return x * 0.0


ABOUT = (
    "all", "allclose", "any", "argmax", "argmin", "argsort", "array_equal", "iscomplex",
    "iscomplexobj", "isclose", "isrealobj", "zeros_like", "ones_like",
)  # fmt: skip
CALLS: Mapping[str, Call] = MappingProxyType({
    **shapes.CALLS,
    **{name: _about(name) for name in ABOUT},
    **{name: _reduced(name) for name in ("sum", "mean", "prod")},
    **{name: _extreme(given) for given, names in (
        ("max", ("max", "amax")), ("min", ("min", "amin")),
    ) for name in names},
    "var": _spread("var"),
    "std": _spread("std"),
    **{name: _elementwise(given) for name, given in {
        "abs": "abs", "absolute": "abs", "fabs": "abs", "add": "add", "arccos": "acos",
        "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
        "arctan2": "atan2", "arctanh": "atanh", "ceil": "ceil", "cos": "cos", "cosh": "cosh",
        "divide": "div", "equal": "equal", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
        "floor": "floor", "fmax": "maximum", "fmin": "minimum", "greater": "greater",
        "greater_equal": "greater_equal", "hypot": "hypot", "isfinite": "isfinite",
        "isinf": "isinf", "isnan": "isnan", "less": "less", "less_equal": "less_equal",
        "log": "log", "log10": "log10", "log1p": "log1p", "log2": "log2",
        "logaddexp": "logaddexp", "logical_and": "logical_and", "logical_not": "logical_not",
        "logical_or": "logical_or", "matmul": "matmul", "maximum": "maximum",
        "minimum": "minimum", "mod": "mod", "multiply": "mul", "negative": "neg",
        "not_equal": "not_equal", "power": "pow", "reciprocal": "reciprocal",
        "remainder": "mod", "rint": "round", "round": "round", "around": "round",
        "sign": "sign", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "square": "square",
        "subtract": "sub", "tan": "tan", "tanh": "tanh", "true_divide": "div",
        "trunc": "trunc",
    }.items()},
    "deg2rad": lambda x: x * (math.pi / 180.0),
    "radians": lambda x: x * (math.pi / 180.0),
    "degrees": lambda x: x * (180.0 / math.pi),
    "rad2deg": lambda x: x * (180.0 / math.pi),
    "logaddexp2": _logaddexp2,
    "sinc": _sinc,
    "real": lambda x: x,
    "real_if_close": lambda x: x,
    "conj": lambda x: x,
    "conjugate": lambda x: x,
    "imag": _imag,
    "nan_to_num": _nan_to_num,
    "cumsum": _running("cumsum"),
    "cumprod": _running("cumprod"),
    "dot": _dot,
    "inner": _inner,
    "outer": _outer,
    "tensordot": _tensordot,
    "kron": _kron,
    "einsum": _einsum,
    "cross": _cross,
    "clip": _clip,
    "where": _where,
    "select": _select,
    "diff": _diff,
    "gradient": _gradient,
    "linspace": _linspace,
    "sort": _sort,
    "partition": lambda a, kth, axis=-1: _sort(a, axis),
    "linalg.norm": _norm,
})  # fmt: skip
"""NumPy's names, each with a function of Tensors."""
