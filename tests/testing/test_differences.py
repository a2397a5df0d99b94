"""Differences find wrong gradients, of first and second order, and pass right ones."""

import numpy as np
import pytest

from cgkit import DtypeError, Operator, Tensor, ops
from cgkit.errors import OperandError
from cgkit.operators.elementwise import infer_like
from cgkit.testing import LawBroken, check_gradient, numeric_gradient

X = np.array([0.5, -1.2, 2.0])


def test_numeric_gradient_of_a_cubic():
    found = numeric_gradient(lambda x: float((x**3).sum()), X)
    np.testing.assert_allclose(found, 3 * X**2, atol=1e-8)


def test_numeric_gradient_leaves_its_point_alone_and_keeps_its_shape():
    point = np.ones((2, 0, 3))
    assert numeric_gradient(lambda x: 1.0, point).shape == (2, 0, 3)
    x = np.array(2.0)
    assert numeric_gradient(lambda a: float(a * a), x) == pytest.approx(4)
    assert x == 2


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: ops.exp(x) * x,
        lambda x: x.sum(),
        lambda x: x[1:] @ x[:-1],
        lambda x: x + 1.0,
        lambda x: ops.broadcast_to(x, shape=(2, 3)).max(axis=1),
    ],
)
def test_right_gradients_pass(fn):
    check_gradient(fn, X)


def test_a_function_of_nothing_has_slopes_of_zero():
    check_gradient(lambda x: x.detach() * 2.0, np.array(1.0), order=1, atol=3)
    with pytest.raises(LawBroken, match=r"wrong at \(\)"):
        check_gradient(lambda x: x.detach() * 2.0, np.array(1.0))


def operator(gradient, saves=("ay",)):
    return Operator("bent", np.exp, infer_like("bent", np.exp), gradient=(gradient,), saves=saves)


def test_a_wrong_slope_is_found_and_placed():
    bent = operator(lambda g, y, a: g * y + ops.where(a > 1.0, 1e-3, 0.0))
    with pytest.raises(LawBroken, match=r"gradient of argument 0 is wrong at \(2,\)"):
        check_gradient(bent, X)


def test_a_wrong_second_slope_is_found():
    # right at first order, but the rule hides its own slope behind plain numbers
    bent = operator(lambda g, y, a: g * np.asarray(getattr(y, "data", y)))
    check_gradient(bent, X, order=1)
    with pytest.raises(LawBroken, match="second gradient of argument 1"):
        check_gradient(bent, X)


def test_a_slope_lost_on_the_way_of_g_is_found():
    bent = operator(lambda g, y, a: np.asarray(getattr(g, "data", g)) * y)
    with pytest.raises(LawBroken, match="second gradient of argument 0"):
        check_gradient(bent, X)


def test_a_kink_is_seen_as_one():
    with pytest.raises(LawBroken, match="away from kinks"):
        check_gradient(lambda x: ops.abs(x), np.array([0.0, 1.0]))


@pytest.mark.parametrize(
    ("fn", "x", "settings", "kind", "said"),
    [
        (ops.exp, np.ones(2, "float32"), {}, DtypeError, "argument 0 is float32"),
        (ops.exp, np.ones(2, int), {}, DtypeError, "argument 0 is int64"),
        (ops.exp, ["a"], {}, DtypeError, "argument 0 is <U1"),
        (lambda x: (x, x), np.ones(2), {}, OperandError, "gives one Tensor, not tuple"),
        (lambda x: 3.0, np.ones(2), {}, OperandError, "gives one Tensor, not float"),
        (ops.exp, np.ones(2), {"order": 3}, OperandError, "to order 1 or 2, not to 3"),
    ],
)
def test_what_cannot_be_checked_is_said(fn, x, settings, kind, said):
    with pytest.raises(kind, match=said):
        check_gradient(fn, x, **settings)


def test_lists_and_tensors_are_points_too():
    check_gradient(ops.tanh, [[0.5, 1.0]])
    check_gradient(ops.mul, Tensor([1.0, 2.0]), 3.0)
