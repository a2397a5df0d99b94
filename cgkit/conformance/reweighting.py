"""Weights for a model whose own are left out, drawn so that its numbers neither die nor explode.

    ConstantOfShape ─> conv1_w ─┐                input (0, 1) ─> Conv (0, 1) ─> Relu (0.40, 0.34)
                        data ───┴─> Conv         ─> Conv: weights of variance 1 / (fan_in * 0.50)

The light models of the onnx package say of each weight only its shape. The weights drawn here
depend on a seed and on how much power arrives: mean and variance of what a node makes are followed
through the model as if all numbers were normal and independent, which is near enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit.errors import OnnxError

SHIFT = 0.1
"""How large what is added is, in the mean."""

SPREAD = 13 / 12
"""The mean square of a factor from 0.5 to 1.5."""


@dataclass(frozen=True)
class Moments:
    """What is expected of the numbers of a tensor."""

    mean: float = 0.0
    variance: float = 1.0

    @property
    def power(self) -> float:
        """The mean of their squares.

        Examples
        --------
        >>> Moments(1.0, 4.0).power
        5.0
        """
        return self.mean**2 + self.variance


def relu(x: Moments) -> Moments:
    """Follow the numbers through a relu.

    Examples
    --------
    >>> relu(Moments(0.0, 1.0))
    Moments(mean=0.3989422804014327, variance=0.3408450569081046)
    """
    deviation = math.sqrt(x.variance)
    unit = NormalDist()
    share, edge = unit.cdf(x.mean / deviation), unit.pdf(x.mean / deviation)
    mean = x.mean * share + deviation * edge
    return Moments(mean, x.power * share + x.mean * deviation * edge - mean**2)


def max_pool(x: Moments, elements: int) -> Moments:
    """Follow the numbers through a maximum over neighbors, which are alike."""
    return Moments(x.mean + 0.6 * math.sqrt(2 * x.variance * math.log(elements)), x.variance / 2)


def added(*xs: Moments) -> Moments:
    """Follow numbers through a sum."""
    return Moments(sum(x.mean for x in xs), sum(x.variance for x in xs))


def joined(*xs: Moments) -> Moments:
    """Follow numbers that are put beside each other, as many of each."""
    mean = sum(x.mean for x in xs) / len(xs)
    return Moments(mean, sum(x.power for x in xs) / len(xs) - mean**2)


def weights_for(model: Any, seed: int = 0) -> dict[str, np.ndarray]:
    """Draw a value for each weight of a model.

    Parameters
    ----------
    model
        A ModelProto in which ConstantOfShape nodes with known shapes stand for weights.
    seed
        Another seed gives other weights.

    Returns
    -------
    dict
        Arrays of float32 by the names of those nodes' outputs.

    Raises
    ------
    OnnxError
        A weight is read by an operator of which nothing is known here.
    """
    return _Drawing(model, np.random.default_rng(seed)).run()


def weight_shapes(model: Any) -> dict[str, tuple[int, ...]]:
    """Give the shape of each weight, by name: those left out, and the few small ones that are not.

    The small ones are of networks that were trained with the weights that are left out.
    """
    from onnx import TensorProto, numpy_helper

    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    shapes = {
        node.output[0]: tuple(numpy_helper.to_array(stored[node.input[0]]).tolist())
        for node in model.graph.node
        if node.op_type == "ConstantOfShape" and node.input[0] in stored
    }
    small = {
        name: tuple(tensor.dims)
        for name, tensor in stored.items()
        if tensor.data_type == TensorProto.FLOAT
    }
    read = {name for node in model.graph.node for name in node.input}
    return {name: shape for name, shape in (shapes | small).items() if name in read}


def with_weights(model: Any, weights: Mapping[str, np.ndarray]) -> Any:
    """Give a copy of a model whose weights have these values."""
    from onnx import numpy_helper

    made = without_weights(model, weights)
    for name, array in weights.items():
        made.graph.initializer.append(numpy_helper.from_array(array, name))
    return made


def without_weights(model: Any, weights: Mapping[str, np.ndarray]) -> Any:
    """Give a copy of a model to which these weights are given as inputs, or are to be added."""
    import onnx

    nodes = [node for node in model.graph.node if node.output[0] not in weights]
    read = {name for node in nodes for name in node.input}
    stored = {tensor.name for tensor in model.graph.initializer}
    made = onnx.ModelProto(ir_version=8, opset_import=model.opset_import)
    made.graph.name = model.graph.name
    made.graph.node.extend(nodes)
    made.graph.input.extend(x for x in model.graph.input if x.name not in stored)
    made.graph.output.extend(model.graph.output)
    made.graph.initializer.extend(
        x for x in model.graph.initializer if x.name in read and x.name not in weights
    )
    return made


class _Drawing:
    """One walk over the nodes of a model."""

    def __init__(self, model: Any, rng: np.random.Generator) -> None:
        self.model = model
        self.rng = rng
        self.shapes = weight_shapes(model)
        self.origin = {name: name for name in self.shapes}
        """For each tensor that is a weight or one reshaped, the weight."""
        self.known = {tensor.name for tensor in model.graph.initializer}
        self.weights: dict[str, np.ndarray] = {}
        self.moments: dict[str, Moments] = {}

    def run(self) -> dict[str, np.ndarray]:
        for node in self.model.graph.node:
            names = [name for name in node.input if name]
            if any(name not in self.origin and name not in self.known for name in names):
                self._follow(node, names)
            elif node.output[0] not in self.shapes:
                self.origin[node.output[0]] = self.origin.get(names[0], names[0])
        missing = sorted(set(self.shapes) - set(self.weights))
        if missing:
            raise OnnxError(f"no value was drawn for the weights {', '.join(missing[:5])}")
        return self.weights

    def _follow(self, node: Any, names: list[str]) -> None:
        data = [name for name in names if name not in self.origin and name not in self.known]
        given = [self.moments.get(name, Moments()) for name in data]
        weights = [self.origin.get(name, name) for name in names if name not in data]
        kind = node.op_type
        if kind in _WEIGHTED:
            found = _WEIGHTED[kind](self, given[0], weights)
        elif kind in _PLAIN:
            found = _PLAIN[kind](*given)
        elif kind == "MaxPool":
            sizes = next(a.ints for a in node.attribute if a.name == "kernel_shape")
            found = max_pool(given[0], math.prod(sizes))
        else:
            raise OnnxError(f"nothing is known of what {kind} makes of its numbers")
        self.moments.update((name, found) for name in node.output)

    def _normal(self, name: str, deviation: float) -> None:
        array = self.rng.standard_normal(self.shapes[name], dtype=np.float32)
        self.weights[name] = array * np.float32(deviation)

    def _scale(self, name: str) -> None:
        drawn = self.rng.uniform(0.5, 1.5, self.shapes[name])
        self.weights[name] = drawn.astype(np.float32)

    def product(self, x: Moments, weights: list[str]) -> Moments:
        """Draw the weights of Conv and Gemm; what comes out has variance 1."""
        shape = self.shapes[weights[0]]
        _, *fan_in = [size for size in shape if size > 1]  # Gemm's, too, stand transposed
        self._normal(weights[0], 1 / math.sqrt(math.prod(fan_in) * x.power))
        for name in weights[1:]:
            self._normal(name, SHIFT)
        return Moments()

    def normalized(self, x: Moments, weights: list[str]) -> Moments:
        """Draw what BatchNormalization reads: scale, shift, mean and variance."""
        scale, shift, mean, variance = weights
        for name in (scale, variance):
            self._scale(name)
        for name in (shift, mean):
            self._normal(name, SHIFT)
        return _spread(x, SPREAD * math.log(3))  # the mean of 1 / v for v from 0.5 to 1.5

    def scaled(self, x: Moments, weights: list[str]) -> Moments:
        """Draw factors around 1."""
        self._scale(weights[0])
        return _spread(x, SPREAD)

    def shifted(self, x: Moments, weights: list[str]) -> Moments:
        """Draw small summands."""
        self._normal(weights[0], SHIFT)
        return Moments(x.mean, x.variance + SHIFT**2)


def _same(x: Moments) -> Moments:
    return x


def _spread(x: Moments, power: float) -> Moments:
    """Follow numbers times factors around 1, of this mean square."""
    return Moments(x.mean, x.power * power - x.mean**2)


_WEIGHTED: Mapping[str, Callable[[_Drawing, Moments, list[str]], Moments]] = MappingProxyType(
    {
        "Conv": _Drawing.product, "Gemm": _Drawing.product,
        "BatchNormalization": _Drawing.normalized,
        "Mul": _Drawing.scaled, "Add": _Drawing.shifted,
    }
)  # fmt: skip
_PLAIN: Mapping[str, Callable[..., Moments]] = MappingProxyType(
    {
        "Relu": relu, "Sum": added, "Concat": joined,
        **dict.fromkeys(
            ("AveragePool", "Dropout", "GlobalAveragePool", "LRN", "Reshape", "Softmax",
             "Transpose"),
            _same,
        ),
    }
)  # fmt: skip
