"""Reductions, movement, places and products against torch: values, gradients, gradients of those.

f(x) ─ grad ─> g      grad of (g * g).sum() ─> second         in both, from the same numbers
"""

import itertools

import numpy as np
import pytest

from cgkit import Tensor, grad, ops

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4))
CUBE = RNG.normal(size=(2, 3, 4))
ZEROS = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 5.0], [1.0, 2.0, 3.0]])
PLACES = np.array([[0, 2, 1, 1], [1, 1, 0, 2]])
AT = torch.as_tensor(PLACES)
NEW = RNG.normal(size=(2, 4))
F = torch.nn.functional

CASES = {
    "prod": (lambda x: ops.prod(x), lambda x: torch.prod(x), [X]),
    "prod of zeros": (lambda x: ops.prod(x, axis=1), lambda x: torch.prod(x, 1), [ZEROS]),
    "prod of all zeros": (ops.prod, torch.prod, [ZEROS]),
    "cumprod": (lambda x: ops.cumprod(x, axis=0), lambda x: torch.cumprod(x, 0), [X]),
    "cumprod of zeros": (lambda x: ops.cumprod(x, axis=1), lambda x: torch.cumprod(x, 1), [ZEROS]),
    "cumsum": (lambda x: ops.cumsum(x, axis=1), lambda x: torch.cumsum(x, 1), [X]),
    "logcumsumexp": (
        lambda x: ops.logcumsumexp(x, axis=1),
        lambda x: torch.logcumsumexp(x, 1),
        [X],
    ),
    "cummax": (lambda x: ops.cummax(x, 1), lambda x: torch.cummax(x, 1)[0], [X]),
    "cummin of equals": (lambda x: ops.cummin(x, 1), lambda x: torch.cummin(x, 1)[0], [ZEROS]),
    "var": (lambda x: ops.var(x, axis=1, correction=1), lambda x: torch.var(x, 1), [X]),
    "var of all": (lambda x: ops.var(x), lambda x: torch.var(x, correction=0), [X]),
    "std": (lambda x: ops.std(x, axis=0, correction=1), lambda x: torch.std(x, 0), [X]),
    "std of equals": (ops.std, lambda x: torch.std(x, correction=0), [np.ones(3)]),
    "logsumexp": (lambda x: ops.logsumexp(x, axis=1), lambda x: torch.logsumexp(x, 1), [X]),
    "softmax": (lambda x: ops.softmax(x, axis=1), lambda x: torch.softmax(x, 1), [CUBE]),
    "log_softmax": (lambda x: ops.log_softmax(x), lambda x: torch.log_softmax(x, -1), [CUBE]),
    **{
        f"norm {p}": (
            lambda x, p=p: ops.norm(x, order=p, axis=1),
            lambda x, p=p: torch.linalg.vector_norm(x, p, 1),
            [X],
        )
        for p in (1, 2, 3, 0.5, np.inf)
    },
    "squeeze": (lambda x: ops.squeeze(x), lambda x: torch.squeeze(x), [X[:, :1]]),
    "unsqueeze": (lambda x: ops.unsqueeze(x, axis=1), lambda x: torch.unsqueeze(x, 1), [X]),
    "flip": (lambda x: ops.flip(x, axis=(0, 2)), lambda x: torch.flip(x, (0, 2)), [CUBE]),
    "roll": (
        lambda x: ops.roll(x, shift=(1, -2), axis=(0, 2)),
        lambda x: torch.roll(x, (1, -2), (0, 2)),
        [CUBE],
    ),
    "roll of all": (lambda x: ops.roll(x, shift=5), lambda x: torch.roll(x, 5), [X]),
    "tile": (lambda x: ops.tile(x, repeats=(2, 1, 3)), lambda x: torch.tile(x, (2, 1, 3)), [X]),
    "repeat": (
        lambda x: ops.repeat(x, repeats=3, axis=1),
        lambda x: torch.repeat_interleave(x, 3, 1),
        [X],
    ),
    "stack": (
        lambda x, y: ops.stack(x, y, axis=1),
        lambda x, y: torch.stack((x, y), 1),
        [X, X * 2],
    ),
    "split": (
        lambda x: ops.split(x, sizes=(1, 3), axis=1)[1],
        lambda x: torch.split(x, (1, 3), 1)[1],
        [X],
    ),
    "pad": (
        lambda x: ops.pad(x, pads=((1, 0), (-1, 2)), value=3.0),
        lambda x: F.pad(x, (-1, 2, 1, 0), value=3.0),
        [X],
    ),
    **{
        f"pad {mode}": (
            lambda x, mode=mode: ops.pad(x, pads=((0, 0), (2, 1), (3, 2)), mode=mode),
            lambda x, his=his: F.pad(x, (3, 2, 2, 1), his),
            [CUBE],
        )
        for mode, his in (("edge", "replicate"), ("reflect", "reflect"), ("wrap", "circular"))
    },
    "tril": (lambda x: ops.tril(x, k=1), lambda x: torch.tril(x, 1), [CUBE]),
    "triu": (lambda x: ops.triu(x, k=-1), lambda x: torch.triu(x, -1), [CUBE]),
    "diagonal": (
        lambda x: ops.diagonal(x, offset=1, axis1=0, axis2=2),
        lambda x: torch.diagonal(x, 1, 0, 2),
        [CUBE],
    ),
    "gather": (
        lambda x: ops.gather_elements(x, PLACES, axis=0),
        lambda x: torch.gather(x, 0, AT),
        [X],
    ),
    "take": (
        lambda x: ops.take(x, [2, 0, 2], 1),
        lambda x: torch.index_select(x, 1, torch.tensor([2, 0, 2])),
        [X],
    ),
    "scatter": (
        lambda x, new: ops.scatter_elements(x, PLACES[:, :1], new, 1),
        lambda x, new: torch.scatter(x, 1, AT[:, :1], new),
        [X, NEW[:, :1]],
    ),
    "scatter add": (
        lambda x, new: ops.scatter_elements(x, PLACES, new, 0, "add"),
        lambda x, new: torch.scatter_add(x, 0, AT, new),
        [X, NEW],
    ),
    "scatter mul": (
        lambda x, new: ops.scatter_elements(x, PLACES, new, 0, "mul"),
        lambda x, new: torch.scatter_reduce(x, 0, AT, new, "prod"),
        [X, NEW],
    ),
    "scatter max": (
        lambda x, new: ops.scatter_elements(x, PLACES, new, 0, "max"),
        lambda x, new: torch.scatter_reduce(x, 0, AT, new, "amax"),
        [X, NEW],
    ),
    "sort": (lambda x: ops.sort(x, 0), lambda x: torch.sort(x, 0)[0], [X]),
    "topk": (lambda x: ops.topk(x, 2)[0], lambda x: torch.topk(x, 2)[0], [X]),
    "einsum": (
        lambda x, y: ops.einsum("ij,kj->ik", x, y),
        lambda x, y: torch.einsum("ij,kj->ik", x, y),
        [X, NEW],
    ),
    "einsum of one": (
        lambda x, y: ops.einsum("i,i", x, y),
        lambda x, y: torch.einsum("i,i", x, y),
        [X[0], X[0, :1]],
    ),
    "einsum diagonal": (
        lambda x: ops.einsum("iij->ji", x),
        lambda x: torch.einsum("iij->ji", x),
        [CUBE[:, :2]],
    ),
    "einsum dots": (
        lambda x, y: ops.einsum("...ij,jk->...k", x, y),
        lambda x, y: torch.einsum("...ij,jk->...k", x, y),
        [CUBE, X.T],
    ),
    "outer": (ops.outer, torch.outer, [X[0], X[1]]),
}


