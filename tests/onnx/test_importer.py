"""The front door: what a loaded graph looks like, and what is refused at it."""

import warnings

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.parser import parse_model

from cgkit import onnx as ours
from cgkit import run, verify
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx.importer import open_sizes
from cgkit.onnx.reading import open_model

HEAD = '<ir_version: 8, opset_import: ["": 13]> '
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def model(text):
    return parse_model(HEAD + text)


LINEAR = """g (float[N, 3] x) => (float[N, 2] y)
    <float[3, 2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {0.5, -0.5}, int64[2] s = {-1, 2}>
    { h = MatMul(x, w) a = Add(h, b) y = Reshape(a, s) }"""


def test_parameters_are_variables_and_whole_numbers_are_settings():
    graph = ours.load(model(LINEAR))
    lines = [line.split("  ")[1] for line in str(graph).splitlines()[1:-1]]
    assert lines == [
        "w = variable", "h = matmul(x, w)", "b = variable", "a = add(h, b)",
        "y = reshape(a, shape=(N, 2))",
    ]  # fmt: skip
    verify(graph)
    w = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    np.testing.assert_array_equal(run(graph, X)[0], X @ w + np.float32([0.5, -0.5]))


def test_both_front_doors_agree():
    known = model(LINEAR)
    np.testing.assert_array_equal(ours.evaluate(known, {"x": X})["y"], run(ours.load(known), X)[0])


def test_open_sizes_have_the_names_of_the_model_or_of_input_and_axis():
    graph = ours.load(
        model("g (float[N, M, ?] x, float[N] x_2, float[?] z) => (float[N] y) { y = Neg(x_2) }")
    )
    shapes = [str(edge.type) for edge in graph.inputs]
    assert shapes == ["float32[N, M, x_2]", "float32[N]", "float32[z_0]"]


def test_an_open_size_never_meets_another_of_the_same_name_by_chance():
    graph = ours.load(
        model(
            "g (float[?] x, float[x_0] z) => (float[x_0] y, float[A] w) { y = Neg(z) w = Neg(x) }"
        )
    )
    x, z = (edge.shape for edge in graph.inputs)
    assert x != z


def test_sizes_may_be_given():
    known = model("g (float[N, ?] x) => (float[N, M] y) { y = Neg(x) }")
    graph = ours.load(known, sizes={"N": 2, "x_1": 5})
    assert graph.inputs[0].shape == (2, 5)
    assert open_sizes(open_model(known)) == {"N": ("x", 0), "x_1": ("x", 1)}
    with pytest.raises(OnnxError, match="no open size 'K'"):
        ours.load(known, sizes={"K": 1})
    for wrong in (-1, 2.5, "2", True, None):
        with pytest.raises(OnnxError, match="'N' cannot be"):
            ours.load(known, sizes={"N": wrong})


def test_a_size_of_zero_is_no_open_one():
    graph = ours.load(model("g (float[0, 3] x) => (float[0, 3] y) { y = Neg(x) }"))
    assert graph.inputs[0].shape == (0, 3)


def test_inputs_may_be_fixed():
    known = model("g (float[N] x, int64[1] s) => (float[M] y) { y = Expand(x, s) }")
    graph = ours.load(known, known={"s": [3]}, sizes={"N": 1})
    assert [edge.node.name for edge in graph.inputs] == ["x"]
    with pytest.raises(OnnxError, match="no input 'z'"):
        ours.load(known, known={"z": [3]})


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (np.float32([3]), "int64, got float32"),
        (np.int64([[3]]), "shape"),
        (np.int64([3, 4]), "shape"),
    ],
)
def test_a_fixed_input_must_be_of_its_type(value, match):
    known = model("g (float[N] x, int64[1] s) => (float[M] y) { y = Expand(x, s) }")
    with pytest.raises(OnnxError, match=match):
        ours.load(known, known={"s": value})


