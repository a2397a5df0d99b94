"""Layers with one matrix: Linear mixes features, Embedding looks rows up.

    x (..., inputs) ─ @ weight (inputs, outputs) ─ + bias (outputs,) ─> (..., outputs)
    ids (...) ─ rows of weight (ids, size) ─────────────────────────> (..., size)

The weight of Linear is stored as it is used, x @ weight; that of a framework which stores (outputs,
inputs) is this one transposed.
"""

from __future__ import annotations

from typing import Any, NoReturn

from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import OperandError, ShapeError
from cgkit.nn.initial import Initial, drawn, lecun_uniform, standard_normal
from cgkit.nn.module import Module
from cgkit.operators.operands import as_operand
from cgkit.operators.settings import as_whole
from cgkit.tensor import Generator
from cgkit.types import show_shape


class Linear(Module):
    """Mix the features along the last axis: x @ weight + bias.

    Parameters
    ----------
    inputs
        How many features x has.
    outputs
        How many features the result has.
    generator
        Hands out the keys for the first values.
    bias
        Whether something is added.
    initial, initial_bias
        Give the first values of weight and bias.
    dtype
        The dtype of the parameters.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> layer = Linear(3, 2, Generator(0))
    >>> layer
    Linear(3, 2)  8 parameters: weight (3, 2), bias (2,)
    >>> layer(Tensor([[1.0, 2.0, 3.0]], dtype="float32")).shape
    (1, 2)
    >>> layer(Tensor([1.0, 2.0]))
    Traceback (most recent call last):
    cgkit.errors.ShapeError: Linear(3, 2) cannot take x of (2,)
      it takes 3 features on the last axis, and x has 2
      try      x of shape (..., 3), or Linear(2, 2, ...)
      in layer  Linear(3, 2)
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        generator: Generator,
        *,
        bias: bool = True,
        initial: Initial = lecun_uniform,
        initial_bias: Initial = lecun_uniform,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.inputs = as_whole("the inputs of Linear", inputs, least=0)
        self.outputs = as_whole("the outputs of Linear", outputs, least=0)
        sizes = (self.inputs, self.outputs)
        self.weight = drawn("Linear", generator, initial, sizes, *sizes, dtype)
        self.bias = (
            drawn("Linear", generator, initial_bias, (self.outputs,), *sizes, dtype)
            if bias
            else None
        )

    def forward(self, x: Any) -> Any:
        """Mix the last axis of x, of shape (..., inputs)."""
        x = as_operand(x)
        if not x.shape or (isinstance(x.shape[-1], int) and x.shape[-1] != self.inputs):
            self._refuse(x)
        mixed = ops.matmul(x, self.weight)
        return mixed if self.bias is None else ops.add(mixed, self.bias)

    def _refuse(self, x: Any) -> NoReturn:
        found = x.shape[-1] if x.shape else "no axis"
        raise ShapeError(
            f"{self.heading} cannot take x of {show_shape(x.shape)}",
            why=f"it takes {self.inputs} features on the last axis, and x has {found}",
            attempt=f"x of shape (..., {self.inputs})"
            + f", or Linear({found}, {self.outputs}, ...)" * bool(x.shape),
        )


class Embedding(Module):
    """Look up a vector for each id: rows of weight.

    Parameters
    ----------
    ids
        How many ids there are, from 0.
    size
        How many numbers each vector has.
    generator
        Hands out the key for the first values.
    padding
        An id whose vector is 0 at first and learns nothing, or None.
    initial
        Gives the first values.
    dtype
        The dtype of the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> layer = Embedding(10, 4, Generator(0), padding=0)
    >>> layer
    Embedding(10, 4, padding=0)  40 parameters: weight (10, 4)
    >>> layer(np.array([[3, 0, 3]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        ids: int,
        size: int,
        generator: Generator,
        *,
        padding: int | None = None,
        initial: Initial = standard_normal,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.ids = as_whole("the ids of Embedding", ids, least=0)
        self.size = as_whole("the size of Embedding", size, least=0)
        sizes = (self.ids, self.size)
        self.weight = drawn("Embedding", generator, initial, sizes, *sizes, dtype)
        self.padding = None if padding is None else as_whole("the padding of Embedding", padding)
        if self.padding is not None:
            if not -self.ids <= self.padding < self.ids:
                raise OperandError(f"Embedding has the ids 0 to {self.ids - 1}, and no {padding}")
            self.weight.data[self.padding] = 0.0

    def forward(self, ids: Any) -> Any:
        """Look up ids of any shape: the result has one more axis."""
        return ops.embedding(ids, self.weight, padding=self.padding)
