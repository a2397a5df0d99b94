"""The table of core operators: it is whole, and its words mean what torch's mean."""

import numpy as np
import pytest

from cgkit import Tensor
from cgkit.conformance.torch_calls import CALLS

CORE = """
add sub mul div pow neg exp log sqrt abs sigmoid tanh nn.functional.relu maximum minimum matmul mm
bmm addmm sum mean amax amin max prod var softmax log_softmax logsumexp reshape transpose permute
expand cat stack split index_select gather scatter where clamp nn.functional.conv2d
nn.functional.max_pool2d nn.functional.avg_pool2d nn.functional.batch_norm nn.functional.layer_norm
nn.functional.gelu nn.functional.cross_entropy nn.functional.embedding nn.functional.linear
nn.functional.scaled_dot_product_attention squeeze unsqueeze flip roll tril triu cumsum __getitem__
"""
X = Tensor(np.arange(6.0).reshape(2, 3))


def test_the_table_holds_the_core_operators():
    assert list(CALLS) == CORE.split()
    assert len(CALLS) == 59


# What torch gives, worked out by hand.
CASES = {
    "add": ((X, 1.0, 2.0), {}, [[2, 3, 4], [5, 6, 7]]),
    "sub": ((X, X), {"alpha": -1}, [[0, 2, 4], [6, 8, 10]]),
    "div": ((Tensor([7.0, -7.0]), 2.0), {"rounding_mode": "trunc"}, [3, -3]),
    "addmm": ((1.0, X, X.T), {"beta": 2, "alpha": 0.5}, [[4.5, 9], [9, 27]]),
    "sum": ((X, 0, True), {}, [[3, 5, 7]]),
    "mean": ((X, ()), {}, 2.5),
    "amax": ((Tensor(3.0), 0), {"keepdim": True}, 3),
    "var": ((X, False), {}, 35 / 12),
    "softmax": ((Tensor(9.0), 0), {}, 1),
    "expand": ((X, (2, -1, -1)), {}, [X.data, X.data]),
    "cat": (([Tensor(np.ones(0)), X], 1), {}, X.data),
    "index_select": ((X, 1, np.array([2, 0])), {}, [[2, 0], [5, 3]]),
    "gather": ((Tensor(5.0), 0, np.array([0, 0])), {}, [5, 5]),
    "scatter": ((X, 1, np.array([[2], [0]]), -1.0), {}, [[0, 1, -1], [-1, 4, 5]]),
    "where": ((X, X.data > 2, 0.0), {}, [[0, 0, 0], [3, 4, 5]]),
    "squeeze": ((X, 0), {}, X.data),
    "transpose": ((Tensor(2.0), 0, -1), {}, 2),
    "roll": ((Tensor(2.0), 10), {}, 2),
    "triu": ((X, 1), {}, [[0, 1, 2], [0, 0, 5]]),
    "clamp": ((X, None, 2.0), {}, [[0, 1, 2], [2, 2, 2]]),
}


@pytest.mark.parametrize("name", CASES)
def test_words_mean_what_they_mean_in_torch(name):
    args, params, expected = CASES[name]
    np.testing.assert_allclose(CALLS[name](*args, **params).data, expected)


def test_several_results():
    largest, places = CALLS["max"](X, 1, True)
    assert (largest.data.tolist(), places.data.tolist()) == ([[2], [5]], [[2], [2]])
    assert CALLS["max"](X, 2.0 * X).data.tolist() == (2 * X.data).tolist()
    assert [part.shape for part in CALLS["split"](X, 2, dim=1)] == [(2, 2), (2, 1)]
    assert [part.shape for part in CALLS["split"](X, (1, 1))] == [(1, 3), (1, 3)]
