"""Elementwise operators: element i of the result needs element i of each operand.

    (3, 1) ─┐
            ├─> add ─> (3, 4)         operands of unlike shapes are stretched by NumPy's rule
       (4,) ─┘

Each gradient is the derivative at one element times `g`, the gradient that arrives; autodiff sums
it back to the operand's own shape. Where a derivative does not exist the choice is a convention:
ties of maximum share evenly, relu and abs have 0 at 0, x**0 has 0 at 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from cgkit import scalars
from cgkit.errors import DtypeError
from cgkit.node import Family, Kind, Operator, Rule, Samples
from cgkit.operators.operands import as_operand
from cgkit.operators.samples import (
    casts,
    conditions,
    pairs,
    positive_pairs,
    positives,
    reals,
    settings,
    triples,
    values,
)  # fmt: skip
from cgkit.types import Size, TensorType, as_dtype, broadcast_shapes, promote


def one_each(result: TensorType, *operands: TensorType, **params: Any) -> Size:
    """Count one floating-point operation for each element of the result."""
    return result.size


def no_flops(result: TensorType, *operands: TensorType, **params: Any) -> Size:
    """Count nothing: data are moved, not computed."""
    return 0


def quiet(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Compute without warnings: inf and nan in the result say it all."""
    return np.errstate(all="ignore")(compute)


def into_memory(ufunc: np.ufunc) -> Callable[..., Any]:
    """Give a NumPy function as what computes into memory that is given."""
    return lambda out, *arrays: ufunc(*arrays, out=out)


def infer_like(name: str, ufunc: np.ufunc) -> Rule:
    """Infer as NumPy's function does: broadcast the shapes, resolve the dtypes."""

    @lru_cache(maxsize=256)
    def resolve(*dtypes: np.dtype) -> np.dtype:
        try:
            if any(dtype.kind not in "fiubc" for dtype in dtypes):
                raise TypeError
            return ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout))[-1]
        except TypeError:
            other = any(dtype.kind in "fb" for dtype in dtypes)
            raise DtypeError(
                f"{name} cannot take {', '.join(map(str, dtypes))}",
                attempt='ops.cast(x, dtype="int64")' * other,
            ) from None

    def infer(*types: TensorType) -> TensorType:
        dtype = resolve(*(t.dtype for t in types))
        return TensorType(broadcast_shapes(*(t.shape for t in types)), dtype)

    return infer


def elementwise(
    name: str,
    ufunc: np.ufunc,
    *,
    gradient: tuple[Rule | None, ...] | None,
    doc: str,
    samples: Samples,
    compute: Callable[..., Any] | None = None,
    infer: Rule | None = None,
    saves: tuple[str, ...] = (),
    scalar: Callable[..., Any] | None = None,
    label: str = "",
    family: Family = "elementwise",
    onnx: str = "",
    into: Callable[..., Any] | None = None,
) -> Operator:
    """Define an elementwise operator by a NumPy function that has its shapes and dtypes."""
    if compute is None or getattr(compute, "__wrapped__", None) is ufunc:
        into = into_memory(ufunc)
    return Operator(
        name, compute or ufunc, infer or infer_like(name, ufunc), operands=ufunc.nin,
        gradient=gradient, saves=saves, kind=Kind.ELEMENTWISE, family=family, scalar=scalar,
        flops=one_each, label=label, samples=samples, doc=doc, onnx=onnx,
        into=into,
    )  # fmt: skip


def _pow(a: Any, b: Any) -> Any:
    try:
        return np.power(a, b)
    except ValueError as error:
        if "negative integer powers" not in str(error):
            raise
        raise DtypeError(
            f"pow cannot raise {np.asarray(a).dtype} to a negative whole number",
            why="the result would be no whole number",
            attempt="a float on either side: x ** -1.0",
        ) from None


def _lowered(b: Any) -> Any:
    """Give the power of the slope: one less, and no other than 0 where it is 0."""
    if getattr(b, "dtype", None) == np.bool_:
        return 0  # truth values, which NumPy does not subtract, are 0 or 1
    return b - (b != 0)


