"""Parts of tensors in ONNX, against NumPy's brackets."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ops
from cgkit.errors import OnnxError
from cgkit.onnx.exporter import to_model
from cgkit.operators.indices import ARRAY, Span

X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("key", "kinds"),
    [
        (np.s_[1:, 0], ["Slice", "Squeeze"]),
        (np.s_[:, None, ::-1], ["Slice", "Unsqueeze"]),
        (np.s_[-1, :, -2:], ["Slice", "Squeeze"]),
        (np.s_[..., -10:10:3], ["Slice"]),
        (np.s_[:, -9::-1], ["Slice"]),  # begins before the first element: nothing is left
        (np.s_[:, 2:1], ["Slice"]),
        (np.s_[:, :0:-2, 3:-5:-1], ["Slice"]),
        (np.s_[None], ["Unsqueeze"]),
        (np.s_[...], ["Identity"]),
    ],
)  # fmt: skip
def test_ranges(written, key, kinds):
    found = written(lambda x: x[key], X)
    np.testing.assert_array_equal(found.result, X[key])
    assert found.kinds == kinds


def test_ranges_of_an_open_axis(written):
    for key in (np.s_[1:], np.s_[:-1], np.s_[::-1], np.s_[-2:]):
        found = written(lambda x, key=key: x[key], np.arange(5.0), shapes=[("N",)])
        np.testing.assert_array_equal(found.result, np.arange(5.0)[key])


ROWS = np.array([1, 0, 1])
PAIRS = np.array([[0, 2], [-1, 1]])


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ((ROWS,), "Gather"),
        ((slice(None), PAIRS), "Gather"),
        ((slice(None), slice(1), PAIRS), "Gather"),
        ((ROWS, np.array([2, -1, 0])), "GatherND"),
        ((ROWS, slice(None), np.array([2, -1, 0])), "GatherND"),
        ((slice(1, None), ROWS, np.array([2, -1, 0])), "GatherND"),
        ((0, slice(None), ROWS), "GatherND"),
        ((slice(None), 1, ROWS), "GatherND"),
        ((None, slice(None), PAIRS, 1), "GatherND"),
        ((np.array([0, 1]), None, PAIRS), "GatherND"),
    ],
)
def test_places(written, key, kind):
    found = written(lambda x: x[key], X)
    np.testing.assert_array_equal(found.result, X[key])
    assert kind in found.kinds


def test_an_embedding_is_one_node(written):
    table, ids = np.arange(8.0).reshape(4, 2), np.array([[3, 0], [0, -1]], np.int32)
    found = written(lambda t, i: ops.embedding(i, t), table, ids)
    assert found.kinds == ["Gather"]
    np.testing.assert_array_equal(found.result, table[ids])


@pytest.mark.parametrize(
    ("index", "pads"),
    [
        ((Span(1), 0), True), ((Span(None, -1), Span(1, 3)), True), ((None, -1, Span(2)), True),
        ((Span(None, None, 2), Span()), False), ((Span(None, None, -1), 1), False),
    ],
)  # fmt: skip
def test_a_part_among_zeros(written, index, pads):
    whole = np.zeros((3, 4))
    key = tuple(slice(*item) if isinstance(item, tuple) else item for item in index)
    part = np.arange(1.0, 1 + whole[key].size).reshape(whole[key].shape)
    whole[key] = part
    found = written(lambda a: ops.place(a, shape=(3, 4), index=index), part)
    np.testing.assert_array_equal(found.result, whole)
    assert ("Pad" in found.kinds) == pads


def test_what_comes_twice_is_added(written):
    g = np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    params = {"shape": (3, 2), "index": (ARRAY, Span())}
    found = written(lambda g, at: ops.scatter(g, at, **params), g, np.array([2, 0, 2]))
    assert "ScatterND" in found.kinds
    np.testing.assert_array_equal(found.result, [[10, 20], [0, 0], [101, 202]])


def test_what_comes_behind_other_axes_is_added_by_number(written):
    g, at = np.arange(6.0).reshape(2, 3), np.array([1, -1, 1])
    expected = np.zeros((2, 4))
    np.add.at(expected, (slice(None), at), g)
    params = {"shape": (2, 4), "index": (Span(), ARRAY)}
    found = written(lambda g, at: ops.scatter(g, at, **params), g, at)
    assert "ScatterElements" in found.kinds
    np.testing.assert_array_equal(found.result, expected)


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_extremes_begin_with_the_limits_of_the_dtype(written, dtype):
    g, at = np.array([3, -5, 4], dtype), np.array([0, 0, 2])
    params = {"shape": (3,), "index": (ARRAY,)}
    limits = np.iinfo(dtype) if dtype == "int32" else None
    low, high = (limits.min, limits.max) if limits else (-np.inf, np.inf)
    most = written(lambda g, at: ops.scatter_max(g, at, **params), g, at)
    least = written(lambda g, at: ops.scatter_min(g, at, **params), g, at)
    assert most.result.tolist() == [3, low, 4]
    assert least.result.tolist() == [-5, high, 4]


def test_what_is_written_last_stays(written):
    a, b, at = np.zeros((3, 2)), np.arange(1.0, 7).reshape(3, 2), np.array([1, 0, 1])
    expected = np.array([[3.0, 4.0], [5.0, 6.0], [0.0, 0.0]])
    index = (ARRAY, Span())
    found = written(lambda a, b, at: ops.put(a, b, at, index=index), a, b, at)
    np.testing.assert_array_equal(found.result, expected)
    stays = written(lambda at: ops.lasting(at, shape=(3, 2), index=index), at)
    np.testing.assert_array_equal(stays.result, [[False] * 2, [True] * 2, [True] * 2])


def test_nothing_is_written(written):
    a, nothing = np.arange(3.0), np.zeros(0)
    at = np.zeros(0, np.int64)
    found = written(lambda a, b, at: ops.put(a, b, at, index=(ARRAY,)), a, nothing, at)
    np.testing.assert_array_equal(found.result, a)


def test_a_number_is_written_into_a_range(written):
    found = written(lambda a: ops.put(a, 7.0, index=(Span(1, None, 2),)), np.arange(5.0))
    np.testing.assert_array_equal(found.result, [0, 7, 2, 7, 4])


def test_one_hot(written):
    found = written(lambda a: ops.one_hot(a, size=3), np.array([0, -1, 5, -4]))
    np.testing.assert_array_equal(found.result, [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    single = written(lambda a: ops.one_hot(a, size=2, dtype="float32"), np.array(1))
    assert single.result.tolist() == [0, 1]


def test_places_along_an_axis_of_open_size(written):
    found = written(lambda x: ops.positions(x, axis=1), X, shapes=[(2, "N", 4)])
    assert found.result.tolist() == [0, 1, 2]
    assert written(lambda x: ops.positions(x, axis=1), X).kinds == ["Identity"]  # known: a constant


def test_a_mask_is_refused():
    builder = GraphBuilder()
    g, mask = builder.placeholder((2,)), builder.placeholder((3,), "bool")
    graph = builder.graph([ops.scatter(g, mask, shape=(3,), index=(ARRAY,))])
    with pytest.raises(OnnxError, match=r"(?s)scatter cannot be exported.*mask.*places instead"):
        to_model(graph)