@pytest.mark.parametrize(
    ("dtype", "numbers", "kept"),
    [
        ("float", [1, 2], True), ("float", [0.1, float("nan")], True), ("int64", [1, 2], True),
        ("int64", [], True), ("int64", [1.0], True), ("int64", [1.5], False),
        ("int8", [300], False), ("int64", [float("inf")], False), ("bool", [0, 1], True),
        ("bool", [2], False), ("float", ["a"], False), ("uint8", [-1], False),
    ],
)  # fmt: skip
def test_plain_numbers_keep_their_meaning(dtype, numbers, kept):
    known = model(f"g ({dtype}[N] x) => ({dtype}[N] y) {{ y = Identity(x) }}")
    if not kept:
        with pytest.raises(OnnxError, match="the input 'x' is"):
            ours.evaluate(known, {"x": numbers})
        return
    found = ours.evaluate(known, {"x": numbers})["y"]
    np.testing.assert_array_equal(found, np.array(numbers, found.dtype))


def test_parameters_may_be_fixed_as_inputs_are():
    text = "g (float[N, 3] x, float[3] w) => (float[N, 3] y) <float[3] w = {1, 2, 3}> "
    known = model(text + "{ y = Add(x, w) }")
    found = run(ours.load(known, known={"w": np.float32([0, 0, 9])}), X)[0]
    np.testing.assert_array_equal(found, X + np.float32([0, 0, 9]))


def test_outputs_stay_in_order_whatever_they_are():
    text = """g (float[N] x) => (int64[1] n, float[N] x2, float[2] c, float[N] x3)
        { n = Shape(x) x2 = Identity(x) c = Constant <value_floats = [1.0, 2.0]> () x3 = Neg(x) }"""
    graph = ours.load(model(text))
    n, x2, c, x3 = run(graph, X[0])
    assert (n.tolist(), x2.tolist(), c.tolist(), x3.tolist()) == (
        [3], [0, 1, 2], [1, 2], [0, -1, -2],
    )  # fmt: skip
    assert [edge.node.name for edge in graph.outputs][1:] == ["x", "c", "x3"]


def test_nodes_have_no_line_of_the_callers():
    graph = ours.load(model(LINEAR))
    places = {node.extras.line for node in graph.nodes}
    assert places == {None, "MatMul 'h'", "Add 'a'", "Reshape 'y'"}


def test_what_is_given_by_name_is_a_dict():
    for wrong in (None, 5, [1.0], "x"):
        with pytest.raises(
            OnnxError, match=r"(?s)each input is given by its name.*\{'x': \.\.\.\}"
        ):
            ours.evaluate(model(LINEAR), wrong)
    with pytest.raises(OnnxError, match="each open size is given by its name, got int"):
        ours.load(model(LINEAR), sizes=5)


def test_shape_arithmetic_folds_or_stays_open():
    text = """g (float[N, 2, 6] x) => (float[N, 3, 4] y)
        <int64 zero = {0}, int64[1] axis = {0}, int64[2] rest = {3, -1}>
        { s = Shape(x) n = Gather(s, zero) n1 = Unsqueeze(n, axis)
          all = Concat <axis = 0> (n1, rest) y = Reshape(x, all) }"""
    graph = ours.load(model(text))
    assert len(graph.operators) == 1
    assert str(graph.outputs[0].type) == "float32[N, 3, 4]"
    for n in (0, 1, 5):
        x = np.random.default_rng(n).normal(size=(n, 2, 6)).astype(np.float32)
        np.testing.assert_array_equal(run(graph, x)[0], x.reshape(n, 3, 4))


