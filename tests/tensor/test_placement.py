"""Tensors on devices: moves are counted, gradients take the way back, nothing computes elsewhere.

x ─ to npu ─> n ─┬─ to cpu ─> a ─┐
                 └─ to cpu ─> b ─┴─ * ─> y        two gradients meet in n, on the npu
"""

import copy
import pickle

import numpy as np
import pytest

from cgkit import DtypeError, GradientError, ShapeError, Tensor, grad, no_grad, ops
from cgkit.device import DeviceArray, Traffic, cpu, npu
from cgkit.errors import CgkitError, DeviceError, EnvironmentFault, OperandError
from cgkit.node import Edge
from cgkit.testing.cases import samples_of


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


def counted(act):
    """Give what was copied to and from the npu by an action."""
    before = npu.traffic
    act()
    return npu.traffic - before


class TestMoves:
    def test_there_and_back(self):
        x = Tensor([[1.0, 2.0], [3.0, 4.0]], dtype="float32")
        n = x.to("npu")
        assert (n.device, n.shape, n.dtype, n.ndim, n.size) == ("npu", (2, 2), np.float32, 2, 4)
        assert isinstance(n.data, DeviceArray)
        assert not n.requires_grad
        assert n.is_leaf
        back = n.to(cpu)
        np.testing.assert_array_equal(back.data, x.data)
        assert back.data is not x.data

    def test_to_where_it_is_costs_nothing(self):
        x = Tensor([1.0])
        n = x.to(npu)
        assert x.to("cpu") is x
        assert counted(lambda: n.to("npu")) == Traffic()
        assert n.to(npu) is n

    def test_each_move_is_counted(self):
        x = Tensor(np.ones((2, 3), "float32"))
        assert counted(lambda: x.to("npu").to("cpu")) == Traffic(1, 24, 1, 24)
        assert counted(lambda: Tensor(np.ones((0, 3))).to("npu")) == Traffic(1, 0, 0, 0)

    @pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "int32", "float16", "float64"])
    @pytest.mark.parametrize("shape", [(), (0,), (2, 0), (3,)])
    def test_every_dtype_and_shape(self, dtype, shape):
        x = Tensor(np.ones(shape, dtype))
        back = x.to("npu").to("cpu")
        assert (back.shape, back.dtype) == (x.shape, x.dtype)
        np.testing.assert_array_equal(back.data, x.data)

    def test_views_and_negative_strides(self):
        x = Tensor(np.arange(6.0).reshape(2, 3))
        for view in (x[::-1, ::-1], x.T, x[1]):
            np.testing.assert_array_equal(view.to("npu").to("cpu").data, view.data)

    def test_memory_is_freed_with_the_tensor(self):
        held = npu.held
        n = Tensor(np.ones(1000)).to("npu")
        assert npu.held == held + 8000
        del n
        assert npu.held == held

    def test_where_there_is_no_such_device(self):
        x = Tensor([1.0])
        with pytest.raises(DeviceError, match="there is no device 'tpu'"):
            x.to("tpu")
        with pytest.raises(OperandError, match=r"names a dtype.*\n.*ops.cast"):
            x.to("float32")
        with pytest.raises(DeviceError, match="there is no device 3"):
            x.to(3)

    def test_cuda_says_what_is_missing(self):
        if pytest.importorskip("numba.cuda").is_available():
            pytest.skip("there is a GPU")
        with pytest.raises(EnvironmentFault, match="cuda cannot be used on this machine"):
            T([1.0]).to("cuda")


class TestGradients:
    def test_take_the_way_back(self):
        x = T([1.0, 2.0])
        y = (x.to("npu").to("cpu") * x).sum()
        assert counted(y.backward) == Traffic(1, 16, 1, 16)
        assert x.grad.data.tolist() == [2, 4]
        assert x.grad.device == "cpu"

    def test_meet_on_the_device(self):
        x = T([1.0, 2.0])
        n = x.to("npu")
        y = (n.to("cpu") * n.to("cpu")).sum()
        y.backward()
        assert x.grad.data.tolist() == [2, 4]

    def test_of_a_leaf_that_lies_there(self):
        w = Tensor([3.0]).to("npu").requires_grad_()
        assert w.is_leaf
        assert w.requires_grad
        for expected in (2, 4):
            (w.to("cpu") * 2.0).backward()
            assert w.grad.device == "npu"
            assert w.grad.to("cpu").item() == expected

    def test_to_second_order(self):
        x = T([2.0])
        n = x.to("npu")
        y = (n.to("cpu") ** 3.0 + n.to("cpu")).sum()
        (first,) = grad(y, x, create_graph=True)
        assert first.item() == 13
        (second,) = grad(first, x, create_graph=True)
        assert second.item() == 12
        (third,) = grad(second, x)
        assert third.item() == 6

    def test_of_what_lies_there(self):
        x = T([2.0])
        n = x.to("npu")
        y = (n.to("cpu") * n.to("cpu")).sum()
        (slope,) = grad(y, n)
        assert (slope.device, slope.to("cpu").item()) == ("npu", 4)

    def test_zeros_lie_there_too(self):
        w = Tensor([3.0, 4.0]).to("npu").requires_grad_()
        (zeros,) = grad(T([1.0]) * 2.0, w, materialize_grads=True)
        assert zeros.device == "npu"
        assert zeros.to("cpu").data.tolist() == [0, 0]

    def test_may_begin_there(self):
        x = T([2.0])
        n = (x * 3.0).to("npu")
        n.backward(retain_graph=True)
        n.backward([10.0], retain_graph=True)
        n.backward(Tensor([100.0]).to("npu"))
        assert x.grad.item() == 333

    def test_a_seed_lies_where_its_output_does(self):
        n = (T([2.0]) * 3.0).to("npu")
        with pytest.raises(DeviceError, match="the seed lies on cpu, the output on npu"):
            n.backward(Tensor([1.0]))
        with pytest.raises(ShapeError, match=r"the seed has shape \(2,\)"):
            n.backward(Tensor([1.0, 2.0]).to("npu"))

    def test_hooks_and_kept_gradients(self):
        x = T([2.0])
        n = x.to("npu").retain_grad()
        seen = []
        n.register_hook(lambda g: seen.append(g.device.name))
        y = (n.to("cpu") * 3.0).sum()
        y.backward(retain_graph=True)
        y.backward()
        assert seen == ["npu", "npu"]
        assert n.grad.to("cpu").item() == 6

    def test_integers_have_none(self):
        assert not Tensor([1, 2]).to("npu").to("cpu").requires_grad
        with pytest.raises(DtypeError, match="only floating tensors"):
            Tensor([1]).to("npu").requires_grad_()


