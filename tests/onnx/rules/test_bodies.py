"""Operators that have no rule, since ONNX's own function bodies do, with open sizes too."""

import numpy as np
import pytest

BATCHES = {i: {0: "N"} for i in range(3)}
LENGTHS = {0: {0: "N", 2: "L"}, 1: {0: "N", 2: "S"}, 2: {0: "N", 2: "S"}}
PAST = {4: {0: "N", 2: "P"}, 5: {0: "N", 2: "P"}}


@pytest.mark.parametrize("opened", [BATCHES, LENGTHS])
@pytest.mark.parametrize(
    ("heads", "how"),
    [(3, {}), (3, {"is_causal": 1}), (1, {"softcap": 2.0}), (3, {"scale": 0.2})],
)
def test_attention(agree, normal, opened, heads, how):
    q, k, v = normal(2, 3, 4, 8), normal(2, heads, 6, 8), normal(2, heads, 6, 5)
    agree("Attention", q, k, v, opset=23, opened=opened, rtol=1e-4, **how)


@pytest.mark.parametrize("truth", [False, True])
def test_masked_attention_with_a_past(agree, normal, truth):
    q, k, v, mask = normal(2, 3, 4, 8), normal(2, 3, 6, 8), normal(2, 3, 6, 8), normal(4, 6)
    mask = mask > -0.5 if truth else mask
    mask[:, 0] = True
    agree("Attention", q, k, v, mask, opset=23, opened=BATCHES, rtol=1e-4)
    past = normal(2, 3, 5, 8), normal(2, 3, 5, 8)
    agree("Attention", q, k, v, None, *past, opset=23, outputs=3, opened={**LENGTHS, **PAST},
          rtol=1e-4)  # fmt: skip


def test_attention_of_three_axes(agree, normal):
    q, k, v = normal(2, 4, 24), normal(2, 6, 24), normal(2, 6, 24)
    opened = {0: {0: "N", 1: "L"}, 1: {0: "N", 1: "S"}, 2: {0: "N", 1: "S"}}
    agree("Attention", q, k, v, opset=23, q_num_heads=3, kv_num_heads=3, opened=opened, rtol=1e-4)


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_embedding(agree, normal, interleaved):
    x, cos, sin = normal(2, 4, 3, 8), normal(50, 4), normal(50, 4)
    at = np.random.default_rng(0).integers(0, 50, size=(2, 3))
    agree("RotaryEmbedding", x, cos, sin, at, opset=23, interleaved=interleaved,
          opened={0: {0: "N", 2: "S"}, 3: {0: "N", 1: "S"}})  # fmt: skip
    near = {0: {0: "N", 2: "S"}, 1: {0: "N", 1: "S"}, 2: {0: "N", 1: "S"}}
    agree("RotaryEmbedding", x, normal(2, 3, 4), normal(2, 3, 4), opset=23, opened=near,
          interleaved=interleaved)  # fmt: skip


LABELS = np.array([[0, 2, 1, 1], [1, 1, 0, 2]])
SCORES = {0: {0: "N", 2: "H"}, 1: {0: "N", 1: "H"}}


@pytest.mark.parametrize("opset", [12, 13])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("how", [{}, {"ignore_index": 1}])
def test_losses(agree, normal, opset, reduction, weighted, how):
    x, weights = normal(2, 3, 4), abs(normal(3)) if weighted else None
    words = {"opset": opset, "reduction": reduction, "opened": SCORES, **how}
    agree("NegativeLogLikelihoodLoss", x, LABELS, weights, **words)
    agree("SoftmaxCrossEntropyLoss", x, LABELS, weights, outputs=2, **words)


@pytest.mark.parametrize("opset", [9, 13])
def test_mean_and_variance(agree, normal, opset):
    x, opened = normal(2, 3, 4, 5), {0: {0: "N", 2: "H"}}
    agree("MeanVarianceNormalization", x, opset=opset, opened=opened, atol=1e-5)
    agree("MeanVarianceNormalization", x, opset=opset, axes=[0, 2], opened=opened, atol=1e-5)


@pytest.mark.parametrize("axes", [[1, 2], [-1, -2], [2]])
def test_cropping_and_padding(agree, normal, axes):
    for sizes in ([2, 5], [6, 1]):
        given = np.array(sizes[: len(axes)])
        agree("CenterCropPad", normal(2, 3, 4), given, opset=18, known=(1,), axes=axes,
              opened={0: {0: "N"}})  # fmt: skip


@pytest.mark.parametrize("operator", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("periodic", [0, 1])
@pytest.mark.parametrize("number", [1, 11])
def test_windows(agree, operator, periodic, number):
    for size in (1 + (not periodic), 7, 8):
        agree(operator, np.array(size), opset=17, known=(0,), periodic=periodic,
              output_datatype=number)  # fmt: skip
