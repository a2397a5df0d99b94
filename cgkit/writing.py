"""Writing in place, as it looks to whoever writes: for Tensors and for values of a graph alike.

x.add_(1)  x.exp_()  x.clip_(...)     add, exp, clip, ...: every elementwise operator has one
x.copy_(y)  x.fill_(2)  x.zero_()     other numbers in the same place
x[1:] = y  x[mask] = 0                a part of them

A handle class says once, in `_write`, what that means: a Tensor computes and writes to its memory;
a value of a graph becomes another one, and what is written comes back when the graph has run.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from cgkit import operators as ops
from cgkit.arithmetic import Arithmetic, Method
from cgkit.errors import DtypeError, ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.indices import normal_index


class Writable(Arithmetic):
    """The ways to write into a tensor; a form for each operator that has one is added below."""

    __slots__ = ()

    def _write(self, act: Any, *others: Any, **params: Any) -> Self:
        """Apply an operator in place."""
        raise NotImplementedError

    def copy_(self, other: Any) -> Self:
        """Put the elements of another tensor, stretched to this shape, in the place of these."""
        return self._write(ops.ALL["overwrite"], other)

    def fill_(self, number: Any) -> Self:
        """Put one number in the place of every element."""
        if len(getattr(number, "shape", np.shape(getattr(number, "data", number)))) > 0:
            raise ShapeError(
                f"fill_ takes one number, not shape {np.shape(number)}", attempt="x.copy_(y)"
            )
        return self.copy_(number)

    def zero_(self) -> Self:
        """Put 0 in the place of every element."""
        return self.copy_(0)

    def __setitem__(self, key: Any, value: Any) -> None:
        index, arrays = normal_index(key, self.ndim)
        self._write(ops.ALL["put"], value, *arrays, index=index)


class InPlace(Method):
    """The in-place form of an operator, as a method: `x.exp_()` is `exp`, then a write."""

    def __init__(self, act: Any) -> None:
        super().__init__(act)
        self.__doc__ = f"In place: {self.__doc__}"

    def __get__(self, x: Any, owner: type | None = None) -> Any:
        """Bind it to a tensor."""
        return self if x is None else partial(x._write, self.act)


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


def check_fits(x: Any, y: Any, act: Any) -> None:
    """Demand that a result may stand in the place of a tensor.

    Raises
    ------
    ShapeError, DtypeError
        It has another shape, or a dtype that does not fit.
    """
    name = act.name if isinstance(act, Operator) else act.__name__
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


_OTHER = ("where", "cast", "gate", "share", "leak", "stop_gradient")
"""Elementwise, but their first operand is no tensor to be changed."""
COMPOSED = ("clip", "hard_sigmoid", "hard_swish", "hard_tanh", "relu6")
"""Functions of elementwise operators that have an in-place form too."""
for _operator in filter(fits, ops.ALL.values()):
    setattr(Writable, f"{_operator.name}_", InPlace(_operator))
for _name in COMPOSED:
    setattr(Writable, f"{_name}_", InPlace(ops.COMPOSED[_name]))
