import graphviz
import pytest

from cgkit.checks import NotAnswered
from cgkit.checks.dynamic.pictures import both_ways_drawing


def test_the_graph_is_the_derivative():
    """z = (x + y) * y: dz/dx = y and dz/dy = x + 2y, here scaled by g."""
    x, y, g = 3.0, 4.0, 10.0
    s = x + y
    assert g * y == g * 4
    assert g * y + g * s == g * (x + 2 * y)


def test_right_drawings(answers_02a):
    assert both_ways_drawing(answers_02a.both_ways_drawing).points == 5
    drawing = graphviz.Digraph()
    for name, label in (("s", "add"), ("z", "mul"), ("a", "mul"), ("b", "mul"), ("d", "add")):
        drawing.node(name, label=label)
    for tail, head in ("xs", "ys", "sz", "yz", "ga", "ya", "gb", "sb", "ad", "bd"):
        drawing.edge(tail, head)
    for value in ("dz/ds", "dz/dy"):  # names of values, not divisions
        drawing.edge("a" if value == "dz/ds" else "d", value)
    assert both_ways_drawing(drawing).points == 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("b -> d;", ""), "An arrow is missing"),
        (("s -> b;", "z -> b;"), "wrong place"),
        (("g -> a;", "one -> a;"), "not an input"),
        (("a -> d; b -> d;", ""), "No arrow ends in"),
        (("x -> s;", "x -> s; x -> e; y -> e; e [label=mul];"), "a node too many"),
    ],
)
def test_what_is_missing_is_named(change, words, failure):
    text = (
        "digraph { s [label=add]; z [label=mul]; a [label=mul]; b [label=mul]; d [label=add]; "
        "x -> s; y -> s; s -> z; y -> z; g -> a; y -> a; g -> b; s -> b; a -> d; b -> d; }"
    )
    assert both_ways_drawing(text).points == 5
    failed = failure(both_ways_drawing, text.replace(*change))
    assert words in " ".join(failed.why.split())


def test_nothing_is_not_answered(failure):
    assert isinstance(failure(both_ways_drawing, None), NotAnswered)
