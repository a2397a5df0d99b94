"""Drawings cross as text, and only real ones."""

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
