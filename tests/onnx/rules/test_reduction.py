import numpy as np
import pytest

from cgkit import run
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx import load

OPEN = {0: {0: "N"}}
BOTH = {0: {0: "N", 1: "M"}}
REDUCTIONS = (
    "ReduceSum", "ReduceProd", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
    "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
)  # fmt: skip
NUMPY = {
    "ReduceSum": np.sum, "ReduceProd": np.prod, "ReduceMean": np.mean, "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceL1": lambda x, axes, keepdims: np.sum(np.abs(x), axes, keepdims=keepdims),
    "ReduceL2": lambda x, axes, keepdims: np.sqrt(np.sum(x * x, axes, keepdims=keepdims)),
    "ReduceSumSquare": lambda x, axes, keepdims: np.sum(x * x, axes, keepdims=keepdims),
    "ReduceLogSum": lambda x, axes, keepdims: np.log(np.sum(x, axes, keepdims=keepdims)),
    "ReduceLogSumExp": lambda x, axes, keepdims: np.log(np.sum(np.exp(x), axes, keepdims=keepdims)),
}  # fmt: skip


def axes_as(operator, opset, axes):
    """Give axes as this version of an operator takes them: operands, and settings."""
    if opset >= (13 if operator == "ReduceSum" else 18):
        return [] if axes is None else [np.array(axes, "int64")], {}
    return [], {} if axes is None else {"axes": axes}


@pytest.mark.parametrize("operator", REDUCTIONS)
@pytest.mark.parametrize("opset", [1, 11, 13, 18])
def test_axes_of_every_version(agree, normal, operator, opset):
    x = np.abs(normal(2, 3, 4)) + 0.5
    for axes in (None, [0], [1, -1], [2, 0, 1]):
        given, settings = axes_as(operator, opset, axes)
        for keepdims in (0, 1):
            over = None if axes is None else tuple(axes)
            want = np.asarray(NUMPY[operator](x, over, keepdims=bool(keepdims)))
            agree(
                operator, x, *given, opset=opset, known=[1], keepdims=keepdims, opened=BOTH,
                expected=[want.astype("float32")], **settings,
            )  # fmt: skip


@pytest.mark.parametrize("operator", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "int64", "uint32"])
def test_dtypes_stay(agree, operator, dtype):
    x = np.array([[1, 3], [4, 2]], dtype)
    loose = {"rtol": 2e-3, "atol": 2e-3} if dtype == "float16" else {}
    want = np.asarray(NUMPY[operator](x.astype("float64"), 1, keepdims=False))
    agree(
        operator, x, np.array([1], "int64"), opset=18, known=[1], keepdims=0,
        expected=[want.astype(dtype)], **loose,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int64", "uint8", "bool"])
def test_the_largest_of_none(agree, dtype):
    x = np.zeros((0, 2), dtype)
    ends = np.array([0, 1] if dtype == "bool" else [-np.inf, np.inf])
    if x.dtype.kind in "iu":
        ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], object)
    for operator, end in zip(("ReduceMax", "ReduceMin"), ends, strict=True):
        for keepdims in (0, 1):
            want = np.full((1, 2) if keepdims else 2, end, dtype)
            agree(operator, x, np.array([0]), opset=20, known=[1], keepdims=keepdims, opened=BOTH,
                  expected=[want])  # fmt: skip
            agree(operator, x, opset=20, keepdims=keepdims, opened=OPEN,
                  expected=[np.full((1, 1) if keepdims else (), end, dtype)])  # fmt: skip


def test_whole_numbers_wrap(agree):
    x = np.array([2**31 - 1, 2, -5], "int32")
    agree("ReduceSum", x, opset=11, expected=[np.array([2**31 - 4], "int32")])
    agree("ReduceProd", x, opset=11, expected=[np.array([10], "int32")])
    agree("ReduceSumSquare", x, opset=11, expected=[np.array([30], "int32")])


