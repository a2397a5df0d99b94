"""torch's core operators said in cgkit: one plain table, from torch's name to a function.

    CALLS["clamp"](x, 0.0, None)    ─>  ops.clip(x, low=0.0, high=None)

Each function takes what torch's takes, by the same names, with cgkit's Tensors in place of torch's,
and only says it in cgkit's words: axis for dim, correction for unbiased. Where torch takes an axis
of a tensor without axes, `_lifted` gives it one for as long as it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.conformance import torch_layers as layers


def _scaled(x: Any, alpha: float) -> Any:
    return x if alpha == 1 else x * alpha


def _add(x: Any, other: Any, alpha: float = 1) -> Any:
    return ops.add(x, _scaled(other, alpha))


def _sub(x: Any, other: Any, alpha: float = 1) -> Any:
    return ops.sub(x, _scaled(other, alpha))


def _div(x: Any, other: Any, rounding_mode: str | None = None) -> Any:
    quotient = ops.div(x, other)
    if rounding_mode == "trunc":
        return ops.trunc(quotient)
    return ops.floor_div(x, other) if rounding_mode == "floor" else quotient


def _addmm(x: Any, a: Any, b: Any, beta: float = 1, alpha: float = 1) -> Any:
    return ops.add(_scaled(x, beta), _scaled(ops.matmul(a, b), alpha))


def _axes(x: Any, dim: Any) -> Any:
    """Give the axes that torch means: none named is all of them, and 0-d tensors have none."""
    if dim is None or not x.shape or dim == ():
        return None
    return tuple(dim) if isinstance(dim, tuple | list) else dim


def _reduced(name: str) -> Callable[..., Any]:
    """Make torch's form of a reduction."""
    reduction = getattr(ops, name)

    def call(x: Any, dim: Any = None, keepdim: bool = False, dtype: str | None = None) -> Any:
        x = x if dtype is None else ops.cast(x, dtype=dtype)
        return reduction(x, axis=_axes(x, dim), keepdims=keepdim and bool(x.shape))

    return call


def _max(x: Any, other: Any = None, keepdim: bool = False) -> Any:
    """Give the maximum of all, of two, or along an axis with where it is."""
    if other is None:
        return ops.max(x)
    if hasattr(other, "shape"):
        return ops.maximum(x, other)
    axis, keepdims = _axes(x, other), keepdim and bool(x.shape)
    return (
        ops.max(x, axis=axis, keepdims=keepdims),
        ops.argmax(x, axis=axis, keepdims=keepdims),
    )


def _var(
    x: Any,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    correction: float | None = None,
) -> Any:
    if isinstance(dim, bool):  # var(x, unbiased)
        dim, unbiased = None, dim
    correction = float(unbiased) if correction is None else correction
    return ops.var(x, axis=_axes(x, dim), correction=correction, keepdims=keepdim)


def _lifted(act: Callable[..., Any], x: Any, **params: Any) -> Any:
    """Apply what needs an axis, to a tensor without axes too."""
    return act(x, **params) if x.shape else act(x.reshape((1,)), **params).reshape(())


def _along(name: str) -> Callable[..., Any]:
    """Make torch's form of what works along one axis."""
    operator = getattr(ops, name)

    def call(x: Any, dim: int, dtype: str | None = None) -> Any:
        x = x if dtype is None else ops.cast(x, dtype=dtype)
        return _lifted(operator, x, axis=dim)

    return call


def _transpose(x: Any, dim0: int, dim1: int) -> Any:
    return ops.swapaxes(x, dim0, dim1) if x.shape else x


def _expand(x: Any, sizes: tuple[int, ...]) -> Any:
    known = (1,) * (len(sizes) - len(x.shape)) + tuple(x.shape)
    shape = tuple(old if new == -1 else new for new, old in zip(sizes, known, strict=True))
    return ops.broadcast_to(x, shape=shape)


def _cat(parts: Any, dim: int = 0) -> Any:
    """Join along an axis; torch passes over empty tensors of one axis."""
    there = [x for x in parts if tuple(x.shape) != (0,)] or parts
    return ops.concat(*there, axis=dim)


def _stack(parts: Any, dim: int = 0) -> Any:
    return ops.stack(*parts, axis=dim)


def _split(x: Any, split: Any, dim: int = 0) -> Any:
    if not isinstance(split, int):
        return ops.split(x, sizes=tuple(split), axis=dim)
    whole, rest = divmod(x.shape[dim], split)
    return ops.split(x, sizes=(split,) * whole + ((rest,) if rest else ()), axis=dim)


