"""Activations: golden values, slopes at corners and far out, settings, and what they refuse."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops
from cgkit.errors import OperandError

GOLDEN = {
    "leaky_relu": [-0.02, -0.005, 0, 0.5, 2],
    "elu": [-0.8646647167633873, -0.3934693402873666, 0, 0.5, 2],
    "celu": [-0.8646647167633873, -0.3934693402873666, 0, 0.5, 2],
    "selu": [
        -1.5201664685956948, -0.6917581878028713, 0, 0.5253504936777403, 2.101401974710961,
    ],
    "softplus": [
        0.1269280110429725, 0.4740769841801067, 0.6931471805599453, 0.9740769841801067,
        2.1269280110429727,
    ],
    "softsign": [-2 / 3, -1 / 3, 0, 1 / 3, 2 / 3],
    "silu": [
        -0.2384058440442351, -0.18877033439907273, 0, 0.31122966560092727, 1.7615941559557646,
    ],
    "mish": [
        -0.2525014826957089, -0.22074377465173, 0, 0.3752452113048951, 1.9439589595339946,
    ],
    "gelu": [
        -0.04550026389635842, -0.15426876936299347, 0, 0.3457312306370065, 1.9544997361036416,
    ],
}  # fmt: skip
PLACES = np.array([-2.0, -0.5, 0.0, 0.5, 2.0])


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_values(name):
    np.testing.assert_allclose(ops.ALL[name](PLACES), GOLDEN[name], rtol=1e-14, atol=1e-16)


def test_gelu_by_a_tanh():
    found = ops.gelu(PLACES, approximate="tanh")
    inner = np.sqrt(2 / np.pi) * (PLACES + 0.044715 * PLACES**3)
    np.testing.assert_allclose(found, PLACES / 2 * (1 + np.tanh(inner)), rtol=1e-13, atol=1e-16)
    assert not np.allclose(found, ops.gelu(PLACES), rtol=1e-6)


@pytest.mark.parametrize("name", ["gelu", "silu", "mish", "softplus", "elu", "selu", "softsign"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_narrow_floats_are_the_wide_ones_rounded(name, dtype):
    x = np.linspace(-9, 9, 181).astype(dtype)
    expected = ops.ALL[name](x.astype(np.float64))
    found = ops.ALL[name](x)
    assert found.dtype == dtype
    rounding = 6 * np.finfo(dtype).eps
    np.testing.assert_allclose(found, expected, rtol=rounding, atol=np.finfo(dtype).tiny)


def slope(fn, x, order=1):
    point = Tensor(x, dtype="float64", requires_grad=True)
    y = fn(point)
    with np.errstate(all="ignore"):
        for _ in range(order - 1):
            (y,) = grad(y.sum(), point, create_graph=True)
        return grad(y.sum(), point)[0].data.tolist()


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (ops.leaky_relu, [0.01, 0.01, 1]),
        (lambda x: ops.leaky_relu(x, alpha=-2.0), [-2, -2, 1]),
        (lambda x: ops.prelu(x, 0.25), [0.25, 0.25, 1]),
        (lambda x: ops.elu(x, alpha=2.0), [2 * np.exp(-7), 2, 1]),
        (lambda x: ops.celu(x, alpha=2.0), [np.exp(-3.5), 1, 1]),
        (
            ops.selu,
            np.array([ops.selu.scalar(-7.0) + 1.7580993408473766, 1.7580993408473766, 1.05070098]),
        ),
        (ops.softplus, [9.110511944006454e-4, 0.5, 0.9990889488055994]),
        (ops.softsign, [1 / 64, 1, 1 / 64]),
    ],
)
def test_at_a_corner_the_slope_is_the_left_one(fn, expected):
    np.testing.assert_allclose(slope(fn, [-7.0, 0.0, 7.0]), expected, rtol=1e-6)


SMOOTH = ("elu", "celu", "selu", "softplus", "softsign", "silu", "mish", "gelu", "leaky_relu")


@pytest.mark.parametrize("name", SMOOTH)
def test_far_out_nothing_overflows(name):
    far = [-1e5, -800.0, 800.0, 1e5]
    for order in (1, 2):
        assert np.isfinite(slope(ops.ALL[name], far, order)).all()


@pytest.mark.parametrize("name", SMOOTH)
def test_the_slope_at_nan_is_nan(name):
    assert np.isnan(slope(ops.ALL[name], np.nan))


def test_a_learned_slope_gets_its_gradient():
    x, w = Tensor([[-2.0, 3.0], [-1.0, -4.0]]), Tensor([0.5, 0.25], requires_grad=True)
    y = ops.prelu(x, w)
    assert y.data.tolist() == [[-1, 3], [-0.5, -1]]
    assert grad(y.sum(), w)[0].data.tolist() == [-3, -4]


@pytest.mark.parametrize(
    ("fn", "expected", "slopes"),
    [
        (ops.relu6, [0, 0, 3, 6, 6], [0, 1, 1, 1, 0]),
        (ops.hard_tanh, [-1, 0, 1, 1, 1], [0, 1, 0, 0, 0]),
        (ops.hard_sigmoid, [0, 0.5, 1, 1, 1], [0, 1 / 6, 1 / 6, 0, 0]),
        (ops.hard_swish, [0, 0, 3, 6, 9], [0, 0.5, 1.5, 1, 1]),
        (ops.thresholded_relu, [0, 0, 3, 6, 9], [0, 0, 1, 1, 1]),
        (lambda x: ops.shrink(x, 3.0, 1.0), [-8, 0, 0, 5, 8], [1, 0, 0, 1, 1]),
        (lambda x: ops.swish(x, 0.0), [-4.5, 0, 1.5, 3, 4.5], [0.5] * 5),
    ],
)
def test_straight_pieces(fn, expected, slopes):
    x = [-9.0, 0.0, 3.0, 6.0, 9.0]
    np.testing.assert_allclose(fn(np.array(x)), expected, atol=1e-15)
    np.testing.assert_allclose(slope(fn, x), slopes, atol=1e-15)


@pytest.mark.parametrize("fn", ops.COMPOSED.values(), ids=lambda fn: fn.__name__)
def test_nan_comes_through_the_pieces(fn):
    if fn.__module__ == "cgkit.operators.activation":
        assert np.isnan(fn(np.array(np.nan)))


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (lambda x: ops.elu(x, alpha="big"), OperandError, "the alpha of elu is a number"),
        (lambda x: ops.elu(x, beta=2.0), OperandError, "elu has no setting 'beta'"),
        (lambda x: ops.silu(x, 2.0), OperandError, "silu takes 1 operand, got 2"),
        (lambda x: ops.gelu(x, approximate="erf"), OperandError, "gelu knows no approximation"),
        (lambda x: ops.prelu(x, np.ones(2)), ShapeError, r"cannot broadcast \(3,\) with \(2,\)"),
        (lambda x: ops.selu(np.array(["a"])), DtypeError, "selu cannot take <U1"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static", "arrays"])
def test_errors_are_the_same_in_all_worlds(act, kind, said, world):
    worlds = {
        "eager": lambda: Tensor([1.0, 2.0, 3.0]),
        "static": lambda: GraphBuilder().placeholder((3,)),
        "arrays": lambda: np.ones(3),
    }
    with pytest.raises(kind, match=said):
        act(worlds[world]())
