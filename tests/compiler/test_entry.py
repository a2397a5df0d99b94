"""A compiled form: when it serves, and its gradients."""

import inspect

import numpy as np
import pytest

from cgkit import GradientError, Tensor, compile, cond, grad, no_grad, ops
from cgkit.compiler.entry import Entry
from cgkit.compiler.facts import call_of, facts_of
from cgkit.compiler.tracing import trace_call


def entry_of(fn, opened=(), **arguments):
    call = call_of(arguments)
    traced = trace_call(fn, inspect.signature(fn), call, lambda *spot: spot in opened)
    guards = {f: v for f, v in facts_of(call).items() if not f[1].startswith("size")}
    return Entry(traced, traced.graph, guards, "fn", known=facts_of(call))


def called(entry, arguments):
    return entry(entry.inputs(entry.arguments(call_of(arguments)), ()))


def test_failures_in_words():
    entry = entry_of(lambda x: x * 2.0 if x.shape[0] < 9 else x, [("x", 0)], x=Tensor([1.0] * 4))

    def failures(x):
        call = call_of({"x": x})
        return entry.failures(call, facts_of(call))

    assert failures(Tensor([1.0] * 7)) == []
    assert failures(Tensor([1.0] * 9)) == ["the size N < 9 was True, is False"]
    assert failures(Tensor([1.0])) == [
        "x: size 0 was open, is 1, which is always a case of its own"
    ]
    assert failures(Tensor([1] * 4)) == ["x: dtype was float64, is int64"]


def test_sizes_that_were_equal_must_stay_equal():
    x, y = Tensor([1.0] * 4), Tensor([1.0] * 4)
    entry = entry_of(lambda x, y: x + y, [("x", 0), ("y", 0)], x=x, y=y)
    call = call_of({"x": Tensor([1.0] * 3), "y": Tensor([1.0] * 2)})
    (wrong,) = entry.failures(call, facts_of(call))
    assert wrong == "y: size 0 was equal to another size, 3, is 2"


def test_one_node_with_a_way_back():
    x = Tensor([1.0, 2.0], requires_grad=True)
    entry = entry_of(lambda x: (ops.exp(x) * x, x.sum(), ops.argmax(x)), x=x)
    product, total, place = called(entry, {"x": x})
    assert product.grad_fn is total.grad_fn
    assert product.grad_fn.operator.name == "compiled fn"
    assert (place.requires_grad, place.item()) == (False, 1)
    (product.sum() + total * 3.0).backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(x.data) * (1 + x.data) + 3)
    with pytest.raises(GradientError, match="a second time"):
        product.sum().backward()


def test_gradients_of_gradients():
    x = Tensor(3.0, requires_grad=True)
    entry = entry_of(lambda x: x * x * x, x=x)
    (first,) = grad(called(entry, {"x": x}), x, create_graph=True)
    (second,) = grad(first, x, create_graph=True)
    assert (first.item(), second.item(), grad(second, x)[0].item()) == (27, 18, 6)


def test_nothing_is_recorded_where_nothing_is_wanted():
    x = Tensor([1.0], requires_grad=True)
    entry = entry_of(lambda x: x * 2.0, x=x)
    with no_grad():
        assert not called(entry, {"x": x}).requires_grad
    plain = entry_of(lambda x: x * 2.0, x=Tensor([1.0]))
    assert called(plain, {"x": Tensor([2.0])}).is_leaf


def test_a_write_after_the_call_is_noticed():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x * 1.0
    entry = entry_of(lambda y: y * y, y=y)
    z = called(entry, {"y": y})
    with no_grad():
        y.add_(1.0)
    with pytest.raises(GradientError, match="at version 1; expected version 0"):
        z.sum().backward()


def test_a_write_that_the_way_back_does_not_read():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x * 1.0
    entry = entry_of(lambda y: y + y, y=y)
    z = called(entry, {"y": y})
    with no_grad():
        y.add_(1.0)
    z.sum().backward()
    assert x.grad.numpy().tolist() == [2, 2]


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x[:2] * 2.0, lambda x: x.sum() * 3.0, lambda x: x.mean() * x.mean(),
        lambda x: x.reshape(-1)[1:3] * 2.0, lambda x: x[0] * x[0], lambda x: x.reshape(-1),
        lambda x: grad((x * x).sum(), x, create_graph=True)[0].mean(),
        lambda x: cond(x.sum() > 0.0, lambda: x[:2].sum(), lambda: (x * x).mean()),
    ],
)  # fmt: skip
def test_gradients_through_open_sizes(fn):
    ready = compile(fn, dynamic=True)
    for rows in (4, 2, 7):
        numbers = np.random.default_rng(rows).normal(size=(rows, 3))
        found = []
        for act in (ready, fn):
            x = Tensor(numbers, requires_grad=True)
            (first,) = grad((act(x) * act(x)).sum(), x, create_graph=True)
            (second,) = grad((first * first).sum(), x)
            (act(x) * act(x)).sum().backward()
            found.append((first, second, x.grad))
        for ours, theirs in zip(*found, strict=True):
            np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-12)
    assert (len(ready.entries) <= 2, ready.eager_calls) == (True, 0)


def test_no_gradient_goes_back_through_gradients_unless_it_is_asked_to():
    def fn(x, w, create):
        (slope,) = grad((w * w * x).sum(), w, create_graph=create)
        return (slope * w).sum()

    for act in (fn, compile(fn)):
        w = Tensor([3.0], requires_grad=True)
        x = Tensor([5.0])
        assert [grad(act(x, w, create), w)[0].item() for create in (False, True)] == [30, 60]


def test_a_write_that_is_recorded_and_one_that_is_not():
    def fn(x, w):
        x.mul_(w)
        with no_grad():
            x.add_(1.0)
        x.mul_(w)

    for act in (fn, compile(fn)):
        x, w = Tensor([5.0]), Tensor([3.0], requires_grad=True)
        act(x, w)
        assert (x.item(), x.requires_grad) == (48, True)
        x.sum().backward()
        assert w.grad.item() == 16 + 3 * 5


@pytest.mark.parametrize("create", [False, True])
def test_operands_that_are_written_to_after_the_call(create):
    ready = compile(lambda x, w, b: ((w * w).sum() * x * x + b).sum())
    x, w, b = Tensor([2.0], requires_grad=True), Tensor([3.0]), Tensor([1.0])
    y = ready(x, w, b)
    b.mul_(7.0)
    assert grad(y, x, create_graph=create, retain_graph=True)[0].item() == 36
    w.mul_(10.0)
    if not create:
        assert grad(y, x)[0].item() == 36  # (w * w).sum() was kept
        return
    with pytest.raises(GradientError, match=r"reads again \(operand 1 .* version 1; expected ver"):
        grad(y, x, create_graph=True)
    y = ready(x, w, b)
    (first,) = grad(y, x, create_graph=True)
    w.mul_(10.0)
    assert grad(first, x)[0].item() == 1800
