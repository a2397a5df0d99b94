"""Running sums and products, and products of all: right at zeros, to second order."""

import itertools

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops
from cgkit.testing import check_gradient
from cgkit.testing.cases import samples_of
from cgkit.types import TensorType

ZEROS = [[2.0, 3.0, 4.0], [0.0, 2.0, 3.0], [2.0, 0.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0]]


def slow(x, axis, exclusive, reverse, ufunc):
    line = np.moveaxis(x, axis, -1)
    line = line[..., ::-1] if reverse else line
    parts = [
        ufunc.reduce(line[..., : k + (not exclusive)], -1, initial=ufunc.identity)
        for k in range(line.shape[-1])
    ]
    result = np.stack(parts, -1) if parts else line
    return np.moveaxis(result[..., ::-1] if reverse else result, -1, axis)


@pytest.mark.parametrize("shape", [(3,), (2, 4), (0, 3), (3, 0), (1, 2, 3)], ids=str)
def test_running_sums_and_products(shape):
    x = np.random.default_rng(0).normal(size=shape)
    for axis, exclusive, reverse in itertools.product(
        range(-len(shape), len(shape)), (False, True), (False, True)
    ):
        how = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
        np.testing.assert_allclose(ops.cumsum(x, **how), slow(x, **how, ufunc=np.add))
        np.testing.assert_allclose(ops.cumprod(x, **how), slow(x, **how, ufunc=np.multiply))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64", "f2", "f4"])
def test_dtypes_are_numpys(dtype):
    x = np.ones((2, 3), dtype)
    assert ops.cumsum(x, axis=0).dtype == np.cumsum(x, 0).dtype
    assert ops.cumprod(x, axis=0).dtype == np.cumprod(x, 0).dtype
    assert ops.prod(x).dtype == np.prod(x).dtype


def test_prod_is_numpys():
    for sample in samples_of(ops.prod):
        with np.errstate(all="ignore"):
            expected = np.prod(*sample.operands, **sample.params)
            np.testing.assert_allclose(ops.prod(*sample.operands, **sample.params), expected)
    assert ops.prod(np.zeros((0, 2)), axis=0).tolist() == [1, 1]


def test_the_slope_of_a_product_with_one_zero():
    x = Tensor([0.0, 2.0, 3.0], requires_grad=True)
    assert grad(ops.prod(x), x)[0].data.tolist() == [6, 0, 0]


def test_the_second_slope_of_a_product_with_two_zeros():
    x = Tensor([0.0, 0.0, 3.0], requires_grad=True)
    (slope,) = grad(ops.prod(x), x, create_graph=True)
    rows = [grad(slope[i], x, retain_graph=True)[0].data.tolist() for i in range(3)]
    assert rows == [[0, 3, 0], [3, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("x", ZEROS, ids=str)
def test_zeros_to_second_order(x):
    array = np.array(x)
    check_gradient(ops.prod, array)
    check_gradient(lambda x: ops.prod(x, axis=1), np.stack([array, array[::-1]]))
    for exclusive, reverse in itertools.product((False, True), (False, True)):
        check_gradient(
            lambda x, e=exclusive, r=reverse: ops.cumprod(x, axis=0, exclusive=e, reverse=r), array
        )


def test_a_third_slope_of_a_product_of_zeros():
    x = Tensor([0.0, 0.0, 0.0], requires_grad=True)
    (first,) = grad(ops.prod(x), x, create_graph=True)
    (second,) = grad(first[0], x, create_graph=True)
    (third,) = grad(second[1], x)
    assert third.data.tolist() == [0, 0, 1]


def test_an_infinity_stays_in_its_own_row():
    x = Tensor([[np.inf, 2.0], [3.0, 4.0]], requires_grad=True)
    (slope,) = grad(ops.cumprod(x, axis=1)[1].sum(), x)
    assert slope.data[1].tolist() == [5, 3]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_running_logarithms(axis):
    x = np.random.default_rng(0).normal(size=(3, 4)) * 3
    expected = np.log(np.cumsum(np.exp(x), axis))
    np.testing.assert_allclose(ops.logcumsumexp(x, axis=axis), expected)
    large = ops.logcumsumexp(Tensor([1000.0, 1000.0, -1000.0]), axis=0)
    np.testing.assert_allclose(large.data, 1000 + np.log([1, 2, 2]))
    x = Tensor([1000.0, 0.0, 1000.0], requires_grad=True)
    (slope,) = grad(ops.logcumsumexp(x, axis=0)[2], x)
    np.testing.assert_allclose(slope.data, [0.5, 0, 0.5])


def test_recurrence_by_hand():
    a, b = np.array([7.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0])
    assert ops.recurrence(a, b, axis=0).tolist() == [1, 3, 10]
    assert ops.recurrence(a, b, axis=0, reverse=True).tolist() == [22, 3, 1]
    assert ops.recurrence(np.array([np.inf, 2.0]), b[:2], axis=0).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda x: ops.cumsum(x, axis=2), "axis 2 does not exist"),
        (lambda x: ops.cumprod(x, axis=-3), "axis -3 does not exist"),
        (lambda x: ops.recurrence(x, x[0], axis=0), r"\(2, 3\) is not that of what is added"),
        (lambda x: ops.prod(x, axis=2), "axis 2 does not exist"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(act, said, world):
    x = Tensor(np.ones((2, 3))) if world == "eager" else GraphBuilder().placeholder((2, 3))
    with pytest.raises(ShapeError, match=said):
        act(x)


def test_words_cannot_be_added_up():
    for name in ("cumsum", "cumprod"):
        with pytest.raises(DtypeError, match="cannot take"):
            ops.ALL[name].infer(TensorType((2,), "U3"), axis=0)
    with pytest.raises(DtypeError, match="recurrence cannot take"):
        ops.recurrence.infer(TensorType((2,), "bool"), TensorType((2,), "bool"), axis=0)


INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("x", "unknown"),
    [
        ([-INF, -INF, 1.0, 2.0], [0, 1]), ([1.0, -INF, -INF, 2.0], []), ([INF, 1.0, -INF], [0]),
        ([1.0, INF, 2.0, INF], [1, 3]), ([-INF, INF, -INF], [0, 1]), ([-INF, -INF], [0, 1]),
    ],
)  # fmt: skip
def test_slopes_of_running_logarithms_beside_infinities(x, unknown):
    # an element as infinite as its sum has no slope; to the others that is all the same
    a, seeds = np.array(x), np.arange(1.0, len(x) + 1)
    with np.errstate(all="ignore"):
        y = np.log(np.cumsum(np.exp(a)))
        parts = np.exp(a[:, None] - y) * seeds
    expected = [np.nan if i in unknown else parts[i, i:].sum() for i in range(len(a))]
    point = Tensor(a, requires_grad=True)
    (slope,) = grad(ops.logcumsumexp(point, axis=0), point, seeds, create_graph=True)
    np.testing.assert_allclose(slope.data, expected)
    (second,) = grad(slope.sum(), point)
    assert np.flatnonzero(np.isnan(second.data)).tolist() == unknown


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape", [(40,), (40, 1), (40, 2), (40, 7), (1, 1), (2, 40)])
def test_lanes_few_or_many_run_to_the_same_bits(shape, reverse):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=shape), rng.normal(size=shape)
    found = ops.recurrence(a, b, axis=0, reverse=reverse)
    order = range(len(a))[:: -1 if reverse else 1]
    y = b[order[0]]
    for k in order[1:]:
        np.testing.assert_array_equal(found[order[0]], b[order[0]])
        y = b[k] + a[k] * y
        np.testing.assert_array_equal(found[k], y)
