"""What a notebook shows."""

import sys

import graphviz
import pytest
from IPython.core.interactiveshell import InteractiveShell

from cgkit.render import draw, install, notebook
from cgkit.render.notebook import Display


@pytest.fixture
def shell():
    """A shell of its own for a test."""
    made = InteractiveShell()
    install(made, engine="bundled")
    return made


def shown(shell, thing):
    """Format a thing as a notebook does."""
    data, metadata = shell.display_formatter.format(thing)
    assert metadata == {}
    return data


def student_graphs():
    """Make what a student may make with the graphviz package."""
    digraph = graphviz.Digraph()
    digraph.edge("a", "b", label="float32[3]")
    digraph.edge("a", "b")
    clusters = graphviz.Digraph()
    with clusters.subgraph(name="cluster_x") as inside:
        inside.node("输入", label="<<b>x</b>>")
    return [
        digraph,
        clusters,
        graphviz.Graph(body=["a -- b\n"]),
        graphviz.Digraph(strict=True, engine="neato", body=["a -> b\n"]),
        graphviz.Source("digraph { a -> b }"),
        graphviz.Digraph(format="jpeg", body=["a -> b\n"]),
    ]


@pytest.mark.parametrize("place", range(6))
def test_every_graph_of_a_student_is_shown(shell, place, monkeypatch):
    monkeypatch.setenv("PATH", "")
    data = shown(shell, student_graphs()[place])
    assert set(data) == {"text/html", "image/png", "text/plain"}
    assert data["text/html"].startswith("<figure")
    assert " of " in data["text/html"].split('alt="')[1]
    assert "0x" not in data["text/plain"]


def test_two_runs_show_the_same(shell):
    assert [shown(shell, one) for one in student_graphs()] == [
        shown(shell, one) for one in student_graphs()
    ]


def test_our_own_words_are_used(shell, diamond):
    data = shown(shell, draw(diamond))
    assert data["text/plain"] == "x ──► add ──► add\n└────►┘ └────►┘"
    assert 'alt="Computational graph: input x;' in data["text/html"]


@pytest.mark.parametrize("dot", ["digraph { a ->", "", "digraph { a [label=<<b>x</i>>] }"])
def test_a_bad_text_gives_a_sentence(shell, dot):
    data = shown(shell, graphviz.Source(dot))
    assert set(data) == {"text/plain"}
    assert data["text/plain"].startswith("no picture: ")
    assert "try" in data["text/plain"]


def test_the_engine_is_kept_until_another_is_named(shell):
    formatter = shell.display_formatter.mimebundle_formatter
    install(shell)
    assert formatter.lookup_by_type(graphviz.Digraph) == Display("bundled")
    install(shell, engine="system")
    assert formatter.lookup_by_type(graphviz.Source) == Display("system")


def test_without_a_shell_nothing_is_done(monkeypatch):
    monkeypatch.setattr(notebook, "running_shell", lambda: None)
    assert not install()
    monkeypatch.undo()
    monkeypatch.delitem(sys.modules, "IPython")
    assert notebook.running_shell() is None


def test_charts(shell):
    from matplotlib.figure import Figure

    chart = Figure()
    first, second = chart.subplots(1, 2)
    first.plot([1, 2])
    first.set(title="speed", xlabel="size", ylabel="ms")
    second.set(ylabel="bytes")
    chart.suptitle("both")
    data = shown(shell, chart)
    assert set(data) == {"text/html", "image/png", "text/plain"}
    assert data["text/plain"] == "Chart. both; speed: ms over size; bytes"
    assert shown(shell, chart) == data
    assert shown(shell, Figure())["text/plain"] == "Chart"
    # a backend that registers itself later changes nothing
    shell.display_formatter.formatters["image/png"].for_type(Figure, lambda chart: b"other")
    assert shown(shell, chart) == data
