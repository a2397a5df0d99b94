"""cgkit's functions as torch's: values, and gradients of any order."""

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.conformance.wrapped import backward_of, wrapped


def test_the_gradient_of_a_function_is_a_function():
    slope = backward_of(lambda x, y: (x * y, x + y), 2)
    found = slope(Tensor(2.0), Tensor(5.0), Tensor(10.0), Tensor(1.0))
    assert [float(x) for x in found] == [51.0, 21.0]


def test_what_has_no_gradient_gives_zeros():
    (found,) = backward_of(lambda x: (ops.stop_gradient(x),), 1)(
        Tensor(np.ones(2)), Tensor([1.0, 1.0])
    )
    assert found.data.tolist() == [0.0, 0.0]


@pytest.mark.oracle
def test_torch_goes_backward_three_times():
    import torch

    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    (y,) = wrapped(lambda x: (ops.pow(x, 4.0),))(x)
    found = [y.item()]
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    assert found == [16.0, 32.0, 48.0, 48.0]
