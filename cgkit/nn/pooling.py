"""Pooling as layers: one number for what lies under a window.

x (N, C, H, W) ─ MaxPool2d(2) ─> (N, C, H / 2, W / 2)        AvgPool2d(2): the mean instead
"""

from __future__ import annotations

from typing import Any

from cgkit import operators as ops
from cgkit.errors import ShapeError
from cgkit.nn.calling import unusual
from cgkit.nn.module import Module
from cgkit.operators.operands import as_operand
from cgkit.operators.windows import Padding, Setting
from cgkit.types import show_shape

PLACES = ("stride", "padding", "ceil_mode")
"""Settings of both about where their windows stand."""


class Pool2d(Module):
    """What pooling layers share: where their windows stand."""

    def _expect_images(self, x: Any) -> Any:
        x = as_operand(x)
        if len(x.shape) != 4:
            raise ShapeError(f"{self.heading} takes images (N, C, H, W), got {show_shape(x.shape)}")
        return x


class MaxPool2d(Pool2d):
    """Take the largest element under each window.

    Parameters
    ----------
    kernel
        The size of the window: one number, or one for each axis.
    stride
        By how much it moves; by its own size unless told otherwise.
    padding
        How much is added around x; it never wins.
    dilation
        By how much the elements under a window lie apart.
    ceil_mode
        Whether a window that reaches beyond the end counts.

    Examples
    --------
    >>> import numpy as np
    >>> MaxPool2d(2)(np.arange(16.0).reshape(1, 1, 4, 4)).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """

    def __init__(
        self,
        kernel: Setting,
        *,
        stride: Setting | None = None,
        padding: Padding = 0,
        dilation: Setting = 1,
        ceil_mode: bool = False,
    ) -> None:
        self.kernel, self.stride, self.padding = kernel, stride, padding
        self.dilation, self.ceil_mode = dilation, ceil_mode

    def forward(self, x: Any) -> Any:
        """Pool x, of shape (N, C, H, W)."""
        return ops.max_pool(
            self._expect_images(x),
            **unusual(self, ops.max_pool, "kernel", *PLACES, "dilation"),
        )


class AvgPool2d(Pool2d):
    """Take the mean under each window.

    Parameters
    ----------
    kernel
        The size of the window: one number, or one for each axis.
    stride
        By how much it moves; by its own size unless told otherwise.
    padding
        How many zeros are added around x.
    ceil_mode
        Whether a window that reaches beyond the end counts.
    count_include_pad
        Whether those zeros count as elements of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> AvgPool2d(2)(np.arange(16.0).reshape(1, 1, 4, 4)).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """

    def __init__(
        self,
        kernel: Setting,
        *,
        stride: Setting | None = None,
        padding: Padding = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel, self.stride, self.padding = kernel, stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, x: Any) -> Any:
        """Pool x, of shape (N, C, H, W)."""
        return ops.avg_pool(
            self._expect_images(x),
            **unusual(self, ops.avg_pool, "kernel", *PLACES, "count_include_pad"),
        )
