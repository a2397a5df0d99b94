"""A picture as HTML."""

import base64
import io
import re
from html.parser import HTMLParser

from PIL import Image

from cgkit.render.engine import render
from cgkit.render.figure import LARGEST, WIDEST, figure, size, smaller


def png(width, height, mode="RGB", color="white"):
    """Make a PNG of one color."""
    stored = io.BytesIO()
    Image.new(mode, (width, height), color).save(stored, "PNG")
    return stored.getvalue()


class Reader(HTMLParser):
    """Collects the tags of a text."""

    def __init__(self, text):
        super().__init__()
        self.tags = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = dict(attrs)


def test_words_and_data_come_back_whole():
    svg = render("digraph { a -> b }", engine="bundled")
    words = 'it\'s "a" <b> & c'
    tags = Reader(figure(svg, words)).tags
    assert tags["img"]["alt"] == words
    head, data = tags["img"]["src"].split(",")
    assert head == "data:image/svg+xml;base64"
    assert base64.b64decode(data) == svg


def test_the_card_is_opaque_and_nothing_needs_a_script():
    html = figure(png(10, 10), "x", caption="a < b")
    assert re.search(r"background-color:#f{6}", html)
    assert "a &lt; b</figcaption>" in html
    assert "<svg" not in html
    assert "<script" not in html


def test_sizes_in_pixels():
    assert size(png(30, 20)) == (30, 20)
    assert size(b"<svg>") == (0, 0)
    assert 'width="15" height="10"' in figure(png(30, 20), "x", scale=0.5)


def test_a_picture_wider_than_the_page_scrolls():
    assert "max-width:none" in figure(png(WIDEST + 1, 1), "x")
    assert "max-width:none" not in figure(png(WIDEST, 1), "x")


def test_stored_pictures_are_small_and_opaque():
    large = smaller(png(LARGEST[0] * 2, 100))
    assert size(large) == (LARGEST[0], 50)
    with Image.open(io.BytesIO(smaller(png(4, 4, "RGBA", (0, 0, 0, 0))))) as image:
        assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    picture = render("digraph { a -> b -> c }", "png", engine="bundled")
    assert len(smaller(picture)) < len(picture) / 2
    assert smaller(picture) == smaller(picture)
