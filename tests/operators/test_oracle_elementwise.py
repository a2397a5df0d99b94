"""Elementwise operators against torch: values, slopes and second slopes, near and far.

ordinary numbers, fresh ones each run      as close as float64 allows
inf, nan, zeros, denormals, huge numbers   the same, or a reason stands in ON_PURPOSE
"""

import secrets

import numpy as np
import pytest

from cgkit import Tensor, grad, ops

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle
functional = torch.nn.functional

FRESH = secrets.randbelow(10**6)
SEEDS = [1, pytest.param(FRESH, id="fresh")]

SAME_NAME = (
    "floor", "ceil", "trunc", "round", "square", "reciprocal", "rsqrt", "exp2", "expm1", "log1p",
    "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh",
    "atanh", "erf", "erfc", "exp", "log", "sqrt", "abs", "sign", "relu", "sigmoid", "tanh",
)  # fmt: skip
ONE = {
    **{name: getattr(torch, name) for name in SAME_NAME},
    "leaky_relu": functional.leaky_relu, "elu": functional.elu, "celu": functional.celu,
    "selu": functional.selu, "softplus": functional.softplus, "softsign": functional.softsign,
    "silu": functional.silu, "mish": functional.mish, "gelu": functional.gelu,
    "relu6": functional.relu6, "hard_tanh": functional.hardtanh,
    "hard_sigmoid": functional.hardsigmoid, "hard_swish": functional.hardswish,
    "shrink": functional.hardshrink,
}  # fmt: skip
TWO = {
    "hypot": torch.hypot, "atan2": torch.atan2, "logaddexp": torch.logaddexp,
    "mod": torch.remainder, "fmod": torch.fmod, "maximum": torch.maximum,
    "minimum": torch.minimum, "clip": torch.clamp, "div": torch.div, "pow": torch.pow,
    "floor_div": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "prelu": lambda a, b: torch.where(a > 0, a, a * b),
}  # fmt: skip
SETTINGS = {
    "leaky_relu": ({"alpha": 0.3}, {"negative_slope": 0.3}),
    "elu": ({"alpha": 0.7}, {"alpha": 0.7}),
    "celu": ({"alpha": 0.5}, {"alpha": 0.5}),
    "gelu": ({"approximate": "tanh"}, {"approximate": "tanh"}),
}
DOMAIN = {
    "rsqrt": (0.1, 5), "log": (0.1, 5), "log2": (0.1, 5), "log10": (0.1, 5), "sqrt": (0.1, 5),
    "log1p": (-0.9, 5), "asin": (-0.95, 0.95), "acos": (-0.95, 0.95), "atanh": (-0.95, 0.95),
    "acosh": (1.05, 5), "tan": (-1.4, 1.4), "pow": (0.1, 4), "clip": (0.1, 4),
}  # fmt: skip
ROUNDED = {"hard_sigmoid": 1e-7}  # torch has 1/6 as a float32
ONCE = ("hard_sigmoid", "hard_swish")  # torch has no second derivative of these
SPECIAL = np.array([
    np.inf, -np.inf, np.nan, 0.0, -0.0, 5e-324, 1e-310, 1e-5, -1e-5, 0.5, -0.5, 1, -1, 2, -2, 3, -3,
    6, 8, -8, 20, -20, 40, -40, 1e3, -1e3, 1e10, -1e10, 1e200, -1e200,
])  # fmt: skip

NAN = "a slope at nan is nan here"
EDGE = "on the edge of a clip the slope is 1 here"
LIMIT = "torch has nan where there is a limit"
ON_PURPOSE = {
    ("relu", 1): NAN, ("relu", 2): NAN, ("abs", 1): NAN, ("sign", 0): NAN, ("leaky_relu", 1): NAN,
    ("maximum", 1): NAN, ("maximum", 2): NAN, ("minimum", 1): NAN, ("minimum", 2): NAN,
    ("prelu", 3): NAN,
    ("relu6", 1): EDGE, ("relu6", 2): NAN, ("hard_tanh", 1): EDGE, ("hard_tanh", 2): NAN,
    ("hard_sigmoid", 1): EDGE, ("hard_swish", 1): EDGE,
    ("softsign", 1): LIMIT, ("mish", 2): LIMIT, ("gelu", 2): LIMIT, ("logaddexp", 3): LIMIT,
    ("logaddexp", 4): LIMIT, ("prelu", 1): LIMIT, ("prelu", 2): LIMIT, ("pow", 3): LIMIT,
    ("pow", 4): LIMIT,
    ("acosh", 1): "outside the domain the slope is nan, as the value is",
    ("acosh", 2): "outside the domain the slope is nan, as the value is",
    ("elu", 2): "at the corner the second slope is half of each side's",
    ("celu", 2): "at the corner the second slope is half of each side's",
    ("selu", 2): "at the corner the second slope is half of each side's",
    ("softplus", 2): "torch is relu from 20 on",
    ("hypot", 1): "the slope of a length of 0 is 0 here", ("hypot", 2): "the same",
    ("hypot", 3): "the same", ("hypot", 4): "the same",
    ("atan2", 1): "torch has 0 wherever 1 over the square overflows",
    ("atan2", 2): "the same", ("atan2", 3): LIMIT, ("atan2", 4): LIMIT,
    ("mod", 0): "torch has nan where the quotient is too large", ("fmod", 0): "the same",
    ("fmod", 3): "nan comes through here", ("fmod", 4): "the same",
    ("shrink", 1): NAN,
}  # fmt: skip


