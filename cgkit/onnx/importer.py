"""Turn an ONNX model into a graph, or evaluate it: one walk over its nodes, one set of rules.

    names:  "x" ─> Value      "w" ─> Value of a variable      "shape" ─> array      ... Sizes
    node ─> rule of its operator ─ on what its inputs' names stand for ─> its outputs' names

What is known while the graph is built is an array, and operators on arrays alone compute at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cgkit.errors import OnnxError
from cgkit.graph import Graph
from cgkit.node import Operand
from cgkit.onnx.dtypes import as_numpy
from cgkit.onnx.reading import Source, read_attribute, read_model, read_tensor
from cgkit.onnx.rules import rules
from cgkit.onnx.sizes import Sizes
from cgkit.onnx.step import Step
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import Size


def load(
    source: Source,
    *,
    known: Mapping[str, Any] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Graph:
    """Read an ONNX model as a graph.

    Parameters
    ----------
    source
        A file, its bytes, or a ModelProto.
    known
        Values of inputs that are fixed now, by name; these are no inputs of the graph.
    sizes
        Values of open sizes, by name.
    """
    model = read_model(source)
    builder = GraphBuilder()
    walk = Walk(model, builder)
    inputs = walk.declare(known or {}, sizes or {})
    walk.run(model.graph.node)
    outputs = [walk.output(output.name) for output in model.graph.output]
    return builder.graph(outputs, inputs)


def evaluate(source: Source, inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Evaluate an ONNX model on arrays, node by node, by the rules that build graphs."""
    model = read_model(source)
    walk = Walk(model, None)
    walk.declare(inputs, {})
    walk.run(model.graph.node)
    return {output.name: np.asarray(walk.names[output.name]) for output in model.graph.output}


class Walk:
    """One walk over the nodes of a model."""

    def __init__(self, model: Any, builder: GraphBuilder | None) -> None:
        self.model = model
        self.builder = builder
        self.names: dict[str, Any] = {}
        self.opsets = {entry.domain: entry.version for entry in model.opset_import}

    def declare(self, known: Mapping[str, Any], sizes: Mapping[str, int]) -> list[Value]:
        """Declare the initializers and the inputs of the model."""
        for tensor in self.model.graph.initializer:
            array = read_tensor(tensor)
            self.names[tensor.name] = array
            if self.builder is not None and array.dtype.kind == "f":
                self.names[tensor.name] = self.builder.variable(array, name=tensor.name)
        inputs = []
        for given in self.model.graph.input:
            if given.name in known:
                self.names[given.name] = np.asarray(known[given.name])
            elif given.name not in self.names:
                if self.builder is None:
                    raise OnnxError(f"the input {given.name!r} is given no value")
                inputs.append(self._placeholder(self.builder, given, sizes))
        return inputs

    def _placeholder(self, builder: GraphBuilder, given: Any, sizes: Mapping[str, int]) -> Value:
        tensor = given.type.tensor_type
        shape: list[Size | str | None] = []
        for dim in tensor.shape.dim:
            named = dim.dim_param
            fixed = sizes.get(named, dim.dim_value) if dim.HasField("dim_param") else dim.dim_value
            shape.append(
                named if not fixed and named else fixed if dim.WhichOneof("value") else None
            )
        value = builder.placeholder(shape, as_numpy(tensor.elem_type), name=given.name)
        self.names[given.name] = value
        return value

    def run(self, nodes: Sequence[Any]) -> None:
        """Apply the rule of each node."""
        for node in nodes:
            self._apply(node)

    def _apply(self, node: Any) -> None:
        operands = tuple(self.names[name] if name else None for name in node.input)
        step = Step(
            node.name or next(filter(None, node.output), ""), node.op_type, node.domain,
            self.opsets.get(node.domain, 0), tuple(bool(name) for name in node.output),
            {a.name: read_attribute(a) for a in node.attribute}, tuple(node.input), operands,
            self.builder,
        )  # fmt: skip
        rule = rules().get(node.op_type) if node.domain in ("", "ai.onnx") else None
        if rule is None:
            raise step.refuse("cgkit has no rule for this operator")
        found = rule(step, *operands)
        results = found if isinstance(found, tuple | list) else (found,)
        for name, result in zip(node.output, results, strict=False):
            if name:
                self.names[name] = result if isinstance(result, Operand) else np.asarray(result)

    def output(self, name: str) -> Value:
        """Give an output of the model as a Value of the graph."""
        found = self.names[name]
        if isinstance(found, Sizes):
            return found.value()
        return found if isinstance(found, Value) else self.builder.constant(found)  # type: ignore
