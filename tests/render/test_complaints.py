"""What Graphviz says, and what we make of it."""

import pytest

from cgkit.errors import RenderError
from cgkit.render import engine
from cgkit.render.complaints import explain


@pytest.mark.parametrize(
    ("dot", "message"),
    [
        ("digraph { a -> b\nb -- c }", "->  between nodes of a digraph"),
        ("graph { a -> b }", "digraph at the beginning"),
        ("a -> b", "digraph { ... } around the edges"),
        ("digraph { node -> b }", '"node" in double quotes'),
        ("digraph { a -> Edge }", '"Edge" in double quotes'),
        ('digraph { a [label="x] }', "the double quote"),
        ("digraph { a -> b", "the closing brace } that is missing"),
        ("digraph { a -> ", "the closing brace } that is missing"),
        ("digraph { x+y -> z }", "in double quotes, as in"),
        ("// mine\n/* still\nmine */ strict digraph { a -> [x] }", "in double quotes, as in"),
        ("digraph { a [label=<a & b>] }", "&lt; &gt; &amp;"),
    ],
)
def test_each_mistake_gets_its_own_advice(dot, message):
    """The complaint is Graphviz's own, so a new version that words it otherwise is noticed."""
    with pytest.raises(RenderError) as caught:
        engine.render(dot, engine="bundled")
    assert message in caught.value.attempt


def test_warnings_alone_are_no_reason():
    assert explain("Fontconfig warning: unknown element\n", "digraph {}", 0) is None


def test_a_text_that_ends_too_early_has_no_line_to_show():
    error = explain("Error: syntax error in line 9\n", "digraph { a ->", 1)
    assert "ends too early" in str(error)


def test_what_is_not_known_is_passed_on():
    error = explain("Warning: x\nError: no layout\n", "digraph {}", 1)
    assert "no layout" in str(error)
