"""A graph in one sentence."""

import numpy as np

from cgkit import GraphBuilder, cond
from cgkit.render.words import sentence


def test_a_network(network):
    assert sentence(network) == (
        "Computational graph: input x; variables W, b, W, b; "
        "6 operators: 2 matmul, 2 add, 2 relu; 1 output from relu."
    )


def test_what_has_no_name_is_described():
    builder = GraphBuilder()
    x = builder.placeholder((2, 3), "float32")
    total = sum((x * np.full((2, 3), 7.0, "float32") for _ in range(20)), 1.5)
    said = sentence(builder.graph([total]))
    assert "input of shape float32 [2, 3]" in said
    assert "and 13 more" in said
    assert "\n" not in said


def test_what_is_pointed_at_is_said(diamond):
    x, _, c = diamond.nodes
    said = sentence(diamond, {x: "first\nof all", ("s", "output"): "no", (c, 0): "here", "z": "?"})
    assert said.endswith("; marked: x (first of all), s to s1 (here).")
    assert sentence(diamond, {}) == sentence(diamond)


def test_graphs_inside_are_counted():
    x = GraphBuilder().placeholder((), name="x")
    y = cond(x > 0.0, lambda: x * x + 1.0, lambda: x).named("y")
    said = sentence(x.builder.graph([y]))
    assert "; graphs inside: then of y, 2 operators, otherwise of y, 0 operators; 1 output" in said
