"""Convolution in ONNX, and its gradients, against cgkit's own on settings drawn at random."""

import numpy as np
import pytest

from cgkit import ops

RNG = np.random.default_rng(3)
IMAGES, KERNELS = RNG.normal(size=(2, 4, 7, 6)), RNG.normal(size=(6, 2, 3, 2))
SETTINGS = [
    {"groups": 2}, {"groups": 2, "stride": (2, 3)}, {"groups": 2, "padding": ((1, 0), (2, 1))},
    {"groups": 2, "dilation": (2, 1), "stride": 2, "padding": "same"},
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS)
def test_forward_and_for_kernels(written, settings):
    expected = ops.conv2d(IMAGES, KERNELS, **settings)
    found = written(lambda x, w: ops.conv2d(x, w, **settings), IMAGES, KERNELS)
    assert found.kinds == ["Conv"]
    np.testing.assert_allclose(found.result, expected, rtol=1e-9, atol=1e-9)
    params = {"size": (3, 2), **settings}
    back = written(lambda x, g: ops.conv2d_kernel(x, g, **params), IMAGES, expected)
    assert back.kinds.count("Conv") == 1
    wanted = ops.conv2d_kernel(IMAGES, expected, **params)
    np.testing.assert_allclose(back.result, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("settings", [s for s in SETTINGS if "dilation" not in s])
@pytest.mark.parametrize("dtype", ["int32", "int64", "int8"])
def test_whole_numbers_wrap(written, settings, dtype):
    x, w = (np.asarray(1e5 * a, "int64").astype(dtype) for a in (IMAGES, KERNELS))
    assert_same = np.testing.assert_array_equal
    y = ops.conv2d(x, w, **settings)
    found = written(lambda x, w: ops.conv2d(x, w, **settings), x, w)
    assert found.result.dtype == np.dtype(dtype)
    assert "Conv" not in found.kinds  # ONNX convolves floats only
    assert_same(found.result, y)
    params = {"size": (7, 6), **settings}
    back = written(lambda g, w: ops.conv2d_transpose(g, w, **params), y, w)
    assert_same(back.result, ops.conv2d_transpose(y, w, **params))
    params = {"size": (3, 2), **settings}
    kernel = written(lambda x, g: ops.conv2d_kernel(x, g, **params), x, y)
    assert_same(kernel.result, ops.conv2d_kernel(x, y, **params))


def test_an_open_batch_and_open_images(written):
    for shapes in ([("N", 4, 7, 6), KERNELS.shape], [("N", 4, "H", "W"), KERNELS.shape]):
        found = written(
            lambda x, w: ops.conv2d(x, w, groups=2, padding="same"), IMAGES, KERNELS, shapes=shapes
        )
        expected = ops.conv2d(IMAGES, KERNELS, groups=2, padding="same")
        np.testing.assert_allclose(found.result, expected, rtol=1e-9, atol=1e-9)


def test_the_gradient_for_open_images(written):
    # a stride of 1 leaves nothing over; what one of 2 does only a run knows
    for how in ({"padding": 1}, {"padding": 1, "stride": 2}, {"padding": "same", "stride": 2}):

        def fn(x, w, how=how):
            y = ops.conv2d(x, w, **how)
            return (
                ops.conv2d_transpose(y, w, size=x.shape[2:], **how),
                ops.conv2d_kernel(x, y, size=(3, 3), **how),
            )

        x, w = IMAGES, RNG.normal(size=(3, 4, 3, 3))
        found = written(fn, x, w, shapes=[("N", 4, "H", "W"), w.shape])
        for got, expected in zip(found.results, fn(x, w), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


def test_no_images_give_a_kernel_of_zeros(written):
    found = written(
        lambda x, g: ops.conv1d_kernel(x, g, size=(2,)), np.zeros((0, 3, 5)), np.zeros((0, 2, 4))
    )
    np.testing.assert_array_equal(found.result, np.zeros((2, 3, 2)))
