"""Batch normalization in ONNX."""

import numpy as np
import pytest

from cgkit import ops

RNG = np.random.default_rng(2)


@pytest.mark.parametrize(
    ("shape", "axis", "kinds"),
    [
        ((3, 2, 4), 1, ["BatchNormalization"]),
        ((4, 3), -1, ["BatchNormalization"]),
        ((2, 4, 3), 2, ["Transpose", "BatchNormalization", "Transpose"]),
        ((2, 4, 3), 0, ["Transpose", "BatchNormalization", "Transpose"]),
        ((5,), 0, ["Reshape", "BatchNormalization", "Reshape"]),
    ],
)
def test_with_given_statistics(written, shape, axis, kinds):
    x, channels = RNG.normal(size=shape), shape[axis]
    vectors = [RNG.normal(size=channels) for _ in range(3)] + [RNG.uniform(1, 2, channels)]
    params = {"axis": axis, "epsilon": 0.25}
    found = written(lambda *xs: ops.batch_norm(*xs, **params), x, *vectors)
    assert found.kinds == kinds
    expected = ops.batch_norm(x, *vectors, **params)
    np.testing.assert_allclose(found.result, expected, rtol=1e-6)


def test_with_the_statistics_of_the_batch(written):
    x, scale, shift = RNG.normal(size=(6, 3)), RNG.normal(size=3), RNG.normal(size=3)
    found = written(ops.batch_norm_train, x, scale, shift, shapes=[("N", 3), (3,), (3,)])
    y, mean, var = found.results
    np.testing.assert_allclose(mean, x.mean(axis=0))
    np.testing.assert_allclose(var, x.var(axis=0))
    np.testing.assert_allclose(y, (x - mean) / np.sqrt(var + 1e-5) * scale + shift)


def test_in_the_widest_dtype(written):
    x, vectors = np.ones((2, 3), np.float32), [np.ones(3) for _ in range(4)]
    assert written(ops.batch_norm, x, *vectors).result.dtype == np.float64
