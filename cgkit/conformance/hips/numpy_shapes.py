"""NumPy's functions of shapes said in cgkit: turning, joining, parting, repeating, diagonals.

    CALLS["vstack"]([a, b])  ─>  ops.concat(a with two axes, b with two axes, axis=0)

Part of the table `numpy_calls.CALLS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.tensor import Tensor


def as_array(x: Any) -> Any:
    """Give a Tensor as it is, lists with Tensors joined, and all else as NumPy makes it.

    Examples
    --------
    >>> as_array([[Tensor(1.0), 2.0], [3.0, 4.0]]).shape
    (2, 2)
    """
    if isinstance(x, Tensor):
        return x
    if isinstance(x, list | tuple) and has_tensor(x):
        return ops.stack(*map(as_array, x), axis=0)
    return np.asarray(x)


def has_tensor(x: Any) -> bool:
    """Say whether there is a Tensor in lists, tuples and dicts.

    Examples
    --------
    >>> has_tensor([1, (2, {"a": Tensor(3.0)})]), has_tensor([1])
    (True, False)
    """
    if isinstance(x, list | tuple):
        return any(map(has_tensor, x))
    if isinstance(x, dict):
        return any(map(has_tensor, x.values()))
    return isinstance(x, Tensor)


def array(x: Any, dtype: Any = None) -> Any:
    """Make an array, of lists that hold Tensors too."""
    found = as_array(x)
    return found if dtype is None else ops.cast(found, dtype=np.dtype(dtype).name)


def cut(a: Any, axis: int, low: int | None, high: int | None) -> Any:
    """Give a piece along an axis.

    Examples
    --------
    >>> cut(np.arange(6).reshape(2, 3), 1, 1, None).tolist()
    [[1, 2], [4, 5]]
    """
    axis = axis + len(a.shape) if axis < 0 else axis
    return a[(slice(None),) * axis + (slice(low, high),)]


def _at_least(axes: int) -> Callable[[Any], Any]:
    """Give arrays so many axes: new ones first, and the third last."""

    def call(x: Any) -> Any:
        x = as_array(x)
        if x.ndim >= axes:
            return x
        if axes == 3:
            rows = call_2d(x)
            return rows.reshape((*rows.shape, 1))
        return x.reshape((1,) * (axes - x.ndim) + tuple(x.shape))

    return call


call_1d = _at_least(1)
call_2d = _at_least(2)


def _concatenate(parts: Any, axis: int | None = 0) -> Any:
    parts = [as_array(x) for x in parts]
    if axis is None:
        return ops.concat(*(x.reshape((-1,)) for x in parts), axis=0)
    return ops.concat(*parts, axis=axis)


def _vstack(parts: Any) -> Any:
    return ops.concat(*map(call_2d, parts), axis=0)


def _hstack(parts: Any) -> Any:
    rows = [call_1d(x) for x in parts]
    return ops.concat(*rows, axis=0 if rows[0].ndim == 1 else 1)


def _column_stack(parts: Any) -> Any:
    columns = [call_1d(x) for x in parts]
    return ops.concat(*(x.reshape((-1, 1)) if x.ndim == 1 else x for x in columns), axis=1)


def _stack(parts: Any, axis: int = 0) -> Any:
    return ops.stack(*map(as_array, parts), axis=axis)


def _append(a: Any, b: Any, axis: int | None = None) -> Any:
    return _concatenate([a, b], axis)


def _array_split(a: Any, places: Any, axis: int = 0) -> Any:
    """Part into as many pieces, the first ones longer, or at places."""
    size = a.shape[axis]
    if isinstance(places, int):
        whole, more = divmod(size, places)
        ends = np.cumsum([whole + (i < more) for i in range(places)]).tolist()[:-1]
    else:
        ends = list(places)
    starts, ends = [0, *ends], [*ends, size]
    return [cut(a, axis, low, high) for low, high in zip(starts, ends, strict=True)]


def _split(a: Any, places: Any, axis: int = 0) -> Any:
    if isinstance(places, int) and a.shape[axis] % places:
        raise ValueError(f"{a.shape[axis]} cannot be split into {places} equal parts")
    return _array_split(a, places, axis)


def _transpose(a: Any, axes: Any = None) -> Any:
    return ops.transpose(a, axes=None if axes is None else tuple(axes))


def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    axes = list(range(a.ndim))
    axes.insert(start - (axis < start), axes.pop(axis))
    return ops.transpose(a, axes=tuple(axes))


def _rot90(m: Any, k: int = 1) -> Any:
    for _ in range(k % 4):
        m = ops.flip(ops.swapaxes(m, 0, 1), axis=0)
    return m


def _repeat(a: Any, repeats: int, axis: int | None = None) -> Any:
    return ops.repeat(a, repeats=repeats, axis=axis)


def _tile(a: Any, reps: Any) -> Any:
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    lead = max(0, len(reps) - a.ndim)
    a = a.reshape((1,) * lead + tuple(a.shape))
    return ops.tile(a, repeats=(1,) * (a.ndim - len(reps)) + reps)


def _pad(a: Any, width: Any, mode: str = "constant") -> Any:
    pads = np.broadcast_to(np.asarray(width), (a.ndim, 2)).tolist()
    return ops.pad(a, pads=pads, mode=mode)


def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    return ops.roll(a, shift=shift, axis=axis)


def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return ops.diagonal(a, offset=offset, axis1=axis1, axis2=axis2)


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return ops.sum(_diagonal(a, offset, axis1, axis2), axis=-1)


def _make_diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Put the last axis on the diagonal of two."""
    size = a.shape[-1] + abs(offset)
    square = ops.on_diagonal(
        a, shape=(*a.shape[:-1], size, size), offset=offset, axis1=-2, axis2=-1
    )
    return ops.moveaxis(square, (-2, -1), (axis1, axis2))


