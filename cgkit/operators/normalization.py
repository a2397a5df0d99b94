"""Normalization of each example by itself: to mean 0 and variance 1, or to length 1.

    layer_norm      over the last axes                    (N, T, [D])
    group_norm      over groups of channels and space     (N, [C/groups, H, W])
    instance_norm   over space, each channel alone        (N, C, [H, W])
    rms_norm        over the last axes, without a mean    (N, T, [D])
    local_response_norm   each element against its neighbors among the channels

All are made of operators, so their gradients are those of the operators, to every order, and fusion
sees what they do. A scale and a shift are learned by the layers that own them, and may be left out.
Normalization over a batch is in `batch_normalization`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cgkit.errors import ShapeError
from cgkit.operators.elementwise import add, cast, div, mul, pow_
from cgkit.operators.movement import reshape
from cgkit.operators.operands import as_operand
from cgkit.operators.pooling import avg_pool
from cgkit.operators.powers import rsqrt, square
from cgkit.operators.reduction import mean
from cgkit.operators.settings import as_number, as_whole, normal_axis
from cgkit.operators.statistics import var
from cgkit.types import Shape, broadcast_shapes, show_shape, value_of


def layer_norm(
    x: Any, scale: Any = None, shift: Any = None, *, axis: int = -1, epsilon: float = 1e-5
) -> Any:
    """Bring what lies along the last axes to mean 0 and variance 1, then scale and shift it.

    Parameters
    ----------
    x
        A tensor.
    scale, shift
        Of the shape of the normalized axes, or None.
    axis
        The first of the normalized axes; all after it are too.
    epsilon
        Added to the variance, so that equal numbers can be divided by it. A negative one gives nan
        where it outweighs the variance.

    Examples
    --------
    >>> layer_norm(np.array([[1.0, 3.0], [5.0, 5.0]])).round(3).tolist()
    [[-1.0, 1.0], [0.0, 0.0]]

    References
    ----------
    J. L. Ba, J. R. Kiros, G. E. Hinton, "Layer normalization", arXiv:1607.06450, 2016.
    """
    x, epsilon = as_operand(x), as_number("epsilon of layer_norm", epsilon)
    axes = _last_axes("layer_norm", x, axis)
    return _affine("layer_norm", _standard(x, axes, epsilon), scale, shift)


def rms_norm(x: Any, scale: Any = None, *, axis: int = -1, epsilon: float = 1e-5) -> Any:
    """Divide what lies along the last axes by the root of its mean square, then scale it.

    Parameters
    ----------
    x
        A tensor.
    scale
        Of the shape of the normalized axes, or None.
    axis
        The first of the normalized axes; all after it are too.
    epsilon
        Added to the mean square.

    Examples
    --------
    >>> rms_norm(np.array([1.0, 7.0]), epsilon=0.0).round(6).tolist()
    [0.2, 1.4]

    References
    ----------
    B. Zhang, R. Sennrich, "Root mean square layer normalization", NeurIPS 2019.
    """
    x, epsilon = as_operand(x), as_number("epsilon of rms_norm", epsilon, least=0)
    axes = _last_axes("rms_norm", x, axis)
    wide = _wide(x)
    unit = wide * rsqrt(mean(square(wide), axis=axes, keepdims=True) + epsilon)
    return _affine("rms_norm", _narrow(unit, x), scale, None)


def group_norm(
    x: Any, groups: int, scale: Any = None, shift: Any = None, *, epsilon: float = 1e-5
) -> Any:
    """Bring each group of channels, with all its space, to mean 0 and variance 1.

    Parameters
    ----------
    x
        Images of shape (N, C, ...).
    groups
        In how many groups the channels are split.
    scale, shift
        A number for each channel, or None.
    epsilon
        Added to the variance.

    Raises
    ------
    ShapeError
        The channels cannot be split so.

    Examples
    --------
    >>> group_norm(np.array([[1.0, 3.0, 10.0, 30.0]]), 2).round(3).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]

    References
    ----------
    Y. Wu, K. He, "Group normalization", ECCV 2018.
    """
    x, epsilon = as_operand(x), as_number("epsilon of group_norm", epsilon, least=0)
    channels = _channels("group_norm", x)
    groups = as_whole("the number of groups of group_norm", groups, least=1)
    known = value_of(channels)
    if known is not None and known % groups:
        raise ShapeError(f"group_norm cannot split {channels} channels into {groups} groups")
    split: Shape = (x.shape[0], groups, channels // groups, *x.shape[2:])
    unit = _standard(reshape(x, shape=split), tuple(range(2, len(split))), epsilon)
    return _affine_channels("group_norm", reshape(unit, shape=tuple(x.shape)), scale, shift)


def instance_norm(x: Any, scale: Any = None, shift: Any = None, *, epsilon: float = 1e-5) -> Any:
    """Bring each channel of each example to mean 0 and variance 1.

    Parameters
    ----------
    x
        Images of shape (N, C, ...), with at least one axis of space.
    scale, shift
        A number for each channel, or None.
    epsilon
        Added to the variance.

    Examples
    --------
    >>> instance_norm(np.array([[[1.0, 3.0], [10.0, 30.0]]])).round(3).tolist()
    [[[-1.0, 1.0], [-1.0, 1.0]]]
    """
    x, epsilon = as_operand(x), as_number("epsilon of instance_norm", epsilon, least=0)
    _channels("instance_norm", x, space=1)
    unit = _standard(x, tuple(range(2, len(x.shape))), epsilon)
    return _affine_channels("instance_norm", unit, scale, shift)


def local_response_norm(
    x: Any, size: int, *, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Any:
    """Divide each element by a power of the mean square of its neighbors among the channels.

    x / (bias + alpha * mean square of `size` channels around it) ** beta; channels that are missing
    at the ends count as zeros, and of an even number of neighbors one more comes after than before.

    Parameters
    ----------
    x
        Images of shape (N, C, ...).
    size
        How many channels are averaged.
    alpha, beta, bias
        The numbers of the formula.

    Examples
    --------
    >>> local_response_norm(np.array([[3.0, 4.0]]), 1, alpha=1.0, beta=0.5, bias=0.0).tolist()
    [[1.0, 1.0]]

    References
    ----------
    A. Krizhevsky, I. Sutskever, G. E. Hinton, "ImageNet classification with deep convolutional
    neural networks", NIPS 2012.
    """
    x = as_operand(x)
    _channels("local_response_norm", x)
    size = as_whole("the size of local_response_norm", size, least=1)
    alpha, beta, bias = map(as_number, ("alpha", "beta", "bias"), (alpha, beta, bias))
    rest = len(x.shape) - 2
    squares = avg_pool(
        square(x), kernel=(size,) + (1,) * rest, stride=1, divisor=size,
        padding=(((size - 1) // 2, size // 2),) + ((0, 0),) * rest,
    )  # fmt: skip
    return div(x, pow_(squares * alpha + bias, beta))


def _standard(x: Any, axes: tuple[int, ...], epsilon: float) -> Any:
    wide = _wide(x)
    apart = wide - mean(wide, axis=axes, keepdims=True)
    return _narrow(apart * rsqrt(var(wide, axis=axes, keepdims=True) + epsilon), x)


def _wide(x: Any) -> Any:
    """Give x in a dtype in which squares do not outgrow float16."""
    return cast(x, dtype="float32") if x.dtype == np.float16 else x


def _narrow(y: Any, x: Any) -> Any:
    return cast(y, dtype="float16") if x.dtype == np.float16 else y


def _last_axes(name: str, x: Any, axis: int) -> tuple[int, ...]:
    ndim = len(x.shape)
    if not isinstance(axis, int):
        raise ShapeError(f"the axis of {name} is the first that is normalized, not {axis!r}")
    first = normal_axis(axis, ndim)
    return tuple(range(first, ndim))


def _channels(name: str, x: Any, space: int = 0) -> Any:
    """Give the number of channels; ShapeError where there are none."""
    if len(x.shape) < 2 + space:
        more = ", ..." if not space else ", L, ..."
        raise ShapeError(f"{name} takes images (N, C{more}), got {show_shape(x.shape)}")
    return x.shape[1]


def _affine(name: str, x: Any, scale: Any, shift: Any) -> Any:
    """Scale and shift, by what broadcasts to x without stretching it."""
    for role, other in (("scale", scale), ("shift", shift)):
        if other is None:
            continue
        shape = tuple(as_operand(other).shape)
        try:
            fits = broadcast_shapes(tuple(x.shape), shape) == tuple(x.shape)
        except ShapeError:
            fits = False
        if not fits:
            raise ShapeError(
                f"{name} needs a {role} for {show_shape(x.shape)}, got one of {show_shape(shape)}",
                attempt=f"a {role} of the shape of the normalized axes",
            )
    x = x if scale is None else mul(x, scale)
    return x if shift is None else add(x, shift)


def _affine_channels(name: str, x: Any, scale: Any, shift: Any) -> Any:
    """Scale and shift by a number for each channel."""
    stood = []
    for role, vector in (("scale", scale), ("shift", shift)):
        if vector is not None:
            vector = as_operand(vector)
            if len(vector.shape) != 1 or _differ(vector.shape[0], x.shape[1]):
                raise ShapeError(
                    f"{name} needs a {role} of shape ({x.shape[1]},), one for each channel of "
                    f"{show_shape(x.shape)}, got {show_shape(vector.shape)}"
                )
            vector = reshape(vector, shape=(*vector.shape, *(1,) * (len(x.shape) - 2)))
        stood.append(vector)
    return _affine(name, x, *stood)


def _differ(a: Any, b: Any) -> bool:
    return isinstance(a, int) and isinstance(b, int) and a != b


COMPOSED = (layer_norm, rms_norm, group_norm, instance_norm, local_response_norm)
