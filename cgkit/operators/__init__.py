"""All operators, by name: `cgkit.ops.add`, `cgkit.ops.matmul`, ...

    elementwise  <  rounding, logic, powers  <  trigonometry, activation
    elementwise  <  indexing  <  movement  <  reduction  <  linalg, convolution
                    indexing  <  writing
                                 movement  <  axes  <  joining
                                 movement  <  padding, repetition, triangles, random
                                              reduction  <  probability, statistics, fourier
                                              reduction  <  products
                                 joining  <  gathering  <  scattering, ordering
                                 linalg, triangles  <  contraction
                     reduction, linalg  <  determinant
                                              linalg  <  pooling  <  max_pooling
    all of these  <  normalization, batch_normalization, attention, the losses

Each is one definition in the file of its family; this list follows by itself. A file imports only
from files to its left. What other operators say completely is a plain function, listed in its
family's COMPOSED: `cgkit.ops.sort` is called like an operator, and leaves only operators behind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from cgkit.node import Operator
from cgkit.operators import (
    activation,
    attention,
    axes,
    batch_normalization,
    classification_losses,
    contraction,
    convolution,
    determinant,
    elementwise,
    fourier,
    gathering,
    indexing,
    joining,
    linalg,
    logic,
    max_pooling,
    movement,
    normalization,
    ordering,
    padding,
    pooling,
    powers,
    probability,
    products,
    random,
    reduction,
    regression_losses,
    repetition,
    rounding,
    scattering,
    statistics,
    stopping,
    suppression,
    triangles,
    trigonometry,
    writing,
)

# inf and nan in a result say it all; asking NumPy each time not to warn would cost too much
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"cgkit\.")

FAMILIES = (
    elementwise, rounding, logic, powers, trigonometry, activation,
    indexing, writing,
    movement, axes, joining, repetition, padding, triangles, random,
    reduction, probability, statistics, products,
    gathering, scattering, ordering, suppression,
    linalg, contraction, determinant, fourier, convolution, pooling, max_pooling,
    stopping,
    batch_normalization, normalization, attention, regression_losses, classification_losses,
)  # fmt: skip
ALL: Mapping[str, Operator] = MappingProxyType(
    {
        value.name: value
        for family in FAMILIES
        for value in vars(family).values()
        if isinstance(value, Operator)
    }
)
"""Every operator by its name."""
COMPOSED: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {act.__name__: act for family in FAMILIES for act in getattr(family, "COMPOSED", ())}
)
"""Every function that is made of operators, by its name."""
globals().update({**COMPOSED, **ALL})  # found at once: `ops.exp` stands in many inner loops


def __getattr__(name: str) -> Any:
    from difflib import get_close_matches  # only who misspells a name waits for this

    close = get_close_matches(name, [*ALL, *COMPOSED], 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise AttributeError(f"there is no operator {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*ALL, *COMPOSED, "ALL", "COMPOSED"])
