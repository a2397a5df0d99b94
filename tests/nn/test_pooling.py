"""Pooling layers, window by window."""

import numpy as np
import pytest

from cgkit import ShapeError, Tensor, nn


@pytest.mark.parametrize(("layer", "fold"), [(nn.MaxPool2d, np.max), (nn.AvgPool2d, np.mean)])
@pytest.mark.parametrize(("kernel", "stride"), [(2, None), ((3, 2), (1, 2)), ((1, 1), 1)])
def test_each_window_gives_a_number(layer, fold, kernel, stride):
    x = Tensor(np.random.default_rng(0).normal(size=(2, 3, 6, 5)), requires_grad=True)
    y = layer(kernel, stride=stride)(x)
    kh, kw = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    sh, sw = (kh, kw) if stride is None else stride if isinstance(stride, tuple) else (1, 1)
    for i in range(y.shape[2]):
        for j in range(y.shape[3]):
            window = x.data[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw]
            np.testing.assert_allclose(y.data[:, :, i, j], fold(window, axis=(2, 3)))
    y.sum().backward()
    np.testing.assert_allclose(x.grad.data.sum(), y.size)


def test_settings_reach_the_operator():
    x = np.ones((1, 1, 5, 5))
    assert nn.MaxPool2d(2, ceil_mode=True)(x).shape == (1, 1, 3, 3)
    assert nn.MaxPool2d(2, stride=1, dilation=3)(x).shape == (1, 1, 2, 2)
    corner = nn.AvgPool2d(3, stride=2, padding=1)(x)[0, 0, 0, 0]
    assert corner == pytest.approx(4 / 9)
    assert nn.AvgPool2d(3, padding=1, count_include_pad=False)(x)[0, 0, 0, 0] == 1.0
    assert nn.AvgPool2d((3, 2), padding=1).heading == "AvgPool2d((3, 2), padding=1)"


def test_images_that_do_not_fit():
    for layer in (nn.MaxPool2d(3), nn.AvgPool2d(3)):
        with pytest.raises(ShapeError, match=r"takes images \(N, C, H, W\), got \(3, 4, 4\)"):
            layer(np.zeros((3, 4, 4)))
        with pytest.raises(ShapeError) as caught:
            layer(np.zeros((1, 3, 2, 2)))
        assert f"in layer {layer.heading}" in caught.value.with_place()
