"""What a tensor can be asked: facts, its gradient, numbers out; and Python's own questions."""

import copy
import pickle

import numpy as np
import pytest

from cgkit import DtypeError, GradientError, ShapeError, Tensor, no_grad, ops
from cgkit.errors import OperandError


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


class TestFacts:
    def test_of_an_array(self):
        x = Tensor(np.zeros((2, 3), "f4"))
        assert (x.shape, x.ndim, x.size, x.dtype, len(x)) == ((2, 3), 2, 6, np.float32, 2)
        assert x.device == "cpu"

    def test_being_told_apart_and_put_in_sets(self):
        x, y = Tensor(1.0), Tensor(1.0)
        assert len({x, y, x}) == 2
        assert (x == y).data.tolist() is True

    @pytest.mark.parametrize(
        ("x", "shown"),
        [
            (Tensor(1.0), "Tensor(1.)"),
            (Tensor([1, 2]), "Tensor([1, 2])"),
            (Tensor([1.0], dtype="float32"), "Tensor([1.], dtype=float32)"),
            (T(2.0), "Tensor(2., requires_grad=True)"),
            (T(2.0) * 3.0, "Tensor(6., grad_fn=mul)"),
            (Tensor([True]), "Tensor([ True])"),
            (Tensor([]), "Tensor([])"),
        ],
    )
    def test_repr(self, x, shown):
        assert repr(x) == shown

    def test_repr_of_a_large_tensor_is_short(self):
        assert len(repr(Tensor(np.zeros((1000, 1000))))) < 500


class TestGrad:
    def test_a_gradient_is_a_tensor_of_the_same_kind_or_none(self):
        x = T([1.0, 2.0])
        assert x.grad is None
        x.grad = Tensor([1.0, 1.0])
        (x * 2.0).sum().backward()
        assert x.grad.data.tolist() == [3, 3]
        x.grad = None
        assert x.grad is None

    @pytest.mark.parametrize(
        ("value", "kind", "said"),
        [
            (3, GradientError, "not int"),
            (np.ones(2), GradientError, "not ndarray"),
            (Tensor([1.0]), ShapeError, r"shape \(1,\) for a tensor of \(2,\)"),
            (Tensor([1.0, 2.0], dtype="float32"), DtypeError, "float32 for a tensor of float64"),
        ],
    )
    def test_nothing_else_is_taken(self, value, kind, said):
        x = T([1.0, 2.0])
        with pytest.raises(kind, match=said):
            x.grad = value

    def test_without_requires_grad_there_is_none(self):
        x = Tensor([1.0])
        assert x.grad is None
        for act in (
            lambda: setattr(x, "grad", None), x.retain_grad, lambda: x.register_hook(print)
        ):  # fmt: skip
            with pytest.raises(GradientError, match="requires no grad"):
                act()

    def test_requires_grad_makes_a_leaf_once(self):
        x = Tensor([1.0])
        assert x.requires_grad_() is x
        edge = x.edge
        assert x.requires_grad_().edge is edge
        y = x * 2.0
        assert y.requires_grad_() is y
        assert y.grad_fn is not None  # it was tracked already

    def test_retained_gradients_add_up_as_a_leafs_do(self):
        x = T([2.0])
        y = x * x
        assert not y.retains_grad
        assert y.retain_grad().retain_grad().retains_grad
        z = (y * y).sum()
        z.backward(retain_graph=True)
        assert y.grad.item() == 8
        z.backward()
        assert (y.grad.item(), x.grad.item()) == (16, 64)

    def test_a_retained_gradient_follows_a_write(self):
        y = T([2.0]) * 1.0
        y.retain_grad()
        y.mul_(5.0)
        (y * 3.0).backward()
        assert y.grad.item() == 3

    def test_retaining_a_leaf_changes_nothing(self):
        x = T([1.0]).retain_grad()
        (x * 2.0).backward()
        assert x.grad.item() == 2


