"""Keys for random operators, handed out one after another.

    Generator(seed) ─ key() ─> key 0 ─> dropout(x, key), uniform(key), ...
                    └ key() ─> key 1, which has nothing to do with it

Random operators have no state: the same key gives the same numbers. What remembers which keys are
used up is a Generator, an object that whoever needs keys passes around; there is none by default.
Key number n depends on the seed and n alone, so two numbers are all that is saved of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.errors import OperandError, StateError
from cgkit.operators.settings import as_whole

FIELDS = ("seed", "handed")
"""What is saved of a generator."""


class Generator:
    """Hands out keys for random operators, each once.

    Parameters
    ----------
    seed
        Any whole number; the same seed gives the same keys, on every machine.

    Raises
    ------
    OperandError
        The seed is no whole number.

    Examples
    --------
    >>> generator = Generator(7)
    >>> first, second = generator.key(), generator.key()
    >>> ops.uniform(first, shape=2).round(3).tolist()
    [0.914, 0.236]
    >>> saved = generator.state()
    >>> third = generator.key()
    >>> generator.load_state(saved)
    >>> bool(generator.key() == third)
    True
    """

    __slots__ = ("handed", "seed")

    seed: int
    """What the keys are made of, from 0 up to but without 2**64."""
    handed: int
    """How many keys were handed out."""

    def __init__(self, seed: int) -> None:
        self.seed = as_whole("the seed of a generator", seed) % 2**64
        self.handed = 0

    def key(self) -> np.uint64:
        """Hand out the next key."""
        made = ops.fold_in(ops.key(self.seed), self.handed)
        self.handed += 1
        return np.uint64(made)

    def state(self) -> dict[str, np.ndarray]:
        """Give what `load_state` needs to go on from here: arrays, as a Module gives them."""
        return {name: np.array(getattr(self, name), np.uint64) for name in FIELDS}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from where another generator stood.

        Parameters
        ----------
        state
            What its `state` gave.

        Raises
        ------
        StateError
            An entry is missing, unexpected, or no whole number from 0 to below 2**64; nothing is
            changed.
        """
        if not isinstance(state, Mapping) or set(state) != set(FIELDS):
            found = sorted(map(str, state)) if isinstance(state, Mapping) else type(state).__name__
            raise StateError(
                f"the state of a generator has the entries {', '.join(FIELDS)}, got {found}"
            )
        numbers = {name: np.asarray(state[name]) for name in FIELDS}
        for name, number in numbers.items():
            if number.shape or number.dtype.kind not in "iu" or not 0 <= int(number) < 2**64:
                raise StateError(f"the {name} of a generator is a whole number, not {number!r:.60}")
        self.seed, self.handed = (int(numbers[name]) for name in FIELDS)

    def __repr__(self) -> str:
        return f"Generator(seed={self.seed}, handed={self.handed})"


def expect_generator(what: str, generator: Any) -> Generator:
    """Demand a generator from whom needs one.

    Parameters
    ----------
    what
        What needs it.
    generator
        What was given.

    Raises
    ------
    OperandError
        It is none.

    Examples
    --------
    >>> expect_generator("Linear", 7)
    Traceback (most recent call last):
    cgkit.errors.OperandError: Linear draws its first numbers by a Generator, got 7
      try      Generator(7), one for the whole model: the same seed gives the same numbers
    """
    if isinstance(generator, Generator):
        return generator
    raise OperandError(
        f"{what} draws its first numbers by a Generator, got {generator!r:.60}",
        attempt="Generator(7), one for the whole model: the same seed gives the same numbers",
    )