def _index_select(x: Any, dim: int, places: Any) -> Any:
    return _lifted(lambda a: ops.take(a, places, axis=dim), x)


def _row(x: Any) -> Any:
    return x if getattr(x, "shape", None) else ops.reshape(x, shape=(1,))


def _gather(x: Any, dim: int, places: Any) -> Any:
    if x.size and not places.size and len(places.shape) != len(x.shape):
        return ops.reshape(x[:0], shape=places.shape)  # torch: no places, no matter how they lie
    found = ops.gather_elements(_row(x), _row(places), axis=dim)
    return found.reshape(places.shape)


def _scatter(x: Any, dim: int, places: Any, source: Any) -> Any:
    if not hasattr(source, "shape"):
        source = np.full(places.shape, source, x.dtype)
    part = source[tuple(slice(0, size) for size in places.shape)]
    found = ops.scatter_elements(_row(x), _row(places), _row(part), axis=dim)
    return found.reshape(x.shape)


def _where(x: Any, condition: Any, other: Any) -> Any:
    """Choose; the samples name the first choice first."""
    return ops.where(condition, x, other)


def _squeeze(x: Any, dim: Any = None) -> Any:
    """Drop axes of size 1; torch leaves those alone that are longer."""
    if dim is None:
        return ops.squeeze(x)
    named = dim if isinstance(dim, tuple | list) else (dim,)
    axes = tuple(axis for axis in named if x.shape and x.shape[axis] == 1)
    return ops.squeeze(x, axis=axes)


def _roll(x: Any, shifts: Any, dims: Any = None) -> Any:
    return ops.roll(x, shift=shifts, axis=dims) if x.shape else x


def _item(x: Any, key: Any) -> Any:
    return x[key]


def _flip(x: Any, dims: tuple[int, ...]) -> Any:
    return ops.flip(x, axis=tuple(dims))


def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    return ops.clip(x, low, high)


CALLS: Mapping[str, Callable[..., Any]] = MappingProxyType({
    "add": _add,
    "sub": _sub,
    "mul": ops.mul,
    "div": _div,
    "pow": ops.pow,
    "neg": ops.neg,
    "exp": ops.exp,
    "log": ops.log,
    "sqrt": ops.sqrt,
    "abs": ops.abs,
    "sigmoid": ops.sigmoid,
    "tanh": ops.tanh,
    "nn.functional.relu": ops.relu,
    "maximum": ops.maximum,
    "minimum": ops.minimum,
    "matmul": ops.matmul,
    "mm": ops.matmul,
    "bmm": ops.matmul,
    "addmm": _addmm,
    "sum": _reduced("sum"),
    "mean": _reduced("mean"),
    "amax": _reduced("max"),
    "amin": _reduced("min"),
    "max": _max,
    "prod": _reduced("prod"),
    "var": _var,
    "softmax": _along("softmax"),
    "log_softmax": _along("log_softmax"),
    "logsumexp": _reduced("logsumexp"),
    "reshape": lambda x, shape: ops.reshape(x, shape=shape),
    "transpose": _transpose,
    "permute": lambda x, dims: ops.transpose(x, axes=dims),
    "expand": _expand,
    "cat": _cat,
    "stack": _stack,
    "split": _split,
    "index_select": _index_select,
    "gather": _gather,
    "scatter": _scatter,
    "where": _where,
    "clamp": _clamp,
    "nn.functional.conv2d": layers.conv2d,
    "nn.functional.max_pool2d": layers.max_pool2d,
    "nn.functional.avg_pool2d": layers.avg_pool2d,
    "nn.functional.batch_norm": layers.batch_norm,
    "nn.functional.layer_norm": layers.layer_norm,
    "nn.functional.gelu": ops.gelu,
    "nn.functional.cross_entropy": layers.cross_entropy,
    "nn.functional.embedding": lambda table, ids: ops.embedding(ids, table),
    "nn.functional.linear": ops.linear,
    "nn.functional.scaled_dot_product_attention": layers.attention,
    "squeeze": _squeeze,
    "unsqueeze": lambda x, dim: ops.unsqueeze(x, axis=dim),
    "flip": _flip,
    "roll": _roll,
    "tril": lambda x, diagonal=0: ops.tril(x, k=diagonal),
    "triu": lambda x, diagonal=0: ops.triu(x, k=diagonal),
    "cumsum": _along("cumsum"),
    "__getitem__": _item,
})  # fmt: skip
"""The 59 core operators, by torch's names."""
