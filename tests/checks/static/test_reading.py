import pytest

from cgkit.checks.static.reading import GraphFault, read_graph

ARITIES = {"add": 2, "negate": 1}
X = {"x": ("placeholder",)}


def test_a_right_graph_is_given_back():
    graph = {"z": ("add", "a", "x"), "a": ("negate", "k"), "k": ("constant", 2.0), **X}
    assert read_graph(graph, ARITIES) == graph
    assert read_graph({}, ARITIES) == {}


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ([1], "this is a list"),
        ({1: ("placeholder",)}, "The name of a node is a text"),
        ({"a": ["negate", "x"], **X}, "should be a tuple"),
        ({"a": (), **X}, "should be a tuple"),
        ({"a": (1, 2), **X}, "should be a tuple"),
        ({"x": ("placeholder", "y")}, "reads nothing"),
        ({"w": ("variable", 1)}, "reads nothing"),
        ({"k": ("constant", "x"), **X}, "holds one number"),
        ({"k": ("constant",)}, "holds one number"),
        ({"k": ("constant", True)}, "holds one number"),
        ({"a": ("cube", "x"), **X}, "known are placeholder, constant, add, negate"),
        ({"a": ("add", "x"), **X}, "add takes 2, and 'a' has 1 operand."),
        ({"a": ("negate", 2.0)}, "needs a constant node of its own"),
        ({"a": ("negate", "y"), **X}, "no node has that name"),
        ({"a": ("negate", None), **X}, "no node has that name"),
        ({"a": ("negate", ("x",)), **X}, "no node has that name"),
        ({"a": ("negate", "a")}, "there is a cycle"),
        ({"a": ("negate", "b"), "b": ("add", "a", "x"), **X}, "there is a cycle"),
    ],
)
def test_each_fault_has_its_sentence(graph, words):
    with pytest.raises(GraphFault) as caught:
        read_graph(graph, ARITIES)
    assert words in caught.value.why


def test_a_deep_graph_is_read():
    graph = {**X, **{f"n{i}": ("negate", f"n{i - 1}" if i else "x") for i in range(20_000)}}
    assert len(read_graph(graph, ARITIES)) == 20_001
