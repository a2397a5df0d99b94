import numpy as np
import pytest

from cgkit.checks.dynamic.derived import backward_graph, run, wrong_graph

GRAPH = {"x": ("leaf",), "z": ("multiply", "x", "x")}
LARGER = {
    **GRAPH,
    "g": ("leaf",),
    "p": ("multiply", "g", "x"),
    "d": ("add", "p", "p"),
}
NAMES = {"z": "g", "x": "d"}


def test_a_right_graph():
    assert wrong_graph(GRAPH, "z", (LARGER, NAMES)) is None
    assert float(run(LARGER, {"x": 3.0, "g": 10.0})["d"]) == 60


def test_right_answers_pass(answers_02a):
    score = backward_graph(answers_02a.backward_graph)
    assert score.points == score.out_of == 0
    assert "second slopes" in score.sentence
    assert "stretch task" in score.heading


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (LARGER, "a tuple of two dicts"),
        ((LARGER, {"z": "g"}), "No node is named for the gradient of x"),
        ((LARGER, {"z": "g", "x": "q"}), "No node is named for the gradient of x"),
        (({**LARGER, "z": ("add", "x", "x")}, NAMES), "z of the graph is gone"),
        (({**LARGER, "g": ("negate", "x")}, NAMES), "is a leaf of its own"),
        (({**LARGER, "d": ("divide", "p", "p")}, NAMES), "'d' is no node"),
        (({**LARGER, "d": ("add", "p")}, NAMES), "'d' is no node"),
        (({**LARGER, "d": ("leaf",)}, NAMES), "'d' is no node"),
        (({**LARGER, "d": ("add", "p", "q")}, NAMES), "'d' is no node"),
        (({**LARGER, "d": ("add", "p", "d")}, NAMES), "There is a circle"),
        (({**LARGER, "z": np.zeros(2)}, NAMES), "z of the graph is gone"),
        (({**LARGER, "d": np.zeros(2)}, NAMES), "'d' is no node"),
        (({**LARGER, "d": ("add", np.zeros(2), "p")}, NAMES), "'d' is no node"),
        ((LARGER, {"z": "g", "x": np.zeros(2)}), "No node is named for the gradient of x"),
        ((LARGER, {"z": "g", "x": "p"}), "gradient of x computes another number"),
    ],
)
def test_what_is_wrong_with_a_graph(found, words):
    assert words in wrong_graph(GRAPH, "z", found).why


def test_missing_accumulation_is_found(failure, answers_02a):
    def replaces(graph, output, seed):
        larger, names = answers_02a.backward_graph(graph, output, seed)
        larger = {n: ("add", node[1], node[1]) if n not in graph and node[0] == "add" else node
                  for n, node in larger.items()}  # fmt: skip
        return larger, names

    failed = failure(backward_graph, replaces)
    assert "computes another number" in failed.why
    assert "▶" in failed.drawing
