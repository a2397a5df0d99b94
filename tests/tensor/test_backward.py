"""Going backward: gradients, seeds, what is freed, higher orders, and modes.

The law to the letter: every check comes before the first change, and what a node saved is freed as
the sweep passes it. What `grad` adds, and whose order is followed: test_grad.py.
"""

import threading
import weakref

import numpy as np
import pytest

from cgkit import GradientError, Operator, ShapeError, Tensor, grad, no_grad, ops


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


class TestGradients:
    def test_reuse(self):
        a = T(1.0)
        b = a + a
        (b + b).backward()
        assert a.grad.item() == 4
        x = T(3.0)
        (x * x).backward()
        assert x.grad.item() == 6

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ((1,), (5, 4)), ((4, 1), (1, 4)), ((), (2,)), ((0, 3), (3,)), ((3, 1), (4,)),
            ((3, 1), ()), ((1, 1), (1,)), ((0,), (1,)), ((2, 0, 1), (1, 3)),
        ],
    )  # fmt: skip
    def test_unbroadcast(self, a, b):
        x, y = T(np.ones(a)), T(np.full(b, 2.0))
        (x * y).sum().backward()
        size = np.prod(np.broadcast_shapes(a, b))
        for point, slope in ((x, 2.0), (y, 1.0)):
            assert point.grad.shape == point.shape
            np.testing.assert_array_equal(point.grad.data, slope * size / max(1, point.size))

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_a_gradient_has_the_dtype_of_its_leaf(self, dtype):
        x = Tensor(np.ones(2), dtype=dtype, requires_grad=True)
        (x * 2.0 + x * np.float64(3) + ops.exp(x) * Tensor([1.0, 2.0])).sum().backward()
        assert x.grad.dtype == dtype

    def test_leaves_collect_and_what_lies_between_does_not(self):
        x = T(2.0)
        y = x * x
        z = y * y
        z.backward(retain_graph=True)
        once = x.grad.item()
        z.backward()
        assert x.grad.item() == 2 * once
        assert y.grad is None

    def test_a_leaf_is_its_own_gradient(self):
        x = T(3.0)
        x.backward()
        x.backward()
        assert x.grad.item() == 2

    def test_two_leaves_never_share_one_gradient(self):
        a, b = T([1.0]), T([1.0])
        for create in (False, True):
            a.grad = b.grad = None
            (a + b).backward(create_graph=create)
            a.grad.mul_(10.0)
            assert b.grad.item() == 1
            first, second = grad(a + b, (a, b), create_graph=create)
            first.mul_(10.0)
            assert second.item() == 1

    def test_the_seed_stays_the_callers(self):
        x, seed = T([1.0, 2.0]), np.ones(2)
        (x + 0.0).backward(seed)
        x.backward(seed)
        x.grad.mul_(5.0)
        assert seed.tolist() == [1, 1]


class TestSeeds:
    def test_only_one_element_needs_none(self):
        with pytest.raises(GradientError, match="implicitly created only for scalar outputs"):
            (T([1.0, 2.0]) * 2.0).backward()
        (T([[1.0]]) * 2.0).backward()

    @pytest.mark.parametrize("seed", [np.ones(()), np.ones(1), np.ones((2, 1)), 1.0, [1.0]])
    def test_they_never_broadcast(self, seed):
        with pytest.raises(ShapeError, match=r"seed has shape .*the output \(2,\)"):
            (T([1.0, 2.0]) * 2.0).backward(seed)

    @pytest.mark.parametrize("seed", [[1.0, 10.0], np.array([1, 10]), Tensor([1.0, 10.0]), (1, 10)])
    def test_what_may_be_one(self, seed):
        x = T([1.0, 2.0])
        (x * x).backward(seed)
        assert x.grad.data.tolist() == [2, 40]

    def test_one_for_each_output(self):
        x = T([1.0, 2.0])
        (g,) = grad((x * 2.0, x.sum()), x, ([1.0, 2.0], 10.0))
        assert g.data.tolist() == [12, 14]
        wide, narrow = x * 2.0, ops.cast(x, dtype="float32").sum()
        (g,) = grad((wide, narrow), x, (np.ones(2), None))
        assert g.data.tolist() == [3, 3]
        with pytest.raises(GradientError, match="2 outputs need as many seeds, got 1"):
            grad((x * 2.0, x.sum()), x, [None])


