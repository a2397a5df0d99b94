"""torch's layers said in cgkit: convolution, pooling, normalization, losses, attention.

    batch_norm(x, mean, var, weight, bias, training=True)  ─>  ops.batch_norm_train(x, ...)[0]

Part of the table `torch_calls.CALLS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit import operators as ops


def _pair(setting: Any) -> tuple[int, ...]:
    """Give a setting for each of two axes; torch takes one number, or a list of one, for both."""
    each = tuple(setting) if isinstance(setting, tuple | list) else (setting,)
    return each * 2 if len(each) == 1 else each


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Convolve images, or one image without a batch."""
    single = len(x.shape) == 3
    pads = padding if isinstance(padding, str) else _pair(padding)
    found = ops.conv2d(
        x[None] if single else x,
        weight,
        groups=groups,
        stride=_pair(stride),
        padding=pads,
        dilation=_pair(dilation),
    )
    found = found if bias is None else found + ops.reshape(bias, shape=(-1, 1, 1))
    return found[0] if single else found


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Give the largest under each window, and where it is if that is asked for."""
    settings = {
        "kernel": _pair(kernel_size),
        "stride": _pair(stride) if stride else None,
        "padding": _pair(padding),
        "dilation": _pair(dilation),
        "ceil_mode": ceil_mode,
    }
    found = ops.max_pool(x, **settings)
    return (found, ops.max_pool_places(x, **settings)) if return_indices else found


def avg_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """Give the mean under each window."""
    return ops.avg_pool(
        x,
        kernel=_pair(kernel_size),
        stride=_pair(stride) if stride else None,
        padding=_pair(padding),
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        divisor=divisor_override,
    )


def batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalize by the statistics of this batch, or by those kept; one axis holds the channels."""
    axis = min(1, len(x.shape) - 1)
    size = x.shape[axis]
    scale = np.ones(size, x.dtype) if weight is None else weight
    shift = np.zeros(size, x.dtype) if bias is None else bias
    if training:
        return ops.batch_norm_train(x, scale, shift, epsilon=eps, axis=axis)[0]
    return ops.batch_norm(x, scale, shift, running_mean, running_var, epsilon=eps, axis=axis)


def layer_norm(
    x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Normalize the last axes."""
    first = len(x.shape) - len(normalized_shape)
    return ops.layer_norm(x, weight, bias, axis=first, epsilon=eps)


def cross_entropy(
    x: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Measure how surprised scores are by classes, or by shares of classes."""
    return ops.cross_entropy(
        x,
        target,
        weights=weight,
        ignore_index=ignore_index,
        label_smoothing=label_smoothing,
        reduction=reduction,
    )


def attention(
    q: Any,
    k: Any,
    v: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    kept: Any = None,
) -> Any:
    """Let queries look at keys; `kept` are the shares that torch's dropout left."""
    return ops.scaled_dot_product_attention(
        q, k, v, attn_mask, causal=is_causal, scale=scale, rate=dropout_p, kept=kept
    )