add: Operator = elementwise(
    "add", np.add, label="+", scalar=lambda a, b: a + b, samples=pairs, doc="a + b",
    onnx="Add",
    gradient=(lambda g, y, a, b: g, lambda g, y, a, b: g),
)  # fmt: skip
sub: Operator = elementwise(
    "sub", np.subtract, label="-", scalar=lambda a, b: a - b, samples=pairs, doc="a - b",
    gradient=(lambda g, y, a, b: g, lambda g, y, a, b: neg(g)), onnx="Sub",
)  # fmt: skip
mul: Operator = elementwise(
    "mul", np.multiply, label="\u00d7", scalar=lambda a, b: a * b, samples=pairs, doc="a * b",
    gradient=(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a), saves=("b", "a"), onnx="Mul",
)  # fmt: skip
div: Operator = elementwise(
    "div", np.divide, compute=quiet(np.divide), label="÷", scalar=scalars.divide,
    samples=positive_pairs, doc="a / b",
    gradient=(lambda g, y, a, b: div(g, b), lambda g, y, a, b: neg(g * div(div(a, b), b))),
    saves=("b", "ab"),
)  # fmt: skip
neg: Operator = elementwise(
    "neg", np.negative, label="-", scalar=lambda a: -a, samples=reals, doc="-a",
    gradient=(lambda g, y, a: neg(g),), onnx="Neg",
)  # fmt: skip
exp: Operator = elementwise(
    "exp", np.exp, compute=quiet(np.exp), scalar=scalars.exp, samples=values, doc="e to the a",
    gradient=(lambda g, y, a: g * y,), saves=("y",), onnx="Exp",
)  # fmt: skip
log: Operator = elementwise(
    "log", np.log, compute=quiet(np.log), scalar=scalars.log, samples=positives,
    doc="the natural logarithm of a", gradient=(lambda g, y, a: div(g, a),), saves=("a",),
    onnx="Log",
)  # fmt: skip
sqrt: Operator = elementwise(
    "sqrt", np.sqrt, compute=quiet(np.sqrt), scalar=scalars.sqrt, samples=positives,
    doc="the square root of a; its derivative at 0 is inf",
    gradient=(lambda g, y, a: div(g, y + y),), saves=("y",), onnx="Sqrt",
)  # fmt: skip
pow_: Operator = elementwise(
    "pow", np.power, compute=quiet(_pow), scalar=scalars.power, samples=positive_pairs,
    doc="a to the b", into=into_memory(np.power),
    gradient=(
        lambda g, y, a, b: where(equal(b, 0), 0.0, g * b * pow_(a, _lowered(b))),
        lambda g, y, a, b: g * y * log(where(equal(a, 0) * greater_equal(b, 0), 1.0, a)),
    ),
    saves=("ab", "aby"),
)  # fmt: skip
abs_: Operator = elementwise(
    "abs", np.absolute, scalar=lambda a: a if a > 0 or a != a else 0 - a, samples=reals,
    doc="a without its sign; its derivative at 0 is 0",
    gradient=(lambda g, y, a: g * sign(a),), saves=("a",), onnx="Abs",
)  # fmt: skip
sign: Operator = elementwise(
    "sign", np.sign, scalar=scalars.sign, samples=reals, doc="1, 0 or -1; nan stays nan",
    gradient=(lambda g, y, a: gate(g, -1.0),), onnx="Sign",
)  # fmt: skip
maximum: Operator = elementwise(
    "maximum", np.maximum, label="max", scalar=scalars.maximum, samples=pairs,
    doc="the larger of a and b; where they are equal each gets half of the gradient",
    gradient=(lambda g, y, a, b: share(g, a, b), lambda g, y, a, b: share(g, b, a)),
    saves=("ab", "ab"), onnx="Max",
)  # fmt: skip
minimum: Operator = elementwise(
    "minimum", np.minimum, label="min", scalar=scalars.minimum, samples=pairs,
    doc="the smaller of a and b; where they are equal each gets half of the gradient",
    gradient=(lambda g, y, a, b: share(g, b, a), lambda g, y, a, b: share(g, a, b)),
    saves=("ab", "ab"), onnx="Min",
)  # fmt: skip


