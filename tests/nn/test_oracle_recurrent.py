"""Recurrent layers equal torch's with the same numbers: steps, sequences, layers, both ways."""

import numpy as np
import pytest

from cgkit import Generator, Tensor, nn

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle
G = Generator(0)
CELLS = {"RNNCell": nn.RNNCell, "GRUCell": nn.GRUCell, "LSTMCell": nn.LSTMCell}
NETWORKS = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}


def named(theirs, suffix=""):
    """Give the numbers, or gradients, of one torch cell by our names."""
    found = {}
    for mine, other in (("input", "ih"), ("hidden", "hh")):
        found[f"{mine}.weight"] = getattr(theirs, f"weight_{other}{suffix}").T
        if getattr(theirs, f"bias_{other}{suffix}", None) is not None:
            found[f"{mine}.bias"] = getattr(theirs, f"bias_{other}{suffix}")
    return found


def slopes_of(theirs, suffix=""):
    found = {}
    for mine, other in (("input", "ih"), ("hidden", "hh")):
        found[f"{mine}.weight"] = getattr(theirs, f"weight_{other}{suffix}").grad.T
        if getattr(theirs, f"bias_{other}{suffix}", None) is not None:
            found[f"{mine}.bias"] = getattr(theirs, f"bias_{other}{suffix}").grad
    return found


def close(a, b):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-8, atol=1e-11)


def flat(state):
    return list(state) if isinstance(state, tuple) else [state]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", CELLS)
def test_a_cell(name, bias):
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(3, 4, bias=bias).double()
    ours = CELLS[name](3, 4, G, bias=bias, dtype="float64")
    ours.load_state({n: x.detach().numpy() for n, x in named(theirs).items()})
    rng = np.random.default_rng(0)
    x, h, c = rng.normal(size=(2, 3)), rng.normal(size=(2, 4)), rng.normal(size=(2, 4))
    a, b = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    state = (h, c) if name == "LSTMCell" else h
    other = (torch.tensor(h), torch.tensor(c)) if name == "LSTMCell" else torch.tensor(h)
    for y, z in zip(flat(ours(a)), flat(theirs(b)), strict=True):
        close(y.data, z.detach())
    found, wanted = flat(ours(a, state)), flat(theirs(b, other))
    sum(y.square().sum() for y in found).backward()
    sum(z.square().sum() for z in wanted).backward()
    for y, z in zip(found, wanted, strict=True):
        close(y.data, z.detach())
    close(a.grad.data, b.grad)
    for n, slope in slopes_of(theirs).items():
        close(ours.named_parameters()[n].grad.data, slope)


@pytest.mark.parametrize("settings", [{}, {"layers": 2}, {"both_ways": True},
                                      {"layers": 3, "both_ways": True, "bias": False}],
                         ids=lambda s: " ".join(s) or "plain")  # fmt: skip
@pytest.mark.parametrize("name", NETWORKS)
def test_a_network(name, settings):
    torch.manual_seed(0)
    layers, both = settings.get("layers", 1), settings.get("both_ways", False)
    bias = settings.get("bias", True)
    theirs = getattr(torch.nn, name)(
        3, 4, num_layers=layers, bidirectional=both, bias=bias, batch_first=True
    ).double()
    ours = NETWORKS[name](3, 4, G, dtype="float64", **settings)
    ends = [f"_l{i}{way}" for i in range(layers) for way in (("", "_reverse") if both else ("",))]
    ours.load_state(
        {
            f"cells.{place}.{n}": x.detach().numpy()
            for place, end in enumerate(ends)
            for n, x in named(theirs, end).items()
        }
    )
    x = np.random.default_rng(1).normal(size=(2, 5, 3))
    a, b = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    y, states = ours(a)
    z, last = theirs(b)
    close(y.data, z.detach())
    lasts = last if isinstance(last, tuple) else (last,)
    for place, state in enumerate(states):
        for part, wanted in zip(flat(state), lasts, strict=True):
            close(part.data, wanted[place].detach())
    seed = np.random.default_rng(2).normal(size=y.shape)
    y.backward(seed)
    z.backward(torch.tensor(seed))
    close(a.grad.data, b.grad)
    slopes = {n: p.grad for n, p in ours.named_parameters().items()}
    for place, end in enumerate(ends):
        for n, slope in slopes_of(theirs, end).items():
            close(slopes[f"cells.{place}.{n}"].data, slope)
    # going on from a state
    more, _ = ours(x, tuple(tree(state) for state in states))
    again, _ = theirs(torch.tensor(x), tuple(p.detach() for p in lasts) if name == "LSTM"
                      else lasts[0].detach())  # fmt: skip
    close(more.data, again.detach())


def tree(state):
    return tuple(p.data for p in state) if isinstance(state, tuple) else state.data
