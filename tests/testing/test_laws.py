"""check_operator runs all laws, and stops at the first that is broken."""

import numpy as np
import pytest

from cgkit import Operator, ops
from cgkit.node import Sample
from cgkit.operators.elementwise import infer_like
from cgkit.testing import LAWS, LawBroken, check_operator
from cgkit.testing.cases import samples_of
from cgkit.testing.laws import WHOLE, documented


def one(compute, **more):
    settings = {"samples": lambda rng: iter([Sample((np.array([0.5, 2.0]),))]), "doc": "e to a"}
    return Operator("mine", compute, infer_like("mine", np.exp), **{**settings, **more})


def test_an_operator_of_ones_own_is_tested_by_being_defined():
    assert check_operator(one(np.exp, gradient=(lambda g, y, a: g * y,), saves=("y",))) == 1
    with pytest.raises(LawBroken, match="gradient of argument 0"):
        check_operator(one(np.exp, gradient=(lambda g, y, a: g * y * 2.0,), saves=("y",)))


def test_samples_count():
    assert check_operator(ops.neg) == len(samples_of(ops.neg)) > 10


@pytest.mark.parametrize("words", [{"doc": ""}, {"doc": "  "}, {"label": " "}])
def test_an_operator_without_words_is_refused(words):
    with pytest.raises(LawBroken, match="no doc or no label"):
        documented(one(np.exp, **words))
    with pytest.raises(LawBroken):
        check_operator(one(np.exp, **words))


def test_a_broken_law_is_an_assertion_with_words():
    assert issubclass(LawBroken, AssertionError)


def test_laws_have_names_and_say_what_they_demand():
    for law in (*LAWS, *WHOLE):
        assert law.__doc__.startswith("Demand")
