"""Random programs in cgkit and in torch: values, gradients, and which error comes when.

    program ─┬─ cgkit ─> values, gradients, a second backward, gradients of gradients
             └─ torch ─> the same, or the same kind of error

Where torch gives an answer and cgkit refuses (a write to a view), refusing is allowed; where cgkit
gives an answer it must be torch's.
"""

import random
import secrets
import warnings
from dataclasses import replace

import numpy as np
import pytest

from cgkit import Tensor, grad, ops
from cgkit.errors import CgkitError
from cgkit.operators.indices import to_python
from cgkit.testing import Program, random_program
from cgkit.testing.array_steps import ARRAY_MAKERS
from cgkit.testing.programs import MAKERS

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore:grad and param do not obey the gradient layout:UserWarning"),
]

FRESH = secrets.randbelow(10**6)
SEEDS = [1, 2, 3, pytest.param(FRESH, id="fresh")]
PROGRAMS = 400
NOT_FINITE = "not finite"
"""A program on which nothing is compared."""


def as_torch(x):
    return x if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float64)


def all_axes(x, axis):
    return tuple(range(x.ndim)) if axis is None else axis


SAME_NAME = (
    "neg", "exp", "log", "sqrt", "abs", "sign", "relu", "sigmoid", "tanh", "atan", "asinh", "erf",
    "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "square", "log1p", "log2", "log10",
    "rsqrt", "reciprocal", "logical_not",
)  # fmt: skip
IN_FUNCTIONAL = ("softsign", "silu", "gelu", "mish", "leaky_relu")
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "less": lambda a, b: a < b,
    "greater": lambda a, b: a > b,
    "maximum": lambda a, b: torch.maximum(as_torch(a), as_torch(b)),
    "minimum": lambda a, b: torch.minimum(as_torch(a), as_torch(b)),
    "matmul": lambda a, b: a @ b,
}
IN_TORCH = {
    **{name: getattr(torch, name) for name in SAME_NAME},
    **{name: getattr(torch.nn.functional, name) for name in IN_FUNCTIONAL},
    "softplus": lambda a: torch.nn.functional.softplus(a, threshold=1e9),  # never relu instead
    "at_least": lambda a, low: torch.clamp(a, min=low),
    "at_most": lambda a, high: torch.clamp(a, max=high),
    "logaddexp": torch.logaddexp,
    **BINARY,
    "where": torch.where,
    "sum": lambda a, axis=None, keepdims=False: torch.sum(a, all_axes(a, axis), keepdims),
    "mean": lambda a, axis=None, keepdims=False: torch.mean(a, all_axes(a, axis), keepdims),
    "max": lambda a, axis=None, keepdims=False: torch.amax(a, all_axes(a, axis), keepdims),
    "min": lambda a, axis=None, keepdims=False: torch.amin(a, all_axes(a, axis), keepdims),
    "reshape": lambda a, shape: a.reshape(shape),
    "transpose": lambda a, axes=None: a.permute(axes or tuple(reversed(range(a.ndim)))),
    "broadcast_to": lambda a, shape: a.broadcast_to(shape).clone(),
    "concat": lambda *parts, axis=0: torch.cat(parts, axis),
    "slice": lambda a, index: a[to_python(index)],
    "index": lambda a, *arrays, index: a[to_python(index, tuple(map(torch.as_tensor, arrays)))],
}


def running_sum(a, axis, exclusive=False, reverse=False):
    line = a.flip(axis) if reverse else a
    sums = line.cumsum(axis) - (line if exclusive else 0.0)
    return sums.flip(axis) if reverse else sums


def padded(a, pads, mode):
    if mode == "constant":
        return torch.nn.functional.pad(a, [n for pair in reversed(pads) for n in pair])
    for axis, pair in enumerate(pads):
        a = a.index_select(axis, torch.as_tensor(np.pad(np.arange(a.shape[axis]), pair, mode)))
    return a


ARRAYS_IN_TORCH = {
    "cumsum": running_sum,
    "pad": padded,
    "cumprod": lambda a, axis: torch.cumprod(a, axis),
    "prod": lambda a, axis: torch.prod(a, axis),
    "softmax": lambda a, axis: torch.softmax(a, axis),
    "log_softmax": lambda a, axis: torch.log_softmax(a, axis),
    "var": lambda a, axis, keepdims=False: torch.var(a, axis, correction=0, keepdim=keepdims),
    "logsumexp": lambda a, axis, keepdims=False: torch.logsumexp(a, axis, keepdims),
    "flip": lambda a, axis: torch.flip(a, (axis,)),
    "roll": lambda a, shift, axis: torch.roll(a, shift, axis),
    "tile": lambda a, repeats: torch.tile(a, repeats),
    "repeat": lambda a, repeats, axis: torch.repeat_interleave(a, repeats, axis),
    "unsqueeze": lambda a, axis: torch.unsqueeze(a, axis),
    "tril": lambda a, k: torch.tril(a, k),
    "triu": lambda a, k: torch.triu(a, k),
    "stack": lambda *parts, axis: torch.stack(parts, axis),
    "gather_elements": lambda a, places, axis: torch.gather(a, axis, torch.as_tensor(places)),
    "einsum": lambda *operands, equation: torch.einsum(equation, *operands),
}


