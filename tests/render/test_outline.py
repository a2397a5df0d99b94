"""Any DOT text in words and letters."""

import pytest

from cgkit.render.engine import render
from cgkit.render.outline import LINES, Outline, comments, fit, read


def outline(dot):
    """Read a text through Graphviz."""
    return read(render(dot, "dot_json", engine="bundled"))


@pytest.mark.parametrize(
    ("dot", "sentence", "drawing"),
    [
        ("digraph {}", "Directed graph of 0 nodes and 0 edges.", "an empty graph"),
        ("digraph { a -> b -> c }", "2 edges: a to b, b to c.", "a ──► b ──► c"),
        ("graph { a -- b }", "Graph of 2 nodes and 1 edge: a with b.", "a ─── b"),
        ("digraph { a -> b; b -> a }", "a to b, b to a", "a ──► b\nb ──► a"),
        ('digraph { a -> b [label="[3]"]; c }', "a to b", "a ──► b ([3])\nc"),
        ('digraph { a [label="x\\ny"]; a -> b }', "x y to b", "x y ──► b"),
        ("digraph { a [label=<<b>x</b> &lt; y>] }", "1 node", "x < y"),
        ("digraph { subgraph cluster_s { a }; b -> a }", "b to a", "b ──► a"),
        ("digraph { a -> b; a -> b }", "a to b, a to b", "a ──► b\n└────►┘"),
    ],
)
def test_words_and_letters(dot, sentence, drawing):
    found = outline(dot)
    assert sentence in found.sentence()
    assert found.drawing() == drawing


def test_a_long_list_is_counted():
    found = Outline(tuple(map(str, range(99))), tuple((i, i + 1, "") for i in range(98)))
    assert found.sentence().endswith("and 90 more.")
    assert len(found.drawing().splitlines()) == LINES


def test_lines_are_cut():
    assert fit(["x"] * LINES) == "\n".join(["x"] * LINES)
    assert fit(["x"] * (LINES + 2)).endswith("\n… 3 more lines")


def test_comments_only_from_the_top():
    assert comments("digraph { a }\n// late") == ("", "")
    assert comments("// one\n// two\n// three\ndigraph {}") == ("one", "two\nthree")
