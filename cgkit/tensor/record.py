"""Compute at once and record how: what applying an operator to Tensors means.

    mul(x, w) ─> data = x.data * w.data
              └> Node(mul, (x.edge, w.edge), saved: w for x's gradient, x for w's) if one is wanted

Only what a gradient will read is saved, and only for operands that want one. Tensors whose data are
the same memory share one version counter, so backward notices a write through any of them. One and
two operands have a path of their own: a lone eager operator costs about as much as NumPy's.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import CaptureError, DtypeError, GradientError, ShapeError
from cgkit.node import LEAF, NO_PARAMS, Edge, Node, Operand, Operator
from cgkit.tensor.backward import GRAD_MODE
from cgkit.tensor.methods import TensorMethods

grad_enabled = GRAD_MODE.get
ndarray = np.ndarray
FIRST: tuple[int, ...] = (0,)
SECOND: tuple[int, ...] = (1,)
BOTH: tuple[int, ...] = (0, 1)
_NUMBERS = (float, int, bool)


class Tensor(TensorMethods):
    """An array of numbers that remembers how it was computed.

    Writing in place is said so: `x.add_(1)`. As with numbers, `x += 1` makes a new tensor, and
    leaves alone whoever else holds the old one.

    Parameters
    ----------
    data
        A number, nested lists, an array or another Tensor; it is copied.
    dtype
        The dtype to hold it in; NumPy's choice by default.
    requires_grad
        Whether `backward` shall collect a gradient here.

    Raises
    ------
    DtypeError
        The data are no numbers, or require a gradient and are not floating.

    Examples
    --------
    >>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    Tensor([2., 4., 6.])
    """

    __slots__ = ()
    rank = 1

    def __init__(
        self, data: Any, *, dtype: DTypeLike | None = None, requires_grad: bool = False
    ) -> None:
        self.data = as_data(data, dtype)
        self.edge = None
        self.version = [0]
        if requires_grad:
            self.requires_grad_()

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Compute an operator on these operands, and record it if a gradient may be wanted."""
        arrays = [x.data if isinstance(x, Tensor) else x for x in inputs]
        found = _compute(operator, arrays, params)
        results = found if operator.several else (found,)
        data = [_array(y, inputs) for y in results]
        versions = [_version_of(y, inputs) for y in data]
        wanted = tuple(
            i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.edge is not None
        )
        if not wanted or operator.gradient is None or not grad_enabled():
            made = tuple([_wrap(y, None, v) for y, v in zip(data, versions, strict=True)])
        else:
            made = _record(operator, inputs, params, wanted, data, versions)
        return made if operator.several else made[0]

    @staticmethod
    def binary(operator: Operator, left: Any, right: Any) -> Any:  # noqa: C901
        """Apply an operator to two operands, at least one a Tensor: the hot path of `apply`."""
        if left.__class__ is Tensor:
            a, left_edge = left.data, left.edge
        elif isinstance(left, Operand):
            return operator(left, right)
        else:
            a, left_edge = left, None
        if right.__class__ is Tensor:
            b, right_edge = right.data, right.edge
        elif isinstance(right, Operand):
            return operator(left, right)
        else:
            b, right_edge = right, None
        try:
            y = operator.compute(a, b)
        except (ValueError, TypeError, OverflowError) as error:
            operator.explain((a, b), NO_PARAMS, error)
        if y.__class__ is not ndarray or y is a or y is b:
            y = _array(y, (left, right))
        version = [0] if y.base is None else _version_of(y, (left, right))
        if left_edge is None:
            if right_edge is None or not _records(operator, y):
                return _wrap(y, None, version)
            wanted, edges = SECOND, (_kept(left), right_edge)
        elif not _records(operator, y):
            return _wrap(y, None, version)
        elif right_edge is None:
            wanted, edges = FIRST, (left_edge, _kept(right))
        else:
            wanted, edges = BOTH, (left_edge, right_edge)
        saved = _saved(operator, wanted, (left, right), y, version)
        node = Node(operator, edges, NO_PARAMS, saved)
        return _wrap(y, Edge(node, 0, y.shape, y.dtype), version)

    @staticmethod
    def unary(operator: Operator, operand: Tensor) -> Tensor:
        """Apply an operator to one operand: the hot path of `apply`."""
        y = _compute(operator, (operand.data,), NO_PARAMS)
        if y.__class__ is not ndarray or y is operand.data:
            y = _array(y, (operand,))
        version = [0] if y.base is None else _version_of(y, (operand,))
        if operand.edge is None or not _records(operator, y):
            return _wrap(y, None, version)
        saved = _saved(operator, FIRST, (operand,), y, version)
        node = Node(operator, (operand.edge,), NO_PARAMS, saved)
        return _wrap(y, Edge(node, 0, y.shape, y.dtype), version)

    def add_(self, other: Any) -> Tensor:
        """Add in place."""
        return write(self, ops.ALL["add"], other)

    def sub_(self, other: Any) -> Tensor:
        """Subtract in place."""
        return write(self, ops.ALL["sub"], other)

    def mul_(self, other: Any) -> Tensor:
        """Multiply in place."""
        return write(self, ops.ALL["mul"], other)

    def div_(self, other: Any) -> Tensor:
        """Divide in place."""
        return write(self, ops.ALL["div"], other)

    def exp_(self) -> Tensor:
        """Raise e to the elements, in place."""
        return write(self, ops.ALL["exp"])

    def tanh_(self) -> Tensor:
        """Take the hyperbolic tangent, in place."""
        return write(self, ops.ALL["tanh"])

    def relu_(self) -> Tensor:
        """Put 0 for negative elements, in place."""
        return write(self, ops.ALL["relu"])


