"""Shape arithmetic with open sizes gives what it gives once they are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit import GraphBuilder, ops, run
from cgkit.onnx.sizes import Sizes, Undecided, _equal, _less
from cgkit.symbolic import Value
from cgkit.types import Dim

N, M = Dim("N"), Dim("M")


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
    assert ops.take(shape, np.array(0)).listed() == (N,)
    assert ops.concat(shape, np.array([-1]), axis=0).listed() == (N, 3, M, -1)
    assert (shape * 2 + 1).listed() == (2 * N + 1, 7, 2 * M + 1)
    assert ops.prod(shape, axis=0).listed() == (3 * N * M,)
    assert ops.floor_div(shape * 4, 2).listed() == (2 * N, 6, 2 * M)
    assert [part.shape for part in ops.split(shape, sections=3)] == [(1,)] * 3
    assert ops.unsqueeze(ops.take(shape, np.array(2)), axis=0).shape == (1,)
    assert shape[::2].listed() == (N, M)


def test_a_part_without_open_sizes_is_an_array_again(sizes):
    shape, _, _ = sizes
    assert isinstance(ops.take(shape, np.array(1)), np.ndarray)


def test_whole_numbers_of_32_bits_are_sizes_too(sizes):
    shape, _, _ = sizes
    found = ops.cast(ops.cast(shape, dtype="int32") + 1, dtype="int64")
    assert found.listed() == (N + 1, 4, M + 1)
    assert ops.cast(shape, dtype="int32").dtype == np.int32
    assert ops.take(ops.cast(shape, dtype="int32"), np.array(1)).dtype == np.int32


def test_a_pattern_of_exporters_stays_open(sizes):
    # where(shape == -1, 1, shape), as a model says "expand, but keep what is -1"
    shape, _, _ = sizes
    wanted = ops.concat(shape, np.array([-1]), axis=0)
    found = ops.where(ops.equal(wanted, np.array([-1])), np.ones(4, np.int64), wanted)
    assert found.listed() == (N, 3, M, 1)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_what_is_no_arithmetic_of_sizes_is_measured_when_the_graph_runs(sizes, dtype):
    shape, x, builder = sizes
    root = ops.sqrt(ops.cast(shape, dtype=dtype))
    (found,) = run(builder.graph([root], [x]), np.zeros((4, 3, 9), np.float32))
    np.testing.assert_allclose(found, np.sqrt(np.array([4, 3, 9], dtype)), rtol=1e-3)


@pytest.mark.parametrize(
    ("act", "stays"),
    [
        (lambda s: ops.floor_div(s, 2), True),
        (lambda s: ops.mod(s, 2), True),
        (lambda s: ops.fmod(s, 2), True),
        (lambda s: ops.fmod(s - 2, 2), False),
        (lambda s: ops.fmod(s * 4 - 8, 2), True),
    ],
)
def test_divisions_are_open_sizes_or_measured(sizes, act, stays):
    shape, x, builder = sizes
    found = act(shape)
    assert isinstance(found, Sizes) == stays or isinstance(found, np.ndarray)
    for many in (5, 0):
        made = found.value() if isinstance(found, Sizes) else found
        if not isinstance(found, np.ndarray):
            (made,) = run(builder.graph([made], [x]), np.zeros((many, 3, 9), np.float32))
        np.testing.assert_array_equal(made, act(np.array([many, 3, 9])))


def test_fractions_beside_them_are_measured(sizes):
    shape, x, builder = sizes
    assert isinstance(ops.mul(ops.cast(shape, dtype="float32"), 0.5), Value)
    (found,) = run(builder.graph([shape * 0.5], [x]), np.zeros((5, 3, 9), np.float32))
    assert found.tolist() == [2.5, 1.5, 4.5]


sizes_of_both = st.tuples(*[st.integers(-2, 3)] * 3).map(lambda c: N * c[0] + M * c[1] + c[2])


@given(sizes_of_both, sizes_of_both)
def test_what_is_decided_holds_for_all_sizes(a, b):
    def at(size, n, m):
        return size.at({"N": n, "M": m}) if isinstance(size, Dim) else size

    for decide, ask in ((_equal, lambda x, y: x == y), (_less, lambda x, y: x < y)):
        try:
            said = decide(a, b)
        except Undecided:
            continue
        pairs = [(at(a, n, m), at(b, n, m)) for n in range(6) for m in range(6)]
        assert all(ask(x, y) == said for x, y in pairs)


def test_equal_questions_are_decided_where_they_can_be():
    assert _equal(N + 1, N + 1)
    assert not _equal(N + 1, N)
    assert not _equal(N, -1)
    assert _less(N, N + 1)
    with pytest.raises(Undecided):
        _equal(N, M)
    with pytest.raises(Undecided):
        _equal(N, 1)
