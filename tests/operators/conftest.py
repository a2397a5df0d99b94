"""Comparing with others: values with NumPy's, and with torch's to second order."""

import numpy as np
import pytest

from cgkit import Tensor, grad, ops
from cgkit.testing.cases import samples_of


@pytest.fixture
def follows():
    """Give a function that demands what one of NumPy's gives, on all samples of an operator."""

    def check(name, numpy):
        for sample in samples_of(ops.ALL[name]):
            with np.errstate(all="ignore"):
                expected = np.asarray(numpy(*sample.operands, **sample.params))
            found = ops.ALL[name](*sample.operands, **sample.params)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)

    return check


def both_ways(torch, fn, torch_fn, arrays):
    """Give values, gradients and second gradients of one function in cgkit and in torch."""
    ours = [Tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    y, z = fn(*ours), torch_fn(*theirs)
    rng = np.random.default_rng(0)
    seed = rng.normal(size=y.shape)
    pulls = [rng.normal(size=a.shape) for a in arrays]
    g, h = Tensor(seed, requires_grad=True), torch.tensor(seed, requires_grad=True)
    first = grad(y, ours, g, create_graph=True, materialize_grads=True)
    firsts = torch.autograd.grad(z, theirs, h, create_graph=True, materialize_grads=True)
    total = sum((f * Tensor(p)).sum() for f, p in zip(first, pulls, strict=True))
    whole = sum((f * torch.tensor(p)).sum() for f, p in zip(firsts, pulls, strict=True))
    second = grad(total, [g, *ours], materialize_grads=True)
    seconds = torch.autograd.grad(whole, [h, *theirs], materialize_grads=True)
    yield y, z
    yield from zip(first, firsts, strict=True)
    yield from zip(second, seconds, strict=True)


@pytest.fixture
def agree():
    """Give a function that demands what torch gives: values, gradients, second gradients."""
    torch = pytest.importorskip("torch")

    def check(fn, torch_fn, *arrays, rtol=1e-7, atol=1e-9):
        for mine, other in both_ways(torch, fn, torch_fn, arrays):
            assert mine.shape == tuple(other.shape)
            np.testing.assert_allclose(
                mine.data, other.detach().numpy(force=True), rtol=rtol, atol=atol
            )

    return check
