"""Elementwise operators against NumPy, and the slopes that are a convention.

The laws (tests/test_laws.py) check shapes, dtypes and gradients; here are values and choices.
"""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, gradients, ops, run
from cgkit.errors import OperandError

IN_NUMPY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "pow": np.power, "abs": np.abs, "sign": np.sign,
    "maximum": np.maximum, "minimum": np.minimum, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "equal": np.equal,
    "not_equal": np.not_equal, "tanh": np.tanh, "where": np.where,
    "relu": lambda a: np.where(np.isnan(a), a, np.where(a > 0, a, np.zeros_like(a))),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_NUMPY)
def test_values_are_numpys(name, follows):
    follows(name, IN_NUMPY[name])


def test_sigmoid_is_right_far_out_and_for_integers():
    far = np.array([-800.0, -40.0, 0.0, 40.0, 800.0])
    np.testing.assert_allclose(ops.sigmoid(far), [0, np.exp(-40), 0.5, 1, 1], rtol=1e-14)
    for dtype in ("int8", "uint8", "int64", "float16"):
        x = np.array([0, 1, 5], dtype)
        np.testing.assert_allclose(ops.sigmoid(x), 1 / (1 + np.exp(-x.astype(float))), rtol=2e-3)
    assert ops.sigmoid(np.array([-128], "int8")) == 0


def slope(fn, *points, of=0):
    xs = [Tensor(x, dtype="float64", requires_grad=True) for x in points]
    return grad(fn(*xs).sum(), xs[of])[0].data.tolist()


@pytest.mark.parametrize(
    ("fn", "points", "expected"),
    [
        (ops.maximum, (1.0, 1.0), 0.5),
        (ops.minimum, (1.0, 1.0), 0.5),
        (ops.maximum, (2.0, 1.0), 1),
        (ops.maximum, (1.0, 2.0), 0),
        (ops.relu, (0.0,), 0),
        (ops.relu, (-0.0,), 0),
        (ops.abs, (0.0,), 0),
        (ops.sign, (3.0,), 0),
        (ops.sqrt, (0.0,), np.inf),
        (lambda x: x**0, (0.0,), 0),
        (lambda x: x**1, (0.0,), 1),
        (lambda x: x**2, (0.0,), 0),
        (lambda x: x**3.0, (3.0,), 27),
        (lambda x: x * x, (3.0,), 6),
        (lambda x: x / 4.0, (3.0,), 0.25),
        (lambda x: 1.0 / x, (2.0,), -0.25),
        (lambda x: 2.0**x, (0.0,), np.log(2)),
        (lambda x: ops.pow(0.0, x), (0.0,), 0),
    ],
)
def test_slopes_by_convention(fn, points, expected):
    assert slope(fn, *points) == pytest.approx(expected)


@pytest.mark.parametrize("fn", [ops.relu, lambda x: ops.maximum(x, 0.0), ops.tanh, ops.exp])
def test_the_slope_at_nan_is_nan(fn):
    assert np.isnan(slope(fn, np.nan))


def test_ties_share_whichever_operand_asks():
    x, y = [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]
    assert slope(ops.maximum, x, y) == [0.5, 0, 1]
    assert slope(ops.maximum, x, y, of=1) == [0.5, 1, 0]
    assert slope(ops.minimum, x, y) == [0.5, 1, 0]
    assert slope(ops.minimum, x, y, of=1) == [0.5, 0, 1]
    assert slope(lambda a: ops.maximum(a, a), x) == [1, 1, 1]


def test_the_trap_of_where():
    # the branch that is not taken has slope inf there, and 0 * inf is nan
    trap = lambda x: ops.where(x > 0.0, ops.log(x), 0.0)  # noqa: E731
    assert np.isnan(slope(trap, [0.0, 1.0])[0])
    safe = lambda x: ops.where(x > 0.0, ops.log(ops.where(x > 0.0, x, 1.0)), 0.0)  # noqa: E731
    assert slope(safe, [0.0, 2.0]) == [0, 0.5]


def test_the_slope_of_zero_to_a_power_is_linear_in_what_comes_back():
    # a where around log(0) would give 0 * inf, for whoever differentiates with respect to g
    y, g = Tensor(0.3, requires_grad=True), Tensor(2.0, requires_grad=True)
    (slope,) = grad(ops.pow(0.0, y), y, g, create_graph=True)
    again = grad(slope, [y, g], allow_unused=True, materialize_grads=True)
    assert [float(x) for x in (slope, *again)] == [0.0, 0.0, 0.0]


def test_powers_to_higher_orders_at_zero():
    x = Tensor(0.0, requires_grad=True)
    for exponent, expected in ((0, (0, 0)), (1, (1, 0)), (2, (0, 2)), (3, (0, 0))):
        (first,) = grad(x**exponent, x, create_graph=True)
        (second,) = grad(first, x)
        assert (first.item(), second.item()) == expected


def test_division_does_not_overflow_on_the_way_back():
    big = np.array([1e200, 1e-200])
    assert slope(lambda b: 1.0 / b, big) == [-0.0, -np.inf]
    assert slope(lambda b: 1e200 / b, 1e160) == pytest.approx(-1e-120)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "neg"])
