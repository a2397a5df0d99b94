"""One step of a recurrent network: what it knows, and what comes, give what it knows then.

    x (N, inputs) ─ input ──┐
                            ├─ gates ─> h (N, size), and c for LSTM
    h (N, size) ─ hidden ───┘

    RNNCell    h = tanh(input(x) + hidden(h))
    GRUCell    r, z = sigmoid(...), n = tanh(input(x) + r * hidden(h)), h = (1 - z) * n + z * h
    LSTMCell   i, f, o = sigmoid(...), g = tanh(...), c = f * c + i * g, h = o * tanh(c)

Gates lie side by side along the features of both maps, in the order in which they are named here
(r, z, n and i, f, g, o). First values lie between -1 / sqrt(size) and 1 / sqrt(size).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import OperandError
from cgkit.nn.calling import recorder, scope
from cgkit.nn.initial import lecun_uniform
from cgkit.nn.linear import Linear
from cgkit.nn.module import Module
from cgkit.operators.operands import as_operand
from cgkit.operators.settings import as_whole
from cgkit.tensor import Generator
from cgkit.types import Shape, promote


class Cell(Module):
    """What all cells share: a map of x, a map of h, and how a step begins."""

    gates = 1
    """How many groups of features both maps give."""

    def __init__(
        self,
        inputs: int,
        size: int,
        generator: Generator,
        *,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        name = type(self).__name__
        self.inputs = as_whole(f"the inputs of {name}", inputs, least=0)
        self.size = as_whole(f"the size of {name}", size, least=1)
        wide = self.gates * self.size

        def initial(
            key: Any, shape: Shape, inputs: int, outputs: int, dtype: DTypeLike = "float32"
        ) -> np.ndarray:
            return lecun_uniform(key, shape, self.size, outputs, dtype)

        self.input, self.hidden = (
            Linear(
                width,
                wide,
                generator,
                bias=bias,
                initial=initial,
                initial_bias=initial,
                dtype=dtype,
            )
            for width in (self.inputs, self.size)
        )

    def forward(self, x: Any, state: Any = None) -> Any:
        """Give the state after x, of shape (..., inputs); it begins with zeros."""
        x = as_operand(x)
        come = self.input(x)
        return self.step(come, self.start(x, x.shape[:-1]) if state is None else state)

    def sweep(self, x: Any, state: Any = None, *, backward: bool = False) -> tuple[Any, Any]:
        """Take step after step along a sequence, from either end.

        Parameters
        ----------
        x
            Of shape (..., T, inputs), with a known number of steps T.
        state
            The state before the first step; zeros by default.
        backward
            Whether to begin at the end.

        Returns
        -------
        y
            What each step gives, (..., T, size), in the order of x either way.
        state
            The state after the last step.
        """
        with scope(self, recorder((x, state))):
            come = self.input(x)
            state = self.start(x, x.shape[:-2]) if state is None else state
            steps, found = list(ops.unbind(come, axis=-2)), []
            for step in reversed(steps) if backward else steps:
                state = self.step(step, state)
                found.append(self.output(state))
            if not found:
                return come[..., : self.size], state
            return ops.stack(*(reversed(found) if backward else found), axis=-2), state

    def start(self, x: Any, batch: Shape) -> Any:
        """Give the state before anything of x has come: zeros, for a batch of this shape."""
        return self._zeros(x, batch)

    def step(self, come: Any, state: Any) -> Any:
        """Give the next state, from what the map of x gave and the state before."""
        raise NotImplementedError

    def output(self, state: Any) -> Any:
        """Give what the next layer sees of a state."""
        return state

    def _zeros(self, x: Any, batch: Shape) -> Any:
        zero = ops.cast(
            ops.measure(x, size=0), dtype=promote(x.dtype, self.hidden.weight.dtype).name
        )
        return ops.broadcast_to(zero, shape=(*batch, self.size))


class RNNCell(Cell):
    """One step of the plain recurrent network: tanh(input(x) + hidden(h)).

    Parameters
    ----------
    inputs
        How many features x has.
    size
        How many features the state has.
    generator
        Hands out the keys for the first values.
    bias
        Whether both maps add something.
    dtype
        The dtype of the parameters.

    Examples
    --------
    >>> cell = RNNCell(3, 4, Generator(0))
    >>> h = cell(np.ones((2, 3), "float32"))
    >>> cell(np.ones((2, 3), "float32"), h).shape
    (2, 4)

    References
    ----------
    J. L. Elman, "Finding structure in time", Cognitive Science 14, 1990.
    """

    def step(self, come: Any, state: Any) -> Any:
        """Give the next h."""
        return ops.tanh(ops.add(come, self.hidden(state)))


class GRUCell(Cell):
    """One step with gates that choose what of the state is kept.

    The parameters are those of RNNCell.

    Examples
    --------
    >>> GRUCell(3, 4, Generator(0))(np.ones((2, 3), "float32")).shape
    (2, 4)

    References
    ----------
    K. Cho et al., "Learning phrase representations using RNN encoder-decoder for statistical
    machine translation", EMNLP 2014.
    """

    gates = 3

    def step(self, come: Any, state: Any) -> Any:
        """Give the next h."""
        come_r, come_z, come_n = ops.split(come, sections=3, axis=-1)
        kept_r, kept_z, kept_n = ops.split(self.hidden(state), sections=3, axis=-1)
        r, z = ops.sigmoid(come_r + kept_r), ops.sigmoid(come_z + kept_z)
        n = ops.tanh(come_n + r * kept_n)
        return (1.0 - z) * n + z * state


class LSTMCell(Cell):
    """One step with a memory c beside h, which changes only as the gates allow.

    The parameters are those of RNNCell; a state is the pair (h, c).

    Examples
    --------
    >>> h, c = LSTMCell(3, 4, Generator(0))(np.ones((2, 3), "float32"))
    >>> h.shape, c.shape
    ((2, 4), (2, 4))

    References
    ----------
    S. Hochreiter, J. Schmidhuber, "Long short-term memory", Neural Computation 9, 1997.
    """

    gates = 4

    def start(self, x: Any, batch: Shape) -> Any:
        """Give zeros for h and c."""
        return self._zeros(x, batch), self._zeros(x, batch)

    def step(self, come: Any, state: Any) -> Any:
        """Give the next (h, c)."""
        if not isinstance(state, tuple | list) or len(state) != 2:
            raise OperandError(
                f"a state of {self.heading} is the pair (h, c), not {type(state).__name__}",
                attempt="h, c = cell(x), then cell(more, (h, c))",
            )
        h, c = state
        i, f, g, o = ops.split(ops.add(come, self.hidden(h)), sections=4, axis=-1)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        return ops.sigmoid(o) * ops.tanh(c), c

    def output(self, state: Any) -> Any:
        """Give h."""
        return state[0]
