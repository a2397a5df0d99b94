"""Tensors that compute at once and remember how: the dynamic graph.

x = Tensor(2.0, requires_grad=True)
y = x * x         data 4.0, edge ─> mul ─> x's leaf; mul has saved x twice, each with its version
y.backward()      visits mul, then the leaf: x.grad is 4.0; what mul saved is freed

backward  <  methods  <  record        going back, what a tensor can be asked, how it is recorded
"""

from cgkit.tensor.backward import grad, no_grad
from cgkit.tensor.record import Tensor

__all__ = ["Tensor", "grad", "no_grad"]
