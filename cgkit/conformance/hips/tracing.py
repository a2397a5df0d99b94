"""Follow a function with cgkit's Tensors, and go backward or forward through it.

    make_vjp(f, x) ─> vjp, f(x)        vjp(g) is the gradient of sum(f * g)
    make_jvp(f, x) ─> jvp              jvp(v) is (f(x), how f changes along v)

Both nest: inside a function that is followed itself, results stay Tensors, and outside they are
NumPy's again. Forward differentiation is backward twice: the gradient is linear in g, so its own
gradient with respect to g is the change along v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from cgkit.conformance.hips.nested import leaves, mapped, rebuilt
from cgkit.tensor import Tensor, grad

DEPTH: ContextVar[int] = ContextVar("how many functions are being followed", default=0)
Function = Callable[[Any], Any]


@contextmanager
def followed() -> Iterator[None]:
    """Say that a function is followed: what is computed inside stays a Tensor."""
    token = DEPTH.set(DEPTH.get() + 1)
    try:
        yield
    finally:
        DEPTH.reset(token)


def outside(x: Any) -> Any:
    """Give NumPy's values for Tensors, unless a function is being followed."""
    return x if DEPTH.get() else mapped(x, plain)


def plain(x: Any) -> Any:
    """Give an array or a NumPy number for a Tensor; all else as it is."""
    return x.data[()] if isinstance(x, Tensor) else x


def boxed(x: Any) -> Any:
    """Give a new Tensor that is followed; one that depends on an outer one still does."""
    if isinstance(x, Tensor) and x.requires_grad:
        return x * 1.0
    array = x.data if isinstance(x, Tensor) else np.asarray(x)
    if array.dtype.kind in "iub":
        array = array.astype(float)
    return Tensor(array, requires_grad=True)


def _total(ys: list[Any], gs: list[Any]) -> Any:
    """Give the sum of all products, or None if nothing is followed."""
    pairs = zip(ys, gs, strict=True)
    parts = [(y * g).sum() for y, g in pairs if isinstance(y, Tensor) and y.requires_grad]
    return sum(parts[1:], parts[0]) if parts else None


def _slopes(total: Any, points: list[Any], *, create: bool) -> list[Any]:
    if total is None or not total.requires_grad:
        return [Tensor(np.zeros(x.shape, x.dtype)) for x in points]
    found = grad(total, points, create_graph=create, retain_graph=True, materialize_grads=True)
    return list(found)


def make_vjp(function: Function, x: Any) -> tuple[Function, Any]:
    """Follow a function at a point.

    Parameters
    ----------
    function
        Of one value, which may be nested.
    x
        The point.

    Returns
    -------
    vjp, y
        The gradient of sum(y * g) as a function of g, and the function's value.

    Examples
    --------
    >>> vjp, y = make_vjp(lambda x: [x * x, 3.0], 5.0)
    >>> y, vjp([2.0, 0.0])
    ([np.float64(25.0), 3.0], np.float64(20.0))
    """
    followed_x = mapped(x, boxed)
    with followed():
        y = function(followed_x)

    def vjp(g: Any) -> Any:
        points = leaves(followed_x)
        found = _slopes(_total(leaves(y), leaves(g)), points, create=DEPTH.get() > 0)
        return outside(rebuilt(x, found))

    return vjp, outside(y)


def make_jvp(function: Function, x: Any) -> Function:
    """Follow a function, to go forward.

    Examples
    --------
    >>> make_jvp(lambda x: x * x, 5.0)(2.0)
    (np.float64(25.0), np.float64(20.0))
    """

    def jvp(v: Any) -> Any:
        followed_x = mapped(x, boxed)
        with followed():
            y = function(followed_x)
            points, ys = leaves(followed_x), leaves(y)
            seeds = [Tensor(np.zeros(np.shape(plain(each))), requires_grad=True) for each in ys]
            slopes = _slopes(_total(ys, seeds), points, create=True)
            change = _slopes(_total(slopes, leaves(v)), seeds, create=True)
        return outside((y, rebuilt(y, change)))

    return jvp
