"""Movement against NumPy: reshape, transpose, broadcast_to, sum_to, concat; what they refuse."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit import GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.errors import OperandError
from cgkit.node import Edge
from cgkit.operators.movement import resolve_shape, unbroadcast
from cgkit.operators.settings import as_shape, normal_axes
from cgkit.testing.cases import samples_of
from cgkit.types import Dim

N = Dim("N")
shapes = st.lists(st.sampled_from([0, 1, 2, 3]), max_size=4).map(tuple)


@pytest.mark.parametrize("name", ["reshape", "transpose", "broadcast_to"])
def test_values_are_numpys(name, follows):
    follows(name, getattr(np, name))


@given(st.data())
def test_sum_to_undoes_broadcasting(data):
    wide = data.draw(shapes)
    lead = data.draw(st.integers(0, len(wide)))
    narrow = tuple(data.draw(st.sampled_from([1, n])) for n in wide[lead:])
    x = np.random.default_rng(0).normal(size=wide)
    stretched = tuple(i for i, n in enumerate(narrow, lead) if n == 1 != wide[i])
    expected = x.sum((*range(lead), *stretched), keepdims=True).reshape(narrow)
    np.testing.assert_allclose(ops.sum_to(x, shape=narrow), expected)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool"])
def test_sum_to_keeps_the_dtype(dtype):
    assert ops.sum_to(np.ones((3, 2), dtype), shape=(2,)).dtype == dtype


def test_a_broadcast_tensor_has_memory_of_its_own():
    x = Tensor([[1.0], [2.0]])
    y = ops.broadcast_to(x, shape=(2, 3))
    y.add_(1.0)
    assert x.data.tolist() == [[1], [2]]
    assert y.data.strides[-1] != 0


@given(shapes, st.randoms(use_true_random=False))
def test_reshape_finds_the_open_size(shape, rng):
    total = math.prod(shape)
    new = [n for n in (rng.choice([1, 2, 3]) for _ in range(2)) if total and total % n == 0]
    rest = math.prod(new)
    if total % max(rest, 1) or not total:
        return
    new.insert(rng.randint(0, len(new)), -1)
    assert resolve_shape(shape, tuple(new)) == np.empty(shape).reshape(new).shape


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ((N, 28, 28), (N, 784), (N, 784)),
        ((N, 28, 28), (-1, 784), (N, 784)),
        ((N, 4), (-1,), (4 * N,)),
        ((N, 4), (2, -1), (2, 2 * N)),
        ((N,), (5,), (5,)),
        ((0, 3), (3, 0), (3, 0)),
        ((0,), (0, 5), (0, 5)),
    ],
)
def test_resolve_open_shapes(old, new, result):
    assert resolve_shape(old, new) == result


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda x: x.reshape(4), r"cannot reshape \(2, 3\) to \(4,\)"),
        (lambda x: x.reshape(-1, -1), "leaves 2 sizes open"),
        (lambda x: x.reshape(-1, 4), "6 elements, this 4 times an unknown"),
        (lambda x: x.reshape(0, -1), "cannot reshape"),
        (lambda x: x.reshape(-3, -2), "-3 is no size"),
        (lambda x: x.reshape(6.0), "6.0 is no size"),
        (lambda x: x.reshape(True, 6), "True is no size"),
        (lambda x: ops.reshape(x, shape="6"), "'6' is no size"),
        (lambda x: x.transpose((0,)), "needs 2 axes"),
        (lambda x: x.transpose((0, 0)), "name one axis twice"),
        (lambda x: x.transpose((0, 2)), "axis 2 does not exist"),
        (lambda x: ops.broadcast_to(x, shape=(3,)), r"cannot broadcast \(2, 3\) to \(3,\)"),
        (lambda x: ops.broadcast_to(x, shape=(4, 3)), "2 and 4 differ"),
        (lambda x: ops.broadcast_to(x, shape=(-2, 3)), "-2"),
        (lambda x: ops.concat(x, np.ones((3, 2))), r"cannot join \(2, 3\) and \(3, 2\)"),
        (lambda x: ops.concat(x, x, axis=2), "axis 2 does not exist"),
        (lambda x: ops.concat(x, np.ones(3)), "2 and 1 axes"),
        (lambda x: x.sum(axis="a"), "an axis is a whole number, not 'a'"),
        (lambda x: x.sum(axis=(0, 1.0)), "an axis is a whole number, not 1.0"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(act, said, world):
    x = Tensor(np.ones((2, 3))) if world == "eager" else GraphBuilder().placeholder((2, 3))
    with pytest.raises(ShapeError, match=said):
        act(x)


def test_concat_joins_what_numpy_joins():
    for sample in samples_of(ops.concat):
        expected = np.concatenate(sample.operands, **sample.params)
        np.testing.assert_array_equal(ops.concat(*sample.operands, **sample.params), expected)
    for act in (lambda: ops.concat([np.ones(2), np.ones(2)]), lambda: ops.concat([Tensor(1.0)])):
        with pytest.raises(OperandError, match=r"concat\(a, b\)"):
            act()


def test_concat_of_open_sizes():
    builder = GraphBuilder()
    x, y = builder.placeholder((None, 2)), builder.placeholder((None, 2))
    joined = ops.concat(x, y, x)
    assert str(joined.shape) == "(2*N + N2, 2)"
    arrays = np.ones((3, 2)), np.zeros((1, 2))
    (found,) = run(builder.graph([joined]), *arrays)
    np.testing.assert_array_equal(found, np.concatenate([arrays[0], arrays[1], arrays[0]]))


def test_concat_tells_each_part_its_own_gradient():
    x, y = Tensor(np.ones((2, 2)), requires_grad=True), Tensor(np.ones((1, 2)), requires_grad=True)
    g = np.arange(10.0).reshape(5, 2)
    a, b = grad(ops.concat(x, y, x), (x, y), g)
    assert a.data.tolist() == [[6, 8], [10, 12]]
    assert b.data.tolist() == [[4, 5]]


@pytest.mark.parametrize("axes", [*itertools.permutations((0, 1, 2)), (-1, 0, 1), (2, -2, 0)])
def test_a_transpose_is_undone_on_the_way_back(axes):
    x = Tensor(np.arange(24.0).reshape(2, 3, 4), requires_grad=True)
    g = np.random.default_rng(0).normal(size=np.transpose(x.data, axes).shape)
    (found,) = grad(x.transpose(axes), x, g)
    np.testing.assert_array_equal(np.transpose(found.data, axes), g)


def test_axes_and_shapes_have_one_form():
    assert normal_axes(None, 3) == (0, 1, 2)
    assert normal_axes((-1, np.int64(0)), 3) == (2, 0)
    assert normal_axes((), 3) == ()
    assert as_shape([np.int32(2), N]) == (2, N)
    assert type(as_shape(np.int64(3))[0]) is int


def test_unbroadcast_brings_shape_and_dtype():
    edge = Edge(None, 0, (1, 3), np.dtype("float32"))
    found = unbroadcast(np.ones((2, 2, 3)), edge)
    assert (found.shape, found.dtype, found.tolist()) == ((1, 3), np.float32, [[4, 4, 4]])
    same = np.ones((1, 3), "f4")
    assert unbroadcast(same, edge) is same
