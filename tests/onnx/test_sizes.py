"""Shape arithmetic with open sizes gives what it gives once they are known."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ops, run
from cgkit.onnx.sizes import Sizes
from cgkit.types import Dim


@pytest.fixture
def sizes():
    builder = GraphBuilder()
    x = builder.placeholder(("N", 3, "M"), "float32", name="x")
    return Sizes.of(x.shape, builder), x, builder


def test_sizes_that_are_known_are_an_array():
    found = Sizes.of((2, 3), GraphBuilder())
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.int64


def test_arithmetic_and_movement_keep_them_open(sizes):
    shape, _, _ = sizes
    n, m = Dim("N"), Dim("M")
    assert ops.take(shape, np.array(0)).listed() == (n,)
    assert ops.concat(shape, np.array([-1]), axis=0).listed() == (n, 3, m, -1)
    assert (shape * 2 + 1).listed() == (2 * n + 1, 7, 2 * m + 1)
    assert ops.prod(shape, axis=0).listed() == (3 * n * m,)
    assert [part.shape for part in ops.split(shape, sections=3)] == [(1,)] * 3


def test_a_part_without_open_sizes_is_an_array_again(sizes):
    shape, _, _ = sizes
    assert isinstance(ops.take(shape, np.array(1)), np.ndarray)


def test_what_is_no_arithmetic_of_sizes_is_measured_when_the_graph_runs(sizes):
    shape, x, builder = sizes
    root = ops.sqrt(ops.cast(shape, dtype="float32"))
    (found,) = run(builder.graph([root], [x]), np.zeros((4, 3, 9), np.float32))
    np.testing.assert_allclose(found, np.sqrt(np.array([4, 3, 9], np.float32)), rtol=1e-6)
