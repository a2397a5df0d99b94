"""A function of cgkit as one of torch's: torch sees a node, and cgkit does the arithmetic.

    f = wrapped(ops.tanh)          f(torch tensor) ─> torch tensor
    backward of f                  = wrapped(gradient of ops.tanh), so f has gradients of any order

Only what is wrapped runs in cgkit; torch keeps the graph and judges.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cgkit.conformance.bridge import torch
from cgkit.tensor import Tensor, grad

Function = Callable[..., tuple[Any, ...]]


def wrapped(function: Function) -> Callable[..., Any]:
    """Make a function of torch tensors.

    Parameters
    ----------
    function
        Takes Tensors of floats, gives a tuple of such.

    Returns
    -------
    Callable
        Takes torch tensors, gives a tuple of such; can be differentiated as often as one likes.
    """
    node = _node()

    def call(*xs: Any) -> Any:
        return node.apply(function, *xs)

    return call


def backward_of(function: Function, count: int) -> Function:
    """Make the gradient of a function: of operands and seeds, again a function of Tensors.

    Examples
    --------
    >>> slope = backward_of(lambda x: (x * x,), 1)
    >>> [x.item() for x in slope(Tensor(3.0), Tensor(2.0))]
    [12.0]
    """

    def slopes(*operands: Any) -> tuple[Any, ...]:
        xs, seeds = operands[:count], operands[count:]
        points = [x if x.requires_grad else Tensor(x.data, requires_grad=True) for x in xs]
        parts = [
            (y * g).sum() for y, g in zip(function(*points), seeds, strict=True) if y.requires_grad
        ]
        if not parts:
            return tuple(Tensor(np.zeros(x.shape)) for x in xs)
        total = sum(parts[1:], parts[0])
        return tuple(grad(total, points, create_graph=True, materialize_grads=True))

    return slopes


@cache
def _node() -> Any:
    """Make the class of torch's nodes that call cgkit."""
    base = torch().autograd.Function
    methods = {"forward": staticmethod(_forward), "backward": staticmethod(_backward)}
    return type("Called", (base,), methods)


def _forward(context: Any, function: Function, *xs: Any) -> Any:
    context.function = function
    context.save_for_backward(*xs)
    ys = function(*(Tensor(x.detach().numpy(), requires_grad=True) for x in xs))
    return tuple(torch().tensor(np.array(y.data)) for y in ys)


def _backward(context: Any, *seeds: Any) -> Any:
    xs = context.saved_tensors
    found = _node().apply(backward_of(context.function, len(xs)), *xs, *seeds)
    return (None, *found)
