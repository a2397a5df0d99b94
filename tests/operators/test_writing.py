"""Writing as functions: what stands where afterwards, what fits, and whose gradient it is."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.operators.indices import ARRAY, Span, normal_index

A = np.arange(6.0).reshape(2, 3)


class TestOverwrite:
    @pytest.mark.parametrize("b", [7, 7.0, True, np.ones(3), np.ones((2, 1)), np.float32(3)])
    def test_b_stands_in_the_place_of_a(self, b):
        found = ops.overwrite(A, b)
        np.testing.assert_array_equal(found, np.broadcast_to(b, (2, 3)))
        assert found.dtype == A.dtype
        assert ops.overwrite(A.astype("f4"), np.ones(3)).dtype == np.float32

    @pytest.mark.parametrize(
        ("a", "b", "kind", "said"),
        [
            (A, np.ones(2), ShapeError, r"overwrite cannot put shape \(2,\) into \(2, 3\)"),
            (A, np.ones((1, 2, 3)), ShapeError, r"shape \(1, 2, 3\) into \(2, 3\)"),
            (np.ones(()), np.ones(1), ShapeError, r"shape \(1,\) into \(\)"),
            (np.arange(3), 0.5, DtypeError, r"put float64 into int64\n.*numbers would change"),
            (np.arange(3), np.ones(3), DtypeError, "ops.cast"),
            (np.ones(3, bool), 2, DtypeError, "put int64 into bool"),
        ],
    )
    def test_what_does_not_fit(self, a, b, kind, said):
        with pytest.raises(kind, match=said):
            ops.overwrite(a, b)

    def test_nothing_of_a_stays(self):
        a, b = Tensor(A, requires_grad=True), Tensor(np.ones((2, 1)), requires_grad=True)
        ops.overwrite(a, b).sum().backward()
        np.testing.assert_array_equal(a.grad.data, np.zeros((2, 3)))
        np.testing.assert_array_equal(b.grad.data, np.full((2, 1), 3.0))


KEYS = [
    0, (1, -1), slice(1), (slice(None), slice(None, None, -2)), ..., (..., 0), None,
    np.array([True, False]), A > 2, [1, 0], ([0, 1], [2, 2]), (slice(None), [0, 2]), [], [[1], [0]],
]  # fmt: skip


class TestPut:
    @pytest.mark.parametrize("key", KEYS, ids=repr)
    def test_as_numpy_sets(self, key):
        index, arrays = normal_index(key, A.ndim)
        for b in (7.0, np.random.default_rng(0).normal(size=A[key].shape)):
            expected = A.copy()
            expected[key] = b
            np.testing.assert_array_equal(ops.put(A, b, *arrays, index=index), expected)

    def test_in_a_static_graph(self):
        builder = GraphBuilder()
        a, b = builder.placeholder((None, 3)), builder.placeholder((3,))
        graph = builder.graph([ops.put(a, b, index=(0, Span()))], [a, b])
        (found,) = run(graph, A, np.full(3, 9.0))
        assert found.tolist() == [[9, 9, 9], [3, 4, 5]]

    def test_a_place_written_twice_keeps_what_came_last_and_its_gradient(self):
        a, b = (Tensor(np.zeros(3), requires_grad=True), Tensor([1.0, 2.0], requires_grad=True))
        y = ops.put(a, b, np.array([1, 1]), index=(ARRAY,))
        assert y.data.tolist() == [0, 2, 0]
        for slope, expected in zip(grad((y * y).sum(), (a, b)), ([0, 0, 0], [0, 4]), strict=True):
            assert slope.data.tolist() == expected

    @pytest.mark.parametrize(
        ("b", "arrays", "index", "kind", "said"),
        [
            (np.ones(2), (), (0, Span()), ShapeError, r"put cannot put shape \(2,\) into \(3,\)"),
            (1.0, (), (5, Span()), ShapeError, "index 5 lies outside axis 0 of size 2"),
            (
                1.0,
                (np.array([4]),),
                (ARRAY, Span()),
                ShapeError,
                "place 4 lies outside axis 0",
            ),
            (1.0, (np.array([0.5]),), (ARRAY, Span()), DtypeError, "ints or booleans"),
        ],
    )
    def test_what_does_not_fit(self, b, arrays, index, kind, said):
        with pytest.raises(kind, match=said):
            ops.put(Tensor(A), b, *arrays, index=index)

    def test_dtypes_must_fit(self):
        with pytest.raises(DtypeError, match="put cannot put float64 into int64"):
            ops.put(np.arange(3), 0.5, index=(0,))


def test_what_lasts():
    places = np.array([0, 1, 0, 2])
    found = ops.lasting(places, shape=(3,), index=(ARRAY,))
    assert found.tolist() == [False, True, True, True]
