"""Tensors that compute at once and remember how: the dynamic graph.

x = Tensor(2.0, requires_grad=True)
y = x * x         data 4.0, edge ─> mul ─> x's leaf; mul has saved x twice, each with its version
y.backward()      visits mul, then the leaf: x.grad is 4.0; what mul saved is freed

modes  <  placement  <  hooks  <  backward  <  methods  <  inplace  <  record      generator

whether, where, who listens, going back, what a tensor can be asked, writing, how it is recorded;
and apart from them what hands out keys to random operators
"""

from cgkit.tensor.backward import grad
from cgkit.tensor.generator import Generator, expect_generator
from cgkit.tensor.modes import enable_grad, grad_enabled, no_grad, set_grad
from cgkit.tensor.record import Tensor

__all__ = [
    "Generator", "Tensor", "enable_grad", "expect_generator", "grad", "grad_enabled", "no_grad",
    "set_grad",
]  # fmt: skip
