"""Pooling in ONNX, and its gradients."""

import numpy as np
import pytest

from cgkit import Tensor, grad, ops
from cgkit.errors import OnnxError

X = np.random.default_rng(1).permutation(60).reshape(1, 2, 6, 5).astype("float64")


def test_images_are_pooled_as_they_are(written):
    found = written(lambda x: ops.max_pool(x, kernel=2), X)
    assert found.kinds == ["MaxPool"]
    np.testing.assert_array_equal(found.result, ops.max_pool(X, kernel=2))


def test_other_ranks_are_made_images(written):
    line = X.reshape(-1)
    found = written(lambda x: ops.avg_pool(x, kernel=(4,), stride=3), line)
    assert found.kinds == ["Reshape", "AveragePool", "Reshape"]
    np.testing.assert_allclose(found.result, ops.avg_pool(line, kernel=(4,), stride=3))
    opened = written(lambda x: ops.avg_pool(x, kernel=(4,), stride=1), line, shapes=[("N",)])
    np.testing.assert_allclose(opened.result, ops.avg_pool(line, kernel=(4,), stride=1))


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": 3, "divisor": 4}, {"kernel": (2, 3), "stride": 2, "padding": 1, "divisor": 2},
        {"kernel": 3, "stride": 2, "padding": 1, "ceil_mode": True, "divisor": 5},
    ],
)  # fmt: skip
def test_a_divisor_of_ones_own(written, settings):
    found = written(lambda x: ops.avg_pool(x, **settings), X)
    assert "AveragePool" not in found.kinds
    np.testing.assert_allclose(found.result, ops.avg_pool(X, **settings))


@pytest.mark.parametrize("dtype", ["int32", "int64", "int16"])
def test_whole_numbers_that_no_float_holds(written, dtype):
    limits = np.iinfo(dtype)
    x = np.array([[limits.max - 1, limits.max, limits.min, limits.min + 1]], dtype)
    settings = {"kernel": (2,), "padding": 1, "stride": 1}
    found = written(lambda x: ops.max_pool(x, **settings), x)
    assert "MaxPool" not in found.kinds
    np.testing.assert_array_equal(found.result, ops.max_pool(x, **settings))


def test_a_length_of_half_order(written):
    found = written(lambda x: ops.lp_pool(x, kernel=2, p=1.5), X)
    np.testing.assert_allclose(found.result, ops.lp_pool(X, kernel=2, p=1.5))
    assert written(lambda x: ops.lp_pool(x, kernel=2, p=3.0), X).kinds == ["LpPool"]


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": 2}, {"kernel": (3, 2), "stride": (1, 3), "dilation": (2, 1)},
        {"kernel": 3, "stride": 2, "padding": 1},
        {"kernel": 3, "stride": 2, "padding": 1, "count_include_pad": False},
        {"kernel": 3, "stride": 2, "padding": 1, "ceil_mode": True},
        {"kernel": 2, "stride": 2, "ceil_mode": True, "divisor": 3},
    ],
)  # fmt: skip
def test_the_gradient_of_means(written, settings):
    g = ops.avg_pool(X, **settings) + 1.0
    found = written(lambda g: ops.avg_unpool(g, size=(6, 5), **settings), g)
    np.testing.assert_allclose(found.result, ops.avg_unpool(g, size=(6, 5), **settings))


def test_the_gradient_of_means_of_open_images(written):
    def fn(x):
        return ops.avg_unpool(ops.avg_pool(x, kernel=2, stride=1), size=x.shape[2:], kernel=2,
                              stride=1)  # fmt: skip

    found = written(fn, X, shapes=[(1, 2, "H", "W")])
    np.testing.assert_allclose(found.result, fn(X))


def test_places_are_counted_within_each_image(written):
    # where windows overlap the reference counts wrongly; onnxruntime does not
    found = written(lambda x: ops.max_pool_places(x, kernel=2), X[..., :4, :4])
    np.testing.assert_array_equal(found.result, ops.max_pool_places(X[..., :4, :4], kernel=2))
    settings = {"kernel": 2, "stride": 1}
    places = ops.max_pool_places(X, **settings)
    taken = written(lambda x, at: ops.max_pool_taken(x, at, axes=2), X, places)
    np.testing.assert_array_equal(taken.result, ops.max_pool(X, **settings))
    g = np.ones(places.shape)
    back = written(lambda g, at: ops.max_unpool(g, at, size=(6, 5)), g, places)
    np.testing.assert_array_equal(back.result, ops.max_unpool(g, places, size=(6, 5)))


def test_a_window_of_open_size(written):
    with pytest.raises(OnnxError, match=r"(?s)lp_pool cannot be exported.*a window.*H is open"):
        written(ops.global_lp_pool, X, shapes=[(1, 2, "H", 5)])


@pytest.mark.parametrize("include", [False, True])
@pytest.mark.parametrize(
    "settings",
    [{"kernel": 1, "stride": 3}, {"kernel": 2, "stride": 3},
     {"kernel": 3, "stride": (3, 2), "padding": 1}, {"kernel": 3, "stride": 2, "padding": "same"}],
)  # fmt: skip
def test_gradients_of_windows_that_hang_over(written, settings, include):
    how = {**settings, "ceil_mode": True, "count_include_pad": include}
    for size in ((5, 6), (3, 4), (4, 5)):

        def pooled(x):
            return grad((ops.avg_pool(x, **how) * 2.0).sum(), [x])[0]

        x = np.ones((1, 1, *size))
        expected = pooled(Tensor(x, requires_grad=True)).data
        for shape in (x.shape, ("N", 1, "H", "W")):
            found = written(pooled, x, shapes=[shape])
            np.testing.assert_allclose(found.result, expected, rtol=1e-9)
