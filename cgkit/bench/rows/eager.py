"""Rows of the dynamic graph: what one small step costs, which is nearly all bookkeeping.

    eager-backward    (x * y + x).sum().backward()    record three operators, go back, free them
    eager-operator    x * y, exp(x), x @ y            one operator, recorded for its gradient

All compute in float64 and record for x and y, which are too small for arithmetic to count.
Gradients are dropped before each step, as in training. numpy records nothing: it is the floor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from cgkit.bench.agreement import close
from cgkit.bench.row import Peer, Row, Work


def operands(shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Give two arrays that every peer begins with."""
    generator = np.random.default_rng(5)
    return generator.uniform(0.5, 1.5, shape), generator.uniform(0.5, 1.5, shape)


def backward_cgkit(shape: Sequence[int]) -> Work:
    """Make ready a step of cgkit."""
    from cgkit.tensor import Tensor

    x, y = (Tensor(array, requires_grad=True) for array in operands(shape))

    return Work(lambda: step(x, y), lambda _: {"x": x.grad, "y": y.grad})


def backward_torch(shape: Sequence[int]) -> Work:
    """Make ready a step of torch."""
    torch: Any = import_module("torch")

    x, y = (torch.tensor(array, requires_grad=True) for array in operands(shape))
    return Work(lambda: step(x, y), lambda _: {"x": x.grad.numpy(), "y": y.grad.numpy()})


def step(x: Any, y: Any) -> None:
    """Do one step with tensors that keep their gradient."""
    x.grad = y.grad = None
    (x * y + x).sum().backward()


def backward_mygrad(shape: Sequence[int]) -> Work:
    """Make ready a step of mygrad, which drops gradients by itself when a tensor is used again."""
    mygrad: Any = import_module("mygrad")

    x, y = map(mygrad.tensor, operands(shape))
    return Work(lambda: (x * y + x).sum().backward(), lambda _: {"x": x.grad, "y": y.grad})


def backward_autograd(shape: Sequence[int]) -> Work:
    """Make ready a step of HIPS autograd, which traces a function of arrays."""
    autograd: Any = import_module("autograd")

    x, y = operands(shape)
    gradients = autograd.grad(lambda x, y: (x * y + x).sum(), argnum=(0, 1))
    return Work(
        run=lambda: gradients(x, y),
        read=lambda found: {"x": found[0], "y": found[1]},
    )


def operator_cgkit(operator: str, shape: Sequence[int]) -> Work:
    """Make ready one operator of cgkit."""
    from cgkit import operators
    from cgkit.tensor import Tensor

    x, y = (Tensor(array, requires_grad=True) for array in operands(shape))
    return Work(applied(operator, x, y, operators.exp), lambda result: {"result": result.data})


def operator_torch(operator: str, shape: Sequence[int]) -> Work:
    """Make ready one operator of torch."""
    torch: Any = import_module("torch")

    x, y = (torch.tensor(array, requires_grad=True) for array in operands(shape))
    return Work(
        applied(operator, x, y, torch.exp), lambda result: {"result": result.detach().numpy()}
    )


def operator_mygrad(operator: str, shape: Sequence[int]) -> Work:
    """Make ready one operator of mygrad."""
    mygrad: Any = import_module("mygrad")

    x, y = map(mygrad.tensor, operands(shape))
    return Work(applied(operator, x, y, mygrad.exp), lambda result: {"result": result.data})


def operator_numpy(operator: str, shape: Sequence[int]) -> Work:
    """Make ready the same on bare arrays."""
    return Work(applied(operator, *operands(shape), np.exp), lambda result: {"result": result})


def applied(operator: str, x: Any, y: Any, exp: Callable[[Any], Any]) -> Callable[[], Any]:
    """Give what applies an operator once."""
    return {"mul": lambda: x * y, "exp": lambda: exp(x), "matmul": lambda: x @ y}[operator]


ROWS = (
    Row(
        name="eager-backward",
        what="(x * y + x).sum().backward(): record three operators, go back, free them",
        peers=(
            Peer("cgkit", backward_cgkit),
            Peer("torch", backward_torch, package="torch"),
            Peer("autograd", backward_autograd, package="autograd"),
            Peer("mygrad", backward_mygrad, package="mygrad"),
        ),
        sizes={"2x3": {"shape": [2, 3]}, "7x5": {"shape": [7, 5]}},
        agree=close(1e-12),
        target="3 times as fast as torch",
    ),
    Row(
        name="eager-operator",
        what="one operator, recorded for its gradient",
        peers=(
            Peer("cgkit", operator_cgkit),
            Peer("torch", operator_torch, package="torch"),
            Peer("mygrad", operator_mygrad, package="mygrad"),
            Peer("numpy", operator_numpy),
        ),
        sizes={
            "x * y, 2x3": {"operator": "mul", "shape": [2, 3]},
            "exp(x), 2x3": {"operator": "exp", "shape": [2, 3]},
            "x @ y, 3x3": {"operator": "matmul", "shape": [3, 3]},
        },
        agree=close(1e-12),
        target="1.5 us, and faster than torch",
    ),
)