_wrap = Tensor.wrap


def as_data(data: Any, dtype: DTypeLike | None = None) -> np.ndarray:
    """Copy numbers into an array.

    Raises
    ------
    DtypeError
        The data are no numbers.
    ShapeError
        Nested lists of unlike lengths.
    """
    source = data.data if isinstance(data, Tensor) else data
    try:
        array = np.array(source, dtype=dtype)
    except (ValueError, TypeError, OverflowError) as error:
        if "inhomogeneous" in str(error):
            raise ShapeError("nested lists of unlike lengths make no tensor") from None
        raise DtypeError(f"cannot make a tensor of {data!r:.60}: {error}") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(
            f"a tensor holds real numbers, not {array.dtype}",
            attempt="numbers, lists or arrays of them",
        )
    return array


def _compute(operator: Operator, arrays: Sequence[Any], params: Mapping[str, Any]) -> Any:
    try:
        return operator.compute(*arrays, **params)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        operator.explain(arrays, params, error)


def _array(y: Any, inputs: Sequence[Any]) -> np.ndarray:
    """Give a result as an array; an operand's own array as a view, so that it counts as one."""
    if y.__class__ is not ndarray:
        return np.asarray(y)
    return y.view() if any(isinstance(x, Tensor) and y is x.data for x in inputs) else y


def _version_of(data: np.ndarray, operands: Sequence[Any]) -> list[Any]:
    """Give the counter of an operand whose memory the data lie in, or a new one."""
    if data.base is None:
        return [0]
    for x in operands:
        if isinstance(x, Tensor) and (data is x.data or np.may_share_memory(data, x.data)):
            return _share_counter(data, x)
    return [0]


def _share_counter(data: np.ndarray, x: Tensor) -> list[Any]:
    version = x.version
    if data is not x.data:
        if len(version) == 1:
            version.append(x.data)
        if len(version) & (len(version) - 1) == 0:  # now and then, lest many views cost a square
            version[2:] = [view for view in version[2:] if view() is not None]
        version.append(weakref.ref(data))
    return version


