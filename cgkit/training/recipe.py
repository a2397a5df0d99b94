"""What decides the numbers of a training, beside the model: given once, told apart in checkpoints.

    Recipe(data, optimizer, loss, batch, seed, clip)
       └ described(model) ─> {"model": "...", "optimizer": "Adam(...)", ...}

Two trainings whose descriptions are equal give the same numbers, so only these may resume one
another.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.data import Dataset
from cgkit.errors import OperandError
from cgkit.nn import Module
from cgkit.operators.settings import as_number, as_whole
from cgkit.optimizers import Adam, Optimizer

Loss = Callable[[Any, Any], Any]
USUAL = Adam(0.003)
CROSS_ENTROPY: Loss = ops.cross_entropy


@dataclass(frozen=True, eq=False)
class Recipe:
    """All that decides the numbers, beside the model and for how long it learns.

    Parameters
    ----------
    data
        The examples.
    optimizer
        How parameters follow their gradients.
    loss
        `loss(scores, labels)`: one number, the smaller the better; the mean over a batch.
    batch
        How many examples make one step.
    seed
        Decides the order of the examples and all else that is drawn.
    clip
        The longest that the gradient may be, or None.

    Raises
    ------
    OperandError
        A setting is out of its bounds, or there are no examples.
    """

    data: Dataset
    optimizer: Optimizer = USUAL
    loss: Loss = CROSS_ENTROPY
    batch: int = 32
    seed: int = 0
    clip: float | None = None

    def __post_init__(self) -> None:
        """Check the settings."""
        as_whole("the size of a batch", self.batch, least=1)
        as_whole("the seed", self.seed)
        if self.clip is not None:
            as_number("the longest gradient", self.clip, least=0)
        if not isinstance(self.optimizer, Optimizer):
            raise OperandError(
                f"an optimizer is needed, not {self.optimizer!r:.60}", attempt="Adam(0.003)"
            )
        if not callable(self.loss):
            raise OperandError(
                f"a loss is a function of scores and labels, not {self.loss!r:.60}",
                attempt="ops.cross_entropy",
            )
        if not isinstance(self.data, Dataset):
            raise OperandError(
                f"a Dataset is needed, not {type(self.data).__name__}", attempt="data.digits()"
            )
        if not len(self.data.train):
            raise OperandError(f"{self.data!r} has nothing to learn from")

    @property
    def steps(self) -> int:
        """How many steps make an epoch; the last batch may be smaller."""
        return -(-len(self.data.train) // self.batch)

    @cached_property
    def _content(self) -> int:
        """A checksum of all images and labels, which nobody can write to."""
        content = 0
        for part in (self.data.train, self.data.test):
            for array in (part.labels, part.images):
                content = zlib.crc32(np.ascontiguousarray(array).data, content)
        return content

    def key(self, purpose: int, number: int) -> np.uint64:
        """Make the key for one purpose at one time, which depends on nothing else.

        Examples
        --------
        >>> from cgkit import data
        >>> recipe = Recipe(data.digits())
        >>> recipe.key(0, 3) == recipe.key(0, 3), recipe.key(0, 3) == recipe.key(1, 3)
        (np.True_, np.False_)
        """
        whole = ops.fold_in(ops.key(self.seed), purpose)
        return np.uint64(ops.fold_in(whole, number))

    def described(self, model: Module) -> dict[str, str | int | float | None]:
        """Say what it is made of, in words that are the same in each process."""
        return {
            "model": str(model),
            "data": f"{self.data!r} {self._content:08x}",
            "optimizer": _words(self.optimizer),
            "loss": getattr(self.loss, "__qualname__", _words(self.loss)),
            "batch": self.batch,
            "seed": self.seed,
            "clip": self.clip,
        }


def _words(thing: Any) -> str:
    """Write a thing without the place where it lies in memory.

    Examples
    --------
    >>> _words(object())
    '<object object>'
    """
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(thing))
