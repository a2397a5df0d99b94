"""Gradient descent: against the slope, with a memory of earlier slopes if wanted.

    plain      w - learning rate * gradient
    momentum   v = momentum * v + (1 - dampening) * gradient;  w - learning rate * v
    Nesterov   the same v, but the step follows gradient + momentum * v

The first v is the gradient itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from cgkit import operators as ops
from cgkit.errors import OperandError
from cgkit.optimizers.base import Optimizer, like


@dataclass(frozen=True)
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted.

    Parameters
    ----------
    learning_rate
        How far a step goes: a number of at least 0, or a schedule.
    momentum
        How much of the last step is made again, of at least 0.
    dampening
        What part of the gradient the momentum does not get, except at the first step.
    nesterov
        Whether to look ahead: needs momentum, and no dampening.
    weight_decay
        How strongly parameters are pulled to 0; added to the gradient times the parameter.
    maximize
        Whether to go up instead of down.

    Raises
    ------
    OperandError
        A setting is out of its bounds.

    Examples
    --------
    >>> import numpy as np
    >>> settings, w = SGD(0.1, momentum=0.9), np.array([1.0])
    >>> state = settings.initial(w)
    >>> for _ in range(2):
    ...     w, state = settings.update(w, 2.0 * w, state)
    >>> w.round(4).tolist(), state["velocity"].round(4).tolist()
    ([0.46], [3.4])

    References
    ----------
    I. Sutskever, J. Martens, G. Dahl, G. Hinton, "On the importance of initialization and momentum
    in deep learning", ICML 2013.
    """

    _: KW_ONLY
    momentum: float = 0.0
    dampening: float = 0.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        self.settle("momentum", least=0)
        self.settle("dampening")
        if self.nesterov and (self.momentum == 0 or self.dampening != 0):
            raise OperandError(
                "Nesterov's form needs momentum above 0 and dampening 0, "
                f"not {self.momentum} and {self.dampening}",
                attempt="SGD(0.1, momentum=0.9, nesterov=True)",
            )

    @property
    def memory(self) -> tuple[str, ...]:
        """The names of what it keeps."""
        return ("velocity",) if self.momentum else ()

    def rule(
        self, param: Any, grad: Any, memory: Mapping[str, Any], step: Any, rate: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Go against the gradient, or along the velocity."""
        rate = like(rate, param)
        if not self.momentum:
            return param - grad * rate, {}
        part = grad
        if self.dampening:
            first = ops.equal(step, 1)
            part = grad * like(ops.where(first, 1.0, 1.0 - self.dampening), param)
        velocity = memory["velocity"] * self.momentum + part
        way = grad + velocity * self.momentum if self.nesterov else velocity
        return param - way * rate, {"velocity": velocity}
