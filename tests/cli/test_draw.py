"""`cgkit draw`: from a Python file to a picture, and what it says when that cannot be."""

import json
import re
import sys

import pytest

from cgkit.cli import run
from cgkit.conformance.light import path_of

MODEL = """
import graphviz
from helper import EDGES

sketch = graphviz.Digraph()
sketch.edges(EDGES)

def made():
    return sketch

def broken():
    return 1 / 0

number = 3
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A student's file, beside one that it imports."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "helper.py").write_text('EDGES = ["ab", "bc"]\n')
    (tmp_path / "model.py").write_text(MODEL)
    yield "model.py"
    for name in ("helper", "model"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("file", "beginning"),
    [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.dot", b"digraph")],
)
def test_the_ending_chooses_the_format(model, tmp_path, file, beginning):
    assert run(["draw", f"{model}:sketch", "-o", file]) == 0
    assert (tmp_path / file).read_bytes().startswith(beginning)


@pytest.mark.parametrize("subject", ["model:sketch", "model.py:made", "model:made"])
def test_modules_and_functions_are_found(model, tmp_path, subject):
    assert run(["draw", subject, "-o", "a.dot"]) == 0
    assert "a -> b" in (tmp_path / "a.dot").read_text()


def test_graphs_of_the_library_are_drawn(model, tmp_path):
    (tmp_path / "net.py").write_text(
        "from cgkit import GraphBuilder\n"
        "builder = GraphBuilder()\n"
        "x = builder.placeholder((3,), name='x')\n"
        "graph = builder.graph([(x + 1.0) * 2.0])\n"
    )
    assert run(["draw", "net.py:graph", "-o", "net.svg"]) == 0
    assert b">x<" in (tmp_path / "net.svg").read_bytes()


def test_deep_graphs_are_opened_as_far_as_asked(model, tmp_path):
    (tmp_path / "net.py").write_text(
        "from cgkit import GraphBuilder\n"
        "builder = GraphBuilder()\n"
        "x = builder.placeholder((3,), name='x')\n"
        "with builder.scope('layer'):\n"
        "    y = (x + 1.0) * 2.0\n"
        "graph = builder.graph([y])\n"
    )
    assert run(["draw", "net.py:graph", "-o", "whole.dot"]) == 0
    assert run(["draw", "net.py:graph", "-o", "folded.dot", "--depth", "1"]) == 0
    assert run(["draw", "model.py:sketch", "-o", "as_it_is.dot", "--depth", "1"]) == 0
    assert "4 nodes" in (tmp_path / "folded.dot").read_text()
    assert "4 nodes" not in (tmp_path / "whole.dot").read_text()


@pytest.mark.parametrize(
    ("name", "options", "boxes", "words"),
    [
        ("densenet121", [], range(20, 40), "conv4_1 … conv4_24"),
        ("densenet121", ["--depth", "1"], range(7, 10), "270 nodes"),
        ("densenet121", ["--depth", "0"], range(669, 672), "1x1"),
        ("squeezenet", [], range(67, 70), "fire9/expand3x3"),
        ("squeezenet", ["--weights"], range(140, 190), "conv10_b_0"),
    ],
)
def test_onnx_models_are_drawn_by_stages_or_whole(tmp_path, capsys, name, options, boxes, words):
    picture = tmp_path / "a.dot"
    assert run(["draw", str(path_of(name)), "-o", str(picture), *options]) == 0
    source = picture.read_text()
    assert source.count("label=<<b>") in boxes
    assert words in source
    assert re.search(r"[\d,]+ nodes in the model, [\d,]+ on data", capsys.readouterr().out)
    first = picture.read_bytes()
    assert run(["draw", str(path_of(name)), "-o", str(picture), *options]) == 0
    assert picture.read_bytes() == first


def test_the_largest_light_model_is_a_picture(tmp_path):
    assert run(["draw", str(path_of("densenet121")), "-o", str(tmp_path / "a.png")]) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_no_model_is_said_so(tmp_path, capsys):
    (tmp_path / "text.onnx").write_text("hello")
    (tmp_path / "empty.onnx").write_bytes(b"")
    for file, code, said in (
        ("text.onnx", 1, "no ONNX model"),
        ("empty.onnx", 1, "no graph in the model"),
        ("missing.onnx", 2, "there is no file"),
    ):
        assert run(["draw", str(tmp_path / file), "-o", str(tmp_path / "a.svg")]) == code
        error = capsys.readouterr().err
        assert said in error
        assert "Traceback" not in error
    assert not (tmp_path / "a.svg").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["model.py", "-o", "a.svg"], 2, "'model.py' is not MODULE:NAME"),
        (["nothing.py:x", "-o", "a.svg"], 2, "there is no file nothing.py"),
        (["no.such.module:x", "-o", "a.svg"], 2, "there is no module 'no.such.module'"),
        (["model.py:sketsh", "-o", "a.svg"], 2, "there is no 'sketsh' in model.py"),
        (["model.py:sketch", "-o", "a.gif"], 2, "one of .svg, .png, .pdf, .dot, .gv"),
        (["model.py:sketch", "-o", "no/a.svg"], 2, "there is no folder no"),
        (["model.py:sketch"], 2, "Missing option '-o'"),
        (["model.py:sketch", "-o", "a.svg", "--depth", "-1"], 2, "--depth"),
        (["model.py:sketch", "-o", "a.svg", "--weights"], 2, "--weights is for ONNX models"),
        (["model.py:broken", "-o", "a.svg"], 1, "ZeroDivisionError: division by zero"),
    ],
)
def test_wrong_words_are_named(model, capsys, words, code, said):
    assert run(["draw", *words]) == code
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_what_is_no_graph_is_refused(model, capsys):
    assert run(["draw", "model.py:number", "-o", "a.svg"]) == 1
    assert "this is no graph: 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [("x = (\n", "bad.py, line 1"), ("x = 1\nraise ValueError('no')\n", "bad.py, line 2")],
)
def test_a_broken_file_is_named_with_its_line(model, tmp_path, capsys, text, said):
    (tmp_path / "bad.py").write_text(text)
    assert run(["draw", "bad.py:x", "-o", "a.svg"]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_what_a_file_prints_does_not_mix_with_the_report(model, tmp_path, capsys):
    (tmp_path / "loud.py").write_text("from model import sketch\nprint('hello')\n")
    assert run(["draw", "loud.py:sketch", "-o", "a.dot", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["ok"] is True
    assert said.err == "hello\n"


@pytest.mark.parametrize("text", ["import sys\nsys.exit(5)\n", "raise SystemExit\n"])
def test_a_file_that_ends_the_program_is_named(model, tmp_path, capsys, text):
    (tmp_path / "leaves.py").write_text(text)
    assert run(["draw", "leaves.py:x", "-o", "a.svg"]) == 1
    assert "leaves.py ends the program: sys.exit(" in capsys.readouterr().err


def test_only_what_can_be_drawn_is_offered(model, capsys):
    assert run(["draw", "model.py:nope", "-o", "a.svg"]) == 2
    assert "it has sketch, made, broken\n" in capsys.readouterr().err


def test_names_of_the_library_are_not_offered(model, tmp_path, capsys):
    (tmp_path / "net.py").write_text(
        "import numpy\nfrom cgkit import CgkitError, GraphBuilder, Tensor, trace\n"
        "builder = GraphBuilder()\nx = builder.placeholder((3,), name='x')\n"
        "y = x + 1.0\nnetwork = builder.graph([y])\ntensor = Tensor([1.0])\ndel builder\n"
    )
    assert run(["draw", "net.py:nope", "-o", "a.svg"]) == 2
    assert "it has x, y, network, tensor\n" in capsys.readouterr().err
