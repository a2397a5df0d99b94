"""grad gives gradients and touches no leaf; an order of the caller's own is checked first.

grad(z, [x, y])     only through nodes that lead to x or y; nothing else is computed or freed
"""

import numpy as np
import pytest

from cgkit import GradientError, GraphError, Operator, Tensor, grad, ops, topological_order
from cgkit.errors import CycleError


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


class TestGrad:
    def test_no_leaf_is_touched(self):
        x, w = T(2.0), T(3.0)
        assert [g.item() for g in grad(x * w, [x, w])] == [3, 2]
        assert x.grad is w.grad is None

    def test_what_lies_between(self):
        x = T(2.0)
        y = x * x
        z = y * y * x
        a, b, c = grad(z, (y, x, z))
        assert (a.item(), b.item(), c.item()) == (16, 80, 1)

    def test_the_same_twice(self):
        x = T([1.0, 2.0])
        a, b = grad(x.sum(), (x, x))
        assert a.data.tolist() == b.data.tolist() == [1, 1]

    def test_unused(self):
        x, w = T(2.0), T([1.0, 2.0])
        y = x * x
        with pytest.raises(GradientError, match="was not used in the graph"):
            grad(y, (x, w))
        assert [g and g.item() for g in grad(y, (x, w), allow_unused=True)] == [4, None]
        assert grad(x * x, (x, w), materialize_grads=True)[1].data.tolist() == [0, 0]

    def test_an_error_loses_nothing(self):
        x, w = T(2.0), T(3.0)
        y = x * x
        with pytest.raises(GradientError, match="not used"):
            grad(y, (x, w))
        y.backward()
        assert x.grad.item() == 4

    def test_zeros_can_be_differentiated_when_gradients_are_recorded(self):
        x, w = T(2.0), T(3.0)
        first = grad(x * x, (x, w), create_graph=True, materialize_grads=True)
        assert [g.requires_grad for g in first] == [True, True]
        second = grad(first[0] + first[1], (x, w), materialize_grads=True)
        assert [g.item() for g in second] == [2, 0]

    @pytest.mark.parametrize(
        ("outputs", "inputs", "said"),
        [
            (lambda x: Tensor(1.0), lambda x: x, "no operand of this tensor requires grad"),
            (lambda x: x * 2.0, lambda x: Tensor(1.0), "does not require grad"),
            (lambda x: [], lambda x: x, "at least one output"),
            (lambda x: x * 2.0, lambda x: [], "at least one input"),
            (lambda x: 3.0, lambda x: x, "grad takes Tensors, not float"),
            (lambda x: x * 2.0, lambda x: [x, np.ones(1)], "grad takes Tensors, not ndarray"),
        ],
    )
    def test_what_it_refuses(self, outputs, inputs, said):
        x = T(1.0)
        with pytest.raises(GradientError, match=said):
            grad(outputs(x), inputs(x))

    def test_hooks_are_heard(self):
        x = T(1.0)
        y = x * 2.0
        y.register_hook(lambda g: g * 5.0)
        assert [g.item() for g in grad(y * 3.0, (x, y))] == [30, 15]

    def test_several_roots_over_one_node(self):
        x = T(2.0)
        y = ops.exp(x)
        (g,) = grad((y, y * y), x)
        assert g.item() == pytest.approx(np.exp(2) + 2 * np.exp(4))


class TestNotComputed:
    def counting(self, calls):
        return Operator(
            "mm", np.matmul, ops.matmul.infer, saves=("b", "a"),
            gradient=(
                lambda g, y, a, b: calls.append("a") or ops.matmul(g, ops.transpose(b)),
                lambda g, y, a, b: calls.append("b") or ops.matmul(ops.transpose(a), g),
            ),
        )  # fmt: skip

    def test_for_an_operand_that_requires_no_grad(self):
        calls = []
        x, w = Tensor(np.ones((2, 3))), T(np.ones((3, 2)))
        self.counting(calls)(x, w).sum().backward()
        assert calls == ["b"]

    def test_for_an_operand_that_was_not_asked_for(self):
        calls = []
        x, w = T(np.ones((2, 3))), T(np.ones((3, 2)))
        (g,) = grad(self.counting(calls)(x, w).sum(), w)
        assert calls == ["b"]
        assert g.shape == (3, 2)

    def test_beyond_what_was_asked_for(self):
        calls = []
        x, w = T(np.ones((2, 3))), T(np.ones((3, 2)))
        inner = self.counting(calls)(x, w)
        grad((inner * 2.0).sum(), inner)
        assert calls == []


