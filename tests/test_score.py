"""A Score is a number for nbgrader and a sentence for people."""

import math

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

from cgkit.score import WIDTH, Score, heading, points_of


def bundle(score):
    return DisplayFormatter().format(score)[0]


@pytest.mark.parametrize(("points", "text"), [(4, "4"), (2.5, "2.5"), (0, "0"), (4.29, "4.29")])
def test_plain_text_is_the_bare_number(points, text):
    plain = bundle(Score(points, 5, "a sentence", task="t", missing="something"))["text/plain"]
    assert plain == text
    assert float(plain) == points


def test_html_holds_the_sentence_and_the_tick():
    markup = bundle(Score(4, 4, "right on 200 graphs", task="backward"))["text/html"]
    assert "✓ backward" in markup
    assert "4 of 4 points" in markup
    assert "right on 200 graphs" in markup


def test_html_of_partial_credit_holds_what_is_missing():
    markup = Score(1, 4, "1 of 4", task="rules", missing="got  <nothing>")._repr_html_()
    assert "½ rules" in markup
    assert "got  &lt;nothing&gt;" in markup


@pytest.mark.parametrize(
    ("points", "out_of"),
    [(-1, 4), (5, 4), (math.nan, 4), (math.inf, 4), (1, math.nan), (True, 4), ("4", 4), (1, -1)],
)
def test_what_nbgrader_would_misread_is_refused(points, out_of):
    with pytest.raises(ValueError, match="Score"):
        Score(points, out_of)


def test_numbers_of_numpy_become_plain():
    assert repr(Score(np.float64(1.5), np.float64(2))) == "1.5"


def test_a_score_cannot_be_changed():
    with pytest.raises(AttributeError):
        Score(1, 2).points = 2


def test_message_and_text():
    score = Score(1, 2, "half holds", task="t", missing="why   b")
    assert score.message == "so far     half holds\nwhy   b"
    assert score.text().splitlines()[1:] == ["", "so far     half holds", "why   b"]
    assert Score(2, 2, "all holds").text().splitlines()[1:] == ["   all holds"]
    assert float(score) == 1.0


def test_heading_ends_at_the_margin():
    assert len(heading("✓", "task", points_of(1, 2))) == WIDTH
    assert points_of(0, 0) == "no points"


def test_no_line_is_wider_than_nbgrader_shows():
    score = Score(1, 2, "half of it holds " * 20, task="t", missing="why        so")
    assert max(map(len, score.text().splitlines())) <= WIDTH
    # nbgrader's Validate puts 4 spaces before each line and cuts it at 87
    assert WIDTH + 4 <= 87


def test_a_task_without_points_may_say_what_it_counts_for():
    score = Score(0, 0, "right", task="center", worth="counts for the 100")
    assert score.heading.endswith("counts for the 100")
    assert "counts for the 100" in score._repr_html_()
    assert repr(score) == "0"
