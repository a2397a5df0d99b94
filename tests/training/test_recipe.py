"""What decides the numbers is told apart; what does not is not."""

import subprocess
import sys

import numpy as np
import pytest

from cgkit import ops
from cgkit.data import Dataset, Examples
from cgkit.errors import OperandError
from cgkit.optimizers import SGD, Adam
from cgkit.training import Recipe


def test_equal_recipes_are_described_alike(small, another):
    first = Recipe(small, SGD(0.1), batch=8).described(another())
    assert first == Recipe(small, SGD(0.1), batch=8).described(another(seed=5))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("optimizer", {"optimizer": SGD(0.2)}),
        ("loss", {"loss": ops.nll_loss}),
        ("batch", {"batch": 9}),
        ("seed", {"seed": 1}),
        ("clip", {"clip": 1.0}),
    ],
)
def test_each_setting_is_told(small, model, name, change):
    usual = {"optimizer": SGD(0.1), "batch": 8}
    one = Recipe(small, **usual).described(model)
    other = Recipe(small, **{**usual, **change}).described(model)
    assert [known for known in one if one[known] != other[known]] == [name]


def test_data_and_model_are_told(small, model):
    one = Recipe(small).described(model)
    labels = small.train.labels.copy()
    labels[3] = (labels[3] + 1) % 4
    swapped = Dataset("blobs", Examples(small.train.images.copy(), labels), small.test, 4)
    assert Recipe(swapped).described(model)["data"] != one["data"]
    images = small.train.images.copy()
    images[-1, 0, 0, 0] += 1  # the same labels, and yet other numbers will come of it
    changed = Dataset("blobs", Examples(images, small.train.labels.copy()), small.test, 4)
    assert Recipe(changed).described(model)["data"] != one["data"]
    assert Recipe(small).described(model[:2])["model"] != one["model"]


def test_words_are_the_same_in_each_process():
    # a place in memory or a randomized hash would make a checkpoint useless tomorrow
    code = (
        "from cgkit import data, nn\n"
        "from cgkit.optimizers import SGD\n"
        "from cgkit.tensor import Generator\n"
        "from cgkit.training import Recipe, mlp\n"
        "digits = data.digits()\n"
        "recipe = Recipe(digits, SGD(lambda step: 0.1), loss=lambda scores, labels: 0)\n"
        "print(recipe.described(mlp(digits, Generator(0))))\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(told) == 1


def test_keys_depend_on_purpose_and_number_alone(small):
    recipe = Recipe(small, seed=7)
    drawn = {int(recipe.key(purpose, number)) for purpose in (0, 1) for number in range(50)}
    assert len(drawn) == 100
    assert recipe.key(1, 9) == Recipe(small, seed=7, batch=3).key(1, 9)
    assert recipe.key(1, 9) != Recipe(small, seed=8).key(1, 9)


@pytest.mark.parametrize(("batch", "steps"), [(1, 50), (16, 4), (50, 1), (1000, 1)])
def test_steps_of_an_epoch(small, batch, steps):
    assert Recipe(small, batch=batch).steps == steps


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"batch": 0}, "the size of a batch is a whole number of at least 1"),
        ({"batch": 2.5}, "the size of a batch is a whole number"),
        ({"seed": "a"}, "the seed is a whole number"),
        ({"clip": -1.0}, "the longest gradient is a number of at least 0"),
        ({"optimizer": Adam}, "an optimizer is needed, not <class"),
    ],
)
def test_settings_out_of_bounds_are_refused(small, settings, said):
    with pytest.raises(OperandError, match=said):
        Recipe(small, **settings)


def test_nothing_to_learn_from_is_refused(small):
    empty = Examples(np.zeros((0, 1, 2, 2), "float32"), np.zeros(0, int))
    with pytest.raises(OperandError, match="has nothing to learn from"):
        Recipe(Dataset("none", empty, small.test, 4))
