"""What the gates of recurrent layers bend numbers with, by the names that ONNX gives.

    activations ("HardSigmoid", "Tanh"), alpha (0.2,), beta (0.5,)  ─>  two functions

Alphas and betas are dealt out in order, each to the next function that has one; who gets none has
the default of the ONNX operator of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from cgkit import operators as ops
from cgkit.onnx.step import Step

Bend = Callable[[Any], Any]


class Gate(NamedTuple):
    """A function, with the defaults of the numbers it takes beside x; None for one it lacks."""

    act: Callable[..., Any]
    alpha: float | None = None
    beta: float | None = None


def _thresholded(x: Any, alpha: float) -> Any:
    return ops.where(ops.greater_equal(x, alpha), x, 0.0)


GATES: Mapping[str, Gate] = MappingProxyType(
    {
        "affine": Gate(lambda x, a, b: ops.add(ops.mul(x, a), b), 1.0, 0.0),
        "elu": Gate(lambda x, a: ops.elu(x, alpha=a), 1.0),
        "hardsigmoid": Gate(lambda x, a, b: ops.hard_sigmoid(x, alpha=a, beta=b), 0.2, 0.5),
        "leakyrelu": Gate(lambda x, a: ops.leaky_relu(x, alpha=a), 0.01),
        "relu": Gate(ops.relu),
        "scaledtanh": Gate(lambda x, a, b: ops.mul(ops.tanh(ops.mul(x, b)), a), 1.0, 1.0),
        "sigmoid": Gate(ops.sigmoid),
        "softplus": Gate(ops.softplus),
        "softsign": Gate(ops.softsign),
        "tanh": Gate(ops.tanh),
        "thresholdedrelu": Gate(_thresholded, 1.0),
    }
)
"""Each by its name, without capitals: writers differ in those."""


def bends(step: Step, default: Sequence[str], directions: int) -> list[tuple[Bend, ...]]:
    """Give the functions of each direction, as a node's attributes say.

    Parameters
    ----------
    step
        The node.
    default
        The names for one direction, where none are given.
    directions
        How many directions there are.

    Raises
    ------
    OnnxError
        There are too few names, or one that ONNX does not have.

    Examples
    --------
    >>> import numpy as np
    >>> step = Step("n", "RNN", settings={"activations": ("Affine",), "activation_alpha": (3.0,)})
    >>> [[act]] = bends(step, ("Tanh",), 1)
    >>> act(np.array([1.0, 2.0])).tolist()
    [3.0, 6.0]
    """
    names = tuple(step.setting("activations", ())) or tuple(default) * directions
    each = len(default)
    if len(names) < each * directions:
        raise step.refuse(f"needs {each * directions} activations, got {len(names)}: {names}")
    alphas = iter(step.setting("activation_alpha", ()))
    betas = iter(step.setting("activation_beta", ()))
    clip = step.setting("clip", None)
    acts = [_bend(step, name, alphas, betas, clip) for name in names[: each * directions]]
    return [tuple(acts[i : i + each]) for i in range(0, len(acts), each)]


def _bend(
    step: Step, name: str, alphas: Iterator[float], betas: Iterator[float], clip: float | None
) -> Bend:
    gate = GATES.get(name.lower())
    if gate is None:
        raise step.refuse(
            f"there is no activation {name!r}", attempt=f"one of {', '.join(sorted(GATES))}"
        )
    numbers = [
        next(dealt, own)
        for dealt, own in ((alphas, gate.alpha), (betas, gate.beta))
        if own is not None
    ]

    def act(x: Any) -> Any:
        clipped = x if clip is None else ops.clip(x, -clip, clip)
        return gate.act(clipped, *numbers)

    return act
