"""A step is a pure function: checked against the same step written with the model itself."""

import copy
import math

import numpy as np
import pytest

from cgkit import Tensor, nn, ops
from cgkit.data import Examples
from cgkit.errors import TrainingError
from cgkit.optimizers import SGD
from cgkit.tensor import Generator
from cgkit.training import Recipe, learn, measure
from cgkit.training.step import Tally, beginning

KEY = ops.key(3)


def test_as_written_out(small, model, another):
    recipe = Recipe(small, SGD(0.1), batch=10)
    batch = small.train.take(range(10))
    numbers, loss, right = learn(model, recipe, beginning(model, recipe).numbers, batch, KEY)
    twin = another()
    scores = twin(batch.images, key=KEY)
    expected = ops.cross_entropy(scores, batch.labels)
    expected.backward()
    assert loss == expected.item()
    assert right == (scores.data.argmax(axis=1) == batch.labels).sum()
    for name, weight in twin.named_parameters().items():
        new = weight.data - weight.grad.data * np.float32(0.1)
        np.testing.assert_array_equal(numbers.parameters[name], new)
    for name, buffer in twin.named_buffers().items():
        np.testing.assert_array_equal(numbers.buffers[name], buffer.data)


def test_nothing_changes(small, model):
    recipe = Recipe(small, SGD(0.1, momentum=0.5))
    at = beginning(model, recipe)
    before = copy.deepcopy([model.state(), at.numbers.all, at.numbers.states])
    first = learn(model, recipe, at.numbers, small.train, KEY)
    second = learn(model, recipe, at.numbers, small.train, KEY)
    assert repr([model.state(), at.numbers.all, at.numbers.states]) == repr(before)
    assert repr(first[0].all) == repr(second[0].all)
    assert first[1:] == second[1:]


def test_the_key_decides_what_is_drawn(small, model):
    recipe = Recipe(small, SGD(0.1))
    numbers = beginning(model, recipe).numbers
    one, other = (learn(model, recipe, numbers, small.train, ops.key(k))[1] for k in (1, 2))
    assert one != other


def test_clipping_bounds_the_step(small, model):
    numbers = beginning(model, Recipe(small)).numbers
    moved = []
    for clip in (None, 1e-3):
        recipe = Recipe(small, SGD(1.0), clip=clip)
        new, _, _ = learn(model, recipe, numbers, small.train, KEY)
        way = [new.parameters[name] - numbers.parameters[name] for name in numbers.parameters]
        moved.append(math.sqrt(sum(float((x**2).sum()) for x in way)))
    assert moved[0] > 1e-2
    assert moved[1] == pytest.approx(1e-3, rel=1e-2)


class Odd(nn.Module):
    """A model with a parameter that nothing reads."""

    def __init__(self):
        self.layer = nn.Linear(4, 4, Generator(0))
        self.idle = Tensor([1.0], requires_grad=True)

    def forward(self, x):
        return self.layer(np.reshape(x, (-1, 4)))


def test_a_parameter_that_nothing_reads_stays(small):
    recipe = Recipe(small, SGD(1.0))
    model = Odd()
    new, _, _ = learn(model, recipe, beginning(model, recipe).numbers, small.train, KEY)
    assert new.parameters["idle"].tolist() == [1.0]
    assert new.states["idle"]["step"] == 0


class Scaled(nn.Module):
    """A model with a parameter that is one number."""

    def __init__(self):
        self.layer = nn.Linear(4, 4, Generator(0))
        self.factor = Tensor(np.float32(1.5), requires_grad=True)

    def forward(self, x):
        return self.layer(np.reshape(x, (-1, 4))) * self.factor


def test_a_parameter_without_axes_stays_an_array(small):
    recipe = Recipe(small, SGD(0.1, momentum=0.5))
    model = Scaled()
    numbers = beginning(model, recipe).numbers
    for _ in range(3):
        numbers, _, _ = learn(model, recipe, numbers, small.train, KEY)
    assert type(numbers.parameters["factor"]) is np.ndarray
    assert numbers.parameters["factor"].dtype == np.float32
    assert numbers.parameters["factor"] != 1.5


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (lambda scores, labels: scores.sum() * math.nan, "the loss is nan"),
        (lambda scores, labels: (scores * 0.0 + 1e30).sum() * 1e30, "the loss is inf"),
        (lambda scores, labels: scores.sum(axis=1), r"not Tensor of shape \(50,\)"),
        (lambda scores, labels: 3.0, "the loss is one number, not float"),
    ],
)
def test_a_loss_that_cannot_be_followed_is_refused(small, model, loss, said):
    recipe = Recipe(small, loss=loss)
    with pytest.raises(TrainingError, match=said):
        learn(model, recipe, beginning(model, recipe).numbers, small.train, KEY)


def test_measuring_counts_right_answers(small, model, another):
    model.eval()
    numbers = beginning(model, Recipe(small)).numbers
    scores = another().eval()(small.test.images).data
    expected = np.mean(scores.argmax(axis=1) == small.test.labels)
    assert measure(model, numbers, small.test) == expected


def test_measuring_in_parts_gives_the_same(small, model, monkeypatch):
    model.eval()
    numbers = beginning(model, Recipe(small)).numbers
    whole = measure(model, numbers, small.train)
    monkeypatch.setattr("cgkit.training.step.AT_ONCE", 7)
    assert measure(model, numbers, small.train) == whole


def test_measuring_nothing_gives_nan(model, small):
    empty = Examples(np.zeros((0, 1, 2, 2), "float32"), np.zeros(0, int))
    assert math.isnan(measure(model, beginning(model, Recipe(small)).numbers, empty))


def test_tallies():
    tally = Tally().plus(2.0, 3, 4).plus(1.0, 1, 1)
    assert tally == Tally(9.0, 4, 5)
    assert tally.means == (1.8, 0.8)
    assert Tally().means == (0.0, 0.0)
