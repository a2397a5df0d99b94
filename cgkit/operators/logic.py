"""Logic, bits, and questions that one element answers, such as whether it is nan.

    logical_and  5 and 2  ─>  True       whether both are something other than 0
    bitwise_and  5 and 2  ─>  0          101 & 010, bit by bit
    bitcast      1.0      ─>  0x3f800000 the bits of a float32, read as a whole number

None has a gradient: a truth value and a bit have no slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cgkit import scalars
from cgkit.errors import DtypeError
from cgkit.node import Kind, Operator, Sample, Samples
from cgkit.operators.elementwise import elementwise, no_flops
from cgkit.operators.samples import pairs, reals, whole_pairs, wholes
from cgkit.types import TensorType, as_dtype


def _steps(
    name: str,
    ufunc: np.ufunc,
    scalar: Callable[..., Any],
    samples: Samples,
    doc: str,
    label: str = "",
    *,
    onnx: str = "",
) -> Operator:
    """Define an operator without a slope."""
    return elementwise(
        name, ufunc, scalar=scalar, samples=samples, doc=doc, label=label, gradient=None, onnx=onnx
    )


logical_and: Operator = _steps(
    "logical_and", np.logical_and, lambda a, b: a != 0 and b != 0, pairs, "whether both are true",
    "and", onnx="And",
)  # fmt: skip
logical_or: Operator = _steps(
    "logical_or", np.logical_or, lambda a, b: a != 0 or b != 0, pairs, "whether one is true",
    "or", onnx="Or",
)  # fmt: skip
logical_xor: Operator = _steps(
    "logical_xor", np.logical_xor, lambda a, b: (a != 0) != (b != 0), pairs,
    "whether just one is true", "xor", onnx="Xor",
)  # fmt: skip
logical_not: Operator = _steps(
    "logical_not", np.logical_not, lambda a: a == 0, reals, "whether a is 0 or false", "not",
    onnx="Not",
)  # fmt: skip

bitwise_and: Operator = _steps(
    "bitwise_and", np.bitwise_and, lambda a, b: a & b, whole_pairs, "bits that both have", "&",
    onnx="BitwiseAnd",
)  # fmt: skip
bitwise_or: Operator = _steps(
    "bitwise_or", np.bitwise_or, lambda a, b: a | b, whole_pairs, "bits that either has", "|",
    onnx="BitwiseOr",
)  # fmt: skip
bitwise_xor: Operator = _steps(
    "bitwise_xor", np.bitwise_xor, lambda a, b: a ^ b, whole_pairs, "bits that just one has", "^",
    onnx="BitwiseXor",
)  # fmt: skip
bitwise_not: Operator = _steps(
    "bitwise_not", np.invert, scalars.flip, wholes, "bits that a has not", "~", onnx="BitwiseNot"
)
left_shift: Operator = _steps(
    "left_shift", np.left_shift, scalars.shift_left, whole_pairs,
    "a's bits moved b places to the left: a times 2 to the b, as long as it fits", "<<",
)  # fmt: skip
right_shift: Operator = _steps(
    "right_shift", np.right_shift, scalars.shift_right, whole_pairs,
    "a's bits moved b places to the right: a over 2 to the b, rounded down", ">>",
)  # fmt: skip

isnan: Operator = _steps(
    "isnan", np.isnan, math.isnan, reals, "whether a is not a number", onnx="IsNaN"
)
isinf: Operator = _steps("isinf", np.isinf, math.isinf, reals, "whether a is infinite")
isfinite: Operator = _steps(
    "isfinite", np.isfinite, math.isfinite, reals, "whether a is neither infinite nor nan"
)


def _infer_bitcast(a: TensorType, dtype: str) -> TensorType:
    given, wanted = as_dtype(a.dtype), as_dtype(dtype)
    if given.itemsize != wanted.itemsize:
        raise DtypeError(
            f"bitcast cannot read {given} as {wanted}",
            why=f"one has {given.itemsize * 8} bits, the other {wanted.itemsize * 8}",
            attempt="cast, which keeps the numbers instead of the bits",
        )
    return TensorType(a.shape, wanted)


def _bitcast(a: Any, dtype: str) -> np.ndarray:
    array = np.array(a)
    return array.view(_infer_bitcast(TensorType(array.shape, array.dtype), dtype).dtype)


def _bitcasts(rng: np.random.Generator) -> Iterator[Sample]:
    for dtype, other in (("float64", "int64"), ("float32", "uint32"), ("float16", "int16")):
        for shape in ((), (2, 3), (0, 3)):
            x = rng.normal(size=shape).astype(dtype)
            yield Sample((x,), {"dtype": other})
            yield Sample((x.view(other),), {"dtype": dtype})
    special = np.array([np.nan, np.inf, -np.inf, -0.0])
    yield Sample((special[::-1],), {"dtype": "int64"})
    yield Sample((rng.integers(-9, 9, size=(2, 3)).astype("int32"),), {"dtype": "float32"})
    yield Sample((np.array([True, False]),), {"dtype": "uint8"})


bitcast: Operator = Operator(
    "bitcast", _bitcast, _infer_bitcast, operands=1, kind=Kind.OPAQUE, flops=no_flops,
    samples=_bitcasts, doc="the bits of a, read as another dtype of the same width",
)  # fmt: skip
