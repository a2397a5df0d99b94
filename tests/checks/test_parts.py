import graphviz
import pytest

from cgkit.checks.dot import read_dot
from cgkit.checks.parts import DrawingError, quoted, reduce_drawing, source_of
from cgkit.checks.plain import NotPlainError


def parts(text):
    read = read_dot(text)
    return reduce_drawing(read, [(edge.tail, edge.head) for edge in read.edges]).parts


def test_values_on_the_way_are_left_out():
    found = parts(
        'digraph { a [label="+"]; x -> a; y -> a; a -> s; s -> b; b [label=neg]; b -> z }'
    )
    assert list(found) == ["x", "y", "a", "b"]
    assert found["b"].reads == ("a",)


def test_a_value_named_like_its_operation_is_left_out():
    assert list(parts('digraph { a [label="+"]; v [label="x + y"]; x -> a; y -> a; a -> v }')) == [
        *("x", "y", "a")
    ]


def test_sum_is_an_operation_only_if_it_adds():
    assert parts("digraph { x -> sum; y -> sum; sum -> z }")["sum"].meaning.text == "add"
    assert list(parts('digraph { x -> "+"; y -> "+"; "+" -> sum }')) == ["x", "y", "+"]


def test_the_same_operation_twice_stays():
    found = parts("digraph { a [label=neg]; b [label=neg]; x -> a -> b }")
    assert list(found) == ["x", "a", "b"]


def test_a_legend_does_not_count():
    text = "digraph { subgraph cluster_legend { input -> operator } x -> neg }"
    assert list(parts(text)) == ["x", "neg"]


def test_order_is_topological():
    assert list(parts("digraph { b [label=neg]; a [label=neg]; a -> b; x -> a }")) == [
        *("x", "a", "b")
    ]


def test_cycles_are_named():
    with pytest.raises(DrawingError, match='cycle through "a", "b"') as caught:
        parts("digraph { a -> b -> a }")
    assert caught.value.marked == ("a", "b")


def test_a_name_cannot_read_two_values():
    with pytest.raises(DrawingError, match=r'2 arrows end in "z", and its label'):
        parts("digraph { x -> z; y -> z }")


def test_strict_drawings_hold_one_of_two_equal_arrows():
    assert parts('strict digraph { m [label="*"]; x -> m; x -> m }')["m"].reads == ("x", "x")


class Sly(graphviz.Digraph):
    source = "digraph { forged }"


def test_sources():
    drawing = graphviz.Digraph()
    drawing.edge("x", "z")
    assert "x -> z" in source_of(drawing)
    assert source_of(graphviz.Source("digraph {}")).strip() == "digraph {}"
    for odd in (Sly(), None, 3, ["digraph {}"], object()):
        with pytest.raises(NotPlainError):
            source_of(odd)


def test_quoted():
    assert quoted("a\n b") == '"a b"'
