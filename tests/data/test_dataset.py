"""Examples and data sets fit together, and nobody writes to them."""

import numpy as np
import pytest

from cgkit.data import Dataset, Examples
from cgkit.errors import OperandError, ShapeError


def some(number=4, side=8, label=0):
    return Examples(np.zeros((number, 1, side, side), "float32"), np.full(number, label))


def test_examples_are_taken_by_place():
    few = Examples(np.arange(3.0).reshape(3, 1, 1, 1), np.array([7, 8, 9])).take([2, 0])
    assert few.labels.tolist() == [9, 7]
    assert few.images.ravel().tolist() == [2.0, 0.0]
    assert len(few) == 2
    assert len(few.take([])) == 0


def test_nobody_writes_to_them():
    examples = some()
    with pytest.raises(ValueError, match="read-only"):
        examples.images[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        examples.labels[0] = 1


def test_the_arrays_of_the_caller_stay_as_they_are():
    images, labels = np.zeros((2, 1, 3, 3), "float32"), np.array([1, 2])
    examples = Examples(images, labels)
    images += 1
    labels[0] = 7
    assert examples.images.max() == 0
    assert examples.labels.tolist() == [1, 2]
    assert examples.take([0]).labels.tolist() == [1]
    again = Examples(examples.images, examples.labels)
    assert again.images is examples.images  # nobody can write to it: not copied once more


def test_lists_are_no_examples():
    with pytest.raises(OperandError, match="images of examples are an array, not list"):
        Examples([[0.0]], np.array([1]))


@pytest.mark.parametrize(
    ("images", "labels"), [((3, 8, 8), (3,)), ((3, 1, 8, 8), (2,)), ((3, 1, 8, 8), (3, 1))]
)
def test_each_image_has_one_label(images, labels):
    with pytest.raises(ShapeError, match="are no examples"):
        Examples(np.zeros(images), np.zeros(labels, int))


def test_a_data_set_says_what_it_is():
    both = Dataset("few", some(5), some(2))
    assert repr(both) == "Dataset(few: 5 to train, 2 to test, 1x8x8, 10 classes)"
    assert repr(both.test) == "Examples(2 of 1x8x8)"
    assert both.shape == (1, 8, 8)


def test_parts_must_fit():
    with pytest.raises(ShapeError, match=r"images of .* to train and of .* to test"):
        Dataset("odd", some(side=8), some(side=9))
    with pytest.raises(ShapeError, match="3 classes, but labels from 3 to 3"):
        Dataset("odd", some(), some(label=3), classes=3)
    with pytest.raises(ShapeError, match="labels from -1 to -1"):
        Dataset("odd", some(label=-1), some())
    assert len(Dataset("empty", some(0), some(0)).train) == 0
