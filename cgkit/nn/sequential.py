"""Layers one after another, and the layers that only shape what passes between them.

Sequential(Linear(784, 256, g), ReLU(), Dropout(0.5), Linear(256, 10, g))

model[0]              the first layer             model(x, key=generator.key())   in training:
"0.weight"            a name in its state                                         dropout draws
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, overload

from cgkit import operators as ops
from cgkit.errors import OperandError
from cgkit.nn.module import Module, subkey
from cgkit.operators.settings import as_number


class Sequential(Module):
    """Give what one layer gives to the next.

    Parameters
    ----------
    layers
        Modules; they are called "0", "1", ... in its state. Layer i is given the key of the call
        with i folded in.

    Raises
    ------
    OperandError
        One of them is no Module.

    Examples
    --------
    >>> from cgkit import Generator
    >>> from cgkit.nn import Linear, ReLU
    >>> generator = Generator(0)
    >>> model = Sequential(Linear(784, 256, generator), ReLU(), Linear(256, 10, generator))
    >>> model
    Sequential()           203,530 parameters, float32
      0  Linear(784, 256)  200,960  weight (784, 256), bias (256,)
      1  ReLU()
      2  Linear(256, 10)     2,570  weight (256, 10), bias (10,)
    >>> model[:2].parameters() == model[0].parameters()
    True
    """

    def __init__(self, *layers: Module) -> None:
        for i, layer in enumerate(layers):
            if not isinstance(layer, Module):
                raise OperandError(
                    f"layer {i} of Sequential is no Module but {layer!r:.60}",
                    attempt="ReLU() for ops.relu, or a class of your own with a forward",
                )
            setattr(self, str(i), layer)
        self._length = len(layers)

    def forward(self, x: Any, *, key: Any = None) -> Any:
        """Call the layers in order."""
        for i, layer in enumerate(self):
            x = layer(x, key=subkey(key, i))
        return x

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Module]:
        return (getattr(self, str(i)) for i in range(self._length))

    @overload
    def __getitem__(self, place: int) -> Module: ...

    @overload
    def __getitem__(self, place: slice) -> Sequential: ...

    def __getitem__(self, place: int | slice) -> Module | Sequential:
        layers = list(self)[place]
        return Sequential(*layers) if isinstance(layers, list) else layers


class Dropout(Module):
    """Put elements to 0 at random while training, and let the others grow in return.

    Parameters
    ----------
    rate
        Which part is dropped, from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> layer = Dropout(0.5)
    >>> layer(np.ones(6), key=ops.key(0))
    array([2., 2., 0., 0., 0., 0.])
    >>> layer.eval()(np.ones(6))
    array([1., 1., 1., 1., 1., 1.])

    References
    ----------
    N. Srivastava, G. Hinton, A. Krizhevsky, I. Sutskever, R. Salakhutdinov, "Dropout: a simple way
    to prevent neural networks from overfitting", JMLR 15, 2014.
    """

    def __init__(self, rate: float = 0.5) -> None:
        self.rate = as_number("the rate of Dropout", rate, least=0, most=1)

    def forward(self, x: Any, *, key: Any = None) -> Any:
        """Drop, with a key; in use, or at a rate of 0, give x as it is."""
        if not self.training or self.rate == 0:
            return x
        return ops.dropout(x, needed_key(self, key), rate=self.rate)


def needed_key(layer: Module, key: Any) -> Any:
    """Demand a key for a layer that draws.

    Raises
    ------
    OperandError
        There is none.
    """
    if key is None:
        raise OperandError(
            f"{layer.heading} draws anew in each call while training, and was given no key",
            attempt="model(x, key=generator.key()), or model.eval() where nothing is learned",
        )
    return key


class Flatten(Module):
    """Lay out all axes from one on as a single one.

    Parameters
    ----------
    start
        The first of them; by default all after the batch.

    Examples
    --------
    >>> import numpy as np
    >>> Flatten()(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start: int = 1) -> None:
        self.start = start

    def forward(self, x: Any) -> Any:
        """Give x with fewer axes."""
        return ops.flatten(x, start=self.start)
