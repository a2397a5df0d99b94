"""Tensors that compute at once and remember how: the dynamic graph.

x = Tensor(2.0, requires_grad=True)
y = x * x         data 4.0, edge ─> mul ─> x's leaf; mul has saved x twice, each with its version
y.backward()      visits mul, then the leaf: x.grad is 4.0; what mul saved is freed

modes  <  placement  <  hooks  <  backward  <  methods  <  inplace  <  record

whether, where, who listens, going back, what a tensor can be asked, writing, how it is recorded
"""

from cgkit.tensor.backward import grad
from cgkit.tensor.modes import enable_grad, grad_enabled, no_grad, set_grad
from cgkit.tensor.record import Tensor

__all__ = ["Tensor", "enable_grad", "grad", "grad_enabled", "no_grad", "set_grad"]
