"""autograd's functions of functions: gradients, Jacobians, products with them.

    grad(f, argnum=1)(x, y, **settings)       the gradient with respect to y
    jacobian(f)(x)                            of shape (*f's, *x's)

An argnum may be a list: then the derivative is with respect to all of these, as a tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.conformance.hips.nested import leaves, rebuilt
from cgkit.conformance.hips.spaces import Space
from cgkit.conformance.hips.tracing import make_jvp as jvp_of
from cgkit.conformance.hips.tracing import make_vjp as vjp_of
from cgkit.conformance.hips.tracing import plain
from cgkit.errors import DtypeError
from cgkit.tensor import Tensor

Function = Callable[..., Any]


def name_of(function: Any) -> str:
    """Give the name of a function, if it has one."""
    return str(getattr(function, "__name__", "[unknown name]"))


def of_argument(unary: Function) -> Function:
    """Make of a function (f of one value, x) one that takes f of many and which of them to vary."""

    def outer(function: Any, argnum: Any = 0, *more: Any, **params: Any) -> Function:
        assert isinstance(argnum, int | tuple | list), argnum

        single = isinstance(argnum, int)
        places: Any = [argnum] if single else argnum

        def inner(*args: Any, **settings: Any) -> Any:
            def of_one(x: Any) -> Any:
                changed = list(args)
                for place, value in zip(places, [x] if single else x, strict=True):
                    changed[place] = value
                return function(*changed, **settings)

            of_one.__name__ = name_of(function)
            point = tuple(args[i] for i in places)
            return unary(of_one, point[0] if single else point, *more, **params)

        name = f"{name_of(unary)}_of_{name_of(function)}_wrt_argnum_{argnum}"
        inner.__name__, inner.__doc__ = name, f"    {name.replace('_', ' ')}."
        return inner

    outer.__name__, outer.__doc__ = name_of(unary), unary.__doc__
    return outer


def _scalar(y: Any, what: str) -> None:
    if not isinstance(y, int | float | Tensor | np.ndarray | np.generic) or np.size(plain(y)) != 1:
        raise TypeError(f"{what} needs a function that gives one number")
    if np.asarray(plain(y)).dtype.kind not in "f":
        raise TypeError(f"{what} needs a function that gives a real number, not {y!r:.40}")


@of_argument
def grad(f: Function, x: Any) -> Any:
    """Give the gradient of a function that gives one number."""
    vjp, y = vjp_of(f, x)
    _scalar(y, "grad")
    return vjp(Space(y).ones())


@of_argument
def value_and_grad(f: Function, x: Any) -> Any:
    """Give both."""
    vjp, y = vjp_of(f, x)
    _scalar(y, "value_and_grad")
    return y, vjp(Space(y).ones())


@of_argument
def grad_and_aux(f: Function, x: Any) -> Any:
    """Give the gradient of the first result, and the second as it is."""
    vjp, (y, more) = vjp_of(f, x)
    return vjp((Space(y).ones(), Space(more).zeros())), more


@of_argument
def elementwise_grad(f: Function, x: Any) -> Any:
    """Give the sum of each column of the Jacobian: of elementwise functions, each slope."""
    vjp, y = vjp_of(f, x)
    return vjp(Space(y).ones())


@of_argument
def deriv(f: Function, x: Any) -> Any:
    """Give how f changes with x, of any shape."""
    return jvp_of(f, x)(Space(x).ones())[1]


@of_argument
def jacobian(f: Function, x: Any) -> Any:
    """Give the slopes of every result with respect to every operand."""
    vjp, y = vjp_of(f, x)
    rows = [vjp(unit) for unit in Space(y).standard_basis()]
    followed = any(isinstance(row, Tensor) for row in rows)
    stacked = ops.stack(*rows, axis=0) if followed else np.stack(rows)
    return stacked.reshape((*np.shape(plain(y)), *np.shape(plain(x))))


@of_argument
def hessian(f: Function, x: Any) -> Any:
    """Give the slopes of the gradient."""
    return jacobian(jacobian(f))(x)


@of_argument
def make_vjp(f: Function, x: Any) -> Any:
    """Give the function that goes backward, and the value."""
    return vjp_of(f, x)


@of_argument
def make_jvp(f: Function, x: Any) -> Any:
    """Give the function that goes forward."""
    return jvp_of(f, x)


@of_argument
def make_hvp(f: Function, x: Any) -> Any:
    """Give products with the Hessian, and the gradient."""
    return vjp_of(grad(f), x)


def hessian_tensor_product(f: Function, argnum: int = 0) -> Function:
    """Give a function of f's arguments and a tensor: its product with the Hessian."""
    gradient = grad(f, argnum)

    def product(*args: Any, **settings: Any) -> Any:
        *operands, vector = args
        return inner(gradient(*operands, **settings), vector)

    found: Function = grad(product, argnum)
    return found


def tensor_jacobian_product(f: Function, argnum: int = 0) -> Function:
    """Give a function of f's arguments and a tensor: its product with the Jacobian."""

    def product(*args: Any, **settings: Any) -> Any:
        *operands, vector = args
        return inner(f(*operands, **settings), vector, axes=np.ndim(plain(vector)))

    found: Function = jacobian(product, argnum)
    return found


def inner(a: Any, b: Any, axes: int | None = None) -> Any:
    """Sum the products over the first axes of a, all of b's."""
    axes = np.ndim(plain(b)) if axes is None else axes
    shape = np.shape(plain(b)) + (1,) * (np.ndim(plain(a)) - axes)
    weights = b.reshape(shape) if np.ndim(plain(b)) else b
    return (a * weights).sum(axis=tuple(range(axes)))


def _half_square(x: Any) -> Any:
    return 0.5 * (x * x).sum(axis=-1)


def make_ggnvp(f: Function, g: Function = _half_square, f_argnum: int = 0) -> Function:
    """Give products with the Gauss-Newton matrix: J' H J, of g after f."""

    @of_argument
    def make(f: Function, x: Any) -> Any:
        backward, y = vjp_of(f, x)
        bend, _ = vjp_of(grad(g), y)
        return lambda v: backward(bend(jvp_of(f, x)(v)[1]))

    found: Function = make(f, f_argnum)
    return found


@of_argument
def holomorphic_grad(f: Function, x: Any) -> Any:
    """Refuse: that is for complex numbers."""
    raise DtypeError("cgkit has no complex numbers")


def const_graph(f: Function, *args: Any, **params: Any) -> Function:
    """Refuse: a graph that is built once is cgkit's `trace`, which this shim does not speak."""
    raise NotImplementedError("the shim has no const_graph")


def checkpoint(f: Function) -> Function:
    """Give the function itself: to keep less is not this module's concern."""
    return f


def flatten(value: Any) -> tuple[Any, Function]:
    """Give the numbers of a nested value as one vector, and the way back."""
    parts = [x.reshape((-1,)) if np.ndim(plain(x)) else x for x in leaves(value)]
    rows = [x if np.ndim(plain(x)) else ops.reshape(_array(x), shape=(1,)) for x in parts]
    if not any(isinstance(x, Tensor) for x in rows):
        return np.concatenate(rows or [np.zeros(0)]), lambda v: _back(value, v)
    return ops.concat(*rows, axis=0), lambda v: _back(value, v)


def _array(x: Any) -> Any:
    return x if isinstance(x, Tensor) else np.asarray(x)


def _back(value: Any, vector: Any) -> Any:
    return rebuilt(value, leaves(Space(value).unflatten(vector)))
