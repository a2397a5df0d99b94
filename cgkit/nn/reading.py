"""A module read as a pure function of its numbers.

    module(x)                      with its own numbers; it may change its buffers
    functional(module, state, x)   with those that are given: outputs and new buffers, no change

The module is copied with other things in the place of its tensors, and the copy is called: so the
text of a layer needs to know nothing of this, and runs on Tensors, arrays and Values alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cgkit.errors import OperandError
from cgkit.nn.calling import recorder, taken
from cgkit.nn.fitting import check_fit
from cgkit.nn.module import Module


def functional(
    module: Module, state: Mapping[str, Any], *inputs: Any, key: Any = None, **settings: Any
) -> tuple[Any, dict[str, Any]]:
    """Call a module with other numbers than its own: a pure function of all that it is given.

    Parameters
    ----------
    module
        What to compute; neither it nor anything in it changes.
    state
        What takes the place of each of its parameters and buffers, by name: Tensors, arrays, or
        Values of a graph.
    inputs, key, settings
        As for a call of the module.

    Returns
    -------
    outputs
        What the module gives.
    buffers : dict
        The value of each buffer after the call, by name.

    Raises
    ------
    OperandError
        It is no module.
    StateError
        A name is missing or unexpected, or something has another shape.

    Examples
    --------
    In a graph, with variables for the numbers:

    >>> from cgkit import GraphBuilder
    >>> from cgkit.nn import Linear
    >>> from cgkit.tensor import Generator
    >>> layer = Linear(2, 3, Generator(0))
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None, 2), "float32", name="x")
    >>> state = {name: builder.variable(x, name=name) for name, x in layer.state().items()}
    >>> y, buffers = functional(layer, state, x)
    >>> print(builder.graph([y]))
    graph(x: float32[N, 2])
      weight = variable        float32[2, 3]
      m = matmul(x, weight)    float32[N, 3]
      bias = variable          float32[3]
      s = add(m, bias)         float32[N, 3]
      return s
    """
    if not isinstance(module, Module):
        raise OperandError(
            f"functional reads a Module, not {module!r:.60}",
            attempt="calling it, if it has no numbers of its own",
        )
    known = module.named_tensors()
    check_fit(module.heading, known, state)
    builder = recorder((*inputs, key, *settings.values()))
    given = (
        state if builder is None else {name: taken(x, name, builder) for name, x in state.items()}
    )
    put = {id(tensor): given[name] for name, tensor in known.items()}
    copy = module.replaced(put, keeping=True)
    outputs = copy(*inputs, key=key, **settings)
    after = dict(copy.members())
    return outputs, {name: after[name] for name, x in known.items() if not x.requires_grad}
