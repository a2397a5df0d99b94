"""Models in files: written whole or not at all, large ones with their numbers beside them."""

import os
import re

import numpy as np
import pytest

from cgkit import GraphBuilder, cond, ops, run
from cgkit.errors import OnnxError
from cgkit.onnx import load
from cgkit.onnx.saving import save


def graph_of(number, size=2000):
    builder = GraphBuilder()
    x = builder.placeholder((size,), name="x")
    w = builder.variable(np.full(size, number), name="w")
    c = builder.constant(np.arange(float(size)))
    small = builder.variable(np.array([1.0]), name="small")
    return builder.graph([x * w + c + small])


GRAPH = graph_of(2.0)
X = np.ones(2000)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def same(path, graph):
    (found,), (expected,) = run(load(path), X), run(graph, X)
    np.testing.assert_array_equal(found, expected)


def test_in_one_file(tmp_path):
    path = save(GRAPH, tmp_path / "net.onnx", name="mine", opset=21)
    assert path == tmp_path / "net.onnx"
    assert files(tmp_path) == ["net.onnx"]
    same(path, GRAPH)


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    first, second = (save(GRAPH, tmp_path / name) for name in ("a.onnx", "b.onnx"))
    assert first.read_bytes() == second.read_bytes()


def test_numbers_beside_the_model(tmp_path):
    from onnx import checker, load_model
    from onnx.reference import ReferenceEvaluator

    path = save(GRAPH, str(tmp_path / "net.onnx"), most=1000)
    model, data = path, tmp_path / files(tmp_path)[1]
    assert re.fullmatch(r"net\.onnx\.[0-9a-f]{16}\.data", data.name)
    assert model.stat().st_size < 2000
    assert data.stat().st_size == 4 * 4096 + 16000  # the second begins at a page of its own
    checker.check_model(str(model), full_check=True)
    tensors = load_model(model, load_external_data=False).graph.initializer
    assert [len(tensor.external_data) for tensor in tensors] == [3, 0]  # small ones stay inside
    (found,) = ReferenceEvaluator(str(model)).run(None, {"x": X})
    np.testing.assert_array_equal(found, 2.0 + np.arange(2000.0) + 1.0)
    same(path, GRAPH)


def test_numbers_inside_a_branch_lie_beside_the_model_too(tmp_path):
    def of(number):
        builder = GraphBuilder()
        x = builder.placeholder((2000,), name="x")
        y = cond(x.sum() > 0.0, lambda: x + np.full(2000, number), lambda: x)
        return builder.graph([y])

    path = save(of(1.0), tmp_path / "net.onnx", most=1000)
    before = files(tmp_path)
    assert path.stat().st_size < 3000
    same(path, of(1.0))
    save(of(2.0), path, most=1000)
    assert len(files(tmp_path)) == 2
    assert files(tmp_path) != before
    same(path, of(2.0))


def test_a_model_takes_its_old_numbers_with_it(tmp_path):
    path = save(GRAPH, tmp_path / "net.onnx", most=1000)
    (tmp_path / "net.onnx.0123456789abcdef.data").write_bytes(b"of somebody else")
    old = [name for name in files(tmp_path) if name.endswith(".data")]
    save(graph_of(3.0), path, most=1000)
    new = [name for name in files(tmp_path) if name.endswith(".data")]
    assert len(new) == 2
    assert set(old) & set(new) == {"net.onnx.0123456789abcdef.data"}
    same(path, graph_of(3.0))
    save(GRAPH, path)  # and into one file again
    assert files(tmp_path) == ["net.onnx", "net.onnx.0123456789abcdef.data"]


def test_the_same_numbers_are_written_again(tmp_path):
    path = save(GRAPH, tmp_path / "net.onnx", most=1000)
    before = files(tmp_path)
    save(GRAPH, path, most=1000)
    assert files(tmp_path) == before
    same(path, GRAPH)


def refused():
    builder = GraphBuilder()
    return builder.graph([ops.uniform(builder.placeholder((), "uint64"), shape=(2000,)) + X])


@pytest.mark.parametrize("most", [10**9, 1000])
def test_a_refused_graph_leaves_what_was_there(tmp_path, most):
    path = save(GRAPH, tmp_path / "net.onnx", most=most)
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    with pytest.raises(OnnxError, match="uniform cannot be exported"):
        save(refused(), path, most=most)
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


class Interrupted(BaseException):
    """Stands for a key pressed, or a machine that stops."""


@pytest.mark.parametrize("most", [10**9, 1000])
@pytest.mark.parametrize("calls", [1, 2])
def test_an_interrupted_run_leaves_what_was_there(tmp_path, monkeypatch, most, calls):
    path = save(GRAPH, tmp_path / "net.onnx", most=most)
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    seen = []

    def stop(number):
        seen.append(number)
        if len(seen) == calls:
            raise Interrupted

    monkeypatch.setattr(os, "fsync", stop)
    if most < 1000 * calls or calls == 1:  # the numbers are written first, then the model
        with pytest.raises(Interrupted):
            save(graph_of(3.0), path, most=most)
        kept = {name: (tmp_path / name).read_bytes() for name in before}
        assert kept == before
        same(path, GRAPH)
        assert not [name for name in files(tmp_path) if name.endswith(".new")]


def test_a_file_that_is_no_model_is_replaced(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(b"\xff\xff no model")
    (tmp_path / "net.onnx.0123456789abcdef.data").write_bytes(b"mine")
    save(GRAPH, path)
    same(path, GRAPH)
    assert (tmp_path / "net.onnx.0123456789abcdef.data").read_bytes() == b"mine"


def test_a_link_is_followed(tmp_path):
    (tmp_path / "deep").mkdir()
    link = tmp_path / "net.onnx"
    link.symlink_to(tmp_path / "deep" / "real.onnx")
    assert save(GRAPH, link) == tmp_path / "deep" / "real.onnx"
    assert link.is_symlink()
    same(link, GRAPH)


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(OnnxError, match=r"(?s)no folder '.*nowhere'.*a folder that exists"):
        save(GRAPH, tmp_path / "nowhere" / "net.onnx")
    with pytest.raises(OnnxError, match="is a folder"):
        save(GRAPH, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OnnxError, match="is no plain file"):
        save(GRAPH, tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()  # as /dev/null would be still what it is
    with pytest.raises(OnnxError, match="operator sets"):
        save(GRAPH, tmp_path / "net.onnx", opset=3)
    assert files(tmp_path) == ["pipe"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OnnxError, match=r"cannot be written: Permission denied"):
        save(GRAPH, tmp_path / "net.onnx")


def test_a_disk_that_is_full(tmp_path, monkeypatch):
    path = save(GRAPH, tmp_path / "net.onnx")

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OnnxError, match="cannot be written: No space left"):
        save(graph_of(3.0), path)
    same(path, GRAPH)
    assert files(tmp_path) == ["net.onnx"]
