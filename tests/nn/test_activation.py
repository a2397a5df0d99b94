"""Each activation is its operator, with its settings."""

import numpy as np
import pytest

from cgkit import Tensor, nn, ops
from cgkit.errors import OperandError

LAYERS = [
    (nn.ReLU(), lambda x: np.maximum(x, 0)),
    (nn.LeakyReLU(), lambda x: np.where(x > 0, x, 0.01 * x)),
    (nn.LeakyReLU(0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
    (nn.ELU(2.0), lambda x: np.where(x > 0, x, 2 * np.expm1(x))),
    (nn.GELU(), lambda x: x * (1 + ops.erf(x / np.sqrt(2))) / 2),
    (nn.GELU("tanh"), lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))),
    (nn.SiLU(), lambda x: x / (1 + np.exp(-x))),
    (nn.Sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
    (nn.Tanh(), np.tanh),
    (nn.Softplus(), lambda x: np.log1p(np.exp(x))),
    (nn.Softmax(), lambda x: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)),
    (nn.Softmax(0), lambda x: np.exp(x) / np.exp(x).sum(axis=0)),
    (nn.LogSoftmax(1), lambda x: x - np.log(np.exp(x).sum(axis=1, keepdims=True))),
]


@pytest.mark.parametrize(("layer", "formula"), LAYERS, ids=lambda x: getattr(x, "heading", ""))
@pytest.mark.parametrize("shape", [(3, 4), (0, 4)])
def test_formulas(layer, formula, shape):
    x = Tensor(np.random.default_rng(0).normal(size=shape), requires_grad=True)
    y = layer(x)
    np.testing.assert_allclose(y.data, formula(x.data), rtol=1e-9, atol=1e-12)
    y.sum().backward()
    assert x.grad.shape == shape
    assert layer.parameters() == []


def test_settings_are_checked_when_the_layer_is_made():
    with pytest.raises(OperandError, match="the alpha of LeakyReLU is a number"):
        nn.LeakyReLU("steep")
    with pytest.raises(OperandError, match="the alpha of ELU is a number"):
        nn.ELU(None)
    with pytest.raises(OperandError, match="approximate") as caught:
        nn.GELU("rough")(1.0)
    assert caught.value.__notes__[-1] == "  in layer GELU(approximate='rough')"
