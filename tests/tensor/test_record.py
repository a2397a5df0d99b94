"""What is recorded when an operator meets Tensors: only what a gradient will read, with versions.

    b = x * 2.0     mul ── saved: 2.0 for x's gradient, not x itself: nobody asks for 2.0's

Writing in place is tested in test_inplace.py.
"""

import gc
import weakref

import numpy as np
import pytest

from cgkit import DtypeError, GradientError, Operator, ShapeError, Tensor, no_grad, ops
from cgkit.node import LEAF, MultiOperator
from cgkit.types import TensorType


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


class TestMaking:
    def test_a_foreign_order_of_bytes_is_turned(self):
        x = Tensor(np.array([1.0, 2.0], ">f8"))
        assert x.dtype.isnative
        assert x.numpy().tolist() == [1, 2]

    def test_a_masked_array_is_refused(self):
        with pytest.raises(DtypeError, match="masked array"):
            Tensor(np.ma.masked_array([1.0, 2.0], [False, True]))

    def test_data_are_copied(self):
        array = np.ones(2)
        x = Tensor(array)
        array[0] = 5
        assert x.data.tolist() == [1, 1]
        assert Tensor(x).data is not x.data

    @pytest.mark.parametrize(
        ("data", "shape", "dtype"),
        [
            (3, (), "int64"),
            (3.0, (), "float64"),
            (True, (), "bool"),
            ([], (0,), "float64"),
            ([[1, 2], [3, 4.5]], (2, 2), "float64"),
            (np.float32(1), (), "float32"),
            (range(3), (3,), "int64"),
            (np.arange(6).reshape(2, 3).T[::-1], (3, 2), "int64"),
        ],
    )
    def test_what_makes_a_tensor(self, data, shape, dtype):
        x = Tensor(data)
        assert (x.shape, x.dtype) == (shape, np.dtype(dtype))
        np.testing.assert_array_equal(x.data, data)

    @pytest.mark.parametrize(
        ("data", "dtype", "kind", "said"),
        [
            ("abc", None, DtypeError, "real numbers, not <U3"),
            (None, None, DtypeError, "real numbers, not NoneType: None"),
            (1j, None, DtypeError, "not complex128"),
            ([[1], [2, 3]], None, ShapeError, "unlike lengths"),
            (300, "int8", DtypeError, "300"),
            (1, "nope", DtypeError, "nope"),
            ("a", "float64", DtypeError, "could not convert"),
            (10**30, None, DtypeError, r"10+\n.*too large for a whole number of 64 bits"),
        ],
    )
    def test_what_makes_none(self, data, dtype, kind, said):
        with pytest.raises(kind, match=said):
            Tensor(data, dtype=dtype)

    def test_integers_have_no_slope(self):
        with pytest.raises(DtypeError, match="only floating tensors require grad, this one is int"):
            Tensor([1], requires_grad=True)