def apply_in_torch(operator, *operands, **params):
    return (IN_TORCH.get(operator) or ARRAYS_IN_TORCH[operator])(*operands, **params)


def kind_of(error):
    """Name an error by what went wrong, whoever says it."""
    said = str(error)
    for words, kind in (
        ("leaf", "leaf"),
        ("second time", "freed"),
        ("expected version", "version"),
        ("view", "view"),
        ("require grad", "no grad"),
        ("requires grad", "no grad"),
        ("unsupported operation", "view"),
    ):
        if words in said:
            return kind
    raise AssertionError(f"an error of no known kind: {error!r}") from error


def outcome(act):
    """Give what an action gives, or the kind of its error."""
    try:
        return act()
    except (RuntimeError, CgkitError) as error:
        return kind_of(error)


def close(ours, theirs, rtol=1e-7):
    if isinstance(ours, str) or isinstance(theirs, str) or ours is None or theirs is None:
        return ours is theirs is None or (isinstance(ours, str) and ours == theirs)
    if isinstance(ours, list):
        return isinstance(theirs, list) and all(map(close, ours, theirs))
    a, b = np.asarray(ours), theirs.numpy(force=True)
    return a.shape == b.shape and np.allclose(a, b, rtol, 1e-9, equal_nan=True)


def differences(program: Program, seed: int, twice: bool = True):
    """Run one program in both; give what each said where they differ.

    Whether backward may run twice is only compared where both have the same operators.
    """
    arrays = program.draw(np.random.default_rng(seed))
    ours = [Tensor(x, requires_grad=True) for x in arrays]
    theirs = [torch.tensor(x, requires_grad=True) for x in arrays]
    y, z = program.run(ours), program.run(theirs, apply_in_torch)
    names = tuple(f"v{i}" for i in range(len(program.inputs) + len(program.steps)))
    if not all(np.isfinite(v).all() for v in replace(program, outputs=names).run(arrays)):
        return NOT_FINITE
    for a, b in zip(y, z, strict=True):
        if not close(a.data, b.detach()):
            return "values", a.data, b
    total, other = y[0].sum(), z[0].sum()
    for a, b in zip(y[1:], z[1:], strict=True):
        total, other = total + (a * 0.5).sum(), other + (b * 0.5).sum()
    return (
        _first(total, other, ours, theirs)
        or (twice and _twice(total, other, ours, theirs))
        or _second(program, arrays)
        or None
    )


def _first(total, other, ours, theirs):
    mine = outcome(lambda: list(grad(total, ours, retain_graph=True, allow_unused=True)))
    his = outcome(
        lambda: list(torch.autograd.grad(other, theirs, retain_graph=True, allow_unused=True))
    )
    if isinstance(mine, list):
        mine = [None if g is None else g.data for g in mine]
    return None if close(mine, his) else ("gradients", mine, his)


def _twice(total, other, ours, theirs):
    for _ in range(2):
        mine = outcome(lambda: total.backward() or _grads(ours))
        his = outcome(lambda: other.backward() or _grads(theirs))
        if not close(mine, his):
            return "backward twice", mine, his
    return None


def _grads(points):
    return [None if x.grad is None else x.grad.data for x in points]