class TestNothingComputesThere:
    def test_the_error_says_where_each_operand_is(self):
        x = T([1.0, 2.0]).named("x")
        n = Tensor(np.ones(2, "f4")).to("npu")
        with pytest.raises(DeviceError) as caught:
            x + n
        assert str(caught.value) == (
            "add cannot compute: its operands lie on different devices\n"
            "  operand 0, x = float64[2], lies on cpu\n"
            "  operand 1, float32[2], lies on npu\n"
            '  try      x.to("cpu") for what lies elsewhere'
        )
        with pytest.raises(DeviceError, match="mul cannot compute on npu: operators on Tensors"):
            n * 2.0

    @pytest.mark.parametrize("name", sorted(ops.ALL))
    def test_no_operator_does(self, name):
        operator = ops.ALL[name]
        for sample in samples_of(operator)[:3]:
            handles = [Tensor.wrap(x) if isinstance(x, np.ndarray) else x for x in sample.operands]
            for i, x in enumerate(handles):
                if not isinstance(x, Tensor):
                    continue
                moved = [*handles[:i], x.to("npu"), *handles[i + 1 :]]
                before = npu.traffic
                with pytest.raises(DeviceError, match=f"operand {i}, .*lies on npu"):
                    operator(*moved, **sample.params)
                assert npu.traffic == before

    @pytest.mark.parametrize(
        "act",
        [
            lambda n: n.item(), float, int, bool, lambda n: n.numpy(), np.asarray, lambda n: n[0],
            list, lambda n: n.sum(), lambda n: -n, lambda n: n == n, lambda n: f"{n:.2f}",
            lambda n: n.reshape(1), lambda n: n.T, lambda n: n.add_(1.0), lambda n: n.zero_(),
            lambda n: n.__setitem__(0, 1.0), lambda n: Tensor(n), pickle.dumps,
            lambda n: Tensor([1.0]).copy_(n), lambda n: ops.concat(n, n), lambda n: n @ n,
        ],
    )  # fmt: skip
    def test_nor_is_it_looked_at(self, act):
        n = Tensor([1.0]).to("npu")
        before = npu.traffic
        with pytest.raises(DeviceError, match="npu"):
            act(n)
        assert npu.traffic == before

    def test_what_needs_no_numbers_is_allowed(self):
        n = T([1.0, 2.0]).to("npu")
        assert repr(n) == "Tensor(float64[2] on npu, grad_fn=to)"
        assert f"{n}" == repr(n)
        assert len(n) == 2
        d = n.detach()
        assert (d.device, d.requires_grad) == ("npu", False)
        assert d.data is n.data
        leaf = d.requires_grad_()
        twin = copy.deepcopy(leaf)
        assert twin.data is leaf.data  # it never changes
        assert twin.requires_grad
        with no_grad():
            assert not n.to("cpu").requires_grad

    def test_a_gradient_lies_where_its_tensor_does(self):
        x = T([1.0])
        with pytest.raises(DeviceError, match="a gradient on npu for a tensor on cpu"):
            x.grad = Tensor([1.0]).to("npu")
        with pytest.raises(GradientError, match="not DeviceArray"):
            x.grad = Tensor([1.0]).to("npu").data


def test_a_recorded_graph_keeps_no_memory_of_the_device():
    held = npu.held
    x = T(np.ones(1000))
    y = x.to("npu").to("cpu").sum()
    assert npu.held == held  # to saves nothing
    y.backward()
    assert isinstance(y.edge, Edge)
    assert x.grad.data.sum() == 1000


def test_errors_are_of_the_library():
    n = Tensor([1.0]).to("npu")
    with pytest.raises(CgkitError):
        n + n
