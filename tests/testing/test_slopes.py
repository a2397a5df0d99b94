"""Each law of gradients finds the liar that was made for it."""

import numpy as np
import pytest

from cgkit import Operator, Tensor, ops
from cgkit.node import Sample
from cgkit.operators.elementwise import infer_like
from cgkit.testing import LawBroken, slopes

A, B = np.array([[1.5, -2.0, 0.25], [0.5, 3.0, -1.0]]), np.array([2.0, -1.0, 4.0])
ONE, TWO = Sample((A,)), Sample((A, B))


def product(gradient, saves):
    return Operator(
        "liar", np.multiply, infer_like("liar", np.multiply), gradient=gradient, saves=saves,
        samples=lambda rng: iter([TWO]),
    )  # fmt: skip


HONEST = (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a)


def test_an_honest_gradient_passes():
    honest = product(HONEST, ("b", "a"))
    slopes.slopes_right(honest, TWO)
    slopes.gradients_agree(honest, TWO)
    slopes.saves_are_read(honest)


def test_a_wrong_slope_is_found():
    wrong = product((HONEST[0], lambda g, y, a, b: g * b), ("b", "b"))
    with pytest.raises(LawBroken, match=r"liar\(float64\[2, 3\], float64\[3\]\): the gradient of"):
        slopes.slopes_right(wrong, TWO)


def test_slopes_are_measured_in_float64_and_away_from_kinks_only():
    wrong = product((lambda g, y, a, b: g, lambda g, y, a, b: g), ())
    slopes.slopes_right(wrong, Sample((A.astype("f4"), B.astype("f4"))))
    slopes.slopes_right(wrong, Sample((A, B), differentiable=False))


def test_a_read_of_what_was_not_saved_fails():
    greedy = product(HONEST, ("", "a"))
    with pytest.raises(TypeError) as caught:
        slopes.gradients_agree(greedy, TWO)
    assert "  in the gradient of liar" in caught.value.__notes__


def test_what_is_saved_for_nothing_is_found():
    with pytest.raises(LawBroken, match=r"its result is saved for operands \(0,\) but never read"):
        slopes.saves_are_read(product(HONEST, ("by", "a")))
    with pytest.raises(LawBroken, match=r"operand 0 is saved for operands \(0,\)"):
        slopes.saves_are_read(product(HONEST, ("ab", "a")))


def test_reading_only_a_shape_needs_no_saving():
    spread = Operator(
        "liar", lambda a: np.asarray(a.sum()), lambda a: ops.sum.infer(a), saves=("a",),
        gradient=(lambda g, y, a: ops.broadcast_to(g, shape=a.shape),),
        samples=lambda rng: iter([ONE]),
    )  # fmt: skip
    with pytest.raises(LawBroken, match="never read"):
        slopes.saves_are_read(spread)


def test_a_gradient_that_stays_broadcast_is_summed_so_it_passes():
    # autodiff brings a gradient to the operand's shape and dtype; a rule need not
    plain = Operator(
        "liar", np.add, infer_like("liar", np.add),
        gradient=(lambda g, y, a, b: g, lambda g, y, a, b: g),
    )  # fmt: skip
    slopes.gradients_agree(plain, Sample((A, B.astype("f4"))))


def test_ways_back_that_differ_are_found():
    def by_kind(g, y, a):
        return g * y if isinstance(g, Tensor) else g * (y + 1e-9)

    split = Operator("liar", np.exp, infer_like("liar", np.exp), gradient=(by_kind,), saves=("y",))
    with pytest.raises(LawBroken, match="the gradient by create_graph"):
        slopes.gradients_agree(split, ONE)


def test_a_gradient_with_a_plain_number_in_a_wrong_dtype_is_brought_back():
    wide = Operator(
        "liar", np.exp, infer_like("liar", np.exp), saves=("y",),
        gradient=(lambda g, y, a: g * y * np.float64(1.0),),
    )  # fmt: skip
    slopes.gradients_agree(wide, Sample((A.astype("f4"),)))


def test_a_joint_gradient_is_checked_too():
    joint = product(lambda g, y, a, b: (g * b, g * a), ("b", "a"))
    slopes.slopes_right(joint, TWO)
    slopes.gradients_agree(joint, TWO)
    crossed = product(lambda g, y, a, b: (g * a, g * b), ("a", "b"))
    with pytest.raises(LawBroken):
        slopes.slopes_right(crossed, TWO)
