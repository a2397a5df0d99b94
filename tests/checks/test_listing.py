from cgkit.checks.dot import read_dot
from cgkit.checks.listing import list_drawing, list_graph


def test_a_graph():
    graph = {"x": ("input",), "two": ("constant", 2), "z": ("add", "x", "two")}
    assert list_graph(graph, ["z"], {"z": "= 5"}).splitlines() == [
        "  x     input",
        "  two   constant 2",
        "▶ z     add          ◄── x, two   = 5",
    ]


def test_a_long_graph_is_shown_around_its_mark():
    graph = {f"n{i}": ("input",) for i in range(100)}
    text = list_graph(graph, ["n50"])
    assert "▶ n50" in text
    assert len(text.splitlines()) == 15
    assert "100 nodes in all" in text


def test_a_drawing():
    read = read_dot('digraph { a [label="my max"]; x -> a }')
    assert list_drawing(read, ["a"]).splitlines() == ['▶ "my max"   ◄── "x"', '  "x"']


def test_nothing():
    assert list_drawing(read_dot("digraph {}")) == ""
