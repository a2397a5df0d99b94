"""Between two frameworks: arguments as cgkit takes them, and gradients of gradients by both.

    torch.tensor ─ to_cgkit ─> Tensor         torch.float64 ─> "float64"        lists, tuples alike

    first  = grad(y, xs, seeds)                    differentiated again, with respect to xs and
    second = grad(sum of first * pulls, [xs, seeds])     to the seeds, on which it always depends

torch is imported by name when it is needed: cgkit runs without it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cgkit.tensor import Tensor, grad


def torch() -> Any:
    """Import torch."""
    return importlib.import_module("torch")


def mapped(x: Any, leaf: Callable[[Any], Any]) -> Any:
    """Give nested lists, tuples and dicts with each leaf replaced; kinds of tuples become tuples.

    Examples
    --------
    >>> mapped({"a": [1, (2, slice(3))]}, str)
    {'a': ['1', ('2', 'slice(None, 3, None)')]}
    """
    if isinstance(x, list):
        return [mapped(each, leaf) for each in x]
    if isinstance(x, tuple):
        return tuple(mapped(each, leaf) for each in x)
    if isinstance(x, dict):
        return {key: mapped(each, leaf) for key, each in x.items()}
    return leaf(x)


class Converter:
    """Turn torch's arguments into cgkit's; the same tensor always into the same Tensor."""

    def __init__(self) -> None:
        self.torch = torch()
        self.made: dict[int, Tensor] = {}

    def __call__(self, x: Any) -> Any:
        """Convert one leaf."""
        if isinstance(x, self.torch.Tensor):
            if id(x) not in self.made:
                y = Tensor(x.detach().numpy())
                self.made[id(x)] = y.requires_grad_() if x.requires_grad else y
            return self.made[id(x)]
        return str(x).removeprefix("torch.") if isinstance(x, self.torch.dtype) else x


def our_gradients(
    ys: Sequence[Any], xs: Sequence[Any], seeds: Sequence[np.ndarray], pulls: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], Callable[[], list[np.ndarray]]]:
    """Give the gradients of results, and a function that gives their gradients in turn."""
    handles = [Tensor(seed, requires_grad=True) for seed in seeds]
    if not xs or not any(y.requires_grad for y in ys):
        zeros = [np.zeros(x.shape) for x in xs]
        return zeros, lambda: [np.zeros(x.shape) for x in (*xs, *handles)]
    wanted = [(y, g) for y, g in zip(ys, handles, strict=True) if y.requires_grad]
    total: Any = sum((y * g).sum() for y, g in wanted)
    first = grad(total, xs, create_graph=True, materialize_grads=True)

    def second() -> list[np.ndarray]:
        parts: Any = sum((x * Tensor(pull)).sum() for x, pull in zip(first, pulls, strict=True))
        points = [*xs, *handles]
        if not parts.requires_grad:
            return [np.zeros(x.shape) for x in points]
        return [x.data for x in grad(parts, points, materialize_grads=True)]

    return [x.data for x in first], second


def their_gradients(
    ys: Sequence[Any], xs: Sequence[Any], seeds: Sequence[np.ndarray], pulls: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Give torch's gradients of results, and the gradients of these."""
    pytorch = torch()
    handles = [pytorch.tensor(seed, requires_grad=True) for seed in seeds]
    points = [*xs, *handles]
    wanted = [(y, g) for y, g in zip(ys, handles, strict=True) if y.requires_grad]
    if not xs or not wanted:
        return [np.zeros(x.shape) for x in xs], [np.zeros(x.shape) for x in points]
    total = sum((y * g).sum() for y, g in wanted)
    options = {"allow_unused": True, "materialize_grads": True}
    first = pytorch.autograd.grad(total, xs, create_graph=True, **options)
    parts = sum((x * pytorch.tensor(pull)).sum() for x, pull in zip(first, pulls, strict=True))
    if parts.requires_grad:
        second = pytorch.autograd.grad(parts, points, **options)
    else:
        second = [pytorch.zeros_like(x) for x in points]
    return [x.numpy(force=True) for x in first], [x.numpy(force=True) for x in second]


def difference(ours: Sequence[Any], theirs: Sequence[Any], rtol: float = 1e-7) -> str:
    """Say how two lists of arrays differ, or nothing.

    Examples
    --------
    >>> difference([np.array([1.0, 2.0])], [np.array([1.0, 2.5])])
    'at (1,): 2.0 is not 2.5'
    """
    if len(ours) != len(theirs):
        return f"{len(ours)} results, not {len(theirs)}"
    for mine, his in zip(ours, theirs, strict=True):
        a, b = np.asarray(mine), np.asarray(his)
        if a.shape != b.shape:
            return f"shape {a.shape} is not {b.shape}"
        if a.dtype != b.dtype:
            return f"dtype {a.dtype} is not {b.dtype}"
        wrong = ~np.isclose(a, b, rtol, rtol, equal_nan=True)
        if wrong.any():
            place = tuple(np.argwhere(wrong)[0].tolist())
            return f"at {place}: {a[place]} is not {b[place]}"
    return ""
