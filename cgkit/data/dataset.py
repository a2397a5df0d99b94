"""What a data set is: examples to train with, and others to test with.

    Dataset ─┬─ train: Examples ─ images, labels
             └─ test:  Examples

The arrays cannot be written to, so one data set may serve many trainings. Those that could be are
copied, and the caller's stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit.errors import OperandError, ShapeError


@dataclass(frozen=True, eq=False, repr=False)
class Examples:
    """Images and what they show.

    Parameters
    ----------
    images
        Numbers from 0 to 1, float32 of shape (n, channels, height, width).
    labels
        The class of each, int64 of shape (n,).

    Raises
    ------
    OperandError
        They are no arrays.
    ShapeError
        There are not as many labels as images, or the shapes are others.

    Examples
    --------
    >>> few = Examples(np.zeros((3, 1, 8, 8), "float32"), np.array([5, 0, 4]))
    >>> len(few), few.take([2, 0]).labels
    (3, array([4, 5]))
    """

    images: np.ndarray
    labels: np.ndarray

    def __post_init__(self) -> None:
        """Check that each image has a label, and keep what nobody can write to."""
        for name in ("images", "labels"):
            object.__setattr__(self, name, _kept(getattr(self, name), name))
        images, labels = self.images.shape, self.labels.shape
        if len(images) != 4 or labels != images[:1]:
            raise ShapeError(
                f"images of shape {images} and labels of shape {labels} are no examples",
                why="images have shape (n, channels, height, width), labels (n,)",
            )

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, places: np.ndarray | list[int]) -> Examples:
        """Give some of the examples, in the order of their places."""
        images, labels = self.images[places], self.labels[places]
        images.flags.writeable = labels.flags.writeable = False  # new, so nobody minds
        return Examples(images, labels)

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.images.shape[1:]))
        return f"Examples({len(self):,} of {sizes})"


def _kept(array: Any, name: str) -> np.ndarray:
    """Give an array that cannot be written to."""
    if not isinstance(array, np.ndarray):
        raise OperandError(
            f"{name} of examples are an array, not {type(array).__name__}",
            attempt=f"np.asarray({name})",
        )
    found: np.ndarray = array
    if found.flags.writeable:
        found = found.copy()
        found.flags.writeable = False
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Examples to learn from, and others to measure with.

    Parameters
    ----------
    name
        What it is called.
    train, test
        The two parts, whose images have one shape.
    classes
        How many classes there are; labels go from 0 up to but without it.

    Raises
    ------
    ShapeError
        Images of the parts differ in shape, or a label is none of the classes.
    """

    name: str
    train: Examples
    test: Examples
    classes: int = 10

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        shapes = self.train.images.shape[1:], self.test.images.shape[1:]
        if shapes[0] != shapes[1]:
            raise ShapeError(
                f"{self.name} has images of {shapes[0]} to train and of {shapes[1]} to test"
            )
        for labels in (self.train.labels, self.test.labels):
            if labels.size and not 0 <= labels.min() <= labels.max() < self.classes:
                raise ShapeError(
                    f"{self.name} has {self.classes} classes, but labels from {labels.min()} "
                    f"to {labels.max()}"
                )

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width of each image."""
        channels, height, width = self.train.images.shape[1:]
        return channels, height, width

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.shape))
        parts = f"{len(self.train):,} to train, {len(self.test):,} to test"
        return f"Dataset({self.name}: {parts}, {sizes}, {self.classes} classes)"
