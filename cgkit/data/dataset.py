"""What a data set is: examples to train with, and others to test with.

    Dataset ─┬─ train: Examples ─ images, labels
             └─ test:  Examples

The arrays cannot be written to, so one data set may serve many trainings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cgkit.errors import ShapeError


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
        """Check that each image has a label, and let nobody write to them."""
        images, labels = self.images.shape, self.labels.shape
        if len(images) != 4 or labels != images[:1]:
            raise ShapeError(
                f"images of shape {images} and labels of shape {labels} are no examples",
                why="images have shape (n, channels, height, width), labels (n,)",
            )
        self.images.flags.writeable = self.labels.flags.writeable = False

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, places: np.ndarray | list[int]) -> Examples:
        """Give some of the examples, in the order of their places."""
        return Examples(self.images[places], self.labels[places])

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.images.shape[1:]))
        return f"Examples({len(self):,} of {sizes})"


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
