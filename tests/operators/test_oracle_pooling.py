"""Poolings of random settings against torch: values, gradients and second gradients."""

import random
import secrets

import numpy as np
import pytest

from cgkit import ops

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle

FRESH = secrets.randbelow(10**6)
SEEDS = [1, 2, pytest.param(FRESH, id="fresh")]
TRIES = 60


def drawn(draw, axes, dilated):
    kernel = tuple(draw.randint(1, 4) for _ in range(axes))
    settings = {
        "stride": draw.choice([None, tuple(draw.randint(1, 3) for _ in range(axes))]),
        "ceil_mode": draw.random() < 0.5,
        "padding": tuple(draw.randint(0, k // 2) for k in kernel),
    }
    if dilated:
        settings["dilation"] = tuple(draw.randint(1, 2) for _ in range(axes))
    apart = settings.get("dilation", (1,) * axes)
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, apart, strict=True)]
    shape = (2, draw.randint(1, 2), *(n + draw.randint(0, 4) for n in spans))
    return kernel, settings, shape


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_maxima(agree, seed, axes):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    other = getattr(torch.nn.functional, f"max_pool{axes}d")
    for _ in range(TRIES):
        kernel, settings, shape = drawn(draw, axes, dilated=True)
        x = rng.normal(size=shape)
        if draw.random() < 0.3:
            x = x.round()  # ties
        agree(
            lambda x, k=kernel, s=settings: ops.max_pool(x, kernel=k, **s),
            lambda x, k=kernel, s=settings: other(x, k, **s),
            x,
        )
        places = ops.max_pool_places(x, kernel=kernel, **settings)
        theirs = other(torch.tensor(x), kernel, return_indices=True, **settings)[1]
        np.testing.assert_array_equal(places, theirs.numpy())


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_means(agree, seed, axes):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    other = getattr(torch.nn.functional, f"avg_pool{axes}d")
    for _ in range(TRIES):
        kernel, settings, shape = drawn(draw, axes, dilated=False)
        settings["count_include_pad"] = draw.random() < 0.5
        divisor = draw.choice([None, 3]) if axes > 1 else None
        named = {"divisor_override": divisor} if axes > 1 else {}
        agree(
            lambda x, k=kernel, s=settings, d=divisor: ops.avg_pool(x, kernel=k, divisor=d, **s),
            lambda x, k=kernel, s=settings, n=named: other(x, k, **s, **n),
            rng.normal(size=shape),
        )


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_norms(agree, seed, axes):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    other = getattr(torch.nn.functional, f"lp_pool{axes}d")
    for _ in range(TRIES // 3):
        kernel, settings, shape = drawn(draw, axes, dilated=False)
        power = draw.choice([1, 2, 3, 2.5])
        steps = settings["stride"]
        theirs = (kernel, steps) if axes > 1 else (kernel[0], steps and steps[0])
        agree(
            lambda x, k=kernel, s=steps, p=power: ops.lp_pool(x, kernel=k, stride=s, p=p),
            lambda x, t=theirs, p=power: other(x, p, *t),
            rng.uniform(0.1, 2.0, size=shape),
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_adaptive_means(agree, seed):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    for _ in range(TRIES // 3):
        size = draw.randint(1, 4), draw.randint(1, 6)
        agree(
            lambda x, n=size: ops.adaptive_avg_pool(x, n),
            lambda x, n=size: torch.nn.functional.adaptive_avg_pool2d(x, n),
            rng.normal(size=(1, 2, draw.randint(1, 6), draw.randint(1, 6))),
        )
