"""Writing in place: the ordinary operator, then the handle moves to its result.

    x.add_(1)  x.exp_()  x.clip_(...)     add, exp, clip, ...: every elementwise operator has one
    x.copy_(y)  x.fill_(2)  x.zero_()     other numbers in the same place
    x[1:] = y  x[mask] = 0                a part of them
    x += 1                                is none: it makes a new tensor, as with numbers

    b = a + 1.0
    c = b + 2.0         c keeps the old edge of b
    b.mul_(3.0)         b has a new one, its memory new numbers, its version is 1

Whoever saved the old numbers notices by the version. Gradients of views are not rebased, so a write
is refused where a view would show numbers that its own gradient knows nothing of.
"""

from __future__ import annotations

from typing import Any

from cgkit.arithmetic import call
from cgkit.device import DeviceArray
from cgkit.errors import CaptureError, DeviceError, GradientError
from cgkit.node import LEAF, Edge, Operator
from cgkit.tensor.methods import TensorMethods
from cgkit.tensor.modes import grad_enabled
from cgkit.writing import Writable, check_fits


def write(x: Any, act: Any, *others: Any, **params: Any) -> Any:
    """Apply an operator in place.

    Parameters
    ----------
    x
        The tensor to write to; it is the first operand too.
    act
        Any operator, or function of operators, whose result has x's shape.
    others, params
        The further operands, and the settings.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    GradientError
        x is a leaf that requires grad, a view, or has views that would change behind their back.
    ShapeError, DtypeError
        The result does not fit into x.
    DeviceError
        x lies on another device than the cpu.
    """
    check_writable(x)
    # a function of several operators saves the old x in the first: it needs one that stays
    old = x if isinstance(act, Operator) else x.wrap(x.data.copy(), x.edge)
    y = call(act, old, *others, **params)
    if not isinstance(y, TensorMethods):
        raise CaptureError(
            f"cannot write {y!r} into a Tensor: it has no numbers yet", attempt="x = x + ..."
        )
    check_fits(x, y, act)
    if grad_enabled() and (x.edge is not None or y.edge is not None):
        if any(view() is not None for view in x.version[2:]):
            raise GradientError(
                "cannot write in place to a tensor that has views, such as x.reshape or x[1:]",
                why="the views would show the new numbers but pass on gradients of the old ones",
                attempt="x = x + ...",
            )
        _move(x, y)
    x.data[...] = y.data
    x.version[0] += 1
    return x


def check_writable(x: Any) -> None:
    """Refuse to write to a leaf that requires grad, to views, and to memory that never changes.

    Raises
    ------
    GradientError, DeviceError
        It must not be written to.
    """
    leaf = x.edge is not None and x.edge.node is not None and x.edge.node.operator is LEAF
    if leaf and grad_enabled():
        raise GradientError(
            "a leaf that requires grad cannot be written to in place",
            why="its old value is what the gradient belongs to",
            attempt="no_grad() around an update, or x = x + ...",
        )
    if isinstance(x.data, DeviceArray):
        raise DeviceError(
            f"cannot write in place to a tensor on {x.device}: its memory never changes",
            attempt=f'x = (x.to("cpu") + ...).to("{x.device}")',
        )
    if len(x.version) > 1 and x.data is not x.version[1]:
        raise GradientError(
            f"cannot write in place to a view of shape {x.shape}",
            why="its memory belongs to another tensor",
            attempt="x = x + ..., or a copy: Tensor(x)",
        )
    if 0 in x.data.strides and any(
        size > 1 and stride == 0 for size, stride in zip(x.shape, x.data.strides, strict=True)
    ):
        raise GradientError(
            f"cannot write in place to an expanded tensor of shape {x.shape}",
            why="several of its elements are one number in memory",
            attempt="a copy first: Tensor(x)",
        )
    if not x.data.flags.writeable:
        raise GradientError(
            f"cannot write in place to a tensor of shape {x.shape}: its memory is read-only",
            attempt="a copy first: Tensor(x)",
        )


def _move(x: Any, y: Any) -> None:
    """Move x to y's edge: the node keeps a copy of the old x, and as its result the new x."""
    kept = x.retains_grad
    if kept:
        x.release_grad()
    if y.edge is None or y.edge.node is None:
        x.edge = None
        return
    node, saved = y.edge.node, list(y.edge.node.saved)
    for i in range(0, len(saved), 4):
        if saved[i] < 0:
            saved[i + 1 : i + 4] = [x.data, x.version, x.version[0] + 1]
        elif saved[i + 1] is x.data:
            saved[i + 1 : i + 4] = [x.data.copy(), [0], 0]
    node.saved = tuple(saved)
    x.edge = Edge(node, 0, x.data.shape, x.data.dtype)
    if kept:
        x.retain_grad()


class Writing(Writable, TensorMethods):
    """A tensor that can be written to."""

    __slots__ = ()
    _write = write
