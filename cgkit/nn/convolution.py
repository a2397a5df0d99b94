"""Convolution with kernels that are learned.

    x (N, inputs, H, W) ─ weight (outputs, inputs / groups, KH, KW) ─ + bias (outputs,)
                                                                ─> (N, outputs, H', W')

    H' = (H + padding - dilation * (KH - 1) - 1) // stride + 1

`ConvTranspose2d` goes the other way round, from small images to large ones; its weight is
(inputs, outputs / groups, KH, KW).
"""

from __future__ import annotations

from typing import Any

from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit.errors import ShapeError
from cgkit.nn.calling import unusual
from cgkit.nn.initial import Initial, drawn, lecun_uniform
from cgkit.nn.module import Module
from cgkit.operators.settings import as_shape, as_whole
from cgkit.operators.windows import Padding, Setting
from cgkit.tensor import Generator
from cgkit.types import count, show_shape

SETTINGS = ("stride", "padding", "dilation", "groups")
"""What an operator is told of how the kernels slide."""


class Convolution(Module):
    """What convolutions of all ranks share: parameters, settings and the bias."""

    axes = 0
    """Over how many axes the kernels slide."""
    transposed = False
    """Whether it goes from small images to large ones."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: Setting,
        generator: Generator,
        *,
        stride: Setting = 1,
        padding: Padding = 0,
        dilation: Setting = 1,
        groups: int = 1,
        bias: bool = True,
        initial: Initial = lecun_uniform,
        initial_bias: Initial = lecun_uniform,
        dtype: DTypeLike = "float32",
    ) -> None:
        name = type(self).__name__
        self.inputs = as_whole(f"the inputs of {name}", inputs, least=1)
        self.outputs = as_whole(f"the outputs of {name}", outputs, least=1)
        self.kernel = kernel
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.groups = as_whole(f"the groups of {name}", groups, least=1)
        shape, summed, reached = self._weight_shape(name)
        self.weight = drawn(name, generator, initial, shape, summed, reached, dtype)
        sizes = (self.outputs,)
        self.bias = (
            drawn(name, generator, initial_bias, sizes, summed, reached, dtype) if bias else None
        )

    def _weight_shape(self, name: str) -> tuple[tuple[int, ...], int, int]:
        """Give the shape of the kernels, how many numbers each sums up, and how many it reaches."""
        if self.inputs % self.groups or self.outputs % self.groups:
            raise ShapeError(
                f"{name} cannot split {self.inputs} inputs and {self.outputs} outputs into "
                f"{self.groups} groups",
                attempt="a number of groups that divides both",
            )
        taps = as_shape(self.kernel, least=1)
        taps = taps * self.axes if len(taps) == 1 else taps
        if len(taps) != self.axes:
            raise ShapeError(
                f"{name} slides over {self.axes} axes, and its kernel is {show_shape(taps)}",
                attempt="one number, or one for each axis",
            )
        first, second = self.outputs, self.inputs // self.groups
        if self.transposed:
            first, second = self.inputs, self.outputs // self.groups
        sizes = tuple(int(size) for size in (first, second, *taps))
        return sizes, int(count(sizes[1:])), int(count((sizes[0] // self.groups, *sizes[2:])))

    def _with_bias(self, y: Any) -> Any:
        if self.bias is None:
            return y
        return ops.add(y, ops.reshape(self.bias, shape=(self.outputs,) + (1,) * self.axes))

    def forward(self, x: Any) -> Any:
        """Slide the kernels over x, of shape (N, inputs, ...)."""
        slide = (ops.conv1d, ops.conv2d, ops.conv3d)[self.axes - 1]
        return self._with_bias(slide(x, self.weight, **unusual(self, slide, *SETTINGS)))


class Conv2d(Convolution):
    """Slide kernels over images (N, inputs, H, W), and add a bias for each channel.

    Parameters
    ----------
    inputs, outputs
        How many channels x and the result have.
    kernel
        The size of the kernels: one number, or one for each axis.
    generator
        Hands out the keys for the first values.
    stride
        By how much the window moves.
    padding
        How many zeros surround the images: one number, one for each axis, a pair for each axis, or
        "same" for a result of the size of x divided by the stride.
    dilation
        By how much the elements under a window lie apart.
    groups
        Into how many parts the channels are split; each part of the outputs sees one of the inputs.
    bias
        Whether something is added.
    initial, initial_bias
        Give the first values of weight and bias.
    dtype
        The dtype of the parameters.

    Examples
    --------
    >>> import numpy as np
    >>> layer = Conv2d(3, 8, 3, Generator(0), stride=2, padding=1)
    >>> layer
    Conv2d(3, 8, 3, stride=2, padding=1)  224 parameters: weight (8, 3, 3, 3), bias (8,)
    >>> layer(np.zeros((1, 3, 32, 32), "float32")).shape
    (1, 8, 16, 16)
    """

    axes = 2


class Conv1d(Convolution):
    """Slide kernels over sequences (N, inputs, L); the parameters are those of Conv2d.

    Examples
    --------
    >>> import numpy as np
    >>> Conv1d(2, 4, 3, Generator(0))(np.zeros((1, 2, 10), "float32")).shape
    (1, 4, 8)
    """

    axes = 1


class Conv3d(Convolution):
    """Slide kernels over volumes (N, inputs, D, H, W); the parameters are those of Conv2d.

    Examples
    --------
    >>> import numpy as np
    >>> Conv3d(1, 2, (1, 2, 3), Generator(0))(np.zeros((1, 1, 4, 4, 4), "float32")).shape
    (1, 2, 4, 3, 2)
    """

    axes = 3


class ConvTranspose2d(Convolution):
    """Put a kernel, times an element, around where each element of small images lands in large.

    Parameters
    ----------
    inputs, outputs, kernel, generator
        As for Conv2d.
    output_padding
        By how much more than the windows reach the result has at the end of each axis.
    stride, padding, dilation, groups, bias, initial, initial_bias, dtype
        As for Conv2d, of the convolution that goes the other way round.

    Examples
    --------
    >>> import numpy as np
    >>> layer = ConvTranspose2d(8, 3, 3, Generator(0), stride=2, padding=1, output_padding=1)
    >>> layer
    ConvTranspose2d(8, 3, 3, stride=2, padding=1, output_padding=1)  219 parameters:
    weight (8, 3, 3, 3), bias (3,)
    >>> layer(np.zeros((1, 8, 16, 16), "float32")).shape
    (1, 3, 32, 32)
    """

    axes = 2
    transposed = True

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: Setting,
        generator: Generator,
        *,
        stride: Setting = 1,
        padding: Padding = 0,
        output_padding: Setting = 0,
        dilation: Setting = 1,
        groups: int = 1,
        bias: bool = True,
        initial: Initial = lecun_uniform,
        initial_bias: Initial = lecun_uniform,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.output_padding = output_padding
        super().__init__(
            inputs, outputs, kernel, generator, stride=stride, padding=padding,
            dilation=dilation, groups=groups, bias=bias, initial=initial,
            initial_bias=initial_bias, dtype=dtype,
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        """Spread x, of shape (N, inputs, H, W)."""
        spread = ops.conv2d_transpose
        settings = unusual(self, spread, *SETTINGS, "output_padding")
        return self._with_bias(spread(x, self.weight, **settings))
