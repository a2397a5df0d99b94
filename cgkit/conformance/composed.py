"""Where functions made of operators are judged: shapes of floats, and how to call the function.

    SAMPLES["outer"] = [(((2,), (3,)), lambda f, a, b: f(a, b))]

Numbers are drawn around 0. Targets, ids and places are fixed in the call; what has a kink is called
so that none is near.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

Shapes = tuple[tuple[int, ...], ...]
Call = tuple[Shapes, Callable[..., Any]]

IDS = np.array([[1, 0], [2, 1]])
CLASSES = np.array([2, 0])
SIGNS = np.array([1.0, -1.0])
ONE: Shapes = ((2, 3),)
TWO: Shapes = ((2, 3), (2, 3))
IMAGES: Shapes = ((1, 4, 4, 3),)


def _plain(f: Any, *xs: Any) -> Any:
    return f(*xs)


def _losses(*settings: Mapping[str, Any]) -> Sequence[Call]:
    """Call a loss of two operands with each of these, target far off."""
    each = [{"reduction": "sum"}, {"reduction": "none"}, *settings]
    return [(TWO, lambda f, x, t, options=options: f(x, t + 9.0, **options)) for options in each]


def _positive(x: Any) -> Any:
    """Give numbers between 0 and 1."""
    return 1.0 / (1.0 + x * x)


SAMPLES: Mapping[str, Sequence[Call]] = MappingProxyType({
    "adaptive_avg_pool": [(IMAGES, lambda f, x: f(x, (2, 3)))],
    "binary_cross_entropy": [
        (TWO, lambda f, x, t: f(_positive(x) * 0.9 + 0.01, _positive(t), reduction="sum")),
    ],
    "binary_cross_entropy_with_logits": [
        (TWO, lambda f, x, t: f(x, _positive(t))),
        ((*TWO, (3,)), lambda f, x, t, w: f(x, _positive(t), positive_weight=_positive(w))),
    ],
    "cast_like": [(TWO, _plain)],
    "clip": [(ONE, lambda f, x: f(x, -9.0, 9.0)), (ONE, lambda f, x: f(x, 20.0))],
    "cosine_loss": [(TWO, lambda f, a, b: f(a, b, SIGNS, margin=-0.999))],
    "cosine_similarity": [(TWO, _plain), (TWO, lambda f, a, b: f(a, b, axis=0))],
    "cross_entropy": [
        (ONE, lambda f, x: f(x, CLASSES)),
        (ONE, lambda f, x: f(x, CLASSES, label_smoothing=0.1, reduction="none")),
        (TWO, lambda f, x, t: f(x, _positive(t), reduction="sum")),
        (((2, 3, 2),), lambda f, x: f(x, IDS, ignore_index=1)),
    ],
    "cummax": [(ONE, lambda f, x: f(x, axis=1))],
    "cummin": [(ONE, lambda f, x: f(x, axis=0))],
    "dot": [(((3,), (3,)), _plain), (((2, 3), (4, 3, 2)), _plain)],
    "embedding": [(((3, 2),), lambda f, x: f(IDS, x))],
    "flatten": [(((2, 3, 2),), lambda f, x: f(x, 1))],
    "gather_nd": [(((3, 3),), lambda f, x: f(x, IDS))],
    "global_avg_pool": [(IMAGES, _plain)],
    "global_lp_pool": [(IMAGES, lambda f, x: f(x, p=3))],
    "global_max_pool": [(IMAGES, _plain)],
    "group_norm": [
        (((2, 4, 3),), lambda f, x: f(x, 2)),
        (((2, 4, 3), (4,), (4,)), lambda f, x, a, b: f(x, 2, a, b, epsilon=0.1)),
    ],
    "hard_sigmoid": [(ONE, lambda f, x: f(x * 0.1)), (ONE, lambda f, x: f(x + 20.0))],
    "hard_swish": [(ONE, lambda f, x: f(x * 0.1)), (ONE, lambda f, x: f(x - 20.0))],
    "hard_tanh": [(ONE, lambda f, x: f(x, -9.0, 9.0)), (ONE, lambda f, x: f(x + 9.0))],
    "hinge_loss": [(((2,),), lambda f, x: f(x, SIGNS, margin=9.0))],
    "huber_loss": _losses({"delta": 0.5}, {"delta": 50.0}),
    "instance_norm": [
        (IMAGES, _plain),
        ((*IMAGES, (4,), (4,)), lambda f, x, a, b: f(x, a, b, epsilon=0.1)),
    ],
    "kl_divergence": [
        (TWO, lambda f, x, t: f(x, _positive(t), reduction="sum")),
        (TWO, lambda f, x, t: f(x, t, log_target=True)),
    ],
    "l1_loss": _losses(),
    "layer_norm": [(ONE, _plain), ((*ONE, (3,), (3,)), _plain)],
    "linear": [(((2, 3), (4, 3), (4,)), _plain), (((2, 3), (3,)), _plain)],
    "local_response_norm": [(((1, 4, 2),), lambda f, x: f(x, 3, alpha=0.5))],
    "moveaxis": [(((2, 3, 2),), lambda f, x: f(x, 0, 2))],
    "mse_loss": _losses(),
    "nll_loss": [(ONE, lambda f, x: f(x, CLASSES)), (((2, 3, 2),), lambda f, x: f(x, IDS))],
    "outer": [(((2,), (3,)), _plain)],
    "relu6": [(ONE, lambda f, x: f(x * 0.1 + 3.0)), (ONE, lambda f, x: f(x + 20.0))],
    "rms_norm": [(ONE, _plain), ((*ONE, (3,)), _plain)],
    "scaled_dot_product_attention": [
        (((2, 3), (4, 3), (4, 2)), _plain),
        (((1, 3, 2), (1, 3, 2), (1, 3, 2)), lambda f, q, k, v: f(q, k, v, causal=True)),
        (((2, 3), (4, 3), (4, 2), (2, 4)), lambda f, q, k, v, m: f(q, k, v, m, scale=0.3)),
    ],
    "scatter_elements": [
        (((3, 2), (2, 2)), lambda f, a, new: f(a, IDS, new)),
        (((3, 2), (2, 2)), lambda f, a, new: f(a, IDS, new, reduction="add")),
    ],
    "scatter_nd": [(((3, 3), (2,)), lambda f, a, new: f(a, IDS, new))],
    "shrink": [(ONE, lambda f, x: f(x + 9.0, limit=2.0, bias=0.5))],
    "smooth_l1_loss": _losses({"beta": 50.0}),
    "sort": [(ONE, lambda f, x: f(x, axis=0)), (ONE, lambda f, x: f(x, descending=True))],
    "swapaxes": [(((2, 3, 2),), lambda f, x: f(x, 0, 2))],
    "swish": [(ONE, lambda f, x: f(x, 1.5))],
    "take": [(((3, 2),), lambda f, x: f(x, IDS))],
    "thresholded_relu": [(ONE, lambda f, x: f(x + 9.0)), (ONE, lambda f, x: f(x - 9.0))],
    "topk": [(ONE, lambda f, x: f(x, 2))],
    "unique": [(ONE, lambda f, x: f(x)[0]), (ONE, lambda f, x: f(x, axis=1, ordered=False)[0])],
    "unbind": [(ONE, lambda f, x: f(x, axis=1))],
})  # fmt: skip
"""Calls of each function, by its name."""