@pytest.mark.parametrize("operator", REDUCTIONS)
def test_no_axes_are_all_or_none(agree, normal, operator):
    x = np.abs(normal(2, 3)) + 0.5
    none = np.zeros(0, "int64")
    for operands in ([x], [x, none]):
        agree(operator, *operands, opset=18, known=[1], opened=OPEN)
        want = {
            "ReduceL2": x, "ReduceSumSquare": x * x, "ReduceLogSum": np.log(x),
        }.get(operator, x)  # fmt: skip
        agree(
            operator, *operands, opset=18, known=[1], noop_with_empty_axes=1, expected=[want],
            opened=OPEN,
        )  # fmt: skip
    agree(operator, np.asarray(x[0, 0]), opset=18, expected=[want[0, 0]], rtol=1e-5)


@pytest.mark.parametrize("operator", ["ReduceL1", "ReduceL2"])
def test_none_of_the_axes_leaves_lengths(agree, operator):
    x = np.array([-2.0, 3.0], "float32")
    agree(operator, x, opset=18, noop_with_empty_axes=1, expected=[np.abs(x)])


@pytest.mark.parametrize(
    ("operator", "want"),
    [
        ("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -np.inf), ("ReduceMin", np.inf),
        ("ReduceL1", 0), ("ReduceL2", 0), ("ReduceSumSquare", 0), ("ReduceLogSum", -np.inf),
        ("ReduceLogSumExp", -np.inf), ("ReduceMean", np.nan),
    ],
)  # fmt: skip
def test_over_no_elements(agree, operator, want):
    x, axes = np.zeros((2, 0, 4), "float32"), np.array([1], "int64")
    full = np.full((2, 1, 4), want, "float32")
    agree(operator, x, axes, opset=18, known=[1], expected=[full], opened=OPEN)
    agree(operator, x, axes, opset=18, known=[1], keepdims=0, expected=[full[:, 0]], opened=OPEN)
    agree(operator, x, axes * 0, opset=18, known=[1], expected=[np.zeros((1, 0, 4), "float32")])


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "bool"])
def test_extremes_of_no_elements_are_the_ends_of_the_dtype(agree, dtype):
    x, axes = np.zeros((0, 2), dtype), np.array([0], "int64")
    kind = np.dtype(dtype).kind
    if kind == "b":
        low, high = False, True
    elif kind == "f":
        low, high = -np.inf, np.inf
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    agree("ReduceMax", x, axes, opset=20, known=[1], expected=[np.full((1, 2), low, dtype)])
    agree("ReduceMin", x, axes, opset=20, known=[1], expected=[np.full((1, 2), high, dtype)])


def test_truth_values_and_nan(agree):
    x, axes = np.array([[True, False], [True, True]]), np.array([1], "int64")
    for operator in ("ReduceMax", "ReduceMin"):
        agree(operator, x, axes, opset=20, known=[1], opened=OPEN)
        agree(operator, np.array([[np.nan, 1], [2, 3]], "float32"), axes, opset=20, known=[1])