def test_integers_wrap_alike_in_both_worlds(name, dtype):
    a = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min, 100], dtype)
    operands = [a] * (1 if name == "neg" else 2)
    with np.errstate(all="ignore"):
        expected = ops.ALL[name](*operands)
        eager = ops.ALL[name](*map(Tensor, operands)).data
        builder = GraphBuilder()
        xs = [builder.placeholder(x.shape, dtype) for x in operands]
        (static,) = run(builder.graph([ops.ALL[name](*xs)]), *operands)
    np.testing.assert_array_equal(eager, expected)
    np.testing.assert_array_equal(static, expected)
    assert expected.dtype == dtype


@pytest.mark.parametrize("number", [2, 2.5, True, -1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8", "bool"])
@pytest.mark.parametrize("name", ["add", "mul", "div", "pow", "maximum", "less", "equal"])
def test_plain_numbers_are_weak_alike_in_both_worlds(name, dtype, number):
    x = np.array([1, 1]).astype(dtype)
    builder = GraphBuilder()
    value = builder.placeholder((2,), dtype)
    for pair in ((x, number), (number, x)):
        try:
            expected = ops.ALL[name].compute(*pair)
        except (TypeError, OverflowError, ValueError):
            continue
        eager = ops.ALL[name](*(Tensor(p) if p is x else p for p in pair))
        static = ops.ALL[name](*(value if p is x else p for p in pair))
        assert eager.dtype == static.dtype == expected.dtype
        (found,) = run(builder.graph([static], [value]), x)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (lambda x: x + np.ones(2), ShapeError, r"cannot broadcast \(3,\) with \(2,\)"),
        (lambda x: x + "a", DtypeError, "<U1|numbers"),
        (lambda x: x + None, DtypeError, "object|None"),
        (lambda x: ops.add(x), OperandError, "add takes 2 operands, got 1"),
        (lambda x: ops.relu(), OperandError, "relu takes 1 operand, got 0"),
        (lambda x: ops.add(x, x, alpha=2), OperandError, "add has no setting 'alpha'"),
        (lambda x: ops.where(x, x, x), DtypeError, "boolean condition"),
        (lambda x: ops.neg(x > 0.0), DtypeError, "neg cannot take bool"),
        (lambda x: ops.relu(x > 0.0), DtypeError, "relu cannot take bool"),
        (lambda x: ops.cast(x, dtype="nope"), DtypeError, "no dtype 'nope'"),
        (lambda x: ops.cast(x, dtype=complex), DtypeError, "real numbers"),
        (lambda x: ops.cast(x, dtype="int8") + 300, DtypeError, "300"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_errors_are_the_same_in_both_worlds(act, kind, said, world):
    x = Tensor([1.0, 2.0, 3.0]) if world == "eager" else GraphBuilder().placeholder((3,))
    with pytest.raises(kind, match=said):
        act(x)


def test_a_third_operand_is_never_a_place_to_write():
    x = Tensor([1.0, 2.0], requires_grad=True)
    for operator in (ops.add, ops.div, ops.exp):
        with pytest.raises(OperandError):
            operator(*[x] * (operator.operands + 1))
        with pytest.raises(OperandError):
            operator(*[np.ones(2)] * (operator.operands + 1))
    assert x.data.tolist() == [1, 2]


def test_a_cast_to_integers_has_no_slope():
    x = Tensor([1.7], requires_grad=True)
    assert not ops.cast(x, dtype="int64").requires_grad
    assert ops.cast(x, dtype="float32").requires_grad
    builder = GraphBuilder()
    v = builder.placeholder((1,))
    through = ops.cast(ops.cast(v, dtype="int32"), dtype="float64")
    (found,) = gradients(through, [v])
    assert found is None
    (found,) = gradients(ops.mul(through, v), [v])  # the way round the integers stays
    assert run(builder.graph([found], [v]), np.array([1.7]))[0] == 1


def test_casts_from_all_to_all():
    numbers = np.array([0, 1, 3])
    for source in ("bool", "uint8", "int64", "float16", "float64"):
        for target in ("bool", "int8", "uint64", "float32"):
            x = numbers.astype(source)
            found = ops.cast(x, dtype=target)
            assert found.dtype == target
            np.testing.assert_array_equal(found, x.astype(target))
    assert ops.cast(np.array([-1.9, 1.9]), dtype="int32").tolist() == [-1, 1]
    ops.cast(np.array([np.nan, np.inf]), dtype="int32")  # some number, and no warning


def test_cast_like():
    builder = GraphBuilder()
    x = np.array([1.5, 2.0])
    for like in (Tensor(np.float32(0)), builder.placeholder((), "float32"), np.zeros(3, "f4")):
        assert ops.cast_like(Tensor(x), like).dtype == "float32"
    assert ops.cast_like(builder.placeholder((2,)), 1).dtype == "int64"
    y = Tensor(x, requires_grad=True)
    (slope,) = grad(ops.cast_like(y, np.float32(0)).sum(), y)
    assert slope.dtype == "float64"


@pytest.mark.parametrize("world", ["eager", "arrays"])
def test_a_whole_number_to_a_negative_power_explains_itself(world):
    x = Tensor([2, 4]) if world == "eager" else np.array([2, 4])
    with pytest.raises(DtypeError, match=r"negative whole number[\s\S]*x \*\* -1.0"):
        ops.pow(x, -1)
    assert ops.pow(x, -1.0).dtype == "float64"


def test_share_gives_a_tie_to_whom_it_is_told():
    g, a, b = np.array([2.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]), 2.0
    assert ops.share(g, a, b).tolist() == [0, 1, 2]
    assert ops.share(g, a, b, tie=1.0).tolist() == [0, 2, 2]
    assert ops.share(g, a, b, tie=0.0).tolist() == [0, 0, 2]
