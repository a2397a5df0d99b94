"""Words of students on a page: nothing of them runs, and nothing fills it."""

import time

import pytest

from cgkit.grading.shown import (
    MOST_LETTERS,
    MOST_LINES,
    MOST_SOURCE,
    MOST_SOURCES,
    barred,
    harmless,
    shortened,
)


def test_much_that_was_printed_is_cut():
    assert barred("t", "x\n" * 1000).count("\n") == MOST_LINES + 2
    assert len(barred("t", "x" * 100_000)) < MOST_LETTERS + 100
    assert barred("t", "a\n").endswith("│ a\n")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "</div><iframe src='//x'>",
        "[x](javascript:alert(1))",
        "[x](JavaScript :alert(1))",
        "[x](&#106;avascript:alert(1))",
        "![x](data:text/html;base64,xx)",
        r"$\href{javascript:alert(1)}{x}$",
        r"[x](javascript\:alert(1))",
        "[x]: javascript\\:alert(1)\n\n[x]",
        r"[x](data\:text/html,x)",
        r"$\def\h#1{\href{java#1:alert(1)}{x}}\h{script}$",
        "![x](attachment:x.png)",
        "![x][y]\n\n[y]: attachment:x.png",
        "`<script>` and ```\n<script>x</script>\n```",
    ],
)
def test_an_essay_becomes_no_html(text):
    from nbconvert.filters import markdown2html

    def tags(html):
        return {
            word
            for word in ("<script", "<img src=x", "<iframe", "javascript:", "data:text", "\\href")
            if word in html.lower()
        }

    assert not tags(markdown2html(harmless(text)))
    assert harmless(text).replace("\u200b", "") == text


def test_an_essay_that_no_page_can_take_is_cut():
    start = time.monotonic()
    from nbconvert.filters import markdown2html

    html = markdown2html(harmless(r"\begin{a}" * 100_000))
    assert html.rstrip().endswith("<p>... and more</p>")
    assert time.monotonic() - start < 30


def test_the_beginning_of_much_code_is_shown():
    sources = {str(number): "x" * 60_000 for number in range(40)}
    cut = shortened(sources)
    assert cut.keys() == sources.keys()
    assert sum(map(len, cut.values())) < MOST_SOURCES + 40 * 50
    assert cut["0"].startswith("x" * MOST_SOURCE + "\n# ... and more")
    assert shortened({"a": "x" * MOST_SOURCE}) == {"a": "x" * MOST_SOURCE}


def test_ordinary_words_are_left_alone():
    text = "a < b, AT&T, $x<3$, *so* `f(x)` [here](https://example.org)"
    assert harmless(text).replace("\u200b", "") == text
    assert harmless("a < b & c: *more*") == "a < b & c: *more*"
