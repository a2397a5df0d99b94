"""What neural networks bend numbers with; relu, sigmoid and tanh are in `elementwise`.

    relu __/   leaky_relu --/   elu, celu, selu, softplus .-/   gelu, silu, mish ╰/   hard_tanh _/‾

An activation with a stable formula or a convention of its own is an operator; one that consists of
straight pieces is a function of `clip` and arithmetic. At a corner the slope is the left one, on
the edge of a `clip` the inner one, and at nan every slope is nan, unless the piece there is flat.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cgkit import scalars
from cgkit.errors import OperandError
from cgkit.node import Kind, Operator, Rule, Samples
from cgkit.operators import error_function
from cgkit.operators.elementwise import (
    abs_,
    add,
    as_floats,
    div,
    elementwise,
    exp,
    gate,
    greater,
    infer_like,
    less_equal,
    mul,
    neg,
    one_each,
    quiet,
    sigmoid,
    sign,
    tanh,
    where,
)
from cgkit.operators.powers import erfc, square
from cgkit.operators.rounding import at_most, clip
from cgkit.operators.samples import pairs, reals, settings, triples, values
from cgkit.operators.settings import as_number
from cgkit.speech import spelled
from cgkit.types import TensorType, as_dtype, broadcast_shapes


def _checked(name: str, defaults: Mapping[str, float], params: Mapping[str, Any]) -> None:
    """Demand that settings are numbers, and settings that there are."""
    for key, value in params.items():
        if key not in defaults:
            raise OperandError(f"{name} has no setting {key!r}", attempt=", ".join(defaults))
        as_number(f"the {key} of {name}", value)


def _activation(
    name: str,
    compute: Callable[..., Any],
    gradient: Rule,
    *,
    saves: str,
    doc: str,
    samples: Samples = values,
    onnx: str = "",
    **defaults: float,
) -> Operator:
    """Define an activation of floats; `defaults` are the settings it has, all numbers."""
    plain = infer_like(name, np.exp)

    def infer(a: TensorType, **params: Any) -> TensorType:
        _checked(name, defaults, params)
        found: TensorType = plain(a)
        return found

    def checked(a: Any, **params: Any) -> Any:
        _checked(name, defaults, params)
        return compute(a, **params)

    return elementwise(
        name, np.exp, compute=quiet(checked if defaults else compute),
        infer=spelled(infer, defaults), scalar=getattr(scalars, name),
        family="activation", samples=samples, doc=doc, gradient=(gradient,), saves=(saves,),
        onnx=onnx,
    )  # fmt: skip


def _infer_leak(g: TensorType, a: TensorType, b: TensorType) -> TensorType:
    for each in (g, a, b):
        as_dtype(each.dtype)
    return TensorType(broadcast_shapes(g.shape, a.shape, b.shape), g.dtype)


def _leak(g: Any, a: Any, b: Any) -> Any:
    sloped = np.where(np.isnan(a), a, np.multiply(g, b))
    return np.asarray(np.where(np.greater(a, 0), g, sloped), np.asarray(g).dtype)


leak: Operator = Operator(
    "leak", quiet(_leak), _infer_leak, operands=3, kind=Kind.ELEMENTWISE, flops=one_each,
    family="activation", samples=triples, scalar=scalars.leak,
    doc="g where a is positive, else g times b: the gradient of leaky_relu",
    gradient=(
        lambda g, y, h, a, b: leak(g, a, b),
        lambda g, y, h, a, b: gate(g, -1.0),
        lambda g, y, h, a, b: where(greater(a, 0), 0.0, g * h),
    ),
    saves=("bc", "", "ab"),
)  # fmt: skip


def _leaky_relu(a: Any, alpha: float = 0.01) -> Any:
    x = as_floats(a)
    return np.where(np.greater(x, 0), x, x * alpha)


leaky_relu: Operator = _activation(
    "leaky_relu", _leaky_relu, lambda g, y, a, alpha=0.01: leak(g, a, alpha),
    saves="a", samples=settings(reals, {"alpha": 0.3}), alpha=0.01,
    doc="a where it is positive, else alpha times a",
)  # fmt: skip
prelu: Operator = elementwise(
    "prelu", np.multiply, compute=quiet(lambda a, b: np.where(np.greater(a, 0), a, a * b)),
    scalar=scalars.prelu, family="activation", samples=pairs,
    doc="a where it is positive, else a times b, a slope that is learned",
    gradient=(lambda g, y, a, b: leak(g, a, b), lambda g, y, a, b: g * at_most(a, 0.0)),
    saves=("ab", "a"), onnx="PRelu",
)  # fmt: skip


def _elu(a: Any, alpha: float = 1.0) -> Any:
    x = as_floats(a)
    return np.where(np.greater(x, 0), x, np.expm1(x) * alpha)


def _celu(a: Any, alpha: float = 1.0) -> Any:
    x = as_floats(a)
    return np.where(np.greater(x, 0), x, np.expm1(x / alpha) * alpha)


def _selu(a: Any, alpha: float = scalars.SELU_ALPHA, scale: float = scalars.SELU_SCALE) -> Any:
    return _elu(a, alpha) * scale


def _bent(g: Any, a: Any, slope: Callable[[Any], Any]) -> Any:
    """Give g where a is positive, else g times a slope there."""
    return where(greater(a, 0), g, g * slope(at_most(a, 0.0)))


elu: Operator = _activation(
    "elu", _elu, lambda g, y, a, alpha=1.0: _bent(g, a, lambda x: exp(x) * alpha),
    saves="a", samples=settings(reals, {"alpha": 0.5}), alpha=1.0,
    doc="a where it is positive, else a curve that levels off at -alpha",
)  # fmt: skip
celu: Operator = _activation(
    "celu", _celu, lambda g, y, a, alpha=1.0: _bent(g, a, lambda x: exp(div(x, alpha))),
    saves="a", samples=settings(reals, {"alpha": 0.5}), alpha=1.0,
    doc="elu with a bend that has no edge at 0, whatever alpha",
)  # fmt: skip
selu: Operator = _activation(
    "selu", _selu,
    lambda g, y, a, alpha=scalars.SELU_ALPHA, scale=scalars.SELU_SCALE: _bent(
        g * scale, a, lambda x: exp(x) * alpha
    ),
    saves="a", samples=settings(reals, {"alpha": 1.5, "scale": 1.1}),
    alpha=scalars.SELU_ALPHA, scale=scalars.SELU_SCALE,
    doc="elu scaled so that layers keep mean 0 and variance 1",
)  # fmt: skip


def _softplus(a: Any) -> Any:
    x = as_floats(a)
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


softplus: Operator = _activation(
    "softplus", _softplus, lambda g, y, a: g * sigmoid(a), saves="a", onnx="Softplus",
    doc="log(1 + e to the a): relu with a round corner",
)  # fmt: skip


def _softsign(a: Any) -> Any:
    x = as_floats(a)
    return x / (1 + np.abs(x))


softsign: Operator = _activation(
    "softsign", _softsign, lambda g, y, a: div(g, square(abs_(a) + 1.0)), saves="a",
    samples=reals, doc="a / (1 + abs(a))", onnx="Softsign",
)  # fmt: skip


def _logistic(x: np.ndarray) -> Any:
    small = np.exp(-np.abs(x))
    return np.where(np.greater_equal(x, 0), 1, small) / (1 + small)


def _silu(a: Any) -> Any:
    x = as_floats(a)
    return x * _logistic(x)


def _silu_back(g: Any, y: Any, a: Any) -> Any:
    s = sigmoid(a)
    return g * (s + a * s * sigmoid(neg(a)))


silu: Operator = _activation("silu", _silu, _silu_back, saves="a", doc="a times sigmoid(a)")


def _mish(a: Any) -> Any:
    x = as_floats(a)
    power = np.exp(-np.abs(x))
    right = x * (1 + 2 * power) / (1 + 2 * power * (1 + power))
    rest = power * (power + 2)
    return np.where(np.greater_equal(x, 0), right, x * rest / (rest + 2))


def _mish_back(g: Any, y: Any, a: Any) -> Any:
    bent = tanh(softplus(a))
    return g * (bent + a * sigmoid(a) * (1.0 - bent * bent))


mish: Operator = _activation(
    "mish", _mish, _mish_back, saves="a", doc="a times tanh(softplus(a))", onnx="Mish"
)

TANH_SCALE = 2 * math.sqrt(2 / math.pi)
TANH_CUBE = 0.044715
ROOT_HALF = math.sqrt(0.5)
BELL_PEAK = 1 / math.sqrt(2 * math.pi)


def _check_form(approximate: Any) -> None:
    if approximate not in ("none", "tanh"):
        raise OperandError(
            f"gelu knows no approximation {approximate!r:.60}", attempt='"none" or "tanh"'
        )


def _infer_gelu(a: TensorType, approximate: str = "none") -> TensorType:
    _check_form(approximate)
    found: TensorType = _like_exp(a)
    return found


def _gelu(a: Any, approximate: str = "none") -> Any:
    _check_form(approximate)
    narrow = as_floats(a)
    x = narrow.astype(np.float64)
    if approximate == "tanh":
        below = _logistic((x + x * x * x * TANH_CUBE) * TANH_SCALE)
    else:
        below = error_function.erfc(x * -ROOT_HALF) * 0.5
    return np.asarray(x * below, narrow.dtype)


def _gelu_back(g: Any, y: Any, a: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        bent = (a + a * a * a * TANH_CUBE) * TANH_SCALE
        slope = (a * a * (3 * TANH_CUBE) + 1.0) * TANH_SCALE
        return g * (sigmoid(bent) + a * slope * sigmoid(bent) * sigmoid(neg(bent)))
    below = erfc(a * -ROOT_HALF) * 0.5
    return g * (below + a * exp(a * a * -0.5) * BELL_PEAK)


_like_exp = infer_like("gelu", np.exp)
gelu: Operator = elementwise(
    "gelu", np.exp, compute=quiet(_gelu), infer=_infer_gelu, scalar=scalars.gelu,
    family="activation", gradient=(_gelu_back,), saves=("a",),
    samples=settings(values, {"approximate": "tanh"}),
    doc="a times the part of a bell curve below a, exactly or by a tanh",
)  # fmt: skip


def swish(a: Any, beta: float = 1.0) -> Any:
    """Multiply a by sigmoid(beta times a): silu where beta is 1.

    Examples
    --------
    >>> swish(np.array([0.0, 2.0]), beta=0.5)
    array([0.        , 1.46211716])
    """
    return mul(a, sigmoid(mul(a, beta)))


def relu6(a: Any) -> Any:
    """Keep elements between 0 and 6.

    Examples
    --------
    >>> relu6(np.array([-1.0, 3.0, 9.0]))
    array([0., 3., 6.])
    """
    return clip(a, 0.0, 6.0)


def hard_tanh(a: Any, low: float = -1.0, high: float = 1.0) -> Any:
    """Keep elements between -1 and 1, if not said otherwise.

    Examples
    --------
    >>> hard_tanh(np.array([-3.0, 0.5]))
    array([-1. ,  0.5])
    """
    return clip(a, low, high)


def hard_sigmoid(a: Any, alpha: float = 1 / 6, beta: float = 0.5) -> Any:
    """Rise from 0 to 1 in a straight line: alpha times a plus beta, clipped.

    Examples
    --------
    >>> hard_sigmoid(np.array([-4.0, 0.0, 1.5]))
    array([0.  , 0.5 , 0.75])
    """
    return clip(add(mul(a, alpha), beta), 0.0, 1.0)


def hard_swish(a: Any) -> Any:
    """Multiply a by hard_sigmoid(a).

    Examples
    --------
    >>> hard_swish(np.array([-4.0, 1.5, 4.0]))
    array([-0.   ,  1.125,  4.   ])
    """
    return mul(a, hard_sigmoid(a))


def thresholded_relu(a: Any, alpha: float = 1.0) -> Any:
    """Give a where it is above alpha, else 0.

    Examples
    --------
    >>> thresholded_relu(np.array([0.5, 1.0, 1.5]))
    array([0. , 0. , 1.5])
    """
    return where(less_equal(a, alpha), 0.0, a)


def shrink(a: Any, limit: float = 0.5, bias: float = 0.0) -> Any:
    """Give 0 within a limit from 0, and bring what lies beyond nearer to 0 by a bias.

    With a bias of 0 this is the hard shrink, with a bias like the limit the soft one.

    Examples
    --------
    >>> shrink(np.array([-2.0, 0.3, 2.0]), bias=0.5)
    array([-1.5,  0. ,  1.5])
    """
    return where(less_equal(abs_(a), limit), 0.0, a - mul(sign(a), bias))


COMPOSED = (
    swish, relu6, hard_tanh, hard_sigmoid, hard_swish, thresholded_relu, shrink,
)  # fmt: skip
