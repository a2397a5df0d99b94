import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate

BATCH = {0: {0: "N"}}
IMAGE = {0: {0: "N", 2: "H", 3: "W"}}


@pytest.mark.parametrize("opset", [1, 11, 22])
@pytest.mark.parametrize("word", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_auto_pad(agree, normal, opset, word):
    agree(
        "Conv", normal(2, 3, 7, 6), normal(4, 3, 3, 2), opset=opset, auto_pad=word,
        kernel_shape=[3, 2], strides=[2, 3], opened=BATCH,
    )  # fmt: skip


def test_images_of_open_sizes(agree, normal):
    x, w, b = normal(2, 4, 6, 5), normal(6, 2, 3, 3), normal(6)
    agree("Conv", x, w, b, opset=22, group=2, pads=[1, 0, 1, 2], opened=IMAGE)
    agree("Conv", x, w, b, opset=22, group=2, auto_pad="SAME_UPPER", opened=IMAGE)


@pytest.mark.parametrize("shape", [(1, 2, 9), (2, 2, 5, 6), (1, 2, 4, 5, 3)])
@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_each_rank_and_dtype(agree, normal, shape, dtype):
    axes = len(shape) - 2
    agree(
        "Conv", normal(*shape, dtype=dtype), normal(3, 2, *(2,) * axes, dtype=dtype), opset=11,
        pads=[1] * axes + [0] * axes, strides=[2] + [1] * (axes - 1), opened=BATCH,
        rtol=1e-2 if dtype == "float16" else 1e-6, atol=1e-2 if dtype == "float16" else 1e-6,
    )  # fmt: skip


def test_dilation_and_no_images(agree, normal):
    agree("Conv", normal(1, 1, 7, 7), normal(2, 1, 3, 2), opset=11, dilations=[2, 3])
    x = normal(0, 2, 5, 5)
    agree("Conv", x, normal(3, 2, 2, 2), opset=11, expected=[np.zeros((0, 3, 4, 4), "float32")])


def test_what_does_not_fit_is_refused(one_node, normal):
    x, w = normal(1, 1, 5, 5), normal(1, 1, 3, 3)
    for attributes, said in (
        ({"kernel_shape": [2, 2]}, r"kernel_shape is \(2, 2\)"),
        ({"pads": [1, 1]}, "pads has 4 entries"),
        ({"auto_pad": "SAME"}, "no auto_pad 'SAME'"),
    ):
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node("Conv", [x, w], opset=11, **attributes), {"x0": x, "x1": w})
    deep = normal(1, 1, 2, 2, 2, 2)
    with pytest.raises(OnnxError, match="one to three axes"):
        evaluate(one_node("Conv", [deep, deep], opset=11), {"x0": deep, "x1": deep})


def test_a_bias_has_a_number_for_each_channel(one_node, normal):
    x, w = normal(1, 1, 5), normal(1, 1, 3)
    for operator in ("Conv", "ConvTranspose"):
        for bias in (normal(2), normal(1, 1), normal()):
            feeds = {"x0": x, "x1": w, "x2": bias}
            with pytest.raises(OnnxError, match="one number for each channel"):
                evaluate(one_node(operator, [x, w, bias], opset=11), feeds)


def test_blocks_have_sizes_and_images_bounds(one_node, normal):
    columns = normal(1, 4, 9)
    for image, block, said in (
        ([4, 4], [0, 2], "a block has a size"), ([4, 4], [2], "a block has a size"),
        ([10**5, 10**5], [2, 2], "limits allow"),
    ):  # fmt: skip
        arrays = [columns, np.array(image), np.array(block)]
        feeds = {f"x{i}": array for i, array in enumerate(arrays)}
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node("Col2Im", arrays, opset=18), feeds)


@pytest.mark.parametrize("how", [{"pads": [1, 1]}, {"auto_pad": "SAME_LOWER"}])
def test_half_of_an_open_size(agree, normal, how):
    for length in (5, 6):
        agree("Conv", normal(1, 1, length), normal(1, 1, 3), opset=11, strides=[2],
              opened={0: {2: "L"}}, **how)  # fmt: skip


TRANSPOSED = [
    {"strides": [2, 3], "pads": [1, 0, 0, 1]},
    {"strides": [3, 2], "output_padding": [2, 1], "pads": [0, 1, 1, 1], "group": 1},
    {"strides": [2, 2], "output_shape": [8, 6], "auto_pad": "SAME_UPPER"},
    {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
    {"strides": [2, 3], "auto_pad": "SAME_LOWER"},
    {"dilations": [2, 3]},
]


@pytest.mark.parametrize("attributes", TRANSPOSED)
@pytest.mark.parametrize("opset", [1, 11, 22])
def test_transposed(agree, normal, attributes, opset):
    x, w, b = normal(2, 3, 4, 3), normal(3, 2, 3, 3), normal(2)
    agree("ConvTranspose", x, w, b, opset=opset, opened=BATCH, **attributes)


def test_transposed_of_each_rank(agree, normal):
    agree("ConvTranspose", normal(1, 2, 5), normal(2, 1, 3), opset=11, strides=[2])
    x, w = normal(1, 2, 2, 3, 2), normal(2, 1, 2, 2, 3)
    agree("ConvTranspose", x, w, opset=11, strides=[2, 1, 2], pads=[0, 1, 0, 0, 0, 1])


def spread(x, w):
    """Compute a transposed convolution of stride 2 by its definition."""
    result = np.zeros((1, 1, (x.shape[2] - 1) * 2 + 2, (x.shape[3] - 1) * 2 + 2), "float32")
    for c, i, j in np.ndindex(x.shape[1:]):
        result[0, 0, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2] += x[0, c, i, j] * w[c, 0]
    return result


def test_transposed_groups_and_an_open_image(agree, normal):
    x, w = normal(1, 4, 3, 5), normal(4, 1, 2, 2)
    each = [spread(x[:, i : i + 2], w[i : i + 2]) for i in (0, 2)]
    expected = np.concatenate(each, axis=1)
    agree("ConvTranspose", x, w, opset=11, group=2, strides=[2, 2], expected=[expected],
          opened=IMAGE)  # fmt: skip


def test_a_larger_result_than_windows_reach_ends_in_zeros(agree, normal):
    x, w, b = normal(1, 1, 3), normal(1, 1, 2), normal(1)
    (reached,) = np.convolve(x[0, 0], w[0, 0])[None]
    expected = np.concatenate([reached, [0, 0, 0]]).astype("float32") + b
    agree("ConvTranspose", x, w, b, opset=11, output_shape=[7], expected=[expected[None, None]])
    more = np.concatenate([reached, [0]]).astype("float32")
    agree("ConvTranspose", x, w, opset=11, output_padding=[1], expected=[more[None, None]])


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_columns_go_back(agree, dtype):
    rng = np.random.default_rng(1)
    columns = rng.integers(-9, 9, size=(2, 3 * 4, 6)).astype(dtype)
    image, block = np.array([4, 5]), np.array([2, 2])
    agree("Col2Im", columns, image, block, opset=18, known=(1, 2), strides=[2, 2],
          pads=[0, 1, 1, 0], opened=BATCH)  # fmt: skip


def test_columns_of_three_axes_and_dilation(agree, normal):
    columns = normal(1, 2 * 8, 8)
    image, block = np.array([3, 4, 3]), np.array([2, 2, 2])
    agree("Col2Im", columns, image, block, opset=18, known=(1, 2), dilations=[1, 2, 1])
