"""conv2d against the plainest loop: one multiplication and one addition at a time."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, flops, grad, ops, run
from cgkit.operators.convolution import output_size, pair
from cgkit.testing import check_gradient


def plainly(x, w, stride=1, padding=0):
    """Slide, multiply, add; give the result and how many operations that took."""
    (down, across), (top, left) = pair(stride), pair(padding)
    padded = np.zeros((*x.shape[:2], x.shape[2] + 2 * top, x.shape[3] + 2 * left))
    padded[:, :, top : top + x.shape[2], left : left + x.shape[3]] = x
    height = (padded.shape[2] - w.shape[2]) // down + 1
    width = (padded.shape[3] - w.shape[3]) // across + 1
    y = np.zeros((x.shape[0], w.shape[0], height, width))
    count = 0
    for n, o, i, j in np.ndindex(y.shape):
        for c, a, b in np.ndindex(w.shape[1:]):
            y[n, o, i, j] += padded[n, c, i * down + a, j * across + b] * w[o, c, a, b]
            count += 2
    return y, count


CASES = [
    ((2, 3, 5, 4), (4, 3, 3, 2), {}),
    ((1, 1, 4, 4), (1, 1, 4, 4), {}),
    ((1, 1, 4, 4), (1, 1, 1, 1), {"stride": 3}),
    ((1, 2, 5, 6), (2, 2, 2, 3), {"stride": (2, 1), "padding": (1, 2)}),
    ((1, 1, 7, 7), (1, 1, 2, 2), {"stride": 3}),  # the last rows and columns are never read
    ((1, 1, 1, 1), (1, 1, 3, 3), {"padding": 1}),
    ((1, 1, 3, 3), (1, 1, 1, 1), {"padding": 2, "stride": 2}),
    ((0, 2, 3, 3), (1, 2, 2, 2), {}),
    ((1, 2, 3, 3), (0, 2, 2, 2), {}),
    ((1, 0, 3, 3), (2, 0, 2, 2), {}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_counts_are_the_loops(case):
    image, kernel, settings = case
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=image), rng.normal(size=kernel)
    expected, count = plainly(x, w, **settings)
    found = ops.conv2d(x, w, **settings)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.shape == expected.shape
    builder = GraphBuilder()
    value = ops.conv2d(builder.placeholder(image), builder.placeholder(kernel), **settings)
    assert flops(value.node) == count
    np.testing.assert_array_equal(run(builder.graph([value]), x, w)[0], found)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients_are_right_to_second_order(case):
    image, kernel, settings = case
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=image), rng.normal(size=kernel)
    if x.size + w.size < 100:
        check_gradient(lambda a, b: ops.conv2d(a, b, **settings), x, w)
    points = [Tensor(a, requires_grad=True) for a in (x, w)]
    slopes = grad(ops.conv2d(*points, **settings).sum(), points)
    for point, slope in zip(points, slopes, strict=True):
        assert slope.shape == point.shape


def test_the_gradients_are_the_other_two_operators():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(4, 3, 3, 2))
    y = ops.conv2d(x, w, stride=2, padding=1)
    g = rng.normal(size=y.shape)
    # <g, conv(x, w)> is linear in x and in w, so each gradient meets its operand in the same number
    whole = float((g * y).sum())
    back = ops.conv2d_input(g, w, size=x.shape[2:], stride=2, padding=1)
    kernel = ops.conv2d_kernel(x, g, size=w.shape[2:], stride=2, padding=1)
    assert float((back * x).sum()) == pytest.approx(whole)
    assert float((kernel * w).sum()) == pytest.approx(whole)


def test_the_kernel_is_not_flipped():
    x = np.arange(4.0).reshape(1, 1, 2, 2)
    w = np.array([[[[1.0, 10.0], [100.0, 1000.0]]]])
    assert ops.conv2d(x, w).item() == 0 + 10 + 200 + 3000


@pytest.mark.parametrize(
    ("image", "kernel", "settings", "said"),
    [
        ((3, 3, 3), (1, 1, 2, 2), {}, r"takes images \(N, C, H, W\).*got \(3, 3, 3\)"),
        ((1, 2, 3, 3), (1, 3, 2, 2), {}, "channels differ: the sizes 2 and 3 differ"),
        ((1, 1, 3, 3), (1, 1, 4, 2), {}, "a window of 4 does not fit an axis of 3"),
        ((1, 1, 3, 3), (1, 1, 2, 2), {"stride": 0}, "stride of at least 1"),
        ((1, 1, 3, 3), (1, 1, 2, 2), {"padding": (0, -1)}, "no negative padding"),
        ((1, 1, 3, 3), (1, 1, 2, 2), {"stride": 1.5}, "whole numbers, not 1.5"),
        ((1, 1, 3, 3), (1, 1, 2, 2), {"stride": (1, 2, 3)}, r"whole numbers, not \(1, 2, 3\)"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(image, kernel, settings, said, world):
    builder = GraphBuilder()
    made = [
        Tensor(np.ones(s)) if world == "eager" else builder.placeholder(s) for s in (image, kernel)
    ]
    with pytest.raises(ShapeError, match=said):
        ops.conv2d(*made, **settings)


def test_open_batches_and_images():
    builder = GraphBuilder()
    x, w = builder.placeholder((None, 1, None, 5)), builder.placeholder((2, 1, 3, 3))
    y = ops.conv2d(x, w, padding=1)
    assert str(y.shape) == "(N, 2, N2, 5)"
    arrays = np.ones((3, 1, 4, 5)), np.ones((2, 1, 3, 3))
    np.testing.assert_allclose(run(builder.graph([y]), *arrays)[0], plainly(*arrays, padding=1)[0])
    with pytest.raises(ShapeError, match="cannot be divided by 2 before its value is known"):
        ops.conv2d(x, w, stride=2)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding"),
    list(itertools.product([1, 4, 7], [1, 3], [1, 2, 3], [1, 2])),
)
def test_output_size_counts_places(size, kernel, stride, padding):
    places = [i for i in range(0, size + 2 * padding, stride) if i + kernel <= size + 2 * padding]
    assert output_size(size, kernel, stride, padding) == len(places)