def _second(program, arrays):
    ours = [Tensor(x, requires_grad=True) for x in arrays]
    theirs = [torch.tensor(x, requires_grad=True) for x in arrays]

    def mine():
        first = grad(program.run(ours)[0].sum(), ours, create_graph=True, materialize_grads=True)
        total = sum(((g * g).sum() for g in first), Tensor(0.0))
        return [x.data for x in grad(total, ours, materialize_grads=True)]

    def his():
        y = program.run(theirs, apply_in_torch)[0].sum()
        first = torch.autograd.grad(y, theirs, create_graph=True, materialize_grads=True)
        total = sum((g * g).sum() for g in first)
        return list(torch.autograd.grad(total, theirs, materialize_grads=True))

    a, b = outcome(mine), outcome(his)
    if b == "no grad" and isinstance(a, list) and not any(x.any() for x in a):
        return None  # torch cuts where a derivative is 0 everywhere, cgkit gives the zeros
    return None if close(a, b) else ("second gradients", a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_values_gradients_and_second_gradients(seed):
    rng = random.Random(seed)
    found = []
    with np.errstate(all="ignore"):
        for number in range(PROGRAMS):
            program = random_program(rng, steps=rng.randint(1, 12))
            found.append(differences(program, number))
            what = f"seed {seed}, program {number}:\n{program}\n{found[-1]}"
            assert found[-1] in (None, NOT_FINITE), what
    assert found.count(None) > 0.9 * PROGRAMS  # 97% are compared


@pytest.mark.parametrize("seed", SEEDS)
def test_programs_with_more_sorts_of_steps(seed):
    rng = random.Random(seed)
    found = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, about variances of nothing
        for number in range(PROGRAMS // 2):
            makers = (*MAKERS, *ARRAY_MAKERS, *ARRAY_MAKERS)
            program = random_program(rng, steps=rng.randint(1, 8), makers=makers)
            found.append(differences(program, number, twice=False))
            what = f"seed {seed}, program {number}:\n{program}\n{found[-1]}"
            assert found[-1] in (None, NOT_FINITE), what
    assert found.count(None) > 0.85 * (PROGRAMS // 2)  # 96% are compared


# f, where, and what torch says its slope is there: the conventions that cgkit shares with torch
FACTS = {
    "amax ties": (lambda x: ops.max(x), lambda x: torch.amax(x, ()), [1.0, 3.0, 3.0]),
    "maximum at equals": (
        lambda x: ops.maximum(x, 1.0),
        lambda x: torch.maximum(x, torch.ones_like(x)),
        [1.0, 2.0],
    ),
    "minimum at equals": (
        lambda x: ops.minimum(x, 1.0),
        lambda x: torch.minimum(x, torch.ones_like(x)),
        [1.0, 2.0],
    ),
    "relu at 0": (ops.relu, torch.relu, [0.0, -0.0]),
    "abs at 0": (ops.abs, torch.abs, [0.0]),
    "sign": (ops.sign, torch.sign, [0.0, 2.0]),
    "sqrt at 0": (ops.sqrt, torch.sqrt, [0.0]),
    "x**0 at 0": (lambda x: x**0, lambda x: x**0, [0.0, 2.0]),
    "x**1 at 0": (lambda x: x**1, lambda x: x**1, [0.0]),
    "0**x at 0": (lambda x: ops.pow(0.0, x), lambda x: torch.pow(0.0, x), [0.0, 2.0]),
    "the trap of where": (
        lambda x: ops.where(x > 0.0, ops.log(x), 0.0),
        lambda x: torch.where(x > 0, torch.log(x), 0.0),
        [0.0, 2.0],
    ),
    "mean of nothing": (ops.mean, torch.mean, []),
    "sum of nothing": (ops.sum, torch.sum, []),
    "max of nan": (ops.max, lambda x: torch.amax(x, ()), [1.0, float("nan")]),
}


@pytest.mark.parametrize("name", FACTS)
def test_conventions(name):
    mine, his, at = FACTS[name]
    x, y = Tensor(at, dtype="float64", requires_grad=True), torch.tensor(at, dtype=torch.float64)
    y.requires_grad_()
    with np.errstate(all="ignore"):
        ours, theirs = mine(x), his(y)
    assert close(ours.data, theirs.detach())
    (a,), (b,) = grad(ours.sum(), x), torch.autograd.grad(theirs.sum(), y)
    assert close(a.data, b)


def test_relu_at_nan_is_ours():
    x = Tensor(np.nan, requires_grad=True)
    (slope,) = grad(ops.relu(x), x)
    y = torch.tensor(float("nan"), requires_grad=True)
    (other,) = torch.autograd.grad(torch.relu(y), y)
    assert np.isnan(slope.item())
    assert other == 1  # cgkit lets nan through, on purpose


CALLS = {
    "seed shape": lambda T, one: (T([1.0, 2.0]) * 2.0).backward(one),
    "no seed": lambda T, one: (T([1.0, 2.0]) * 2.0).backward(),
    "one element": lambda T, one: (T([[1.0]]) * 2.0).backward(),
    "freed": lambda T, one: [y.backward() for y in [(T([1.0]) * T([1.0]))] * 2],
    "a number is saved": lambda T, one: [y.backward() for y in [T([1.0]) * 3.0] * 2],
    "nothing is saved": lambda T, one: [y.backward() for y in [T([1.0]) + 3.0] * 2],
    "no grad": lambda T, one: T([1.0]).detach().backward(),
    "leaf": lambda T, one: T([1.0]).add_(1.0),
    "integers": lambda T, one: T([1]),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_refused_is_refused_by_both(name):
    call = CALLS[name]

    def refused(make, one):
        try:
            call(make, one)
        except (RuntimeError, TypeError, ValueError):
            return True
        return False

    mine = refused(lambda x: Tensor(x, requires_grad=True), np.ones(()))
    his = refused(lambda x: torch.tensor(x, requires_grad=True), torch.ones(()))
    assert mine == his


def test_hooks_and_retained_gradients_follow_torch():
    def story(x, square, record):
        y = x * x
        y.retain_grad()
        y.register_hook(lambda g: record.append(float(g.sum())))
        y.add_(1.0)
        z = square(y).sum()
        z.backward(retain_graph=True)
        z.backward()
        return [record, np.asarray(y.grad.data), np.asarray(x.grad.data)]

    x, y = Tensor([2.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
    mine, his = story(x, lambda v: v * 3.0, []), story(y, lambda v: v * 3.0, [])
    assert mine[0] == his[0]
    np.testing.assert_allclose(mine[1], his[1])
    np.testing.assert_allclose(mine[2], his[2])
