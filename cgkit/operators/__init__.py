"""All operators, by name: `cgkit.ops.add`, `cgkit.ops.matmul`, ...

    elementwise  <  indexing  <  movement  <  reduction  <  linalg, convolution

Each is one definition in the file of its family; this list follows by itself. A file imports only
from files to its left.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from cgkit.node import Operator
from cgkit.operators import convolution, elementwise, indexing, linalg, movement, reduction

ALL: Mapping[str, Operator] = MappingProxyType(
    {
        value.name: value
        for family in (elementwise, indexing, movement, reduction, linalg, convolution)
        for value in vars(family).values()
        if isinstance(value, Operator)
    }
)
"""Every operator by its name."""


def __getattr__(name: str) -> Operator:
    if name in ALL:
        return ALL[name]
    close = get_close_matches(name, ALL, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise AttributeError(f"there is no operator {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*ALL, "ALL"])
