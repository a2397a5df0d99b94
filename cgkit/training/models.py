"""Two small networks that read images.

    mlp    pixels in a row ─> hidden ─> relu ─> scores
    cnn    two times: convolution ─> relu ─> halved ─>; then scores

Both fit themselves to the shape of the images and the number of classes.
"""

from __future__ import annotations

import math

from cgkit import nn
from cgkit.data import Dataset
from cgkit.errors import ShapeError
from cgkit.tensor import Generator


def mlp(data: Dataset, generator: Generator, hidden: int = 32) -> nn.Sequential:
    """Make a network with one hidden layer.

    Parameters
    ----------
    data
        The images it shall read.
    generator
        Hands out the keys for its first numbers.
    hidden
        How many numbers the hidden layer has.

    Examples
    --------
    >>> from cgkit import data
    >>> mlp(data.digits(), Generator(0))
    Sequential()         2,410 parameters, float32
      0  Flatten()
      1  Linear(64, 32)  2,080  weight (64, 32), bias (32,)
      2  ReLU()
      3  Linear(32, 10)    330  weight (32, 10), bias (10,)
    """
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(math.prod(data.shape), hidden, generator),
        nn.ReLU(),
        nn.Linear(hidden, data.classes, generator),
    )


def cnn(data: Dataset, generator: Generator, channels: int = 16) -> nn.Sequential:
    """Make a network of two convolutions.

    Parameters
    ----------
    data
        The images it shall read, of at least 4 by 4 pixels.
    generator
        Hands out the keys for its first numbers.
    channels
        How many the first convolution makes; the second makes twice as many.

    Raises
    ------
    ShapeError
        The images are too small to be halved twice.

    Examples
    --------
    >>> from cgkit import data
    >>> sum(x.data.size for x in cnn(data.digits(), Generator(0)).parameters())
    6090
    """
    planes, height, width = data.shape
    rows, columns = height // 4, width // 4
    if not rows * columns:
        raise ShapeError(
            f"images of {height} by {width} pixels cannot be halved twice", attempt="mlp"
        )
    return nn.Sequential(
        nn.Conv2d(planes, channels, 3, generator, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(channels, 2 * channels, 3, generator, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(2 * channels * rows * columns, data.classes, generator),
    )
