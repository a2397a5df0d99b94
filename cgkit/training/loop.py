"""The loop: epochs of steps, told of as they go, saved as they end, and whole when interrupted.

    train ─ epoch ─┬─ order, by the key of the epoch
                   ├─ step, step, step ...      each makes a new Standing; tell(Told)
                   └─ measure, save

Ctrl-C may come at any moment: the Standing after the last whole step is what is saved, and what the
model is left with.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from cgkit import operators as ops
from cgkit.data import Dataset
from cgkit.errors import CgkitError, OperandError
from cgkit.nn import Module
from cgkit.operators.settings import as_whole
from cgkit.optimizers import Optimizer
from cgkit.training.checkpoint import keep_earlier, read_checkpoint, write_checkpoint
from cgkit.training.recipe import CROSS_ENTROPY, USUAL, Loss, Recipe
from cgkit.training.step import Epoch, Standing, Tally, beginning, learn, measure

ORDER, DRAWN = 0, 1
"""Purposes of keys."""


@dataclass(frozen=True)
class Told:
    """What is told after each step."""

    epoch: int
    """Which epoch it is, from 1."""
    step: int
    """Which step of the epoch it was, from 1."""
    steps: int
    """How many steps an epoch has."""
    loss: float
    """The mean loss of this epoch so far."""
    accuracy: float
    """Which part of its examples was read rightly so far."""
    ended: Epoch | None
    """The epoch, when this was its last step."""


def silent(told: Told) -> None:
    """Tell nobody."""


def train(
    model: Module,
    data: Dataset,
    *,
    epochs: int = 20,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    tell: Callable[[Told], None] = silent,
    save_every: float = 10.0,
    optimizer: Optimizer = USUAL,
    loss: Loss = CROSS_ENTROPY,
    batch: int = 32,
    seed: int = 0,
    clip: float | None = None,
) -> tuple[Epoch, ...]:
    """Train a model, and leave it with the numbers that it learned.

    Parameters
    ----------
    model
        Gives a score for each class of each image.
    data
        Examples to learn from, and others to measure with.
    epochs
        How often to look at all examples.
    checkpoint
        A file in which to save where the training stands: at the end of each epoch, now and then
        in long ones, and when it is interrupted. None to save nothing. What an earlier training
        left in it stays beside it, as "run-earlier.npz".
    resume
        Whether to go on from the checkpoint, instead of from the numbers of the model.
    tell
        Called after each step.
    save_every
        After how many seconds to save within an epoch. It changes no number.
    optimizer, loss, batch, seed, clip
        What decides the numbers: see `Recipe`.

    Returns
    -------
    tuple of Epoch
        One for each epoch, those before a resumed one included.

    Raises
    ------
    KeyboardInterrupt
        It was interrupted. The model has the numbers after the last whole step, and so has the
        checkpoint; a note says how to go on.
    TrainingError
        The loss is no finite number. The checkpoint is as it was before.
    OperandError
        The model, the data or a setting is not what it should be.
    FileError, StateError
        The checkpoint cannot be read or written, or is of another training.

    Examples
    --------
    >>> from cgkit import Generator, data
    >>> from cgkit.training.models import mlp
    >>> digits = data.digits()
    >>> model = mlp(digits, Generator(0))
    >>> history = train(model, digits, epochs=2)
    >>> [epoch.number for epoch in history], history[1].loss < history[0].loss
    ([1, 2], True)
    """
    as_whole("the number of epochs", epochs, least=0)
    if not isinstance(model, Module):
        raise OperandError(
            f"a Module is trained, not {model!r:.60}", attempt="nn.Sequential(...), or a subclass"
        )
    recipe = Recipe(data, optimizer, loss, batch, seed, clip)
    run = Run(model, recipe, None if checkpoint is None else Path(checkpoint), tell, save_every)
    at = beginning(model, recipe)
    if resume:
        if run.checkpoint is None:
            raise OperandError("there is nothing to resume", attempt='checkpoint="run.npz"')
        at = read_checkpoint(run.checkpoint, model, recipe)
    elif run.checkpoint is not None:
        keep_earlier(run.checkpoint)
    modes = [(module, module.training) for module in model.modules()]
    try:
        return run.until(at, epochs)
    finally:
        for module, mode in modes:
            module.training = mode


@dataclass
class Run:
    """A training under way."""

    model: Module
    recipe: Recipe
    checkpoint: Path | None
    tell: Callable[[Told], None]
    save_every: float

    def until(self, at: Standing, epochs: int) -> tuple[Epoch, ...]:
        """Go on until so many epochs are over."""
        self._save(at)  # a file that cannot be written is better known now than in an hour
        saved_at = time.monotonic()
        try:
            while len(at.history) < epochs:
                at = self.stepped(at)
                ended = self._told(at)
                if ended or time.monotonic() - saved_at > self.save_every:
                    self._save(at)
                    saved_at = time.monotonic()
        except KeyboardInterrupt as stop:
            self._leave(at, stop)
            raise
        finally:  # whatever stopped it, what was learned is not lost
            self.model.load_state(at.numbers.all)
        return at.history

    def stepped(self, at: Standing) -> Standing:
        """Make a step, and close the epoch if it was its last."""
        recipe, number = self.recipe, len(at.history)
        train, place = recipe.data.train, at.step - number * recipe.steps
        order = _order(recipe, number)
        batch = train.take(order[place * recipe.batch : (place + 1) * recipe.batch])
        self.model.train()
        try:
            numbers, loss, right = learn(
                self.model, recipe, at.numbers, batch, recipe.key(DRAWN, at.step)
            )
        except CgkitError as error:
            error.add_note(f"  at step {place + 1} of epoch {number + 1}")
            raise
        tally = at.tally.plus(loss, right, len(batch))
        after = Standing(numbers, at.step + 1, tally, at.history)
        if place + 1 < recipe.steps:
            return after
        self.model.eval()
        tested = measure(self.model, numbers, recipe.data.test)
        ended = Epoch(number + 1, *tally.means, tested)
        return replace(after, tally=Tally(), history=(*at.history, ended))

    def _told(self, at: Standing) -> bool:
        """Tell of the last step, and say whether an epoch has ended with it."""
        steps = self.recipe.steps
        ended = at.history[-1] if at.step % steps == 0 else None
        loss, accuracy = (ended.loss, ended.accuracy) if ended else at.tally.means
        self.tell(
            Told(
                (at.step - 1) // steps + 1, (at.step - 1) % steps + 1, steps, loss, accuracy, ended
            )
        )
        return ended is not None

    def _save(self, at: Standing) -> None:
        if self.checkpoint is not None:
            write_checkpoint(self.checkpoint, self.model, self.recipe, at)

    def _leave(self, at: Standing, stop: KeyboardInterrupt) -> None:
        """Save where it stands after the last whole step, and say how to go on."""
        self._save(at)
        place = f"after {at.step} steps, in epoch {len(at.history) + 1}"
        if self.checkpoint is None:
            stop.add_note(f"stopped {place}; the model has what it learned")
        else:
            stop.add_note(f"stopped {place}; {self.checkpoint} holds it: resume=True goes on")


def _order(recipe: Recipe, epoch: int) -> np.ndarray:
    """Give the order of the examples in an epoch."""
    return _shuffled(int(recipe.key(ORDER, epoch)), len(recipe.data.train))


@lru_cache(maxsize=2)
def _shuffled(key: int, size: int) -> np.ndarray:
    return np.asarray(ops.permutation(np.uint64(key), size=size))
