"""Recurrent networks over whole sequences: a cell, step after step.

    x (N, T, inputs) ─> cell ─> cell ─> ... ─> cell ─> state        one state for each cell
                          y0      y1            yT-1                y (N, T, size)

A Python loop takes the steps, so a graph holds each of them, and the number of steps must be known.
All steps share one matrix product for what comes in; only what goes through h waits for its turn.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import OperandError, ShapeError
from cgkit.nn.cells import Cell, GRUCell, LSTMCell, RNNCell
from cgkit.nn.module import Module, subkey
from cgkit.nn.sequential import Dropout
from cgkit.operators.operands import as_operand
from cgkit.operators.settings import as_whole
from cgkit.tensor import Generator
from cgkit.types import show_shape


class Recurrent(Module):
    """What recurrent networks of all cells share."""

    cell: type[Cell] = Cell

    def __init__(
        self,
        inputs: int,
        size: int,
        generator: Generator,
        *,
        layers: int = 1,
        both_ways: bool = False,
        rate: float = 0.0,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        name = type(self).__name__
        self.inputs, self.size = inputs, size
        self.layers = as_whole(f"the layers of {name}", layers, least=1)
        self.both_ways = bool(both_ways)
        self.rate = rate
        self.bias = bias
        ways = 2 if self.both_ways else 1
        self.cells = [
            self.cell(inputs if i == 0 else ways * size, size, generator, bias=bias, dtype=dtype)
            for i in range(self.layers)
            for _ in range(ways)
        ]
        self.drop = Dropout(rate)

    def forward(self, x: Any, state: Any = None, *, key: Any = None) -> Any:
        """Take all steps.

        Parameters
        ----------
        x
            Of shape (N, T, inputs), or (T, inputs).
        state
            The state that each cell begins with, in their order; zeros by default.
        key
            Needed for a rate above 0 while training.

        Returns
        -------
        y
            What the last layer gives at each step, (N, T, size); with both ways (N, T, 2 * size),
            forward first.
        state : tuple
            The state of each cell at the end: layer by layer, and of each layer forward first.
        """
        x = as_operand(x)
        if len(x.shape) < 2:
            raise ShapeError(
                f"{self.heading} takes (N, T, {self.inputs}), got {show_shape(x.shape)}"
            )
        if not isinstance(x.shape[-2], int):
            raise ShapeError(
                f"{self.heading} cannot take an open number of steps: {show_shape(x.shape)}",
                why="each step becomes a part of the graph",
                attempt="a known number of steps; the batch may stay open",
            )
        begins = self._begins(state)
        ends: list[Any] = []
        ways = 2 if self.both_ways else 1
        for layer in range(self.layers):
            if layer:
                x = self.drop(x, key=subkey(key, layer))
            found = []
            for way in range(ways):
                place = layer * ways + way
                y, end = self.cells[place].sweep(x, begins[place], backward=way == 1)
                found.append(y)
                ends.append(end)
            x = found[0] if ways == 1 else ops.concat(*found, axis=-1)
        return x, tuple(ends)

    def _begins(self, state: Any) -> tuple[Any, ...]:
        if state is None:
            return (None,) * len(self.cells)
        if not isinstance(state, tuple | list) or len(state) != len(self.cells):
            found = f"{len(state)}" if isinstance(state, tuple | list) else type(state).__name__
            raise OperandError(
                f"{self.heading} has {len(self.cells)} cells, and a state for each, got {found}",
                attempt="y, state = layer(x), then layer(more, state)",
            )
        return tuple(state)


class RNN(Recurrent):
    """The plain recurrent network: h = tanh(input(x) + hidden(h)), step after step.

    Parameters
    ----------
    inputs
        How many features x has.
    size
        How many features each state has.
    generator
        Hands out the keys for the first values.
    layers
        How many cells lie on one another; each sees what the one below gave.
    both_ways
        Whether each layer has a second cell that begins at the end.
    rate
        Which part is dropped between layers while training.
    bias
        Whether the maps of the cells add something.
    dtype
        The dtype of the parameters.

    Examples
    --------
    >>> import numpy as np
    >>> y, (h,) = RNN(3, 4, Generator(0))(np.ones((2, 5, 3), "float32"))
    >>> y.shape, h.shape
    ((2, 5, 4), (2, 4))
    """

    cell = RNNCell


class GRU(Recurrent):
    """A recurrent network of cells with gates, GRUCell; the parameters are those of RNN.

    Examples
    --------
    >>> import numpy as np
    >>> y, states = GRU(3, 4, Generator(0), layers=2)(np.ones((2, 5, 3), "float32"))
    >>> y.shape, len(states)
    ((2, 5, 4), 2)
    """

    cell = GRUCell


class LSTM(Recurrent):
    """A recurrent network with a memory, LSTMCell; the parameters are those of RNN.

    Examples
    --------
    >>> import numpy as np
    >>> y, ((h, c),) = LSTM(3, 4, Generator(0))(np.ones((2, 5, 3), "float32"))
    >>> y.shape, h.shape, c.shape
    ((2, 5, 4), (2, 4), (2, 4))
    """

    cell = LSTMCell