def _diag(a: Any, k: int = 0) -> Any:
    return _make_diagonal(a, k) if a.ndim == 1 else _diagonal(a, k)


def _squeeze(a: Any, axis: Any = None) -> Any:
    return ops.squeeze(a, axis=axis)


def _reshape(a: Any, shape: Any) -> Any:
    return ops.reshape(as_array(a), shape=(shape,) if isinstance(shape, int) else tuple(shape))


def _named(act: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Give an operator's param the place and name that NumPy has for it."""

    def call(a: Any, *values: Any, **params: Any) -> Any:
        return act(a, **dict(zip(names, values, strict=False)), **params)

    return call


CALLS: Mapping[str, Callable[..., Any]] = MappingProxyType({
    "array": array,
    "asarray": array,
    "atleast_1d": call_1d,
    "atleast_2d": call_2d,
    "atleast_3d": _at_least(3),
    "concatenate": _concatenate,
    "vstack": _vstack,
    "row_stack": _vstack,
    "hstack": _hstack,
    "column_stack": _column_stack,
    "stack": _stack,
    "append": _append,
    "split": _split,
    "array_split": _array_split,
    "vsplit": lambda a, places: _split(a, places, 0),
    "hsplit": lambda a, places: _split(a, places, 0 if a.ndim == 1 else 1),
    "dsplit": lambda a, places: _split(a, places, 2),
    "transpose": _transpose,
    "swapaxes": lambda a, axis1, axis2: ops.swapaxes(a, axis1, axis2),
    "moveaxis": lambda a, source, destination: ops.moveaxis(a, source, destination),
    "rollaxis": _rollaxis,
    "rot90": _rot90,
    "flipud": lambda m: ops.flip(m, axis=0),
    "fliplr": lambda m: ops.flip(m, axis=1),
    "flip": _named(ops.flip, "axis"),
    "reshape": _reshape,
    "ravel": lambda a: as_array(a).reshape((-1,)),
    "squeeze": _squeeze,
    "expand_dims": lambda a, axis: ops.unsqueeze(a, axis=axis),
    "broadcast_to": _named(ops.broadcast_to, "shape"),
    "repeat": _repeat,
    "tile": _tile,
    "pad": _pad,
    "roll": _roll,
    "tril": _named(ops.tril, "k"),
    "triu": _named(ops.triu, "k"),
    "diagonal": _diagonal,
    "trace": _trace,
    "make_diagonal": _make_diagonal,
    "diag": _diag,
    "ndim": lambda a: as_array(a).ndim,
    "shape": lambda a: as_array(a).shape,
    "size": lambda a: as_array(a).size,
})  # fmt: skip
"""NumPy's names, each with a function of Tensors."""
