"""DOT to bytes: with a good `dot`, a bad one, and none."""

import os
import sys

import pytest

from cgkit.errors import RenderError
from cgkit.render import engine

needs_scripts = pytest.mark.skipif(os.name == "nt", reason="the stand-ins for dot are scripts")
WITHOUT_PACKAGES = "import sys\nsys.path = [p for p in sys.path if 'site-packages' not in p]\n"
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot_json": b"{"}


@pytest.fixture
def fake_dot(tmp_path, monkeypatch):
    """Put a script in the place of `dot`; nothing else is on PATH."""

    def put(body):
        (tmp_path / "dot.py").write_text(f"import sys, time\n{body}\n")
        script = tmp_path / "dot"  # a shell starts it: the first line of a script takes no spaces
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{tmp_path / 'dot.py'}' \"$@\"\n")
        script.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    monkeypatch.setenv("PATH", str(tmp_path))
    return put


@pytest.mark.parametrize("format", engine.FORMATS)
def test_without_dot_each_format_is_made(fake_dot, format):
    made = engine.render("digraph { a -> b }", format)
    assert made.startswith(STARTS[format])
    assert len(made) > 200


@pytest.mark.parametrize("format", engine.FORMATS)
def test_the_same_text_gives_the_same_bytes(format):
    dot = 'digraph { a -> b [label=<<b>x</b>>]; a -> b; "输入" -> b }'
    first = engine.render(dot, format, engine="bundled")
    assert engine.render(dot, format, engine="bundled") == first


def test_no_version_and_no_day_remain():
    made = engine.render_formats("digraph { a }", ["svg", "pdf"], engine="bundled")
    assert b"Generated" not in made["svg"]
    assert b"(D:20000101000000" in made["pdf"]


@pytest.mark.parametrize("dot", ["graph { a -- b }", "strict digraph { a -> a }", "digraph {}"])
@pytest.mark.parametrize("layout", engine.LAYOUTS)
def test_every_kind_of_graph_and_layout(dot, layout):
    assert b"<svg" in engine.render(dot, engine="bundled", layout=layout)


def test_a_text_without_fonts_is_set_in_ours_and_a_chosen_font_stays():
    svg = engine.render('digraph { a; b [fontname="Courier"] }', engine="bundled").decode()
    assert svg.count('font-family="DejaVu Sans, Verdana, sans-serif"') == 1
    assert "Courier" in svg


def test_a_node_without_a_label_shows_its_name():
    # one label anywhere is enough to make pygraphviz leave all others empty
    made = engine.render('digraph { x; y [label=add]; z [label=""]; x -> y -> z }', "svg")
    assert b">x</text>" in made
    assert b">add</text>" in made
    assert b">z</text>" not in made


def test_letters_have_a_width():
    """Without fonts a label of forty letters would be as narrow as empty squares."""
    svg = engine.render(f'digraph {{ a [shape=box label="{"m" * 40}"] }}', engine="bundled")
    width = float(svg.split(b'width="')[1].split(b"pt")[0])
    assert width > 40 * 12


@pytest.mark.parametrize(
    ("words", "message"),
    [({"format": "jpg"}, "format"), ({"engine": "mine"}, "engine"), ({"layout": "x"}, "layout")],
)
def test_words_that_are_none(words, message):
    with pytest.raises(RenderError, match=f"is no {message}"):
        engine.render("digraph {}", **words)


def test_an_empty_text():
    with pytest.raises(RenderError, match="empty"):
        engine.render("  \n")


def test_a_bad_text_names_its_line():
    with pytest.raises(RenderError, match=r"line 2 .* near '--'\n  2 \| b -- c"):
        engine.render("digraph { a -> b\nb -- c }", engine="bundled")


def test_a_bad_label_is_an_error_though_graphviz_exits_with_0():
    with pytest.raises(RenderError, match="label of node a"):
        engine.render("digraph { a [label=<<b>x</i>>] }", engine="bundled")


def test_the_bundled_engine_is_given_up_in_time():
    arrows = "".join(f"n{i * 7 % 400} -> n{i * 13 % 397} [label=x]\n" for i in range(3000))
    with pytest.raises(RenderError, match=r"not ready after 0\.5 seconds\n.*3,000 edges"):
        engine.render(f"digraph {{ {arrows} }}", engine="bundled", seconds=0.5)


def test_a_crash_is_tried_again_without_labels(monkeypatch):
    """Graphviz 14 fails on some large texts with labels; a picture without them is better."""
    child = engine._CHILD.replace(
        "import pygraphviz\n", "if formats[-1] != 'unlabeled': os.abort()\nimport pygraphviz\n", 1
    )
    monkeypatch.setattr(engine, "_CHILD", child)
    svg = engine.render("digraph { a -> b [label=gone] }", engine="bundled")
    assert b"<svg" in svg
    assert b"gone" not in svg


def test_no_dot_when_it_is_asked_for(fake_dot):
    with pytest.raises(RenderError, match="no `dot` on PATH"):
        engine.render("digraph {}", engine="system")


@needs_scripts
def test_dot_on_path_is_used(fake_dot):
    fake_dot("print('<svg>' + ' '.join(sys.argv[1:]) + sys.stdin.read())")
    made = engine.render("digraph { a }").decode()
    assert "-Tsvg -Kdot" in made
    assert "digraph { a }" in made


@needs_scripts
def test_bundled_means_bundled(fake_dot):
    fake_dot("print('<svg>')")
    assert b"<title>a</title>" in engine.render("digraph { a }", engine="bundled")


@needs_scripts
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "gave no picture and no reason"),
        ("time.sleep(60)", "not ready"),
        ("sys.exit('Error: <stdin>: syntax error in line 1 near ]')", "line 1"),
        ("sys.exit('Error: out of ink')", "out of ink"),
        ("sys.exit(3)", "gave no reason"),
        ("import os; os.abort()", "crashed"),
    ],
)
def test_a_dot_that_fails(fake_dot, body, message):
    fake_dot(body)
    with pytest.raises(RenderError, match=message):
        engine.render("digraph { a }", engine="system", seconds=2)


@needs_scripts
@pytest.mark.parametrize("body", ["", "import os; os.abort()"])
def test_a_dot_that_is_broken_is_passed_over(fake_dot, body):
    fake_dot(body)
    assert b"<title>a</title>" in engine.render("digraph { a }")


@needs_scripts
def test_a_dot_that_cannot_start(fake_dot, tmp_path):
    (tmp_path / "dot").write_text("#!/nowhere/at/all\n")
    (tmp_path / "dot").chmod(0o755)
    with pytest.raises(RenderError, match="does not start"):
        engine.render("digraph { a }", engine="system")


def test_without_pygraphviz(monkeypatch):
    monkeypatch.setattr(engine, "_CHILD", WITHOUT_PACKAGES + engine._CHILD)
    with pytest.raises(RenderError, match=r"(?s)pygraphviz is not installed.*doctor"):
        engine.render("digraph { a }", engine="bundled")
