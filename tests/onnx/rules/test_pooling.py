import itertools

import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate

BATCH = {0: {0: "N"}}
IMAGE = {0: {0: "N", 2: "H", 3: "W"}}


def windows(size, kernel, stride, dilation, low, high, ceil):
    """List, for each place along an axis, which elements lie under the window, by ONNX's words."""
    span = (kernel - 1) * dilation + 1
    room = size + low + high - span
    places = (-(-room // stride) if ceil else room // stride) + 1
    starts = [i * stride - low for i in range(places)]
    return [
        [start + k * dilation for k in range(kernel)]
        for start in starts
        if not ceil or start < size
    ]


def pooled(x, fold, kernel, strides, dilations, pads, ceil=0):
    """Fold what lies under each window of (N, C, ...): fold(values, positions, padded bounds)."""
    axes = len(kernel)
    each = [
        windows(x.shape[2 + i], kernel[i], strides[i], dilations[i], pads[i], pads[axes + i], ceil)
        for i in range(axes)
    ]
    result = np.empty((*x.shape[:2], *map(len, each)), x.dtype)
    for n, c in np.ndindex(*x.shape[:2]):
        for at in np.ndindex(*map(len, each)):
            under = list(itertools.product(*(each[i][k] for i, k in enumerate(at))))
            result[(n, c, *at)] = fold(x[n, c], under)
    return result


def inside(image, at):
    return all(0 <= i < size for i, size in zip(at, image.shape, strict=True))


def largest(image, under):
    return max(image[at] for at in under if inside(image, at))


def mean_without(image, under):
    return np.mean([image[at] for at in under if inside(image, at)])


def mean_with(pads):
    """Count padding too, but not what hangs over it."""

    def fold(image, under):
        axes = image.ndim
        counted = [
            at for at in under
            if all(-pads[i] <= at[i] < image.shape[i] + pads[axes + i] for i in range(axes))
        ]  # fmt: skip
        return sum(image[at] for at in counted if inside(image, at)) / len(counted)

    return fold


def length(p):
    return lambda image, under: (
        sum(abs(image[at]) ** p for at in under if inside(image, at)) ** (1 / p)
    )


SETTINGS = [
    ([3, 2], [1, 1], [1, 1], [0, 0, 0, 0]),
    ([3, 3], [2, 2], [1, 1], [1, 0, 1, 1]),
    ([2, 3], [2, 3], [2, 1], [0, 1, 1, 1]),
    ([3, 3], [2, 1], [1, 2], [2, 2, 2, 2]),  # more than half a window, dilated: padded apart
    ([3, 2], [3, 2], [1, 1], [2, 1, 2, 1]),
]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ceil", [0, 1])
def test_windows(agree, normal, setting, ceil):
    kernel, strides, dilations, pads = setting
    x = normal(2, 2, 6, 7)
    words = {
        "kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads,
        "ceil_mode": ceil, "opset": 22,
    }  # fmt: skip
    agree("MaxPool", x, **words, opened=IMAGE, expected=[pooled(x, largest, *setting, ceil)])
    expected = [pooled(x, mean_without, *setting, ceil)]
    agree("AveragePool", x, **words, opened=IMAGE, expected=expected)
    expected = [pooled(x, mean_with(pads), *setting, ceil)]
    agree("AveragePool", x, **words, opened=IMAGE, expected=expected, count_include_pad=1)
    expected = [pooled(x, length(3), *setting, ceil)]
    agree("LpPool", x, **words, opened=IMAGE, expected=expected, p=3)


@pytest.mark.parametrize("opset", [1, 7, 10, 11, 19, 22])
@pytest.mark.parametrize("word", ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"])
def test_auto_pad(agree, normal, opset, word):
    x = normal(1, 2, 5, 6)
    total = {"SAME_UPPER": [1, 0, 1, 1], "SAME_LOWER": [1, 1, 1, 0]}.get(word, [0] * 4)
    setting = ([3, 3], [2, 2], [1, 1], total)
    words = {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": word, "opset": opset}
    agree("AveragePool", x, **words, expected=[pooled(x, mean_without, *setting)])
    agree("MaxPool", x, **words, expected=[pooled(x, largest, *setting)])


@pytest.mark.parametrize("shape", [(2, 1, 7), (1, 2, 3, 4, 3)])
def test_each_rank(agree, normal, shape):
    axes = len(shape) - 2
    x, setting = normal(*shape), ([2] * axes, [1] * axes, [1] * axes, [0] * 2 * axes)
    agree("MaxPool", x, opset=12, kernel_shape=[2] * axes, expected=[pooled(x, largest, *setting)])
    expected = [pooled(x, mean_without, *setting)]
    agree("AveragePool", x, opset=11, kernel_shape=[2] * axes, expected=expected)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "float64"])
def test_dtypes_of_max_pool(agree, dtype):
    x = np.random.default_rng(0).integers(0, 99, size=(1, 2, 4, 4)).astype(dtype)
    pads = [1, 1, 0, 0]
    expected = [pooled(x, largest, [2, 2], [1, 1], [1, 1], pads)]
    agree("MaxPool", x, opset=12, kernel_shape=[2, 2], pads=pads, opened=BATCH, expected=expected)
    none = np.zeros((0, 2, 4, 4), dtype)
    expected = [np.zeros((0, 2, 3, 3), dtype)]
    agree("MaxPool", none, opset=12, kernel_shape=[2, 2], expected=expected)


@pytest.mark.parametrize("pads", [[0] * 4, [1, 0, 1, 1], [2, 2, 1, 1]])
@pytest.mark.parametrize("order", [0, 1])
def test_indices_count_along_all_axes(agree, normal, pads, order):
    x, setting = normal(2, 3, 5, 4), ([3, 3], [2, 1], [1, 1], pads)
    y = pooled(x, largest, *setting)
    at = [np.argwhere(x == value)[0] for value in y.ravel()]  # no number stands twice
    turned = [(n, c, w, h) for n, c, h, w in at] if order else at
    shape = (2, 3, 4, 5) if order else x.shape
    places = np.array([np.ravel_multi_index(tuple(each), shape) for each in turned])
    agree(
        "MaxPool", x, opset=12, outputs=2, kernel_shape=[3, 3], strides=[2, 1], pads=pads,
        storage_order=order, opened=BATCH, expected=[y, places.reshape(y.shape)],
    )  # fmt: skip


def test_indices_of_an_axis_are_no_matter_of_order(agree, normal):
    x = normal(1, 2, 6)
    agree("MaxPool", x, opset=12, outputs=2, kernel_shape=[2], strides=[2], storage_order=1)


def test_unpooling_undoes_pooling(agree, one_node, normal):
    x = normal(2, 2, 4, 6)
    words = {"kernel_shape": [2, 3], "strides": [2, 3]}
    found = evaluate(one_node("MaxPool", [x], opset=12, outputs=2, **words), {"x0": x})
    y, at = found["y0"], found["y1"]
    expected = np.where(np.isin(x, y), x, 0)
    agree("MaxUnpool", y, at, opset=11, expected=[expected], **words,
          opened={0: {0: "N"}, 1: {0: "N"}})  # fmt: skip
    wanted = np.array([2, 2, 5, 8])
    larger = np.zeros((2, 2, 5, 8), "float32")
    larger[:, :, :4, :6] = expected
    agree("MaxUnpool", y, at, wanted, opset=11, known=(2,), expected=[larger], **words)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_whole_channels(agree, normal, p):
    x = normal(2, 3, 4, 5)
    expected = (np.abs(x.astype("float64")) ** p).sum((2, 3), keepdims=True) ** (1 / p)
    agree("GlobalLpPool", x, opset=2, p=p, expected=[expected.astype("float32")], opened=IMAGE)
    agree("GlobalAveragePool", x, opset=1, opened=IMAGE)
    agree("GlobalMaxPool", x, opset=1, opened=IMAGE)


def test_a_power_may_be_no_whole_number_in_the_first_version(agree, normal):
    x = np.abs(normal(1, 1, 4))
    expected = [(x[:, :, ::2] ** 1.5 + x[:, :, 1::2] ** 1.5) ** (1 / 1.5)]
    agree("LpPool", x, opset=1, p=1.5, kernel_shape=[2], strides=[2], expected=expected)


def test_a_kernel_has_a_size_for_each_axis(one_node, normal):
    x = normal(1, 1, 4, 4)
    for kernel in ([2], [2, 2, 2]):
        with pytest.raises(OnnxError, match="kernel_shape"):
            evaluate(one_node("MaxPool", [x], opset=12, kernel_shape=kernel), {"x0": x})


@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool"])
def test_wide_padding_of_an_open_image(agree, normal, operator):
    words = {"kernel_shape": [2], "pads": [2, 2], "opset": 12, "opened": {0: {2: "L"}}}
    x = normal(1, 1, 4)
    pairs = np.stack([x[0, 0, :-1], x[0, 0, 1:]])
    inner = pairs.max(axis=0) if operator == "MaxPool" else pairs.mean(axis=0)
    ends = -np.inf if operator == "MaxPool" else np.nan
    expected = np.array([ends, x[0, 0, 0], *inner, x[0, 0, 3], ends], "float32")
    agree(operator, x, **words, expected=[expected.reshape(1, 1, 7)])