class TestFreed:
    def test_a_second_time_is_an_error_where_something_was_saved(self):
        for make in (lambda x: x * x, lambda x: x * 3.0, ops.exp, lambda x: x / 2.0, ops.max):
            y = make(T(2.0))
            y.backward()
            with pytest.raises(GradientError, match="Trying to backward through the graph a"):
                y.backward()

    def test_and_is_legal_where_nothing_was(self):
        for make in (lambda x: x + x, lambda x: x.sum(), lambda x: -x, lambda x: x.reshape(1)):
            x = T(2.0)
            y = make(x)
            y.backward()
            once = x.grad.item()
            y.backward()
            assert x.grad.item() == 2 * once

    def test_the_error_comes_before_anything_is_collected(self):
        x, w = T(2.0), T(5.0)
        y = x * x + w
        y.backward()
        for _ in range(2):
            with pytest.raises(GradientError, match="second time"):
                y.backward()
        assert w.grad.item() == 1

    def test_so_does_the_error_of_a_version(self):
        w, k = T([5.0]), T([2.0])
        b = k * 1.0
        y = b * b + w
        b.add_(1.0)
        with pytest.raises(GradientError, match="version 1"):
            y.backward()
        assert w.grad is None

    def test_it_depends_on_who_wanted_a_gradient(self):
        c, h = Tensor(3.0), T(2.0) + 1.0
        y = h * c  # h itself is not saved, c is
        h.add_(1.0)
        y.backward()

    def test_freed_as_the_sweep_goes(self):
        x = T(np.ones(1000))
        y = ops.tanh(ops.tanh(x))
        inner = weakref.ref(next(y.grad_fn.producers).saved[1])
        total = y.sum()
        total.backward()
        assert inner() is None

    def test_only_what_was_gone_through_is_freed(self):
        x, w = T(2.0), T(3.0)
        y = x * x
        z = y * w
        grad(z, y)
        y.backward()
        assert x.grad.item() == 4
        y = x * x
        z = y * w
        grad(z, w)
        x.grad = None
        y.backward()
        assert x.grad.item() == 4
        with pytest.raises(GradientError, match="second time"):
            z.backward()

    def test_retaining(self):
        y = T(2.0) * T(3.0)
        y.backward(retain_graph=True)
        y.backward(create_graph=True)
        y.backward(retain_graph=False, create_graph=True)
        with pytest.raises(GradientError, match="second time"):
            y.backward()


class TestHigherOrders:
    def test_second(self):
        x = T(3.0)
        (x * x * x).backward(create_graph=True)
        slope = x.grad
        x.grad = None
        slope.backward()
        assert (slope.item(), x.grad.item()) == (27, 18)

    def test_third_and_fourth(self):
        x = T(2.0)
        g = x**4.0
        for expected in (32, 48, 48, 24):
            (g,) = grad(g, x, create_graph=True)
            assert g.item() == pytest.approx(expected)

    def test_a_gradient_made_in_no_grad_can_still_be_recorded(self):
        x = T(3.0)
        y = x * x
        with no_grad():
            (slope,) = grad(y, x, create_graph=True)
            assert slope.requires_grad
            assert not (x * 2.0).requires_grad
        assert grad(slope, x)[0].item() == 2

    def test_without_create_graph_it_is_plain(self):
        x = T(3.0)
        (slope,) = grad(x * x, x)
        assert not slope.requires_grad
        (x * x).backward()
        assert not x.grad.requires_grad

    def test_what_was_saved_before_a_write_is_what_is_differentiated(self):
        k, w = T([5.0]), T([2.0])
        b = k + 0.0
        b.mul_(w)  # keeps a copy of the old b
        g, h = grad(b, (k, w), create_graph=True)
        assert (g.item(), h.item()) == (2, 5)
        assert grad(h, k)[0].item() == 1


class TestModes:
    def test_no_grad_ends_with_its_block_and_with_an_error(self):
        x = T(1.0)
        with no_grad(), no_grad():
            assert not (x * 2.0).requires_grad
        with pytest.raises(ZeroDivisionError), no_grad():
            1 / 0  # noqa: B018
        assert (x * 2.0).requires_grad

    def test_as_a_decorator(self):
        @no_grad()
        def act(x):
            return x * 2.0

        assert not act(T(1.0)).requires_grad
        assert not act(T(1.0)).requires_grad

    def test_other_threads_do_not_see_it(self):
        seen = []
        with no_grad():
            thread = threading.Thread(target=lambda: seen.append((T(1.0) * 2.0).requires_grad))
            thread.start()
            thread.join()
        assert seen == [True]

    def test_an_error_in_a_rule_leaves_the_mode_and_says_where(self):
        def fails(g, y, a):
            raise ValueError("no slope today")

        bad = Operator("bad", np.exp, ops.exp.infer, gradient=(fails,))
        x = T(1.0)
        with pytest.raises(ValueError, match="no slope today") as caught:
            bad(x).backward()
        assert caught.value.__notes__ == ["  in the gradient of bad"]
        assert (x * 2.0).requires_grad

    def test_no_warnings_on_the_way_back(self):
        x = T([0.0, np.inf])
        with np.errstate(all="ignore"):
            y = (ops.sqrt(x) * ops.log(x)).sum()
        y.backward()  # warnings are errors in these tests
        assert np.isnan(x.grad.data).any()


def test_an_operand_that_is_not_saved_has_a_shape_but_no_numbers():
    shaped = Operator(
        "shaped", np.add, ops.add.infer,
        gradient=(lambda g, y, a, b: g * float(b.shape[0]), lambda g, y, a, b: g * float(a.ndim)),
    )  # fmt: skip
    x, y = T(np.ones(3)), T(np.ones(3))
    shaped(x, y).sum().backward()
    assert (x.grad.data[0], y.grad.data[0]) == (3, 1)
    greedy = Operator("greedy", np.add, ops.add.infer, gradient=(lambda g, y, a, b: g * b, None))
    with pytest.raises(TypeError, match="Edge"):
        greedy(x, y).sum().backward()