@pytest.mark.parametrize("operator", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("opset", [1, 11, 12, 13])
def test_places_of_extremes(agree, operator, opset):
    x = np.array([[2, 2, 1], [1, 3, 3], [0, 0, 0]], "float32")
    for axis in (0, 1, -1):
        for keepdims in (0, 1):
            agree(operator, x, opset=opset, axis=axis, keepdims=keepdims, opened=BOTH)
            if opset >= 12:
                agree(
                    operator, x, opset=opset, axis=axis, keepdims=keepdims, select_last_index=1,
                    opened=BOTH,
                )  # fmt: skip
    agree(operator, x.astype("int8"), opset=opset)
    agree(operator, x[:, :0], opset=opset, axis=0, expected=[np.zeros((1, 0), "int64")])


def test_the_axis_of_a_place_must_hold_something(one_node):
    with pytest.raises(OnnxError, match="over no elements has no value"):
        load(one_node("ArgMax", [np.zeros((0, 2), "float32")], opset=13))


@pytest.mark.parametrize("operator", ["CumSum", "CumProd"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint64"])
def test_what_runs_along_an_axis(agree, operator, dtype):
    x = np.array([[2, 3, 1], [4, 1, 5]], dtype)
    opset = 14 if operator == "CumSum" else 26
    for axis in (np.array(0, "int32"), np.array(-1, "int64"), np.array([1], "int64")):
        for exclusive in (0, 1):
            for reverse in (0, 1):
                agree(
                    operator, x, axis, opset=opset, known=[1], exclusive=exclusive,
                    reverse=reverse, opened=OPEN,
                    expected=[running(operator, x, int(axis.reshape(())), exclusive, reverse)],
                )  # fmt: skip
    agree(operator, x[:, :0], np.array(1), opset=opset, known=[1], expected=[x[:, :0]])


def running(operator, x, axis, exclusive, reverse):
    act = np.cumsum if operator == "CumSum" else np.cumprod
    line = np.moveaxis(x, axis, -1)[..., :: -1 if reverse else 1]
    if exclusive:
        first = np.full_like(line[..., :1], operator == "CumProd")
        line = np.concatenate([first, line[..., :-1]], -1)
    found = act(line, -1, dtype=x.dtype)[..., :: -1 if reverse else 1]
    return np.moveaxis(found, -1, axis)


@pytest.mark.parametrize("opset", [1, 10, 11, 24])
def test_the_first_few(agree, opset):
    x = np.array([[3, 1, 3, 2], [0, 5, 5, 5]], "float32")
    given = [np.array([2], "int64")] if opset >= 10 else []
    settings = {} if opset >= 10 else {"k": 2}
    want = [np.array([[3, 3], [5, 5]], "float32"), np.array([[0, 2], [1, 2]])]
    agree("TopK", x, *given, opset=opset, known=[1], outputs=2, opened=OPEN, expected=want,
          **settings)  # fmt: skip
    want = [
        np.array([[3, 5, 5, 5], [0, 1, 3, 2]], "float32"),
        np.array([[0, 1, 1, 1], [1, 0, 0, 0]]),
    ]
    agree("TopK", x, *given, opset=opset, known=[1], outputs=2, axis=0, expected=want, **settings)
    if opset >= 11:
        want = [np.array([[1, 2], [0, 5]], "float32"), np.array([[1, 3], [0, 1]])]
        for ordered in (0, 1):
            agree("TopK", x, *given, opset=opset, known=[1], outputs=2, largest=0, sorted=ordered,
                  expected=want)  # fmt: skip
        whole = x.astype("uint64") + 2**63
        agree("TopK", whole, *given, opset=opset, known=[1], outputs=2)


def test_how_many_may_be_open(one_node):
    """K is the size of another input, as models write it that keep at most so many."""
    x = np.array([3.0, 1.0, 2.0], "float32")
    model = one_node("Shape", [np.zeros(2, "float32")], opset=13, opened={0: {0: "K"}})
    model.graph.node[0].output[0] = "many"
    two = one_node("TopK", [np.zeros(1), x], opset=13, outputs=2)
    del two.graph.node[0].input[:]
    two.graph.node[0].input.extend(["x1", "many"])
    model.graph.node.append(two.graph.node[0])
    model.graph.input.append(two.graph.input[1])
    del model.graph.output[:]
    model.graph.output.extend(two.graph.output)
    graph = load(model)
    values, places = run(graph, np.zeros(2, "float32"), x)
    np.testing.assert_array_equal(values, [3, 2])
    np.testing.assert_array_equal(places, [0, 2])


def test_what_must_be_known(one_node):
    x, axes = np.zeros((2, 3), "float32"), np.array([1], "int64")
    with pytest.raises(UnknownValue, match="without the value of axes, its input 'x1'"):
        load(one_node("ReduceSum", [x, axes], opset=13))
    with pytest.raises(UnknownValue, match="without the value of axis, its input 'x1'"):
        load(one_node("CumSum", [x, axes], opset=13))
    with pytest.raises(OnnxError, match="needs one number as K, got 2"):
        load(one_node("TopK", [x, np.array([1, 2])], opset=13), known={"x1": np.array([1, 2])})
    with pytest.raises(OnnxError, match="needs one number as axis, got 0"):
        load(one_node("CumSum", [x, axes[:0]], opset=13), known={"x1": axes[:0]})
