"""A data set that is learned in no time, and a recipe for it."""

import numpy as np
import pytest

from cgkit import nn
from cgkit.data import Dataset, Examples
from cgkit.optimizers import SGD
from cgkit.tensor import Generator


def blobs(number, seed):
    """Images of 2 by 2 pixels, each class brightest in a corner of its own."""
    drawn = np.random.default_rng(seed)
    labels = drawn.integers(0, 4, number)
    images = drawn.uniform(0, 0.8, (number, 1, 2, 2)).astype("float32")
    images.reshape(number, 4)[np.arange(number), labels] += 0.6
    return Examples(images, labels)


@pytest.fixture
def small():
    """50 examples to learn from, 20 to measure with."""
    return Dataset("blobs", blobs(50, 0), blobs(20, 1), classes=4)


@pytest.fixture
def model():
    """A network with all that a step must carry on: buffers, and something that is drawn."""
    return network()


def network(seed=0):
    """Make the network."""
    generator = Generator(seed)
    return nn.Sequential(
        nn.Conv2d(1, 3, 1, generator),
        nn.BatchNorm2d(3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(12, 4, generator),
    )


@pytest.fixture
def another():
    """Make the same network again, with the same first numbers or with others."""
    return network


@pytest.fixture
def usual():
    """Settings for it."""
    return {"optimizer": SGD(0.2, momentum=0.9), "batch": 16}
