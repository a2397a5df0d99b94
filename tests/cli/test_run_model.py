"""`cgkit run MODEL.onnx`: the table, its numbers, and how it ends when something is wrong."""

import json

import numpy as np
import pytest
from onnx.parser import parse_model

from cgkit.cli import run
from cgkit.conformance.light import path_of
from cgkit.onnx.summary import measured

MODEL = """<ir_version: 8, opset_import: ["": 17], producer_name: "a test">
f (float[N, 4] x, int64[2] shape = {-1, 2}) => (float[A, B] y, float[C, D] tall)
<float[4, 3] w = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}>
{ h = MatMul(x, w) y = Relu(h) t = Neg(x) tall = Reshape(t, shape) }"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.onnx").write_bytes(parse_model(MODEL).SerializeToString())
    return "net.onnx"


def items(capsys):
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["command"], report["ok"]) == (1, "run", True)
    return {item["name"]: item for item in report["items"]}


def test_the_table(model, capsys):
    np.save("x.npy", np.ones((3, 4), np.float32))
    assert run(["run", model, "--input", "x=x.npy"]) == 0
    table = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in table.splitlines()]
    assert lines[:3] == [
        "· model net.onnx, opset 17, by a test",
        "· nodes 4 in the file, 4 operators run",
        "· input x float32[3, 4], from its file",
    ]
    assert "· parameters 12" in lines
    assert "· FLOPs 93" in lines  # 2 * 3 * 3 * 4 for the product, 9 and 12 for the others
    assert any(line.startswith("· 1. matmul h float32[3, 3] 72 FLOPs 77.4%") for line in lines)
    assert lines[-2:] == [
        "✓ output y float32[3, 3], from 4 to 4",
        "✓ output tall float32[6, 2], from -1 to -1",
    ]


def test_numbers_for_programs(model, capsys):
    assert run(["run", model, "--size", "N=5", "--json"]) == 0
    found = items(capsys)
    assert found["parameters"]["values"] == {"parameters": 12, "constants": 0}
    assert found["FLOPs"]["values"] == {"flops": 2 * 5 * 3 * 4 + 15 + 20}
    assert found["peak memory"]["values"]["all"] == 4 * (15 + 15 + 20 + 20)
    assert found["peak memory"]["values"]["held"] == 4 * (20 + 12)
    assert found["time"]["values"]["seconds"] > 0
    assert found["1. matmul"]["values"]["flops"] == 120
    assert found["input x"]["detail"] == "float32[5, 4], drawn with seed 0"
    assert "size N" not in found


def test_open_sizes_are_one_and_that_is_said(model, capsys):
    assert run(["run", model, "--json"]) == 0
    found = items(capsys)
    assert found["size N"]["detail"] == "1, since there is no --size N=..."
    assert found["input x"]["detail"].startswith("float32[1, 4]")


def test_the_seed_decides(model, capsys):
    outputs = []
    for seed in ("1", "1", "2"):
        assert run(["run", model, "--seed", seed]) == 0
        outputs.append([line for line in capsys.readouterr().out.splitlines() if "output" in line])
    assert outputs[0] == outputs[1] != outputs[2]


def test_a_light_model(capsys):
    assert run(["run", str(path_of("squeezenet")), "--json"]) == 0
    found = items(capsys)
    assert found["model"]["values"] == {"opsets": {"opset": 9}}
    assert found["nodes"]["values"]["nodes"] == 105
    numbers = found["parameters"]["values"]
    assert numbers == {"parameters": 1_235_496, "constants": 0}
    assert found["peak memory"]["detail"].startswith("6.02 MiB")
    assert "float32[1, 1000, 1, 1]" in found["output softmaxout_1"]["detail"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["missing.onnx"], 2, "there is no file missing.onnx"),
        (["text.onnx"], 1, "no ONNX model"),
        (["net.onnx", "--input", "x"], 2, "--input 'x' is not NAME=VALUE"),
        (["net.onnx", "--input", "z=x.npy"], 2, "no input 'z'"),
        (["net.onnx", "--input", "x=none.npy"], 2, "none.npy: no such file"),
        (["net.onnx", "--input", "x=text.onnx"], 2, "cannot be read"),
        (["net.onnx", "--input", "x=x.npy"], 2, "its file holds float64[3, 4]"),
        (["net.onnx", "--size", "N=many"], 2, "a size is a whole number"),
        (["net.onnx", "--size", "M=3"], 2, "no open size 'M'"),
        (["net.onnx", "--seed", "-1"], 2, "--seed"),
        (["odd.onnx"], 1, "Mine"),
    ],
)
def test_whatever_is_wrong_is_said_in_few_words(model, tmp_path, capsys, words, code, said):
    np.save(tmp_path / "x.npy", np.ones((3, 4)))
    (tmp_path / "text.onnx").write_text("hello")
    odd = parse_model(MODEL.replace("Relu", "own.Mine").replace('"": 17', '"": 17, "own": 1'))
    (tmp_path / "odd.onnx").write_bytes(odd.SerializeToString())
    assert run(["run", *words]) == code
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
    if "--input" not in words or "none.npy" not in said:
        assert run(["run", *words, "--json"]) == code
        assert json.loads(capsys.readouterr().out)["ok"] is False


def test_it_is_stopped_without_a_word_too_many(model, monkeypatch, capsys):
    def stopped(node):
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "cgkit.cli.run_model.measured",
        lambda graph, arrays, tell: measured(graph, arrays, tell=stopped),
    )
    assert run(["run", model]) == 130
    out, err = capsys.readouterr()
    assert (out, err.strip()) == ("", "stopped")
