"""Activations as layers, for Sequential: each applies one operator.

    ReLU() ─> ops.relu        LeakyReLU(0.2) ─> ops.leaky_relu(x, alpha=0.2)

In a forward of your own, call the operator itself.
"""

from __future__ import annotations

from typing import Any

from cgkit import operators as ops
from cgkit.nn.module import Module
from cgkit.operators.settings import as_number


class ReLU(Module):
    """The larger of x and 0.

    Examples
    --------
    >>> ReLU()([-1.0, 2.0]).tolist()
    [0.0, 2.0]
    """

    def forward(self, x: Any) -> Any:
        """Apply `ops.relu`."""
        return ops.relu(x)


class LeakyReLU(Module):
    """The element x above 0, alpha * x below.

    Parameters
    ----------
    alpha
        The slope below 0.

    Examples
    --------
    >>> LeakyReLU(0.1)([-1.0, 2.0]).tolist()
    [-0.1, 2.0]
    """

    def __init__(self, alpha: float = 0.01) -> None:
        self.alpha = as_number("the alpha of LeakyReLU", alpha)

    def forward(self, x: Any) -> Any:
        """Apply `ops.leaky_relu`."""
        return ops.leaky_relu(x, alpha=self.alpha)


class ELU(Module):
    """The element x above 0, alpha * (exp(x) - 1) below.

    Parameters
    ----------
    alpha
        Minus what it comes close to far below 0.

    Examples
    --------
    >>> ELU(2.0)([-100.0, 2.0]).tolist()
    [-2.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = as_number("the alpha of ELU", alpha)

    def forward(self, x: Any) -> Any:
        """Apply `ops.elu`."""
        return ops.elu(x, alpha=self.alpha)


class GELU(Module):
    """The element x times the chance that a number from a bell curve is below it.

    Parameters
    ----------
    approximate
        "none", or "tanh" for the formula with a hyperbolic tangent.

    Examples
    --------
    >>> GELU()([-1.0, 1.0]).round(4).tolist()
    [-0.1587, 0.8413]
    """

    def __init__(self, approximate: str = "none") -> None:
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        """Apply `ops.gelu`."""
        return ops.gelu(x, approximate=self.approximate)


class SiLU(Module):
    """The element x times sigmoid(x).

    Examples
    --------
    >>> SiLU()([0.0, 100.0]).tolist()
    [0.0, 100.0]
    """

    def forward(self, x: Any) -> Any:
        """Apply `ops.silu`."""
        return ops.silu(x)


class Sigmoid(Module):
    """A number between 0 and 1: 1 / (1 + exp(-x)).

    Examples
    --------
    >>> Sigmoid()([0.0]).tolist()
    [0.5]
    """

    def forward(self, x: Any) -> Any:
        """Apply `ops.sigmoid`."""
        return ops.sigmoid(x)


class Tanh(Module):
    """A number between -1 and 1: the hyperbolic tangent.

    Examples
    --------
    >>> Tanh()([0.0]).tolist()
    [0.0]
    """

    def forward(self, x: Any) -> Any:
        """Apply `ops.tanh`."""
        return ops.tanh(x)


class Softplus(Module):
    """A smooth relu: log(1 + exp(x)).

    Examples
    --------
    >>> Softplus()([0.0]).round(4).tolist()
    [0.6931]
    """

    def forward(self, x: Any) -> Any:
        """Apply `ops.softplus`."""
        return ops.softplus(x)


class Softmax(Module):
    """Shares along an axis, which sum to 1. A loss takes scores instead: `ops.cross_entropy`.

    Parameters
    ----------
    axis
        Along which they are shares.

    Examples
    --------
    >>> Softmax()([0.0, 0.0]).tolist()
    [0.5, 0.5]
    """

    def __init__(self, axis: int = -1) -> None:
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """Apply `ops.softmax`."""
        return ops.softmax(x, axis=self.axis)


class LogSoftmax(Module):
    """The logarithm of shares along an axis.

    Parameters
    ----------
    axis
        Along which they are shares.

    Examples
    --------
    >>> LogSoftmax()([0.0, 0.0]).round(4).tolist()
    [-0.6931, -0.6931]
    """

    def __init__(self, axis: int = -1) -> None:
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """Apply `ops.log_softmax`."""
        return ops.log_softmax(x, axis=self.axis)