class TestWhatIsRecorded:
    def test_a_leaf_and_what_is_made_of_it(self):
        x = T([1.0])
        assert x.is_leaf
        assert x.grad_fn is None
        y = x * 2.0
        assert not y.is_leaf
        assert y.grad_fn.operator is ops.mul
        assert next(y.grad_fn.producers).operator is LEAF
        assert list(y.grad_fn.producers) == [x.edge.node]

    @pytest.mark.parametrize(
        "make",
        [
            lambda x: x > 0.0,
            lambda x: x == x,
            lambda x: ops.cast(x, dtype="int32"),
            lambda x: x.detach(),
            lambda x: Tensor([1.0]) * 2.0,
            lambda x: Tensor([1, 2]) + Tensor([2, 3]),
        ],
    )
    def test_results_without_a_way_back(self, make):
        y = make(T([1.0]))
        assert not y.requires_grad
        assert y.is_leaf
        assert y.grad_fn is None

    def test_nothing_is_recorded_in_no_grad(self):
        x = T([1.0])
        with no_grad():
            for y in (x * 2.0, ops.exp(x), x.sum(), ops.where(x > 0.0, x, 0.0), x[0]):
                assert y.edge is None

    def places(self, y):
        return y.grad_fn.saved[::4]

    def test_what_is_saved_depends_on_who_wants_a_gradient(self):
        x, w, c = T([1.0]), T([2.0]), Tensor([3.0])
        assert self.places(x * w) == (0, 1)
        assert self.places(x * c) == (1,)
        assert self.places(c * x) == (0,)
        assert self.places(x + w) == ()
        assert self.places(ops.exp(x)) == (-1,)
        assert self.places(x / w) == (0, 1)
        assert self.places(x / c) == (1,)
        assert self.places(x.sum()) == ()
        assert self.places(ops.where(x > 0.0, x, w)) == (0,)

    def test_memory_held_is_what_is_saved(self):
        def held(step, n=50):
            x, alive = T(np.ones(1000)), []
            for _ in range(n):
                x = step(x)
                alive.append(weakref.ref(x.data))
            return sum(ref() is not None for ref in alive)

        numbers = np.ones(1000)
        assert held(lambda x: x + 1.0) == 1
        assert held(lambda x: x * 2.0) == 1
        assert held(lambda x: x + numbers) == 1
        assert held(lambda x: x * Tensor(numbers)) == 1
        assert held(ops.tanh) == 50
        assert held(lambda x: x * x) == 50

    def test_an_array_of_the_users_may_change_afterwards(self):
        x, w = T([2.0]), np.array([3.0])
        y = x * w
        w[0] = 100
        y.backward()
        assert x.grad.data.tolist() == [3]

    @pytest.mark.parametrize(
        "other", [[1.0, 2.0], (1.0, 2.0), np.float64(2), np.array([1, 2]), 2, True]
    )
    @pytest.mark.parametrize("operator", [ops.add, ops.mul, ops.div, ops.maximum, ops.pow])
    def test_any_other_operand_will_do(self, operator, other):
        x = T([1.5, 2.5])
        operator(x, other).sum().backward()
        y = T([1.5, 2.5])
        operator(y, Tensor(other, dtype="float64")).sum().backward()
        np.testing.assert_allclose(x.grad.data, y.grad.data)

    def test_an_operator_of_several_results(self):
        def halves(a):
            return a[: len(a) // 2].copy(), a[len(a) // 2 :].copy()

        def back(g, y, a):
            parts = [g.get(i, np.zeros(a.shape[0] // 2)) for i in (0, 1)]
            return ops.concat(*parts)

        split = MultiOperator(
            "halves", halves, lambda a: (TensorType((a.shape[0] // 2,), a.dtype),) * 2,
            gradient=(back,),
        )  # fmt: skip
        x = T([1.0, 2.0, 3.0, 4.0])
        low, high = split(x)
        assert (low.edge.index, high.edge.index) == (0, 1)
        assert low.grad_fn is high.grad_fn
        (high * high).sum().backward()
        assert x.grad.data.tolist() == [0, 0, 6, 8]
        x.grad = None
        low, high = split(x)
        (low.sum() + (high * 2.0).sum()).backward()
        assert x.grad.data.tolist() == [1, 1, 2, 2]


class TestMemory:
    def test_views_share_memory_and_version(self):
        x = T(np.arange(4.0)) * 1.0
        for view in (x.reshape(2, 2), x.T, x[1:], x[0], x[...], x[None], x.reshape(2, 2).T):
            assert np.shares_memory(view.data, x.data)
            assert view.version is x.version
        wide, same = ops.broadcast_to(x, shape=(2, 4)), ops.sum_to(x, shape=(4,))
        for other in (x + 0.0, x[[0, 1]], wide, same):
            assert not np.shares_memory(other.data, x.data)
            assert other.version is not x.version

    def test_an_operator_that_gives_back_its_operand_makes_a_view(self):
        same = Operator("same", lambda a: a, lambda a: a, gradient=(lambda g, y, a: g,))
        x = T([1.0]) * 1.0
        for y in (same(x), x.unary(same, x)):
            assert y.data is not x.data
            assert y.version is x.version
            with pytest.raises(GradientError, match="view"):
                y.add_(1.0)

    def test_many_views_of_one_tensor_cost_no_square(self):
        x = Tensor(np.zeros(20_000))
        rows = list(x)  # 20,000 views alive at once: a square would take minutes
        assert len(x.version) == len(rows) + 2
        del rows
        x.add_(1.0)
        assert x[0].item() == 1

    def test_reference_counting_alone_frees_a_graph(self):
        gc.collect()
        gc.disable()
        try:
            x = T(np.ones(1000))
            y = ops.tanh(ops.tanh(x))
            kept = weakref.ref(next(y.grad_fn.producers).saved[1])
            s = y.sum()
            s.backward()
            assert kept() is None  # freed on the way, though s is alive
            z = ops.tanh(x * 2.0) + x
            node = weakref.ref(z.grad_fn)
            b = z.reshape(10, 100)[1:].T * 1.0
            b.mul_(3.0)
            b.retain_grad()
            b.register_hook(lambda g: None)
            del z, b
            assert node() is None
            assert gc.collect() == 0
        finally:
            gc.enable()


def test_size_one_and_empty_arrays_with_negative_strides():
    for array in (np.ones(1)[::-1], np.ones((0, 3))[::-1, ::-1], np.ones((1, 3))[:, ::-1]):
        x = Tensor.wrap(array).requires_grad_()
        (ops.exp(x) * x.T.T).sum().backward()
        assert x.grad.shape == array.shape


def test_a_class_of_ones_own_takes_part():
    class Parameter(Tensor):
        pass

    w = Parameter([1.0, 2.0], requires_grad=True)
    y = (w * 2.0 + ops.exp(w) - w.reshape(2) @ w).sum()
    y.backward()
    x = T([1.0, 2.0])
    (x * 2.0 + ops.exp(x) - x.reshape(2) @ x).sum().backward()
    np.testing.assert_array_equal(w.grad.data, x.grad.data)
    with pytest.raises(GradientError, match="leaf"):
        w.add_(1.0)
    view = w.T
    assert view.version is w.version


def test_operands_mix_from_both_sides():
    x = T([1.0, 2.0])
    a = np.array([3.0, 4.0])
    for y, expected in (
        (a + x, [4, 6]), (a - x, [2, 2]), (a * x, [3, 8]), (a / x, [3, 2]), (a**x, [3, 16]),
        (np.float64(2) * x, [2, 4]), (a @ x, 11), (2 - x, [1, 0]), (2 / x, [2, 1]), (2**x, [2, 4]),
    ):  # fmt: skip
        assert isinstance(y, Tensor)
        assert y.requires_grad
        np.testing.assert_allclose(y.data, expected)
    for y, expected in ((a > x, [True, True]), (a == x, [False, False]), (a <= x, [False, False])):
        assert y.data.tolist() == expected


def test_complex_numbers_are_refused_where_a_gradient_is_wanted():
    with pytest.raises(DtypeError, match="complex"):
        T([1.0]) * 1j
