import numpy as np
import pytest
from onnx import helper

from cgkit import run
from cgkit.errors import OnnxError, ShapeError, UnknownValue
from cgkit.onnx import evaluate, load

OPEN = {0: {0: "N"}}
FAR = 2**63 - 1


def ints(*numbers):
    return np.array(numbers, "int64")


@pytest.mark.parametrize("opset", [1, 10, 11, 13])
@pytest.mark.parametrize(
    ("starts", "ends", "axes"),
    [
        ((1, 0), (3, 2), (0, 1)), ((1,), (-1,), (1,)), ((0, 0), (FAR, FAR), None),
        ((7,), (9,), (0,)), ((-2,), (FAR,), (1,)), ((2,), (1,), (0,)),
        ((-9,), (2,), (0,)), ((0,), (0,), (1,)),
    ],
)  # fmt: skip
def test_slices(agree, normal, opset, starts, ends, axes):
    x = normal(4, 5)
    if opset < 10:
        settings = {"starts": starts, "ends": ends, **({"axes": axes} if axes else {})}
        agree("Slice", x, opset=opset, **settings)
        return
    given = [ints(*starts), ints(*ends), *([ints(*axes)] if axes else [])]
    agree("Slice", x, *given, opset=opset, known=[1, 2, 3])
    given = [array.clip(-(2**31), 2**31 - 1).astype("int32") for array in given]
    agree("Slice", x, *given, opset=opset, known=[1, 2, 3])


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [
        (0, FAR, 2), (1, 4, 2), (4, 0, -1), (4, -FAR, -1), (-1, -FAR, -2), (FAR, 1, -2),
        (3, -2, -1), (-1, -1, -1), (9, -9, -3), (0, -FAR, -1), (1, 1, 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("axis", [0, -1])
def test_steps(agree, normal, start, end, step, axis):
    x = normal(5, 5)
    given = [ints(start), ints(end), ints(axis), ints(step)]
    want = np.moveaxis(np.moveaxis(x, axis, 0)[start:end:step], 0, axis)
    agree("Slice", x, *given, opset=13, known=[1, 2, 3, 4], expected=[want])
    agree("Slice", x[:, :0], *given, opset=13, known=[1, 2, 3, 4])


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [
        (1, FAR, 1), (0, -1, 1), (-3, FAR, 1), (-3, -1, 1), (-(2**40), 3, 1), (1, 3, 1),
        (-1, -FAR, -1), (FAR, -FAR, -1), (0, FAR, 2), (1, -1, 3), (-1, -FAR, -2), (-2, 0, -2),
    ],
)  # fmt: skip
def test_slices_of_an_open_axis(agree, normal, start, end, step):
    x = normal(5, 2)
    given = [ints(start), ints(end), ints(0), ints(step)]
    agree("Slice", x, *given, opset=13, known=[1, 2, 3, 4], opened=OPEN)


def test_an_open_axis_that_is_too_short(one_node, normal):
    x = normal(5, 2)
    given = {"x1": ints(1), "x2": ints(4), "x3": ints(0)}
    graph = load(one_node("Slice", [x, *given.values()], opset=13, opened=OPEN), known=given)
    assert run(graph, x)[0].shape == (3, 2)
    with pytest.raises(ShapeError, match="a slice of N = 2 has 1 elements, not 3"):
        run(graph, x[:2])


def test_a_slice_as_long_as_a_size(one_node, normal):
    """Positions up to the length of the input, cut from a table that is part of the model."""
    x, table = normal(3), normal(8, 2)
    model = one_node("Shape", [x], opset=13, opened=OPEN)
    model.graph.node[0].output[0] = "shape"
    two = one_node("Slice", [table, ints(0), ints(3), ints(0)], opset=13).graph
    two.node[0].input[:] = ["table", "zero", "shape", "zero"]
    two.input[0].name = "table"
    model.graph.node.append(two.node[0])
    model.graph.input.extend([two.input[0], helper.make_tensor_value_info("zero", 7, [1])])
    graph = load(model, known={"table": table, "zero": ints(0)})
    np.testing.assert_array_equal(run(graph, x)[0], table[:3])
    with pytest.raises(ShapeError, match="N = 9"):
        run(graph, normal(9))


def test_bounds_must_fit(one_node, normal):
    x = normal(3, 3)
    given = {"x1": ints(0, 1), "x2": ints(3)}
    with pytest.raises(OnnxError, match="got 2, 1, 2 and 2"):
        load(one_node("Slice", [x, *given.values()], opset=13), known=given)
    given = {"x1": ints(0), "x2": ints(3), "x3": ints(0), "x4": ints(0)}
    with pytest.raises(OnnxError, match="cannot take steps of 0"):
        load(one_node("Slice", [x, *given.values()], opset=13), known=given)
    with pytest.raises(UnknownValue, match="without the value of starts"):
        load(one_node("Slice", [x, *given.values()], opset=13))


@pytest.mark.parametrize("opset", [1, 11, 13])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_gather(agree, normal, opset, dtype):
    x = normal(3, 4)
    for places in (np.array([[0, 2], [1, 1]], dtype), np.array(1, dtype), np.zeros((0,), dtype)):
        for axis in (0, 1, -1):
            agree("Gather", x, places, opset=opset, axis=axis, opened={0: {0: "N", 1: "M"}})
            agree("Gather", x, places, opset=opset, axis=axis, known=[1])
            agree("Gather", x, places, opset=opset, axis=axis, known=[0])
    if opset >= 11:
        agree("Gather", x, np.array([-1, 0], dtype), opset=opset)


def test_places_outside(one_node, normal):
    x, places = normal(3, 4), ints(3)
    for operator in ("Gather", "GatherND"):
        with pytest.raises(OnnxError, match="place 3 lies outside axis 0 of size 3"):
            evaluate(one_node(operator, [x, places], opset=13), {"x0": x, "x1": places})


@pytest.mark.parametrize("opset", [11, 13])
def test_gather_elements(agree, normal, opset):
    x = normal(3, 4)
    for axis in (0, 1, -1):
        places = np.array([[0, -1, 2], [1, 0, -3]])
        want = np.take_along_axis(x[:2] if axis else x[:, :3], places, axis)
        agree(
            "GatherElements", x, places, opset=opset, axis=axis, opened={1: {0: "N"}},
            expected=[want],
        )  # fmt: skip
    agree("GatherElements", x, np.zeros((0, 4), "int32"), opset=opset, expected=[x[:0]])


@pytest.mark.parametrize("opset", [11, 12, 13])
def test_gather_nd(agree, normal, opset):
    x = normal(2, 3, 4)
    for places in (ints(1), ints(1, 2), np.array([[0, 1], [1, -1]]), np.array([[[1, 2, 3]]]),
                   np.zeros((0, 2), "int64")):  # fmt: skip
        agree("GatherND", x, places, opset=opset, opened=OPEN)
    if opset >= 12:
        agree("GatherND", x, np.array([[1], [0]]), opset=opset, batch_dims=1, opened=OPEN)
        places = np.array([[[1], [2]], [[0], [3]]])[:, :1].repeat(3, 1)
        agree("GatherND", x, places, opset=opset, batch_dims=2, opened={1: {0: "N"}})


@pytest.mark.parametrize("opset", [9, 11])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_one_hot(agree, opset, dtype):
    places, values = np.array([[0, 2, 5], [1, 4, 3]]), np.array([0, 1], dtype)
    marks = np.equal.outer(places, np.arange(4)).astype(dtype)
    for depth in (np.array(4), np.array([4], "int32"), np.array(4.0, "float32")):
        for axis in (-1, 0, 1):
            want = np.moveaxis(marks, -1, axis)
            agree("OneHot", places, depth, values, opset=opset, known=[1], axis=axis, opened=OPEN,
                  expected=[want])  # fmt: skip
    narrow = places.astype("float32")
    agree("OneHot", narrow, depth, values, opset=opset, known=[1, 2], expected=[marks])
    agree("OneHot", places[:, :0], depth, values, opset=opset, known=[1], expected=[marks[:, :0]])
    agree("OneHot", np.array(2), depth, values, opset=opset, known=[1], expected=[marks[0, 1]])


def test_negative_places_count_from_the_end_since_11(agree):
    places, values = np.array([-1, -3, -4]), np.array([5.0, 9.0])
    want = np.array([[5, 5, 9.0], [9, 5, 5], [5, 5, 5]])
    agree("OneHot", places, np.array(3), values, opset=11, known=[1], expected=[want])
    none = np.full((3, 3), 5.0)
    agree("OneHot", places, np.array(3), values, opset=9, known=[1], expected=[none], axis=0)


def test_what_one_hot_needs(one_node):
    places, depth, values = ints(0), np.array([2, 3]), np.zeros(2)
    with pytest.raises(
        OnnxError, match=r"needs one number as depth and two values, got 2 and \(2,\)"
    ):
        load(one_node("OneHot", [places, depth, values], opset=11), known={"x1": depth})


@pytest.mark.parametrize("opset", [9, 13])
def test_nonzero(agree, opset):
    for x in (np.array([[1, 0], [0, 2.5]]), np.array([True, False, True]), np.zeros((2, 0)),
              np.zeros((2, 2, 2), "int8")):  # fmt: skip
        agree("NonZero", x, opset=opset, known=[0])
        agree("NonZero", x, opset=opset, opened=OPEN)
    agree("NonZero", np.array(3), opset=opset, expected=[np.zeros((0, 1), "int64")])


@pytest.mark.parametrize("opset", [9, 11])
def test_compress(agree, one_node, normal, opset):
    x, mask = normal(3, 4), np.array([False, True, True])
    for axis in (0, 1):
        for known in ([], [1]):
            agree("Compress", x, mask, opset=opset, axis=axis, known=known,
                  opened={0: {1 - axis: "N"}})  # fmt: skip
    agree("Compress", x, np.array([True, False] * 3), opset=opset, opened=OPEN)
    agree("Compress", x, mask[:0], opset=opset, known=[1])
    with pytest.raises(OnnxError, match=r"takes one row of conditions, not \(1, 3\)"):
        load(one_node("Compress", [x, mask[None]], opset=opset))
    if opset >= 11:
        agree("Compress", x, mask[:2], opset=opset, axis=-1, known=[1])


@pytest.mark.parametrize("ordered", [0, 1])
def test_unique(agree, ordered):
    for x, axis in (
        (np.array([2, 1, 1, 3, 4, 3]), None), (np.array([[2.0, 1], [2, 1], [0, 5]]), 0),
        (np.array([[2, 1, 2], [2, 1, 2]], "int8"), -1), (np.array([[1, 0], [0, 1]]), None),
        (np.array([True, False, True]), 0), (np.zeros((0,)), None), (np.array(7), None),
    ):  # fmt: skip
        settings = {"sorted": ordered, **({} if axis is None else {"axis": axis})}
        for known in ([], [0]):
            agree("Unique", x, opset=11, outputs=4, known=known,
                  expected=by_hand(x, axis, ordered), **settings)  # fmt: skip
        agree("Unique", x, opset=11, expected=by_hand(x, axis, ordered)[:1], **settings)


def by_hand(x, axis, ordered):
    """Collect the parts one by one."""
    parts = [x.reshape(-1)[i] for i in range(x.size)]
    if axis is not None:
        parts = list(np.moveaxis(x, axis, 0))
    first, keys = {}, [tuple(np.ravel(part).tolist()) for part in parts]
    for i, key in enumerate(keys):
        first.setdefault(key, i)
    names = sorted(first) if ordered else list(first)
    shape = np.moveaxis(x, axis, 0).shape[1:] if axis is not None else ()
    kept = np.array([parts[first[name]] for name in names], x.dtype).reshape(-1, *shape)
    return [
        np.moveaxis(kept, 0, axis if axis is not None else 0),
        np.array([first[name] for name in names], "int64"),
        np.array([names.index(key) for key in keys], "int64"),
        np.array([keys.count(name) for name in names], "int64"),
    ]


@pytest.mark.parametrize("time", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_sequences_turned_round(agree, one_node, time, dtype):
    x = (np.arange(24) % 7).reshape(4, 3, 2).astype(dtype)
    lengths = ints(4, 0, 2) if time == 0 else ints(1, 3, 2, 0)
    settings = {"time_axis": time, "batch_axis": 1 - time}
    agree("ReverseSequence", x, lengths, opset=10, opened={0: {0: "N", 1: "M"}}, **settings)
    agree("ReverseSequence", x[:, :, :0], lengths, opset=10, known=[1], **settings)
    with pytest.raises(OnnxError, match="needs the axes 0 and 1 as time and batch, got 1 and 1"):
        load(one_node("ReverseSequence", [x, lengths], opset=10, time_axis=1, batch_axis=1))