class TestNumbersOut:
    def test_one_element(self):
        x = Tensor([[2.5]])
        assert (x.item(), float(x), int(x), bool(x)) == (2.5, 2.5, 2, True)
        assert type(Tensor(1).item()) is int
        assert "abc"[Tensor(1)] == "b"

    @pytest.mark.parametrize("act", [lambda x: x.item(), float, int])
    def test_several_elements_are_no_number(self, act):
        with pytest.raises(ShapeError, match=r"item\(\) needs one element, this tensor has 2"):
            act(Tensor([1.0, 2.0]))

    @pytest.mark.parametrize("data", [[], [1.0, 2.0]])
    def test_several_elements_are_neither_true_nor_false(self, data):
        with pytest.raises(ShapeError, match=r"neither true nor false\n.*x.all\(\) or x.any\(\)"):
            bool(Tensor(data) > 0.0)

    def test_only_integers_are_an_index(self):
        with pytest.raises(DtypeError, match="only an integer tensor is an index"):
            "abc"[Tensor(1.0)]

    def test_arrays(self):
        x = Tensor([1.0, 2.0])
        assert x.numpy() is not x.data
        np.testing.assert_array_equal(np.asarray(x), [1, 2])
        assert np.asarray(x, dtype="f4").dtype == np.float32
        y = x.requires_grad_()
        with pytest.raises(GradientError, match="does not turn into an array by itself"):
            np.asarray(y)
        assert y.numpy().tolist() == [1, 2]

    def test_rows(self):
        assert [row.item() for row in Tensor([1.0, 2.0])] == [1, 2]
        with pytest.raises(ShapeError, match="a single number has no length"):
            list(Tensor(1.0))
        x = T([[1.0, 2.0], [3.0, 4.0]])
        a, b = x
        (a * b).sum().backward()
        assert x.grad.data.tolist() == [[3, 4], [1, 2]]


def test_detach_and_no_grad_leave_the_data_where_they_are():
    x = T([1.0])
    assert x.detach().data is x.data
    with no_grad():
        y = x * 2.0
    assert not y.requires_grad
    assert (x * 2.0).requires_grad


class TestCopies:
    def test_a_leaf_copied_deeply_is_another_leaf(self):
        x = T([1.0, 2.0])
        x.sum().backward()
        y = copy.deepcopy({"w": [x, x, Tensor(1.0)]})["w"]
        assert y[0] is y[1]
        assert y[0].is_leaf
        assert y[0].grad.data.tolist() == [1, 1]
        assert not y[2].requires_grad
        (y[0] * 2.0).sum().backward()
        assert x.grad.data.tolist() == [1, 1]
        assert y[0].grad.data.tolist() == [3, 3]

    def test_what_a_graph_made_is_not_copied(self):
        with pytest.raises(GradientError, match="only a leaf can be copied"):
            copy.deepcopy(T(1.0) * 2.0)

    def test_operators_are_never_doubled(self):
        assert copy.copy(ops.add) is copy.deepcopy(ops.add) is ops.add
        assert pickle.loads(pickle.dumps(Tensor([1.0]))).data.tolist() == [1]
        with pytest.raises(OperandError, match="it holds functions"):
            pickle.dumps(T(1.0))


def test_a_number_is_formatted_as_one():
    assert f"{T(1.23456):.2f}" == "1.23"
    assert f"{Tensor([7]):04d}" == "0007"
    assert f"{Tensor([1.0, 2.0])}" == "Tensor([1., 2.])"
    with pytest.raises(ShapeError, match="one element"):
        f"{Tensor([1.0, 2.0]):.2f}"


def test_named_tensors():
    x = T(1.0).named("x")
    assert (x * 2.0).grad_fn.inputs[0].node.name == "x"
    with pytest.raises(GradientError, match="cannot have a name"):
        Tensor(1.0).named("x")
