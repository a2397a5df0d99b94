"""Graphs in letters."""

from hypothesis import given
from hypothesis import strategies as st

from cgkit import GraphBuilder, cond, ops, while_loop
from cgkit.graph import Graph
from cgkit.render import draw_text
from cgkit.render.arcs import WIDTH, wide
from cgkit.render.outline import LINES


def test_a_value_that_is_read_a_thousand_times_is_listed_in_one_line():
    x = GraphBuilder().placeholder((1,), name="x")
    graph = x.builder.graph([ops.concat(*[x] * 3000)])
    _, line, _ = draw_text(graph).splitlines()
    assert line.split("…") == ["x, x, x, x, x, x, x, x, x, x,", " ──► c = concat   [3000]"]


def test_small_graphs_are_drawn(diamond):
    assert draw_text(diamond) == "x ──► add ──► add\n└────►┘ └────►┘"


def test_larger_ones_are_listed(wide):
    graph = wide(20)
    lines = draw_text(graph).splitlines()
    assert lines[0].split() == ["x0", "=", "input", "[3]"]
    assert lines[3].split()[-5:] == ["──►", "s", "=", "add", "[3]"]
    assert lines[-1].startswith("return ")
    assert len(lines) == len(graph.nodes) + 1


def test_marks(diamond, wide):
    assert draw_text(diamond, marked={diamond.nodes[1]: "twice"}).startswith("      ▼ twice\n")
    line = draw_text(wide(20), marked={"s3": "too wide"}).splitlines()[6]
    assert line.endswith("s3 = add     [3]  ◄── too wide")
    assert draw_text(diamond, marked={"nobody": "?"}) == draw_text(diamond)


def test_a_large_graph_shows_its_ends_and_its_mark(wide):
    graph = wide(2000)
    middle = graph.nodes[len(graph.nodes) // 2]
    drawn = draw_text(graph, marked={middle: "here"})
    assert "◄── here" in drawn
    assert len(drawn.splitlines()) <= LINES
    shown = sum("──►" in line or "=" in line for line in drawn.splitlines())
    left_out = [
        int(line.split()[1].replace(",", "")) for line in drawn.splitlines() if line[0] == "…"
    ]
    assert shown + sum(left_out) == len(graph.nodes)


def test_no_nodes():
    assert draw_text(Graph((), (), ())) == "an empty graph"


def test_names_of_every_kind():
    builder = GraphBuilder()
    x = builder.placeholder((), name="a\nb\0c " + "很" * 99)
    drawn = draw_text(builder.graph([x + x]))
    assert len(drawn.splitlines()) == 2
    assert "\0" not in drawn


@given(st.data())
def test_it_always_fits(any_graph, data):
    graph = data.draw(any_graph)
    lines = draw_text(graph).splitlines()
    assert lines
    assert len(lines) <= LINES
    assert all(wide(line) <= 2 * WIDTH for line in lines)
    assert all(len(line) <= WIDTH for line in lines)


def test_graphs_inside_stand_below():
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    y = while_loop(lambda c: c < 9.0, lambda c: cond(c < x, lambda: c * c, lambda: c + x), x)
    text = draw_text(builder.graph([y]))
    lines = text.splitlines()
    assert lines[2:5] == [
        "  test of w = while_loop", "    c     x     9.0 ──► less", "    └──────────────────►┘"
    ]  # fmt: skip
    assert "      then of c1 = cond" in lines
    assert max(map(wide, lines)) <= WIDTH


def test_graphs_inside_end_somewhere():
    def nested(x, depth):
        if not depth:
            return x * 2.0
        return cond(x < 9.0, lambda: nested(x, depth - 1), lambda: nested(x + 1.0, depth - 1))

    x = GraphBuilder().placeholder((), name="x")
    text = draw_text(x.builder.graph([nested(x, 5)]))
    assert len(text.splitlines()) == LINES
    assert "more lines" in text
