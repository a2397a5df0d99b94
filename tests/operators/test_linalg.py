"""matmul against NumPy for every pairing of ranks; errors that name shapes and a cure."""

import itertools

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, flops, grad, ops, run
from cgkit.testing import check_gradient
from cgkit.types import Dim

N = Dim("N")
LEFT = [(3,), (2, 3), (1, 3), (0, 3), (5, 2, 3), (1, 2, 3), (4, 1, 2, 3)]
RIGHT = [(3,), (3, 4), (3, 1), (3, 0), (5, 3, 4), (1, 3, 4), (5, 3, 1)]


@pytest.mark.parametrize("pair", list(itertools.product(LEFT, RIGHT)), ids=str)
def test_every_pairing_of_ranks(pair):
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=shape) for shape in pair)
    expected = a @ b
    np.testing.assert_allclose(ops.matmul(a, b), expected)
    xs = [Tensor(x, requires_grad=True) for x in (a, b)]
    g = rng.normal(size=expected.shape)
    for x, slope in zip(xs, grad(xs[0] @ xs[1], xs, g), strict=True):
        assert slope.shape == x.shape
    if a.size * b.size < 400:
        check_gradient(lambda x, y: x @ y, a, b)


def test_sums_over_nothing_are_zero():
    x, y = Tensor(np.zeros((2, 0)), requires_grad=True), Tensor(np.zeros((0, 3)))
    z = x @ y
    assert z.data.tolist() == [[0, 0, 0], [0, 0, 0]]
    z.sum().backward()
    assert x.grad.shape == (2, 0)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ((32, 784), (256, 784), r"cannot multiply \(32, 784\) by \(256, 784\)\n  the inner sizes"),
        ((32, 784), (256, 784), r"try      x @ W\.T"),
        ((2, 3), (4, 5), r"shapes \(\.\.\., n, k\) and \(\.\.\., k, m\)"),
        ((2, 3), (), "a single number has no axis"),
        ((), (3,), r"try      a \* b"),
        ((3, 2, 3), (5, 3, 4), "the axes in front do not broadcast: the sizes 3 and 5 differ"),
        ((3,), (4,), "inner sizes 3 and 4 differ"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_errors_name_the_shapes_and_a_cure(left, right, said, world):
    builder = GraphBuilder()
    make = builder.placeholder if world == "static" else lambda shape: Tensor(np.ones(shape))
    a, b = make(left), make(right)
    with pytest.raises(ShapeError, match=said):
        a @ b


def test_words_cannot_be_multiplied():
    with pytest.raises(DtypeError, match="matmul cannot take <U1"):
        Tensor(np.ones((1, 1))) @ np.array([["a"]])


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ((N, 784), (784, 10), (N, 10)),
        ((N, Dim("M")), (3, 4), (N, 4)),
        ((N, 2, 3), (3,), (N, 2)),
        ((N, 2, 3), (Dim("M"), 3, 1), (N, 2, 1)),
    ],
)
def test_open_sizes(left, right, result):
    builder = GraphBuilder()
    product = builder.placeholder(left) @ builder.placeholder(right)
    assert product.shape == result


def test_inner_sizes_that_differ_in_a_run_are_named():
    builder = GraphBuilder()
    x, w = builder.placeholder(("N", "K")), builder.placeholder(("M", 4))
    graph = builder.graph([x @ w])
    assert run(graph, np.ones((2, 3)), np.ones((3, 4)))[0].shape == (2, 4)
    with pytest.raises(ShapeError, match="K = 3 and M = 2 were taken as equal"):
        run(graph, np.ones((2, 3)), np.ones((2, 4)))


def multiply_adds(a, b):
    """Count in the plainest way: one multiplication and one addition for each pair that meets."""
    a2 = a if len(a) > 1 else (1, *a)
    b2 = b if len(b) > 1 else (*b, 1)
    batch = np.broadcast_shapes(a2[:-2], b2[:-2])
    return 2 * int(np.prod(batch, dtype=int)) * a2[-2] * a2[-1] * b2[-1]


@pytest.mark.parametrize("pair", list(itertools.product(LEFT, RIGHT)), ids=str)
def test_flops_are_counted(pair):
    builder = GraphBuilder()
    product = ops.matmul(*(builder.placeholder(shape) for shape in pair))
    assert flops(product.node) == multiply_adds(*pair)


def test_integers_and_mixed_dtypes_are_numpys():
    for a, b in itertools.product(["int8", "int32", "float32", "float64"], repeat=2):
        x, y = np.ones((2, 3), a), np.ones((3, 2), b)
        assert (Tensor(x) @ Tensor(y)).dtype == (x @ y).dtype
