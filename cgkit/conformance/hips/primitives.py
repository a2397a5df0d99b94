"""Operators that autograd's tests define for themselves: a function, and a gradient for it.

    double = primitive(lambda x: 2.0 * x)
    defvjp(double, lambda ans, x: lambda g: 2.0 * g)        now grad(double) works

Each becomes an Operator of cgkit, so that what the tests see is cgkit going backward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from cgkit.conformance.hips.functions import name_of
from cgkit.conformance.hips.numpy_shapes import has_tensor
from cgkit.node import Operator
from cgkit.tensor import Tensor

LETTERS = "abcdefgh"


class Primitive:
    """A function of NumPy's, and the rules of its gradient by place."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = name_of(function)
        self.rules: dict[int, Callable[..., Any]] = {}

    def __call__(self, *args: Any, **params: Any) -> Any:
        """Compute, and record how if a Tensor is given."""
        if not has_tensor(args):
            return self.function(*args, **params)
        places = [i for i, x in enumerate(args) if isinstance(x, Tensor | np.ndarray | float)]
        operator = self._operator(args, places, params)
        return operator(*(args[i] for i in places))

    def defgrad(self, maker: Callable[..., Any], argnum: int = 0) -> None:
        """Say how to go backward, in words of old."""
        self.rules[argnum] = maker

    def defvjp(self, rule: Callable[..., Any], argnum: int = 0) -> None:
        """Say so in other words of old: of g, the result, two spaces, and the arguments."""
        self.rules[argnum] = lambda ans, *args: lambda g: rule(g, ans, None, None, *args)

    def defvjp_is_zero(self, argnums: Sequence[int] = (0,)) -> None:
        """Say that slopes are zero."""
        self.rules.update(dict.fromkeys(argnums, _zero))

    def _operator(
        self, args: tuple[Any, ...], places: list[int], params: Mapping[str, Any]
    ) -> Operator:
        def whole(arrays: tuple[Any, ...]) -> list[Any]:
            given = dict(zip(places, arrays, strict=True))
            return [given.get(i, x) for i, x in enumerate(args)]

        def compute(*arrays: Any) -> Any:
            return np.asarray(self.function(*whole(arrays), **params))

        def rule(place: int, g: Any, y: Any, *arrays: Any) -> Any:
            if place not in self.rules:
                raise NotImplementedError(f"VJP of {self.__name__} wrt argnum {place} not defined")
            return self.rules[place](y, *whole(arrays), **params)(g)

        rules = tuple(partial(rule, place) for place in places)
        saved = LETTERS[: len(places)] + "y"
        return Operator(
            self.__name__, compute, compute, gradient=rules, saves=(saved,) * len(places)
        )


def _zero(ans: Any, *args: Any, **params: Any) -> Callable[[Any], Any]:
    return lambda g: g * 0.0


def primitive(function: Callable[..., Any]) -> Primitive:
    """Make an operator of a function.

    Examples
    --------
    >>> triple = primitive(lambda x: x * 3.0)
    >>> defvjp(triple, lambda ans, x: lambda g: g * 3.0)
    >>> from cgkit.conformance.hips.functions import grad
    >>> triple(2.0), grad(triple)(2.0)
    (6.0, np.float64(3.0))
    """
    return Primitive(function)


def defvjp(function: Primitive, *makers: Callable[..., Any] | None, argnums: Any = None) -> None:
    """Say for each place how to go backward; None is zero."""
    places = range(len(makers)) if argnums is None else argnums
    for place, maker in zip(places, makers, strict=True):
        function.rules[place] = maker or _zero