def ours(fn, *arrays, second=True):
    """Give the value, the slopes, and the slopes of their sum."""
    points = [Tensor(x, dtype="float64", requires_grad=True) for x in arrays]
    y = fn(*points)
    first = grad(y.sum(), points, create_graph=True, materialize_grads=True)
    total = sum((g.sum() for g in first), Tensor(0.0))
    again = grad(total, points, materialize_grads=True) if total.requires_grad else None
    zeros = [Tensor(np.zeros_like(x)) for x in arrays]
    return [x.data for x in (y, *first, *((again or zeros) if second else ()))]


def theirs(fn, *arrays, second=True):
    points = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in arrays]
    y = fn(*points)
    first = torch.autograd.grad(y.sum(), points, create_graph=second, materialize_grads=True)
    total = sum(g.sum() for g in first)
    again = [torch.zeros_like(x) for x in points]
    if second and total.requires_grad:
        again = torch.autograd.grad(total, points, materialize_grads=True)
    return [x.numpy(force=True) for x in (y, *first, *(again if second else ()))]


def differing(name, fn, arrays, mine=None, **tolerance):
    second = name not in ONCE
    with np.errstate(all="ignore"):
        a = ours(mine or getattr(ops, name), *arrays, second=second)
        b = theirs(fn, *arrays, second=second)
    wrong = [~np.isclose(x, y, equal_nan=True, **tolerance) for x, y in zip(a, b, strict=True)]
    return {i: (arrays, a[i], b[i], where) for i, where in enumerate(wrong) if where.any()}


def describe(found):
    lines = []
    for i, (arrays, a, b, where) in found.items():
        at = np.argwhere(where)[0]
        place = tuple(at)
        lines.append(f"{i}: at {[x[place] for x in arrays]}: {a[place]}, torch {b[place]}")
    return "\n".join(lines)


def draw(name, seed, count):
    low, high = DOMAIN.get(name, (-4, 4))
    return list(np.random.default_rng(seed).uniform(low, high, (count, 300)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_ordinary_numbers(name, seed):
    fn = {**ONE, **TWO}[name]
    arrays = draw(name, seed, 1 if name in ONE else 2)
    found = differing(name, fn, arrays, rtol=ROUNDED.get(name, 1e-8), atol=1e-9)
    assert not found, describe(found)


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name):
    mine, his = SETTINGS[name]
    found = differing(
        name, lambda x: ONE[name](x, **his), draw(name, FRESH, 1), rtol=1e-8, atol=1e-10,
        mine=lambda x: getattr(ops, name)(x, **mine),
    )  # fmt: skip
    assert not found, describe(found)


@pytest.mark.parametrize("name", sorted({*ONE, *TWO} - {"clip"}))
def test_special_numbers(name):
    fn = {**ONE, **TWO}[name]
    pair = [x.ravel() for x in np.meshgrid(SPECIAL, SPECIAL)]
    found = differing(name, fn, [SPECIAL] if name in ONE else pair, rtol=1e-7, atol=1e-9)
    excused = {place for excuse, place in ON_PURPOSE if excuse == name}
    rest = {place: found[place] for place in found.keys() - excused}
    assert not rest, describe(rest)
    assert found.keys() == excused, "torch agrees by now: drop the excuse"


def test_clip_differs_on_its_edge_only():
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    found = differing("clip", lambda a: torch.clamp(a, -1.0, 1.0), [x],
                      mine=lambda a: ops.clip(a, -1.0, 1.0), rtol=0, atol=0)  # fmt: skip
    assert not found, describe(found)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", sorted({*ONE, *TWO} - {"mod", "fmod", "floor_div"}))
def test_narrow_floats(name, dtype):
    fn = {**ONE, **TWO}[name]
    arrays = [x.astype(dtype) for x in draw(name, 3, 1 if name in ONE else 2)]
    expected = fn(*(torch.tensor(x).double() for x in arrays)).numpy()
    found = getattr(ops, name)(*arrays)
    assert found.dtype == dtype
    rtol = 2e-6 if dtype == "float32" else 4e-3
    np.testing.assert_allclose(found.astype(float), expected, rtol=rtol, atol=rtol)
