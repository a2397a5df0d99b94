"""What tests of models share."""

import numpy as np
import pytest

from cgkit import Dim, TensorType, grad, ops, trace


def halving(x, w, v):
    """Halve images of any size in four ways; the gradients of all three come with the result."""
    h = ops.relu(ops.conv2d(x, w, stride=2, padding=1))
    h = ops.max_pool(h, kernel=3, stride=2, padding=1, ceil_mode=True)
    h = ops.conv2d(h, v, stride=2, padding="same")
    y = ops.avg_pool(h, kernel=2, stride=2, ceil_mode=True)
    return y, *grad(ops.sum(y * y), [x, w, v])


@pytest.fixture
def images_of_any_size():
    """Give a graph of a network and its gradients, and arrays to run it on, sizes from 1 on."""
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.normal(size=shape).astype("float32")

    kernels = normal(4, 3, 3, 3), normal(4, 4, 3, 3)
    images = TensorType((Dim("N"), 3, Dim("H"), Dim("W")), "float32")
    graph = trace(halving, images, *kernels).graph
    sizes = ((20, 31), (33, 16), (8, 9), (1, 1), (2, 5))
    return graph, halving, [(normal(2, 3, *size), *kernels) for size in sizes]
