import onnx
import pytest
from onnx.parser import parse_model

from cgkit.errors import OnnxError
from cgkit.onnx.reading import Limits, open_model, read_model

TEXT = '<ir_version: 8, opset_import: ["": 13]> g (float[2] x) => (float[2] y) { y = Neg(x) }'


def test_a_model_is_read_from_a_file_from_bytes_and_as_it_is(tmp_path):
    model = parse_model(TEXT)
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    for source in (path, str(path), path.read_bytes(), model):
        assert read_model(source) == model
    assert open_model(path).folder == tmp_path
    assert open_model(model).folder is None
    assert open_model(open_model(path)).opsets == {"": 13}


@pytest.mark.parametrize("content", [b"\xff\xff\xff\xff", b"\x0a", b"PK\x03\x04 zip", b"{}"])
def test_bytes_that_are_no_model_are_refused(content):
    with pytest.raises(OnnxError, match=r"no ONNX model|no graph"):
        read_model(content)


def test_a_file_that_was_cut_short_is_refused(tmp_path):
    content = parse_model(TEXT).SerializeToString()
    for end in range(len(content)):
        with pytest.raises(OnnxError):
            read_model(content[:end])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda m: m.ClearField("graph"), "no graph"),
        (lambda m: setattr(m, "ir_version", 1000), "format version 1000"),
        (lambda m: m.ClearField("opset_import"), "which operator set"),
    ],
)
def test_what_is_wrong_is_said(change, match):
    model = parse_model(TEXT)
    change(model)
    with pytest.raises(OnnxError, match=match):
        read_model(model)


@pytest.mark.parametrize("source", [3, None, ["m.onnx"]])
def test_a_model_comes_from_a_file_or_bytes(source):
    with pytest.raises(OnnxError, match="no model can be read"):
        read_model(source)


@pytest.mark.parametrize("limits", [None, 5, {"file": 3}])
def test_limits_are_limits(limits):
    with pytest.raises(OnnxError, match="limits are Limits, got"):
        read_model(TEXT.encode(), limits)


def test_names_must_be_text():
    content = parse_model(TEXT).SerializeToString().replace(b"Neg", b"N\xffg")
    with pytest.raises(OnnxError, match="no readable text"):
        read_model(content)


def test_a_model_has_a_limit():
    content = parse_model(TEXT).SerializeToString()
    with pytest.raises(OnnxError, match="limits allow 3"):
        read_model(content, Limits(file=3))
    with pytest.raises(OnnxError, match="nodes of the model"):
        read_model(content, Limits(nodes=0))


FUNCTIONS = """<ir_version: 8, opset_import: ["": 13, "d": 1]>
g (float[2] x) => (float[2] y) {{ y = d.f(x) }}
<domain: "d", opset_import: ["": 13, "d": 1]> f (a) => (b) {{ b = {f}(a) }}
<domain: "d", opset_import: ["": 13, "d": 1]> {second} (a) => (b) {{ b = {g}(a) }}
"""


def test_functions_are_known_by_their_names():
    model = open_model(parse_model(FUNCTIONS.format(f="d.h", g="Neg", second="h")))
    assert set(model.functions) == {("d", "f", ""), ("d", "h", "")}


@pytest.mark.parametrize(
    ("names", "match"),
    [
        ({"f": "d.f", "g": "Neg", "second": "h"}, "'f' -> 'f'"),
        ({"f": "d.h", "g": "d.f", "second": "h"}, "circle"),
        ({"f": "Neg", "g": "Neg", "second": "f"}, "two functions"),
    ],
)
def test_functions_that_never_end_are_refused(names, match):
    with pytest.raises(OnnxError, match=match):
        open_model(parse_model(FUNCTIONS.format(**names)))
