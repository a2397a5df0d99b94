"""Small graphs in letters."""

import pytest

from cgkit.render.arcs import ROWS, WIDTH, arcs


@pytest.mark.parametrize(
    ("labels", "edges", "drawing"),
    [
        ("a", [], "a"),
        ("ab", [(0, 1)], "a ──► b"),
        ("ab", [], "a     b"),
        # a third edge between the same nodes gets a row of its own
        ("ab", [(0, 1)] * 3, "a ──► b\n├────►┤\n└────►┘"),
        # two arcs to one node: the longer one passes below the shorter
        ("abc", [(0, 2), (1, 2), (0, 1), (0, 2)], "a ──► b ──► c\n├──────────►┤\n└──────────►┘"),
        # an arc crosses the way up of another
        ("abcd", [(0, 2), (1, 3)], "a     b     c     d\n│       └───┼────►┘\n└──────────►┘"),
    ],
)
def test_drawings(labels, edges, drawing):
    assert arcs(labels, edges) == drawing


def test_an_edge_to_the_left_or_to_itself_cannot_be_drawn():
    assert arcs("ab", [(1, 0)]) is None
    assert arcs("a", [(0, 0)]) is None


def test_what_does_not_fit_is_not_drawn():
    assert arcs(["x" * (WIDTH + 1)], []) is None
    assert arcs("ab", [(0, 1)] * (ROWS + 2)) is None
    assert arcs("ab", [(0, 1)] * (ROWS + 1)) is not None


def test_notes_stand_above_their_node():
    drawn = arcs(["x", "add"], [(0, 1)], {1: "here", 0: "and here"})
    assert drawn.splitlines() == ["▼ and here", "      ▼ here", "x ──► add"]


def test_chinese_letters_take_two_columns():
    drawn = arcs(["输入", "b", "c"], [(0, 1), (1, 2), (0, 2)])
    assert drawn == "输入 ──► b ──► c\n   └──────────►┘"
