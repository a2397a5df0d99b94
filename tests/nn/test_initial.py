"""First values: spread, determinism, and refusals."""

import hashlib
import math

import numpy as np
import pytest

from cgkit import DtypeError, Generator, ShapeError, ops
from cgkit.errors import OperandError
from cgkit.nn import initial

KEY = ops.key(11)
VARIANCES = {
    "lecun_uniform": lambda i, o: 1 / (3 * i),
    "kaiming_uniform": lambda i, o: 2 / i,
    "kaiming_normal": lambda i, o: 2 / i,
    "xavier_uniform": lambda i, o: 2 / (i + o),
    "xavier_normal": lambda i, o: 2 / (i + o),
    "standard_normal": lambda i, o: 1.0,
    "zeros": lambda i, o: 0.0,
}


@pytest.mark.parametrize("name", VARIANCES)
def test_mean_and_variance(name):
    inputs, outputs = 300, 200
    drawn = getattr(initial, name)(KEY, (inputs, outputs), inputs, outputs, "float64")
    variance = VARIANCES[name](inputs, outputs)
    assert drawn.dtype == np.float64
    assert abs(drawn.mean()) <= 4 * math.sqrt(variance / drawn.size)
    assert drawn.var() == pytest.approx(variance, rel=0.03)
    if name.endswith("uniform"):
        bound = math.sqrt(3 * variance)
        assert 0.99 * bound < abs(drawn).max() <= bound
        assert abs(np.histogram(drawn, 4)[0] / drawn.size - 0.25).max() < 0.01


@pytest.mark.parametrize("name", VARIANCES)
def test_a_key_gives_the_same_numbers_again_in_each_dtype(name):
    draw = getattr(initial, name)
    first = draw(KEY, (4, 3), 4, 3)
    assert first.dtype == np.float32
    np.testing.assert_array_equal(first, draw(KEY, (4, 3), 4, 3))
    np.testing.assert_array_equal(first, draw(KEY, (4, 3), 4, 3, "float64").astype("float32"))
    assert name == "zeros" or (first != draw(ops.key(12), (4, 3), 4, 3)).any()


def test_uniform_values_are_the_same_on_every_machine():
    drawn = initial.lecun_uniform(ops.key(0), (784, 256), 784, 256)
    digest = hashlib.sha256(drawn.astype("<f4").tobytes()).hexdigest()
    assert digest[:16] == "5e000b4843581cb0"


@pytest.mark.parametrize("name", VARIANCES)
def test_nothing_to_draw(name):
    assert getattr(initial, name)(KEY, (0, 3), 0, 3).shape == (0, 3)


def test_a_parameter_takes_one_key():
    generator = Generator(5)
    x = initial.drawn("it", generator, initial.lecun_uniform, (2, 2), 2, 2, "float64")
    assert generator.handed == 1
    np.testing.assert_array_equal(
        x.data, initial.lecun_uniform(Generator(5).key(), (2, 2), 2, 2, "float64")
    )
    assert x.requires_grad
    assert x.is_leaf


def test_refusals():
    def draw(generator=None, shape=(2,), dtype="float32", first=initial.zeros):
        return initial.drawn("Linear", generator or Generator(0), first, shape, 2, 2, dtype)

    with pytest.raises(OperandError, match="Linear draws its first numbers by a Generator, got 3"):
        draw(generator=3)
    with pytest.raises(DtypeError, match="Linear learns floating numbers, not int64"):
        draw(dtype="int64")
    with pytest.raises(DtypeError, match="there is no dtype 'flaot'"):
        draw(dtype="flaot")
    with pytest.raises(ShapeError, match=r"Linear needs first values of \(2,\).* gave \(3,\)"):
        draw(first=lambda key, shape, inputs, outputs, dtype: np.zeros(3))
