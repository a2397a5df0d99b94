"""From a graph to DOT."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import GraphBuilder, Tensor, TensorType, trace
from cgkit.errors import RenderError
from cgkit.render import STANDARD, Decoration, draw
from cgkit.render.drawing import as_graph
from cgkit.render.engine import render
from cgkit.render.outline import read

EXPECTED = Path(__file__).parent.parent / "expected" / "render"


def outline(digraph):
    """Let Graphviz read what we wrote."""
    return read(render(digraph.source, "dot_json", engine="bundled"))


def statements(source, pattern):
    """Find the statements of a DOT text that begin so."""
    return re.findall(rf"^\s*({pattern}) \[", source, re.MULTILINE)


@pytest.mark.parametrize("name", ["diamond", "network"])
def test_texts_as_expected(name, request):
    source = draw(request.getfixturevalue(name)).source
    assert source == (EXPECTED / f"{name}.dot").read_text(encoding="utf-8")


def test_the_same_graph_built_twice_gives_the_same_text(wide):
    assert draw(wide(50)).source == draw(wide(50)).source


def test_eager_graphs_are_drawn_too():
    x = Tensor(np.ones((3, 4)), requires_grad=True)
    y = (x @ np.ones((4, 2)) * 2.0).sum()
    source = draw(y).source
    assert "[3, 4]" in source
    assert len(statements(source, r"n\d+")) == 6
    assert draw([y, y]).source.count("output") > source.count("output")


def test_traces_and_values():
    traced = trace(lambda x: x * x, TensorType((), "float64"))
    assert as_graph(traced) is traced.graph
    builder = GraphBuilder()
    w = builder.variable(np.ones(3), name="w")
    assert "cylinder" in draw(w * 2.0).source


@pytest.mark.parametrize("thing", [3, None, "x", [], [Tensor(1.0), 3], len])
def test_what_is_no_graph(thing):
    with pytest.raises(RenderError, match="this is no graph"):
        draw(thing)


def test_a_tensor_that_nobody_recorded():
    with pytest.raises(RenderError, match="nothing was recorded"):
        draw(Tensor(1.0))


def test_directions(diamond):
    assert "rankdir=LR" in draw(diamond, direction="right").source
    with pytest.raises(RenderError, match="is no direction"):
        draw(diamond, direction="up")


def test_a_layer_of_ones_own(diamond):
    def numbered(graph):
        return Decoration(
            nodes={node: {"label": f"step {i}"} for i, node in enumerate(graph.nodes)},
            legend=(("*", "my legend", "#FFFFFF"),),
        )

    source = draw(diamond, layers=[*STANDARD, numbered]).source
    assert outline(draw(diamond, layers=[*STANDARD, numbered])).nodes[:3] == (
        "step 0",
        "step 1",
        "step 2",
    )
    assert "my legend" in source
    assert "my legend" not in draw(diamond, layers=[numbered], legend=False).source


def test_no_layers_at_all(diamond):
    assert outline(draw(diamond, layers=[])).nodes == ("input", "add", "add", "output")


def test_marks_are_words_beside_a_box(diamond):
    source = draw(diamond, marked={"x": "a < b\nc", ("x", "s"): "here"}).source
    assert "<a &lt; b<br/>c>" in source
    assert source.count("here") >= 2
    assert b"<svg" in render(source, engine="bundled")


def test_scopes_are_clusters_within_clusters():
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    with builder.scope("outer"):
        y = x + x
        with builder.scope("inner"):
            z = y * y
    source = draw(builder.graph([z])).source
    assert re.search(
        r"subgraph cluster0 \{(.|\n)*outer(.|\n)*subgraph cluster1 \{(.|\n)*inner", source
    )


def test_captions(diamond):
    assert "<b>a &amp; b</b>" in draw(diamond, caption="a & b", legend=False).source


@pytest.mark.parametrize(
    "name", ['"', "\\", "\\N", "<b>", "&amp;", "a:b", "n1", "node", "输入 →", "{|}"]
)
def test_names_of_every_kind(name):
    builder = GraphBuilder()
    with builder.scope(name):
        x = builder.placeholder((), name=name)
        drawn = draw(builder.graph([x + x]))
    svg = ElementTree.fromstring(render(drawn.source, engine="bundled"))
    shown = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert shown.count(name) == 2


@given(st.data(), st.booleans(), st.sampled_from(["down", "right"]))
@settings(max_examples=25)
def test_any_graph_has_each_node_once_and_each_arrow(any_graph, data, show_data, direction):
    graph = data.draw(any_graph)
    marked = {graph.nodes[-1]: data.draw(st.text(min_size=1, max_size=9))}
    drawn = draw(graph, direction=direction, show_data=show_data, marked=marked)
    names = statements(drawn.source, r"n\d+")
    assert names == list(dict.fromkeys(names))
    assert len(names) == len(graph.nodes)
    assert len(statements(drawn.source, r"out\d+")) == len(graph.outputs)
    arrows = sum(len(node.inputs) for node in graph.nodes) + len(graph.outputs)
    tensors = len(statements(drawn.source, r"n\d+t\d+"))
    assert len(outline(drawn).edges) == arrows + tensors + 1
