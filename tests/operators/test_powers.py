"""Powers, roots, exponentials and logarithms against NumPy, and slopes where they are special."""

import numpy as np
import pytest

from cgkit import CgkitError, DtypeError, GraphBuilder, Tensor, grad, gradients, ops, run

IN_NUMPY = {
    "square": np.square, "cbrt": np.cbrt, "hypot": np.hypot, "exp2": np.exp2, "expm1": np.expm1,
    "log1p": np.log1p, "log2": np.log2, "log10": np.log10, "logaddexp": np.logaddexp,
    "reciprocal": lambda a: 1 / a, "rsqrt": lambda a: 1 / np.sqrt(a),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_NUMPY)
def test_values_are_numpys(name, follows):
    follows(name, IN_NUMPY[name])


def slopes(fn, *points, order=1):
    xs = [Tensor(x, dtype="float64", requires_grad=True) for x in points]
    y = fn(*xs)
    for _ in range(order - 1):
        (y,) = grad(y.sum(), xs[:1], create_graph=True)
    with np.errstate(all="ignore"):
        return [x.data.tolist() for x in grad(y.sum(), xs)]


@pytest.mark.parametrize(
    ("fn", "points", "expected"),
    [
        (ops.cbrt, ([0.0, -8.0],), [[np.inf, 1 / 12]]),
        (ops.rsqrt, ([0.0, 4.0],), [[-np.inf, -1 / 16]]),
        (ops.reciprocal, ([2.0, 1e-200, 1e200],), [[-0.25, -np.inf, 0]]),
        (ops.log1p, ([-1.0, 0.0],), [[np.inf, 1]]),
        (ops.log2, ([0.0, 1.0],), [[np.inf, 1 / np.log(2)]]),
        (ops.log10, ([1.0],), [[1 / np.log(10)]]),
        (ops.exp2, ([3.0],), [[8 * np.log(2)]]),
        (ops.expm1, ([-40.0, 0.0],), [[np.exp(-40), 1]]),  # y + 1 would give 0
        (ops.square, ([3.0],), [[6]]),
        (ops.hypot, ([0.0, 3.0], [0.0, 4.0]), [[0, 0.6], [0, 0.8]]),
        (ops.hypot, (3e200, 4e200), [0.6, 0.8]),
        (ops.logaddexp, ([0.0, 800.0, -np.inf], [0.0, 0.0, 1.0]), [[0.5, 1, 0], [0.5, 0, 1]]),
        (ops.erf, (0.0,), [2 / np.sqrt(np.pi)]),
        (ops.erfc, (0.0,), [-2 / np.sqrt(np.pi)]),
    ],
)
def test_slopes(fn, points, expected):
    for found, wanted in zip(slopes(fn, *points), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_second_slopes_at_the_origin_of_a_length_are_no_nan():
    assert np.isfinite(slopes(ops.hypot, 0.0, 0.0, order=2)).all()


def test_small_numbers_keep_their_digits():
    x = np.array([1e-300, -1e-17, 1e-9])
    np.testing.assert_allclose(ops.expm1(x), x, rtol=1e-9)
    np.testing.assert_allclose(ops.log1p(x), x, rtol=1e-9)


def test_a_reciprocal_of_whole_numbers_is_a_fraction():
    assert ops.reciprocal(np.array([2, 4])).tolist() == [0.5, 0.25]
    assert ops.reciprocal(np.array([2], "int8")).dtype == "float64"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("exp2", np.inf), ("expm1", np.inf), ("square", np.inf), ("rsqrt", 0), ("reciprocal", 0)],
)
def test_infinity(name, expected):
    assert ops.ALL[name](np.array([np.inf])).tolist() == [expected]


@pytest.mark.parametrize("world", [Tensor, np.array])
def test_what_is_no_number_is_refused_in_words(world):
    for operator in (ops.hypot, ops.logaddexp):
        with pytest.raises(CgkitError, match=operator.name):
            operator(world([1.0]), None)
    with pytest.raises(DtypeError, match="erf cannot take complex128"):
        ops.erf(np.array([1j]))


@pytest.mark.parametrize("make", [np.array, Tensor], ids=["array", "Tensor"])
@pytest.mark.parametrize("truth", [[True, False], True, False])
def test_slopes_of_powers_that_are_truth_values(truth, make):
    x = Tensor([3.0, 0.0], requires_grad=True)
    (slope,) = grad((x ** make(truth)).sum(), x)
    np.testing.assert_array_equal(slope.data, np.broadcast_to(truth, 2))


def test_static_slopes_of_powers_that_are_truth_values():
    builder = GraphBuilder()
    x, b = builder.placeholder((2,)), builder.placeholder((2,), "bool")
    graph = builder.graph(gradients((x**b).sum(), [x]))
    assert run(graph, np.array([3.0, 0.0]), np.array([True, False]))[0].tolist() == [1, 0]
