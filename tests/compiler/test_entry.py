"""A compiled form: when it serves, and its gradients."""

import inspect

import numpy as np
import pytest

from cgkit import GradientError, Tensor, grad, no_grad, ops
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
