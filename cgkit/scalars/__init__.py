"""Plain functions of single numbers: what each elementwise operator means for one element.

    elementwise.tanh.scalar = scalars.tanh        the reference; generated kernels use faster twins

    arithmetic    quotients, powers, rounding, remainders, bits
    curves        exponentials, logarithms, trigonometric and hyperbolic functions
    activation    what neural networks bend numbers with; it is made of curves

Each follows NumPy at infinities and nan, so that a kernel made of them gives what arrays give.
"""

from cgkit.scalars.activation import (
    SELU_ALPHA,
    SELU_SCALE,
    celu,
    elu,
    gelu,
    leak,
    leaky_relu,
    mish,
    prelu,
    relu,
    selu,
    sigmoid,
    silu,
    softplus,
    softsign,
)
from cgkit.scalars.arithmetic import (
    ceil,
    divide,
    flip,
    floor,
    floor_div,
    fmod,
    maximum,
    minimum,
    mod,
    nearest,
    power,
    share,
    shift_left,
    shift_right,
    sign,
    trunc,
)
from cgkit.scalars.curves import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cbrt,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    hypot,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    rsqrt,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)

__all__ = [
    "SELU_ALPHA", "SELU_SCALE", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh",
    "cbrt", "ceil", "celu", "cos", "cosh", "divide", "elu", "erf", "erfc", "exp", "exp2",
    "expm1", "flip", "floor", "floor_div", "fmod", "gelu", "hypot", "leak", "leaky_relu", "log",
    "log1p", "log2", "log10", "logaddexp", "maximum", "minimum", "mish", "mod", "nearest",
    "power", "prelu", "relu", "rsqrt", "selu", "share", "shift_left", "shift_right", "sigmoid",
    "sign", "silu", "sin", "sinh", "softplus", "softsign", "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip
