"""Graphs that go through a file."""

import numpy as np
import pytest

from cgkit import GraphBuilder, gradients, ops, run, saved
from cgkit.codec import DEEPEST
from cgkit.control import scan
from cgkit.errors import FileError, StateError
from cgkit.saved import graphs
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
    for text, values, words in (
        ('{"version": 1, "nodes": [], "inputs": [[0, 0]], "outputs": []}', [],
         "node 0 is read, but stands nowhere before"),
        ('{"version": 1, "nodes": [{"array": 1}]}', [np.ones(2)], "there is no array 1"),
        ('{"version": 1, "nodes": [', [], "its text is not as cgkit writes it"),
        ("[" * 100_000, [], "its text is not as cgkit writes it"),
        ("\0", [], "its text is not as cgkit writes it"),
        ("{}", {}, "its values no list"),
    ):  # fmt: skip
        saved.save(path, {"graph": np.frombuffer(text.encode(), np.uint8), "values": values})
        with pytest.raises(FileError, match="cannot read the graph") as caught:
            load_graph(path)
        assert words in str(caught.value)
    for odd in (np.ones(2), np.ones((1, 1), np.uint8), "{}", None):
        saved.save(path, {"graph": odd, "values": []})
        with pytest.raises(FileError, match="its text is no text"):
            load_graph(path)
    path.write_bytes(b"PK\3\4 and no more")
    with pytest.raises(FileError):
        load_graph(path)


def test_graphs_inside_graphs_as_deep_as_the_codec_has_them(tmp_path):
    def body(depth):
        if depth == 0:
            return ops.tanh
        return lambda v: scan(lambda c, _: (body(depth - 1)(c), None), v, length=1)[0]

    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    graph = builder.graph([body(DEEPEST)(x)])
    save_graph(tmp_path / "model.npz", graph)
    found = load_graph(tmp_path / "model.npz")
    assert run(found, np.array(2.0)) == (np.tanh(2.0),)
    too_deep = builder.graph([body(DEEPEST + 1)(x)])
    with pytest.raises(StateError, match="deeper than"):
        save_graph(tmp_path / "model.npz", too_deep)
    assert str(load_graph(tmp_path / "model.npz")) == str(graph)


def test_a_graph_that_would_not_be_read_is_not_written(tmp_path, monkeypatch):
    graph = GraphBuilder().graph([])
    monkeypatch.setattr(graphs, "LONGEST", 40)
    with pytest.raises(StateError, match="this graph of 0 nodes takes 49 bytes, more than the 40"):
        save_graph(tmp_path / "model.npz", graph)


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
