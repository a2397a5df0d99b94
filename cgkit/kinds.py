"""How operators are told apart and tried: what fuses with what, what they are about, samples.

    ELEMENTWISE < BROADCAST < MOVEMENT < REDUCTION < MATMUL < OPAQUE       Kind: for fusion
    elementwise  activation  matrix  reduction  shape  indexing  ...       Family: for people

Fusion reads a kind, never a name; chapters and pictures go by families.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal

import numpy as np

Family = Literal[
    "source", "elementwise", "activation", "matrix", "reduction", "shape", "indexing", "random",
    "control",
]  # fmt: skip


class Kind(IntEnum):
    """How an operator reads its operands, from the easiest to fuse to the hardest."""

    ELEMENTWISE = 0
    """Element i of the result needs element i of each operand."""
    BROADCAST = 1
    """Elements are repeated along new or stretched axes."""
    MOVEMENT = 2
    """Elements change places; none is computed."""
    REDUCTION = 3
    """Whole axes are folded into one element."""
    MATMUL = 4
    """Sums of products over a shared axis: matmul and convolution."""
    OPAQUE = 5
    """Anything else: never fused."""


@dataclass(frozen=True)
class Sample:
    """Operands and params on which the laws of an operator are tested."""

    operands: tuple[Any, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    differentiable: bool = True
    """False at kinks and at infinities, where numeric differences mean nothing."""


Samples = Callable[["np.random.Generator"], Iterator[Sample]]
