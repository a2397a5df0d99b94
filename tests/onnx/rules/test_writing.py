import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate, load

JOINS = {16: ("none", "add", "mul"), 18: ("none", "add", "mul", "max", "min")}
ACTS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def written(x, index, new, reduction="none"):
    """Write one element after the other."""
    result = x.copy()
    for at in np.ndindex(index.shape[:-1]):
        place = tuple(index[at])
        act = ACTS.get(reduction)
        result[place] = new[at] if act is None else act(result[place], new[at])
    return result


def as_nd(places, axis):
    """Give the whole place of each element whose place along one axis is given."""
    grid = list(np.indices(places.shape))
    grid[axis] = places
    return np.stack(grid, -1)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_scatter_elements(agree, axis, dtype):
    x = (np.arange(12) % 5 + 1).reshape(3, 4).astype(dtype)
    places = np.array([[0, -1], [1, 2]], "int32") if axis else np.array([[0, 1], [-1, 0]])
    new = np.array([[7, 8], [9, 10]], dtype)
    index = as_nd(places, axis)
    for operator, opset in (("Scatter", 9), ("Scatter", 11), ("ScatterElements", 11)):
        agree(operator, x, places, new, opset=opset, axis=axis, expected=[written(x, index, new)])
    twice = np.zeros_like(places)
    for opset, joins in JOINS.items():
        for join in joins:
            at = places if join == "none" else twice
            want = written(x, as_nd(at, axis), new, join)
            agree(
                "ScatterElements", x, at, new, opset=opset, axis=axis, reduction=join,
                expected=[want], opened={0: {0: "N", 1: "M"}},
            )  # fmt: skip
    agree("ScatterElements", x, places[:0], new[:0], opset=18, axis=axis, expected=[x])


@pytest.mark.parametrize(
    ("index", "rest"),
    [(np.array([[2], [0]]), (3, 2)), (np.array([[1, 0], [-1, 2]]), (2,)), (np.array([0, 1, 1]), ()),
     (np.zeros((0, 1), "int64"), (3, 2)), (np.array([[[0, 0, 0]], [[1, 1, 1]]]), ())],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_scatter_nd(agree, index, rest, dtype):
    x = (np.arange(18) + 1).reshape(3, 3, 2).astype(dtype)
    new = (np.arange(np.prod(index.shape[:-1] + rest)) + 20).reshape(index.shape[:-1] + rest)
    new = new.astype(dtype)
    agree("ScatterND", x, index, new, opset=11, expected=[written(x, index, new)])
    for opset, joins in JOINS.items():
        for join in joins:
            want = written(x, index, new, join)
            agree("ScatterND", x, index, new, opset=opset, reduction=join, expected=[want],
                  opened={0: {0: "N", 1: "M"}})  # fmt: skip


def test_each_version_knows_its_reductions(one_node):
    x, places = np.zeros((2, 2)), np.zeros((1, 2), "int64")
    for opset, join, known in ((16, "max", "none, add, mul"),
                               (18, "mean", "none, add, mul, max, min")):  # fmt: skip
        for operator in ("ScatterElements", "ScatterND"):
            model = one_node(operator, [x, places, x[:1]], opset=opset, reduction=join)
            with pytest.raises(OnnxError, match=f"knows the reductions {known}, not '{join}'"):
                load(model)


def test_places_outside(one_node):
    x, places = np.zeros((2, 2)), np.array([[2, 0]])
    for operator, new in (("ScatterElements", x[:1]), ("ScatterND", x[0, :1])):
        feeds = {"x0": x, "x1": places, "x2": new}
        with pytest.raises(OnnxError, match="place 2 lies outside axis 0 of size 2"):
            evaluate(one_node(operator, list(feeds.values()), opset=18), feeds)


def cached(cache, new, starts, axis, circular):
    """Write each new element where the specification's loop does."""
    result = cache.copy()
    for at in np.ndindex(new.shape):
        place = list(at)
        place[axis] += 0 if starts is None else starts[at[0]]
        if circular:
            place[axis] %= cache.shape[axis]
        result[tuple(place)] = new[at]
    return result


@pytest.mark.parametrize("axis", [1, 2, -1, -2])
def test_tensor_scatter(agree, normal, axis):
    cache, at = normal(2, 3, 4), axis % 3
    new = np.take(normal(2, 3, 4), [0, 1], at)
    opened = {0: {0: "N", at: "M"}}
    want = cached(cache, new, None, at, circular=False)
    agree("TensorScatter", cache, new, opset=24, axis=axis, expected=[want], opened=opened)
    for circular, starts in ((False, [1, 0]), (True, [2, 3])):
        want = cached(cache, new, starts, at, circular)
        agree(
            "TensorScatter", cache, new, np.array(starts), opset=24, axis=axis,
            mode="circular" if circular else "linear", expected=[want], opened=opened,
        )  # fmt: skip


def test_where_tensor_scatter_cannot_write(one_node, normal):
    cache, new, starts = normal(2, 3, 4), normal(2, 2, 4), np.array([2, 0])
    with pytest.raises(OnnxError, match="cannot write along axis 0 in mode 'linear'"):
        load(one_node("TensorScatter", [cache, new], opset=24, axis=0))
    with pytest.raises(OnnxError, match="cannot write along axis 1 in mode 'round'"):
        load(one_node("TensorScatter", [cache, new], opset=24, mode="round"))
    feeds = {"x0": cache, "x1": new, "x2": starts}
    with pytest.raises(OnnxError, match="lies outside axis 1 of size 3"):
        evaluate(one_node("TensorScatter", list(feeds.values()), opset=24), feeds)