def test_sizes_that_are_divided_stay_open():
    text = """g (float[N, 6] x) => (float[M, 12] y, int64[1] r)
        <int64[1] zero = {0}, int64[1] two = {2}, int64[1] rest = {-1}>
        { s = Shape(x) n = Gather(s, zero) half = Div(n, two) even = Mul(half, two)
          top = Slice(x, zero, even, zero) shape = Concat <axis = 0> (half, rest)
          y = Reshape(top, shape) r = Mod(n, two) }"""
    graph = ours.load(model(text))
    assert str(graph.outputs[0].type) == "float32[N//2, 12]"
    for n in (0, 1, 5, 6):
        x = np.random.default_rng(n).normal(size=(n, 6)).astype(np.float32)
        y, rest = run(graph, x)
        np.testing.assert_array_equal(y, x[: n // 2 * 2].reshape(n // 2, 12))
        assert rest == n % 2


def test_an_input_without_a_shape_must_be_known():
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, None)
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    known = helper.make_model(
        helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [value], [out])
    )
    with pytest.raises(UnknownValue, match="how many axes"):
        ours.load(known)
    np.testing.assert_array_equal(ours.evaluate(known, {"x": X})["y"], -X)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("g (string[N] x) => (string[N] y) { y = Identity(x) }", "'x'.*STRING"),
        ("g (seq(float[N]) x) => (seq(float[N]) y) { y = Identity(x) }", "declared as sequence"),
        ("g (optional(float[N]) x) => (float[N] y) { y = Identity(x) }", "declared as optional"),
        ("g (bfloat16[N] x) => (bfloat16[N] y) { y = Identity(x) }", "'x'.*BFLOAT16"),
        ("g (float[N] x) => (int64[N] y) { y = Neg(x) }", "declared as int64, and is float32"),
    ],
)
def test_types_that_cgkit_lacks_or_that_lie_are_named(text, match):
    with pytest.raises(OnnxError, match=match):
        ours.load(model(text))


def test_an_evaluation_needs_all_inputs():
    known = model("g (float[N] x, float[N] z) => (float[N] y) { y = Add(x, z) }")
    with pytest.raises(OnnxError, match="'z' of the model is given no value"):
        ours.evaluate(known, {"x": X[0]})


def test_no_line_of_the_callers_made_a_node_in_a_branch():
    text = """g (bool c, float[2] x) => (float[2] y) { y = If (c) <
        then_branch = t () => (float[2] a) { a = Neg(x) },
        else_branch = e () => (float[2] b) { b = Abs(x) }> }"""
    (branch,) = [node for node in ours.load(model(text)).nodes if node.operator.name == "cond"]
    assert branch.extras.line == "If 'y'"
    assert {node.extras.line for node in branch.params["then"].nodes} == {None, "Neg 'y/a'"}


def test_the_model_is_not_changed():
    known = model(LINEAR)
    before = known.SerializeToString()
    graph = ours.load(known)
    run(graph, X)
    assert known.SerializeToString() == before


def test_external_data_lie_beside_the_model(tmp_path):
    import onnx

    known = model(LINEAR)
    for tensor in known.graph.initializer:  # as bytes: only these can be moved out
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    expected = run(ours.load(known), X)[0]
    path = tmp_path / "m.onnx"
    onnx.save(known, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    np.testing.assert_array_equal(run(ours.load(path), X)[0], expected)
    with pytest.raises(OnnxError, match="another file"):
        ours.load(path.read_bytes())
    (tmp_path / "w.bin").write_bytes(b"")
    with pytest.raises(OnnxError, match="has 0 bytes"):
        ours.load(path)


def test_no_warning_reaches_the_caller():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.load(
            model("g (float[N] x) => (float[N] y) <float z = {0}> { a = Log(z) y = Add(x, a) }")
        )


def test_inputs_agree_on_an_open_size():
    add = model("g (float[N] x, float[N] z) => (float[N] y) { y = Add(x, z) }")
    three, one = np.ones(3, np.float32), np.ones(1, np.float32)
    with pytest.raises(OnnxError, match=r"'z' has shape \(1,\)\n  its open size N is 3 already"):
        ours.evaluate(add, {"x": three, "z": one})  # Add would stretch it
    with pytest.raises(OnnxError, match="N is 2 already, not 3"):
        ours.load(add, known={"x": three}, sizes={"N": 2})
    (z,) = ours.load(add, known={"x": three}).inputs
    assert z.shape == (3,)


def test_lists_of_unlike_lengths_are_no_value():
    with pytest.raises(OnnxError, match="'x' is given no array"):
        ours.evaluate(model("g (float[N] x) => (float[N] y) { y = Neg(x) }"), {"x": [[1], [1, 2]]})
