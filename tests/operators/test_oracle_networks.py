"""Normalization, losses and attention against torch: values, gradients and second gradients."""

import itertools
import secrets

import numpy as np
import pytest

from cgkit import Tensor, ops

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore:reduction. 'mean' divides the total loss:UserWarning"),
]
F = torch.nn.functional

FRESH = secrets.randbelow(10**6)
SEEDS = [1, pytest.param(FRESH, id="fresh")]


@pytest.fixture(autouse=True)
def plain_attention():
    """Let torch attend in the one way that it can differentiate twice."""
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        yield


@pytest.fixture(params=SEEDS)
def rng(request):
    return np.random.default_rng(request.param)


SHAPES = [(5, 3), (4, 3, 2), (2, 3, 2, 4)]


@pytest.mark.parametrize("shape", SHAPES)
def test_batch_norm(agree, rng, shape):
    channels = shape[1]
    x, scale, shift, center = (rng.normal(size=s) for s in (shape, channels, channels, channels))
    spread = rng.uniform(0.5, 2.0, size=channels)
    agree(
        lambda *xs: ops.batch_norm(*xs, epsilon=0.1),
        lambda x, a, b, m, v: (x - at(m, x)) / torch.sqrt(at(v, x) + 0.1) * at(a, x) + at(b, x),
        x, scale, shift, center, spread,
    )  # fmt: skip
    found = ops.batch_norm(x, scale, shift, center, spread)
    given = map(torch.tensor, (x, center, spread, scale, shift))
    np.testing.assert_allclose(found, F.batch_norm(*given, training=False))


def at(vector, x):
    return vector.reshape(-1, *(1,) * (x.ndim - 2))


@pytest.mark.parametrize("shape", SHAPES)
def test_batch_norm_in_training(agree, rng, shape):
    channels = shape[1]
    agree(
        lambda x, a, b: ops.batch_norm_train(x, a, b)[0],
        lambda x, a, b: F.batch_norm(x, None, None, a, b, training=True),
        rng.normal(size=shape), rng.normal(size=channels), rng.normal(size=channels),
    )  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [-1, -2])
def test_layer_norm_and_rms_norm(agree, rng, shape, axis):
    scale, shift = rng.normal(size=shape[axis:]), rng.normal(size=shape[axis:])
    agree(
        lambda *xs: ops.layer_norm(*xs, axis=axis),
        lambda x, a, b: F.layer_norm(x, a.shape, a, b),
        rng.normal(size=shape), scale, shift,
    )  # fmt: skip
    agree(
        lambda *xs: ops.rms_norm(*xs, axis=axis),
        lambda x, a: F.rms_norm(x, a.shape, a, eps=1e-5),
        rng.normal(size=shape), scale,
    )  # fmt: skip


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 3), (2, 6, 2, 3)])
def test_group_norm_and_instance_norm(agree, rng, shape):
    vectors = rng.normal(size=(2, shape[1]))
    agree(
        lambda x, a, b: ops.group_norm(x, 2, a, b),
        lambda x, a, b: F.group_norm(x, 2, a, b),
        rng.normal(size=shape), *vectors,
    )  # fmt: skip
    if len(shape) > 2:
        agree(
            ops.instance_norm,
            lambda x, a, b: F.instance_norm(x, weight=a, bias=b),
            rng.normal(size=shape), *vectors,
        )  # fmt: skip


@pytest.mark.parametrize("size", [1, 3, 5])
def test_local_response_norm(agree, rng, size):
    agree(
        lambda x: ops.local_response_norm(x, size, alpha=0.5, beta=0.6, bias=1.5),
        lambda x: F.local_response_norm(x, size, alpha=0.5, beta=0.6, k=1.5),
        rng.normal(size=(2, 6, 3, 2)),
    )


