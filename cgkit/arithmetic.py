"""Python's own notation for operators: `x + 1`, `W @ x`, `x[0]`, for Tensors and Values alike.

    x + y            ─>  type(x).binary(add, x, y)
    x.softmax(-1)    ─>  ops.softmax(x, axis=-1), for the operators listed in METHODS

A handle class says once, in `unary` and `binary`, what applying an operator means; everything here
follows. Comparisons give booleans for each element and have no gradient; `==` compares elements
too, so handles are told apart by `is`. `&`, `|`, `^`, `~` and shifts work on bits, and on truth
values as "and", "or" and "not" for each element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from cgkit import operators as ops
from cgkit.errors import OperandError, ShapeError
from cgkit.node import Operand, Operator
from cgkit.operators.indices import normal_index
from cgkit.operators.reduction import Axis
from cgkit.speech import ELSEWHERE, calling, lacking
from cgkit.types import Shape, Size

_ADD, _SUB, _MUL, _DIV = ops.ALL["add"], ops.ALL["sub"], ops.ALL["mul"], ops.ALL["div"]
_NEG, _POW, _ABS, _MATMUL = ops.ALL["neg"], ops.ALL["pow"], ops.ALL["abs"], ops.ALL["matmul"]

_INFIX = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "power": "pow",
    "matmul": "matmul", "floor_divide": "floor_div", "remainder": "mod", "less": "less",
    "less_equal": "less_equal", "greater": "greater", "greater_equal": "greater_equal",
    "equal": "equal", "not_equal": "not_equal", "left_shift": "left_shift",
    "right_shift": "right_shift",
}  # fmt: skip
"""What NumPy calls the operators that Python has a sign for."""


class Missing:
    """A name that tensors do not have: whoever asks is told what to try.

    A `__getattr__` would say it for every name, and make each look at a tensor slower.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, owner: Any) -> Any:
        """Refuse, as if there were no such name."""
        words = owner.instead
        raise AttributeError(lacking(owner, self.name, {*ops.ALL, *ops.COMPOSED}, words))


