"""A picture as data."""

from dataclasses import replace

import pytest

from cgkit import GraphBuilder
from cgkit.errors import RenderError
from cgkit.render.layers import STANDARD, Decoration
from cgkit.render.picture import DEEPEST, assemble, with_tensors


def test_each_node_and_each_output_is_a_box_and_each_operand_an_arrow(diamond):
    made = assemble(diamond, STANDARD)
    assert [box.key for box in made.boxes] == ["n0", "n1", "n2", "out0"]
    ends = [(arrow.tail, arrow.head) for arrow in made.arrows]
    assert ends == [("n0", "n1"), ("n0", "n1"), ("n1", "n2"), ("n1", "n2"), ("n2", "out0")]


def test_later_layers_lie_over_earlier_ones(diamond):
    red = lambda graph: Decoration(nodes={graph.nodes[0]: {"fillcolor": "red"}})  # noqa: E731
    box = assemble(diamond, [*STANDARD, red]).boxes[0]
    assert box.attributes["fillcolor"] == "red"
    assert box.attributes["shape"] == "ellipse"


@pytest.mark.parametrize("scope", ["/", "//", "a//b", "/a", "a/" * 40])
def test_scopes_of_every_kind(diamond, scope):
    layer = lambda graph: Decoration(scopes={graph.nodes[0]: scope})  # noqa: E731
    parts = assemble(diamond, [layer]).boxes[0].scope
    assert "//" not in parts
    assert not parts.startswith("/")
    assert len(parts.split("/")) <= DEEPEST


def test_tensors_as_boxes_join_one_output_to_all_its_readers(diamond):
    made = with_tensors(assemble(diamond, STANDARD), diamond)
    ends = [(arrow.tail, arrow.head) for arrow in made.arrows]
    assert ends.count(("n0", "n0t0")) == 1
    assert ends.count(("n0t0", "n1")) == 2
    assert len(made.boxes) == 4 + 3
    assert not any(arrow.attributes.get("label") for arrow in made.arrows)


def test_a_graph_that_does_not_list_a_node(diamond):
    broken = replace(diamond, nodes=diamond.nodes[1:])
    with pytest.raises(RenderError, match="whose node it does not list"):
        assemble(broken, STANDARD)


def test_outputs_are_numbered_when_there_are_several():
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    labels = [box.attributes["label"] for box in assemble(builder.graph([x, x]), STANDARD).boxes]
    assert labels[1:] == ["output 0", "output 1"]
