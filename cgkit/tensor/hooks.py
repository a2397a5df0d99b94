"""Functions that see a gradient when it is complete, and may give another in its place.

    y.register_hook(f)      when y's gradient has arrived: f(gradient), in order of registration
    y.retain_grad()         a hook too: it comes last, and keeps what the others left

Hooks belong to the node that made a tensor, so they go with the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cgkit.autodiff import is_single
from cgkit.device import DeviceArray, device_of
from cgkit.errors import DeviceError, DtypeError, GradientError, ShapeError
from cgkit.node import Node
from cgkit.tensor.placement import plus

Wrap = Callable[..., Any]


class Keep:
    """A hook that adds up the gradients of one output of a node, as a leaf does by itself."""

    __slots__ = ("grads", "index")

    def __init__(self, grads: dict[int, Any], index: int) -> None:
        self.grads = grads
        self.index = index

    def __call__(self, gradient: Any) -> None:
        """Add a gradient to what is there."""
        collect(self.grads, self.index, gradient, gradient.wrap)


def add_hook(node: Node, index: int, hook: Callable[[Any], Any]) -> Callable[[], None]:
    """Have a function called for an output of a node; give what takes it away again."""
    hooks = node.extra().hooks
    entry = (index, hook)
    hooks.append(entry)
    hooks.sort(key=lambda known: isinstance(known[1], Keep))  # stable: what keeps comes last

    def remove() -> None:
        hooks[:] = [known for known in hooks if known is not entry]

    return remove


def run_hooks(node: Node, gradient: Any, wrap: Wrap, create: bool) -> Any:
    """Let a node's hooks see its gradient, or gradients, and give what they leave of it."""
    parts = {0: gradient} if is_single(node) else dict(gradient)
    for index, hook in list(node.extra().hooks):
        if index not in parts:
            continue
        given = apart(parts[index], wrap)
        try:
            replaced = hook(given)
            if replaced is not None:
                _check_replaced(replaced, given)
        except Exception as error:
            error.add_note(f"  in a hook on the gradient of {node.name or node.operator.name}")
            raise
        if replaced is not None:
            parts[index] = replaced if create else replaced.data
    return parts[0] if is_single(node) else parts


def apart(gradient: Any, wrap: Wrap) -> Any:
    """Give a gradient as a Tensor in memory of its own: one array may have gone to several."""
    if gradient.__class__ is np.ndarray:
        return wrap(gradient.copy())
    if isinstance(gradient, DeviceArray):
        return wrap(gradient)  # it never changes, so it may be shared
    if not hasattr(gradient, "edge"):
        return wrap(np.array(gradient))
    data = gradient.data
    return wrap(data if isinstance(data, DeviceArray) else data.copy(), gradient.edge)


def collect(grads: dict[int, Any], index: int, gradient: Any, wrap: Wrap) -> None:
    """Add a gradient to what was collected for an output; neither is changed."""
    old = grads.get(index)
    if old is None:
        fresh = gradient.__class__ is np.ndarray
        grads[index] = wrap(gradient.copy()) if fresh else apart(gradient, wrap)
    elif old.edge is None and not hasattr(gradient, "edge"):
        grads[index] = wrap(plus(old.data, gradient))
    else:
        grads[index] = plus(old, gradient if hasattr(gradient, "edge") else wrap(gradient))


def _check_replaced(replaced: Any, given: Any) -> None:
    if not isinstance(replaced, type(given)):
        raise GradientError(f"a hook gives a Tensor or None, not {type(replaced).__name__}")
    if replaced.shape != given.shape:
        raise ShapeError(f"a hook gave a gradient of shape {replaced.shape}, not {given.shape}")
    if replaced.dtype != given.dtype:
        raise DtypeError(f"a hook gave a gradient of {replaced.dtype}, not {given.dtype}")
    if device_of(replaced.data) is not device_of(given.data):
        raise DeviceError(
            f"a hook gave a gradient on {device_of(replaced.data)}, not {device_of(given.data)}"
        )
