import itertools

import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate

OPENED = {0: {0: "N"}, 2: {0: "N"}, 4: {0: "N"}}


def read(image, at):
    """Read an image between its elements; beyond it all is zero."""
    total = 0.0
    for corner in itertools.product(*((int(np.floor(c)), int(np.floor(c)) + 1) for c in at)):
        if all(0 <= c < size for c, size in zip(corner, image.shape, strict=True)):
            near = [1 - abs(c - a) for c, a in zip(corner, at, strict=True)]
            total += image[corner] * np.prod(near)
    return total


def deformed(x, w, offset, bias, mask, *, strides, pads, dilations, group, offset_group):
    """Convolve by the definition, one product after the other."""
    kernel, axes, outs = w.shape[2:], w.ndim - 2, offset.shape[2:]
    taps = list(np.ndindex(*kernel))
    off = offset.reshape(len(x), offset_group, len(taps), axes, *outs)
    weight = np.ones((len(x), offset_group, len(taps), *outs)) if mask is None else mask.reshape(
        len(x), offset_group, len(taps), *outs)  # fmt: skip
    y = np.zeros((len(x), len(w), *outs))
    for n, o in np.ndindex(*y.shape[:2]):
        first = o // (len(w) // group) * w.shape[1]
        for at in np.ndindex(*outs):
            for c, (t, tap) in itertools.product(range(w.shape[1]), enumerate(taps)):
                shared = (first + c) // (x.shape[1] // offset_group)
                point = [
                    at[i] * strides[i]
                    - pads[i]
                    + tap[i] * dilations[i]
                    + off[(n, shared, t, i, *at)]
                    for i in range(axes)
                ]
                y[(n, o, *at)] += (
                    w[(o, c, *tap)] * weight[(n, shared, t, *at)] * read(x[n, first + c], point)
                )
    return (y + (0 if bias is None else bias.reshape(-1, *(1,) * axes))).astype("float32")


@pytest.mark.parametrize("opset", [19, 22])
@pytest.mark.parametrize(
    ("group", "offset_group", "how"),
    [
        (1, 1, {"strides": [1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1]}),
        (2, 2, {"strides": [2, 1], "pads": [1, 0, 1, 1], "dilations": [1, 2]}),
        (1, 4, {"strides": [1, 1], "pads": [1, 1, 1, 1], "dilations": [2, 1]}),
    ],
)
@pytest.mark.parametrize("full", [False, True])
def test_two_axes(agree, normal, opset, group, offset_group, how, full):
    x, w = normal(2, 4, 4, 5), normal(4, 4 // group, 2, 3)
    spans = [(k - 1) * d + 1 for k, d in zip((2, 3), how["dilations"], strict=True)]
    outs = [
        (size + low + high - span) // s + 1
        for size, low, high, span, s in zip(
            (4, 5), how["pads"][:2], how["pads"][2:], spans, how["strides"], strict=True
        )
    ]
    offset = normal(2, offset_group * 6 * 2, *outs)
    bias = normal(4) if full else None
    mask = normal(2, offset_group * 6, *outs) if full else None
    words = {"group": group, "offset_group": offset_group, **how}
    expected = [deformed(x, w, offset, bias, mask, **words)]
    agree("DeformConv", x, w, offset, bias, mask, opset=opset, expected=expected, opened=OPENED,
          atol=1e-5, **words)  # fmt: skip


@pytest.mark.parametrize("axes", [1, 3])
def test_other_ranks(agree, normal, axes):
    x, w = normal(1, 2, *(3, 4, 3)[:axes]), normal(2, 2, *(2,) * axes)
    outs = tuple(size - 1 for size in x.shape[2:])
    offset = normal(1, 2**axes * axes, *outs)
    words = {"strides": [1] * axes, "pads": [0] * 2 * axes, "dilations": [1] * axes, "group": 1,
             "offset_group": 1}  # fmt: skip
    expected = [deformed(x, w, offset, None, None, **words)]
    agree("DeformConv", x, w, offset, opset=19, expected=expected, atol=1e-5)


def test_what_does_not_fit_is_refused(one_node, normal):
    x, w, offset = normal(1, 2, 3, 3), normal(2, 2, 2, 2), normal(1, 8, 2, 2)
    for arrays, how, said in (
        ([x, w, normal(1, 8, 3, 3)], {}, "places of its windows"),
        ([x, w, normal(1, 7, 2, 2)], {}, "cannot reshape"),
        ([x, w, offset, normal(3)], {}, "one number for each channel"),
        ([x, w, offset], {"offset_group": 0}, "groups"),
    ):
        feeds = {f"x{i}": array for i, array in enumerate(arrays)}
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node("DeformConv", arrays, opset=19, **how), feeds)


def test_without_offsets_it_is_a_convolution(agree, normal):
    from cgkit import ops

    x, w = normal(1, 2, 5, 5), normal(3, 2, 3, 3)
    expected = [ops.conv2d(x, w, padding=1)]
    agree("DeformConv", x, w, np.zeros((1, 18, 5, 5), "float32"), opset=19, pads=[1] * 4,
          expected=expected, atol=1e-5)  # fmt: skip
