"""Module: numbers that are learned, and the function they belong to.

    class Network(Module):
        def __init__(self, generator):
            self.hidden = Linear(784, 256, generator)
            self.scores = Linear(256, 10, generator)

        def forward(self, x):
            return self.scores(ops.relu(self.hidden(x)))

    network(x)                        runs forward, on Tensors or on Values of a graph
    network.parameters()              what is learned
    network.state()                   all its numbers by name, to be saved
    functional(network, state, x)     the same function, with other numbers

A module has no hidden state: what it knows are its attributes. A layer that draws random numbers
is given a key at each call: `network(x, key=generator.key())`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from cgkit import operators as ops
from cgkit.errors import CaptureError, OperandError
from cgkit.nn import outline
from cgkit.nn.calling import check_call, recorder, scope, taken, takes_key, tell_place
from cgkit.nn.fitting import fitting_arrays
from cgkit.nn.members import Holder
from cgkit.speech import Own
from cgkit.symbolic import GraphBuilder
from cgkit.tensor import Generator, Tensor


class Module(Holder):
    """A function of tensors with numbers of its own.

    Subclasses assign tensors and modules to attributes, and say in `forward` what is computed. An
    attribute that is a Tensor is a parameter if it requires grad, and a buffer if not; attributes
    whose names begin with an underscore are left alone.

    Examples
    --------
    >>> class Scale(Module):
    ...     def __init__(self, start):
    ...         self.factor = Tensor(start, requires_grad=True)
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> double = Scale(2.0)
    >>> double(3.0)
    Tensor(6., grad_fn=mul)
    >>> double.state()
    {'factor': array(2.)}
    """

    __signature__ = Own(lambda module: inspect.signature(module.forward), None)
    training = True
    """Whether dropout drops and batch normalization looks at the batch; see `train` and `eval`."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in METHODS:
            raise OperandError(
                f"{type(self).__name__}.{name} is what every module can be asked, no attribute",
                attempt=f"another name, such as self.my_{name}",
            )
        super().__setattr__(name, value)

    def forward(self, *inputs: Any, **settings: Any) -> Any:
        """Say what the module computes; every subclass has its own.

        One that has a parameter `key` is given the key of the call, or None.
        """
        raise OperandError(
            f"{type(self).__name__} has no forward", attempt="def forward(self, x): ... in it"
        )

    def __call__(self, *inputs: Any, key: Any = None, **settings: Any) -> Any:
        """Run forward; an error says in which layer.

        Parameters
        ----------
        inputs
            Tensors, arrays or Values.
        key
            A key for whatever is drawn in this call; a module that draws nothing has no use for it.
        settings
            Whatever else `forward` takes.
        """
        if isinstance(key, Generator):
            raise OperandError(
                f"{self.heading} takes a key, not what hands them out: {key!r}",
                attempt="key=generator.key()",
            )
        builder = recorder((*inputs, key, *settings.values()))
        if builder is not None and not self._copied:
            return self._recorded(builder)(*inputs, key=key, **settings)
        if takes_key(type(self).forward):
            settings["key"] = key
        try:
            with scope(self, builder):
                return self.forward(*inputs, **settings)
        except Exception as error:
            if type(error) is TypeError:
                check_call(self.heading, self.forward, inputs, settings)
            tell_place(error, self)
            raise

    def _recorded(self, builder: GraphBuilder) -> Self:
        """Give a copy whose numbers are values of a graph, so that nothing is computed yet."""
        try:
            captured = {id(x): taken(x, name, builder) for name, x in self.named_tensors().items()}
        except CaptureError as error:
            raise CaptureError(
                f"{self.heading} learns, and its numbers would be constants of this graph",
                why=error.why,
                attempt="functional(module, state, x), with builder.variable(...) for each entry "
                "of module.state()",
            ) from None
        return self.replaced(captured, keeping=False)

    @property
    def heading(self) -> str:
        """How it was made, in short: "Linear(784, 256)"."""
        return outline.heading(self)

    def named_modules(self) -> dict[str, Module]:
        """Give this module, called "", and all in it by name."""
        return {name: leaf for name, leaf in self.members() if isinstance(leaf, Module)}

    def named_parameters(self) -> dict[str, Tensor]:
        """Give the tensors that require grad by name."""
        return {name: x for name, x in self.named_tensors().items() if x.requires_grad}

    def named_buffers(self) -> dict[str, Tensor]:
        """Give the tensors that require no grad by name."""
        return {name: x for name, x in self.named_tensors().items() if not x.requires_grad}

    def modules(self) -> list[Module]:
        """Give this module and all in it."""
        return list(self.named_modules().values())

    def parameters(self) -> list[Tensor]:
        """Give the tensors that require grad."""
        return list(self.named_parameters().values())

    def buffers(self) -> list[Tensor]:
        """Give the tensors that require no grad."""
        return list(self.named_buffers().values())

    def state(self) -> dict[str, np.ndarray]:
        """Give a copy of all numbers by name: parameters and buffers.

        Examples
        --------
        >>> from cgkit.nn import Linear
        >>> from cgkit.tensor import Generator
        >>> {name: array.shape for name, array in Linear(2, 3, Generator(0)).state().items()}
        {'weight': (2, 3), 'bias': (3,)}
        """
        return {name: x.to("cpu").numpy() for name, x in self.named_tensors().items()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Put saved numbers in the place of these.

        Parameters
        ----------
        state
            An array or Tensor for each name that `state` gives, of the same shape and dtype.

        Raises
        ------
        StateError
            Entries are missing, unexpected, or of another shape or dtype. All are named, and
            nothing is changed.

        Examples
        --------
        >>> from cgkit.nn import Linear
        >>> from cgkit.tensor import Generator
        >>> Linear(2, 3, Generator(0), bias=False).load_state({"w": np.zeros((2, 3), "float32")})
        Traceback (most recent call last):
        cgkit.errors.StateError: Linear(2, 3, bias=False) cannot take this state
          missing     weight: float32[2, 3]
          unexpected  w: float32[2, 3]
          nothing was changed
          try      the state of a module built with the same settings
        """
        known = self.named_tensors()
        arrays = fitting_arrays(self.heading, known, state)
        for name, tensor in known.items():
            tensor.data[...] = arrays[name]
            tensor.version[0] += 1

    def train(self, mode: bool = True) -> Self:
        """Let this module and all in it behave as in training: dropout drops.

        Parameters
        ----------
        mode
            False for the other way round, as `eval` says it.
        """
        for module in self.modules():
            module.training = bool(mode)
        return self

    def eval(self) -> Self:
        """Let this module and all in it behave as in use: nothing is drawn, no buffer changes."""
        return self.train(False)

    def __repr__(self) -> str:
        return outline.outline(self)


METHODS = frozenset(
    name
    for part in (Holder, Module)
    for name, value in vars(part).items()
    if not name.startswith("_") and (callable(value) or isinstance(value, property))
) - {"forward"}
"""What every module can be asked: names that are taken."""


def subkey(key: Any, number: int) -> Any:
    """Make the key of one part of a module, such as its layer of this number; None of None.

    Parameters
    ----------
    key
        The key of the call, or None where there is none.
    number
        Tells the parts apart.

    Examples
    --------
    >>> subkey(None, 3) is None
    True
    >>> bool(subkey(ops.key(0), 3) == subkey(ops.key(0), 4))
    False
    """
    return None if key is None else ops.fold_in(key, number)
