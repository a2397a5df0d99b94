"""Convolutions against the plainest loop: one multiplication and one addition at a time."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, flops, grad, ops, run
from cgkit.errors import OperandError
from cgkit.operators.windows import windows
from cgkit.testing import check_gradient


def plainly(x, w, groups=1, **settings):
    """Slide, multiply, add; give the result and how many operations that took."""
    place = windows(x.shape[2:], w.shape[2:], **settings)
    y = np.zeros((x.shape[0], w.shape[0], *place.places))
    padded = np.pad(x, [(0, 0), (0, 0), *place.pads])
    each = w.shape[0] // groups
    count = 0
    for n, o, *at in np.ndindex(y.shape):
        for c, *tap in np.ndindex(w.shape[1:]):
            channel = o // max(each, 1) * w.shape[1] + c
            here = zip(at, tap, place.stride, place.dilation, strict=True)
            y[n, o, *at] += (
                padded[n, channel, *(i * s + t * d for i, t, s, d in here)] * w[o, c, *tap]
            )
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
    ((1, 4, 5, 3), (6, 2, 2, 2), {"groups": 2}),
    ((1, 3, 4, 4), (3, 1, 3, 3), {"groups": 3, "padding": "same", "stride": 2}),
    ((1, 1, 6, 6), (1, 1, 2, 3), {"dilation": (3, 2), "padding": ((1, 0), (0, 2))}),
    ((2, 3, 6), (2, 3, 3), {"stride": 2, "padding": "valid"}),
    ((1, 2, 3, 4, 3), (2, 1, 2, 2, 3), {"groups": 2, "padding": (0, 1, 1)}),
]


def operator_of(kernel, suffix=""):
    return ops.ALL[f"conv{len(kernel) - 2}d{suffix}"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_counts_are_the_loops(case):
    image, kernel, settings = case
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=image), rng.normal(size=kernel)
    expected, count = plainly(x, w, **settings)
    found = operator_of(kernel)(x, w, **settings)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.shape == expected.shape
    builder = GraphBuilder()
    operands = builder.placeholder(image), builder.placeholder(kernel)
    value = operator_of(kernel)(*operands, **settings)
    assert flops(value.node) == count
    np.testing.assert_array_equal(run(builder.graph([value]), x, w)[0], found)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_gradients_cost_what_the_convolution_costs(case):
    image, kernel, settings = case
    builder = GraphBuilder()
    x, w = builder.placeholder(image), builder.placeholder(kernel)
    y = operator_of(kernel)(x, w, **settings)
    back = operator_of(kernel, "_transpose")(y, w, size=image[2:], **settings)
    other = operator_of(kernel, "_kernel")(x, y, size=kernel[2:], **settings)
    assert flops(back.node) == flops(other.node) == flops(y.node)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients_are_right_to_second_order(case):
    image, kernel, settings = case
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=image), rng.normal(size=kernel)
    if x.size + w.size < 100:
        check_gradient(lambda a, b: operator_of(kernel)(a, b, **settings), x, w)
    points = [Tensor(a, requires_grad=True) for a in (x, w)]
    slopes = grad(operator_of(kernel)(*points, **settings).sum(), points)
    for point, slope in zip(points, slopes, strict=True):
        assert slope.shape == point.shape


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_gradients_are_the_other_two_operators(case):
    image, kernel, settings = case
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=image), rng.normal(size=kernel)
    y = operator_of(kernel)(x, w, **settings)
    g = rng.normal(size=y.shape)
    # <g, conv(x, w)> is linear in x and in w, so each gradient meets its operand in the same number
    whole = float((g * y).sum())
    back = operator_of(kernel, "_transpose")(g, w, size=x.shape[2:], **settings)
    other = operator_of(kernel, "_kernel")(x, g, size=w.shape[2:], **settings)
    assert float((back * x).sum()) == pytest.approx(whole)
    assert float((other * w).sum()) == pytest.approx(whole)


def test_the_kernel_is_not_flipped():
    x = np.arange(4.0).reshape(1, 1, 2, 2)
    w = np.array([[[[1.0, 10.0], [100.0, 1000.0]]]])
    assert ops.conv2d(x, w).item() == 0 + 10 + 200 + 3000


def test_a_transposed_convolution_paints_kernels():
    x = np.array([[[1.0, 10.0]]])
    w = np.array([[[1.0, 2.0, 3.0]]])
    painted = ops.conv1d_transpose(x, w)
    assert painted.tolist() == [[[1, 2 + 10, 3 + 20, 30]]]
    spread = ops.conv1d_transpose(x, w, stride=2, output_padding=1)
    assert spread.tolist() == [[[1, 2, 3 + 10, 20, 30, 0]]]
    assert ops.conv1d_transpose(x, w, padding=((1, 0),)).tolist() == [[[12, 23, 30]]]
    assert ops.conv1d_transpose(x, w, stride=2, padding="same").shape == (1, 1, 4)
    assert ops.conv1d_transpose(x, w, stride=2, size=(6,)).tolist() == spread.tolist()


def test_a_batch_in_parts_is_the_batch(monkeypatch):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(5, 2, 4, 4)), rng.normal(size=(3, 2, 3, 3))
    whole = ops.conv2d(x, w)
    g = rng.normal(size=whole.shape)
    others = ops.conv2d_transpose(g, w), ops.conv2d_kernel(x, g, size=(3, 3))
    rows = [slice(0, 2), slice(2, 5)]
    monkeypatch.setattr("cgkit.operators.convolution.parts", lambda *sizes: rows)
    np.testing.assert_allclose(ops.conv2d(x, w), whole)
    np.testing.assert_allclose(ops.conv2d_transpose(g, w), others[0])
    np.testing.assert_allclose(ops.conv2d_kernel(x, g, size=(3, 3)), others[1])


REFUSED = [
    ((3, 3, 3), (1, 1, 2, 2), {}, r"takes images \(N, C, H, W\).*got \(3, 3, 3\)"),
    ((1, 2, 3, 3), (1, 3, 2, 2), {}, "channels differ: the sizes 2 and 3 differ"),
    ((1, 4, 3, 3), (2, 4, 2, 2), {"groups": 2}, "channels in 2 groups differ: the sizes 4 and 8"),
    ((1, 4, 3, 3), (3, 2, 2, 2), {"groups": 2}, "cannot make 3 channels in 2 groups"),
    ((1, 1, 3, 3), (1, 1, 4, 2), {}, "a window of 4 does not fit an axis of 3"),
    ((1, 1, 3, 3), (1, 1, 2, 2), {"dilation": 3}, "a window of 4 does not fit an axis of 3"),
    ((1, 1, 3, 3), (1, 1, 2, 2), {"stride": 0}, "stride is at least 1, not 0"),
    ((1, 1, 3, 3), (1, 1, 2, 2), {"padding": (0, -1)}, "no negative padding"),
    ((1, 1, 3, 3), (1, 1, 2, 2), {"padding": "full"}, 'padding is "same", "valid" or whole'),
    ((1, 1, 3, 3), (1, 1, 2, 2), {"padding": ((1, 2, 3), 0)}, r"a pair for each, not \(\(1, 2"),
    ((1, 1, 3, 3), (1, 1, 2, 2), {"stride": 1.5}, "whole numbers, not 1.5"),
    ((1, 1, 3, 3), (1, 1, 2, 2), {"stride": (1, 2, 3)}, r"whole numbers, not \(1, 2, 3\)"),
    ((1, 1, 3, 3), (1, 1, 0, 2), {}, "a window has a size of at least 1 for each of 2 axes"),
]


def both_worlds(world, *shapes):
    builder = GraphBuilder()
    return [Tensor(np.ones(s)) if world == "eager" else builder.placeholder(s) for s in shapes]


@pytest.mark.parametrize(("image", "kernel", "settings", "said"), REFUSED)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(image, kernel, settings, said, world):
    with pytest.raises(ShapeError, match=said):
        ops.conv2d(*both_worlds(world, image, kernel), **settings)


@pytest.mark.parametrize("shape", [(1, 2, 0, 3), (1, 2, 3, 0), (0, 2, 0, 0)])
def test_an_image_that_holds_nothing_but_its_padding(shape):
    x, w = np.ones(shape), np.ones((4, 1, 2, 2))
    settings = {"padding": 2, "stride": 2, "groups": 2}
    points = [Tensor(each, requires_grad=True) for each in (x, w)]
    found = ops.conv2d(*points, **settings)
    assert not found.data.any()
    slopes = grad(found.sum(), points)
    assert [slope.shape for slope in slopes] == [x.shape, w.shape]
    assert not slopes[1].data.any()
    check_gradient(lambda x, w: ops.conv2d(x, w, **settings), x, w)


@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_a_transposed_convolution_cannot_make(world):
    def transposed(image, kernel, **settings):
        return ops.conv1d_transpose(*both_worlds(world, image, kernel), **settings)

    with pytest.raises(ShapeError, match="cannot give an axis of 5"):
        transposed((1, 1, 3), (1, 1, 2), output_padding=1)
    with pytest.raises(ShapeError, match="cannot give an axis of 3"):
        transposed((1, 1, 3), (1, 1, 2), size=(3,))
    with pytest.raises(ShapeError, match="gives an axis of -1, which holds nothing"):
        transposed((1, 1, 2), (1, 1, 2), padding=2)
    with pytest.raises(ShapeError, match="channels differ: the sizes 2 and 1 differ"):
        transposed((1, 2, 3), (1, 1, 2))
    with pytest.raises(OperandError, match="groups is a whole number of at least 1, not 0"):
        transposed((1, 1, 3), (1, 1, 2), groups=0)
    with pytest.raises(ShapeError, match="the result has a size for each of 1 axes"):
        transposed((1, 1, 3), (1, 1, 2), size=(4, 4))
    with pytest.raises(ShapeError, match="conv1d_kernel takes images and a gradient of 3 axes"):
        ops.conv1d_kernel(*both_worlds(world, (1, 1, 3), (3,)), size=(2,))
    with pytest.raises(ShapeError, match=r"conv1d gives \(1, 1, 2\), and its gradient has"):
        ops.conv1d_kernel(*both_worlds(world, (1, 1, 3), (1, 1, 3)), size=(2,))


def test_open_batches_and_images():
    builder = GraphBuilder()
    x, w = builder.placeholder((None, 1, None, 5)), builder.placeholder((2, 1, 3, 3))
    y = ops.conv2d(x, w, padding=1)
    assert str(y.shape) == "(N, 2, N2, 5)"
    arrays = np.ones((3, 1, 4, 5)), np.ones((2, 1, 3, 3))
    np.testing.assert_allclose(run(builder.graph([y]), *arrays)[0], plainly(*arrays, padding=1)[0])
    assert ops.conv2d(x, w, padding="same").shape == y.shape
    halved = ops.conv2d(x, w, stride=2)
    assert str(halved.shape) == "(N, 2, (N2 - 1)//2, 2)"
    graph = builder.graph([halved])
    for height in (4, 5, 8):
        arrays = np.ones((3, 1, height, 5)), np.ones((2, 1, 3, 3))
        np.testing.assert_allclose(run(graph, *arrays)[0], plainly(*arrays, stride=2)[0])


def test_an_open_image_that_is_too_small_is_found_when_it_runs():
    builder = GraphBuilder()
    x, w = builder.placeholder((1, 1, None)), builder.placeholder((1, 1, 3))
    graph = builder.graph([ops.conv1d(x, w)])
    with pytest.raises(ShapeError, match="a window of 3 does not fit an axis of N"):
        run(graph, np.ones((1, 1, 2)), np.ones((1, 1, 3)))


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding"),
    list(itertools.product([1, 4, 7], [1, 3], [1, 2, 3], [1, 2])),
)
def test_places_are_counted(size, kernel, stride, padding):
    places = [i for i in range(0, size + 2 * padding, stride) if i + kernel <= size + 2 * padding]
    assert windows((size,), (kernel,), stride, padding).places == (len(places),)
