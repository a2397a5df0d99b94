"""Rows of the dynamic graph: every peer that is here computes the same."""

import importlib.util

import numpy as np
import pytest

from cgkit.bench.rows import eager

BACKWARD, OPERATOR = eager.ROWS


def outputs(peer, size):
    work = peer.allocating(**size)
    work.run()
    return {name: np.asarray(array) for name, array in work.read(work.run()).items()}


def test_our_gradients_are_those_of_the_formula_and_do_not_pile_up():
    x, y = eager.operands((2, 3))
    found = outputs(BACKWARD.ours, {"shape": [2, 3]})
    assert np.allclose(found["x"], y + 1)
    assert np.allclose(found["y"], x)


@pytest.mark.parametrize("size", OPERATOR.sizes)
def test_our_operators_are_those_of_numpy(size):
    peers = {peer.name: peer for peer in OPERATOR.peers}
    values = OPERATOR.sizes[size]
    ours, theirs = outputs(peers["cgkit"], values), outputs(peers["numpy"], values)
    assert OPERATOR.agree(ours, theirs, values) == ""
    assert ours["result"].shape == tuple(values["shape"])


def test_one_operator_is_recorded():
    work = eager.operator_cgkit("mul", [2, 3])
    assert work.run().requires_grad


@pytest.mark.oracle
@pytest.mark.parametrize("row", eager.ROWS, ids=lambda row: row.name)
def test_torch_computes_the_same(row):
    torch = next(peer for peer in row.peers if peer.name == "torch")
    for size in row.sizes.values():
        assert row.agree(outputs(row.ours, size), outputs(torch, size), size) == ""


@pytest.mark.parametrize("row", eager.ROWS, ids=lambda row: row.name)
def test_the_peers_that_are_here_compute_the_same(row):
    here = [p for p in row.peers if not p.package or importlib.util.find_spec(p.package)]
    for peer in [peer for peer in here if peer.name != "torch"]:
        for size in row.sizes.values():
            assert row.agree(outputs(row.ours, size), outputs(peer, size), size) == ""
