"""Large graphs in few boxes."""

import re

import pytest

from cgkit import GraphBuilder
from cgkit.render import draw
from cgkit.render.engine import render
from cgkit.render.fold import ARROWS, LABELS, NODES, fold
from cgkit.render.layers import STANDARD, Decoration, mark
from cgkit.render.picture import assemble


def stands_for(picture):
    """Count the nodes that all boxes of a picture stand for."""
    numbers = [
        int(found[1]) if (found := re.search(r"<b>(\d+) nodes</b>", box.attributes["label"])) else 1
        for box in picture.boxes
    ]
    return sum(numbers)


def test_what_can_be_drawn_stays(network):
    picture = assemble(network, STANDARD)
    assert fold(picture) == picture


@pytest.mark.parametrize("size", [NODES + 1, 1000])
def test_by_levels_no_node_is_lost(wide, size):
    whole = assemble(wide(size), STANDARD)
    folded = fold(whole)
    assert len(folded.boxes) <= 40
    assert stands_for(folded) == len(whole.boxes)


def test_by_scopes_the_innermost_first():
    picture = assemble(nested(), STANDARD)
    folded = fold(picture)
    scopes = {box.scope for box in folded.boxes if box.operator == "group"}
    assert scopes == {f"block{number}" for number in range(4)}
    assert len(folded.boxes) == 42
    coarse = fold(picture, nodes=12)
    assert len(coarse.boxes) <= 12
    assert stands_for(folded) == stands_for(coarse) == len(picture.boxes)


def test_a_tensor_read_twice_is_one_tensor():
    """Two blocks: x ═► block1, then one or two tensors ═► block2."""
    for outputs, label in ((1, "[3]"), (2, "2 tensors")):
        builder = GraphBuilder()
        x = builder.placeholder((3,), name="x")
        with builder.scope("block1"):
            made = [x + x for _ in range(outputs)]
        with builder.scope("block2"):
            total = made[0] * made[-1] + made[0]
        picture = fold(assemble(builder.graph([total]), STANDARD), nodes=4)
        assert [arrow.attributes["label"] for arrow in picture.arrows] == ["[3]", label, "[3]"]


def test_too_many_arrows_are_folded_too(wide):
    picture = assemble(wide(180), STANDARD)
    assert len(picture.boxes) < NODES < len(picture.arrows) < ARROWS
    assert len(fold(picture).boxes) == len(picture.boxes)
    assert len(fold(picture, arrows=300).boxes) < 50


def test_too_many_labels_are_left_out_and_said_so(wide):
    folded = fold(assemble(wide(150), STANDARD))
    assert len(folded.arrows) > LABELS
    assert not any("label" in arrow.attributes for arrow in folded.arrows)
    assert any("left out" in words for _, words, _ in folded.legend)


def test_a_mark_stays_in_sight(wide):
    graph = wide(500)
    picture = fold(assemble(graph, [*STANDARD, mark({graph.nodes[250]: "here"})]))
    assert [box.attributes["note"] for box in picture.boxes if "note" in box.attributes] == ["here"]


@pytest.mark.parametrize("scope", [lambda place: "", lambda place: f"b{place // 20}/p{place % 4}"])
@pytest.mark.parametrize("size", [230, 600, 3000])
def test_pictures_of_tangled_graphs_stay_within_what_is_drawn_soon(wide, size, scope):
    """Three hundred nodes with six hundred arrows took Graphviz over five seconds."""
    svg = render(draw(wide(size, scope=scope)).source, engine="bundled")
    assert 1 < svg.count(b'class="node"') <= NODES
    assert 1 < svg.count(b'class="edge"') <= ARROWS


def nested():
    """A chain of 400 additions in 4 blocks of 10 parts of 10."""
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    for place in range(400):
        with builder.scope(f"block{place // 100}"), builder.scope(f"part{place // 10}"):
            x = x + x
    return builder.graph([x])


@pytest.mark.parametrize(("depth", "boxes"), [(0, 402), (1, 6), (2, 42), (3, 402)])
def test_a_depth_says_how_many_scopes_are_open(depth, boxes):
    picture = fold(assemble(nested(), STANDARD), depth=depth)
    assert len(picture.boxes) == boxes
    assert stands_for(picture) == 402


def test_titles_stand_in_the_place_of_names():
    def titled(graph):
        return Decoration(titles={"block0": "first <of all>\n100 sums\n\nadd\nand add"})

    picture = fold(assemble(nested(), [*STANDARD, titled]), depth=1)
    labels = [box.attributes["label"] for box in picture.boxes if box.operator == "group"]
    assert labels[0] == (
        "<<b>first &lt;of all&gt;</b><br/><b>100 sums</b><br/><b>100 nodes</b><br/>"
        '<font point-size="9">add</font><br/><font point-size="9">and add</font>>'
    )
    assert labels[1].startswith("<<b>block1</b>")
    source = draw(nested(), layers=[*STANDARD, titled], depth=2).source
    assert 'first &lt;of all&gt;<br align="left"/>100 sums<br align="left"/>' in source


def test_what_cannot_be_read_is_opened_less():
    """150 parts in 3 blocks would fit, and nobody would look at them."""
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    for place in range(450):
        with builder.scope(f"block{place // 150}"), builder.scope(f"part{place // 3}"):
            x = x + x
    folded = fold(assemble(builder.graph([x]), STANDARD))
    assert len(folded.boxes) == 5
