"""Moments side by side."""

import re

import graphviz
import pytest
from IPython.core.interactiveshell import InteractiveShell

from cgkit.errors import RenderError
from cgkit.render import draw, install, strip
from cgkit.render.figure import size


def shown(thing):
    """Format a thing as a notebook does."""
    shell = InteractiveShell()
    install(shell, engine="bundled")
    data, _ = shell.display_formatter.format(thing)
    return data


def test_each_moment_is_a_picture_with_words(diamond):
    x, b, _ = diamond.nodes
    moments = [draw(diamond, marked={node: "now"}, direction="right") for node in (x, b)]
    data = shown(strip(moments, ["start", "then <b>"]))
    assert data["text/html"].count("<img") == 2
    assert 'alt="start: Computational graph' in data["text/html"]
    first, second = re.findall('alt="([^"]*)"', data["text/html"])
    assert first.endswith("; marked: x (now).")
    assert second.endswith("; marked: s (now).")
    assert "then &lt;b&gt;</figcaption>" in data["text/html"]
    assert data["text/plain"].startswith("start\n▼ now\nx ──► add")
    one = shown(moments[0])["image/png"]
    assert size(data["image/png"])[0] > 1.5 * size(one)[0]
    assert shown(strip(moments, ["start", "then <b>"])) == data


def test_a_stored_strip_shows_its_captions(diamond):
    moment = draw(diamond, direction="right")
    heights = [
        size(shown(strip([moment], [caption]))["image/png"])[1] for caption in ("", "输入", "start")
    ]
    assert heights[0] == heights[1] < heights[2]
    narrow = strip([moment] * 2, ["a caption that is wider than its picture " * 3, "short"])
    assert size(shown(narrow)["image/png"])[0] > 2 * size(shown(moment)["image/png"])[0]


def test_captions_count_from_one(diamond):
    assert strip([draw(diamond)] * 2).captions == ("1", "2")


def test_captions_that_do_not_fit(diamond):
    with pytest.raises(RenderError, match="1 moments cannot have 2 captions"):
        strip([draw(diamond)], ["a", "b"])


def test_a_bad_moment_gives_a_sentence():
    assert shown(strip([graphviz.Source("digraph {")]))["text/plain"].startswith("no picture")
