"""Triangles and diagonals in ONNX."""

import numpy as np
import pytest

from cgkit import ops

X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("k", [-1, 0, 2, 9])
def test_triangles(written, k):
    assert written(lambda x: ops.tril(x, k=k), X).kinds == ["Trilu"]
    np.testing.assert_array_equal(written(lambda x: ops.tril(x, k=k), X).result, np.tril(X, k))
    np.testing.assert_array_equal(written(lambda x: ops.triu(x, k=k), X).result, np.triu(X, k))


@pytest.mark.parametrize("offset", [-2, 0, 1, 7])
def test_diagonals(written, offset):
    found = written(lambda x: ops.diagonal(x, offset=offset), X)
    np.testing.assert_array_equal(found.result, np.diagonal(X, offset))


def test_a_diagonal_of_open_size(written):
    found = written(ops.diagonal, X[:, :3], shapes=[("N", "N")])
    np.testing.assert_array_equal(found.result, [0, 5, 10])


def test_diagonals_of_matrices_in_a_batch(written):
    x = np.arange(24.0).reshape(2, 3, 4)
    found = written(lambda x: ops.diagonal(x, offset=1, axis1=2, axis2=0), x)
    np.testing.assert_array_equal(found.result, np.diagonal(x, 1, 2, 0))


@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_the_way_back(written, offset):
    size = len(np.diagonal(X, offset))
    a = np.concatenate([[np.nan, np.inf], np.arange(size)])[:size]
    found = written(lambda a: ops.on_diagonal(a, shape=(3, 4), offset=offset), a).result
    expected = np.zeros((3, 4))
    for i in range(size):
        expected[i + max(-offset, 0), i + max(offset, 0)] = a[i]
    np.testing.assert_array_equal(found, expected)  # nan and inf stay where they are


def test_ones_on_a_diagonal(written):
    found = written(lambda x: ops.eye_like(x, k=1, dtype="float32"), X)
    np.testing.assert_array_equal(found.result, np.eye(3, 4, 1, np.float32))
    assert found.kinds == ["EyeLike"]
