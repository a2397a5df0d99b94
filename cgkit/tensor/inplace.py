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

from functools import partial
from typing import Any, Self

import numpy as np

from cgkit import operators as ops
from cgkit.arithmetic import Method, call
from cgkit.device import DeviceArray
from cgkit.errors import CaptureError, DeviceError, DtypeError, GradientError, ShapeError
from cgkit.node import LEAF, Edge, Kind, Operator
from cgkit.operators.indices import normal_index
from cgkit.tensor.methods import TensorMethods
from cgkit.tensor.modes import grad_enabled


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
    _check_writable(x)
    # a function of several operators saves the old x in the first: it needs one that stays
    old = x if isinstance(act, Operator) else x.wrap(x.data.copy(), x.edge)
    y = call(act, old, *others, **params)
    if not isinstance(y, TensorMethods):
        raise CaptureError(
            f"cannot write {y!r} into a Tensor: it has no numbers yet", attempt="x = x + ..."
        )
    _check_fits(x, y, act.name if isinstance(act, Operator) else act.__name__)
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


def _check_writable(x: Any) -> None:
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


def _check_fits(x: Any, y: Any, name: str) -> None:
    if y.shape != x.shape:
        raise ShapeError(
            f"{name}_ gives shape {y.shape}, which does not fit into {x.shape}",
            attempt=f"x = ops.{name}(x, ...), which may have another shape",
        )
    if not np.can_cast(y.dtype, x.dtype, "same_kind"):
        raise DtypeError(
            f"{name}_ gives {y.dtype}, which does not fit into {x.dtype}",
            attempt=f"x = ops.{name}(x, ...), which may have another dtype",
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


class InPlace(Method):
    """The in-place form of an operator, as a method: `x.exp_()` is `write(x, ops.exp)`."""

    def __init__(self, act: Any) -> None:
        super().__init__(act)
        self.__doc__ = f"In place: {self.__doc__}"

    def __get__(self, x: Any, owner: type | None = None) -> Any:
        """Bind it to a tensor."""
        return self if x is None else partial(write, x, self.act)


class Writing(TensorMethods):
    """The ways to write into a tensor; a form for each operator that has one is added below."""

    __slots__ = ()

    def copy_(self, other: Any) -> Self:
        """Put the elements of another tensor, stretched to this shape, in the place of these."""
        written: Self = write(self, ops.ALL["overwrite"], other)
        return written

    def fill_(self, number: Any) -> Self:
        """Put one number in the place of every element."""
        if np.ndim(getattr(number, "data", number)) > 0:
            raise ShapeError(
                f"fill_ takes one number, not shape {np.shape(number)}", attempt="x.copy_(y)"
            )
        return self.copy_(number)

    def zero_(self) -> Self:
        """Put 0 in the place of every element."""
        return self.copy_(0)

    def __setitem__(self, key: Any, value: Any) -> None:
        index, arrays = normal_index(key, self.ndim)
        write(self, ops.ALL["put"], value, *arrays, index=index)


def fits(operator: Operator) -> bool:
    """Whether a result may stand where the first operand stood: one of the same shape and sort.

    Examples
    --------
    >>> fits(ops.exp), fits(ops.add), fits(ops.matmul), fits(ops.where)
    (True, True, False, False)
    """
    return (
        operator.kind is Kind.ELEMENTWISE
        and operator.family in ("elementwise", "activation")
        and operator.name not in _OTHER
    )


_OTHER = ("where", "cast", "gate", "share", "leak", "stop_gradient")
"""Elementwise, but their first operand is no tensor to be changed."""
COMPOSED = ("clip", "hard_sigmoid", "hard_swish", "hard_tanh", "relu6")
"""Functions of elementwise operators that have an in-place form too."""
for _operator in filter(fits, ops.ALL.values()):
    setattr(Writing, f"{_operator.name}_", InPlace(_operator))
for _name in COMPOSED:
    setattr(Writing, f"{_name}_", InPlace(ops.COMPOSED[_name]))
