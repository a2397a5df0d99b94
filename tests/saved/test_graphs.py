"""Graphs that go through a file."""

import numpy as np
import pytest

from cgkit import GraphBuilder, gradients, ops, run, saved
from cgkit.control import scan
from cgkit.errors import FileError
from cgkit.saved.graphs import load_graph, save_graph


def test_a_graph_with_a_loop_and_its_gradient(tmp_path):
    builder = GraphBuilder()
    x, w = builder.placeholder((None, 3), name="x"), builder.variable(np.eye(3), name="w")
    carry, _ = scan(lambda c, row: (ops.tanh(c @ w + row), None), np.zeros(3), x)
    graph = builder.graph([carry, *gradients(carry.sum(), [w])], [x])
    save_graph(tmp_path / "model.npz", graph)
    found = load_graph(tmp_path / "model.npz")
    assert str(found) == str(graph)
    data = np.random.default_rng(0).normal(size=(5, 3))
    for ours, theirs in zip(run(found, data), run(graph, data), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_files_that_hold_no_graph(tmp_path):
    path = tmp_path / "state.npz"
    saved.save(path, {"w": np.ones(2)})
    with pytest.raises(FileError, match="holds a state, not a graph"):
        load_graph(path)
    saved.save(path, {"graph": {"version": 1, "nodes": [], "inputs": [[0, 0]], "outputs": []}})
    with pytest.raises(FileError, match="cannot read the graph") as caught:
        load_graph(path)
    assert "node 0 is read, but stands nowhere before" in str(caught.value)
    path.write_bytes(b"PK\3\4 and no more")
    with pytest.raises(FileError):
        load_graph(path)


def test_ten_thousand_nodes_there_and_back(tmp_path):
    builder = GraphBuilder()
    x = y = builder.placeholder((4,), name="x")
    weights = [builder.variable(np.full(4, 1.0 + k / 1000), name=f"w{k}") for k in range(50)]
    for step in range(1_150):
        y = ops.tanh(y * weights[step % 50])
    graph = builder.graph([y, *gradients(y, [x, *weights])], [x])
    assert len(graph.nodes) > 10_000
    save_graph(tmp_path / "model.npz", graph)
    found = load_graph(tmp_path / "model.npz")
    data = np.linspace(-1.0, 1.0, 4)
    for ours, theirs in zip(run(found, data), run(graph, data), strict=True):
        np.testing.assert_array_equal(ours, theirs)
