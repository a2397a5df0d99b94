"""Calling, listing, saving and loading modules, and what an error says of the place."""

import copy

import numpy as np
import pytest

from cgkit import Generator, GraphBuilder, Tensor, no_grad, ops, trace
from cgkit.errors import CgkitError, OperandError, StateError
from cgkit.nn import Dropout, Linear, Module, ReLU, Sequential, subkey


class Network(Module):
    def __init__(self, generator, dtype="float32"):
        self.hidden = Linear(3, 4, generator, dtype=dtype)
        self.drops = [Dropout(0.5)]
        self.scores = Linear(4, 2, generator, dtype=dtype)
        self.mean = Tensor(np.zeros(3, dtype))

    def forward(self, x, *, times=1.0, key=None):
        h = self.drops[0](ops.relu(self.hidden(x - self.mean)), key=subkey(key, 0))
        return self.scores(h) * times


def test_a_module_computes_what_its_forward_says():
    network = Network(Generator(0)).eval()
    state = network.state()
    x = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")
    h = np.maximum(x @ state["hidden.weight"] + state["hidden.bias"], 0)
    expected = (h @ state["scores.weight"] + state["scores.bias"]) * 2
    np.testing.assert_allclose(network(x, times=2.0).data, expected, rtol=1e-5)


def test_members_are_listed_by_name():
    network = Network(Generator(0))
    assert list(network.named_parameters()) == [
        "hidden.weight", "hidden.bias", "scores.weight", "scores.bias",
    ]  # fmt: skip
    assert list(network.named_buffers()) == ["mean"]
    assert list(network.named_modules()) == ["", "hidden", "drops.0", "scores"]
    assert network.parameters()[2] is network.scores.weight
    assert network.buffers() == [network.mean]
    assert network.modules()[0] is network
    network.hidden.weight.requires_grad_(False)  # what does not learn is a buffer
    assert list(network.named_buffers()) == ["hidden.weight", "mean"]


def test_training_mode_reaches_every_part():
    network = Network(Generator(0))
    assert network.training
    assert network.eval() is network
    assert not any(module.training for module in network.modules())
    assert network.drops[0].train() is network.drops[0]
    assert [module.training for module in network.modules()] == [False, False, True, False]


def test_a_key_reaches_who_draws_and_nobody_else():
    network, x = Network(Generator(0)), np.ones((50, 3), "float32")
    key = ops.key(3)
    np.testing.assert_array_equal(network(x, key=key).data, network(x, key=key).data)
    assert (network(x, key=key).data != network(x, key=ops.key(4)).data).any()
    assert network.hidden(x, key=key).shape == (50, 4)
    with pytest.raises(OperandError) as caught:
        network(x)
    assert caught.value.with_place().splitlines() == [
        "Dropout() draws anew in each call while training, and was given no key",
        "  try      model(x, key=generator.key()), or model.eval() where nothing is learned",
        "  in layer drops.0 = Dropout()",
    ]
    assert network.eval()(x).shape == (50, 2)


class Nested(Module):
    def __init__(self, generator):
        self.blocks = [Sequential(), Sequential(ReLU(), Network(generator))]

    def forward(self, x):
        return self.blocks[1](x)


@pytest.mark.parametrize(
    ("shape", "place"),
    [
        ((2, 3, 1), "blocks.1.1.drops.0 = Dropout()"),  # broadcasts with the mean; then no key
        ((2, 1, 5), "blocks.1.1 = Network()"),
    ],
)
def test_an_error_names_the_layer_from_the_outside_in(shape, place):
    with pytest.raises(CgkitError) as caught:
        Nested(Generator(0))(np.zeros(shape))
    assert caught.value.with_place().splitlines()[-1] == f"  in layer {place}"
    assert len(caught.value.__notes__) == 1


def test_a_state_is_a_copy_and_comes_back(tmp_path):
    network, other = Network(Generator(0)), Network(Generator(1))
    state = network.state()
    assert list(state) == list(network.named_tensors())
    np.savez(tmp_path / "state.npz", **state)
    state["mean"][0] = 7.0
    assert network.mean.data[0] == 0.0
    weight = other.hidden.weight
    with np.load(tmp_path / "state.npz") as saved:
        other.load_state(saved)
    for name, array in network.state().items():
        np.testing.assert_array_equal(other.state()[name], array)
        assert other.state()[name].dtype == array.dtype
    assert other.hidden.weight is weight  # whoever holds a parameter sees the new numbers
    assert weight.requires_grad


def test_a_state_that_does_not_fit_changes_nothing():
    network = Network(Generator(0))
    before = network.state()
    wrong = Network(Generator(1)).state()
    wrong["scores.bias"] = wrong["scores.bias"].astype("float64")
    with pytest.raises(StateError, match=r"differs     scores\.bias: float64\[2\]"):
        network.load_state(wrong)
    for name, array in network.state().items():
        np.testing.assert_array_equal(before[name], array)


def test_backward_notices_numbers_loaded_in_between():
    network = Network(Generator(0)).eval()
    loss = network(np.ones((1, 3), "float32")).sum()
    network.load_state(network.state())
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        loss.backward()


def test_gradients_arrive_and_no_grad_is_heeded():
    network = Network(Generator(0)).eval()
    network(np.ones((4, 3), "float32")).sum().backward()
    assert all(x.grad is not None and x.grad.shape == x.shape for x in network.parameters())
    with no_grad():
        assert not network(np.ones((4, 3), "float32")).requires_grad


def test_nodes_of_a_graph_stand_under_the_names_of_their_layers():
    builder = GraphBuilder()
    network = Network(Generator(0)).eval()
    for x in network.parameters():
        x.requires_grad_(False)
    with builder.scope("model"):
        y = network(builder.placeholder((None, 3), "float32", name="x"))
    scopes = [node.scope for node in builder.graph([y]).nodes if node.inputs]
    assert scopes == ["model"] + ["model/hidden"] * 2 + ["model"] + ["model/scores"] * 2 + ["model"]


def test_a_module_without_a_forward_says_so():
    with pytest.raises(OperandError, match="Module has no forward"):
        Module()(1.0)


def test_an_error_of_any_kind_says_where():
    class Wrong(Module):
        def forward(self, x):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no") as caught:
        Sequential(ReLU(), Wrong())(1.0)
    assert caught.value.__notes__ == ["  in layer 1 = Wrong()"]


@pytest.mark.parametrize("name", ["state", "train", "parameters", "heading", "members"])
def test_what_every_module_can_be_asked_is_no_attribute(name):
    with pytest.raises(OperandError, match=rf"Module\.{name} is what every module can be asked"):
        setattr(Module(), name, Tensor(1.0))


def test_a_module_can_be_copied():
    network = Network(Generator(0))
    network(np.ones((2, 3), "float32"), key=ops.key(0)).sum().backward()
    other = copy.deepcopy(network)
    other.hidden.weight.data[...] = 7.0
    assert network.hidden.weight.data.max() < 7.0
    np.testing.assert_array_equal(other.scores.weight.grad.data, network.scores.weight.grad.data)
    assert list(other.state()) == list(network.state())


def test_inputs_of_a_trace_have_their_names():
    traced = trace(Network(Generator(0)).eval(), np.ones((2, 3), "float32"))
    assert str(traced.graph).startswith("graph(x: float32[2, 3]")


def test_the_key_of_a_part():
    assert subkey(None, 1) is None
    assert subkey(ops.key(5), 1) == ops.fold_in(ops.key(5), 1)
