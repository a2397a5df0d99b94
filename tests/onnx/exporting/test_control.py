"""What waits is written as what it waits with."""

import numpy as np
import onnx.reference

from cgkit import GraphBuilder, ops, run
from cgkit.onnx.exporter import to_model


def test_a_size_that_a_run_tells():
    builder = GraphBuilder()
    x = builder.placeholder((4,), "float32", name="x")
    number = ops.nonzero(x).shape[0]
    row = ops.broadcast_to(x.sum(), shape=(number,))
    graph = builder.graph([row])
    assert "sized" in str(graph)
    data = np.float32([1, 0, 2, 0])
    model = to_model(graph)
    assert "sized" not in str(model)
    (found,) = onnx.reference.ReferenceEvaluator(model).run(None, {"x": data})
    np.testing.assert_array_equal(found, run(graph, data)[0])
