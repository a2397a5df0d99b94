"""Calls told apart quickly: a key for each sort of call, and its tensors in order.

    f(x, {"y": y}, scale=2.0)  ─>  key: types, sizes, nesting, plain values;  tensors: x, y

Two calls of one key share all facts of their arguments, so what served the one serves the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cgkit.tensor import Tensor
from cgkit.tensor.modes import grad_enabled

PLAIN = frozenset((int, str, bool, bytes, type(None)))
ndarray = np.ndarray


def key_of(args: Sequence[Any], settings: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Give the key of a call, and its tensors and arrays in the order in which they stand.

    Objects count by being the same ones: whoever keeps a key keeps them too.

    Examples
    --------
    >>> first, tensors = key_of([Tensor([1.0, 2.0]), 3], {})
    >>> second, _ = key_of([Tensor([5.0, 6.0]), 3], {})
    >>> first == second, first == key_of([Tensor([5.0, 6.0]), 3.0], {})[0], tensors
    (True, False, [Tensor([1., 2.])])
    """
    key: list[Any] = [grad_enabled()]
    tensors: list[Any] = []
    for x in args:
        _add(x, key, tensors)
    for name, x in settings.items():
        key.append(name)
        _add(x, key, tensors)
    if len(tensors) > 1:
        places = {id(x): number for number, x in enumerate(tensors)}
        if len(places) < len(tensors):  # one of them stands in several places
            key += [places[id(x)] for x in tensors]
    return tuple(key), tensors


def _add(x: Any, key: list[Any], tensors: list[Any]) -> None:
    kind = x.__class__
    if kind is Tensor:
        data = x.data
        key += (kind, data.__class__, data.shape, data.dtype, x.edge is None)
        tensors.append(x)
    elif kind in PLAIN:
        key += (kind, x)
    elif kind is float:
        key += (kind, x, math.copysign(1.0, x))
    elif kind is ndarray:
        key += (kind, x.shape, x.dtype)
        tensors.append(x)
    elif kind is tuple or kind is list:
        key += (kind, len(x))
        for part in x:
            _add(part, key, tensors)
    elif kind is dict:
        key += (kind, *x)
        for part in x.values():
            _add(part, key, tensors)
    else:
        key += (kind, _Same(x))


class _Same:
    """An object that is equal to itself alone, and that is kept alive."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)
