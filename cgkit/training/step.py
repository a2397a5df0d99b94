"""One step of learning, and measuring: pure functions of numbers.

    Standing ─┬─ numbers ─┬─ parameters, buffers     arrays by name
              │           └─ states                  what the optimizer keeps of each parameter
              ├─ step                                how many there were
              ├─ tally                               loss and right answers of this epoch so far
              └─ history                             one Epoch for each that is over

Nothing here changes anything: whoever holds a Standing can go on from it, at any time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cgkit.data import Examples
from cgkit.errors import TrainingError
from cgkit.nn import Module, functional
from cgkit.optimizers import State, clip_by_norm
from cgkit.tensor import Tensor, grad, no_grad
from cgkit.training.recipe import Recipe

AT_ONCE = 500
"""How many images are measured at once."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """All numbers of a model and of its optimizer."""

    parameters: Mapping[str, np.ndarray]
    """What is learned, by name."""
    buffers: Mapping[str, np.ndarray]
    """What a model keeps beside, such as running means."""
    states: Mapping[str, State]
    """What the optimizer keeps of each parameter."""

    @property
    def all(self) -> dict[str, np.ndarray]:
        """Parameters and buffers, as a model's `load_state` takes them."""
        return {**self.parameters, **self.buffers}


@dataclass(frozen=True)
class Epoch:
    """What came of looking at all examples once."""

    number: int
    """Which epoch it was, from 1."""
    loss: float
    """The mean loss of its steps."""
    accuracy: float
    """Which part of the examples was read rightly, at the moment they were learned from."""
    tested: float
    """Which part of the examples kept apart was read rightly at its end."""


@dataclass(frozen=True)
class Tally:
    """Sums over the steps of an epoch."""

    loss: float = 0.0
    right: int = 0
    seen: int = 0

    def plus(self, loss: float, right: int, seen: int) -> Tally:
        """Add a step, with its mean loss."""
        return Tally(self.loss + loss * seen, self.right + right, self.seen + seen)

    @property
    def means(self) -> tuple[float, float]:
        """The mean loss, and which part was right."""
        return self.loss / max(self.seen, 1), self.right / max(self.seen, 1)


@dataclass(frozen=True, eq=False)
class Standing:
    """Where a training stands between two steps: all that is needed to go on."""

    numbers: Numbers
    step: int = 0
    tally: Tally = field(default_factory=Tally)
    history: tuple[Epoch, ...] = ()


def beginning(model: Module, recipe: Recipe) -> Standing:
    """Give the standing of a training that has not begun: the numbers that the model has now."""
    parameters = {name: x.numpy() for name, x in model.named_parameters().items()}
    buffers = {name: x.numpy() for name, x in model.named_buffers().items()}
    states = recipe.optimizer.initial_all(parameters)
    return Standing(Numbers(parameters, buffers, states))


def learn(
    model: Module, recipe: Recipe, numbers: Numbers, batch: Examples, key: Any
) -> tuple[Numbers, float, int]:
    """Make one step.

    Parameters
    ----------
    model
        The function; neither its own numbers are read nor written.
    recipe
        Loss, optimizer and clipping.
    numbers
        Those to learn from.
    batch
        The examples.
    key
        For whatever the model draws.

    Returns
    -------
    tuple
        The new numbers, the mean loss before the step, and how many examples were read rightly.

    Raises
    ------
    TrainingError
        The loss is no single finite number.
    """
    leaves = {name: Tensor.wrap(x).requires_grad_() for name, x in numbers.parameters.items()}
    state = {**leaves, **numbers.buffers}
    scores, buffers = functional(model, state, batch.images, key=key)
    loss = recipe.loss(scores, batch.labels)
    value = _finite(loss)
    slopes = grad(loss, list(leaves.values()), allow_unused=True)
    ways = {name: None if g is None else g.data for name, g in zip(leaves, slopes, strict=True)}
    if recipe.clip is not None:
        ways, _ = clip_by_norm(ways, recipe.clip)
    parameters, states = recipe.optimizer.update_all(numbers.parameters, ways, numbers.states)
    kept = {name: x.data if isinstance(x, Tensor) else x for name, x in buffers.items()}
    # NumPy makes plain numbers of arrays without axes: here they stay arrays
    arrays = {name: np.asarray(x) for name, x in parameters.items()}
    return Numbers(arrays, kept, states), value, int(_right(scores, batch.labels).sum())


def _finite(loss: Any) -> float:
    """Give a loss as a number, if it is one that can be followed."""
    if not isinstance(loss, Tensor) or loss.data.size != 1:
        shape = getattr(loss, "shape", None)
        raise TrainingError(
            f"the loss is one number, not {type(loss).__name__} of shape {shape}",
            attempt='a loss with reduction="mean"',
        )
    value = float(loss.item())
    if not math.isfinite(value):
        raise TrainingError(
            f"the loss is {value}: nothing can be learned from it",
            why="numbers grew without bound, or the data hold nan",
            attempt="a smaller learning rate, or clip=1.0",
        )
    return value


def _right(scores: Any, labels: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.asarray(scores.data).argmax(axis=1) == labels
    return found


def measure(model: Module, numbers: Numbers, examples: Examples) -> float:
    """Say which part of examples a model reads rightly: nan of none.

    Parameters
    ----------
    model
        The function, in the mode in which it is measured.
    numbers
        Those it is measured with.
    examples
        Images and labels.
    """
    right = 0
    state = {name: Tensor.wrap(x) for name, x in numbers.all.items()}
    with no_grad():
        for start in range(0, len(examples), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            scores, _ = functional(model, state, examples.images[some])
            right += int(_right(scores, examples.labels[some]).sum())
    return right / len(examples) if len(examples) else math.nan
