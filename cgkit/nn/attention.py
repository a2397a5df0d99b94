"""Attention by several heads, and the layer of a transformer.

    x (N, L, size) ─ queries, keys, values ─> (N, heads, L, size / heads) each
                     scores = queries @ keys', masked ─ softmax ─> shares ─ @ values ─ output ─> y

A transformer layer adds attention to x, then a feed-forward network, each with a normalization.
In a mask of booleans, True is where a query may look; frameworks differ in this.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import DtypeError, ShapeError
from cgkit.nn.initial import Initial, xavier_uniform, zeros
from cgkit.nn.linear import Linear
from cgkit.nn.module import Module, subkey
from cgkit.nn.normalization import LayerNorm
from cgkit.nn.sequential import Dropout, needed_key
from cgkit.operators.operands import as_operand
from cgkit.operators.settings import as_number, as_whole
from cgkit.tensor import Generator
from cgkit.types import show_shape


class MultiHeadAttention(Module):
    """Let each position gather what it asks for from others, in several ways at once.

    Parameters
    ----------
    size
        How many features x has, and the result.
    heads
        In how many ways to look; they share the features evenly.
    generator
        Hands out the keys for the first values.
    rate
        Which part of the shares is dropped while training, from 0 to 1.
    bias
        Whether the four linear maps add something; it is 0 at first.
    initial
        Gives the first values of the four matrices.
    dtype
        The dtype of the parameters.

    Raises
    ------
    ShapeError
        The heads cannot share the features evenly.

    Examples
    --------
    >>> import numpy as np
    >>> layer = MultiHeadAttention(8, 2, Generator(0))
    >>> layer
    MultiHeadAttention(8, 2)  288 parameters, float32
      queries  Linear(8, 8)    72  weight (8, 8), bias (8,)
      keys  Linear(8, 8)       72  weight (8, 8), bias (8,)
      values  Linear(8, 8)     72  weight (8, 8), bias (8,)
      output  Linear(8, 8)     72  weight (8, 8), bias (8,)
    >>> layer(np.zeros((3, 5, 8), "float32"), causal=True).shape
    (3, 5, 8)

    References
    ----------
    A. Vaswani et al., "Attention is all you need", NIPS 2017.
    """

    def __init__(
        self,
        size: int,
        heads: int,
        generator: Generator,
        *,
        rate: float = 0.0,
        bias: bool = True,
        initial: Initial = xavier_uniform,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.size = as_whole("the size of MultiHeadAttention", size, least=1)
        self.heads = as_whole("the heads of MultiHeadAttention", heads, least=1)
        if self.size % self.heads:
            raise ShapeError(
                f"{heads} heads cannot share {size} features evenly",
                attempt="a number of heads that divides the features",
            )
        self.rate = as_number("the rate of MultiHeadAttention", rate, least=0, most=1)
        self.queries, self.keys, self.values, self.output = (
            Linear(
                size, size, generator, bias=bias, initial=initial, initial_bias=zeros, dtype=dtype
            )
            for _ in range(4)
        )

    def forward(
        self,
        queries: Any,
        keys: Any = None,
        values: Any = None,
        *,
        mask: Any = None,
        present: Any = None,
        causal: bool = False,
        key: Any = None,
    ) -> Any:
        """Let queries look at keys, and gather values.

        Parameters
        ----------
        queries
            Of shape (N, L, size), or (L, size).
        keys, values
            Of shape (N, S, size); queries look at themselves, and gather what they look at, unless
            told otherwise.
        mask
            For all heads, of shape (L, S) or (N, L, S), or (N, heads, L, S): booleans, True where a
            query may look; or floats that are added to the scores.
        present
            Of shape (N, S): booleans, False where a key is mere filling. A query that may look
            nowhere gives nan.
        causal
            Whether position i may only look at positions 0 to i.
        key
            Needed for a rate above 0 while training.

        Returns
        -------
        Of shape (N, L, size).
        """
        queries = as_operand(queries)
        keys = queries if keys is None else as_operand(keys)
        values = keys if values is None else as_operand(values)
        dropping = self.training and self.rate > 0
        seen = ops.scaled_dot_product_attention(
            self._apart(self.queries(queries)),
            self._apart(self.keys(keys)),
            self._apart(self.values(values)),
            self._mask(queries, mask, present),
            causal=causal,
            rate=self.rate if dropping else 0.0,
            key=needed_key(self, key) if dropping else None,
        )
        together = ops.swapaxes(seen, -3, -2)
        return self.output(ops.reshape(together, shape=(*together.shape[:-2], self.size)))

    def _apart(self, x: Any) -> Any:
        """Give each head its part of the features, and an axis before the positions."""
        if len(x.shape) < 2:
            raise ShapeError(f"{self.heading} takes (N, L, {self.size}), got {show_shape(x.shape)}")
        each = self.size // self.heads
        split = ops.reshape(x, shape=(*x.shape[:-1], self.heads, each))
        return ops.swapaxes(split, -3, -2)

    def _mask(self, queries: Any, mask: Any, present: Any) -> Any:
        """Join both masks, with an axis for the heads."""
        if mask is not None:
            mask = as_operand(mask)
            if len(mask.shape) > 2 and len(mask.shape) == len(queries.shape):
                mask = ops.unsqueeze(mask, axis=-3)
        if present is None:
            return mask
        present = as_operand(present)
        if present.dtype.kind != "b":
            raise DtypeError(
                f"{self.heading} is told by booleans which keys are present, not {present.dtype}",
                attempt="present != 0",
            )
        present = ops.unsqueeze(present, axis=(-3, -2))
        if mask is None:
            return present
        if mask.dtype.kind == "b":
            return ops.logical_and(mask, present)
        return ops.where(present, mask, -math.inf)


class TransformerLayer(Module):
    """Mix positions by attention, then each position by itself.

    Parameters
    ----------
    size
        How many features x has, and the result.
    heads
        In how many ways attention looks.
    hidden
        How many features there are within the feed-forward network.
    generator
        Hands out the keys for the first values.
    rate
        Which part is dropped while training: of the shares of attention, of what is added to x, and
        within the feed-forward network.
    activation
        Between the two maps of the feed-forward network.
    norm_first
        Whether what is added is normalized before it is computed, or the sum after. The former
        trains more easily, the latter is that of the paper.
    epsilon
        That of the normalizations.
    dtype
        The dtype of the parameters.

    Examples
    --------
    >>> import numpy as np
    >>> layer = TransformerLayer(8, 2, 16, Generator(0), rate=0.1)
    >>> layer.eval()(np.zeros((3, 5, 8), "float32")).shape
    (3, 5, 8)

    References
    ----------
    A. Vaswani et al., "Attention is all you need", NIPS 2017. R. Xiong et al., "On layer
    normalization in the transformer architecture", ICML 2020.
    """

    def __init__(
        self,
        size: int,
        heads: int,
        hidden: int,
        generator: Generator,
        *,
        rate: float = 0.0,
        activation: Callable[[Any], Any] = ops.relu,
        norm_first: bool = True,
        epsilon: float = 1e-5,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.size, self.heads, self.hidden = size, heads, hidden
        self.rate, self.norm_first = rate, bool(norm_first)
        self.activation = activation
        self.attention = MultiHeadAttention(size, heads, generator, rate=rate, dtype=dtype)
        self.first = Linear(size, hidden, generator, dtype=dtype)
        self.second = Linear(hidden, size, generator, dtype=dtype)
        self.norms = [LayerNorm(size, epsilon=epsilon, dtype=dtype) for _ in range(2)]
        self.drop = Dropout(rate)

    def forward(
        self,
        x: Any,
        *,
        mask: Any = None,
        present: Any = None,
        causal: bool = False,
        key: Any = None,
    ) -> Any:
        """Give x, of shape (N, L, size), with what its positions learn of each other.

        Parameters
        ----------
        x
            Of shape (N, L, size), or (L, size).
        mask, present, causal
            Where positions may look, as for MultiHeadAttention.
        key
            Needed for a rate above 0 while training.
        """

        def look(h: Any) -> Any:
            seen = self.attention(h, mask=mask, present=present, causal=causal, key=subkey(key, 0))
            return self.drop(seen, key=subkey(key, 1))

        def think(h: Any) -> Any:
            h = self.drop(self.activation(self.first(h)), key=subkey(key, 2))
            return self.drop(self.second(h), key=subkey(key, 3))

        for act, norm in zip((look, think), self.norms, strict=True):
            x = ops.add(x, act(norm(x))) if self.norm_first else norm(ops.add(x, act(x)))
        return x