def comparison(name: str, ufunc: np.ufunc, label: str, doc: str, *, onnx: str = "") -> Operator:
    """Define a comparison: its result is boolean and has no gradient."""
    return elementwise(
        name, ufunc, label=label, gradient=None, samples=pairs, doc=doc,
        scalar=lambda a, b: bool(ufunc(a, b)), onnx=onnx,
    )  # fmt: skip


less: Operator = comparison("less", np.less, "<", "whether a < b", onnx="Less")
less_equal: Operator = comparison(
    "less_equal", np.less_equal, "≤", "whether a <= b", onnx="LessOrEqual"
)
greater: Operator = comparison("greater", np.greater, ">", "whether a > b", onnx="Greater")
greater_equal: Operator = comparison(
    "greater_equal", np.greater_equal, "≥", "whether a >= b", onnx="GreaterOrEqual"
)
equal: Operator = comparison("equal", np.equal, "=", "whether a == b", onnx="Equal")
not_equal: Operator = comparison("not_equal", np.not_equal, "≠", "whether a != b")


def as_floats(a: Any) -> np.ndarray:
    """Give an operand as an array of floats: whole numbers become what exp makes of them."""
    array = np.asarray(a)
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind == "c":
        raise DtypeError(f"real numbers are needed here, not {array.dtype}")
    return array.astype(np.exp.resolve_dtypes((array.dtype, None))[-1])


def _relu(a: Any) -> Any:
    if np.asarray(a).dtype == np.bool_:
        raise DtypeError("relu cannot take bool", attempt="a cast to a number first")
    return np.maximum(a, np.zeros((), np.asarray(a).dtype))


def _relu_into(out: np.ndarray, a: Any) -> None:
    np.maximum(a, np.zeros((), out.dtype), out=out)


def _sigmoid(a: Any) -> Any:
    a = as_floats(a)  # the least of the integers has no absolute value of its own
    small = np.exp(-np.abs(a))
    return np.where(np.greater_equal(a, 0), 1 / (1 + small), small / (1 + small))


relu: Operator = elementwise(
    "relu", np.negative, compute=_relu, scalar=scalars.relu, family="activation", samples=reals,
    into=_relu_into,
    doc="a where it is positive, else 0; its derivative at 0 is 0",
    gradient=(lambda g, y, a: gate(g, y),), saves=("y",), onnx="Relu",
)  # fmt: skip
sigmoid: Operator = elementwise(
    "sigmoid", np.exp, compute=quiet(_sigmoid), scalar=scalars.sigmoid, family="activation",
    samples=values, doc="1 / (1 + e to the -a)",
    gradient=(lambda g, y, a: g * y * (1.0 - y),), saves=("y",), onnx="Sigmoid",
)  # fmt: skip
tanh: Operator = elementwise(
    "tanh", np.tanh, scalar=scalars.tanh, family="activation", samples=values,
    doc="the hyperbolic tangent of a", gradient=(lambda g, y, a: g * (1.0 - y * y),), saves=("y",),
    onnx="Tanh",
)  # fmt: skip


def _where(condition: Any, a: Any, b: Any) -> Any:
    if np.asarray(condition).dtype != np.bool_:
        raise DtypeError(f"where needs a boolean condition, got {np.asarray(condition).dtype}")
    return np.where(condition, a, b)


def _where_into(out: np.ndarray, condition: Any, a: Any, b: Any) -> None:
    np.copyto(out, b)
    np.copyto(out, a, where=condition)


def _infer_where(condition: TensorType, a: TensorType, b: TensorType) -> TensorType:
    if condition.dtype != np.bool_:
        raise DtypeError(f"where needs a boolean condition, got {condition.dtype}")
    shape = broadcast_shapes(condition.shape, a.shape, b.shape)
    return TensorType(shape, promote(a.dtype, b.dtype))


