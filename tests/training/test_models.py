"""The two networks fit themselves to the images they are given."""

import numpy as np
import pytest

from cgkit.data import Dataset, Examples
from cgkit.errors import ShapeError
from cgkit.tensor import Generator
from cgkit.training import cnn, mlp


def images(shape, classes=3):
    some = Examples(np.zeros((2, *shape), "float32"), np.zeros(2, int))
    return Dataset("some", some, some, classes)


@pytest.mark.parametrize("make", [mlp, cnn])
@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 28, 28), (2, 5, 11), (1, 4, 4)])
def test_a_score_for_each_class(make, shape):
    data = images(shape)
    assert make(data, Generator(0))(data.train.images).shape == (2, 3)


@pytest.mark.parametrize("make", [mlp, cnn])
def test_the_seed_decides_the_first_numbers(make):
    data = images((1, 8, 8))
    first, again, other = (make(data, Generator(seed)).state() for seed in (1, 1, 2))
    assert all((first[name] == again[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)


def test_sizes_can_be_chosen():
    data = images((1, 8, 8))
    assert mlp(data, Generator(0), hidden=5).parameters()[0].shape == (64, 5)
    assert cnn(data, Generator(0), channels=5).parameters()[2].shape == (10, 5, 3, 3)


def test_images_too_small_to_be_halved_twice_are_refused():
    with pytest.raises(ShapeError, match="images of 3 by 8 pixels cannot be halved twice"):
        cnn(images((1, 3, 8)), Generator(0))