def _kept(x: Any) -> Any:
    """Give an operand as a node keeps it: an edge, or a plain number as it is; never an array."""
    if isinstance(x, Tensor):
        return x.edge if x.edge is not None else Edge(None, 0, x.data.shape, x.data.dtype)
    if x.__class__ in _NUMBERS:
        return x
    array = np.asarray(x)
    return Edge(None, 0, array.shape, array.dtype)


def _records(operator: Operator, y: np.ndarray) -> bool:
    """Whether a gradient can go back from this result: through slopes, which only floats have."""
    kind = y.dtype.kind
    if kind == "c":
        raise DtypeError("complex numbers have no gradient here")
    return kind == "f" and operator.gradient is not None and grad_enabled()


def _saved(
    operator: Operator,
    wanted: tuple[int, ...],
    inputs: tuple[Any, ...],
    y: np.ndarray,
    version: list[Any],
) -> tuple[Any, ...]:
    """Lay end to end what the gradients of the wanted operands will read, as Node.saved has it."""
    places = operator.slots.get(wanted)
    saved: tuple[Any, ...] = ()
    for place in operator.kept(wanted) if places is None else places:
        if place < 0:
            saved += (-1, y, version, version[0])
        elif place < len(inputs):
            x = inputs[place]
            if isinstance(x, Tensor):
                counter = x.version
                saved += (place, x.data, counter, counter[0])
            else:  # an array of the user's is copied, lest it change
                saved += (place, x if x.__class__ in _NUMBERS else np.array(x), [0], 0)
    return saved


def _record(
    operator: Operator,
    inputs: tuple[Any, ...],
    params: Mapping[str, Any],
    wanted: tuple[int, ...],
    data: list[np.ndarray],
    versions: list[list[Any]],
) -> tuple[Tensor, ...]:
    saved = _saved(operator, wanted, inputs, data[0], versions[0])
    node = Node(operator, tuple([_kept(x) for x in inputs]), params, saved)
    return tuple(
        [
            _wrap(y, Edge(node, i, y.shape, y.dtype) if _records(operator, y) else None, version)
            for i, (y, version) in enumerate(zip(data, versions, strict=True))
        ]
    )


def write(x: Tensor, operator: Operator, *others: Any) -> Tensor:
    """Apply an operator in place: the ordinary operator, then the handle moves to its edge.

    Parameters
    ----------
    x
        The tensor to write to; it is the first operand too.
    operator
        Any operator whose result has x's shape.
    others
        The further operands.

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
    """
    leaf = x.edge is not None and x.edge.node is not None and x.edge.node.operator is LEAF
    if leaf and grad_enabled():
        raise GradientError(
            "a leaf that requires grad cannot be written to in place",
            why="its old value is what the gradient belongs to",
            attempt="no_grad() around an update, or x = x + ...",
        )
    if len(x.version) > 1 and x.data is not x.version[1]:
        raise GradientError(
            f"cannot write in place to a view of shape {x.shape}",
            why="its memory belongs to another tensor",
            attempt="x = x + ..., or a copy: Tensor(x)",
        )
    y = operator(x, *others)
    if not isinstance(y, Tensor):
        raise CaptureError(
            f"cannot write {y!r} into a Tensor: it has no numbers yet", attempt="x = x + ..."
        )
    _check_fits(x, y, operator)
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


def _check_fits(x: Tensor, y: Tensor, operator: Operator) -> None:
    if y.shape != x.shape:
        raise ShapeError(
            f"{operator.name}_ gives shape {y.shape}, which does not fit into {x.shape}",
            attempt="x = x + ..., which may grow",
        )
    if not np.can_cast(y.dtype, x.dtype, "same_kind"):
        raise DtypeError(f"{operator.name}_ gives {y.dtype}, which does not fit into {x.dtype}")


def _move(x: Tensor, y: Tensor) -> None:
    """Move x to y's edge: the node keeps a copy of the old x, and as its result the new x."""
    if y.edge is None or y.edge.node is None:
        x.edge = None
        return
    kept = x.retains_grad
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