PAIRS = {
    "mse": (ops.mse_loss, F.mse_loss, {}),
    "l1": (ops.l1_loss, F.l1_loss, {}),
    "huber": (ops.huber_loss, F.huber_loss, {"delta": 0.7}),
    "smooth": (ops.smooth_l1_loss, F.smooth_l1_loss, {"beta": 0.7}),
    "smooth at 0": (ops.smooth_l1_loss, F.smooth_l1_loss, {"beta": 0.0}),
    "kl": (lambda x, t, **s: ops.kl_divergence(x, ops.abs(t), **s),
           lambda x, t, **s: F.kl_div(x, t.abs(), **s), {}),
    "kl of logs": (ops.kl_divergence, F.kl_div, {"log_target": True}),
    "logits": (ops.binary_cross_entropy_with_logits, F.binary_cross_entropy_with_logits, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    ("reduction", "shape"),
    [
        *itertools.product(["mean", "sum", "none"], [(), (4,), (3, 2)]),
        ("sum", (0, 2)),
        ("none", (0, 2)),
    ],
)
def test_losses_of_pairs(agree, rng, name, reduction, shape):
    ours, theirs, settings = PAIRS[name]
    agree(
        lambda x, t: ours(x, t, reduction=reduction, **settings),
        lambda x, t: theirs(x, t, reduction=reduction, **settings),
        rng.normal(size=shape) * 2, rng.normal(size=shape),
    )  # fmt: skip


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_binary_cross_entropy(agree, rng, reduction):
    target, weights = rng.uniform(size=(3, 2)), rng.uniform(size=(2,))
    positive = rng.uniform(0.5, 3, size=(2,))
    agree(
        lambda x: ops.binary_cross_entropy(x, target, weights=weights, reduction=reduction),
        lambda x: F.binary_cross_entropy(
            x, torch.tensor(target), torch.tensor(weights).expand(3, 2), reduction=reduction
        ),
        rng.uniform(0.1, 0.9, size=(3, 2)),
    )
    agree(
        lambda x: ops.binary_cross_entropy_with_logits(
            x, target, weights=weights, positive_weight=positive, reduction=reduction
        ),
        lambda x: F.binary_cross_entropy_with_logits(
            x, torch.tensor(target), torch.tensor(weights), reduction=reduction,
            pos_weight=torch.tensor(positive),
        ),
        rng.normal(size=(3, 2)) * 3,
    )  # fmt: skip


@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_cosine_loss(agree, rng, margin):
    target = np.array([1, -1, -1, 1])
    agree(
        lambda a, b: ops.cosine_loss(a, b, target, margin=margin),
        lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor(target), margin=margin),
        *rng.normal(size=(2, 4, 3)),
    )
    agree(
        lambda a, b: ops.cosine_similarity(a, b, axis=1),
        lambda a, b: F.cosine_similarity(a, b, dim=1),
        *rng.normal(size=(2, 3, 4, 2)),
    )


CHOICES = list(
    itertools.product(
        [(4,), (3, 4), (2, 3, 2), (2, 3, 2, 2)], ["mean", "sum", "none"], [False, True], [0.0, 0.2],
        [None, 1],
    )
)  # fmt: skip


@pytest.mark.parametrize(("shape", "reduction", "weighted", "smoothing", "ignored"), CHOICES)
def test_cross_entropy_of_labels(agree, rng, shape, reduction, weighted, smoothing, ignored):
    axis = min(1, len(shape) - 1)
    labels = rng.integers(0, shape[axis], size=(*shape[:axis], *shape[axis + 1 :]))
    weights = rng.uniform(0.5, 2, size=shape[axis]) if weighted else None
    settings = {} if ignored is None else {"ignore_index": ignored}
    if ignored is not None and labels.size:
        labels.flat[0] = 0  # a mean over nothing is nan
    theirs = {
        **settings, "reduction": reduction,
        "weight": None if weights is None else torch.tensor(weights),
    }  # fmt: skip
    settings |= {"weights": weights, "reduction": reduction}
    x = rng.normal(size=shape) * 2
    agree(
        lambda x: ops.cross_entropy(x, labels, label_smoothing=smoothing, **settings),
        lambda x: F.cross_entropy(x, torch.tensor(labels), label_smoothing=smoothing, **theirs),
        x,
    )
    agree(
        lambda x: ops.nll_loss(x, labels, **settings),
        lambda x: F.nll_loss(x, torch.tensor(labels), **theirs),
        x,
    )


