"""What the tests of exported families share: a function written as a model, and what it gives."""

from dataclasses import dataclass

import numpy as np
import pytest

from cgkit import GraphBuilder
from cgkit.onnx.exporter import to_model
from cgkit.testing.exports import by_reference


@dataclass
class Written:
    """A model, and what the reference of ONNX makes of some arrays."""

    model: object
    kinds: list
    """The ONNX operators of its nodes, constants left out."""
    results: list

    @property
    def result(self):
        (result,) = self.results
        return np.asarray(result)


@pytest.fixture
def written():
    """Write what a function does with arrays, whose shapes may be given with open sizes."""

    def write(fn, *arrays, shapes=None, opset=28):
        arrays = [np.asarray(x) for x in arrays]
        builder = GraphBuilder()
        shapes = shapes or [x.shape for x in arrays]
        values = [builder.placeholder(s, x.dtype) for s, x in zip(shapes, arrays, strict=True)]
        found = fn(*values)
        outputs = found if isinstance(found, tuple) else (found,)
        model = to_model(builder.graph(outputs, values), opset=opset)
        kinds = [node.op_type for node in model.graph.node if node.op_type != "Constant"]
        return Written(model, kinds, list(by_reference(model, arrays)))

    return write
