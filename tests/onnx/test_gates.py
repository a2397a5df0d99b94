import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx.gates import GATES, bends
from cgkit.onnx.step import Step

X = np.array([-3.0, -0.5, 0.0, 0.25, 1.0, 3.0])
EXPECTED = {
    "affine": 2.0 * X + 0.75,
    "elu": np.where(X < 0, 2.0 * np.expm1(X), X),
    "hardsigmoid": np.clip(2.0 * X + 0.75, 0, 1),
    "leakyrelu": np.where(X < 0, 2.0 * X, X),
    "relu": np.maximum(X, 0),
    "scaledtanh": 2.0 * np.tanh(0.75 * X),
    "sigmoid": 1 / (1 + np.exp(-X)),
    "softplus": np.log1p(np.exp(X)),
    "softsign": X / (1 + np.abs(X)),
    "tanh": np.tanh(X),
    "thresholdedrelu": np.where(X >= 2.0, X, 0),
}


def acts(names, directions=1, default=("Tanh",), **settings):
    step = Step("n", "LSTM", settings={"activations": names, **settings})
    return bends(step, default, directions)


@pytest.mark.parametrize("name", sorted(GATES))
def test_each_function(name):
    [[act]] = acts((name,), activation_alpha=(2.0,), activation_beta=(0.75,))
    np.testing.assert_allclose(act(X), EXPECTED[name])


def test_numbers_are_dealt_to_those_that_take_them():
    names = ("Tanh", "HardSigmoid", "Relu", "Affine")
    [[_, first, _, second]] = acts(
        names, default=("",) * 4, activation_alpha=(0.5, 3.0), activation_beta=(0.25,)
    )
    np.testing.assert_allclose(first(X), np.clip(0.5 * X + 0.25, 0, 1))
    np.testing.assert_allclose(second(X), 3.0 * X)  # the default of its beta is 0


def test_defaults_are_those_of_the_operators():
    [[first, second]] = acts(("HardSigmoid", "LeakyRelu"), default=("", ""))
    np.testing.assert_allclose(first(X), np.clip(0.2 * X + 0.5, 0, 1))
    np.testing.assert_allclose(second(X), np.where(X < 0, 0.01 * X, X))


def test_each_direction_has_its_own():
    one, other = acts(("Relu", "Tanh"), directions=2)
    np.testing.assert_allclose(one[0](X), np.maximum(X, 0))
    np.testing.assert_allclose(other[0](X), np.tanh(X))


def test_what_is_bent_is_clipped_before():
    [[act]] = acts(("Affine",), clip=0.5, activation_alpha=(3.0,))
    np.testing.assert_allclose(act(X), 3 * np.clip(X, -0.5, 0.5))


def test_the_threshold_itself_is_above():
    [[act]] = acts(("ThresholdedRelu",), activation_alpha=(0.25,))
    np.testing.assert_array_equal(act(X), [0, 0, 0, 0.25, 1, 3])


def test_unknown_names_and_too_few_are_refused():
    with pytest.raises(OnnxError, match="no activation 'Swish'"):
        acts(("Swish",))
    with pytest.raises(OnnxError, match="needs 4 activations, got 2"):
        acts(("Tanh", "Tanh"), directions=2, default=("Tanh", "Tanh"))
