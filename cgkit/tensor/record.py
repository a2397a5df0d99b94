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

from cgkit.device import DeviceArray
from cgkit.errors import DeviceError, DtypeError, ShapeError
from cgkit.node import NO_PARAMS, Edge, Node, Operand, Operator
from cgkit.speech import FAILURES, recover
from cgkit.tensor.inplace import Writing
from cgkit.tensor.modes import grad_enabled
from cgkit.tensor.placement import refuse_devices
from cgkit.types import as_dtype

ndarray = np.ndarray
new = object.__new__
Wanted = tuple[int, ...]
FIRST: Wanted = (0,)
SECOND: Wanted = (1,)
BOTH: Wanted = (0, 1)
_NUMBERS = (float, int, bool)
_FAILURES = (*FAILURES, DeviceError)


def binary(operator: Operator, left: Any, right: Any) -> Any:  # noqa: C901
    """Apply an operator to two operands, at least one a Tensor: the hot path of `apply`."""
    if left.__class__ is Tensor:
        a, left_edge = left.data, left.edge
    elif isinstance(left, Operand):
        return _other(operator, left, right)
    else:
        a, left_edge = left, None
    if right.__class__ is Tensor:
        b, right_edge = right.data, right.edge
    elif isinstance(right, Operand):
        return _other(operator, left, right)
    else:
        b, right_edge = right, None
    try:
        y = operator.compute(a, b)
    except _FAILURES as error:
        y = _recover(operator, (left, right), NO_PARAMS, error)
    if y.__class__ is not ndarray or y is a or y is b:
        y = _array(y, (left, right))
    dtype = y.dtype
    version = [0] if y.base is None else _version_of(y, (left, right))
    if left_edge is None:
        if right_edge is None:
            return _plain(operator, y, dtype, version)
        wanted, edges = SECOND, (_kept(left), right_edge)
    elif right_edge is None:
        wanted, edges = FIRST, (left_edge, _kept(right))
    else:
        wanted, edges = BOTH, (left_edge, right_edge)
    if dtype.kind != "f" or operator.gradient is None or not grad_enabled():
        return _plain(operator, y, dtype, version)
    saved: tuple[Any, ...] = ()
    for place in operator.slots.get(wanted) or operator.kept(wanted):
        x = right if place == 1 else left
        if place < 0:
            saved += (-1, y, version, version[0])
        elif x.__class__ is Tensor:
            saved += (place, x.data, x.version, x.version[0])
        else:
            saved += _saved_value(place, x)
    return _recorded(operator, edges, NO_PARAMS, saved, y, dtype, version)


def unary(operator: Operator, operand: Any, params: Mapping[str, Any] = NO_PARAMS) -> Any:
    """Apply an operator to one Tensor: the hot path of `apply`."""
    a = operand.data
    try:
        y = operator.compute(a, **params) if params else operator.compute(a)
    except _FAILURES as error:
        y = _recover(operator, (operand,), params, error)
    if y.__class__ is not ndarray or y is a:
        y = _array(y, (operand,))
    dtype = y.dtype
    version = [0] if y.__class__ is DeviceArray or y.base is None else _version_of(y, (operand,))
    edge = operand.edge
    if edge is None or dtype.kind != "f" or operator.gradient is None or not grad_enabled():
        return _plain(operator, y, dtype, version)
    saved: tuple[Any, ...] = ()
    for place in operator.slots.get(FIRST) or operator.kept(FIRST):
        if place < 0:
            saved += (-1, y, version, version[0])
        elif place == 0:
            saved += (0, a, operand.version, operand.version[0])
    return _recorded(operator, (edge,), params, saved, y, dtype, version)


def general(operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """Apply an operator to any number of operands, with any number of results."""
    arrays = [x.data if isinstance(x, Tensor) else x for x in inputs]
    try:
        found = operator.compute(*arrays, **params)
    except _FAILURES as error:
        found = _recover(operator, inputs, params, error)
    data = [_array(y, inputs) for y in (found if operator.several else (found,))]
    versions = [_version_of(y, inputs) for y in data]
    wanted = tuple(i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.edge is not None)
    results = list(zip(data, versions, strict=True))
    if not wanted or operator.gradient is None or not grad_enabled():
        made = tuple([_plain(operator, y, y.dtype, version) for y, version in results])
        return made if operator.several else made[0]
    saved: tuple[Any, ...] = ()
    for place in operator.kept(wanted):
        if place < 0:
            saved += (-1, data[0], versions[0], versions[0][0])
        elif place < len(inputs):
            saved += _saved_value(place, inputs[place])
    node = Node(operator, tuple([_kept(x) for x in inputs]), params, saved)
    made = tuple(
        [
            _wrap(y, Edge(node, i, y.shape, y.dtype), version)
            if y.dtype.kind == "f"
            else _plain(operator, y, y.dtype, version)
            for i, (y, version) in enumerate(results)
        ]
    )
    return made if operator.several else made[0]


class Tensor(Writing):
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
        if not operator.several:
            if len(inputs) == 1:
                return unary(operator, inputs[0], params)
            if len(inputs) == 2 and not params:
                return binary(operator, *inputs)
        return general(operator, inputs, params)

    binary = staticmethod(binary)
    unary = staticmethod(unary)


_wrap = Tensor.wrap


def _other(operator: Operator, *inputs: Any) -> Any:
    """Apply an operator to operands of which one is a Value or of a class of the user's."""
    if any(isinstance(x, Operand) and x.rank > Tensor.rank for x in inputs):
        return operator(*inputs)
    return general(operator, inputs, NO_PARAMS)


def _recover(
    operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any], error: Exception
) -> Any:
    """Compute again where NumPy only warned; raise an error that explains itself for any other."""
    refuse_devices(operator, inputs)
    for i, x in enumerate(inputs):
        if not isinstance(x, Operand | ndarray | np.generic | int | float):
            _check_number(operator, i, x)
    return recover(
        operator, [x.data if isinstance(x, Tensor) else x for x in inputs], params, error
    )