def in_cgkit(f, arrays):
    xs = [Tensor(x, requires_grad=True) for x in arrays]
    y = f(*xs)
    weights = np.random.default_rng(1).normal(size=y.shape)
    first = grad((y * weights).sum(), xs, create_graph=True, materialize_grads=True)
    total = sum(((g * g).sum() for g in first), Tensor(0.0))
    second = grad(total, xs, materialize_grads=True) if total.requires_grad else xs
    zeros = not total.requires_grad
    return y.data, [g.data for g in first], [np.zeros(x.shape) if zeros else x.data for x in second]


def in_torch(f, arrays):
    xs = [torch.tensor(x, requires_grad=True) for x in arrays]
    y = f(*xs)
    weights = torch.as_tensor(np.random.default_rng(1).normal(size=tuple(y.shape)))
    first = torch.autograd.grad((y * weights).sum(), xs, create_graph=True)
    total = sum((g * g).sum() for g in first)
    if not total.requires_grad:
        return y.detach(), [g.detach() for g in first], [torch.zeros_like(x) for x in xs]
    second = torch.autograd.grad(total, xs, materialize_grads=True, allow_unused=True)
    return y.detach(), [g.detach() for g in first], [x.numpy(force=True) for x in second]


@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes_to_second_order(name):
    mine, his, arrays = CASES[name]
    ours, theirs = in_cgkit(mine, arrays), in_torch(his, arrays)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-10, atol=1e-12)
    for what in (1, 2):
        for a, b in zip(ours[what], theirs[what], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11, err_msg=f"order {what}")


def test_the_slope_of_the_norm_of_zeros():
    x, y = Tensor(np.zeros(3), requires_grad=True), torch.zeros(3, requires_grad=True)
    (mine,) = grad(ops.norm(x), x)
    (his,) = torch.autograd.grad(torch.linalg.vector_norm(y), y)
    np.testing.assert_array_equal(mine.data, his)  # the second slope is nan there, ours 0


def test_places_and_dtypes():
    for x, axis, keep in itertools.product([X, ZEROS, CUBE], [0, 1, -1], [False, True]):
        his = torch.as_tensor(x)
        for name in ("argmax", "argmin"):
            found = ops.ALL[name](x, axis=axis, keepdims=keep)
            np.testing.assert_array_equal(found, getattr(torch, name)(his, axis, keep))
        for descending in (False, True):
            found = ops.argsort(x, axis=axis, descending=descending)
            expected = torch.sort(his, dim=axis, descending=descending, stable=True)[1]
            np.testing.assert_array_equal(found, expected)


def test_infinities_and_nothing():
    low = np.array([-np.inf, -np.inf])
    with np.errstate(all="ignore"):
        for mine, his in ((ops.softmax, torch.softmax), (ops.log_softmax, torch.log_softmax)):
            np.testing.assert_array_equal(mine(low), his(torch.as_tensor(low), 0))
        for x in (low, np.array([np.inf, 0.0]), np.zeros(0)):
            np.testing.assert_array_equal(ops.logsumexp(x), torch.logsumexp(torch.as_tensor(x), 0))
    assert ops.prod(np.zeros(0)) == torch.prod(torch.zeros(0))