where: Operator = Operator(
    "where", _where, _infer_where, operands=3, kind=Kind.ELEMENTWISE, flops=one_each,
    samples=conditions,
    scalar=lambda condition, a, b: a if condition else b,
    doc="a where the condition holds, else b",
    gradient=(
        None,
        lambda g, y, condition, a, b: where(condition, g, 0.0),
        lambda g, y, condition, a, b: where(condition, 0.0, g),
    ),
    saves=("", "a", "a"), onnx="Where", into=_where_into,
)  # fmt: skip


def _gate(g: Any, y: Any) -> Any:
    closed = np.where(np.isnan(y), y, np.zeros((), np.asarray(g).dtype))
    return np.where(np.greater(y, 0), g, closed)


def _gate_into(out: np.ndarray, g: Any, y: Any) -> None:
    if out.dtype != np.result_type(g) or np.result_type(y) != out.dtype:
        out[...] = _gate(g, y)
        return
    np.copyto(out, np.zeros((), out.dtype))
    np.copyto(out, y, where=np.isnan(y))
    np.copyto(out, g, where=np.greater(y, 0))


def _share(g: Any, a: Any, b: Any, tie: float = 0.5) -> Any:
    part = np.where(np.equal(a, b), np.multiply(g, tie), np.multiply(np.less(a, b), 0.0))
    shared = np.where(np.greater(a, b), g, np.where(_unordered(a, b), np.nan, part))
    return np.asarray(shared, np.asarray(g).dtype)


def _unordered(a: Any, b: Any) -> Any:
    return np.isnan(a) | np.isnan(b)


def _infer_gate(g: TensorType, *others: TensorType, tie: float = 0.5) -> TensorType:
    for each in (g, *others):
        as_dtype(each.dtype)
    return TensorType(broadcast_shapes(g.shape, *(t.shape for t in others)), g.dtype)


gate: Operator = Operator(
    "gate", lambda g, y: np.asarray(_gate(g, y), np.asarray(g).dtype),
    lambda g, y: _infer_gate(g, y),
    operands=2, kind=Kind.ELEMENTWISE, flops=one_each, samples=pairs, into=_gate_into,
    scalar=lambda g, y: g if y > 0 else y if y != y else 0.0,
    doc="g where y is positive, else 0: the gradient of relu",
    gradient=(lambda g, y, a, b: gate(g, b), lambda g, y, a, b: gate(g, -1.0)),
    saves=("b", ""),
)  # fmt: skip
share: Operator = Operator(
    "share", quiet(_share), _infer_gate, operands=3, kind=Kind.ELEMENTWISE, flops=one_each,
    samples=settings(triples, {"tie": 1.0}), scalar=scalars.share,
    doc="g where a > b, a part of it, half if not said, where a = b, else 0: maximum's gradient",
    gradient=(
        lambda g, y, h, a, b, tie=0.5: share(g, a, b, tie=tie),
        lambda g, y, h, a, b, tie=0.5: gate(g, -1.0),
        lambda g, y, h, a, b, tie=0.5: gate(g, -1.0),
    ),
    saves=("bc", "", ""),
)  # fmt: skip


def _infer_cast(a: TensorType, dtype: str) -> TensorType:
    return TensorType(a.shape, as_dtype(dtype))


cast: Operator = Operator(
    "cast", quiet(lambda a, dtype: np.asarray(a).astype(as_dtype(dtype))), _infer_cast, operands=1,
    kind=Kind.ELEMENTWISE, flops=no_flops, samples=casts, doc="a in another dtype",
    gradient=(lambda g, y, a, dtype: cast(g, dtype=a.dtype.name),),
    into=lambda out, a, dtype: np.copyto(out, a, casting="unsafe"),
)  # fmt: skip


def cast_like(a: Any, b: Any) -> Any:
    """Give a in the dtype of b.

    Examples
    --------
    >>> cast_like(np.array([1, 0]), np.array(2.5))
    array([1., 0.])
    """
    return cast(a, dtype=as_operand(b).dtype.name)


COMPOSED = (cast_like,)
