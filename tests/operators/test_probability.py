"""Softmax, log_softmax and logsumexp: huge and tiny scores, infinities, several axes, dtypes."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.testing.cases import samples_of
from cgkit.types import TensorType


def plain_softmax(x, axis=-1):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), (0, -1)], ids=str)
def test_values_are_the_formula(axis):
    x = np.random.default_rng(0).normal(size=(3, 4, 2)) * 5
    expected = plain_softmax(x, axis)
    np.testing.assert_allclose(ops.softmax(x, axis=axis), expected, rtol=1e-14)
    np.testing.assert_allclose(ops.log_softmax(x, axis=axis), np.log(expected), atol=1e-13)
    np.testing.assert_allclose(ops.logsumexp(x, axis=axis), np.log(np.exp(x).sum(axis)), rtol=1e-14)


def test_huge_and_tiny_scores():
    x = Tensor([1000.0, 999.0, -1000.0], requires_grad=True)
    shares = ops.softmax(x)
    np.testing.assert_allclose(shares.data, [0.7310585786, 0.2689414214, 0], atol=1e-9)
    np.testing.assert_allclose(
        ops.log_softmax(x).data, [-0.3132616875, -1.3132616875, -2000.3132616875]
    )
    assert ops.logsumexp(x).item() == pytest.approx(1000.3132616875)
    assert ops.logsumexp(Tensor([-1000.0, -1000.0])).item() == pytest.approx(-1000 + np.log(2))
    (slope,) = grad(ops.log_softmax(x)[2], x)
    np.testing.assert_allclose(slope.data, [-0.7310585786, -0.2689414214, 1])


def test_infinities_follow_the_table():
    assert np.isnan(ops.softmax(Tensor([-np.inf, -np.inf])).data).all()
    assert np.isnan(ops.log_softmax(Tensor([-np.inf, -np.inf])).data).all()
    assert ops.softmax(Tensor([-np.inf, 0.0])).data.tolist() == [0, 1]
    assert ops.log_softmax(Tensor([-np.inf, 0.0])).data.tolist() == [-np.inf, 0]
    assert ops.logsumexp(Tensor([-np.inf, -np.inf])).item() == -np.inf
    assert ops.logsumexp(Tensor([np.inf, 0.0])).item() == np.inf
    assert np.isnan(ops.softmax(Tensor([np.nan, 0.0])).data).all()


def test_over_nothing():
    assert ops.softmax(Tensor(np.zeros((2, 0)))).shape == (2, 0)
    assert ops.logsumexp(Tensor(np.zeros((2, 0))), axis=1).data.tolist() == [-np.inf, -np.inf]


def test_dtypes():
    for name in ("softmax", "log_softmax", "logsumexp"):
        for dtype, expected in [("f2", "f2"), ("f4", "f4"), ("i4", "f8"), ("bool", "f8")]:
            assert ops.ALL[name](np.ones((2, 3), dtype)).dtype == expected
        with pytest.raises(DtypeError, match="cannot take"):
            ops.ALL[name].infer(TensorType((2,), "U3"))
    many = np.zeros(100_000, "f2")  # a sum of float16 would stop at 2048
    assert ops.logsumexp(many) == np.float16(np.log(100_000))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("world", ["eager", "static"])
def test_axes_that_are_not_there(name, world):
    make = GraphBuilder().placeholder if world == "static" else lambda shape: Tensor(np.ones(shape))
    for shape, axis in [((2, 3), 2), ((), -1), ((2, 3), (0, 0))]:
        with pytest.raises(ShapeError, match=r"axis|axes"):
            ops.ALL[name](make(shape), axis=axis)


def test_open_sizes():
    builder = GraphBuilder()
    x = builder.placeholder((None, 3))
    array = np.arange(6.0).reshape(2, 3)
    found = run(builder.graph([ops.softmax(x, axis=0), ops.logsumexp(x)]), array)
    np.testing.assert_allclose(found[0], plain_softmax(array, 0))
    assert found[1] == ops.logsumexp(array)


def test_samples_hold_every_pattern_of_axes():
    assert {type(s.params.get("axis", -1)) for s in samples_of(ops.softmax)} == {int, tuple}
