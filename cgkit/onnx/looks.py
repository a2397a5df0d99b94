"""How a node of an ONNX model reads in a picture: its family, its name, its settings in few words.

    Conv, kernel_shape=[7, 7], strides=[2, 2], pads=[3, 3, 3, 3], "conv1_w_0", "conv1_b_0"

        ─>  matrix    Conv 7x7    conv1    pad=3, stride=2, w=64x3x7x7

What is as usual is left out, and a name that only counts ("n12", "Conv_12") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, cast

from cgkit.node import Family
from cgkit.onnx.reading.attributes import FIELDS, type_of
from cgkit.types import Shape, TensorType

_NAMES: Mapping[str, str] = {
    "activation": "Celu Clip Elu Gelu HardSigmoid HardSwish Hardmax LeakyRelu LogSoftmax Mish "
    "PRelu Relu Selu Shrink Sigmoid Softmax Softplus Softsign SwiGLU Swish Tanh ThresholdedRelu",
    "matrix": "Attention CausalConvWithState Conv ConvInteger ConvTranspose DFT DeformConv Einsum "
    "GRU Gemm LSTM LinearAttention MatMul MatMulInteger QLinearConv QLinearMatMul RNN STFT",
    "reduction": "ArgMax ArgMin AveragePool BatchNormalization CumProd CumSum Det "
    "GlobalAveragePool GlobalLpPool GlobalMaxPool GroupNormalization InstanceNormalization LRN "
    "LayerNormalization LpNormalization LpPool MaxPool MaxRoiPool MeanVarianceNormalization "
    "NegativeLogLikelihoodLoss RMSNormalization RoiAlign SoftmaxCrossEntropyLoss",
    "shape": "AffineGrid CenterCropPad Col2Im Concat ConstantOfShape DepthToSpace Expand EyeLike "
    "Flatten Identity MaxUnpool Pad Range Reshape Resize ReverseSequence Shape Size SpaceToDepth "
    "Split Squeeze Tile Transpose Trilu Unsqueeze Upsample",
    "indexing": "Compress Gather GatherElements GatherND GridSample NonMaxSuppression NonZero "
    "OneHot Scatter ScatterElements ScatterND Slice TensorScatter TopK Unique",
    "random": "Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform "
    "RandomUniformLike",
    "control": "If Loop Scan SequenceMap",
    "elementwise": "Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot "
    "BitwiseOr BitwiseXor Cast CastLike Ceil Cos Cosh DequantizeLinear Div Equal Erf Exp Floor "
    "Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Log Max Mean Min Mod Mul Neg Not Or Pow "
    "QuantizeLinear Reciprocal Round Sign Sin Sinh Sqrt Sub Sum Tan Where Xor",
}
_FAMILIES = MappingProxyType(
    {name: family for family, names in _NAMES.items() for name in names.split()}
)
_SHORT = MappingProxyType(
    {"strides": "stride", "dilations": "apart", "pads": "pad", "group": "groups",
     "kernel_shape": "kernel"}
)  # fmt: skip
_TACIT = frozenset({"consumed_inputs", "epsilon", "is_test", "momentum", "spatial"})
_USUAL = MappingProxyType(
    {"strides": 1, "dilations": 1, "pads": 0, "group": 1, "ceil_mode": 0, "storage_order": 0,
     "count_include_pad": 0, "keepdims": 1, "transA": 0, "transB": 0, "alpha": 1.0, "beta": 1.0}
)  # fmt: skip
_WEIGHT = re.compile(
    r"[._/](w|b|s|weights?|bias|kernel|scale|shift|mean|var|gamma|beta|rm|riv|running_\w+)(_\d+)*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"[a-z]?\d+", re.IGNORECASE)


def family_of(operator: str) -> Family:
    """Give the family of an ONNX operator, for its color; "other" for one that ONNX lacks.

    Examples
    --------
    >>> family_of("Conv"), family_of("ReduceMean"), family_of("MyOwn")
    ('matrix', 'reduction', 'other')
    """
    otherwise = "reduction" if operator.startswith("Reduce") else "other"
    return cast(Family, _FAMILIES.get(operator, otherwise))


def is_count(name: str, operator: str) -> bool:
    """Tell whether a node's name says nothing but which one it is.

    Examples
    --------
    >>> is_count("n12", "Conv"), is_count("Conv_12", "Conv"), is_count("head/Conv_12", "Conv")
    (True, True, False)
    """
    rest = name.removeprefix(operator).strip("_")
    return not rest or _COUNTED.fullmatch(rest) is not None


def is_weight(name: str) -> bool:
    """Tell whether a name is that of a weight of something named.

    Examples
    --------
    >>> is_weight("conv1_w_0"), is_weight("fc.bias"), is_weight("conv1_w_0__SHAPE")
    (True, True, False)
    """
    return _WEIGHT.search(name) is not None


def common_name(weights: Sequence[str]) -> str:
    """Give what the names of an operator's weights have in common.

    Examples
    --------
    >>> common_name(["conv1_w_0", "conv1_b_0"]), common_name(["fc.weight"]), common_name([])
    ('conv1', 'fc', '')
    """
    stems = [_WEIGHT.sub("", name) for name in weights]
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*stems, strict=False))
    return "".join(letters[0] for letters in alike).rstrip("._/-")


def label_of(node: Any, settings: Mapping[str, str]) -> str:
    """Give the main words of a node: its operator, and the size of its windows."""
    kernel = settings.get("kernel", "")
    return f"{node.op_type} {kernel}" if kernel else str(node.op_type)


def settings_of(node: Any, weights: Sequence[TensorType]) -> dict[str, str]:
    """Write the attributes of a node in short words, those that say little left out.

    Parameters
    ----------
    node
        A NodeProto.
    weights
        The types of its operands that are not drawn.

    Examples
    --------
    >>> import onnx
    >>> node = onnx.helper.make_node("Conv", "xw", "y", strides=[2, 2], kernel_shape=[3, 3])
    >>> settings_of(node, [TensorType((64, 3, 3, 3), "float32")])
    {'kernel': '3x3', 'stride': '2', 'w': '64x3x3x3'}
    """
    made = {}
    for attribute in node.attribute:
        words = _written(attribute)
        if words and attribute.name not in _TACIT:
            made[_SHORT.get(attribute.name, attribute.name)] = words
    large = max(weights, key=lambda known: len(known.shape), default=None)
    if large is not None and len(large.shape) > 1 and family_of(node.op_type) == "matrix":
        made["w"] = times(large.shape)
        if len(large.shape) > 2 and "Conv" in node.op_type:
            made.setdefault("kernel", times(large.shape[2:]))
    return dict(sorted(made.items()))


def _written(attribute: Any) -> str:
    """Write one attribute; "" where it says nothing that a picture should."""
    import onnx

    name, value = attribute.name, _value(attribute)
    if isinstance(value, int | float) and value == _USUAL.get(name):
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, onnx.GraphProto):
        return f"{len(value.node)} nodes"
    if not isinstance(value, int):
        return _listed(name, list(value)) if isinstance(value, Iterable) else ""
    if name == "to" and value in onnx.TensorProto.DataType.values():
        return str(onnx.TensorProto.DataType.Name(value)).lower()
    return str(value)


def _value(attribute: Any) -> Any:
    field = FIELDS.get(type_of(attribute))
    return None if field is None else getattr(attribute, field)


def _listed(name: str, values: Sequence[Any]) -> str:
    """Write a list: one number where all are the same, and nothing where they are the usual."""
    if not values or not all(isinstance(value, int | float) for value in values):
        return ""
    if name in _USUAL and len(set(values)) == 1:
        return "" if values[0] == _USUAL[name] else str(values[0])
    return times(values) if name in ("kernel_shape", "strides", "dilations") else str(values)


def times(sizes: Shape | Sequence[Any]) -> str:
    """Write sizes as a product.

    Examples
    --------
    >>> times((64, 3, 7, 7))
    '64x3x7x7'
    """
    return "x".join(map(str, sizes))