class TestOrders:
    def graph(self):
        x = T(2.0)
        a, b = x * 3.0, x * 4.0
        return x, a * b + a

    def test_any_right_order_gives_the_same(self):
        def other(root):
            # as good an order as the library's, but visiting operands from right to left
            seen, order = set(), []

            def visit(node):
                for producer in reversed(list(node.producers)):
                    if producer not in seen:
                        seen.add(producer)
                        visit(producer)
                order.append(node)

            visit(root)
            return order

        for order in (topological_order, other, lambda root: iter(other(root))):
            x, y = self.graph()
            y.backward(order=order)
            assert x.grad.item() == 51
            x, y = self.graph()
            assert grad(y, x, order=order)[0].item() == 51

    def test_nodes_of_another_graph_do_no_harm(self):
        x, y = self.graph()
        _, other = self.graph()
        other.backward()
        extra = topological_order(other.edge.node)
        y.backward(order=lambda root: [*extra, *topological_order(root)])
        assert x.grad.item() == 51

    @pytest.mark.parametrize(
        ("order", "said"),
        [
            (lambda root: topological_order(root)[::-1], "stands before"),
            (lambda root: topological_order(root)[1:], "is not listed"),
            (lambda root: topological_order(root)[:-1], "leaves out <node add>"),
            (lambda root: [], "leaves out <node add>"),
            (lambda root: topological_order(root) * 2, "stands twice"),
            (lambda root: None, "the order is None, not a list"),
            (lambda root: ["a"], "the order holds 'a', which is no node"),
        ],
    )
    def test_a_wrong_order_is_told_what_is_wrong(self, order, said):
        for act in (lambda y, x: y.backward(order=order), lambda y, x: grad(y, x, order=order)):
            x, y = self.graph()
            with pytest.raises(GraphError, match=said):
                act(y, x)
            assert x.grad is None
            y.backward()

    def test_a_cycle_is_named(self):
        _, y = self.graph()
        node = y.edge.node
        node.inputs = (*node.inputs, y.edge)
        with pytest.raises(CycleError, match="add"):
            y.backward(order=lambda root: topological_order(root))


class TestBackwardToSome:
    def test_only_these_grow(self):
        x, w = T(2.0), T(3.0)
        y = x * x
        (y * w).backward(inputs=[y, w])
        assert (y.grad.item(), w.grad.item(), x.grad) == (3, 4, None)
        (x * w).backward(inputs=w)
        assert (w.grad.item(), x.grad) == (6, None)

    def test_each_once(self):
        x = T(2.0)
        (x * x).backward(inputs=(x, x))
        assert x.grad.item() == 4

    def test_gradients_may_be_recorded(self):
        x = T(3.0)
        (x**3.0).backward(inputs=[x], create_graph=True)
        assert grad(x.grad, x)[0].item() == 18

    def test_what_is_refused(self):
        x, w = T(2.0), T([3.0, 4.0]).named("w")
        with pytest.raises(GradientError, match=r"input 1, w of shape \(2,\), was not used"):
            (x * x).backward(inputs=[x, w])
        with pytest.raises(GradientError, match=r"input 0, a tensor of shape .*does not require"):
            (x * x).backward(inputs=[Tensor(1.0)])
        with pytest.raises(GradientError, match="at least one input"):
            (x * x).backward(inputs=[])
        assert x.grad is None
