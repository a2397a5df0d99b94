"""Steps that adapt: each element is divided by how large its gradient usually is.

    square = decay * square + (1 - decay) * gradient²         a running mean of squares
    RMSProp    w - learning rate * gradient / (sqrt(square) + epsilon)
    Adam       w - learning rate * mean / (sqrt(square) + epsilon): the gradient's mean too

Adam's running means begin at 0, so each is divided by 1 - decay**step, which makes up for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from cgkit import operators as ops
from cgkit.errors import OperandError
from cgkit.optimizers.base import Optimizer, Rate, like, plain_number


def running(mean: Any, new: Any, decay: float) -> Any:
    """Let a running mean take in one more.

    Examples
    --------
    >>> running(4.0, 8.0, 0.75)
    5.0
    """
    return mean * decay + new * (1.0 - decay)


def _fraction(what: str, x: Any) -> float:
    number = plain_number(what, x, least=0, most=1)
    if number == 1:
        raise OperandError(f"{what} is below 1, not 1", why="nothing new would ever count")
    return number


@dataclass(frozen=True)
class RMSProp(Optimizer):
    """Descent by gradients that are divided by the root of their mean square.

    Parameters
    ----------
    learning_rate
        How far a step goes: a number of at least 0, or a schedule.
    decay
        How much of the mean of squares stays at a step, from 0 to below 1.
    epsilon
        Added to the root, lest it be 0.
    momentum
        How much of the last step is made again.
    centered
        Whether to divide by the deviation, so less the square of the mean gradient.
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
    >>> settings, w = RMSProp(0.1, decay=0.75), np.array([1.0, -2.0])
    >>> w, state = settings.update(w, 100.0 * w, settings.initial(w))
    >>> w.round(4).tolist()
    [0.8, -1.8]

    References
    ----------
    T. Tieleman, G. Hinton, "Lecture 6.5: rmsprop", Neural Networks for Machine Learning, 2012.
    """

    learning_rate: Rate = 0.01
    _: KW_ONLY
    decay: float = 0.99
    epsilon: float = 1e-8
    momentum: float = 0.0
    centered: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        object.__setattr__(self, "decay", _fraction("the decay", self.decay))
        self.settle("epsilon", least=0)
        self.settle("momentum", least=0)

    @property
    def memory(self) -> tuple[str, ...]:
        """The names of what it keeps."""
        mean = ("mean",) if self.centered else ()
        return ("square", *mean, *(("velocity",) if self.momentum else ()))

    def rule(
        self, param: Any, grad: Any, memory: Mapping[str, Any], step: Any, rate: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Go against the gradient, measured by its usual size."""
        square = running(memory["square"], grad * grad, self.decay)
        kept = {"square": square}
        if self.centered:
            kept["mean"] = mean = running(memory["mean"], grad, self.decay)
            # rounding may take a variance of nearly 0 below it, where a root is nan
            square = ops.maximum(square - mean * mean, 0.0)
        way = ops.div(grad, ops.sqrt(square) + self.epsilon)
        if self.momentum:
            kept["velocity"] = way = memory["velocity"] * self.momentum + way
        return param - way * like(rate, param), kept


@dataclass(frozen=True)
class Adam(Optimizer):
    """Descent along the mean gradient, divided by the root of the mean square.

    Parameters
    ----------
    learning_rate
        How far a step goes: a number of at least 0, or a schedule.
    betas
        How much of the mean, and of the mean of squares, stays at a step; from 0 to below 1.
    epsilon
        Added to the root, lest it be 0.
    weight_decay
        How strongly parameters are pulled to 0; added to the gradient times the parameter.
    amsgrad
        Whether to divide by the largest mean of squares so far.
    maximize
        Whether to go up instead of down.

    Raises
    ------
    OperandError
        A setting is out of its bounds.

    Examples
    --------
    >>> import numpy as np
    >>> settings, w = Adam(0.1), np.array([1.0, -2.0])
    >>> w, state = settings.update(w, 100.0 * w, settings.initial(w))
    >>> w.round(4).tolist()
    [0.9, -1.9]

    References
    ----------
    D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization", ICLR 2015.
    S. J. Reddi, S. Kale, S. Kumar, "On the convergence of Adam and beyond", ICLR 2018.
    """

    learning_rate: Rate = 0.001
    _: KW_ONLY
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    amsgrad: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        if not isinstance(self.betas, tuple) or len(self.betas) != 2:
            raise OperandError(f"betas are two numbers, such as (0.9, 0.999), not {self.betas!r}")
        first, second = self.betas
        betas = _fraction("the first of betas", first), _fraction("the second of betas", second)
        object.__setattr__(self, "betas", betas)
        self.settle("epsilon", least=0)

    @property
    def memory(self) -> tuple[str, ...]:
        """The names of what it keeps."""
        return ("mean", "square", *(("largest",) if self.amsgrad else ()))

    def rule(
        self, param: Any, grad: Any, memory: Mapping[str, Any], step: Any, rate: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Go against the mean gradient, measured by its usual size."""
        first, second = self.betas
        mean = running(memory["mean"], grad, first)
        square = running(memory["square"], grad * grad, second)
        kept = {"mean": mean, "square": square}
        if self.amsgrad:
            kept["largest"] = square = ops.maximum(memory["largest"], square)
        size = like(ops.div(rate, 1.0 - ops.pow(first, step)), param)
        usual = ops.div(ops.sqrt(square), like(ops.sqrt(1.0 - ops.pow(second, step)), param))
        return param - ops.div(mean, usual + self.epsilon) * size, kept


@dataclass(frozen=True)
class AdamW(Adam):
    """Adam whose weight decay pulls at the parameter itself, not at its gradient.

    Parameters
    ----------
    learning_rate, betas, epsilon, amsgrad, maximize
        As for Adam.
    weight_decay
        How strongly parameters are pulled to 0: each step takes this part of them, times the
        learning rate.

    Examples
    --------
    >>> import numpy as np
    >>> settings, w = AdamW(0.1, weight_decay=0.5), np.array([1.0, -2.0])
    >>> w, state = settings.update(w, 0.0 * w, settings.initial(w))
    >>> w.round(4).tolist()
    [0.95, -1.9]

    References
    ----------
    I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", ICLR 2019.
    """

    _: KW_ONLY
    weight_decay: float = 0.01

    def prepared(self, param: Any, grad: Any) -> Any:
        """Turn the gradient round if wanted."""
        return ops.neg(grad) if self.maximize else grad

    def rule(
        self, param: Any, grad: Any, memory: Mapping[str, Any], step: Any, rate: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Pull the parameter to 0, then go as Adam goes."""
        if self.weight_decay:
            param = param * like(1.0 - rate * self.weight_decay, param)
        return super().rule(param, grad, memory, step, rate)
