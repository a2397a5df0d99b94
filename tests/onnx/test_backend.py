"""A model is run as one graph where it can be, else for the values that decide its shapes."""

import numpy as np
import pytest
from onnx.parser import parse_model

from cgkit.errors import CgkitError, OnnxError
from cgkit.onnx import backend
from cgkit.onnx.backend import KEPT, Prepared, prepare, supports_device

HEAD = '<ir_version: 8, opset_import: ["": 13]> '
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def model(text):
    return parse_model(HEAD + text)


@pytest.fixture
def loads(monkeypatch):
    """Count how often a graph is built."""
    found = []

    def load(*args, **kwargs):
        found.append(kwargs)
        return original(*args, **kwargs)

    original = backend.load
    monkeypatch.setattr(backend, "load", load)
    return found


def test_open_inputs_make_one_graph(loads):
    prepared = prepare(model("g (float[N, 3] x) => (float[N, 3] y) { y = Add(x, x) }"))
    assert prepared.way == "static"
    for x in (X, X[:1], X[:0]):
        np.testing.assert_array_equal(prepared.run([x])[0], x + x)
    assert len(loads) == 1
    assert prepared.fixed == ()


def test_a_value_that_decides_a_shape_is_fixed_and_its_graph_kept(loads):
    prepared = prepare(
        model("g (float[N, 3] x, int64[1] shape) => (float[M] y) { y = Reshape(x, shape) }")
    )
    shape = np.array([-1])
    for _ in range(3):
        np.testing.assert_array_equal(prepared.run({"x": X, "shape": shape})[0], X.ravel())
    assert (prepared.way, prepared.fixed) == ("fixed", ("shape",))
    built = len(loads)
    prepared.run([X + 1, shape])
    assert len(loads) == built
    assert prepared.run([X[:1], np.array([3])])[0].shape == (3,)
    assert len(loads) == built + 1


def test_only_some_graphs_are_kept():
    prepared = prepare(model("g (float[N] x, int64[2] r) => (float[A, B] y) { y = Expand(x, r) }"))
    for count in range(KEPT + 4):
        shape = np.array([count, 1])
        assert prepared.run([X[0], shape])[0].shape == (count, 3)
    assert len(prepared._graphs) == KEPT


def test_an_open_size_that_decides_a_value_is_fixed():
    # half of an open size is no size that can be written down
    text = """g (float[N] x) => (float[A] y) {
        n = Shape(x) two = Constant <value_ints = [2]> () half = Div(n, two)
        zero = Constant <value_ints = [0]> () y = Slice(x, zero, half) }"""
    prepared = prepare(model(text))
    for count in (4, 7):
        x = np.arange(count, dtype=np.float32)
        np.testing.assert_array_equal(prepared.run([x])[0], x[: count // 2])


def test_an_open_size_that_must_be_known_is_fixed(loads):
    text = """g (float[1, 1, H, 4] x, float[1, 1, 1, 1] w) => (float[1, 1, A, 2] y)
        { y = Conv <strides = [2, 2], auto_pad = "SAME_UPPER"> (x, w) }"""
    prepared = prepare(model(text))
    w = np.ones((1, 1, 1, 1), np.float32)
    for height in (4, 3, 4):
        assert prepared.run([np.ones((1, 1, height, 4), np.float32), w])[0].shape == (1, 1, 2, 2)
    assert (prepared.way, prepared.fixed, prepared.sizes) == ("fixed", (), ("H",))
    assert len(loads) == 3  # once in vain, and once for each height


def test_what_cannot_be_built_for_open_sizes_is_built_for_those_it_meets():
    text = """g (float[1, 1, T] x, float[1, 1, 1] w) => (float[A, B, C] y)
        { y = Conv <strides = [2], auto_pad = "SAME_UPPER"> (x, w) }"""
    prepared = prepare(model(text))
    w = np.ones((1, 1, 1), np.float32)
    for size, half in ((3, 2), (6, 3)):
        assert prepared.run([np.ones((1, 1, size), np.float32), w])[0].shape == (1, 1, half)
    assert (prepared.way, prepared.sizes) == ("fixed", ("T",))


def test_a_sequence_of_open_length_stays_open():
    text = """g (float[T, 1, 2] x, float[1, 8, 2] w, float[1, 8, 2] r) => (float[A, B, C, D] y)
        { y = LSTM <hidden_size = 2> (x, w, r) }"""
    prepared = prepare(model(text))
    w = np.ones((1, 8, 2), np.float32)
    for steps in (3, 5):
        assert prepared.run([np.ones((steps, 1, 2), np.float32), w, w])[0].shape == (steps, 1, 1, 2)
    assert (prepared.way, prepared.sizes) == ("static", ())


def test_what_is_wrong_at_any_size_is_said_when_it_is_run():
    prepared = prepare(model("g (float[N, 2] x, float[3] w) => (float[N, 3] y) { y = Add(x, w) }"))
    with pytest.raises(OnnxError, match="cannot broadcast"):
        prepared.run([np.ones((4, 2), np.float32), np.ones(3, np.float32)])
    with pytest.raises(OnnxError, match="cannot broadcast"):  # nothing is open: at once
        prepare(model("g (float[2] x, float[3] w) => (float[3] y) { y = Add(x, w) }"))


def test_where_all_is_fixed_nothing_is_left_open():
    prepared = prepare(model("g (int64[2] s) => (float[A, B] y) { y = ConstantOfShape(s) }"))
    assert prepared.run([np.array([2, 3])])[0].shape == (2, 3)
    assert prepared.way == "evaluated"


def test_a_model_without_inputs():
    prepared = prepare(
        model("g () => (float[2] y) { y = Constant <value_floats = [1.0, 2.0]> () }")
    )
    assert prepared.run([])[0].tolist() == [1.0, 2.0]
    assert prepared.way == "static"


def test_parameters_are_no_inputs():
    text = "g (float[N, 3] x, float[3] w) => (float[N, 3] y) <float[3] w = {1, 2, 3}> "
    prepared = prepare(model(text + "{ y = Add(x, w) }"))
    assert prepared.inputs == ("x",)
    np.testing.assert_array_equal(prepared.run([X])[0], X + np.float32([1, 2, 3]))


@pytest.mark.parametrize(
    ("inputs", "match"),
    [
        (5, "got int"), (None, "got NoneType"),
        ([], "has 1 inputs"), ([X, X], "got 2 values"), ({}, "'x' is given no value"),
        ({"x": X, "z": X}, "'z' is none"), ([X.astype(np.float64)], "float32"),
        ([X[0]], r"expected shape|axes"), ([[[1.0], [1.0, 2.0]]], "unlike lengths"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(inputs, match):
    prepared = prepare(model("g (float[N, 3] x) => (float[N, 3] y) { y = Neg(x) }"))
    with pytest.raises(CgkitError, match=match):
        prepared.run(inputs)


def test_what_is_no_tensor_is_refused_before_it_is_run():
    with pytest.raises(OnnxError, match="declared as sequence"):
        prepare(model("g (seq(float[N]) x, float[M] z) => (float[M] y) { y = Neg(z) }"))


def test_it_runs_on_the_cpu():
    known = model("g (float[N, 3] x) => (float[N, 3] y) { y = Neg(x) }")
    assert isinstance(prepare(known, "CPU"), Prepared)
    assert not supports_device("CUDA:0")
    with pytest.raises(OnnxError, match="CUDA"):
        prepare(known, "CUDA")
