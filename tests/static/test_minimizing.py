"""A step of training in a graph equals the same rule applied by hand."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Session, Tensor, grad
from cgkit.errors import CaptureError, GradientError, OperandError
from cgkit.optimizers import SGD, Adam, RMSProp
from cgkit.static import minimize

RNG = np.random.default_rng(1)
X, Y, W = RNG.normal(size=(8, 3)), RNG.normal(size=(8,)), RNG.normal(size=(3,))


def loss_of(x, y, w):
    difference = x @ w - y
    return (difference * difference).mean()


@pytest.mark.parametrize("optimizer", [SGD(0.1), SGD(0.1, momentum=0.9), Adam(0.05), RMSProp(0.01)])
def test_graph_and_hand_agree_to_the_last_bit(optimizer):
    builder = GraphBuilder()
    x, y = builder.placeholder((None, 3), name="x"), builder.placeholder((None,), name="y")
    w = builder.variable(W, name="w")
    loss = loss_of(x, y, w)
    step = minimize(loss, optimizer)
    session = Session(builder)
    by_hand, state = Tensor(W, requires_grad=True), optimizer.initial(W)
    for _ in range(5):
        value, nothing = session.run([loss, step], {x: X, y: Y})
        expected = loss_of(Tensor(X), Tensor(Y), by_hand)
        (slope,) = grad(expected, by_hand)
        new, state = optimizer.update(by_hand.data, slope.data, state)
        by_hand = Tensor(new, requires_grad=True)
        assert nothing is None
        assert value == expected.numpy()
        np.testing.assert_array_equal(session.run(w), new)


def test_what_is_moved():
    builder = GraphBuilder()
    a, b = builder.variable(1.0, name="a"), builder.variable(1.0, name="b")
    fixed = builder.variable(1.0, name="fixed", trainable=False)
    loss = a * a + b * b + fixed * fixed
    session = Session(builder)
    session.run(minimize(loss, SGD(0.5)))
    assert [float(v) for v in session.run([a, b, fixed])] == [0, 0, 1]
    session.run(minimize(loss, SGD(0.5), fixed))
    assert float(session.run(fixed)) == 0


def test_errors():
    builder = GraphBuilder()
    w, other = builder.variable(1.0, name="w"), builder.variable(1.0, name="other")
    with pytest.raises(GradientError, match="does not depend on the variable other"):
        minimize(w * w, SGD(0.1), [w, other])
    with pytest.raises(GradientError, match="nothing to minimize by"):
        minimize(builder.placeholder(()) * 1.0, SGD(0.1))
    with pytest.raises(CaptureError, match="not Tensor"):
        minimize(Tensor(1.0), SGD(0.1))
    for optimizer in (0.1, SGD):
        with pytest.raises(OperandError, match="minimize takes an optimizer, not"):
            minimize(w * w, optimizer)
    with pytest.raises(OperandError, match="stands twice"):
        minimize(w * w, SGD(0.1), [w, w])


def test_a_rate_that_is_fed():
    builder = GraphBuilder()
    w, rate = builder.variable(5.0, name="w"), builder.placeholder((), name="rate")
    with pytest.raises(OperandError, match=r"SGD\(lambda step: rate\)"):
        SGD(rate)
    step, session = minimize(w * w, SGD(lambda step: rate)), Session(builder)
    for fed, after in ((0.25, 2.5), (0.5, 0.0)):
        session.run(step, {rate: fed})
        assert session.run(w) == after
