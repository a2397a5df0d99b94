"""Normalization with a scale and a shift that are learned, and statistics that are kept.

    BatchNorm1d, BatchNorm2d   each channel over the batch    (N, C)  (N, C, L)    (N, C, H, W)
    LayerNorm, RMSNorm         each example, its last axes    (..., size)
    GroupNorm                  each example, by groups of channels    (N, C, ...)

While training, batch normalization uses the mean and variance of the batch, and blends them into
running ones; in use (`eval`) it takes the running ones, so that one example does not depend on
another. The operator is pure: it gives (y, mean, var), and the layer assigns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import ShapeError
from cgkit.nn.calling import unusual
from cgkit.nn.module import Module
from cgkit.operators.operands import as_operand
from cgkit.operators.reduction import cast_count
from cgkit.operators.settings import as_number, as_shape, as_whole
from cgkit.tensor import Tensor
from cgkit.types import Shape, count, meet_shapes, show_shape


class BatchNorm(Module):
    """What batch normalization of all ranks shares."""

    ranks: tuple[int, ...] = ()
    """How many axes x may have."""
    takes = ""
    """What x is, for errors."""

    def __init__(
        self,
        channels: int,
        *,
        momentum: float = 0.1,
        epsilon: float = 1e-5,
        affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        name = type(self).__name__
        self.channels = as_whole(f"the channels of {name}", channels, least=0)
        self.momentum = as_number(f"the momentum of {name}", momentum, least=0, most=1)
        self.epsilon = as_number(f"the epsilon of {name}", epsilon, least=0)
        self.affine = bool(affine)
        self.scale, self.shift = _learned((self.channels,), affine, dtype)
        self.running_mean = Tensor(np.zeros(self.channels), dtype=dtype)
        self.running_var = Tensor(np.ones(self.channels), dtype=dtype)

    def forward(self, x: Any) -> Any:
        """Normalize x, and keep its statistics while training."""
        x = as_operand(x)
        if len(x.shape) not in self.ranks:
            raise ShapeError(f"{self.heading} takes {self.takes}, got {show_shape(x.shape)}")
        scale, shift = self._affine()
        norm = ops.batch_norm_train if self.training else ops.batch_norm
        settings = unusual(self, norm, "epsilon")
        if not self.training:
            return norm(x, scale, shift, self.running_mean, self.running_var, **settings)
        y, mean, var = norm(x, scale, shift, **settings)
        self._keep(mean, var, count((x.shape[0], *x.shape[2:])))
        return y

    def _affine(self) -> tuple[Any, Any]:
        if self.scale is not None:
            return self.scale, self.shift
        dtype = self.running_mean.dtype
        return np.ones(self.channels, dtype), np.zeros(self.channels, dtype)

    def _keep(self, mean: Any, var: Any, number: Any) -> None:
        """Blend the statistics of a batch into the running ones; an empty batch has none."""
        if isinstance(number, int) and number < 2:
            if number == 1:
                raise ShapeError(
                    f"{self.heading} cannot train on one number for each channel",
                    why="a single number has no variance",
                    attempt="more than one example, or eval() where nothing is learned",
                )
            return
        wide = ops.cast(_apart(var), dtype="float64")
        whole, less = cast_count(number, wide), cast_count(number - 1, wide)
        if not isinstance(number, int):
            less = ops.maximum(less, 1.0)
        self.running_mean = self._blend(self.running_mean, _apart(mean), whole)
        self.running_var = self._blend(self.running_var, wide * (whole / less), whole)

    def _blend(self, old: Any, new: Any, number: Any) -> Any:
        new = ops.cast(new, dtype=old.dtype.name)
        blended = ops.add(ops.mul(old, 1.0 - self.momentum), ops.mul(new, self.momentum))
        if isinstance(number, int):
            return blended
        return ops.where(ops.greater(number, 0), blended, old)


class BatchNorm2d(BatchNorm):
    """Bring each channel of images (N, C, H, W) to mean 0 and variance 1 over the batch.

    Parameters
    ----------
    channels
        How many channels x has.
    momentum
        How much of each batch's statistics goes into the running ones, from 0 to 1. The running
        variance is that of N * H * W - 1 degrees of freedom.
    epsilon
        Added to the variance, so that equal numbers can be divided by it.
    affine
        Whether a scale and a shift are learned.
    dtype
        The dtype of the parameters and statistics.

    Examples
    --------
    >>> layer = BatchNorm2d(3)
    >>> layer
    BatchNorm2d(3)  6 parameters: scale (3,), shift (3,), running_mean (3,) kept,
    running_var (3,) kept
    >>> x = np.ones((2, 3, 4, 4), "float32")
    >>> layer(x).shape
    (2, 3, 4, 4)
    >>> layer.running_mean
    Tensor([0.1, 0.1, 0.1], dtype=float32)

    References
    ----------
    S. Ioffe, C. Szegedy, "Batch normalization: accelerating deep network training by reducing
    internal covariate shift", ICML 2015.
    """

    ranks = (4,)
    takes = "images (N, C, H, W)"


class BatchNorm1d(BatchNorm):
    """Bring each feature of (N, C), or channel of (N, C, L), to mean 0 and variance 1.

    The parameters are those of BatchNorm2d.

    Examples
    --------
    >>> layer = BatchNorm1d(2, momentum=1.0)
    >>> layer(np.array([[1.0, 5.0], [3.0, 5.0]])).data.round(3).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    >>> layer.running_mean, layer.running_var
    (Tensor([2., 5.], dtype=float32), Tensor([2., 0.], dtype=float32))
    """

    ranks = (2, 3)
    takes = "features (N, C) or sequences (N, C, L)"


class LayerNorm(Module):
    """Bring the last axes of each example to mean 0 and variance 1.

    Parameters
    ----------
    size
        The sizes of these axes; a single one for the last axis.
    epsilon
        Added to the variance.
    affine
        Whether a scale and a shift are learned.
    dtype
        The dtype of the parameters.

    Examples
    --------
    >>> LayerNorm(2, dtype="float64")(np.array([[1.0, 3.0]])).data.round(3).tolist()
    [[-1.0, 1.0]]
    """

    def __init__(
        self,
        size: int | tuple[int, ...],
        *,
        epsilon: float = 1e-5,
        affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.size = size
        self._shape = _last_shape("LayerNorm", size)
        self.epsilon = as_number("the epsilon of LayerNorm", epsilon, least=0)
        self.affine = bool(affine)
        self.scale, self.shift = _learned(self._shape, affine, dtype)

    def forward(self, x: Any) -> Any:
        """Normalize x, of shape (..., *size)."""
        x = as_operand(x)
        _expect_last(self, x, self._shape)
        return ops.layer_norm(
            x, self.scale, self.shift, axis=-len(self._shape), epsilon=self.epsilon
        )


class RMSNorm(Module):
    """Divide the last axes of each example by the root of their mean square.

    Parameters
    ----------
    size
        The sizes of these axes; a single one for the last axis.
    epsilon
        Added to the mean square.
    affine
        Whether a scale is learned.
    dtype
        The dtype of the scale.

    Examples
    --------
    >>> RMSNorm(2, epsilon=0.0, dtype="float64")(np.array([1.0, 7.0])).data.round(6).tolist()
    [0.2, 1.4]
    """

    def __init__(
        self,
        size: int | tuple[int, ...],
        *,
        epsilon: float = 1e-5,
        affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.size = size
        self._shape = _last_shape("RMSNorm", size)
        self.epsilon = as_number("the epsilon of RMSNorm", epsilon, least=0)
        self.affine = bool(affine)
        self.scale, _ = _learned(self._shape, affine, dtype)

    def forward(self, x: Any) -> Any:
        """Normalize x, of shape (..., *size)."""
        x = as_operand(x)
        _expect_last(self, x, self._shape)
        return ops.rms_norm(x, self.scale, axis=-len(self._shape), epsilon=self.epsilon)


class GroupNorm(Module):
    """Bring each group of channels of each example, with all its space, to mean 0 and variance 1.

    Parameters
    ----------
    groups
        Into how many groups the channels are split.
    channels
        How many channels x has.
    epsilon
        Added to the variance.
    affine
        Whether a scale and a shift are learned for each channel.
    dtype
        The dtype of the parameters.

    Examples
    --------
    >>> layer = GroupNorm(2, 4, dtype="float64")
    >>> layer(np.array([[1.0, 3.0, 10.0, 30.0]])).data.round(3).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """

    def __init__(
        self,
        groups: int,
        channels: int,
        *,
        epsilon: float = 1e-5,
        affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.groups = as_whole("the groups of GroupNorm", groups, least=1)
        self.channels = as_whole("the channels of GroupNorm", channels, least=0)
        if self.channels % self.groups:
            raise ShapeError(
                f"GroupNorm cannot split {channels} channels into {groups} groups",
                attempt="a number of groups that divides the channels",
            )
        self.epsilon = as_number("the epsilon of GroupNorm", epsilon, least=0)
        self.affine = bool(affine)
        self.scale, self.shift = _learned((self.channels,), affine, dtype)

    def forward(self, x: Any) -> Any:
        """Normalize x, of shape (N, channels, ...)."""
        x = as_operand(x)
        if len(x.shape) < 2 or (isinstance(x.shape[1], int) and x.shape[1] != self.channels):
            raise ShapeError(
                f"{self.heading} takes (N, {self.channels}, ...), got {show_shape(x.shape)}"
            )
        return ops.group_norm(x, self.groups, self.scale, self.shift, epsilon=self.epsilon)


def _apart(x: Any) -> Any:
    """Give x without its way back: what is kept is no step of the training."""
    return x.detach() if isinstance(x, Tensor) else ops.stop_gradient(x)


def _learned(shape: Shape, affine: bool, dtype: DTypeLike) -> tuple[Tensor | None, Tensor | None]:
    """Give a scale of 1 and a shift of 0 to begin with; None where none are learned."""
    if not affine:
        return None, None
    scale, shift = (Tensor(np.full(shape, x), dtype=dtype) for x in (1.0, 0.0))
    return scale.requires_grad_(), shift.requires_grad_()


def _last_shape(name: str, size: Any) -> Shape:
    shape = as_shape(size)
    if not shape:
        raise ShapeError(f"{name} normalizes at least one axis", attempt=f"{name}(64)")
    return shape


def _expect_last(layer: Module, x: Any, shape: Shape) -> None:
    """Demand that x ends with these sizes."""
    try:
        meet_shapes(tuple(x.shape)[-len(shape) :], shape, "")
    except ShapeError:
        sizes = ", ".join(map(str, shape))
        raise ShapeError(
            f"{layer.heading} takes (..., {sizes}), got {show_shape(x.shape)}"
        ) from None
