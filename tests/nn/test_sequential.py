"""Layers in a row, and the layers that only shape what passes."""

import numpy as np
import pytest

from cgkit import Generator, GraphBuilder, ShapeError, Tensor, ops
from cgkit.errors import OperandError
from cgkit.nn import Dropout, Flatten, Linear, ReLU, Sequential


def model():
    g = Generator(0)
    return Sequential(Linear(3, 4, g), ReLU(), Linear(4, 2, g))


def test_layers_are_called_in_order():
    layers, x = model(), np.random.default_rng(0).normal(size=(5, 3)).astype("float32")
    first, relu, last = layers
    np.testing.assert_array_equal(layers(x).data, last(relu(first(x))).data)
    assert list(layers.state()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert Sequential()(x) is x


def test_layers_by_place():
    layers = model()
    assert len(layers) == 3
    assert layers[-1] is layers[2]
    assert list(layers[1:]) == [layers[1], layers[2]]
    assert layers[0]._name == "0"
    with pytest.raises(IndexError):
        layers[3]


def test_only_modules_are_layers():
    with pytest.raises(
        OperandError, match="layer 1 of Sequential is no Module but <operator relu>"
    ):
        Sequential(ReLU(), ops.relu)


def test_each_layer_draws_with_a_key_of_its_own():
    layers = Sequential(Dropout(0.5), Dropout(0.5))
    x, key = np.ones(4000), ops.key(2)
    y = layers(x, key=key)
    first, second = (ops.dropout(x, ops.fold_in(key, i)) for i in range(2))
    np.testing.assert_array_equal(y, first * second)
    assert abs((y > 0).mean() - 0.25) < 0.03


def test_dropout():
    layer, x = Dropout(0.25), Tensor(np.ones(10000), requires_grad=True)
    y = layer(x, key=ops.key(0))
    assert set(np.unique(y.data)) == {0.0, 1 / 0.75}
    assert abs((y.data == 0).mean() - 0.25) < 0.02
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, y.data)  # the same mask again
    assert layer.eval()(x) is x
    assert Dropout(0.0)(x) is x
    assert not Dropout(1)(x, key=ops.key(0)).data.any()
    for rate in (-0.1, 1.5, "half"):
        with pytest.raises(OperandError, match="the rate of Dropout is a number from 0 to 1"):
            Dropout(rate)


@pytest.mark.parametrize(
    ("start", "shape", "made"),
    [
        (1, (2, 3, 4), (2, 12)),
        (1, (0, 3, 4), (0, 12)),
        (1, (2, 0, 4), (2, 0)),
        (1, (2, 3), (2, 3)),
        (0, (2, 3), (6,)),
        (-2, (2, 3, 4), (2, 12)),
    ],
)
def test_flatten(start, shape, made):
    x = np.arange(np.prod(shape)).reshape(shape)
    np.testing.assert_array_equal(Flatten(start)(x), x.reshape(made))


def test_flatten_with_an_open_batch_and_refusals():
    builder = GraphBuilder()
    assert str(Flatten()(builder.placeholder((None, 3, 4), name="x")).type) == "float64[N, 12]"
    for start, shape in ((1, ()), (3, (2, 3))):
        with pytest.raises(ShapeError, match=f"axis {start} does not exist") as caught:
            Flatten(start)(np.zeros(shape))
        assert "in layer Flatten" in caught.value.with_place()
