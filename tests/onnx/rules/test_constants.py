import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from cgkit import run
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx import evaluate, load

OPEN = {0: {0: "N"}}


def tensor(array):
    return numpy_helper.from_array(np.asarray(array))


@pytest.mark.parametrize("opset", [1, 9, 11, 13, 25])
def test_constants(agree, opset):
    for array in (np.arange(6).reshape(2, 3), np.float32(2.5), np.zeros((0, 2)), np.array([True])):
        agree("Constant", opset=opset, value=tensor(array), expected=[np.asarray(array)])


def test_constants_as_plain_numbers(agree, one_node):
    for name, value, want in (
        ("value_float", 1.5, np.float32(1.5)), ("value_floats", [1.5, 2], np.float32([1.5, 2])),
        ("value_int", 7, np.int64(7)), ("value_ints", [7, 8], np.int64([7, 8])),
    ):  # fmt: skip
        agree("Constant", opset=12, expected=[np.asarray(want)], **{name: value})
    for settings, said in (({"value_string": "a"}, "value_string"), ({}, "nothing")):
        with pytest.raises(OnnxError, match=f"Constant .* holds no numbers, but {said}"):
            evaluate(one_node("Constant", [], opset=12, **settings), {})


@pytest.mark.parametrize(
    "value", [None, np.array([7]), np.array([True]), np.array([0.5], "float16")]
)
def test_one_number_in_a_shape(agree, value):
    settings = {} if value is None else {"value": tensor(value)}
    for shape in ([2, 3], [0, 2], [1], []):
        agree("ConstantOfShape", np.array(shape, "int64"), opset=9, known=[0], **settings)


def test_one_number_in_an_open_shape(one_node):
    model = one_node("Shape", [np.zeros((2, 3))], opset=13, opened=OPEN)
    model.graph.node[0].output[0] = "shape"
    node = helper.make_node("ConstantOfShape", ["shape"], ["y0"], value=tensor([7]))
    model.graph.node.append(node)
    graph = load(model)
    for rows in (0, 4):
        np.testing.assert_array_equal(run(graph, np.zeros((rows, 3)))[0], np.full((rows, 3), 7))


def test_what_fills_a_shape_is_one_number(one_node):
    shape = np.array([2])
    with pytest.raises(OnnxError, match="needs one element as value, got 2"):
        evaluate(one_node("ConstantOfShape", [shape], opset=9, value=tensor([1, 2])), {"x0": shape})
    with pytest.raises(UnknownValue, match="without the value of shape, its input 'x0'"):
        load(one_node("ConstantOfShape", [shape], opset=9))


@pytest.mark.parametrize("opset", [11, 27])
@pytest.mark.parametrize(
    ("dtype", "start", "limit", "delta"),
    [
        ("float32", 1, 5, 2), ("float32", 1, 5.5, 0.5), ("float64", 3, -1, -1.5),
        ("int32", 10, 4, -2), ("int64", 0, 0, 1), ("int64", 3, 1, 1),
        ("int16", 0, 7, 3), ("float32", 0, 1, 0.1),
    ],
)  # fmt: skip
def test_ranges(agree, opset, dtype, start, limit, delta):
    numbers = [np.array(x, dtype) for x in (start, limit, delta)]
    agree("Range", *numbers, opset=opset, known=[0, 1, 2])


def test_ranges_of_narrow_numbers(agree, one_node):
    numbers = [np.array(x, "float16") for x in (2048, 2054, 1)]
    want = np.arange(2048, 2054, dtype="float32").astype("float16")
    agree("Range", *numbers, opset=27, known=[0, 1, 2], expected=[want])
    zero = np.zeros((), "int64")
    with pytest.raises(OnnxError, match="cannot go on by 0"):
        evaluate(
            one_node("Range", [zero, zero, zero], opset=11), dict.fromkeys(("x0", "x1", "x2"), zero)
        )


def open_range(first, by, end="N"):
    """Range from or to the size of x, through Size."""
    numbers = {"first": first, "end": end, "by": by}
    constants = [
        helper.make_node("Constant", [], [name], value=tensor(number))
        for name, number in numbers.items() if not isinstance(number, str)
    ]  # fmt: skip
    names = [name if not isinstance(number, str) else "size" for name, number in numbers.items()]
    ends = [names[i] for i in (0, 1, 2)]
    nodes = [*constants, helper.make_node("Size", ["x"], ["size"]),
             helper.make_node("Range", ends, ["y"])]  # fmt: skip
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, None)],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.mark.parametrize(
    ("first", "end", "by"),
    [
        (0, "N", 1), (-2, "N", 1), ("N", 9, 1), ("N", -1, -1), ("N", 0, -1), (0, "N", 2),
        ("N", -1, -3),
    ],
)  # fmt: skip
def test_ranges_as_far_as_a_size(first, end, by):
    graph = load(open_range(first, by, end))
    for many in (0, 3, 5):
        want = np.arange(*(many if x == "N" else x for x in (first, end, by)))
        np.testing.assert_array_equal(run(graph, np.zeros(many, "float32"))[0], want)


def test_how_many_is_not_told():
    with pytest.raises(OnnxError, match="how many numbers there are from 1 to 9 by N"):
        load(open_range(1, "N", 9))
    with pytest.raises(OnnxError, match="cannot go on by 0"):
        load(open_range(0, 0))


@pytest.mark.parametrize("opset", [9, 22])
def test_matrices_like_the_unit_matrix(agree, opset):
    x = np.zeros((2, 3), "float32")
    for k in (-3, -1, 0, 1, 5):
        agree("EyeLike", x, opset=opset, k=k, opened={0: {0: "N"}})
    agree("EyeLike", x, opset=opset, dtype=TensorProto.INT32)
    agree("EyeLike", x.astype(bool), opset=opset, dtype=TensorProto.DOUBLE)
    agree("EyeLike", x.astype("int8"), opset=opset)
    agree("EyeLike", x[:0], opset=opset)