@pytest.mark.parametrize(("shape", "reduction", "weighted", "smoothing", "ignored"), CHOICES[::2])
def test_cross_entropy_of_probabilities(agree, rng, shape, reduction, weighted, smoothing, ignored):
    axis = min(1, len(shape) - 1)
    weights = rng.uniform(0.5, 2, size=shape[axis]) if weighted else None
    weight = None if weights is None else torch.tensor(weights)
    agree(
        lambda x, t: ops.cross_entropy(
            x, t, weights=weights, label_smoothing=smoothing, reduction=reduction
        ),
        lambda x, t: F.cross_entropy(
            x, t, weight=weight, label_smoothing=smoothing, reduction=reduction
        ),
        rng.normal(size=shape), rng.uniform(size=shape),
    )  # fmt: skip


def test_embedding(agree, rng):
    ids = rng.integers(0, 4, size=(3, 5))
    for padding in (None, 2, -1):
        agree(
            lambda w, p=padding: ops.embedding(ids, w, padding=p),
            lambda w, p=padding: F.embedding(torch.tensor(ids), w, p),
            rng.normal(size=(4, 3)),
        )


@pytest.mark.parametrize(
    ("x", "w", "b"), [((3,), (4, 3), 4), ((2, 5, 3), (4, 3), 4), ((2, 3), (3,), ())]
)
def test_linear(agree, rng, x, w, b):
    arrays = [rng.normal(size=s) for s in (x, w, b)]
    agree(ops.linear, F.linear, *arrays[:2])
    agree(ops.linear, lambda x, w, b: F.linear(x, w) + b, *arrays)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("masked", [None, "bool", "float", "causal"])
def test_attention(agree, rng, batch, masked):
    q, k, v = (rng.normal(size=(*batch, *s)) for s in ((4, 3), (5, 3), (5, 2)))
    settings = {"causal": True} if masked == "causal" else {}
    theirs = {"is_causal": True} if masked == "causal" else {}
    if masked in ("bool", "float"):
        mask = rng.normal(size=(4, 5))
        mask = mask > -1 if masked == "bool" else mask
        settings, theirs = {"mask": mask}, {"attn_mask": torch.tensor(mask)}
    agree(
        lambda *xs: ops.scaled_dot_product_attention(*xs, **settings),
        lambda *xs: F.scaled_dot_product_attention(*xs, **theirs),
        q, k, v,
    )  # fmt: skip


def test_heads_that_share(agree, rng):
    q, k, v = rng.normal(size=(2, 6, 4, 3)), *rng.normal(size=(2, 2, 2, 5, 3))
    agree(
        lambda *xs: ops.scaled_dot_product_attention(*xs, grouped=True, scale=0.3),
        lambda *xs: F.scaled_dot_product_attention(*xs, enable_gqa=True, scale=0.3),
        q, k, v,
    )  # fmt: skip


def test_single_precision_is_near(rng):
    x = rng.normal(size=(8, 16)).astype("f")
    near = {"rtol": 1.3e-6, "atol": 1e-5}
    given = torch.tensor(x)
    np.testing.assert_allclose(ops.layer_norm(x), F.layer_norm(given, (16,)), **near)
    labels = rng.integers(0, 16, size=8)
    found = ops.cross_entropy(x, labels)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, F.cross_entropy(given, torch.tensor(labels)), **near)
    assert ops.layer_norm(Tensor(x)).dtype == np.float32
    half = x.astype("e") * 300
    for ours, theirs in (
        (ops.rms_norm(half), F.rms_norm(torch.tensor(half), (16,), eps=1e-5)),
        (ops.layer_norm(half), F.layer_norm(torch.tensor(half), (16,))),
    ):
        assert ours.dtype == np.float16
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=4e-3, atol=2e-3)
