import pytest

from cgkit.checks.dot import read_dot
from cgkit.checks.labelled import compare_labelled
from cgkit.checks.parts import DrawingError

GRAPH = {
    "x": ("input",),
    "k 1": ("constant", 2),
    "d": ("add", "x", "x"),
    "z": ("multiply", "d", "k 1"),
}
SHAPES = {"x": (2, 3), "k 1": (), "d": (2, 3), "z": (2, 3)}
NODES = '"k 1" [label="2.0"]; d [label=add]; z [label=multiply];'
EDGES = (
    'x -> d [label="(2, 3)"]; x -> d [label="(2, 3)"];'
    'd -> z [label="(2, 3)"]; "k 1" -> z [label="()"];'
)


def compare(text):
    compare_labelled(read_dot(f"digraph {{ {text} }}"), GRAPH, SHAPES)


@pytest.mark.parametrize(
    "text",
    [
        NODES + EDGES,
        NODES.replace("add", '"+"').replace("multiply", '"MULTIPLY\\nfloat32"') + EDGES,
        NODES + EDGES.replace("(2, 3)", "[2, 3]").replace('"()"', '""'),
        NODES + EDGES.replace("(2, 3)", "float32[2, 3]"),
        NODES + EDGES.replace("(2, 3)", "2\N{MULTIPLICATION SIGN}3"),
        NODES + EDGES.replace('d -> z [label="(2, 3)"]', 'd -> v; v -> z [label="(2, 3)"]'),
        NODES + EDGES + "z -> result",
    ],
)
def test_right(text):
    compare(text)


@pytest.mark.parametrize(
    ("text", "message", "mistake"),
    [
        (NODES + EDGES.replace("x -> d", "y -> d"), '"x" is missing', ""),
        (NODES.replace('"k 1" [label="2.0"];', "") + EDGES, "it should show its value 2", ""),
        (NODES.replace("add", "plus1") + EDGES, "it should show its operator add", ""),
        (NODES + "w;" + EDGES, '"w" is not a node of the graph', ""),
        (
            NODES + EDGES.replace('x -> d [label="(2, 3)"];', "", 1),
            "the node d reads x 2 times",
            "twin arrows lost",
        ),
        (NODES + EDGES + 'x -> z [label="(2, 3)"]', "an arrow too many: x ──► z", ""),
        (NODES + "x; " + EDGES[EDGES.index("d -> z") :], "an arrow is missing: x ──► d", ""),
        (NODES + EDGES.replace('"()"', '"(2, 3)"'), "of shape ()", "shape of the reader"),
        (NODES + EDGES.replace('[label="()"]', '[label="3"]'), "of shape ()", ""),
        (NODES + EDGES.replace("(2, 3)", "(3, 2)"), 'says "(3, 2)"', ""),
        (
            NODES + 'd -> x; d -> x; z -> d; z -> "k 1"',
            "every arrow points the wrong way",
            "arrows reversed",
        ),
    ],
)
def test_wrong(text, message, mistake):
    with pytest.raises(DrawingError) as caught:
        compare(text)
    assert message in str(caught.value)
    assert caught.value.misconception == mistake


def test_a_name_that_needed_quotes():
    with pytest.raises(DrawingError, match="needs quotes"):
        compare("x; d [label=add]; k; z [label=multiply]")


def test_no_direction():
    with pytest.raises(DrawingError, match="no direction"):
        compare_labelled(read_dot("graph { x }"), GRAPH, SHAPES)
