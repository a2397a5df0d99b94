import itertools

import numpy as np
import pytest

from cgkit import Tensor, grad, ops
from cgkit.errors import ShapeError


def by_permutations(matrix):
    """Leibniz: a product for each way to choose one element of each row and column."""
    n = len(matrix)
    total = 0.0
    for order in itertools.permutations(range(n)):
        turns = sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n))
        total += (-1) ** turns * np.prod([matrix[i][order[i]] for i in range(n)])
    return total


def by_minors(matrix):
    n = len(matrix)
    return np.array([
        [
            (-1) ** (i + j) * by_permutations(np.delete(np.delete(matrix, i, 0), j, 1))
            for j in range(n)
        ]
        for i in range(n)
    ])  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_by_permutations(n):
    matrices = np.random.default_rng(n).normal(size=(3, n, n))
    np.testing.assert_allclose(ops.det(matrices), [by_permutations(m) for m in matrices])
    np.testing.assert_allclose(ops.cofactors(matrices), [by_minors(m) for m in matrices])


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_a_slope_without_an_inverse(rank):
    rng = np.random.default_rng(rank)
    singular = rng.normal(size=(4, rank)) @ rng.normal(size=(rank, 4))
    x = Tensor(singular, requires_grad=True)
    ops.det(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), by_minors(singular), atol=1e-12)


def test_a_second_slope():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (first,) = grad(ops.det(x), [x], create_graph=True)
    (second,) = grad(first[0, 0], [x])  # d, the cofactor of a, grows with d
    np.testing.assert_allclose(second.numpy(), [[0, 0], [0, 1]], atol=1e-12)


def test_mirrors_and_no_rows():
    assert ops.det(np.array([[0.0, 1.0], [1.0, 0.0]])) == -1
    np.testing.assert_allclose(
        ops.cofactors(np.array([[0.0, 1.0], [1.0, 0.0]])), [[0, -1], [-1, 0]]
    )
    assert ops.det(np.zeros((0, 0))) == 1
    assert ops.cofactors(np.zeros((2, 0, 0))).shape == (2, 0, 0)


def test_dtypes_and_what_is_not_finite():
    assert ops.det(np.eye(2, dtype="float16")).dtype == np.float16
    assert ops.det(np.eye(2, dtype="int32")).dtype == np.float64
    broken = np.stack([np.full((2, 2), np.nan), np.eye(2)])
    np.testing.assert_array_equal(ops.det(broken), [np.nan, 1])
    np.testing.assert_array_equal(ops.cofactors(broken), [np.full((2, 2), np.nan), np.eye(2)])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 2)])
def test_only_of_square_matrices(shape):
    for act in (ops.det, ops.cofactors):
        with pytest.raises(ShapeError, match="needs square matrices, got"):
            act(np.zeros(shape))
