"""Drawings and exact numbers cross, and only real ones."""

from decimal import Decimal
from fractions import Fraction

import graphviz
import pytest

from cgkit.checks.parts import source_of
from cgkit.grading.codec import Decoder, Encoder, Refused, refuse, refuse_mark
from cgkit.grading.kinds import BY_TYPE


def drawn():
    drawing = graphviz.Digraph()
    drawing.edge("x", "z", label="größe")
    return drawing


@pytest.mark.parametrize(
    "drawing", [drawn(), graphviz.Graph(body=["a -- b"]), graphviz.Source("digraph { a -> b }")]
)
def test_a_drawing_comes_out_as_one_that_checks_take(drawing):
    mark = Encoder(refuse)(drawing)
    assert mark == {"drawing": drawing.source}
    back = Decoder(b"", refuse_mark)(mark)
    assert source_of(back).strip() == drawing.source.strip()


def test_a_subclass_or_a_namesake_is_no_drawing():
    class Sly(graphviz.Digraph):
        source = "digraph { right -> answer }"

    Sly.__module__, Sly.__name__ = "graphviz.graphs", "Digraph"
    assert Sly not in BY_TYPE
    with pytest.raises(Refused):
        Encoder(refuse)(Sly())


@pytest.mark.parametrize("body", [5, ["digraph {}"], None, {"int": "0x5"}, "x" * (2 << 20)])
def test_what_is_no_text_is_refused(body):
    with pytest.raises(Refused):
        Decoder(b"", refuse_mark)({"drawing": body})


@pytest.mark.parametrize(
    "number",
    [
        Fraction(-7, 3),
        Fraction(0),
        Decimal("2.50"),
        Decimal("-0"),
        Decimal("1E+20"),
        Decimal("Inf"),
    ],
)
def test_exact_numbers_stay_what_they_are(number):
    back = Decoder(b"", refuse_mark)(Encoder(refuse)(number))
    assert (type(back), back, str(back)) == (type(number), number, str(number))


def test_a_number_that_lies_about_itself_does_not_cross():
    class Sly(Fraction):
        def __eq__(self, other):
            return True

        __hash__ = Fraction.__hash__

    Sly.__module__, Sly.__name__ = "fractions", "Fraction"
    with pytest.raises(Refused):
        Encoder(refuse)(Sly(1, 3))


@pytest.mark.parametrize(
    "mark",
    [
        {"fraction": 5}, {"fraction": [1]}, {"fraction": [1, 0]}, {"fraction": [1, -2]},
        {"fraction": [1.5, 2]}, {"fraction": [True, 2]}, {"fraction": ["1", "2"]},
        {"fraction": [{"int": "0x1" + "0" * 3000}, 1]}, {"decimal": 2.5}, {"decimal": "two"},
        {"decimal": "1E+999999"}, {"decimal": "1" * 4000},
    ],
)  # fmt: skip
def test_what_is_no_exact_number_is_refused(mark):
    with pytest.raises(Refused):
        Decoder(b"", refuse_mark)(mark)
