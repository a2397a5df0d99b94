"""Shapes and movement in ONNX, sizes open and known."""

import numpy as np
import pytest

from cgkit import ops
from cgkit.symbolic.writes import INSTEAD

X = np.arange(6.0).reshape(2, 3)


def test_reshape(written):
    assert written(lambda x: ops.reshape(x, shape=(3, 2)), X).kinds == ["Reshape"]
    empty = written(lambda x: ops.reshape(x, shape=(3, 0)), np.zeros((0, 3)))
    assert empty.result.shape == (3, 0)  # in ONNX a 0 means the old size, unless told otherwise


def test_one_open_size_is_left_to_onnx(written):
    found = written(lambda x: ops.reshape(x, shape=(x.shape[0] * 3,)), X, shapes=[("N", 3)])
    assert found.kinds == ["Reshape"]
    assert found.result.tolist() == X.reshape(-1).tolist()


def test_two_open_sizes_are_computed(written):
    def fn(x):
        n, m = x.shape
        return ops.reshape(x, shape=(m, 1, n))

    found = written(fn, X, shapes=[("N", "M")])
    assert found.kinds == ["Shape", "Shape", "Concat", "Reshape"]
    assert found.result.shape == (3, 1, 2)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_open_sizes_may_turn_out_to_be_zero(written, shape):
    def fn(x):
        n, m = x.shape
        return ops.reshape(x, shape=(m, 1, n)), ops.reshape(x, shape=(n * m,))

    found = written(fn, np.zeros(shape), shapes=[("N", "M")])
    assert [r.shape for r in found.results] == [(shape[1], 1, shape[0]), (0,)]


def test_products_and_sums_of_open_sizes(written):
    def fn(x, y):
        both = ops.concat(x, y, x)  # 2*N + M rows
        return ops.broadcast_to(ops.reshape(y, shape=(y.shape[0], 1)), shape=(3, *y.shape, 1)), both

    found = written(lambda x, y: fn(x, y)[1], np.ones(4), np.ones(3), shapes=[("N",), ("M",)])
    assert found.result.shape == (11,)
    assert found.model.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "M + 2*N"


def test_a_size_of_2n_plus_m_as_a_shape(written):
    def fn(x, y):
        return ops.broadcast_to(ops.sum(y), shape=ops.concat(x, y, x).shape)

    found = written(fn, np.ones(4), np.ones(3), shapes=[("N",), ("M",)])
    assert found.result.tolist() == [3.0] * 11


@pytest.mark.parametrize("shift", [1, -4, 0, 7])
def test_roll(written, shift):
    expected = np.roll(X, shift, 1)
    for shapes in ([(2, 3)], [("N", "M")]):
        found = written(lambda x: ops.roll(x, shift=shift, axis=1), X, shapes=shapes)
        np.testing.assert_array_equal(found.result, expected)
    flat = written(lambda x: ops.roll(x, shift=shift), X)
    np.testing.assert_array_equal(flat.result, np.roll(X, shift))


def test_an_empty_axis_of_open_size_is_rolled(written):
    found = written(lambda x: ops.roll(x, shift=1, axis=0), np.zeros((0, 2)), shapes=[("N", 2)])
    assert found.result.shape == (0, 2)


def test_repeats_for_each_place(written):
    found = written(lambda x: ops.repeat(x, repeats=(2, 0, 1), axis=1), X)
    assert found.kinds == ["Gather"]
    np.testing.assert_array_equal(found.result, np.repeat(X, (2, 0, 1), 1))
    np.testing.assert_array_equal(written(lambda x: ops.repeat(x, repeats=2), X).result,
                                  np.repeat(X, 2))  # fmt: skip


def test_split_gives_each_part_a_name(written):
    found = written(lambda x: ops.split(x, sizes=(1, 2), axis=-1), X)
    assert found.kinds == ["Split"]
    assert [r.tolist() for r in found.results] == [[[0.0], [3.0]], [[1.0, 2.0], [4.0, 5.0]]]
    assert [o.name for o in found.model.graph.output] == ["s_0", "s_1"]


def test_what_changes_nothing_is_left_out(written):
    same = [
        lambda x: ops.squeeze(x, axis=()), lambda x: ops.flip(x, axis=()),
        lambda x: ops.transpose(x, axes=(0, 1)), lambda x: ops.reshape(x, shape=(2, 3)),
        lambda x: ops.sum_to(x, shape=(2, 3)),
    ]  # fmt: skip
    assert [written(fn, X).kinds for fn in same] == [["Identity"]] * 5


def test_joined_and_stacked(written):
    assert written(lambda x: ops.concat(x, x, axis=-1), X).kinds == ["Concat"]
    found = written(lambda x: ops.stack(x, x, axis=-1), X)
    assert found.kinds == ["Unsqueeze", "Unsqueeze", "Concat"]
    np.testing.assert_array_equal(found.result, np.stack([X, X], -1))


def test_stretched_to_nothing(written):
    # onnxruntime takes an Expand of (1, 1) to (0, 1) for one that changes nothing
    found = written(lambda x: ops.broadcast_to(x, shape=(0, 1)), np.ones((1, 1)))
    assert found.kinds == ["ConstantOfShape"]
    assert found.result.shape == (0, 1)


def test_tiles_count_from_the_last_axis(written):
    found = written(lambda x: ops.tile(x, repeats=(2, 1, 2)), X)
    np.testing.assert_array_equal(found.result, np.tile(X, (2, 1, 2)))


def test_an_open_size_as_a_number(written):
    def fn(x):
        return ops.measure(x, size=x.shape[0] * x.shape[1])

    found = written(fn, X.astype("float32"), shapes=[("N", "M")])
    assert found.result == 6
    assert found.result.dtype == np.float32


def test_numbers_with_the_way_back_of_others_are_these_numbers(written):
    found = written(lambda x, y: INSTEAD(x, y * 2.0) + x, X, X)
    assert sorted(found.kinds) == ["Add", "Identity", "Mul"]
    assert found.result.tolist() == (X * 3.0).tolist()
