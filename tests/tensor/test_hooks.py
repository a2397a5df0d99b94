"""Hooks: who is called, when, in which order, with what, and what becomes of what it gives."""

import numpy as np
import pytest

from cgkit import DtypeError, GradientError, ShapeError, Tensor, grad, ops
from cgkit.errors import DeviceError


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


def test_a_hook_sees_the_whole_gradient_once():
    seen = []
    x = T([1.0])
    y = x * 2.0
    y.register_hook(lambda g: seen.append(g.item()))
    (y * 3.0 + y * 4.0).backward()
    assert seen == [7]
    assert x.grad.item() == 14


def test_hooks_may_replace_it_one_after_another():
    x = T([1.0])
    y = x * 2.0
    y.register_hook(lambda g: g * 10.0)
    y.register_hook(lambda g: g + 1.0)
    y.backward()
    assert x.grad.item() == 22
    x.register_hook(lambda g: g * 0.0)
    (x * 5.0).backward()
    assert x.grad.item() == 22


def test_a_hook_can_be_taken_away():
    x = T([1.0])
    remove = x.register_hook(lambda g: g * 10.0)
    remove()
    (x * 2.0).backward()
    assert x.grad.item() == 2


def test_a_hook_that_writes_into_its_gradient_spoils_nothing():
    a, b = T([1.0]), T([1.0])
    a.register_hook(lambda g: g.mul_(100.0) and None)
    (a + b).backward()
    assert (a.grad.item(), b.grad.item()) == (1, 1)


@pytest.mark.parametrize(
    ("give", "kind", "said"),
    [
        (lambda g: 3, GradientError, "a hook gives a Tensor or None, not int"),
        (lambda g: g.data, GradientError, "not ndarray"),
        (lambda g: Tensor([1.0, 2.0]), ShapeError, r"\(2,\), not \(1,\)"),
        (lambda g: ops.cast(g, dtype="float32"), DtypeError, "float32, not float64"),
    ],
)
def test_what_a_hook_may_give(give, kind, said):
    y = T([1.0]) * 2.0
    y.register_hook(give)
    with pytest.raises(kind, match=said):
        y.backward()


def test_a_hook_is_a_function():
    with pytest.raises(GradientError, match="a hook is a function of the gradient, not 3"):
        T([1.0]).register_hook(3)


def test_hooks_are_recorded_with_create_graph():
    x = T([2.0])
    y = x * x
    y.register_hook(lambda g: g * x)
    y.backward(create_graph=True)  # x.grad = 2x * x
    slope = x.grad
    x.grad = None
    slope.backward()
    assert (slope.item(), x.grad.item()) == (8, 8)


class TestOrder:
    def test_in_order_of_registration_and_what_keeps_comes_last(self):
        x = T([1.0])
        y = x * 2.0
        heard = []
        y.retain_grad()
        y.register_hook(lambda g: heard.append("first") or g * 10.0)
        y.register_hook(lambda g: heard.append("second") or g + 1.0)
        y.backward()
        assert heard == ["first", "second"]
        assert (y.grad.item(), x.grad.item()) == (11, 22)

    def test_the_reader_before_what_it_read(self):
        heard = []
        x = T([1.0])
        y = x * 2.0
        z = y * 3.0
        for name, tensor in (("x", x), ("y", y), ("z", z)):
            tensor.register_hook(lambda g, name=name: heard.append((name, g.item())))
        z.backward()
        assert heard == [("z", 1), ("y", 3), ("x", 6)]

    def test_on_a_leaf_before_its_gradient_grows(self):
        x = T([1.0])
        seen = []
        x.register_hook(lambda g: seen.append(x.grad))
        (x * 2.0).backward()
        assert seen == [None]
        assert x.grad.item() == 2

    def test_once_for_each_backward(self):
        x = T([1.0])
        calls = []
        x.register_hook(lambda g: calls.append(g.item()))
        y = x + x
        y.backward()
        y.backward()
        assert calls == [2, 2]


class TestTakingAway:
    def test_twice_is_once(self):
        x = T([1.0])
        double = lambda g: g * 2.0  # noqa: E731
        first, _ = x.register_hook(double), x.register_hook(double)
        first()
        first()
        (x * 1.0).backward()
        assert x.grad.item() == 2

    def test_while_hooks_run(self):
        x = T([1.0])
        calls = []
        removes = [x.register_hook(lambda g: calls.append("a") or removes[1]())]
        removes.append(x.register_hook(lambda g: calls.append("b")))
        for _ in range(2):
            (x * 1.0).backward()
        assert calls == ["a", "b", "a"]  # one that began is finished with

    def test_a_kept_gradient(self):
        x = T([1.0])
        y = x * 2.0
        y.retain_grad().release_grad()
        assert not y.retains_grad
        (y * 3.0).backward()
        assert y.grad is None


def test_the_hook_of_a_tensor_that_moved_on_stays_with_the_old_one():
    seen = []
    y = T([1.0]) * 2.0
    y.register_hook(lambda g: seen.append(g.item()))
    y.mul_(5.0)
    (y * 3.0).backward()
    assert seen == [15]  # the gradient of y before the write


def test_hooks_are_heard_by_grad_too():
    x = T([1.0])
    y = x * 2.0
    y.register_hook(lambda g: g * 5.0)
    (slope,) = grad(y * 3.0, x)
    assert slope.item() == 30
    assert x.grad is None


def test_an_error_in_a_hook_says_whose():
    def fails(gradient):
        raise ValueError("no")

    x = T([1.0]).named("weight")
    x.register_hook(fails)
    with pytest.raises(ValueError, match="no") as caught:
        (x * 2.0).backward()
    assert caught.value.__notes__ == ["  in a hook on the gradient of weight"]


def test_a_hook_may_not_move_a_gradient():
    x = T([1.0])
    x.register_hook(lambda g: g.to("npu"))
    with pytest.raises(DeviceError, match="a gradient on npu, not cpu"):
        (x * 2.0).backward()


def test_the_hooks_of_one_output_hear_nothing_of_another():
    x = T([[1.0, 2.0]])
    row = x[0]
    seen = []
    row.register_hook(lambda g: seen.append(g.data.tolist()))
    (x.sum() + row[1] * 3.0).backward()
    assert seen == [[0, 3]]
    np.testing.assert_array_equal(x.grad.data, [[1, 4]])
