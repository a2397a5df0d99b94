"""Convolutions of random settings against torch: values, gradients and second gradients.

settings ─┬─ cgkit ─> y, dy/dx, dy/dw, and their gradients
          └─ torch ─> the same
"""

import random
import secrets

import numpy as np
import pytest

from cgkit import ops

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel:UserWarning"),
]

FRESH = secrets.randbelow(10**6)
SEEDS = [1, 2, pytest.param(FRESH, id="fresh")]
TRIES = 40


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
def test_convolutions(agree, seed, axes):
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
def test_transposed_convolutions(agree, seed, axes):
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