def _check_number(operator: Operator, place: int, x: Any) -> None:
    """Demand that an operand is numbers, of a kind that tensors hold."""
    try:
        kind = np.asarray(x).dtype.kind
    except ValueError:
        return  # lists of unlike lengths have an error of their own
    if kind not in "fiubc":
        raise DtypeError(
            f"{operator.name} cannot compute with {x!r:.60}",
            why=f"operand {place} is of type {type(x).__name__}, which is no number",
            attempt="a tensor, an array, a list of numbers or a number",
        )


def _plain(operator: Operator, y: Any, dtype: np.dtype, version: list[Any]) -> Tensor:
    """Give a result that no gradient goes back from."""
    if dtype.kind not in "fiub":
        raise DtypeError(
            f"{operator.name} gives {dtype}, but a tensor holds real numbers",
            why="complex numbers are not supported, nor their gradients",
            attempt="the real and the imaginary part as two tensors",
        )
    made = new(Tensor)
    made.data = y
    made.edge = None
    made.version = version
    return made


def _recorded(
    operator: Operator,
    edges: tuple[Any, ...],
    params: Mapping[str, Any],
    saved: tuple[Any, ...],
    y: Any,
    dtype: np.dtype,
    version: list[Any],
) -> Tensor:
    """Give a result with its node: built by hand, since constructors would cost a quarter more."""
    node = new(Node)
    node.operator = operator
    node.inputs = edges
    node.params = params
    node.saved = saved
    node.extras = None
    edge = new(Edge)
    edge.node = node
    edge.index = 0
    edge.shape = y.shape
    edge.dtype = dtype
    made = new(Tensor)
    made.data = y
    made.edge = edge
    made.version = version
    return made


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
    if hasattr(source, "mask") and hasattr(source, "filled"):
        raise DtypeError(
            "cannot make a tensor of a masked array: some places have no number",
            attempt="array.filled(0.0), or only the places that have one",
        )
    wanted = None if dtype is None else as_dtype(dtype)
    try:
        array = np.array(source, dtype=wanted)
    except (ValueError, TypeError, OverflowError) as error:
        if "inhomogeneous" in str(error):
            raise ShapeError(
                f"nested lists of unlike lengths make no tensor: {data!r:.60}",
                attempt="lists of one length, filled up with 0 where needed",
            ) from None
        raise DtypeError(
            f"cannot make a tensor of {data!r:.60}",
            why=str(error),
            attempt="numbers, lists or arrays of them, and a dtype that holds them",
        ) from None
    if type(data) is int and array.dtype.kind == "O":
        raise DtypeError(
            f"cannot make a tensor of {data!r:.60}",
            why="it is too large for a whole number of 64 bits",
            attempt="a floating number, such as 1e30",
        )
    if array.dtype.kind not in "fiub":
        what = type(data).__name__ if array.dtype.kind == "O" else str(array.dtype)
        raise DtypeError(
            f"a tensor holds real numbers, not {what}: {data!r:.60}",
            attempt="numbers, lists or arrays of them",
        )
    # operators compute in this machine's order of bytes
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _array(y: Any, inputs: Sequence[Any]) -> Any:
    """Give a result as an array; an operand's own array as a view, so that it counts as one."""
    if y.__class__ is not ndarray:
        return y if y.__class__ is DeviceArray else np.asarray(y)
    return y.view() if any(isinstance(x, Tensor) and y is x.data for x in inputs) else y


def _version_of(data: Any, operands: Sequence[Any]) -> list[Any]:
    """Give the counter of an operand whose memory the data lie in, or a new one."""
    if data.__class__ is DeviceArray or data.base is None:
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


def _saved_value(place: int, x: Any) -> tuple[Any, ...]:
    """Give what `Node.saved` holds of an operand."""
    if isinstance(x, Tensor):
        return (place, x.data, x.version, x.version[0])
    # an array of the user's is copied, lest it change
    return (place, x if x.__class__ in _NUMBERS else np.array(x), [0], 0)
