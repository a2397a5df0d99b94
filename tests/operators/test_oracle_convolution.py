"""Convolutions of random settings against torch: values, gradients and second gradients.

settings ─┬─ cgkit ─> y, dy/dx, dy/dw, and their gradients
          └─ torch ─> the same
"""

import random
import secrets

import numpy as np
import pytest

from cgkit import Tensor, grad, ops

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel:UserWarning"),
]

FRESH = secrets.randbelow(10**6)
SEEDS = [1, 2, pytest.param(FRESH, id=f"fresh-{FRESH}")]
TRIES = 60


def both_ways(fn, torch_fn, *arrays):
    """Give values, gradients and second gradients of one function in cgkit and in torch."""
    ours = [Tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    y, z = fn(*ours), torch_fn(*theirs)
    rng = np.random.default_rng(0)
    seed = rng.normal(size=y.shape)
    pulls = [rng.normal(size=a.shape) for a in arrays]
    g, h = Tensor(seed, requires_grad=True), torch.tensor(seed, requires_grad=True)
    first = grad(y, ours, g, create_graph=True)
    firsts = torch.autograd.grad(z, theirs, h, create_graph=True)
    total = sum((f * Tensor(p)).sum() for f, p in zip(first, pulls, strict=True))
    whole = sum((f * torch.tensor(p)).sum() for f, p in zip(firsts, pulls, strict=True))
    second = grad(total, [g, *ours], materialize_grads=True)
    seconds = torch.autograd.grad(whole, [h, *theirs], allow_unused=True)
    yield y.data, z
    yield from zip((x.data for x in first), firsts, strict=True)
    for mine, other in zip(second, seconds, strict=True):
        yield mine.data, torch.zeros(mine.shape) if other is None else other


def agree(fn, torch_fn, *arrays):
    for mine, other in both_ways(fn, torch_fn, *arrays):
        np.testing.assert_allclose(mine, other.detach().numpy(), rtol=1e-7, atol=1e-9)


def drawn(draw, axes):
    """Draw settings of a convolution that torch takes too."""
    settings = {
        "stride": tuple(draw.randint(1, 3) for _ in range(axes)),
        "padding": tuple(draw.randint(0, 2) for _ in range(axes)),
        "dilation": tuple(draw.randint(1, 2) for _ in range(axes)),
        "groups": draw.choice([1, 1, 2, 3]),
    }
    kernel = tuple(draw.randint(1, 3) for _ in range(axes))
    return settings, kernel


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_convolutions(seed, axes):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    for _ in range(TRIES):
        settings, kernel = drawn(draw, axes)
        groups = settings["groups"]
        if draw.random() < 0.2:
            settings |= {"padding": draw.choice(["same", "valid"]), "stride": (1,) * axes}
        sizes = tuple(
            (k - 1) * d + draw.randint(1, 4)
            for k, d in zip(kernel, settings["dilation"], strict=True)
        )
        x = rng.normal(size=(draw.randint(1, 2), groups * draw.randint(1, 2), *sizes))
        w = rng.normal(size=(groups * draw.randint(1, 2), x.shape[1] // groups, *kernel))
        agree(
            lambda x, w, s=settings: ops.ALL[f"conv{axes}d"](x, w, **s),
            lambda x, w, s=settings: getattr(torch.nn.functional, f"conv{axes}d")(x, w, **s),
            x, w,
        )  # fmt: skip


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_transposed_convolutions(seed, axes):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    other = getattr(torch.nn.functional, f"conv_transpose{axes}d")
    for _ in range(TRIES):
        settings, kernel = drawn(draw, axes)
        groups = settings["groups"]
        settings["output_padding"] = tuple(draw.randint(0, s - 1) for s in settings["stride"])
        sizes = tuple(p + draw.randint(1, 3) for p in settings["padding"])
        x = rng.normal(size=(draw.randint(1, 2), groups * draw.randint(1, 2), *sizes))
        w = rng.normal(size=(x.shape[1], draw.randint(1, 2), *kernel))
        spans = [(k - 1) * d for k, d in zip(kernel, settings["dilation"], strict=True)]
        ends = zip(sizes, settings["stride"], settings["padding"], spans, strict=True)
        if min((n - 1) * s - 2 * p + reach for n, s, p, reach in ends) < 0:
            continue
        agree(
            lambda x, w, s=settings: ops.ALL[f"conv{axes}d_transpose"](x, w, **s),
            lambda x, w, s=settings: other(x, w, **s),
            x, w,
        )  # fmt: skip