class Arithmetic(Operand):
    """Infix notation and methods, for operands that have a shape."""

    __slots__ = ()
    __hash__ = Operand.__hash__
    instead: Mapping[str, str] = ELSEWHERE
    """What to try for names that others have."""

    def __init_subclass__(cls) -> None:
        for name in cls.instead:
            if not hasattr(Arithmetic, name) and name not in cls.__dict__:
                setattr(cls, name, Missing(name))

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.instead]

    @staticmethod
    def binary(operator: Operator, left: Any, right: Any) -> Any:
        """Apply an operator to two operands, at least one of them of this class."""
        return operator(left, right)

    @staticmethod
    def unary(operator: Operator, operand: Any) -> Any:
        """Apply an operator to one operand of this class."""
        return operator(operand)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        """Answer NumPy: `array + x` ends here, and so does np.exp(x), which is refused."""
        name = _INFIX.get(ufunc.__name__)
        if name is not None and method == "__call__" and not settings:
            return self.binary(ops.ALL[name], *inputs)
        if "out" in settings:
            raise OperandError(
                f"np.{ufunc.__name__} cannot write a {type(self).__name__} into an array",
                attempt="array = array + x, or x.numpy()",
            )
        known = ufunc.__name__ if ufunc.__name__ in ops.ALL else name
        raise OperandError(
            f"np.{ufunc.__name__} does not take a {type(self).__name__}",
            why="NumPy would compute without remembering how",
            attempt=f"ops.{known}(...)" if known else "x.numpy()",
        )

    @property
    def shape(self) -> Any:
        """A size for each axis."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __add__(self, other: Any) -> Any:
        return self.binary(_ADD, self, other)

    def __radd__(self, other: Any) -> Any:
        return self.binary(_ADD, other, self)

    def __sub__(self, other: Any) -> Any:
        return self.binary(_SUB, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.binary(_SUB, other, self)

    def __mul__(self, other: Any) -> Any:
        return self.binary(_MUL, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.binary(_MUL, other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.binary(_DIV, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.binary(_DIV, other, self)

    def __pow__(self, other: Any) -> Any:
        return self.binary(_POW, self, other)

    def __rpow__(self, other: Any) -> Any:
        return self.binary(_POW, other, self)

    def __matmul__(self, other: Any) -> Any:
        return self.binary(_MATMUL, self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.binary(_MATMUL, other, self)

    def __neg__(self) -> Self:
        negated: Self = self.unary(_NEG, self)
        return negated

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Self:
        size: Self = self.unary(_ABS, self)
        return size

    def __lt__(self, other: Any) -> Any:
        return self.binary(ops.ALL["less"], self, other)

    def __le__(self, other: Any) -> Any:
        return self.binary(ops.ALL["less_equal"], self, other)

    def __gt__(self, other: Any) -> Any:
        return self.binary(ops.ALL["greater"], self, other)

    def __ge__(self, other: Any) -> Any:
        return self.binary(ops.ALL["greater_equal"], self, other)

    def __eq__(self, other: object) -> Any:
        return self.binary(ops.ALL["equal"], self, other)

    def __ne__(self, other: object) -> Any:
        return self.binary(ops.ALL["not_equal"], self, other)

    def __floordiv__(self, other: Any) -> Any:
        return self.binary(ops.ALL["floor_div"], self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self.binary(ops.ALL["floor_div"], other, self)

    def __mod__(self, other: Any) -> Any:
        return self.binary(ops.ALL["mod"], self, other)

    def __rmod__(self, other: Any) -> Any:
        return self.binary(ops.ALL["mod"], other, self)

    def __and__(self, other: Any) -> Any:
        return self.binary(ops.ALL["bitwise_and"], self, other)

    def __rand__(self, other: Any) -> Any:
        return self.binary(ops.ALL["bitwise_and"], other, self)

    def __or__(self, other: Any) -> Any:
        return self.binary(ops.ALL["bitwise_or"], self, other)

    def __ror__(self, other: Any) -> Any:
        return self.binary(ops.ALL["bitwise_or"], other, self)

    def __xor__(self, other: Any) -> Any:
        return self.binary(ops.ALL["bitwise_xor"], self, other)

    def __rxor__(self, other: Any) -> Any:
        return self.binary(ops.ALL["bitwise_xor"], other, self)

    def __lshift__(self, other: Any) -> Any:
        return self.binary(ops.ALL["left_shift"], self, other)

    def __rlshift__(self, other: Any) -> Any:
        return self.binary(ops.ALL["left_shift"], other, self)

    def __rshift__(self, other: Any) -> Any:
        return self.binary(ops.ALL["right_shift"], self, other)

    def __rrshift__(self, other: Any) -> Any:
        return self.binary(ops.ALL["right_shift"], other, self)

    def __invert__(self) -> Self:
        turned: Self = self.unary(ops.ALL["bitwise_not"], self)
        return turned

    def __getitem__(self, key: Any) -> Self:
        index, arrays = normal_index(key, self.ndim, self.shape)
        chosen: Self = ops.ALL["index" if arrays else "slice"](self, *arrays, index=index)
        return chosen

    def __setitem__(self, key: Any, value: Any) -> None:
        raise OperandError(
            "the elements of a value of a graph cannot be written to",
            attempt="ops.where(condition, new, x), or ops.put for a part of it",
        )

    def __len__(self) -> int:
        if not self.shape:
            raise ShapeError("a single number has no length")
        return int(self.shape[0].__index__())

    @property
    def T(self) -> Self:  # noqa: N802
        """The tensor with its axes reversed."""
        return self.transpose()

    def transpose(self, *axes: int | Sequence[int] | None) -> Self:
        """Put the axes in another order, reversed by default: `x.transpose(1, 0)`."""
        turn = ops.ALL["transpose"]
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        turned: Self = turn(self, axes=tuple(order)) if order else self.unary(turn, self)
        return turned

    def reshape(self, *shape: Size | Shape) -> Self:
        """Put the elements, in order, in another shape; one size may be -1."""
        one = shape[0] if len(shape) == 1 else None
        sizes = tuple(one) if isinstance(one, tuple | list) else shape
        shaped: Self = ops.ALL["reshape"](self, shape=sizes)
        return shaped

    def squeeze(self, axis: Axis = None) -> Self:
        """Take out axes of size 1, all of them by default."""
        squeezed: Self = ops.ALL["squeeze"](self, axis=axis)
        return squeezed

    def unsqueeze(self, axis: int | tuple[int, ...]) -> Self:
        """Put in new axes of size 1, at places counted in the result."""
        wider: Self = ops.ALL["unsqueeze"](self, axis=axis)
        return wider

    def flatten(self, start: int = 0, end: int = -1) -> Self:
        """Lay the axes from start to end end to end; all of them by default."""
        flat: Self = ops.COMPOSED["flatten"](self, start, end)
        return flat

    def split(self, parts: int | Sequence[Size], axis: int = 0) -> tuple[Self, ...]:
        """Cut along an axis into a number of equal parts, or into parts of given sizes."""
        several = isinstance(parts, tuple | list)
        how = {"sizes": parts} if several else {"sections": parts}
        cut: tuple[Self, ...] = ops.ALL["split"](self, axis=axis, **how)
        return cut

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Add up the elements along axes, all by default."""
        return self._reduce("sum", axis, keepdims)

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Give the mean of the elements along axes, of all by default."""
        return self._reduce("mean", axis, keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Give the largest element along axes, of all by default."""
        return self._reduce("max", axis, keepdims)

    def min(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Give the smallest element along axes, of all by default."""
        return self._reduce("min", axis, keepdims)

    def prod(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Multiply the elements along axes, all by default."""
        return self._reduce("prod", axis, keepdims)

    def any(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Say whether some element along axes is not 0."""
        return self._reduce("any", axis, keepdims)

    def all(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Say whether no element along axes is 0."""
        return self._reduce("all", axis, keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Self:
        """Give the place of the largest element along an axis, or of all laid flat."""
        return self._reduce("argmax", axis, keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Self:
        """Give the place of the smallest element along an axis, or of all laid flat."""
        return self._reduce("argmin", axis, keepdims)

    def var(self, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Self:
        """Give the variance along axes; the count is less the correction."""
        return self._reduce("var", axis, keepdims, correction=correction)

    def std(self, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Self:
        """Give the standard deviation along axes; the count is less the correction."""
        return self._reduce("std", axis, keepdims, correction=correction)

    def cumsum(self, axis: int) -> Self:
        """Add up the elements up to each one along an axis."""
        sums: Self = ops.ALL["cumsum"](self, axis=axis)
        return sums

    def cumprod(self, axis: int) -> Self:
        """Multiply the elements up to each one along an axis."""
        products: Self = ops.ALL["cumprod"](self, axis=axis)
        return products

    def swapaxes(self, first: int, second: int) -> Self:
        """Let two axes change places."""
        swapped: Self = ops.COMPOSED["swapaxes"](self, first, second)
        return swapped

    def _reduce(self, name: str, axis: Axis, keepdims: bool, **settings: Any) -> Self:
        reduced: Self
        if axis is None and not keepdims and not settings:
            reduced = self.unary(ops.ALL[name], self)
            return reduced
        if keepdims:
            settings["keepdims"] = True
        where = tuple(axis) if isinstance(axis, list) else axis
        reduced = ops.ALL[name](self, axis=where, **settings)
        return reduced


METHODS = (
    "all", "any", "argmax", "argmin", "cast", "ceil", "clip", "cos", "cumprod", "cumsum", "erf",
    "exp", "flatten", "flip", "floor", "log", "log_softmax", "logsumexp", "maximum", "minimum",
    "moveaxis", "norm", "pow", "prod", "reciprocal", "relu", "repeat", "round", "sigmoid", "sign",
    "sin", "softmax", "sqrt", "square", "squeeze", "std", "swapaxes", "tan", "tanh", "tile",
    "tril", "triu", "unsqueeze", "var",
)  # fmt: skip
"""What has a form `x.name(...)`; every operator has the form `ops.name(x, ...)`."""


class Method:
    """An operator as a method: `x.exp()` is `ops.exp(x)`."""

    def __init__(self, act: Any) -> None:
        self.act = act
        self.__doc__ = f"{act.doc}." if isinstance(act, Operator) else act.__doc__.split("\n")[0]

    def __get__(self, x: Any, owner: type | None = None) -> Any:
        """Bind it to an operand."""
        return self if x is None else partial(call, self.act, x)


def call(act: Any, x: Any, *others: Any, **params: Any) -> Any:
    """Apply an operator, or a function of operators, whose settings may be given by position."""
    operands, params = settle(act, (x, *others), params)
    return act(*operands, **params)


def settle(
    act: Any, given: tuple[Any, ...], params: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Tell operands from settings that were given by position.

    Examples
    --------
    >>> settle(ops.softmax, ("x", -1), {})
    (('x',), {'axis': -1})
    """
    count = act.operands if isinstance(act, Operator) else None
    if count is None or len(given) <= count:
        return given, params
    names = [p.name for p in calling(act).parameters.values() if p.kind is p.KEYWORD_ONLY]
    names = names[: len(given) - count]
    if len(names) < len(given) - count:
        return given, params  # too many: the operator says so
    return given[:count], {**dict(zip(names, given[count:], strict=True)), **params}


for _name in METHODS:
    setattr(Arithmetic, _name, Method(getattr(ops, _name)))
