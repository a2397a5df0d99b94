"""What is computed on a model's own arrays has bounds, and is what NumPy computes."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ops
from cgkit.errors import OnnxError
from cgkit.onnx import Limits
from cgkit.onnx.known import Known, Room
from cgkit.onnx.sizes import Sizes
from cgkit.symbolic import Value


def known(array, **limits):
    return Room(Limits(**limits)).known(array)


def test_it_is_an_array_that_computes_as_any():
    x = known(np.array([1.0, 2.0]))
    y = ops.exp(x)
    assert isinstance(x, np.ndarray)
    assert isinstance(y, Known)
    np.testing.assert_array_equal(np.asarray(y), np.exp([1.0, 2.0]))
    np.testing.assert_array_equal(np.asarray(x * 2.0 - x), [1.0, 2.0])
    assert (x * np.float32(2)).room is x.room


def test_several_results_are_known_too():
    parts = ops.split(known(np.arange(4)), sections=2)
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3]]
    assert all(isinstance(part, Known) for part in parts)


def test_a_value_beside_it_records():
    x = GraphBuilder().placeholder((2,), name="x")
    for found in (known(np.ones(2)) + x, x + known(np.ones(2)), ops.add(known(np.ones(2)), x)):
        assert isinstance(found, Value)


def test_open_sizes_beside_it_stay_open():
    builder = GraphBuilder()
    n = builder.placeholder(("N", 3), name="x").shape
    found = ops.concat(Sizes.of(n, builder), known(np.array([-1])), axis=0)
    assert [str(size) for size in found.listed()] == ["N", "3", "-1"]


def test_a_result_that_is_too_large_is_never_made():
    with pytest.raises(OnnxError, match="the result of tile would take"):
        ops.tile(known(np.ones(10)), repeats=(2**50,))
    with pytest.raises(OnnxError, match="the result of add would take"):
        known(np.ones((2**20, 1)), tensor=2**30) + np.ones((1, 2**20))


def test_many_small_ones_are_too_much_together():
    x = known(np.ones(100), total=10_000)
    with pytest.raises(OnnxError, match="bytes of arrays"):
        [ops.exp(x) for _ in range(20)]


def test_while_a_graph_is_built_there_is_less_room():
    limits = Limits(folded=100, total=1000)
    Room(limits).allow("a", (100,), np.dtype("int64"))
    with pytest.raises(OnnxError, match=r"Limits\(folded=800\)"):
        Room(limits, building=True).allow("a", (100,), np.dtype("int64"))


def test_arithmetic_is_counted_before_it_is_done():
    a = known(np.ones((100, 100)), work=10**6)
    with pytest.raises(OnnxError, match="2,000,000"):
        ops.matmul(a, a)


def test_a_plain_number_beside_it_is_weak():
    assert ops.mul(known(np.ones(2, np.float32)), 2.0).dtype == np.float32
