"""First values of parameters: pure functions of a key.

    kaiming_uniform(key, shape, inputs, outputs)     inputs: how many numbers each output sums up
                                                     outputs: how many outputs each input goes into

    name               spread                      for
    lecun_uniform      1 / inputs, over three      what layers take unless told otherwise
    kaiming_uniform    2 / inputs                  before relu, which lets half pass
    kaiming_normal     2 / inputs                  the same, from a bell curve
    xavier_uniform     2 / (inputs + outputs)      before tanh and sigmoid, and in attention
    xavier_normal      2 / (inputs + outputs)      the same, from a bell curve

The spread is the variance. Each keeps the size of what flows through many layers about the same.
The uniform ones give the same numbers to the last bit on every machine; the normal ones use
logarithm and cosine, whose last bit may differ between machines.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import DtypeError, ShapeError
from cgkit.tensor import Generator, Tensor, expect_generator
from cgkit.types import Shape, as_dtype, show_shape


class Initial(Protocol):
    """A function that gives first values."""

    def __call__(
        self, key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
    ) -> np.ndarray:
        """Give an array of a shape and dtype, drawn with a key."""


def _uniform(key: Any, shape: Shape, variance: float, dtype: DTypeLike) -> np.ndarray:
    bound = math.sqrt(3.0 * variance)
    fractions = np.asarray(ops.uniform(key, shape=shape, dtype="float64"))
    return ((2.0 * fractions - 1.0) * bound).astype(dtype)


def _normal(key: Any, shape: Shape, variance: float, dtype: DTypeLike) -> np.ndarray:
    drawn = np.asarray(ops.normal(key, shape=shape, dtype="float64"))
    return (drawn * math.sqrt(variance)).astype(dtype)


def lecun_uniform(
    key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
) -> np.ndarray:
    """Draw evenly between -1 / sqrt(inputs) and 1 / sqrt(inputs).

    Examples
    --------
    >>> drawn = lecun_uniform(ops.key(0), (4, 1000), 4, 1000)
    >>> float(abs(drawn).max()) <= 0.5, float(abs(drawn).max()) > 0.49
    (True, True)

    References
    ----------
    Y. LeCun, L. Bottou, G. B. Orr, K.-R. Müller, "Efficient backprop", 1998.
    """
    return _uniform(key, shape, 1.0 / (3.0 * max(inputs, 1)), dtype)


def kaiming_uniform(
    key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
) -> np.ndarray:
    """Draw evenly with variance 2 / inputs.

    References
    ----------
    K. He, X. Zhang, S. Ren, J. Sun, "Delving deep into rectifiers", ICCV 2015.
    """
    return _uniform(key, shape, 2.0 / max(inputs, 1), dtype)


def kaiming_normal(
    key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
) -> np.ndarray:
    """Draw from a bell curve with variance 2 / inputs."""
    return _normal(key, shape, 2.0 / max(inputs, 1), dtype)


def xavier_uniform(
    key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
) -> np.ndarray:
    """Draw evenly with variance 2 / (inputs + outputs).

    References
    ----------
    X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural
    networks", AISTATS 2010.
    """
    return _uniform(key, shape, 2.0 / max(inputs + outputs, 1), dtype)


def xavier_normal(
    key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
) -> np.ndarray:
    """Draw from a bell curve with variance 2 / (inputs + outputs)."""
    return _normal(key, shape, 2.0 / max(inputs + outputs, 1), dtype)


def standard_normal(
    key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
) -> np.ndarray:
    """Draw from a bell curve with variance 1, as for vectors that are looked up."""
    return _normal(key, shape, 1.0, dtype)


def zeros(
    key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
) -> np.ndarray:
    """Give zeros; the key is not used."""
    return np.zeros(shape, dtype)


def drawn(
    what: str,
    generator: Generator,
    initial: Initial,
    shape: Shape,
    inputs: int,
    outputs: int,
    dtype: DTypeLike,
) -> Tensor:
    """Make a parameter of first values, with the next key of a generator.

    Parameters
    ----------
    what
        The layer, for errors.
    generator
        Hands out the key.
    initial
        Gives the values; the further arguments are what it is asked.

    Raises
    ------
    OperandError, DtypeError, ShapeError
        The generator is none, the dtype is not floating, or the values are of another shape.

    Examples
    --------
    >>> drawn("Linear", Generator(0), zeros, (2,), 3, 2, "float64")
    Tensor([0., 0.], requires_grad=True)
    """
    made = as_dtype(dtype)
    if made.kind != "f":
        raise DtypeError(f"{what} learns floating numbers, not {made}", attempt='dtype="float32"')
    key = expect_generator(what, generator).key()
    values = np.asarray(initial(key, shape, inputs, outputs, made))
    if values.shape != shape:
        raise ShapeError(
            f"{what} needs first values of {show_shape(shape)}, and {initial!r:.60} gave "
            f"{show_shape(values.shape)}"
        )
    return Tensor(values, dtype=made, requires_grad=True)
