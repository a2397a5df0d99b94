"""Convolutional layers: their shapes, settings and refusals; and NumPy, window by window."""

import numpy as np
import pytest

from cgkit import Generator, ShapeError, Tensor
from cgkit.errors import OperandError
from cgkit.nn import Conv1d, Conv2d, Conv3d, ConvTranspose2d


def slid(x, w, b, stride):
    """Slide kernels over images, one window at a time."""
    n, (o, _, kh, kw) = x.shape[0], w.shape
    high, wide = (x.shape[2] - kh) // stride + 1, (x.shape[3] - kw) // stride + 1
    y = np.zeros((n, o, high, wide))
    for i in range(high):
        for j in range(wide):
            window = x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
            y[:, :, i, j] = np.tensordot(window, w, axes=((1, 2, 3), (1, 2, 3))) + b
    return y


@pytest.mark.parametrize("n", [2, 0])
@pytest.mark.parametrize("stride", [1, 2])
def test_conv2d_slides_its_kernels(n, stride):
    layer = Conv2d(2, 3, (3, 2), Generator(0), stride=stride, dtype="float64")
    x = np.random.default_rng(0).normal(size=(n, 2, 5, 6))
    y = layer(Tensor(x))
    np.testing.assert_allclose(
        y.data, slid(x, layer.weight.data, layer.bias.data, stride), rtol=1e-10, atol=1e-12
    )
    y.sum().backward()
    np.testing.assert_array_equal(layer.bias.grad.data, [y.size / 3] * 3)


def test_groups_and_settings_reach_the_operator():
    layer = Conv2d(4, 6, 3, Generator(0), padding=1, dilation=2, groups=2, bias=False)
    assert layer.weight.shape == (6, 2, 3, 3)
    assert layer(np.zeros((1, 4, 8, 8), "float32")).shape == (1, 6, 6, 6)
    assert Conv2d(1, 1, 3, Generator(0), padding="same")(np.zeros((1, 1, 5, 7), "f")).shape == (
        1, 1, 5, 7,
    )  # fmt: skip
    x = np.random.default_rng(0).normal(size=(1, 4, 5, 5)).astype("float32")
    changed = x.copy()
    changed[:, 2:] += 1.0  # the second half of the channels reaches the second half alone
    difference = (layer(x).data - layer(changed).data)[0].any(axis=(1, 2))
    assert difference.tolist() == [False] * 3 + [True] * 3


def test_other_ranks():
    g = Generator(0)
    x = np.random.default_rng(0).normal(size=(2, 2, 7))
    layer = Conv1d(2, 3, 3, g, dtype="float64")
    flat = slid(x[:, :, None], layer.weight.data[:, :, None], layer.bias.data, 1)
    np.testing.assert_allclose(layer(x).data, flat[:, :, 0], rtol=1e-10)
    assert Conv3d(1, 2, 2, g)(np.zeros((1, 1, 3, 4, 5), "f")).shape == (1, 2, 2, 3, 4)


def test_the_transposed_goes_the_other_way_round():
    layer = ConvTranspose2d(2, 3, 3, Generator(0), stride=2, bias=False, dtype="float64")
    x, z = np.random.default_rng(0).normal(size=(2, 2, 4, 4)), Tensor(np.zeros((2, 3, 9, 9)))
    settings = {"stride": 3, "output_padding": 2, "padding": 1, "dilation": 2}
    wide = ConvTranspose2d(2, 3, 3, Generator(0), **settings)
    assert wide(np.zeros((1, 2, 4, 4), "float32")).shape == (1, 3, 14, 14)
    back = Conv2d(3, 2, 3, Generator(0), stride=2, bias=False, dtype="float64")
    back.load_state({"weight": layer.weight.data})
    z.requires_grad_()
    (back(z) * x).sum().backward()  # the gradient of a convolution is what it spreads
    np.testing.assert_allclose(layer(x).data, z.grad.data, rtol=1e-10)


def test_first_values_shrink_with_what_a_window_sees():
    layer = Conv2d(8, 64, 5, Generator(0), groups=2)
    assert abs(layer.weight.data).max() <= (4 * 25) ** -0.5
    assert abs(layer.weight.data).max() > 0.99 * (4 * 25) ** -0.5
    assert abs(layer.bias.data).max() <= (4 * 25) ** -0.5


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda g: Conv2d(3, 4, 3, g, groups=2), "split 3 inputs and 4 outputs into 2 groups"),
        (lambda g: Conv2d(3, 4, (3, 3, 3), g), r"over 2 axes, and its kernel is \(3, 3, 3\)"),
        (lambda g: Conv2d(3, 4, 0, g), "0 is no size"),
        (lambda g: Conv2d(0, 4, 3, g), "the inputs of Conv2d is a whole number of at least 1"),
        (lambda g: ConvTranspose2d(3, 4.0, 3, g), "the outputs of ConvTranspose2d"),
    ],
)
def test_settings_that_make_no_layer(make, said):
    with pytest.raises((ShapeError, OperandError), match=said):
        make(Generator(0))


@pytest.mark.parametrize("shape", [(1, 4, 8, 8), (3, 8, 8), (1, 3, 2, 2)])
def test_images_that_do_not_fit_name_the_layer(shape):
    with pytest.raises(ShapeError) as caught:
        Conv2d(3, 8, 3, Generator(0))(np.zeros(shape, "float32"))
    assert caught.value.__notes__[-1] == "  in layer Conv2d(3, 8, 3)"
