"""Drawing functions over random graphs; how drawings are compared is tested beside it."""

import graphviz
import pytest

from cgkit.checks import NotAnswered
from cgkit.checks.graphs import pictures

Z = """digraph { x -> a; y -> b; a [label="x^2"]; b [label="y^2"]; a -> m; b -> m; m [label=max];
x -> n; y -> n; n [label=min]; m -> s; n -> s; s [label="+"] }"""


def test_z_drawing(failure):
    assert pictures.z_drawing(graphviz.Source(Z)).points == 6
    failed = failure(pictures.z_drawing, Z.replace("y -> n;", ""))
    assert failed.why == 'An arrow is missing: y ──► "min".'
    assert '▶ "min"   ◄── "x"' in failed.drawing
    assert failed.got == "a drawing of 7 nodes and 7 arrows"


def test_z_drawing_that_is_none(failure, wrong):
    assert isinstance(failure(pictures.z_drawing, None), NotAnswered)
    assert failure(pictures.z_drawing, wrong.AlwaysEqual()).stage == "type"
    failed = failure(pictures.z_drawing, "digraph { x -> }")
    assert "line 1, column 16" in failed.why


@pytest.mark.parametrize("form", ["to_dot", "to_digraph"])
def test_text_and_object_are_accepted(answers, form):
    assert pictures.to_dot(getattr(answers, form)).points == 8


def test_names_without_quotes_are_caught(failure):
    def careless(graph, shapes):
        lines = []
        for name, (kind, *rest) in graph.items():
            label = {"input": name, "constant": str(rest and rest[0])}.get(kind, kind)
            lines.append(f'{name} [label="{label}"]')
            if kind not in ("input", "constant"):
                lines += [f'{one} -> {name} [label="{shapes[one]}"]' for one in rest]
        return "digraph {" + "\n".join(lines) + "}"

    failed = failure(pictures.to_dot, careless)
    assert failed.stage in ("type", "values")
    assert "▶" in failed.drawing or "no DOT" in failed.why


def test_constants_are_no_operands(failure):
    def confused(graph, shapes):
        drawing = graphviz.Digraph()
        for name, (kind, *rest) in graph.items():
            label = {"input": name, "constant": str(rest and rest[0])}.get(kind, kind)
            drawing.node(name, label=label)
            for one in rest:
                drawing.edge(str(one), name, label=str(shapes.get(one, ())))
        return drawing

    assert "a node too many" in failure(pictures.to_dot, confused).why


def test_clusters(answers, failure):
    assert pictures.to_dot_clusters(answers.to_dot_clusters).out_of == 0
    no_boxes = failure(pictures.to_dot_clusters, lambda g, s, groups: answers.to_dot(g, s))
    assert "No box is labeled" in no_boxes.why

    def everywhere(graph, shapes, groups):
        return answers.to_dot_clusters(graph, shapes, {group: list(graph) for group in groups})

    assert "it should hold" in failure(pictures.to_dot_clusters, everywhere).why

    def one_more(graph, shapes, groups):
        return answers.to_dot_clusters(graph, shapes, {**groups, "rest": list(graph)})

    assert "drawn for" in failure(pictures.to_dot_clusters, one_more).why


def test_a_box_without_its_label_is_there(answers, failure):
    def nameless(graph, shapes, groups):
        text = answers.to_dot_clusters(graph, shapes, groups)
        return text.replace('label="layer 1";', "").replace('label="layer 2";', "")

    why = failure(pictures.to_dot_clusters, nameless).why
    assert why.startswith("The box around ")
    assert "it has no label; it should say 'layer" in why


def test_what_is_no_drawing_is_named(failure):
    assert "It gave a dict." in failure(pictures.to_dot, lambda graph, shapes: {}).why
    assert "Is there a return" in failure(pictures.to_dot, lambda graph, shapes: None).why


def test_a_question_ends_like_one(failure):
    why = failure(pictures.z_drawing, Z.replace('"x^2"', "sq1").replace('"y^2"', "sq2")).why
    assert why.endswith("is it square?")


def test_one_arrow_is_not_several(failure):
    got = failure(pictures.z_drawing, "digraph { x -> y }").got
    assert got == "a drawing of 2 nodes and 1 arrow"


def test_changing_the_graph_is_a_fault(answers, failure):
    def greedy(graph, shapes):
        text = answers.to_dot(graph, shapes)
        graph.clear()
        return text

    assert failure(pictures.to_dot, greedy).stage == "invariants"
